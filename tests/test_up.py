"""The unified-planning engine, on problems of its own making and on unified-planning's examples."""

import io
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
from clocks import Clock

pytest.importorskip("unified_planning")

import unified_planning.test
from unified_planning.engines import AnytimeGuarantee, OptimalityGuarantee, SequentialPlanValidator
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.exceptions import UPNoSuitableEngineAvailableException, UPUsageError
from unified_planning.io import PDDLReader
from unified_planning.shortcuts import (
    FALSE,
    TRUE,
    And,
    AnytimePlanner,
    BoolType,
    Equals,
    Exists,
    Fluent,
    Forall,
    Iff,
    InstantaneousAction,
    Int,
    IntType,
    MinimizeActionCosts,
    MinimizeSequentialPlanLength,
    Not,
    Object,
    OneshotPlanner,
    Or,
    Plus,
    Problem,
    RealType,
    UserType,
    Variable,
    get_environment,
)
from unified_planning.test.examples import get_example_problems

import sing
from sing.base.budget import Budget, current_memory_bytes
from sing.base.errors import SingError
from sing.translate import generators
from sing.up.engine import SingEngine
from sing.up.pddl import PddlProblem

get_environment().credits_stream = None
get_environment().factory.add_engine("sing", "sing.up", "SingEngine")


def children() -> set[str]:
    return {pid for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()}


@pytest.fixture(autouse=True)
def nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = children(), set(threading.enumerate())
    yield
    assert (children(), set(threading.enumerate())) == before
    assert not list(tmp_path.glob("sing*"))


def is_valid(problem, plan) -> bool:
    with SequentialPlanValidator() as validator:
        validator.skip_checks = True
        return bool(validator.validate(problem, plan))


def cost(problem, plan):
    with SequentialPlanValidator() as validator:
        (value,) = validator.validate(problem, plan).metric_evaluations.values()
        return value


def check(result, problem, num_actions=None, status=Status.SOLVED_SATISFICING):
    assert result.status is status, result.log_messages
    assert result.engine_name == "sing"
    assert is_valid(problem, result.plan)
    if num_actions is not None:
        assert len(result.plan.actions) == num_actions


def puzzle(size):
    files = generators.npuzzle(size, size, seed=4)
    return PDDLReader().parse_problem_string(files.domain, files.problems[0])


class Van:
    """A van, which is a thing that moves, brings a parcel from the depot to a shop; roads have lengths.

    Its parts are attributes, so that tests can change them before they solve it.
    """

    def __init__(self):
        self.place, thing = UserType("place"), UserType("thing")
        vehicle = UserType("vehicle", thing)
        self.at = Fluent("at", BoolType(), t=thing, p=self.place)
        self.inside = Fluent("inside", BoolType(), t=thing, v=vehicle)
        self.road = Fluent("road", BoolType(), a=self.place, b=self.place)
        self.length = Fluent("length", IntType(0, 100), a=self.place, b=self.place)
        self.depot, self.square, self.shop = (Object(name, self.place) for name in ("depot", "square", "shop"))
        self.van, self.parcel = Object("van", vehicle), Object("parcel", thing)
        self.drive = InstantaneousAction("drive", v=vehicle, a=self.place, b=self.place)
        self.drive.add_precondition(self.at(self.drive.v, self.drive.a))
        self.drive.add_precondition(self.road(self.drive.a, self.drive.b))
        self.drive.add_effect(self.at(self.drive.v, self.drive.a), False)
        self.drive.add_effect(self.at(self.drive.v, self.drive.b), True)
        self.load = self._transfer("load", vehicle, thing, True)
        self.unload = self._transfer("unload", vehicle, thing, False)
        self.problem = Problem("van")
        for fluent in (self.at, self.inside, self.road):
            self.problem.add_fluent(fluent, default_initial_value=False)
        self.problem.add_fluent(self.length, default_initial_value=7)
        self.problem.add_objects([self.depot, self.square, self.shop, self.van, self.parcel])
        self.problem.add_actions([self.drive, self.load, self.unload])
        for fact in (
            self.at(self.van, self.square),
            self.at(self.parcel, self.depot),
            self.road(self.square, self.depot),
            self.road(self.depot, self.square),
            self.road(self.square, self.shop),
        ):
            self.problem.set_initial_value(fact, True)
        self.delivered = self.at(self.parcel, self.shop)

    def _transfer(self, name, vehicle, thing, is_loading):
        action = InstantaneousAction(name, v=vehicle, t=thing, p=self.place)
        action.add_precondition(self.at(action.v, action.p))
        inside, outside = self.inside(action.t, action.v), self.at(action.t, action.p)
        action.add_precondition(outside if is_loading else inside)
        action.add_effect(inside, is_loading)
        action.add_effect(outside, not is_loading)
        return action

    def change(self, *goals, metric=None) -> Problem:
        for goal in goals:
            self.problem.add_goal(goal)
        if metric is not None:
            self.problem.add_quality_metric(metric)
        return self.problem


