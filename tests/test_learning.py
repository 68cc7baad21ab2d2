"""The whole pipeline: every configuration from PDDL to a plan, limits in every phase, both trainers."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import threading

import pytest
from clocks import Clock
from pddl import ERRANDS, ERRANDS_PROBLEM, UNSOLVABLE_PROBLEM, is_valid, write
from puzzles import sliding_tiles, sliding_tiles_sas

import sing
from sing import Budget, Config, Portfolio, Status
from sing.base.budget import LimitReached
from sing.base.errors import InputError, NothingLearnedError
from sing.base.reporter import Reporter
from sing.learning import learn
from sing.networks.train import train
from sing.planners.configs import CONFIGS
from sing.samples.sampling import SamplingConfig
from sing.translate import generators

LEARNED = [c for c in CONFIGS.values() if isinstance(c, Portfolio) or (isinstance(c, Config) and c.learning)]


class Recorder(Reporter):
    def __init__(self):
        self.phases: list[tuple[str, str]] = []
        self.news: dict[str, list[str]] = {}

    def working(self, phase, news=""):
        self.news.setdefault(phase, []).append(news)

    def done(self, phase, time_s, summary):
        self.phases.append((phase, summary))


@pytest.fixture(scope="module")
def errands(tmp_path_factory):
    return write(tmp_path_factory.mktemp("errands"), ERRANDS, ERRANDS_PROBLEM)


@pytest.fixture(scope="module")
def large_puzzle(tmp_path_factory):
    """A SAS file of a puzzle that no configuration here solves."""
    path = tmp_path_factory.mktemp("large") / "puzzle.sas"
    path.write_text(sliding_tiles_sas(6))
    return path


@pytest.mark.parametrize("files", ["errands", "puzzle"])
@pytest.mark.parametrize("config", LEARNED, ids=lambda config: config.name)
def test_every_configuration_finds_a_valid_plan(request, files, config):
    domain, problem = request.getfixturevalue(files)
    learning = config.learning
    if learning is None or isinstance(learning.sampling, SamplingConfig):  # None: a portfolio of such members
        small = config.override(nsearches=20, nsamples=50, max_epochs=5)
    else:
        small = config.override(num_starts=50, max_steps=30, max_epochs=5)
    if isinstance(config, Config) and config.learning.value_iteration.iterations:
        small = small.override(**{"value_iteration.iterations": 5, "value_iteration.nsearches": 2})
    result = sing.solve(domain, problem, config=small, seed=1)
    assert result.status is Status.SOLVED
    assert is_valid(domain, problem, result.plan.to_ipc())
    assert result.num_samples > 0 and result.num_epochs > 0 and result.validation_error > 0
    assert result.initial_estimate is not None


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_portfolio_runs_its_members(puzzle, jobs, monkeypatch):
    """Members that run side by side wait for each other behind their samples: none is done before another begins."""
    config = CONFIGS["sing-re"].override(nsearches=20, nsamples=50, max_epochs=5)
    recorder, train = Recorder(), learn.train
    all_sampled = threading.Barrier(jobs)

    def wait_and_train(*arguments, **options):
        all_sampled.wait(timeout=60)
        return train(*arguments, **options)

    monkeypatch.setattr(learn, "train", wait_and_train)
    result = sing.solve(*puzzle, config=config, seed=1, jobs=jobs, reporter=recorder)
    assert result.status is Status.SOLVED
    assert result.solved_by in [member.name for member in config.members]
    started = {summary.split(":")[0] for phase, summary in recorder.phases if phase == "sample"}
    assert started == {member.name for member in config.members[: 1 if jobs == 1 else 2]}


def test_members_of_a_portfolio_all_have_their_turn(large_puzzle):
    """None can solve this one."""
    config = CONFIGS["sing-re"].override(nsearches=2, nsamples=5, max_epochs=1)
    recorder = Recorder()
    result = sing.solve(large_puzzle, config=config, seed=1, budget=Budget(0.3, clock=Clock()), reporter=recorder)
    assert result.status is Status.OUT_OF_TIME
    assert [phase for phase, _ in recorder.phases] == ["translate", *("sample", "train", "search") * 2]
    names = [summary.split(":")[0] for _, summary in recorder.phases[1:]]
    assert names == [config.members[0].name] * 3 + [config.members[1].name] * 3


def test_members_of_a_portfolio_share_the_time_that_is_left(large_puzzle, monkeypatch):
    clock, shares = Clock(), []

    def record(*_, budget, **__):
        shares.append(budget.remaining_s)
        clock.now_s += 30  # of the 50 seconds that the first one has
        raise LimitReached(Status.OUT_OF_TIME)

    monkeypatch.setattr("sing.planners.heuristics.learn_model", record)
    result = sing.solve(large_puzzle, config="sing-re", budget=Budget(100, clock=clock))
    assert result.status is Status.OUT_OF_TIME and shares == [50, 70]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_unsolvable_task_is_proved_so(tmp_path, jobs):
    files = write(tmp_path, ERRANDS, UNSOLVABLE_PROBLEM)
    config = CONFIGS["sing-re"].override(nsearches=5, nsamples=10)
    assert sing.solve(*files, config=config, jobs=jobs).status is Status.UNSOLVABLE


def test_a_constant_network_is_no_model(large_puzzle, monkeypatch):
    def constant(*arguments, **options):
        return dataclasses.replace(train(*arguments, **options), is_constant=True)

    monkeypatch.setattr("sing.learning.learn.train", constant)
    with pytest.raises(NothingLearnedError, match="one estimate for all states"):
        sing.learn(large_puzzle, config=CONFIGS["sing"].override(nsearches=5, nsamples=20, max_epochs=1))


def test_where_nothing_can_be_sampled_the_search_goes_on_without(tmp_path):
    """No operator makes the goal true, so backward search has nowhere to go."""
    sas = tmp_path / "t.sas"
    lines = ["begin_version", 3, "end_version", "begin_metric", 0, "end_metric", 2]
    for atom in "pq":
        lines += ["begin_variable", atom, -1, 2, f"Atom {atom}()", f"NegatedAtom {atom}()", "end_variable"]
    lines += ["0", "begin_state", 1, 1, "end_state", "begin_goal", 1, "0 0", "end_goal", 1]
    lines += ["begin_operator", "a", 0, 1, "0 1 1 0", 1, "end_operator", 0]
    sas.write_text("\n".join(map(str, lines)))
    recorder = Recorder()
    result = sing.solve(sas, config="sing", reporter=recorder)
    assert result.status is Status.UNSOLVABLE
    assert any("searching with goalcount instead" in summary for _, summary in recorder.phases)
    with pytest.raises(NothingLearnedError):
        sing.learn(sas)


# What would take hours.
SLOW = {
    "sampling": {"nsearches": 10**6, "nsamples": 1000},
    "training": {"hidden": (512,) * 4, "max_epochs": 10**6, "patience": 10**6},
    "training a wide network": {"hidden": (1500,) * 2, "nsearches": 50},
    "training large batches": {"hidden": (1024,) * 4, "batch_size": 10**6},
    "search": {"nsearches": 5, "nsamples": 5},
}


@pytest.mark.parametrize("phase", SLOW)
def test_a_phase_that_cannot_finish_leaves_the_others_their_time(large_puzzle, phase):
    recorder = Recorder()
    config = CONFIGS["sing"].override(**SLOW[phase])
    result = sing.solve(large_puzzle, config=config, budget=Budget(0.8, clock=Clock()), reporter=recorder)
    assert result.status is Status.OUT_OF_TIME
    assert result.num_expanded > 0
    assert [name for name, _ in recorder.phases] == ["translate", "sample", "train", "search"]


def test_a_network_too_large_to_train_in_time_is_left_alone(large_puzzle):
    recorder = Recorder()
    config = CONFIGS["sing"].override(hidden=(4096,) * 2, nsearches=5)
    result = sing.solve(large_puzzle, config=config, budget=Budget(0.5, clock=Clock()), reporter=recorder)
    assert result.status is Status.OUT_OF_TIME and result.num_expanded > 0
    assert any("no time to train" in summary for _, summary in recorder.phases)


def shares_of_phases(monkeypatch, learning, *, search_follows):
    """What each phase of learning may take of 120 s, where the sampling takes 20 of them and the training 4."""
    clock, shares = Clock(), {}

    def record(owner, name, takes_s):
        function = getattr(owner, name)

        def recorded(*arguments, budget, **options):
            shares[name] = pytest.approx(budget.remaining_s)
            result = function(*arguments, budget=Budget(), **options)
            clock.now_s += takes_s
            return result

        monkeypatch.setattr(owner, name, recorded)

    record(SamplingConfig, "sample", 20)
    record(learn, "train", 4)
    record(learn, "iterate_values", 0)
    learn.learn_model(
        sliding_tiles(2), learning, {}, seed=1, jobs=1, budget=Budget(120, clock=clock), reporter=Reporter(),
        search_follows=search_follows,
    )  # fmt: skip
    return shares


BRIEF = CONFIGS["shared"].override(nsearches=5, nsamples=5, max_epochs=1, hidden=(4,))
WITHOUT_ITERATIONS = BRIEF.override(**{"value_iteration.iterations": 0}).learning
WITH_ITERATIONS = BRIEF.override(**{"value_iteration.iterations": 1, "value_iteration.nsearches": 1}).learning


def test_phases_have_their_shares_of_the_time_that_is_left(monkeypatch):
    shares = shares_of_phases(monkeypatch, WITHOUT_ITERATIONS, search_follows=True)
    assert shares == {"sample": 120 / 4, "train": 100 / 3}


def test_value_iteration_has_what_the_first_training_leaves(monkeypatch):
    shares = shares_of_phases(monkeypatch, WITH_ITERATIONS, search_follows=True)
    assert shares == {"sample": 120 / 4, "train": 100 / 3 / 4, "iterate_values": 100 / 3 - 4}


def test_learning_has_all_the_time_where_no_search_follows(monkeypatch):
    shares = shares_of_phases(monkeypatch, WITH_ITERATIONS, search_follows=False)
    assert shares == {"sample": 120 / 2, "train": 100 / 4, "iterate_values": 100 - 4}


def test_a_model_that_is_kept_needs_time_to_be_written(monkeypatch):
    monkeypatch.setattr(learn, "_KEEPING_S_PER_WEIGHT", 0.1)
    num_weights = 16 * 4 + 4
    assert shares_of_phases(monkeypatch, WITHOUT_ITERATIONS, search_follows=False)["train"] == 100 - 0.1 * num_weights
    assert shares_of_phases(monkeypatch, WITHOUT_ITERATIONS, search_follows=True)["train"] == 100 / 3


@pytest.mark.parametrize(
    ("learn_time_s", "search_follows", "time_s"), [(40, True, 40), (40, False, 40), (90, True, 60), (500, False, 120)]
)
def test_a_time_to_learn_is_used_up_to_half_of_what_a_search_needs_too(
    monkeypatch, learn_time_s, search_follows, time_s
):
    learning = dataclasses.replace(WITHOUT_ITERATIONS, learn_time_s=float(learn_time_s))
    shares = shares_of_phases(monkeypatch, learning, search_follows=search_follows)
    assert shares == {"sample": time_s / 2, "train": time_s - 20}


@pytest.mark.parametrize("options", [{}, {"hidden": (1024,) * 4, "batch_size": 16384}, {"hidden": (1500, 1500)}])
def test_the_memory_limit_holds_while_learning(tmp_path, options):
    """In a process of its own, whose peak is its own."""
    family = generators.npuzzle(5, 5, seed=1)
    domain, problem = write(tmp_path, family.domain, family.problems[0])
    code = (
        "import sys, sing; from sing.base.budget import peak_memory_kb; "
        f"sing.solve(sys.argv[1], sys.argv[2], config=sing.CONFIGS['sing'].override(**{options!r}), "
        "time_limit_s=4, memory_limit_bytes=256 << 20); print(peak_memory_kb())"
    )
    done = subprocess.run([sys.executable, "-c", code, domain, problem], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 256 << 10


@pytest.mark.parametrize("phase", ["sample", "train", "search"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupting_ends_a_run_in_any_phase(large_puzzle, phase, jobs):
    budget = Budget()

    class Impatient(Reporter):
        def working(self, name, news=""):
            if name == phase and news:
                budget.interrupt()

    options = {"sample": SLOW["sampling"], "train": SLOW["training"]}.get(phase, SLOW["search"])
    num_threads = threading.active_count()
    config = CONFIGS["sing-re"].override(**options)
    result = sing.solve(large_puzzle, config=config, budget=budget, jobs=jobs, reporter=Impatient())
    assert result.status is Status.INTERRUPTED
    assert threading.active_count() == num_threads


def test_a_task_without_atoms_is_searched_without_learning(tmp_path):
    sas = tmp_path / "t.sas"
    text = "begin_version 3 end_version begin_metric 0 end_metric 1 begin_variable v -1 2 off on end_variable 0"
    text += " begin_state 0 end_state begin_goal 1"
    lines = [
        *text.split(),
        "0 1",
        "end_goal",
        "1",
        "begin_operator",
        "switch",
        "0",
        "1",
        "0 0 0 1",
        "1",
        "end_operator",
        "0",
    ]
    sas.write_text("\n".join(lines))
    assert sing.solve(sas, config="sing").status is Status.SOLVED
    for name in ("sing-l", "c3"):
        recorder = Recorder()
        assert sing.solve(sas, config=name, reporter=recorder).status is Status.SOLVED
    assert "train" in dict(recorder.phases)  # numbers of values need no names
    with pytest.raises(NothingLearnedError, match="no atoms"):
        sing.learn(sas)


def test_a_memory_limit_that_thins_out_the_samples_gives_the_same_model(puzzle, monkeypatch):
    config = CONFIGS["sing"].override(nsearches=20, max_epochs=2)
    whole = sing.learn(*puzzle, config=config).learned
    monkeypatch.setattr("sing.learning.learn._LIMIT_BYTES_PER_ENTRY", 1 << 20)
    files = set()
    for _ in range(2):
        learned = sing.learn(*puzzle, config=config, memory_limit_bytes=6 << 30).learned
        files.add(learned.model.to_bytes())
        assert learned.training.num_samples < whole.training.num_samples
        ballast = bytearray(10**7)  # what the process holds must make no difference
    assert len(files) == 1 and len(ballast)


@pytest.mark.parametrize(
    ("phase", "news"),
    [("sample", "samples"), ("train", "validation"), ("search", "best h")],
)
def test_progress_is_told_in_every_phase(large_puzzle, phase, news):
    """A phase that would go on for ever is interrupted when it tells of itself."""
    budget = Budget()

    class Listener(Recorder):
        def working(self, name, text=""):
            super().working(name, text)
            if name == phase and news in text:
                budget.interrupt()

    slow = {"sample": SLOW["sampling"], "train": {**SLOW["training"], "hidden": (16,)}, "search": SLOW["search"]}
    listener = Listener()
    result = sing.solve(large_puzzle, config=CONFIGS["sing"].override(**slow[phase]), budget=budget, reporter=listener)
    assert result.status is Status.INTERRUPTED and news in listener.news[phase][-1]


def test_what_phases_have_done_is_told(puzzle):
    recorder = Recorder()
    sing.solve(*puzzle, config=CONFIGS["sing"].override(nsearches=20, nsamples=50), seed=1, reporter=recorder)
    told = dict(recorder.phases)
    assert "1,000 samples" in told["sample"]
    assert "epochs" in told["train"] and "validation loss" in told["train"]
    assert "expanded" in told["search"] and "best h" in told["search"]


def test_learning_and_solving_apart_is_the_same_as_together(puzzle, tmp_path):
    config = CONFIGS["sing"].override(nsearches=20, nsamples=50)
    together = sing.solve(*puzzle, config=config, seed=3)
    learned = sing.learn(*puzzle, config=config, seed=3)
    learned.model.save(tmp_path / "m.onnx")
    apart = sing.solve(*puzzle, model=tmp_path / "m.onnx", seed=3)
    assert apart.plan == together.plan
    assert (apart.initial_estimate, apart.num_expanded) == (together.initial_estimate, together.num_expanded)
    assert apart.num_samples == 0 and apart.times_s["train"] == 0


def test_learning_within_a_time_limit_gives_a_model(large_puzzle):
    config = CONFIGS["sing"].override(**SLOW["training"])
    result = sing.learn(large_puzzle, config=config, budget=Budget(0.5, clock=Clock()))
    assert result.status is None and result.model is not None
    assert result.learned.training.status == "out_of_time"


def test_a_network_too_large_for_the_memory_is_refused(puzzle):
    config = CONFIGS["sing"].override(hidden=(65536, 65536))
    with pytest.raises(InputError, match="does not fit the memory limit"):
        sing.solve(*puzzle, config=config, memory_limit_bytes=1 << 30)


def test_overrides_reach_the_part_they_name():
    config = CONFIGS["sing"].override(hidden=(64,) * 4, loss="mse", nsearches=7, encoding="sas", ties="random")
    assert config.learning.training.hidden == (64,) * 4 and config.learning.training.loss == "mse"
    assert config.learning.sampling.nsearches == 7 and config.learning.encoding == "sas"
    assert config.search.ties == "random"
    assert config.name == "sing hidden=64,64,64,64 loss=mse nsearches=7 encoding=sas ties=random"
    assert CONFIGS["sing"].override(hidden=None) is CONFIGS["sing"]
    with pytest.raises(InputError, match="'ff' has no field 'hidden'"):
        CONFIGS["ff"].override(hidden=(16,))


def test_the_ablation_is_the_papers():
    """Number 12 is SING, 1 is SING/L, 7 the other half of SING/RE; all share layers and samples."""
    for first, second in (("sing", "ablation-12"), ("sing-l", "ablation-1"), ("sing", "c2")):
        assert CONFIGS[first].learning == CONFIGS[second].learning
    assert [member.learning for member in CONFIGS["sing-re"].members] == [
        CONFIGS["ablation-12"].learning,
        CONFIGS["ablation-7"].learning,
    ]
    for number in range(1, 16):
        learning = CONFIGS[f"ablation-{number}"].learning
        assert learning.training.hidden == (16,)
        assert (learning.sampling.nsearches, learning.sampling.nsamples) == (500, 200)


def test_where_memory_ends_the_learning_the_search_goes_on_without(puzzle, monkeypatch):
    def full(*arguments, **options):
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr("sing.learning.learn.train", full)
    recorder = Recorder()
    result = sing.solve(*puzzle, config=CONFIGS["sing"].override(nsearches=5), reporter=recorder)
    assert result.status is Status.SOLVED
    assert ("learn", "no memory to learn; searching with goalcount instead") in recorder.phases
