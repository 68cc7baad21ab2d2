"""The planners: one protocol, fields that are all within reach, and members of any kind."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest
from puzzles import sliding_tiles, sliding_tiles_sas

import sing
from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.knobs import find, knobs, text_of
from sing.base.outcome import Status
from sing.networks.model import Model
from sing.planners.configs import CONFIGS
from sing.planners.context import Context
from sing.planners.heuristics import NamedHeuristic
from sing.planners.portfolio import Portfolio
from sing.planners.single import Config, config_of
from sing.samples.sampling import SamplingConfig
from sing.task.plan import execute

FEW = {"nsearches": 5, "nsamples": 20, "max_epochs": 2}
QUICK = CONFIGS["chorus"].override(first_generated=200, round_work=5000)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_every_planner_runs_in_the_same_way(config):
    """A task and a context in, attempts out; the last one has the plan."""
    if config.learning and not isinstance(config.learning.sampling, SamplingConfig):
        config = config.override(num_starts=20, max_epochs=2)
    elif config.learning or config.name == "sing-re":
        config = config.override(**FEW, **({"value_iteration.iterations": 1} if config.name == "shared" else {}))
    if config.name == "shared-gpu":
        config = config.override(device="cpu", hidden=(16,), iterations=2, iteration_samples=500)
    task = sliding_tiles(2)
    attempts = config.attempts(task, Context(Budget(60), seed=1))
    assert attempts[-1].status is Status.SOLVED
    execute(task, attempts[-1].plan)


@pytest.mark.parametrize("jobs", [1, 2])
def test_any_planner_can_be_a_member(jobs):
    members = (CONFIGS["blind"], QUICK, Portfolio("inner", "", (CONFIGS["ff"],)))
    task = sliding_tiles(3)
    attempts = Portfolio("mixed", "", members).attempts(task, Context(Budget(60), seed=1, jobs=jobs))
    assert attempts[-1].status is Status.SOLVED
    execute(task, attempts[-1].plan)


def test_members_take_turns_until_one_decides():
    unfinished = CONFIGS["chorus-control"].override(first_generated=1, round_work=1, growth=1.0)
    stopped = Budget(60)

    class Stopper(sing.Reporter):
        def done(self, phase: str, time_s: float, summary: str) -> None:
            if summary.startswith("chorus"):
                stopped.interrupt()

    portfolio = Portfolio("both", "", (unfinished, CONFIGS["ff"]))
    attempts = portfolio.attempts(sliding_tiles(5), Context(stopped, reporter=Stopper()))
    assert attempts[-1].status is Status.INTERRUPTED and not any(attempt.name == "ff" for attempt in attempts)
    attempts = Portfolio("both", "", (CONFIGS["ff"], unfinished)).attempts(sliding_tiles(3), Context(Budget(60)))
    assert [attempt.name for attempt in attempts] == ["ff"]


def test_a_portfolio_sets_fields_where_there_are_such():
    portfolio = Portfolio("mixed", "", (CONFIGS["chorus"], CONFIGS["sing"], CONFIGS["ff"]))
    changed = portfolio.override(hidden=(8,), nsearches=7, ties="fifo")
    chorus, learned, ff = changed.members
    assert chorus.training.hidden == learned.learning.training.hidden == (8,)
    assert learned.learning.sampling.nsearches == 7
    assert chorus.search.ties == learned.search.ties == ff.search.ties == "fifo"
    assert changed.name == "mixed hidden=8 nsearches=7 ties=fifo"
    assert portfolio.with_settings(["nsearches=7"]).members[1].learning.sampling.nsearches == 7
    with pytest.raises(InputError, match="has no field 'nothing'"):
        portfolio.override(nothing=1)
    with pytest.raises(InputError, match="it must be a whole number, 1 or more"):
        portfolio.override(nsearches=0.5)
    with pytest.raises(InputError, match="no members"):
        Portfolio("empty", "")


def test_whole_parts_can_be_replaced():
    sampling = SamplingConfig("ei", "rw", nsearches=3)
    assert CONFIGS["sing"].override(sampling=sampling).learning.sampling == sampling
    both = CONFIGS["sing"].override(sampling=sampling, nsamples=9).learning.sampling
    assert both == dataclasses.replace(sampling, nsamples=9)
    assert CONFIGS["chorus"].set({"voices": None}).voices is None


def test_names_and_paths_mean_the_same():
    one = CONFIGS["sing"].override(**{"heuristic.learning.sampling.nsearches": 3, "search.queues": ("h", "nh")})
    other = CONFIGS["sing"].with_settings(["nsearches=3", "queues=h,nh"])
    assert dataclasses.replace(one, name="") == dataclasses.replace(other, name="")


@pytest.mark.parametrize(
    ("name", "text", "path"),
    [
        ("chorus", "queues=h", "search.queues"),  # those of the first search need its name
        ("chorus", "first.queues=h", "first.queues"),
        ("shared", "learning_rate=0.5", "training.learning_rate"),
        ("shared", "value_iteration.learning_rate=0.5", "value_iteration.learning_rate"),
    ],
)
def test_a_name_that_several_parts_have_means_the_main_one(name, text, path):
    field, value = CONFIGS[name].parse(text)
    changed = CONFIGS[name].set({field: value})
    differ = [
        new.short_name
        for old, new in zip(knobs(CONFIGS[name]), knobs(changed), strict=True)
        if old.value != new.value and not new.is_part
    ]
    assert differ == [path]


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_every_field_is_within_reach_and_says_what_it_means(config):
    """From text too: setting a field to what it is changes nothing."""
    for planner in config.parts:
        for entry in knobs(planner):
            assert entry.meaning and find(planner, entry.short_name).path == entry.path
            if not entry.is_part or entry.value is None:
                changed = planner.with_settings([f"{entry.short_name}={text_of(entry.value)}"])
                assert dataclasses.replace(changed, name=planner.name) == planner


def test_every_field_of_a_configuration_is_a_knob():
    """Whoever adds a field must say what it means, or nobody could set it."""

    def parts(config):
        yield config
        for entry in knobs(config):
            if entry.is_part and entry.value is not None:
                yield entry.value

    for config in CONFIGS.values():
        for part in parts(config):
            named = {entry.path[-1] for entry in knobs(part) if len(entry.path) == 1}
            fields = {entry.name for entry in dataclasses.fields(part)}
            assert fields - named <= {"name", "description", "members"}, type(part)


@pytest.mark.parametrize("name", ["chorus", "shared", "sing-re", "ff"])
def test_the_command_line_lists_every_field(name):
    command = [sys.executable, "-m", "sing", "configs", name]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = " ".join(shown.split())
    for planner in CONFIGS[name].parts:
        for entry in knobs(planner):
            if not entry.is_part:
                assert f"{entry.short_name}={text_of(entry.value)} " in words
                assert entry.meaning.split(";")[0][:40] in words


def test_old_spellings_of_keys_still_load(tmp_path):
    task = tmp_path / "task.sas"
    task.write_text(sliding_tiles_sas(2))
    learned = sing.learn(task, config=CONFIGS["shared"].override(**FEW, **{"value_iteration.iterations": 1}), seed=1)
    old = {"queues": ["nh", "h", "ngh", "g", "*gd"], "ties": "random", "shorten_share": 0.1}
    model = dataclasses.replace(learned.model, config={"search": old})
    model.save(tmp_path / "old.onnx")
    config = config_of(Model.load(tmp_path / "old.onnx"))
    assert config.search.queues == ("nh", "h", "noh", "o", "*od") and config.shorten_share == 0.1
    assert sing.solve(task, model=tmp_path / "old.onnx").status is Status.SOLVED


def test_a_model_takes_the_place_of_learning(tmp_path):
    task = tmp_path / "task.sas"
    task.write_text(sliding_tiles_sas(2))
    model = sing.learn(task, config=CONFIGS["sing"].override(**FEW), seed=1).model
    result = sing.solve(task, config="sing", model=model)
    assert result.status is Status.SOLVED and result.num_samples == 0
    for name in ("ff", "sing-re"):
        with pytest.raises(InputError, match=f"'{name}' does not search with one learned heuristic"):
            sing.solve(task, config=name, model=model)
        with pytest.raises(InputError, match=f"'{name}' does not learn one heuristic"):
            sing.learn(task, config=name)


def test_only_what_is_random_is_asked_for_other_plans():
    assert CONFIGS["chorus"].is_random and CONFIGS["novelty"].is_random and CONFIGS["sing"].is_random
    assert not CONFIGS["ff"].is_random and CONFIGS["sing-re"].is_random
    assert Config("x", "", NamedHeuristic("ff")).override(ties="random").is_random
