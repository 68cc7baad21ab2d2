"""How well a network estimates the labels that it was trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sing import _core
from sing.networks.training import Floats, Layers

# Samples that are looked at, and ranges of labels that are told apart.
_MAX_SAMPLES = 2000
_NUM_RANGES = 4


def accuracy(layers: Layers, dataset: _core.Dataset) -> list[dict[str, Any]]:
    """For ranges of labels with about as many labels each: how many there are, and means of label, estimate and error.

    The error is |estimate - label|. Numbers are rounded, so that they can be kept in a file.
    """
    chosen = some_of(len(dataset))
    labels = dataset.labels[chosen]
    estimates = outputs(layers, dataset, chosen)[~np.isnan(labels)]
    labels = labels[~np.isnan(labels)]
    if not len(labels):
        return []
    edges = np.unique(np.quantile(labels, np.linspace(0, 1, _NUM_RANGES + 1), method="nearest"))
    rows = []
    for position, most in enumerate(edges[1:] if len(edges) > 1 else edges):
        within = (labels <= most) & ((labels > edges[position]) | (position == 0))
        found, told = labels[within], estimates[within]
        rows.append(
            {
                "least": round(float(found.min()), 2),
                "most": round(float(most), 2),
                "labels": len(found),
                "mean_label": round(float(found.mean()), 2),
                "mean_estimate": round(float(told.mean()), 2),
                "mean_error": round(float(np.abs(told - found).mean()), 2),
            }
        )
    return rows


def some_of(num_samples: int) -> npt.NDArray[np.int64]:
    """Positions of samples to look at, drawn at random: those of one search stand side by side."""
    return np.sort(np.random.default_rng(0).permutation(num_samples)[:_MAX_SAMPLES])


def outputs(layers: Layers, dataset: _core.Dataset, chosen: npt.NDArray[np.int64]) -> Floats:
    """What a network says about some of the samples; [samples, outputs]."""
    weights, biases = layers[0]
    offsets, inputs, coefficients = dataset.offsets, dataset.inputs, dataset.coefficients
    rows = np.tile(biases, (len(chosen), 1))
    for row, sample in enumerate(chosen):  # one at a time: all rows of weights together would not fit
        entries = slice(int(offsets[sample]), int(offsets[sample + 1]))
        factors = coefficients[entries, None] if len(coefficients) else np.float32(1)
        rows[row] += (factors * weights[inputs[entries]]).sum(axis=0)
    for weights, biases in layers[1:]:
        rows = np.maximum(rows, 0) @ weights + biases
    return rows
