"""Plans against an independent validator, and our own validator against broken plans."""

import random
import re
import subprocess
import sys

import pddl
import pytest
import reference
from clocks import Clock
from hypothesis import given
from hypothesis import strategies as st
from random_tasks import OperatorText, TaskText, adl_tasks

import sing
from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, PlanError, UnsupportedError
from sing.planners.heuristics import NamedHeuristic
from sing.search.search import HEURISTICS, TIES, SearchConfig
from sing.task.plan import execute
from sing.task.task import Task
from sing.task.validation import parse_ipc
from sing.task.validation import replay as replay_happenings
from sing.translate import generators
from sing.translate.translator import translate

QUEUES = [("h",), ("nh", "h", "noh", "o")]
TASKS = {
    "errands": (pddl.ERRANDS, pddl.ERRANDS_PROBLEM),
    "puzzle": (lambda f: (f.domain, f.problems[0]))(generators.npuzzle(2, 3, seed=4)),
    "blocks": (lambda f: (f.domain, f.problems[0]))(generators.blocks(5, seed=4)),
    "pancake": (lambda f: (f.domain, f.problems[0]))(generators.pancake(5, seed=4)),
    "lamps": (pddl.CONDITIONAL, pddl.CONDITIONAL_PROBLEM),
    "lift": (pddl.QUANTIFIED, pddl.QUANTIFIED_PROBLEM),
}


def replay(task, names, budget=None):
    """One step after the other."""
    return replay_happenings(task, [(name,) for name in names], budget or Budget())


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
    learning = sing.CONFIGS[config].learning
    if "when" in files[0].read_text() and learning and learning.sampling.space != "r":
        with pytest.raises(UnsupportedError, match="regression has: --set space=r"):
            sing.solve(*files, config=config)
        return
    result = sing.solve(*files, config=config)
    assert result.status is sing.Status.SOLVED
    assert pddl.is_valid(*files, result.plan.to_ipc())


def test_broken_plans_are_refused_as_the_independent_validator_refuses_them(files):
    task = translate(*files, Budget(), keeps_all=True)
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
    plan = replay(translate(*errands, Budget(), keeps_all=True), PLAN)
    assert (len(plan), plan.cost) == (7, 3 + 0 + 4 + 2 + 0 + 4 + 3)
    assert plan.to_ipc().endswith("(go shop home)\n; cost = 16 (general cost)\n")


def test_execution_by_position_is_as_strict_as_replay_by_name(errands):
    task = translate(*errands, Budget(), keeps_all=True)
    position = {name: number for number, name in enumerate(task.core.operator_names)}
    plan = [position[name] for name in PLAN]
    assert execute(task, plan) == replay(task, PLAN)
    with pytest.raises(PlanError, match=r"step 3: 'visit bank' is not applicable: at\(bank\)"):
        execute(task, [*plan[:2], position["visit bank"]])
    with pytest.raises(PlanError, match="the goal is not reached after 6 steps"):
        execute(task, plan[:-1])


def test_operators_that_do_not_help_may_stand_in_a_plan(errands):
    assert replay(translate(*errands, Budget(), keeps_all=True), ["whistle", *PLAN]).cost == 17


STATIC = """(define (domain s) (:predicates (p ?x) (q ?x) (static ?x))
  (:action go :parameters (?x) :precondition (p ?x) :effect (and (q ?x) (not (p ?x)))))"""


@pytest.mark.parametrize("goal", ["(q a)", "(and (q a) (static a))"])
def test_a_goal_that_holds_from_the_start(tmp_path, goal):
    problem = f"(define (problem p) (:domain s) (:objects a b) (:init (q a) (p b) (static a)) (:goal {goal}))"
    files = pddl.write(tmp_path, STATIC, problem)
    task = translate(*files, Budget(), keeps_all=True)
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
    task = translate(*files, Budget(), keeps_all=True)
    assert len(replay(task, ["a", "a"])) == 2
    with pytest.raises(PlanError, match="the goal is not reached after 1 steps"):
        replay(task, ["a"])