@pytest.fixture
def van():
    return Van()


def test_a_typed_problem_by_name_and_by_kind(van, monkeypatch):
    problem = van.change(van.delivered)
    with OneshotPlanner(name="sing") as planner:
        check(planner.solve(problem), problem, 5)
    monkeypatch.setattr(get_environment().factory, "preference_list", ["sing"])
    with OneshotPlanner(problem_kind=problem.kind, optimality_guarantee="SATISFICING") as planner:
        assert planner.name == "sing"
        check(planner.solve(problem), problem, 5)
    assert planner.satisfies(OptimalityGuarantee.SATISFICING)
    assert not planner.satisfies(OptimalityGuarantee.SOLVED_OPTIMALLY)
    with pytest.raises(UPNoSuitableEngineAvailableException):
        OneshotPlanner(problem_kind=problem.kind, optimality_guarantee="SOLVED_OPTIMALLY")


def test_the_actions_of_a_plan_are_the_problems_own(van):
    result = SingEngine().solve(van.change(van.delivered))
    assert [step.action.name for step in result.plan.actions] == ["drive", "load", "drive", "drive", "unload"]
    assert all(step.action is van.problem.action(step.action.name) for step in result.plan.actions)


GOALS = {
    "conjunction": (lambda v: And(v.delivered, Not(v.at(v.van, v.depot))), 5),
    "already true": (lambda v: v.at(v.parcel, v.depot), 0),
    "static": (lambda v: v.road(v.square, v.shop), 0),
    "none at all": (lambda v: TRUE(), 0),
    "an equality": (lambda v: And(v.delivered, Equals(v.van, v.van)), 5),
    "disjunction": (lambda v: Or(v.delivered, v.inside(v.parcel, v.van)), 2),
    "negated conjunction": (lambda v: Not(And(v.at(v.parcel, v.depot), v.at(v.van, v.square))), 1),
    "equivalence": (lambda v: Iff(v.at(v.parcel, v.depot), v.at(v.van, v.depot)), 1),
}


@pytest.mark.parametrize("name", GOALS)
def test_goals(van, name):
    goal, num_actions = GOALS[name]
    problem = van.change(goal(van))
    check(SingEngine().solve(problem), problem, num_actions)


UNSOLVABLE = {
    "false": lambda v: FALSE(),
    "out of reach": lambda v: And(v.delivered, v.at(v.van, v.depot)),
    "nothing reaches it": lambda v: v.road(v.shop, v.depot),
}


@pytest.mark.parametrize("name", UNSOLVABLE)
def test_unsolvable_problems_are_proved_so(van, name):
    result = SingEngine().solve(van.change(UNSOLVABLE[name](van)))
    assert (result.status, result.plan) == (Status.UNSOLVABLE_PROVEN, None)


def test_an_action_that_can_never_be_used(van):
    van.load.add_precondition(FALSE())
    assert SingEngine().solve(van.change(van.delivered)).status is Status.UNSOLVABLE_PROVEN


