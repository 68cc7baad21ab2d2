"""One self-contained HTML page of a run."""

from __future__ import annotations

from html import escape

from sing.report import charts
from sing.report.boards import boards
from sing.report.charts import Series
from sing.report.record import RunRecord
from sing.report.strip import strip
from sing.run.results import SolveResult
from sing.task.plan import Plan

# Steps of a plan that are shown; a limit that keeps the page small.
_MAX_STEPS = 5000
_MAX_POINTS = 1500

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 960px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
p.outcome { font-size: 1.15rem; } .faint { opacity: .7; }
section { border: 1px solid #8885; border-radius: 8px; padding: 1rem 1.2rem; margin: 1rem 0; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(380px, 1fr)); gap: 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
td, th { padding: .2rem .7rem .2rem 0; text-align: left; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
th { font-weight: 600; border-bottom: 1px solid #8888; }
ol.plan { columns: 2 320px; font: 13px/1.6 ui-monospace, monospace; padding-left: 3.5rem; margin: 0; }
figure { margin: 0; } figcaption { font-size: 14px; opacity: .8; }
.boards { display: grid; grid-template-columns: repeat(auto-fill, minmax(180px, 1fr)); gap: 1rem; }
.boards figcaption { text-align: center; }
@media (max-width: 480px) { .pair { grid-template-columns: 1fr; } }
"""


def report_page(names: list[str], outcome: str, result: SolveResult, record: RunRecord) -> str:
    """The page as text. `names` are those of the files that were solved, `outcome` says how the run ended."""
    title = " ".join(names)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="outcome">{escape(outcome)}</p>',
        f'<p class="faint">{escape(_settings(result))}</p>',
        _time_shares(result),
        _phases(record),
        _costs(result),
        _searches(record),
        _learning(record),
        _estimates(record),
        _pictures(result.plan, record),
        _plan(result.plan),
        _numbers(result),
    ]
    body = "\n".join(part for part in parts if part)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}: sing</title><style>{_STYLE}{charts.STYLE}</style></head>\n"
        f"<body>{body}</body></html>\n"
    )


def _settings(result: SolveResult) -> str:
    memory_mib = result.peak_memory_kb >> 10
    return (
        f"config {result.config}, seed {result.seed}, {result.times_s['total']:.2f} s, peak memory {memory_mib:,} MiB"
    )


def _section(title: str, content: str, name: str, caption: str = "") -> str:
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<section id="{name}"><h2>{escape(title)}</h2><figure>{content}{below}</figure></section>'


def _time_shares(result: SolveResult) -> str:
    phases = [(name, seconds) for name, seconds in result.times_s.items() if name != "total" and seconds > 0]
    other_s = result.times_s["total"] - sum(seconds for _, seconds in phases)
    caption = "" if other_s >= 0 else "The sums over what ran side by side."
    bar = charts.share_bar([*phases, ("other", max(0.0, other_s))], "s")
    return _section("Where the time went", bar, "phases", caption)


def _phases(record: RunRecord) -> str:
    rows = "".join(
        f'<tr><td class="number">{phase.start_s:.2f}</td><td>{escape(phase.name)}</td>'
        f'<td class="number">{phase.time_s:.2f}</td><td>{escape(phase.summary)}</td></tr>'
        for phase in sorted(record.phases, key=lambda phase: phase.start_s)
    )
    head = '<tr><th class="number">from, s</th><th>phase</th><th class="number">for, s</th><th></th></tr>'
    return _section("What it did", f"<table>{head}{rows}</table>", "timeline") if rows else ""


def _searches(record: RunRecord) -> str:
    if not record.traces:
        return ""
    expanded, goals = [], []
    for name, trace in record.traces.items():
        moments = trace.moments
        counts = [(moment.time_s, moment.num_expanded) for moment in moments]
        expanded.append(Series(name or "all searches", [(0.0, 0.0), *counts]))
        fewest = [(moment.time_s, moment.fewest_open_goals) for moment in moments]
        goals.append(Series(name or "search", fewest, is_stepped=True))
    left = _section(
        "Expansions over time", charts.line_chart(expanded, "seconds", "states expanded"), "expansions",
        "Where it is flat, nothing is searched: translation, sampling and training.",
    )  # fmt: skip
    right = _section(
        "Goals still open", charts.line_chart(goals, "seconds", "open goals, at best"), "goals",
        "The fewest that any state of the search under way leaves open. A new search starts anew.",
    )  # fmt: skip
    return f'<div class="pair">{left}{right}</div>'


def _costs(result: SolveResult) -> str:
    """How the plan became cheaper, where there are several."""
    if len(result.costs) < 2:
        return ""
    end_s = result.times_s["total"]
    series = [Series("cheapest plan", [*result.costs, (end_s, result.costs[-1][1])], is_stepped=True)]
    if result.lower_bound:
        series.append(
            Series("no plan costs less", [(result.costs[0][0], result.lower_bound), (end_s, result.lower_bound)])
        )
    caption = "Each plan found; the last one is proved cheapest." if result.is_optimal else "Each plan found."
    return _section("Cost over time", charts.line_chart(series, "seconds", "cost"), "costs", caption)


def _learning(record: RunRecord) -> str:
    """Of the last network, where there was one."""
    which = f"Of the last of {record.num_networks} networks. " if record.num_networks > 1 else ""
    parts = []
    if record.bars:
        chart = charts.histogram(record.bars, "label: steps from the goal", "labels")
        caption = f"{which}{record.num_labels:,} labels: what the network was told of how far states are from the goal."
        parts.append(_section("Labels", chart, "labels", caption))
    if record.losses:
        epochs = range(1, len(record.losses) + 1)
        series = [
            Series("training", [(epoch, loss) for epoch, (loss, _) in zip(epochs, record.losses, strict=True)]),
            Series("validation", [(epoch, loss) for epoch, (_, loss) in zip(epochs, record.losses, strict=True)]),
        ]
        caption = f"{which}Validation is on samples that the training did not see."
        parts.append(_section("Loss", charts.line_chart(series, "epoch", "loss"), "loss", caption))
    return f'<div class="pair">{"".join(parts)}</div>' if parts else ""


def _estimates(record: RunRecord) -> str:
    if not record.estimates:
        return ""
    length = len(record.estimates) - 1
    stride = max(1, len(record.estimates) // _MAX_POINTS)
    points = [(step, h) for step, h in enumerate(record.estimates) if h is not None and step % stride == 0]
    series = [Series("estimate h", points), Series("steps left in this plan", [(0, length), (length, 0)])]
    caption = "Where the estimate rises along the plan, the search had to climb."
    return _section("Estimates along the plan", charts.line_chart(series, "step", "h"), "estimates", caption)


def _pictures(plan: Plan | None, record: RunRecord) -> str:
    if plan is None or not plan.operators:
        return ""
    parts = []
    if drawn := boards(record.states):
        caption = "Some states along the plan, from its start to the goal."
        parts.append(_section("The boards", f'<div class="boards">{drawn}</div>', "boards", caption))
    picture, note = strip(plan.operators)
    if picture:
        caption = f"A row for each object, a mark at each step whose operator names it. {note}"
        parts.append(_section("Objects over steps", picture, "strip", caption.strip()))
    return "\n".join(parts)


def _plan(plan: Plan | None) -> str:
    if plan is None:
        return ""
    items = "".join(f"<li>{escape(name)}</li>" for name in plan.operators[:_MAX_STEPS])
    more = len(plan) - _MAX_STEPS
    note = f"And {more:,} more; the plan file has them all." if more > 0 else ""
    return _section(
        f"The plan: {len(plan)} operators, cost {plan.cost}", f'<ol class="plan">{items}</ol>', "plan", note
    )


def _numbers(result: SolveResult) -> str:
    values = {name: value for name, value in result.to_json().items() if isinstance(value, (str, int, float))}
    rows = "".join(f"<tr><td>{escape(name)}</td><td>{escape(str(value))}</td></tr>" for name, value in values.items())
    return f'<details id="numbers"><summary>All numbers, as in --json</summary><table>{rows}</table></details>'
