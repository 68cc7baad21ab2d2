"""The configuration optimal: what it calls cheapest is cheapest."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yardstick
from pddl import write
from random_tasks import OperatorText, TaskText, text_with_costs

from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.planners.configs import get_config
from sing.planners.context import Context
from sing.run.solve import solve
from sing.task.plan import execute
from sing.task.task import Task
from sing.translate import generators

# Fast Downward adds up costs in 32 bits.
MOST = 10**6


def test_what_is_proved_cheapest_costs_as_much_as_fast_downwards_optimal_plan():
    """Three hundred small tasks, with conditional effects and axioms among them."""
    num_solved = 0
    for seed in range(300):
        sas = text_with_costs(seed, MOST).to_sas()
        (attempt,) = get_config("optimal").attempts(Task.from_sas(sas), Context(Budget(60)))
        expected = yardstick.greedy_search(sas, "astar-blind", 60)
        if not expected.is_solvable:
            assert (attempt.status, attempt.lower_bound) == (Status.UNSOLVABLE, None)
            continue
        cost = expected.number(r"Plan cost: (\d+)")
        assert execute(Task.from_sas(sas), attempt.plan).cost == attempt.lower_bound == cost
        num_solved += 1
    assert num_solved > 200


def two_routes(tmp_path):
    """A short dear way and a long cheap one."""
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(
        """(define (domain routes) (:requirements :typing :action-costs) (:types place)
        (:predicates (at ?p - place) (road ?a ?b - place)) (:functions (total-cost) (toll ?a ?b - place))
        (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b))
        :effect (and (at ?b) (not (at ?a)) (increase (total-cost) (toll ?a ?b)))))"""
    )
    problem.write_text(
        """(define (problem p) (:domain routes) (:objects a b c d - place)
        (:init (at a) (road a d) (road a b) (road b c) (road c d) (= (total-cost) 0)
        (= (toll a d) 2004) (= (toll a b) 5) (= (toll b c) 0) (= (toll c d) 5))
        (:goal (at d)) (:metric minimize (total-cost)))"""
    )
    return domain, problem


def test_a_long_cheap_way_is_proved_cheapest(tmp_path):
    result = solve(*two_routes(tmp_path), config="optimal", time_limit_s=60)
    assert (result.plan.cost, len(result.plan), result.lower_bound, result.is_optimal) == (10, 3, 10, True)
    assert str(result).startswith("solved by optimal: 3 operators, cost 10, proved cheapest\n")
    numbers = result.to_json()
    assert (numbers["is_optimal"], numbers["lower_bound"], numbers["initial_estimate"]) == (True, 10, 10)


def test_better_plans_are_not_looked_for_where_there_are_none(tmp_path):
    plans = []
    result = solve(*two_routes(tmp_path), config="optimal", time_limit_s=600, on_plan=plans.append)
    assert [plan.cost for plan in plans] == [10]
    assert result.is_optimal and result.times_s["total"] < 600


@pytest.mark.parametrize("config", ["goalcount", "optimal"])
def test_plans_beyond_64_bits_are_never_called_cheapest(tmp_path, config):
    """Two dear steps, or one and two cheap ones: the core's sums are the same."""
    most = 2**63 - 1
    ways = [((0, 0, 1), most), ((0, 1, 2), most), ((0, 0, 3), most), ((0, 3, 4), 1), ((0, 4, 2), 1)]
    operators = tuple(OperatorText((), (effect,), cost) for effect, cost in ways)
    (tmp_path / "task.sas").write_text(TaskText(True, (5,), (), (0,), ((0, 2),), operators).to_sas())
    for on_plan in (None, lambda plan: None):
        result = solve(tmp_path / "task.sas", config=config, time_limit_s=0.5, on_plan=on_plan)
        assert result.plan.cost in (2 * most, most + 2)
        assert not result.is_optimal and (result.lower_bound or 0) <= most


def test_a_plan_of_another_planner_is_not_called_cheapest(tmp_path):
    result = solve(*two_routes(tmp_path), config="goalcount", time_limit_s=60)
    assert (result.is_optimal, result.lower_bound) == (False, None)


def test_limits_leave_what_is_known(tmp_path):
    family = generators.npuzzle(4, 4, seed=1)
    result = solve(*write(tmp_path, family.domain, family.problems[0]), config="optimal", time_limit_s=1.5)
    assert result.status is Status.OUT_OF_TIME and not result.is_optimal
    assert result.lower_bound >= result.initial_estimate > 0
    assert result.num_expanded > 0


def test_the_command_line_says_what_is_proved(tmp_path):
    from test_cli import run

    two_routes(tmp_path)
    options = ("--config", "optimal", "--json", "result.json")
    done = run("solve", "domain.pddl", "problem.pddl", *options, cwd=tmp_path)
    assert re.search(r"^plan found: 3 operators, cost 10, proved cheapest, written to sas_plan", done.stdout, re.M)
    assert json.loads((tmp_path / "result.json").read_text())["is_optimal"] is True
    assert (tmp_path / "sas_plan").read_text().endswith("; cost = 10 (general cost)\n")


def problem_of_unified_planning():
    """One dear action to the goal, or two cheap ones."""
    up = pytest.importorskip("unified_planning.shortcuts")
    up.get_environment().credits_stream = None
    half, done = up.Fluent("half"), up.Fluent("done")
    dear, first, second = (up.InstantaneousAction(name) for name in ("dear", "first", "second"))
    dear.add_effect(done, True)
    first.add_effect(half, True)
    second.add_precondition(half)
    second.add_effect(done, True)
    problem = up.Problem("routes")
    problem.add_fluents([half, done])
    problem.add_actions([dear, first, second])
    for fluent in (half, done):
        problem.set_initial_value(fluent, False)
    problem.add_goal(done)
    costs = {dear: up.Int(2004), first: up.Int(5), second: up.Int(5)}
    problem.add_quality_metric(up.MinimizeActionCosts(costs))
    return problem


@pytest.mark.parametrize(("config", "status"), [("optimal", "SOLVED_OPTIMALLY"), ("goalcount", "SOLVED_SATISFICING")])
def test_unified_planning_is_told_of_a_proof(config, status):
    problem = problem_of_unified_planning()
    from sing.up.engine import SingEngine

    result = SingEngine(config=config).solve(problem)
    assert result.status.name == status
    assert result.metrics["is_optimal"] == str(config == "optimal")
    assert (len(result.plan.actions) == 2) == (config == "optimal")


def test_the_comparison_with_fast_downward_repeats_nothing(tmp_path, puzzle):
    script = Path(yardstick.__file__).with_name("optimal.py")
    folder = tmp_path / "benchmarks" / "puzzle"
    folder.mkdir(parents=True)
    for file, name in zip(puzzle, ("domain.pddl", "p01.pddl"), strict=True):
        (folder / name).write_text(file.read_text())
    command = [sys.executable, script, folder.parent, "--time-limit", "20s", "--output", tmp_path / "out"]
    outputs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert "optimal puzzle/p01.pddl: proved" in outputs[0] and "fd-lmcut puzzle/p01.pddl: proved" in outputs[0]
    assert ": proved" not in outputs[1]
    for output in outputs:
        assert "Both proved 1; costs differ on 0." in output