CONDITIONS = {
    "negative": lambda v: Not(v.at(v.drive.v, v.drive.b)),
    "equality": lambda v: Not(Equals(v.drive.a, v.drive.b)),
    "disjunctive": lambda v: Or(v.road(v.drive.b, v.drive.a), v.inside(v.parcel, v.drive.v)),
    "negated conjunction": lambda v: Not(And(v.at(v.parcel, v.depot), v.at(v.drive.v, v.depot))),
    "equivalence": lambda v: Iff(v.inside(v.parcel, v.drive.v), Not(Equals(v.drive.b, v.depot))),
    "object constant": lambda v: Or(Equals(v.drive.b, v.shop), Not(v.at(v.parcel, v.shop))),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_preconditions(van, name):
    van.drive.add_precondition(CONDITIONS[name](van))
    problem = van.change(van.delivered)
    assert SingEngine.supports(problem.kind)
    check(SingEngine().solve(problem), problem, 5)


def test_what_pddl_has_no_place_for_is_left_out_or_renamed(van):
    problem = van.change(van.delivered)
    problem.add_action(InstantaneousAction("wait"))
    problem.add_fluent(Fluent("never used", RealType()), default_initial_value=Fraction(3, 2))
    problem.add_object(Object("Define: ü", van.place))
    washed = Fluent("Total-Cost")
    problem.add_fluent(washed, default_initial_value=False)
    wash = InstantaneousAction("1 wash, hot")
    wash.add_effect(washed, True)
    problem.add_action(wash)
    problem.add_goal(washed)
    assert SingEngine.supports(problem.kind)
    check(SingEngine().solve(problem), problem, 6)


def test_effects_for_all_objects(van):
    place = Variable("p", van.place)
    van.drive.add_effect(van.road(place, van.drive.a), True, forall=[place])
    problem = van.change(van.delivered, van.road(van.shop, van.square))
    assert problem.kind.has_forall_effects()
    check(SingEngine().solve(problem), problem)


def metrics(van):
    free = dict.fromkeys((van.load, van.unload), Int(0))
    by_length = van.length(van.drive.a, van.drive.b)
    return {
        "plan length": (MinimizeSequentialPlanLength(), 5),
        "costs": (MinimizeActionCosts({van.drive: Int(3)}, default=Int(2)), 13),
        "fluents": (MinimizeActionCosts({**free, van.drive: by_length}), 21),
        "arithmetic": (MinimizeActionCosts({**free, van.drive: Plus(by_length, by_length, 1)}), 45),
        "objects": (MinimizeActionCosts({**free, van.drive: van.length(van.drive.a, van.shop)}), 21),
    }


@pytest.mark.parametrize("name", ["plan length", "costs", "fluents", "arithmetic", "objects"])
@pytest.mark.parametrize("is_disjunctive", [False, True])
def test_a_plan_costs_what_the_metric_says(van, name, is_disjunctive):
    van.unload.add_precondition(Not(Equals(van.unload.p, van.square)))
    goal = Or(van.delivered, van.at(van.parcel, van.square)) if is_disjunctive else van.delivered
    metric, value = metrics(van)[name]
    problem = van.change(goal, metric=metric)
    assert SingEngine.supports(problem.kind)
    result = SingEngine().solve(problem)
    check(result, problem, 5)
    assert cost(problem, result.plan) == value == int(result.metrics["plan_cost"])
    assert result.metrics["plan_length"] == "5"


EXAMPLES = {name: example.problem for name, example in get_example_problems().items()}
SUPPORTED = [name for name, problem in EXAMPLES.items() if SingEngine.supports(problem.kind)]


def test_there_are_examples_of_the_supported_kind():
    assert len(SUPPORTED) >= 12


@pytest.mark.parametrize("name", SUPPORTED)
def test_examples_of_the_supported_kind_are_solved(name):
    with OneshotPlanner(name="sing") as planner:
        planner.error_on_failed_checks = True
        check(planner.solve(EXAMPLES[name], timeout=60), EXAMPLES[name])


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in SUPPORTED])
def test_examples_of_other_kinds_are_refused_and_never_solved_wrongly(name):
    problem = EXAMPLES[name]
    engine = SingEngine()
    with pytest.raises(UPUsageError, match="cannot establish whether sing can solve"):
        engine.solve(problem)
    with pytest.raises(UPUsageError, match="cannot establish whether sing can solve"):
        next(engine.get_solutions(problem))
    engine.skip_checks = True
    result = engine.solve(problem, timeout=60)
    if result.status is Status.UNSUPPORTED_PROBLEM:
        assert result.plan is None
        assert "support" in result.log_messages[0].message
    else:
        check(result, problem)


def test_a_bundled_pddl_problem():
    folder = Path(unified_planning.test.__file__).with_name("pddl") / "depot"
    problem = PDDLReader().parse_problem(str(folder / "domain.pddl"), str(folder / "problem.pddl"))
    check(SingEngine().solve(problem, timeout=60), problem)


def test_chosen_by_name_an_unsupported_problem_is_tried_with_a_warning():
    with OneshotPlanner(name="sing") as planner, pytest.warns(UserWarning, match="cannot establish"):
        assert planner.solve(EXAMPLES["counter"]).status is Status.UNSUPPORTED_PROBLEM
    with AnytimePlanner(name="sing") as planner, pytest.warns(UserWarning, match="cannot establish"):
        (result,) = planner.get_solutions(EXAMPLES["counter"])
        assert result.status is Status.UNSUPPORTED_PROBLEM


