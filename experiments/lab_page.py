"""One HTML page of a Lab experiment: coverage with the paper's beside it, plots, Lab's own tables, what failed."""

from __future__ import annotations

import base64
import csv
import json
import logging
import re
from collections import defaultdict
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from downward.reports import PlanningReport
from downward.reports.absolute import AbsoluteReport
from downward.reports.scatter import ScatterPlotReport
from lab_runs import FAILED, UNFINISHED, overhead
from records import machine

from sing.base.files import write_text
from sing.report import charts

# Attributes of Lab's tables.
_ATTRIBUTES = [
    "coverage", "error", "plan_length", "cost", "expansions", "evaluations", "generated", "initial_h_value",
    "search_time", "total_time", "learning_time", "translator_time", "planner_wall_clock_time", "memory",
    "num_restarts",
]  # fmt: skip
_SCATTERED = ("expansions", "plan_length", "total_time")
_PAPER_FILE = Path(__file__).parent / "data" / "paper-coverage.csv"
_PAPER_TASKS = 1328

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 14px; } th, td { padding: .15rem .6rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } thead th { border-bottom: 1px solid; vertical-align: bottom; }
tbody tr:nth-child(even) { background: #8881; } tr.sum td { border-top: 1px solid; font-weight: 600; }
.paper { opacity: .6; } .wide { overflow-x: auto; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); gap: 1rem; }
.plots img { width: 100%; background: white; }
iframe { width: 100%; height: 70vh; border: 1px solid #8886; background: white; }
"""


class PageReport(PlanningReport):
    """Makes Lab's own reports, and then the page that puts them together."""

    def __init__(self, experiment: str, title: str, plots: list[tuple[str, str]], **options: Any) -> None:
        super().__init__(attributes=["coverage"], **options)
        self._experiment = experiment
        self._title = title
        self._plots = plots

    def write(self) -> None:
        settings = json.loads(Path(self._experiment, "settings.json").read_text())
        order = [name for name in settings["algorithms"] if name in self.algorithms]
        sections = [
            _header(self._title, settings, list(self.runs.values()), overhead(self._experiment)),
            _coverage(self.runs, order),
            _over_time(self.runs, order),
            self._scatter_plots(order),
            _failures(list(self.runs.values())),
            self._lab_tables(order),
        ]
        body = "\n".join(sections)
        page = (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(self._title)}</title>'
            f'<meta name="viewport" content="width=device-width"><style>{_STYLE}{charts.STYLE}</style></head>'
            f"<body>{body}</body></html>\n"
        )
        write_text(self.outfile, page, "page")
        logging.info(f"Wrote file://{self.outfile}")

    def _scatter_plots(self, order: list[str]) -> str:
        images = []
        for first, second in self._pairs(order):
            for attribute in _SCATTERED:
                file = Path(self.eval_dir, f"{_slug(first)}-{_slug(second)}-{attribute}.png")
                report = ScatterPlotReport(
                    attributes=[attribute],
                    filter_algorithm=[first, second],
                    title=attribute.replace("_", " "),
                    matplotlib_options={"figure.figsize": [5, 5], "savefig.dpi": 80},
                )
                report(self.eval_dir, str(file))
                data = base64.b64encode(file.read_bytes()).decode()
                images.append(
                    f'<img alt="{escape(f"{attribute}: {first}, {second}")}" src="data:image/png;base64,{data}">'
                )
        if not images:
            return ""
        return (
            f'<h2>Task by task</h2><p>Points on the edge were not solved.</p><div class="plots">{"".join(images)}</div>'
        )

    def _pairs(self, order: list[str]) -> list[tuple[str, str]]:
        """Those that were asked for; the first seed stands for a planner. Pairs without a common plan show nothing."""
        named = {_planner(name): name for name in reversed(order)}
        pairs = [(named[a], named[b]) for a, b in self._plots if a in named and b in named]
        if not pairs and len(order) > 1:
            pairs = [(order[0], order[1])]
        return [
            pair for pair in pairs if all(any(self._is_solved(name, key) for key in self.problem_runs) for name in pair)
        ]

    def _is_solved(self, algorithm: str, task: tuple[str, str]) -> bool:
        run = self.runs.get((*task, algorithm))
        return bool(run and run["coverage"])

    def _lab_tables(self, order: list[str]) -> str:
        file = Path(self.eval_dir, "lab.html")
        AbsoluteReport(attributes=_ATTRIBUTES, filter_algorithm=order)(self.eval_dir, str(file))
        return (
            "<h2>Lab's tables</h2><p>Every attribute, by domain and by task.</p>"
            f'<iframe title="Lab\'s tables" srcdoc="{escape(file.read_text())}"></iframe>'
        )


def _planner(algorithm: str) -> str:
    return re.sub(r", seed \d+$", "", algorithm)


def _slug(name: str) -> str:
    return re.sub(r"\W+", "-", name).strip("-")


def _header(title: str, settings: dict[str, Any], runs: list[dict[str, Any]], overhead: float | None) -> str:
    where = machine()
    longer = f" Runs took {overhead:.1%} longer than the planners themselves." if overhead is not None else ""
    memory = ", ".join(f"{mib:,} MiB" for mib in sorted({run["memory_limit"] for run in runs}))
    return (
        f"<h1>{escape(title)}</h1><p>{len(settings['tasks'])} tasks, {len(settings['algorithms'])} planners, "
        f"{settings['time_limit_s']:g} s and {memory} each, translation included. Made with "
        f"{escape(where['processor'])}, {where['system']}, Python {where['python']}, sing {where['sing']}, "
        f"Fast Downward wheel {where['fast_downward']}.{longer}</p>"
    )


