"""Beams as planners use them: for a first plan, for better ones, from the command line and with models."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from pddl import is_valid, write
from puzzles import sliding_tiles, sliding_tiles_sas

import sing
from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.planners.beams import Beams, better_plan, first_plan
from sing.planners.context import Context
from sing.planners.single import config_of
from sing.search.beam import BeamConfig
from sing.search.search import named_heuristic
from sing.task.plan import execute
from sing.translate import generators

SMALL = sing.CONFIGS["shared"].override(
    nsearches=50, nsamples=100, hidden=(16,), **{"value_iteration.iterations": 10, "value_iteration.nsearches": 5}
)


class Lines(Reporter):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def done(self, phase: str, time_s: float, summary: str) -> None:
        self.lines.append(f"{phase}: {summary}")


def beams_on(task, width=1, name="goalcount", jobs=1):
    reporter = Lines()
    context = Context(Budget(60.0, 2 << 30), 3, jobs, reporter)
    beams = Beams.of(task, lambda: named_heuristic(task, name), BeamConfig(width=width), context)
    return beams, reporter.lines


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    """Files of two 8-puzzles, and a model of their space."""
    family = generators.npuzzle(3, 3, count=2, seed=4)
    folder = tmp_path_factory.mktemp("space")
    files = [write(folder / str(i), family.domain, text) for i, text in enumerate(family.problems)]
    model = sing.learn(*files[0], config=SMALL, seed=1).model
    model.save(folder / "model.onnx")
    return files, model, folder / "model.onnx"


def test_a_beam_is_twice_as_wide_until_it_finds_a_plan():
    task = sliding_tiles(3)
    beams, lines = beams_on(task)
    result = first_plan(beams)
    assert result.status is Status.SOLVED
    execute(task, result.plan)
    widths = [int(re.search(r"width ([\d,]+)", line)[1].replace(",", "")) for line in lines]
    assert widths == [2**i for i in range(len(widths))] and len(widths) > 1
    assert all("no plan" in line for line in lines[:-1]) and f"{len(result.plan)} operators" in lines[-1]


def test_without_a_plan_beams_widen_until_they_have_seen_everything():
    task = sliding_tiles(2, swap_goal=True)
    beams, lines = beams_on(task)
    assert first_plan(beams).status is Status.UNSOLVABLE
    assert "everything seen" in lines[-1]


def test_a_last_beam_uses_up_the_work():
    task = sliding_tiles(3)
    beams, lines = beams_on(task, name="ff")
    result = better_plan(beams, 100, 10**6)
    assert len(lines) == 3 and "novel states first" in lines[1]
    assert len(result.plan) == 26  # the last beam is never full
    best = better_plan(beams_on(task)[0], 27, 10**6)
    assert len(best.plan) == 26
    assert better_plan(beams_on(task)[0], 26, 10**6) is None
    assert better_plan(beams_on(task)[0], 100, 1) is None


def test_threads_change_nothing():
    task = sliding_tiles(3)
    plans = {better_plan(beams_on(task, name="ff", jobs=jobs)[0], 1000, 10**5).plan for jobs in (1, 3)}
    assert len(plans) == 1


def test_each_other_plan_comes_from_a_wider_beam():
    task = sliding_tiles(3)
    beams, lines = beams_on(task, width=8)
    cost, costs = 1000, []
    while cost > 26:
        plan = beams.another(cost)
        if plan:
            assert execute(task, plan).cost < cost
            cost = len(plan)
            costs.append(cost)
    assert costs == sorted(costs, reverse=True)
    assert beams.width == 8 * 2 ** len(lines)


def test_a_narrowed_beam_says_so_and_another_seed_follows():
    task = sliding_tiles(4)
    beams, lines = beams_on(task, width=10**7)
    beams.budget = _Narrow(60.0)
    result = beams.run(max_work=20_000)
    assert result.width < 10**7
    assert f"narrowed to {result.width:,} by memory" in lines[0]
    width, seed = beams.width, beams.seed
    beams.budget = _Narrow(0.1)
    beams.another(1000)
    assert (beams.width, beams.seed) == (width, seed + 1)


class _Narrow(Budget):
    @property
    def remaining_bytes(self) -> int:
        return 20 << 20


def test_a_model_gives_a_first_plan_and_then_better_ones(space):
    files, model, _ = space
    config = config_of(model)
    assert config.improve_work == SMALL.improve_work > 0
    first = sing.solve(*files[1], config=config.first_only())
    better = sing.solve(*files[1], model=model)
    assert len(better.plan) <= len(first.plan)
    assert better.times_s["improve"] > 0 == first.times_s["improve"]
    assert (better.num_expanded, better.status) == (first.num_expanded, Status.SOLVED)
    assert is_valid(*files[1], better.plan.to_ipc())


def test_anytime_goes_on_with_wider_beams(space):
    files, model, _ = space
    costs = []
    config = config_of(model).override(improve_work=200)
    result = sing.solve(*files[1], config=config, time_limit_s=3, on_plan=lambda plan: costs.append(plan.cost))
    assert costs == sorted(set(costs), reverse=True)
    assert result.plan.cost == costs[-1]
    blind = sing.solve(*files[1], config="blind")
    assert len(result.plan) == len(blind.plan)


def solve(*arguments):
    command = [sys.executable, "-m", "sing", "solve", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_beams_from_the_command_line(space, tmp_path):
    files, _, model = space
    plan = tmp_path / "plan"
    options = ("--model", model, "--plan-file", plan)
    done = solve(*files[1], *options, "--search", "beam", "--width", 64, "--jobs", 2)
    assert done.returncode == 0, done.stderr
    assert re.search(r"beam +[\d.]+ s  width 64: \d+ operators", done.stdout)
    assert is_valid(*files[1], plan.read_text())
    assert "width 256" in solve(*files[1], *options).stdout
    first = solve(*files[1], *options, "--first")
    assert first.returncode == 0
    assert "width" not in first.stdout


def test_a_heuristic_by_name_searches_with_beams(tmp_path):
    task = tmp_path / "tiles.sas"
    task.write_text(sliding_tiles_sas(3))
    options = ("--plan-file", tmp_path / "plan", "--search", "beam", "--width", 0)
    done = solve(task, "--heuristic", "goalcount", *options)
    assert "as wide as memory allows: 26 operators" in done.stdout
    assert "have it: blind" in solve(task, *options).stderr  # a chorus has rounds of its own
    assert "not both" in solve(task, "--first", "--anytime").stderr


def test_widths_are_whole_numbers():
    with pytest.raises(InputError, match="width"):
        BeamConfig(width=-1)
    with pytest.raises(InputError, match="history"):
        BeamConfig(history=-1)