def test_conditional_effects_and_quantifiers_are_supported():
    assert {"basic_conditional", "basic_exists", "basic_forall", "complex_conditional"} <= set(SUPPORTED)


def test_quantified_conditions_and_goals(van):
    place = Variable("p", van.place)
    van.drive.add_precondition(Not(Forall(Not(van.at(van.drive.v, place)), place)))
    problem = van.change(Exists(van.at(van.van, place), place), van.delivered)
    check(SingEngine().solve(problem), problem)


@pytest.mark.parametrize(
    ("quality_metrics", "message"),
    [
        (lambda v: [MinimizeActionCosts({v.drive: Int(1)})], "does not say what action 'load' costs"),
        (lambda v: [MinimizeActionCosts({}, default=Int(-1))], "expected a whole number from 0 on"),
        (lambda v: [MinimizeSequentialPlanLength(), MinimizeActionCosts({}, default=Int(1))], "2 quality metrics"),
    ],
)
def test_costs_that_no_kind_tells_of_are_refused_by_the_result(van, quality_metrics, message):
    problem = van.change(van.delivered)
    for metric in quality_metrics(van):
        problem.add_quality_metric(metric)
    log = io.StringIO()
    result = SingEngine().solve(problem, output_stream=log)
    assert (result.status, result.plan) == (Status.UNSUPPORTED_PROBLEM, None)
    assert message in result.log_messages[0].message
    assert message in log.getvalue()


def test_time_limits_are_kept():
    log = io.StringIO()
    with OneshotPlanner(name="sing", params={"config": "blind"}) as planner:
        result = planner.solve(puzzle(6), timeout=1, output_stream=log)
    assert (result.status, result.plan) == (Status.TIMEOUT, None)
    assert "out of time" in log.getvalue()


@pytest.mark.parametrize(
    ("params", "timeout", "limit_s"),
    [
        ({}, 7, 7),
        ({"time_limit": "7s"}, None, 7),
        ({"time_limit": 7}, 600, 7),
        ({"time_limit": "1h"}, 7, 7),
        ({}, 0, 1e-9),
        ({}, None, math.inf),
    ],
)
def test_the_shorter_of_two_time_limits_holds(van, monkeypatch, params, timeout, limit_s):
    limits = []

    def record(*_, budget, **__):
        limits.append(budget.time_limit_s)
        raise SingError("recorded")

    monkeypatch.setattr("sing.up.engine.solve", record)
    SingEngine(**params).solve(van.change(van.delivered), timeout=timeout)
    assert limits == [limit_s]


def test_the_memory_limit_is_kept():
    # What the tests hold already counts: the limit is the process's.
    limit = current_memory_bytes() + (150 << 20)
    result = SingEngine(config="blind", memory_limit=limit).solve(puzzle(6), timeout=300)
    assert (result.status, result.plan) == (Status.MEMOUT, None)


def test_the_log_goes_to_the_stream_and_nowhere_else(van, capfd):
    problem, log = van.change(van.delivered), io.StringIO()
    with OneshotPlanner(name="sing", params={"config": "goalcount", "seed": 7}) as planner:
        result = planner.solve(problem, output_stream=log)
        planner.solve(problem)
    lines = log.getvalue().splitlines()
    assert lines[0].startswith("translate")
    assert lines[-1].startswith("config goalcount, seed 7: solved, cost 5")
    assert result.log_messages[0].message == lines[-1]
    assert (result.metrics["config"], result.metrics["seed"]) == ("goalcount", "7")
    assert all(isinstance(value, str) for value in result.metrics.values())
    assert float(result.metrics["engine_internal_time"]) >= float(result.metrics["translate_time_s"]) > 0
    assert capfd.readouterr() == ("", "")


def test_parameters_reach_the_planner():
    problem = puzzle(3)
    config = sing.CONFIGS["sing"].override(nsearches=50)
    engine = SingEngine(config=config, seed="3", jobs=2, memory_limit="4G", time_limit="1m")
    first, again = (engine.solve(problem) for _ in range(2))
    check(first, problem)
    assert (first.metrics["config"], first.metrics["seed"]) == ("sing nsearches=50", "3")
    assert first.plan == again.plan
    assert SingEngine(config=config, seed=4).solve(problem).plan != first.plan


