"""The experiment over all learners: its names mean configurations, and the shared table goes on where it stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import all_learners
import learners_shared
import numpy as np
import pytest
import reference
from puzzles import sliding_tiles

from sing.base.budget import Budget

SCRIPT = Path(__file__).parent.parent / "experiments" / "learners_shared.py"


@pytest.mark.parametrize("learner", all_learners.PLANNERS)
def test_every_name_is_a_configuration_with_options(learner):
    planner = all_learners.planner_of(learner)
    assert planner.name.split()[0] == all_learners.PLANNERS[learner].split()[0]


def test_what_is_changed_is_what_the_name_says():
    smaller = all_learners.planner_of("fsm, sing's network and loss").learning
    assert smaller.training.hidden == (16,) and smaller.training.loss == "re"
    assert not all_learners.planner_of("fsm, labels as sampled").learning.sampling.lower_successors
    assert all_learners.planner_of("teacher, forward").learning.sampling.starts.direction == "forward"
    assert set(learners_shared._LEARNERS) <= set(all_learners.PLANNERS)


def test_distances_are_those_of_the_states():
    task = sliding_tiles(2)
    states = learners_shared.states_of(task, 30, 5, Budget())
    distances = learners_shared.distances_of(task, states, 10.0, Budget())
    for values, distance in zip(states.values(np.arange(5, dtype=np.uint32)).tolist(), distances, strict=True):
        level, seen = {tuple(values)}, {tuple(values)}
        steps = 0
        while all(reference.num_open_goals(task, state) for state in level):
            level = {
                reference.successor(task, operator, state)
                for state in level
                for operator in task.operators
                if reference.is_applicable(operator, state)
            } - seen
            seen |= level
            steps += 1
        assert distance == steps


def test_cells_count_what_was_solved_and_compare_with_distances():
    rows = [{"learn_s": 2.0, "runs": [[True, 0.1, 5, 7, 4], [False, 1.0, 100, 0, 9]]}]
    assert learners_shared._cells(rows, [6, None]) == ["1/2", "–", "7.0", "2.0", "2.0 s"]
    assert learners_shared._cells([{"learn_s": 1.0, "runs": []}], [])[0] == "nothing learned"


def test_the_table_is_resumable(tmp_path):
    command = [
        sys.executable, str(SCRIPT), "--output", str(tmp_path), "--space", "8-puzzle", "--count", "2",
        "--learn-time", "2s", "--time-limit", "2s",
    ]  # fmt: skip
    for learners_asked in (["sing"], ["sing", "fsm"]):
        options = [word for learner in learners_asked for word in ("--learner", learner)]
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert [(row["learner"], len(row["runs"])) for row in rows if row["kind"] == "run"] == [("sing", 2), ("fsm", 2)]
    assert "| fsm |" in (tmp_path / "table.md").read_text()