def coverage_counts(runs: dict[tuple[str, str, str], dict[str, Any]]) -> dict[tuple[str, str], float]:
    """Solved tasks by domain and planner, the mean over its seeds."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    seeds: dict[str, set[str]] = defaultdict(set)
    for (domain, _, algorithm), run in runs.items():
        counts[domain, _planner(algorithm)] += run["coverage"]
        seeds[_planner(algorithm)].add(algorithm)
    return {key: count / len(seeds[key[1]]) for key, count in counts.items()}


def _coverage(runs: dict[tuple[str, str, str], dict[str, Any]], order: list[str]) -> str:
    """Solved tasks by domain, and beside them what the paper solved of its own tasks of that name."""
    planners = [name for name, _ in groupby(order, key=_planner)]
    counts = coverage_counts(runs)
    tasks: dict[str, set[str]] = defaultdict(set)
    for domain, problem, _ in runs:
        tasks[domain].add(problem)
    num_tasks = sum(map(len, tasks.values()))
    totals = {planner: sum(counts.get((domain, planner), 0.0) for domain in tasks) for planner in planners}
    paper = _paper_numbers()
    columns = [planner for planner in planners if len(paper.get(planner, {})) > 1]

    def row(name: str, size: str, values: list[str], of_paper: list[str], kind: str = "") -> str:
        cells = "".join(f"<td>{value}</td>" for value in values)
        cells += "".join(f'<td class="paper">{value}</td>' for value in of_paper)
        return f'<tr class="{kind}"><td>{escape(name, quote=False)}</td><td>{size}</td>{cells}</tr>'

    rows = []
    for domain in sorted(tasks):
        values = [counts.get((domain, planner), 0.0) for planner in planners]
        shown = [f"<b>{_number(value)}</b>" if value == max(values) > 0 else _number(value) for value in values]
        rows.append(row(domain, str(len(tasks[domain])), shown, [_of_domain(paper[name], domain) for name in columns]))
    sums = [sum(int(_of_domain(paper[name], domain) or 0) for domain in tasks) for name in columns]
    rows.append(row("all", str(num_tasks), [_number(totals[name]) for name in planners], list(map(str, sums)), "sum"))
    rows.append(row("share", "", [f"{totals[name] / num_tasks:.0%}" for name in planners], [""] * len(columns)))
    note = ""
    if any(name in paper for name in planners):
        shares = [f"{paper[name]['total'] / _PAPER_TASKS:.0%}" if name in paper else "" for name in planners]
        rows.append(row("paper's share of all its tasks", "", shares, [""] * len(columns), "paper"))
        note = (
            f"<p>The paper's numbers are of its own tasks, {_PAPER_TASKS:,} of 46 domains, with 30 minutes and 8 GB. "
            "Domains are matched by name.</p>"
        )
    head = "".join(f"<th>{escape(name)}</th>" for name in planners)
    head += "".join(f'<th class="paper">paper:<br>{escape(name)}</th>' for name in columns)
    return (
        f'<h2>Solved</h2>{note}<div class="wide"><table id="coverage"><thead><tr><th>domain</th><th>tasks</th>{head}'
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _paper_numbers() -> dict[str, dict[str, int]]:
    """For each planner the tasks that the paper solved: in all, and by domain where it says so."""
    with _PAPER_FILE.open() as file:
        rows = list(csv.DictReader(file))
    planners = [name for name in rows[0] if name != "domain"]
    numbers = {name: {row["domain"]: int(row[name]) for row in rows if row[name]} for name in planners}
    return numbers | {"c2": numbers["sing"]}


def _of_domain(numbers: dict[str, int], domain: str) -> str:
    """The paper names domains without the year and kind that suites have in their names."""
    found = [name for name in numbers if domain == name or re.match(rf"{re.escape(name)}(-|\d|$)", domain)]
    return str(numbers[max(found, key=len)]) if found else ""


def _over_time(runs: dict[tuple[str, str, str], dict[str, Any]], order: list[str]) -> str:
    series = []
    for algorithm in order:
        times_s = sorted(run["total_time"] for key, run in runs.items() if key[2] == algorithm and "total_time" in run)
        if times_s:
            points = [(max(time_s, 0.01), number) for number, time_s in enumerate(times_s, start=1)]
            series.append(charts.Series(algorithm, points, is_stepped=True))
    if not series:
        return ""
    chart = charts.line_chart(series, "seconds, translation included", "tasks solved", x_log=True)
    return f"<h2>Solved over time</h2>{chart}"


def _failures(runs: list[dict[str, Any]]) -> str:
    failed = [run for run in runs if run["error"] in (FAILED, UNFINISHED)]
    if not failed:
        return "<h2>Failed</h2><p>No run failed.</p>"
    rows = "".join(
        f"<tr><td>{escape(run['algorithm'])}</td><td>{escape(run['domain'])}/{escape(run['problem'])}</td>"
        f"<td>{escape(_plain(run['unexplained_errors']))}</td><td>{escape(run['run_dir'])}</td></tr>"
        for run in sorted(failed, key=lambda run: run["id"])
    )
    return (
        f'<h2>Failed</h2><p>{len(failed)} runs have no result.</p><div class="wide"><table id="failed"><thead><tr>'
        f"<th>planner</th><th>task</th><th>why</th><th>folder</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _plain(errors: list[str]) -> str:
    """The reason we found; Lab adds what stands in the logs."""
    return errors[0].strip().splitlines()[-1]