def test_a_learned_model(tmp_path, van):
    problem = puzzle(3)
    pddl = PddlProblem(problem)
    config = sing.CONFIGS["sing"].override(nsearches=50)
    learned = sing.learn(pddl.domain, pddl.problem, config=config)
    learned.model.save(tmp_path / "model.onnx")
    for model in (learned.model, tmp_path / "model.onnx", str(tmp_path / "model.onnx")):
        result = SingEngine(model=model).solve(problem)
        check(result, problem)
        assert (result.metrics["config"], result.metrics["num_samples"]) == ("model", "0")
    with pytest.raises(UPUsageError, match="search space"):
        SingEngine(model=learned.model).solve(van.change(van.delivered))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"config": "no such"}, "there is no configuration 'no such'"),
        ({"seeed": 1}, "sing has no parameter seeed; there are config, model,"),
        ({"seed": -1}, "the seed is -1"),
        ({"seed": 1.5}, "seed is '1.5'"),
        ({"jobs": 0}, "the number of jobs is 0"),
        ({"jobs": "two"}, "jobs is 'two'"),
        ({"time_limit": "soon"}, "'soon' is not a time limit"),
        ({"time_limit": 0}, "'0' is not a time limit"),
        ({"memory_limit": "much"}, "'much' is not a memory limit"),
        ({"memory_limit": 1000}, "the memory limit is 1000 bytes"),
        ({"model": "no such.onnx"}, "no such.onnx"),
    ],
)
def test_bad_parameters_are_the_callers_fault(van, params, message):
    problem = van.change(van.delivered)
    with pytest.raises(UPUsageError, match=message), OneshotPlanner(name="sing", params=params) as planner:
        planner.solve(problem)
    with pytest.raises(UPUsageError, match=message), AnytimePlanner(name="sing", params=params) as planner:
        next(planner.get_solutions(problem))


def test_bad_arguments(van):
    problem, engine = van.change(van.delivered), SingEngine()
    with pytest.warns(UserWarning, match="ignores the argument 'heuristic'"):
        check(engine.solve(problem, heuristic=lambda state: 0.0), problem)
    with pytest.raises(UPUsageError, match="time limit is -1 s"):
        engine.solve(problem, timeout=-1)
    with pytest.raises(UPUsageError, match="does not know the argument seed"):
        engine._solve_with_params(problem, seed=1)


def test_credits():
    stream = io.StringIO()
    SingEngine.get_credits().write_credits(stream, full_credits=True)
    assert "The sing developers" in stream.getvalue()
    assert "GPL-3.0-or-later" in stream.getvalue()
    assert "Liu, Kuroiwa" in stream.getvalue()


@pytest.mark.parametrize("kind", ["plan length", "costs", "none"])
def test_anytime_plans_get_better(kind, monkeypatch):
    """Until the limit, which is reached when the test says so."""
    clock = Clock()
    monkeypatch.setattr("sing.up.engine.Budget", partial(Budget, clock=clock))
    problem = puzzle(4)
    (move,) = problem.actions
    if kind != "none":
        problem.add_quality_metric(
            MinimizeSequentialPlanLength() if kind == "plan length" else MinimizeActionCosts({move: Int(3)})
        )
    with AnytimePlanner(name="sing", params={"config": "goalcount"}) as planner:
        solutions = planner.get_solutions(problem, timeout=1000)
        better = [next(solutions), next(solutions)]
        clock.now_s += 1000
        *more, last = solutions
    better += more
    assert all(result.status is Status.INTERMEDIATE for result in better)
    assert all(is_valid(problem, result.plan) for result in better)
    lengths = [len(result.plan.actions) for result in better]
    assert len(lengths) > 1
    assert lengths == sorted(set(lengths), reverse=True)
    check(last, problem, lengths[-1])


def test_anytime_planning_by_its_guarantee(van, monkeypatch):
    monkeypatch.setattr(get_environment().factory, "preference_list", ["sing"])
    problem = van.change(van.delivered, metric=MinimizeSequentialPlanLength())
    with AnytimePlanner(problem_kind=problem.kind, anytime_guarantee="INCREASING_QUALITY") as planner:
        first, last = planner.get_solutions(problem)  # a plan that is proved cheapest ends it
    assert first.status is Status.INTERMEDIATE
    check(last, problem, 5, Status.SOLVED_OPTIMALLY)
    assert planner.ensures(AnytimeGuarantee.INCREASING_QUALITY)
    assert not planner.ensures(AnytimeGuarantee.OPTIMAL_PLANS)


