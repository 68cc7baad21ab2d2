"""Beams on CPU tensors beside breadth-first search and a slow twin; whole runs of learning and solving on a device."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from itertools import count

import numpy as np
import pytest
import reference
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from puzzles import scrambled, sliding_tiles, sliding_tiles_sas
from random_tasks import strips_tasks
from turning import pieces, switches

import sing
from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.networks.encoding import Encoding
from sing.networks.model import Model
from sing.planners.configs import CONFIGS
from sing.planners.context import Context
from sing.task.plan import execute
from sing.task.task import Task
from sing.tensors import tables
from sing.tensors.beam import BeamSearch
from sing.tensors.config import TensorBeamConfig
from sing.tensors.device import random_source
from sing.tensors.hashes import StateHash
from sing.tensors.moves import MoveTask, to_moves
from sing.tensors.solve import DeviceBeams
from sing.tensors.tables import MoveTables
from sing.tensors.walks import GoalTest

CPU = torch.device("cpu")
BUDGET = Budget(math.inf)
SMALL = CONFIGS["shared-gpu"].override(device="cpu", hidden=(24, 24, 24), iterations=4, iteration_samples=3000)
TASKS = st.one_of(strips_tasks(), st.integers(0, 10**6).map(switches), st.integers(0, 10**6).map(pieces))


def make_beam(moves: MoveTask, seed: int) -> BeamSearch:
    forward = MoveTables(moves.moves, moves.sizes, CPU, BUDGET)
    weights = torch.from_numpy(np.random.default_rng(seed).integers(0, 3, len(moves.sizes))).float()
    hash = StateHash(forward, random_source(CPU, seed, 0))
    return BeamSearch(forward, GoalTest(moves.goal, forward), hash, lambda states: states.float() @ weights, BUDGET)


def twin(task: Task, moves: MoveTask, beam: BeamSearch, width: int) -> tuple[Status, int]:
    """By sets of tuples: how it ends, and after how many layers."""

    def row(state):
        return beam.tables.states([state])

    layer, seen, is_cut = [moves.initial_state], {moves.initial_state}, False
    for depth in count():
        cores = {state: moves.core_state(state) for state in layer}
        if any(reference.num_open_goals(task, core) == 0 for core in cores.values()):
            return Status.SOLVED, depth
        new = {
            moves.state_of(reference.successor(task, operator, core))
            for core in cores.values()
            for operator in task.operators
            if reference.is_applicable(operator, core)
        } - seen
        if not new:
            return (Status.OUT_OF_WORK if is_cut else Status.UNSOLVABLE), depth
        if any(reference.num_open_goals(task, moves.core_state(state)) == 0 for state in new):
            return Status.SOLVED, depth + 1
        ordered = sorted(new, key=lambda state: (float(beam.evaluate(row(state))[0]), int(beam.hash.of(row(state))[0])))
        is_cut |= len(ordered) > width
        layer = ordered[:width]
        seen.update(layer)
    raise AssertionError


@settings(max_examples=60)
@given(TASKS, st.sampled_from([1, 2, 3, 7, 10**6]), st.integers(0, 100))
def test_beams_equal_their_twin(task, width, seed):
    moves = to_moves(task, BUDGET)
    beam = make_beam(moves, seed)
    result = beam.run(beam.tables.states([moves.initial_state])[0], width, 10**6)
    status, num_layers = twin(task, moves, beam, width)
    assert result.status is status
    if result.status is Status.SOLVED:
        assert len(result.plan) == num_layers
        execute(task, result.plan)
        if width == 10**6:
            assert len(result.plan) == reference.plan_length(task)


def test_layers_in_several_parts_are_the_same(monkeypatch):
    moves = to_moves(sliding_tiles(3), BUDGET)
    plans = []
    for size in (1 << 20, 1000):
        monkeypatch.setitem(tables._NUMBERS_PER_CHUNK, "cpu", size)
        beam = make_beam(moves, 3)
        beam.evaluate = lambda states, goal=beam.goal: (~goal.holds(states)).sum(1).float()
        result = beam.run(beam.tables.states([moves.initial_state])[0], 200, 500)
        plans.append((result.plan, result.statistics.num_generated))
    assert plans[0] == plans[1] and plans[0][0]


def test_learning_a_small_puzzle_solves_it_and_keeps_a_model(tmp_path):
    task = sliding_tiles(3)
    learned = SMALL.learn(task, Context(Budget(60), seed=1))
    assert learned.model.residual == (2,) and learned.num_samples > 10_000
    learned.model.save(tmp_path / "m.onnx")
    model = Model.load(tmp_path / "m.onnx")
    planner = SMALL.with_model(model, False)
    for board in range(3):
        text = sliding_tiles_sas(3, board=scrambled_board(board))
        task = Task.from_sas(text)
        (attempt,) = planner.attempts(task, Context(Budget(60), seed=1))
        assert attempt.status is Status.SOLVED
        assert len(execute(task, attempt.plan)) <= 31  # the longest shortest plan of all boards
        told = attempt.heuristic.evaluate(task.initial_state)
        assert attempt.found.initial_estimate == pytest.approx(told, abs=1)


def scrambled_board(number: int) -> list[int]:
    board = scrambled(3)
    for _ in range(number):  # two exchanges keep a board solvable
        board[1:4] = board[2:4] + board[1:2]
    return board


def test_labels_that_are_lowered_learn_distances():
    task = sliding_tiles(2)
    config = SMALL.override(lower_after=0.3, iterations=40, iteration_samples=2000, batch_size=64)
    model = config.learn(task, Context(Budget(60), seed=1)).model
    heuristic = model.heuristic(task)
    distances = {}
    for state in reference.distances(task):
        text = sliding_tiles_sas(2, board=[state.index(cell) for cell in range(4)])
        distances[state] = reference.plan_length(Task.from_sas(text))
    errors = [abs(heuristic.evaluate(state) - distance) for state, distance in distances.items()]
    assert len(errors) == 12 and np.mean(errors) < 0.7


def test_the_same_seed_gives_the_same_network():
    task = sliding_tiles(3)
    one, two, other = (SMALL.learn(task, Context(Budget(60), seed=seed)).model for seed in (1, 1, 2))
    for (a, b), (c, d) in zip(one.layers, two.layers, strict=True):
        assert np.array_equal(a, c) and np.array_equal(b, d)
    assert not np.array_equal(one.layers[0][0], other.layers[0][0])


def test_numbers_that_run_away_go_back_to_the_last_good_network():
    config = SMALL.override(learning_rate=1e30)
    try:
        model = config.learn(sliding_tiles(3), Context(Budget(60))).model
    except sing.SingError as error:
        assert "one estimate for all states" in str(error)
    else:
        assert all(np.isfinite(weights).all() for weights, _ in model.layers)


class Stopper(Reporter):
    def __init__(self, budget: Budget, phase: str) -> None:
        self.budget, self.phase = budget, phase

    def working(self, phase: str, news: str = "") -> None:
        if phase == self.phase and ("iteration" in news or "layer" in news):
            self.budget.interrupt()


def test_an_interruption_keeps_the_network_so_far():
    budget = Budget(60)
    learned = SMALL.learn(sliding_tiles(3), Context(budget, reporter=Stopper(budget, "train")))
    assert learned.training.status == "interrupted" and len(learned.training.losses) == 1


def test_an_interruption_before_the_first_step_leaves_nothing():
    budget = Budget(60)
    budget.interrupt()
    with pytest.raises(LimitReached):
        SMALL.learn(sliding_tiles(3), Context(budget))


def test_an_interruption_ends_a_beam():
    task = sliding_tiles(3)
    model = SMALL.learn(task, Context(Budget(60))).model
    budget = Budget(60)
    planner = SMALL.with_model(model, False)
    (attempt,) = planner.attempts(task, Context(budget, reporter=Stopper(budget, "search")))
    assert attempt.status is Status.INTERRUPTED


def test_a_beam_that_finds_nothing_gets_wider_and_without_a_plan_it_says_so():
    """The board that nothing can reach: beams widen until no state is left out, which proves it."""
    task = sliding_tiles(2, swap_goal=True)
    encoding = Encoding.of(task, "boolean")
    layers = ((np.zeros((encoding.num_inputs, 1), np.float32), np.zeros(1, np.float32)),)
    beams = DeviceBeams(task, Model(encoding, layers), False, "cpu", seed=0, jobs=1, budget=BUDGET, reporter=Reporter())
    assert beams.run(TensorBeamConfig(width=1)).status is Status.UNSOLVABLE
    assert beams.run(TensorBeamConfig(width=1, max_width=1)).status is Status.OUT_OF_WORK


def test_a_beam_without_memory_gets_narrower_and_says_so(monkeypatch):
    told = []

    class Listener(Reporter):
        def done(self, phase: str, time_s: float, summary: str) -> None:
            told.append(summary)

    task = sliding_tiles(3)
    encoding = Encoding.of(task, "boolean")
    layers = ((np.zeros((encoding.num_inputs, 1), np.float32), np.zeros(1, np.float32)),)
    beams = DeviceBeams(task, Model(encoding, layers), False, "cpu", seed=0, jobs=1, budget=BUDGET, reporter=Listener())
    whole = BeamSearch.run

    def run(self, state, width, max_layers):
        if width > 1000:
            raise MemoryError
        return whole(self, state, width, max_layers)

    monkeypatch.setattr(BeamSearch, "run", run)
    assert beams.run(TensorBeamConfig(width=3000)).status is Status.SOLVED
    assert told == ["no memory for this width; 750 from now on"]


def test_a_device_that_is_not_there_and_models_it_cannot_evaluate_are_one_line():
    with pytest.raises(InputError, match="PyTorch has no device 'nowhere' here"):
        SMALL.override(device="nowhere").check_installed()
    model = SMALL.learn(sliding_tiles(3), Context(Budget(60))).model
    with pytest.raises(InputError, match="drop --device"):
        SMALL.with_model(Model(model.encoding, (), graph=b""), False)


def sing_command(*words: str, cwd) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "sing", *words], cwd=cwd, capture_output=True, text=True)


def test_the_command_line_learns_and_solves_on_a_device(tmp_path):
    (tmp_path / "task.sas").write_text(sliding_tiles_sas(3))
    small = ["--hidden", "24", "--set", "iterations=3", "--set", "iteration_samples=3000"]
    learned = sing_command(
        "learn", "task.sas", "--config", "shared-gpu", "--device", "cpu", *small, "--output", "m.onnx", cwd=tmp_path
    )
    assert learned.returncode == 0, learned.stderr
    assert "walks of" in learned.stdout and "3 iterations" in learned.stdout
    solve = ["solve", "--model", "m.onnx", "task.sas", "--json", "out.json"]
    for device in (["--device", "cpu"], []):
        solved = sing_command(*solve, *device, cwd=tmp_path)
        assert solved.returncode == 0, solved.stderr
        assert json.loads((tmp_path / "out.json").read_text())["status"] == "solved"
    missing = sing_command(*solve, "--device", "nowhere", cwd=tmp_path)
    assert missing.returncode == 36 and "no device 'nowhere'" in missing.stderr and "Traceback" not in missing.stderr


def test_without_pytorch_one_line_says_how_to_install_it(tmp_path):
    (tmp_path / "task.sas").write_text(sliding_tiles_sas(2))
    program = "import sys; sys.modules['torch'] = None; from sing.__main__ import main; main()"
    words = ["learn", "task.sas", "--config", "shared-gpu", "--output", "m.onnx"]
    run = [sys.executable, "-c", program, *words]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 36
    assert "pip install '.[torch]'" in done.stderr and "Traceback" not in done.stderr
