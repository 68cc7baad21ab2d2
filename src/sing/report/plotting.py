"""Pictures of what was sampled and learned. Needs matplotlib, from the extra `bench`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from sing.base.errors import InputError
from sing.base.extras import how_to_install
from sing.base.files import write_bytes
from sing.samples.samples import Samples


def check_plot(path: str | Path) -> None:
    """Raise InputError where there is no matplotlib, or the name's ending is not of a picture we draw."""
    if find_spec("matplotlib") is None:
        raise InputError(f"plots need matplotlib; install it {how_to_install('bench')}")
    if _format(path) not in ("png", "svg", "pdf"):
        raise InputError(f"cannot draw a '{_format(path)}' file; name the plot .png, .svg or .pdf")


def _format(path: str | Path) -> str:
    return Path(path).suffix.removeprefix(".").lower() or "png"


def plot_labels(samples: Samples, path: str | Path) -> None:
    """Write a histogram of the labels, in the format of the file's ending (png where it has none)."""
    check_plot(path)
    from matplotlib.figure import Figure

    labels = samples.labels
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    deepest = int(labels.max(initial=0))
    edges = np.linspace(-0.5, deepest + 0.5, min(deepest + 1, 200) + 1)  # a bar a label, as long as one can see it
    axes.hist(labels, bins=edges.tolist(), color="#3b6ea5", histtype="stepfilled")
    axes.set(xlabel="label: steps from the goal", ylabel="samples")
    axes.set_title(f"{len(samples):,} samples: {samples.title}")
    write_bytes(path, lambda file: figure.savefig(file, format=_format(path), dpi=150), "plot")