@pytest.mark.parametrize("jobs", [1, 2])
def test_anytime_planning_ends_when_it_is_left(jobs):
    problem = puzzle(4)
    with AnytimePlanner(name="sing", params={"jobs": jobs}) as planner:
        for result in planner.get_solutions(problem):
            assert is_valid(problem, result.plan)
            break
        closed = planner.get_solutions(problem)
        next(closed)
        closed.close()
        still_open = planner.get_solutions(problem)
        next(still_open)
        assert any(thread.name == "sing" for thread in threading.enumerate())
    assert not any(thread.name == "sing" for thread in threading.enumerate())
    assert list(still_open) == []


def test_anytime_planning_without_a_plan():
    with AnytimePlanner(name="sing", params={"config": "blind"}) as planner:
        (result,) = planner.get_solutions(puzzle(6), timeout=1)
    assert (result.status, result.plan) == (Status.TIMEOUT, None)


def test_anytime_planning_of_the_unsolvable(van):
    (result,) = SingEngine().get_solutions(van.change(FALSE()))
    assert result.status is Status.UNSOLVABLE_PROVEN


SCRIPT = """
import sys
from unified_planning.io import PDDLReader
from sing.translate import generators
from sing.up.engine import SingEngine
size = int(sys.argv[1])
files = generators.npuzzle(size, size, seed=4)
problem = PDDLReader().parse_problem_string(files.domain, files.problems[0])
"""


def test_python_ends_though_anytime_planning_goes_on():
    script = SCRIPT + "solutions = SingEngine().get_solutions(problem)\nprint(next(solutions).status.name)"
    done = subprocess.run([sys.executable, "-c", script, "4"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "INTERMEDIATE\n", "")


@pytest.mark.parametrize(
    "call",
    [
        "engine.solve(problem, output_stream=sys.stdout)",
        "list(engine.get_solutions(problem, output_stream=sys.stdout))",
    ],
)
def test_an_interrupt_ends_it_at_once(call):
    script = SCRIPT + f"engine = SingEngine(config='blind')\n{call}"
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-c", script, "6"]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # Whoever runs the tests in the background may have switched this signal off.
    as_usual = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    with subprocess.Popen(command, **pipes, env=environment, preexec_fn=as_usual) as child:
        assert child.stdout.readline().startswith(b"translate")  # from here on it would search for good
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate()
    assert errors.rstrip().endswith(b"KeyboardInterrupt")


def test_sing_itself_does_not_need_unified_planning():
    script = "import sys, sing, sing.cli.main; sys.exit('unified_planning' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_meta_engines_can_use_it():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with OneshotPlanner(name="oversubscription[sing]") as planner:
            result = planner.solve(EXAMPLES["basic_oversubscription"], timeout=60)
    assert result.status is Status.SOLVED_OPTIMALLY
    assert is_valid(EXAMPLES["basic_oversubscription"], result.plan)


COSTLY_ROADS = """
(define (domain journey) (:requirements :strips :typing :action-costs) (:types place)
  (:predicates (at ?p - place) (road ?a ?b - place))
  (:functions (length ?a ?b - place) - number (total-cost) - number)
  (:action go :parameters (?a ?b - place)
    :precondition (and (at ?a) (road ?a ?b))
    :effect (and (at ?b) (not (at ?a)) (increase (total-cost) (length ?a ?b)))))
"""


@pytest.mark.parametrize(
    ("lengths", "status"), [("(= (length b c) 3)", "SOLVED_SATISFICING"), ("", "UNSOLVABLE_PROVEN")]
)
def test_costs_read_from_pddl_may_be_given_for_some_objects_only(lengths, status):
    """As in many domains of the IPC. Where one that is needed is missing the operator does not exist, as in PDDL."""
    text = f"""(define (problem abc) (:domain journey) (:objects a b c - place)
      (:init (at a) (road a b) (road b c) (= (length a b) 2) {lengths} (= (total-cost) 0))
      (:goal (at c)) (:metric minimize (total-cost)))"""
    problem = PDDLReader().parse_problem_string(COSTLY_ROADS, text)
    with warnings.catch_warnings(), OneshotPlanner(name="sing") as planner:
        warnings.simplefilter("ignore")
        result = planner.solve(problem, timeout=60)
    assert result.status.name == status
    if result.plan is not None:
        assert [str(step) for step in result.plan.actions] == ["go(a, b)", "go(b, c)"]
        assert result.metrics["plan_cost"] == "5"
