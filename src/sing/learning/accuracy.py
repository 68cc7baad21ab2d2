"""How well a network estimates the labels that it was trained on."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from sing import _core
from sing.networks.training import Floats, Layers

# Samples that are looked at, and ranges of labels that are told apart.
_MAX_SAMPLES = 2000
_NUM_RANGES = 4
# Products that evaluating them takes, about a tenth of a second; wide states and networks have fewer samples.
_MAX_PRODUCTS = 32 << 20
# What finding an entry of an input vector takes, in products.
_PRODUCTS_PER_ENTRY = 16


def accuracy(layers: Layers, dataset: _core.Dataset) -> list[dict[str, Any]]:
    """For ranges of labels with about as many labels each: how many there are, and means of label, estimate and error.

    The error is |estimate - label|. Numbers are rounded, so that they can be kept in a file.
    """
    labels = dataset.labels
    estimates = outputs(layers, dataset)[~np.isnan(labels)]
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


def some_of(dataset: _core.Dataset, hidden: tuple[int, ...]) -> _core.Dataset:
    """Samples to look at, drawn at random: those of one search stand side by side."""
    later = sum(a * b for a, b in pairwise((*hidden, dataset.num_outputs)))
    products = dataset.num_entries / len(dataset) * (hidden[0] + _PRODUCTS_PER_ENTRY) + later
    count = min(_MAX_SAMPLES, len(dataset), max(1, int(_MAX_PRODUCTS / products)))
    return dataset.subset(
        np.sort(np.random.default_rng(0).choice(len(dataset), count, replace=False)).astype(np.uint32)
    )


def outputs(layers: Layers, dataset: _core.Dataset) -> Floats:
    """What a network says about every sample; [samples, outputs]."""
    weights, biases = layers[0]
    offsets, inputs, coefficients = dataset.offsets, dataset.inputs, dataset.coefficients
    rows = np.tile(biases, (len(dataset), 1))
    for row, (start, end) in enumerate(pairwise(offsets.tolist())):  # all rows of weights together would not fit
        factors = coefficients[start:end, None] if len(coefficients) else np.float32(1)
        rows[row] += (factors * weights[inputs[start:end]]).sum(axis=0)
    for weights, biases in layers[1:]:
        rows = np.maximum(rows, 0) @ weights + biases
    return rows
