"""A plan as a picture: a strip with a row for each object, and a mark at each step that uses it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from sing.report.charts import COLORS, WIDTH, legend, svg

# Objects and columns at most: more cannot be told apart. Steps of longer plans share columns.
_MAX_OBJECTS, _MAX_COLUMNS = 40, 440
_ROW, _LETTER, _BOTTOM = 14.0, 6.6, 36.0


def strip(operators: Sequence[str]) -> tuple[str, str]:
    """The picture, and a note on what it leaves out; empty where no operator names an object."""
    steps = [name.split() for name in operators]
    uses = Counter(word for step in steps for word in set(step[1:]))
    if not uses:
        return "", ""
    chosen = {word for word, _ in uses.most_common(_MAX_OBJECTS)}
    # In the order of first use: what happens together then stands together.
    objects = list(dict.fromkeys(word for step in steps for word in step[1:] if word in chosen))
    schemas = list(dict.fromkeys(step[0] for step in steps))
    color_of = {schema: COLORS[number % len(COLORS)] for number, schema in enumerate(schemas)}
    left = min(180.0, 10 + _LETTER * max(map(len, objects)))
    per_column = -(-len(steps) // _MAX_COLUMNS)
    width = (WIDTH - left) / -(-len(steps) // per_column)
    names, height = legend(schemas)
    marks = []
    for row, word in enumerate(objects):
        y = height + row * _ROW
        marks.append(f'<text x="{left - 5:.1f}" y="{y + 11:.1f}" text-anchor="end">{escape(word)}</text>')
        marks.append(f'<line class="grid" x1="{left:.1f}" y1="{y + 7:.1f}" x2="{WIDTH:g}" y2="{y + 7:.1f}"/>')
    row_of = {word: row for row, word in enumerate(objects)}
    is_marked = set()
    for number, step in enumerate(steps):
        column = number // per_column
        for word in dict.fromkeys(step[1:]):
            if word in row_of and (word, column) not in is_marked:
                is_marked.add((word, column))
                x, y = left + column * width, height + row_of[word] * _ROW + 1
                marks.append(
                    f'<rect x="{x:.2f}" y="{y:.1f}" width="{max(width, 1):.2f}" height="{_ROW - 2:g}" '
                    f'fill="{color_of[step[0]]}"><title>{number + 1}: {escape(operators[number])}</title></rect>'
                )
    bottom = height + len(objects) * _ROW
    marks.append(f'<text class="faint" x="{left:.1f}" y="{bottom + 16:.1f}">step 1</text>')
    last = f'<text class="faint" x="{WIDTH:g}" y="{bottom + 16:.1f}" text-anchor="end">step {len(steps)}</text>'
    note = f"The {len(objects)} most used of {len(uses)} objects." if len(uses) > len(objects) else ""
    return svg([names, *marks, last], "objects over the steps of the plan", bottom + _BOTTOM), note
