"""Charts as SVG text for pages of ours: small, self-contained, drawn in the colours of the page around them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

# Of every chart, in its own units; pages scale it to their width.
WIDTH, _HEIGHT = 520.0, 260.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 60.0, 14.0, 12.0, 46.0
# Of lists of names, in columns above or below what they name: how high a line is, and how wide a letter.
_LINE, _LETTER = 20, 6.6
# Distinguishable for most eyes, on white and on black.
COLORS = ("#2f7ed8", "#e4761b", "#2ca06c", "#b657c9", "#c9a300", "#d64550", "#17a2b8", "#8c6d4f")

# For the page that holds charts: without it they have no text.
STYLE = """
.chart { display: block; width: 100%; max-width: 720px; height: auto; font: 13px system-ui, sans-serif; }
.chart text { fill: currentColor; } .chart .faint { opacity: .65; }
.chart .grid { stroke: currentColor; opacity: .15; } .chart .axis { stroke: currentColor; opacity: .5; }
.chart .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.board { width: 100%; height: auto; font: 600 10px system-ui, sans-serif; } .board text { fill: #fff; }
"""

Point = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """Points with a name; `is_stepped` holds a value until the next."""

    name: str
    points: Sequence[Point]
    is_stepped: bool = False


def line_chart(series: Sequence[Series], x_label: str, y_label: str, *, x_log: bool = False) -> str:
    """Lines over a common axis; y begins at 0, or below where values do. Names are listed where there are several."""
    points = [point for one in series for point in one.points]
    x_axis = _Axis([x for x, _ in points], _LEFT, WIDTH - _RIGHT, is_log=x_log)
    y_axis = _Axis([0.0, *(y for _, y in points)], _HEIGHT - _BOTTOM, _TOP)
    parts = [_frame(x_axis, y_axis, x_label, y_label)]
    for number, one in enumerate(series):
        color = COLORS[number % len(COLORS)]
        path = " ".join(f"{x_axis.at(x):.1f},{y_axis.at(y):.1f}" for x, y in _stepped(one))
        parts.append(f'<polyline class="line" stroke="{color}"{_dashes(number)} points="{path}"/>')
        if len(one.points) <= 60:
            parts += [
                f'<circle cx="{x_axis.at(x):.1f}" cy="{y_axis.at(y):.1f}" r="3" fill="{color}">'
                f"<title>{escape(one.name)}: {_text(x)}, {_text(y)}</title></circle>"
                for x, y in one.points
            ]
    label = f"{y_label} over {x_label}"
    if len(series) == 1:
        return svg(parts, label)
    names, height = legend([one.name for one in series])
    return svg([names, f'<g transform="translate(0 {height})">', *parts, "</g>"], label, _HEIGHT + height)


def histogram(bars: Sequence[tuple[float, float, float]], x_label: str, y_label: str) -> str:
    """Bars of (left, right, height)."""
    x_axis = _Axis([edge for left, right, _ in bars for edge in (left, right)], _LEFT, WIDTH - _RIGHT, is_tight=True)
    y_axis = _Axis([0.0, *(height for _, _, height in bars)], _HEIGHT - _BOTTOM, _TOP)
    parts = [_frame(x_axis, y_axis, x_label, y_label)]
    for left, right, height in bars:
        x, top = x_axis.at(left), y_axis.at(height)
        width = max(0.5, x_axis.at(right) - x - 0.5)
        parts.append(
            f'<rect x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" height="{y_axis.at(0) - top:.1f}" fill="{COLORS[0]}">'
            f"<title>{_text(left)} to {_text(right)}: {_text(height)}</title></rect>"
        )
    return svg(parts, f"{y_label} by {x_label}")


def share_bar(shares: Sequence[tuple[str, float]], unit: str) -> str:
    """One bar, divided; each part with its name, its value and its share below."""
    total = sum(value for _, value in shares)
    x, parts, labels = 0.0, [], []
    for number, (name, value) in enumerate(shares):
        width = WIDTH * value / total if total > 0 else 0.0
        color = COLORS[number % len(COLORS)]
        label = f"{name} {value:.2f} {unit} ({value / total if total > 0 else 0:.0%})"
        parts.append(
            f'<rect x="{x:.1f}" y="0" width="{width:.1f}" height="34" fill="{color}">'
            f"<title>{escape(label)}</title></rect>"
        )
        labels.append(label)
        x += width
    names, height = legend(labels)
    return svg([*parts, f'<g transform="translate(0 44)">{names}</g>'], "shares", 44 + height)


class _Axis:
    """Maps values to places between two ends, and knows where ticks belong."""

    def __init__(
        self, values: Sequence[float], start: float, end: float, *, is_log: bool = False, is_tight: bool = False
    ) -> None:
        self._is_log = is_log
        self._start, self._end = start, end
        shown = [value for value in map(self._scale, values) if math.isfinite(value)] or [0.0]
        least, most = min(shown), max(shown)
        if is_log:
            least, most = math.floor(least), max(math.ceil(most), math.floor(least) + 1)
            self.ticks = [10.0**power for power in range(least, most + 1)]
        else:
            step = _nice_step((most - least) or 1.0)
            if not is_tight:
                least, most = step * math.floor(least / step), step * math.ceil(most / step)
            most = most if most > least else least + step
            first = math.ceil(least / step)
            self.ticks = [step * number for number in range(first, math.floor(most / step + 1e-9) + 1)]
        self._least, self._most = least, most

    def _scale(self, value: float) -> float:
        if not self._is_log:
            return value
        return math.log10(value) if value > 0 else -math.inf

    def at(self, value: float) -> float:
        share = (self._scale(value) - self._least) / (self._most - self._least)
        return self._start + min(1.0, max(0.0, share)) * (self._end - self._start)


def _nice_step(span: float) -> float:
    """A step of 1, 2 or 5 times a power of ten, for four to ten ticks.

    >>> _nice_step(23), _nice_step(0.4)
    (5.0, 0.1)
    """
    power = 10.0 ** math.floor(math.log10(span / 4))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if span / (factor * power) <= 8)


def _stepped(series: Series) -> list[Point]:
    if not series.is_stepped:
        return list(series.points)
    path: list[Point] = []
    for x, y in series.points:
        if path:
            path.append((x, path[-1][1]))
        path.append((x, y))
    return path


def _frame(x_axis: _Axis, y_axis: _Axis, x_label: str, y_label: str) -> str:
    left, right, top, bottom = _LEFT, WIDTH - _RIGHT, _TOP, _HEIGHT - _BOTTOM
    parts = []
    for tick in y_axis.ticks:
        y = y_axis.at(tick)
        parts.append(f'<line class="grid" x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{left - 7}" y="{y + 4:.1f}" text-anchor="end">{_text(tick)}</text>')
    for tick in x_axis.ticks:
        x = x_axis.at(tick)
        parts.append(f'<line class="axis" x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 4}"/>')
        anchor = "end" if x > right - 10 else "middle"
        parts.append(f'<text x="{x:.1f}" y="{bottom + 17}" text-anchor="{anchor}">{_text(tick)}</text>')
    parts.append(f'<path class="axis" fill="none" d="M{left} {top}V{bottom}H{right}"/>')
    middle = (left + right) / 2
    parts.append(f'<text class="faint" x="{middle}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(x_label)}</text>')
    turn = f'transform="translate(13 {(top + bottom) / 2}) rotate(-90)"'
    parts.append(f'<text class="faint" {turn} text-anchor="middle">{escape(y_label)}</text>')
    return "".join(parts)


def _dashes(number: int) -> str:
    """Lines beyond the number of colours are dashed, so that they can still be told apart."""
    return f' stroke-dasharray="{2 + 4 * (number // len(COLORS))} 4"' if number >= len(COLORS) else ""


def legend(names: Sequence[str]) -> tuple[str, float]:
    """Names with their colours in as many columns as there is room for, and how high the list is."""
    columns = min(3, max(1, int(WIDTH / (24 + _LETTER * max(map(len, names), default=0)))))
    parts = []
    for number, name in enumerate(names):
        x, y = number % columns * WIDTH / columns, number // columns * _LINE + 2
        color = COLORS[number % len(COLORS)]
        dashes = _dashes(number)
        parts.append(f'<path stroke="{color}" stroke-width="9"{dashes} d="M{x:.1f} {y + 6}h12"/>')
        parts.append(f'<text x="{x + 17:.1f}" y="{y + 10}">{escape(name)}</text>')
    return f'<g class="legend">{"".join(parts)}</g>', math.ceil(len(names) / columns) * _LINE


def svg(parts: Sequence[str], label: str, height: float = _HEIGHT) -> str:
    inside = "".join(parts)
    return (
        f'<svg class="chart" role="img" aria-label="{escape(label)}" viewBox="0 0 {WIDTH:g} {height:g}">{inside}</svg>'
    )


def _text(value: float) -> str:
    """
    >>> _text(1200000.0), _text(0.25), _text(3.0)
    ('1.2M', '0.25', '3')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            divisor = 1e3 if letter == "k" else size
            return f"{value / divisor:.4g}{letter}"
    return f"{value:.4g}"