@pytest.mark.parametrize("changes_more", [False, True])
def test_of_operators_with_one_name_the_cheapest_counts(changes_more):
    """Whether they lead to the same state or to different ones."""
    dear = OperatorText((), ((0, 0, 1),), 5)
    cheap = OperatorText((), ((0, 0, 1), (1, 0, 1)) if changes_more else ((0, 0, 1),), 2)
    for operators in ((dear, cheap), (cheap, dear)):
        text = TaskText(True, (2, 2), (), (0, 0), ((0, 1),), operators)
        task = Task.from_sas(text.to_sas().replace("op1", "op0"))
        assert replay(task, ["op0"]).cost == 2


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
    task = translate(*errands, Budget(), keeps_all=True)
    with pytest.raises(PlanError, match=message):
        replay(task, plan)


def test_plan_files_are_parsed_leniently_where_that_is_safe():
    text = "; a comment\n\n0.0: (GO Home  Shop) [1]\n  ( visit shop )  ; why not\n"
    assert parse_ipc(text, "plan", Budget()) == [("go home shop",), ("visit shop",)]


@pytest.mark.parametrize(
    "text",
    ["(go home", "go home shop", "(go home) (visit home)", "()", "( )", "(go (home))", "\x00\x01", "1.2.3: (go home)"],
)
def test_malformed_plan_files_are_refused(text):
    with pytest.raises(InputError, match="plan, line 2: expected"):
        parse_ipc("(visit home)\n" + text, "plan", Budget())


def test_long_lines_take_no_longer_than_short_ones():
    with pytest.raises(InputError, match="line 1: expected"):
        parse_ipc("(a" + " " * 10**6 + "\n", "plan", Budget())


@pytest.mark.parametrize(
    ("stamps", "is_valid"),
    [
        ("{i}", True),
        ("{i}.5", True),
        ("{falling}", False),  # its steps happen in the order of their times, and so does the next
        ("0", False),
        ("0.00{i}", False),  # closer than VAL's tolerance is at one time
        ("0.0{i}", True),
    ],
)
@pytest.mark.parametrize("listed", ["forwards", "backwards"])
def test_time_stamps_decide_as_they_do_in_val(errands, stamps, is_valid, listed):
    times = [stamps.format(i=i, falling=9 - i) for i in range(len(PLAN))]
    lines = [f"{time}: ({name})" for time, name in zip(times, PLAN, strict=True)]
    text = "\n".join(lines if listed == "forwards" else lines[::-1])
    happenings = parse_ipc(text, "plan", Budget())
    task = translate(*errands, Budget(), keeps_all=True)
    if is_valid:
        assert replay_happenings(task, happenings, Budget()).operators == tuple(PLAN)
    else:
        with pytest.raises(PlanError, match=r"not applicable|at one time"):
            replay_happenings(task, happenings, Budget())


def test_steps_of_one_time_must_not_interfere():
    """Each reads variable 0 or 1 or writes it."""
    reads = OperatorText(((0, 0),), ((2, 0, 1),), 1)
    also_reads = OperatorText(((0, 0),), ((3, 0, 1),), 1)
    writes = OperatorText((), ((0, 0, 1),), 1)
    sets = OperatorText((), ((1, -1, 1),), 1)
    also_sets = OperatorText((), ((1, -1, 1), (2, 0, 1)), 1)
    unsets = OperatorText((), ((1, -1, 0),), 1)
    operators = (reads, also_reads, writes, sets, also_sets, unsets)
    task = Task.from_sas(TaskText(False, (2, 2, 2, 2), (), (0, 0, 0, 0), ((1, 0),), operators).to_sas())
    for pair, together in (
        (("op0", "op1"), True), (("op0", "op2"), False), (("op2", "op0"), False), (("op1", "op5"), True),
        (("op3", "op5"), False), (("op3", "op4"), True),
    ):  # fmt: skip
        happening = [pair, ("op5",)]
        if together:
            assert len(replay_happenings(task, happening, Budget())) == 3
        else:
            with pytest.raises(PlanError, match="cannot happen at one time"):
                replay_happenings(task, happening, Budget())


def test_names_of_operators_may_have_upper_case_and_spaces():
    text = TaskText(False, (2,), (), (0,), ((0, 1),), (OperatorText((), ((0, 0, 1),), 1),)).to_sas()
    task = Task.from_sas(text.replace("op0", "SET  Foo"))
    assert len(replay_happenings(task, parse_ipc("(SET  Foo)", "plan", Budget()), Budget())) == 1
    assert len(replay_happenings(task, parse_ipc("(set foo)", "plan", Budget()), Budget())) == 1


