"""Pictures of what was sampled and learned. Needs matplotlib, from the extra `bench`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from sing.errors import InputError
from sing.files import write_bytes
from sing.sampling import Samples


def check_plot(path: str | Path) -> None:
    """Raise InputError where there is no matplotlib, or it cannot draw a file of that name."""
    if find_spec("matplotlib") is None:
        raise InputError("plots need matplotlib; install it with: pip install 'sing-planner[bench]'")
    from matplotlib.backend_bases import FigureCanvasBase

    if _format(path) not in FigureCanvasBase.get_supported_filetypes():
        raise InputError(f"cannot draw a '{_format(path)}' file; name the plot .png or .svg")


def _format(path: str | Path) -> str:
    return Path(path).suffix.removeprefix(".").lower() or "png"


def plot_labels(samples: Samples, path: str | Path) -> None:
    """Write a histogram of the labels, in the format of the file's ending (png where it has none)."""
    check_plot(path)
    from matplotlib.figure import Figure

    labels = samples.labels
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    axes.hist(labels, bins=(np.arange(labels.max(initial=0) + 2) - 0.5).tolist(), color="#3b6ea5")
    config = samples.config
    axes.set(xlabel="label: steps from the goal", ylabel="samples")
    axes.set_title(f"{len(samples):,} samples: {config.space}, {config.strategy}, {config.collect}")
    write_bytes(path, lambda file: figure.savefig(file, format=_format(path), dpi=150), "plot")
