"""Plans against an independent validator, and our own validator against broken plans."""

import pddl
import pytest

import sing
from sing.base.budget import Budget
from sing.base.errors import InputError, PlanError
from sing.planners.heuristics import NamedHeuristic
from sing.search.search import HEURISTICS, TIES, SearchConfig
from sing.task.plan import parse_ipc, replay
from sing.translate import generators
from sing.translate.translator import KEEP_ALL_OPERATORS, translate

QUEUES = [("h",), ("nh", "h", "noh", "o")]
TASKS = {
    "errands": (pddl.ERRANDS, pddl.ERRANDS_PROBLEM),
    "puzzle": (lambda f: (f.domain, f.problems[0]))(generators.npuzzle(2, 3, seed=4)),
    "blocks": (lambda f: (f.domain, f.problems[0]))(generators.blocks(5, seed=4)),
    "pancake": (lambda f: (f.domain, f.problems[0]))(generators.pancake(5, seed=4)),
}


@pytest.fixture(scope="module", params=TASKS)
def files(request, tmp_path_factory):
    return pddl.write(tmp_path_factory.mktemp(request.param), *TASKS[request.param])


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("queues", QUEUES, ids=",".join)
@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_every_plan_passes_the_independent_validator(files, heuristic, queues, ties):
    config = sing.Config("test", "", NamedHeuristic(heuristic), SearchConfig(queues, ties))
    result = sing.solve(*files, config=config, seed=1)
    assert result.status is sing.Status.SOLVED
    assert pddl.is_valid(*files, result.plan.to_ipc())


# Those that learn, all of them on fewer samples, are in test_learning.py; `shared` would take minutes.
UNABRIDGED = (
    "chorus",
    "chorus-control",
    "blind",
    "goalcount",
    "ff",
    "novelty",
    "ff-novelty",
    "sing",
    "c4",
    "sing-l",
)


@pytest.mark.parametrize("config", UNABRIDGED)
def test_configurations_solve(files, config):
    result = sing.solve(*files, config=config)
    assert result.status is sing.Status.SOLVED
    assert pddl.is_valid(*files, result.plan.to_ipc())


def test_broken_plans_are_refused_as_the_independent_validator_refuses_them(files):
    task = translate(*files, Budget(), KEEP_ALL_OPERATORS)
    plan = sing.solve(*files, config="blind").plan.operators
    broken = [plan[:-1], plan[1:], (), plan[::-1], (plan[0], *plan)]
    for names in broken:
        valid = pddl.is_valid(*files, "".join(f"({name})\n" for name in names))
        try:
            replay(task, names)
        except PlanError:
            assert not valid
        else:
            assert valid


@pytest.fixture(scope="module")
def errands(tmp_path_factory):
    return pddl.write(tmp_path_factory.mktemp("errands"), pddl.ERRANDS, pddl.ERRANDS_PROBLEM)


PLAN = ["go home shop", "visit shop", "go shop bank", "unlock bank", "visit bank", "go bank shop", "go shop home"]


def test_costs_are_the_tasks_own(errands):
    plan = replay(translate(*errands, Budget(), KEEP_ALL_OPERATORS), PLAN)
    assert (len(plan), plan.cost) == (7, 3 + 0 + 4 + 2 + 0 + 4 + 3)
    assert plan.to_ipc().endswith("(go shop home)\n; cost = 16 (general cost)\n")


def test_operators_that_do_not_help_may_stand_in_a_plan(errands):
    assert replay(translate(*errands, Budget(), KEEP_ALL_OPERATORS), ["whistle", *PLAN]).cost == 17


STATIC = """(define (domain s) (:predicates (p ?x) (q ?x) (static ?x))
  (:action go :parameters (?x) :precondition (p ?x) :effect (and (q ?x) (not (p ?x)))))"""


@pytest.mark.parametrize("goal", ["(q a)", "(and (q a) (static a))"])
def test_a_goal_that_holds_from_the_start(tmp_path, goal):
    problem = f"(define (problem p) (:domain s) (:objects a b) (:init (q a) (p b) (static a)) (:goal {goal}))"
    files = pddl.write(tmp_path, STATIC, problem)
    task = translate(*files, Budget(), KEEP_ALL_OPERATORS)
    for names in ((), ("go b",)):
        assert pddl.is_valid(*files, "".join(f"({name})\n" for name in names))
        assert len(replay(task, names)) == len(names)
    with pytest.raises(PlanError, match=r"not applicable|no operator"):
        replay(task, ["go a"])
    assert len(sing.solve(*files).plan) == 0


def test_operators_of_one_name_may_differ(tmp_path):
    domain = """(define (domain d) (:predicates (r) (s) (t))
      (:action a :parameters () :precondition (not (r)) :effect (r))
      (:action a :parameters () :precondition (r) :effect (s)))"""
    files = pddl.write(tmp_path, domain, "(define (problem p) (:domain d) (:init) (:goal (and (r) (s))))")
    assert sing.solve(*files).plan.operators == ("a", "a")
    task = translate(*files, Budget(), KEEP_ALL_OPERATORS)
    assert len(replay(task, ["a", "a"])) == 2
    with pytest.raises(PlanError, match="the goal is not reached after 1 steps"):
        replay(task, ["a"])


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (["fly home shop"], "step 1: there is no operator 'fly home shop'"),
        (["go home shop", "go home shop"], r"step 2: 'go home shop' is not applicable: at\(home\) does not hold"),
        (PLAN[:-1], r"the goal is not reached after 6 steps: at\(home\) missing"),
        ([], r"the goal is not reached after 0 steps: visited\(\w+\) \(and 1 more\) missing"),
    ],
)
def test_the_reason_is_named(errands, plan, message):
    task = translate(*errands, Budget(), KEEP_ALL_OPERATORS)
    with pytest.raises(PlanError, match=message):
        replay(task, plan)


def test_plan_files_are_parsed_leniently_where_that_is_safe():
    text = "; a comment\n\n0.0: (GO Home  Shop) [1]\n  ( visit shop )  ; why not\n"
    assert parse_ipc(text) == ("go home shop", "visit shop")


@pytest.mark.parametrize(
    "text", ["(go home", "go home shop", "(go home) (visit home)", "()", "(go (home))", "\x00\x01"]
)
def test_malformed_plan_files_are_refused(text):
    with pytest.raises(InputError, match="plan, line 2: expected"):
        parse_ipc("(visit home)\n" + text)