def forked_task(num_variables):
    """Operators of one name, each of which sets another variable: the states that a plan may be in double each step."""
    operators = [OperatorText((), ((variable, -1, 1),), 1) for variable in range(num_variables)]
    text = TaskText(False, (2,) * (num_variables + 1), (), (0,) * (num_variables + 1), ((num_variables, 1),), operators)
    return Task.from_sas(re.sub(r"^op\d+$", "op0", text.to_sas(), flags=re.MULTILINE))


def test_replay_keeps_the_limits(monkeypatch):
    task = forked_task(40)
    with pytest.raises(LimitReached, match="out_of_time"):
        replay(task, ["op0"] * 20, Budget(60, clock=Clock(tick_s=1)))
    budget = Budget(60)
    left = iter([1 << 20] * 5)
    monkeypatch.setattr(Budget, "remaining_bytes", property(lambda self: next(left, 0)))
    with pytest.raises(LimitReached, match="out_of_memory"):
        replay(task, ["op0"] * 20, budget)
    with pytest.raises(LimitReached, match="out_of_memory"):
        parse_ipc("(op0)\n" * 200_000, "plan", budget)


def test_there_is_no_verdict_where_a_limit_ends_the_replay(tmp_path):
    """By the command line: 2^40 states."""
    operators = [OperatorText((), ((variable, -1, 1),), 1) for variable in range(40)]
    sas = TaskText(False, (2,) * 41, (), (0,) * 41, ((40, 1),), operators).to_sas()
    (tmp_path / "task.sas").write_text(re.sub(r"^op\d+$", "op0", sas, flags=re.MULTILINE))
    (tmp_path / "plan").write_text("(op0)\n" * 40)
    command = [sys.executable, "-m", "sing", "validate", "task.sas", "plan", "--memory-limit", "64M"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (22, "no verdict: out of memory while replaying\n")


def test_costs_beyond_64_bits_are_summed():
    largest = 2**63 - 1
    operators = tuple(OperatorText((), ((i, 0, 1),), largest) for i in range(5))
    text = TaskText(True, (2,) * 5, (), (0,) * 5, tuple((i, 1) for i in range(5)), operators)
    assert execute(Task.from_sas(text.to_sas()), range(5)).cost == 5 * largest


@given(adl_tasks(), st.integers(0, 1000))
def test_plans_with_conditional_effects_and_axioms_are_judged_as_by_the_twin(task, seed):
    """Random walks, cut, turned around, with a step more or one exchanged."""
    rng = random.Random(seed)
    state, plan = task.initial_state, []
    for _ in range(rng.randrange(7)):
        applicable = [i for i, operator in enumerate(task.operators) if reference.is_applicable(operator, state)]
        if not applicable:
            break
        plan.append(rng.choice(applicable))
        state = reference.successor(task, task.operators[plan[-1]], state)
    anything = rng.randrange(task.num_operators)
    for mutant in (plan, plan[1:], plan[:-1], plan[::-1], [*plan, anything], [anything, *plan[1:]]):
        state, is_valid = task.initial_state, True
        for position in mutant:
            is_valid = is_valid and reference.is_applicable(task.operators[position], state)
            state = reference.successor(task, task.operators[position], state)
        is_valid = is_valid and reference.num_open_goals(task, state) == 0
        names = [task.operators[position].name for position in mutant]
        if is_valid:
            assert len(replay(task, names)) == len(mutant)
        else:
            with pytest.raises(PlanError):
                replay(task, names)


def test_steps_of_one_time_do_not_change_what_axioms_of_others_read():
    """Variable 2 is derived from 0; the second operator needs it, the third has a condition on it."""
    operators = (
        OperatorText((), ((0, -1, 1),), 1),
        OperatorText(((2, 0),), ((1, -1, 1),), 1),
        OperatorText((), ((1, -1, 1),), 1, (((2, 0),),)),
    )
    text = TaskText(False, (2, 2, 2), (), (0, 0, 0), ((1, 1),), operators, layers=(-1, -1, 0), axioms=((((0, 1),), 2),))
    task = Task.from_sas(text.to_sas())
    assert len(replay(task, ["op1", "op0"])) == 2
    for other in ("op1", "op2"):
        with pytest.raises(PlanError, match="cannot happen at one time"):
            replay_happenings(task, [("op0", other)], Budget())
    assert len(replay_happenings(task, [("op1", "op2")], Budget())) == 2
