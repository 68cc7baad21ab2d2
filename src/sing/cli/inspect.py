"""`sing inspect`: what a model file holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from sing.base.budget import LimitReached
from sing.base.files import shown_name
from sing.base.names import listed
from sing.cli.help import Command, complete_files
from sing.cli.options import limit_options
from sing.cli.session import exit_code_of, interruptible, say, start_budget
from sing.networks.model import Model

_INPUTS = {"boolean": "one bit per atom", "sas": "one number per variable"}


@click.command("inspect", cls=Command)
@click.argument("model_file", metavar="MODEL.onnx", shell_complete=complete_files)
@limit_options
def inspect_command(model_file: str, time_limit_s: float, memory_limit_bytes: int | None) -> int:
    """Show what a model file holds: search space, goal, size, how it was learned, and its accuracy on its samples."""
    budget = start_budget(time_limit_s, memory_limit_bytes)
    with interruptible(budget) as received:
        try:
            model = Model.load(model_file, budget)
        except LimitReached as limit:
            say(f"{limit.status.words} while reading the model")
            return exit_code_of(limit.status, received)
    formatter = click.HelpFormatter(max_width=100)
    formatter.write_text(shown_name(model_file))
    formatter.write_dl(list(_facts(model)))
    say(formatter.getvalue().rstrip())
    if rows := _entry(_entry(model.config, "learned", dict), "accuracy", list):
        click.echo("\n" + _accuracy(rows))
        if model.config.get("num_iterations"):
            click.echo("Value iteration went on with lower labels than these, so the estimates are below them.")
    return 0


def _facts(model: Model) -> Iterator[tuple[str, str]]:
    encoding = model.encoding
    yield "network", model.shape
    yield "space", f"{len(encoding.atoms):,} atoms: {_predicates(encoding.atoms)}; {_INPUTS[encoding.kind]}"
    if encoding.goal is None:
        yield "goal", "any"
    else:
        goal = [name.removeprefix("Atom ") for name in encoding.goal]
        yield "goal", f"{len(goal)} facts: {listed(goal)}"
    yield "outputs", "one for each goal" if model.has_voices else "one, the distance to the goal"
    if not model.version:
        yield "learned", "by another program"
        return
    yield "learned", f"by {model.config.get('name', '?')}, seed {model.seed}, sing {model.version}"
    learned = _entry(model.config, "learned", dict)
    if learned:
        iterations = model.config.get("num_iterations")
        after = f", then {iterations} iterations of value iteration" if iterations else ""
        loss = learned.get("validation_loss")
        told = f", validation loss {loss:.4f}" if isinstance(loss, float) else ""
        counts = ", ".join(f"{_text(learned.get(f'num_{name}'))} {name}" for name in ("samples", "epochs"))
        yield "training", f"{counts}{told}{after}"
    search = _entry(model.config, "search", dict)
    yield "search", ", ".join(f"{name} {_text(value)}" for name, value in search.items()) or "not said"


def _entry(config: dict[str, Any], name: str, kind: type) -> Any:
    """A part of what the file says about itself, empty where it is not there or is something else."""
    value = config.get(name)
    return value if isinstance(value, kind) else kind()


def _text(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value).lower()


def _predicates(atoms: tuple[str, ...]) -> str:
    """
    >>> _predicates(("Atom at(t1, p1)", "Atom at(t1, p2)", "Atom handempty()"))
    '2 at, 1 handempty'
    """
    counts = Counter(atom.removeprefix("Atom ").split("(")[0] for atom in atoms)
    return listed(f"{count:,} {name}" for name, count in counts.most_common())


def _accuracy(rows: list[dict[str, Any]]) -> str:
    """A table; the file may have been written by anyone."""
    lines = ["accuracy on its own samples; a label counts steps that lead to the goal:"]
    lines.append(f"{'labels':>15}{'samples':>10}{'mean label':>13}{'mean estimate':>16}{'mean error':>13}")
    for row in rows:
        try:
            span = f"{row['least']:g} to {row['most']:g}"
            means = f"{row['mean_label']:13.2f}{row['mean_estimate']:16.2f}{row['mean_error']:13.2f}"
            lines.append(f"{span:>15}{row['labels']:10,}{means}")
        except (KeyError, TypeError, ValueError):
            return "accuracy: not readable"
    return "\n".join(lines)
