"""One model, many problems of its search space: other starts, other orders, another way to write the same puzzle."""

from __future__ import annotations

import random
import re

import numpy as np
import onnxruntime
import pytest
from pddl import is_valid, write
from reference import is_applicable, successor

import sing
from sing import Budget, Status, Task
from sing.base.files import read_text
from sing.learning.value_iteration import ValueIterationConfig
from sing.networks.encoding import Encoding
from sing.run.batch import solve_all
from sing.translate import fd_translator, generators, translate

CONFIG = sing.CONFIGS["shared"].override(
    nsearches=50, nsamples=100, hidden=(8,), value_iteration=ValueIterationConfig(iterations=3, nsearches=2)
)
FAMILIES = {
    "npuzzle": generators.npuzzle(3, 3, count=3, seed=2),
    "blocks": generators.blocks(5, count=3, seed=5),
    "pancake": generators.pancake(5, count=3, seed=2),
}


class Space:
    """A family's files, a model learned from the first problem, and its estimates along a plan for the second."""

    def __init__(self, folder, family: generators.Family) -> None:
        self.family = family
        self.files = [write(folder / str(i), family.domain, text) for i, text in enumerate(family.problems)]
        self.model = sing.learn(*self.files[0], config=CONFIG, seed=1).model
        self.task = translate(*self.files[1], Budget())
        self.plan = sing.solve(*self.files[1], config="ff-novelty").plan.operators
        self.estimates = estimates_along(self.model, self.task, self.plan)


@pytest.fixture(scope="module", params=FAMILIES)
def space(request, tmp_path_factory) -> Space:
    return Space(tmp_path_factory.mktemp(request.param), FAMILIES[request.param])


def estimates_along(model: sing.Model, task: Task, plan: tuple[str, ...], force: bool = False) -> list[int]:
    """Of the initial state and of every state that the plan comes to."""
    heuristic = model.heuristic(task, force)
    operators = {operator.name: operator for operator in task.operators}
    states = [task.initial_state]
    for name in plan:
        assert is_applicable(operators[name], states[-1])
        states.append(successor(task, operators[name], states[-1]))
    return [heuristic.evaluate(state) for state in states]


def onnx_estimate(model: sing.Model, problem: str) -> int:
    """ONNX Runtime's estimate of a problem's `:init`, without the translator; rounded as the core rounds."""
    facts = re.findall(r"\(([^()]+)\)", problem.split("(:init")[1].split("(:goal")[0])
    true = {f"Atom {name}({', '.join(arguments)})" for name, *arguments in map(str.split, facts)}
    inputs = np.array([[atom in true for atom in model.encoding.atoms]], dtype=np.float32)
    assert 0 < inputs.sum() < inputs.size
    output = onnxruntime.InferenceSession(model.to_bytes()).run(["estimate"], {"state": inputs})[0][0, 0]
    return int(output + np.float32(0.5)) if output > 0 else 0


def test_other_starts_have_the_estimates_of_onnx_runtime(space):
    expected = [onnx_estimate(space.model, text) for text in space.family.problems]
    assert len(set(expected)) > 2
    results = [sing.solve(*files, model=space.model) for files in space.files]
    assert [result.initial_estimate for result in results] == expected
    for files, result in zip(space.files, results, strict=True):
        assert is_valid(*files, result.plan.to_ipc())


# The same problem in another order.


def parsed(text: str) -> list:
    """PDDL as nested lists of words."""
    stack: list[list] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            stack[-2].append(stack.pop())
        else:
            stack[-1].append(token)
    return stack[0][0]


def unparsed(tree: list | str) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(unparsed, tree))})"


def shuffled_tail(section: list, rng: random.Random) -> list:
    return [section[0], *rng.sample(section[1:], len(section) - 1)]


def shuffled_objects(section: list[str], rng: random.Random) -> list[str]:
    """`a b - t c - u` as, say, `b - t c - u a - t`."""
    groups = re.findall(r"(.+?) - (\S+)", " ".join(section[1:]))
    typed = [f"{name} - {kind}" for names, kind in groups for name in names.split()]
    return shuffled_tail([section[0], *typed] if typed else section, rng)


def reordered(text: str, rng: random.Random) -> str:
    """A domain or a problem with all that it lists in another order, but parameters, which name operators."""
    shuffles = {
        ":objects": shuffled_objects,
        ":predicates": shuffled_tail,
        ":init": shuffled_tail,
        ":goal": lambda goal, rng: [":goal", shuffled_tail(goal[1], rng)],
        ":action": lambda action, rng: [shuffled_tail(part, rng) if part[0] == "and" else part for part in action],
    }
    sections = [shuffles.get(section[0], lambda section, _: section)(section, rng) for section in parsed(text)]
    sections.sort(key=lambda section: 1 + rng.random() if section[0] == ":action" else 0)  # the others stay first
    return unparsed(sections)


@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_the_pddl_changes_no_estimate(space, tmp_path, seed):
    """Here the translator sorts, and its output is the same; where it does not, the tests after this one hold."""
    before = space.family.domain, space.family.problems[1]
    texts = [reordered(text, random.Random(seed)) for text in before]
    assert all(text != unparsed(parsed(old)) for text, old in zip(texts, before, strict=True))
    task = translate(*write(tmp_path, *texts), Budget())
    assert estimates_along(space.model, task, space.plan) == space.estimates


def test_the_grouping_of_atoms_into_variables_changes_no_estimate(space):
    """Without invariants each atom is a variable. Some of these never become true and are unknown to the model."""
    texts = (read_text(file, "PDDL", Budget()) for file in space.files[1])
    options = ("--invariant-generation-max-candidates", "0")
    task = Task.from_sas(fd_translator.translate_to_sas(*texts, Budget(), options))
    assert len(task.variables) == len(task.atoms) > 2 * len(space.task.variables)
    assert estimates_along(space.model, task, space.plan, force=True) == space.estimates


def reordered_sas(task: Task, rng: random.Random) -> Task:
    """The same task with its variables, their values, its operators, goals and mutexes in another order."""
    order = rng.sample(range(len(task.variables)), len(task.variables))
    sizes = [len(variable.value_names) for variable in task.variables]
    values = [rng.sample(range(size), size) for size in sizes]

    def shuffled(facts) -> list[str]:
        lines = [f"{order.index(variable)} {values[variable].index(value)}" for variable, value in facts]
        return rng.sample(lines, len(lines))

    lines: list[object] = ["begin_version", 3, "end_version", "begin_metric", 0, "end_metric", len(order)]
    for number, variable in enumerate(order):
        names = [task.variables[variable].value_names[value] for value in values[variable]]
        lines += ["begin_variable", f"var{number}", -1, len(names), *names, "end_variable"]
    mutexes = [["begin_mutex_group", len(group), *shuffled(group), "end_mutex_group"] for group in task.mutex_groups]
    lines += [len(mutexes), *(line for mutex in rng.sample(mutexes, len(mutexes)) for line in mutex)]
    state = [values[variable].index(task.initial_state[variable]) for variable in order]
    lines += ["begin_state", *state, "end_state"]
    lines += ["begin_goal", len(task.goal), *shuffled(task.goal), "end_goal", task.num_operators]
    for operator in rng.sample(task.operators, task.num_operators):
        before = dict(operator.preconditions)
        after = dict(effect.fact for effect in operator.effects)  # without conditions: the families have none
        prevail = [fact for fact in operator.preconditions if fact.variable not in after]
        lines += ["begin_operator", operator.name, len(prevail), *shuffled(prevail), len(after)]
        for variable in rng.sample(list(after), len(after)):
            old = values[variable].index(before[variable]) if variable in before else -1
            lines.append(f"0 {order.index(variable)} {old} {values[variable].index(after[variable])}")
        lines += [1, "end_operator"]
    return Task.from_sas("\n".join(map(str, [*lines, 0])))


@pytest.mark.parametrize("encoding", ["boolean", "sas"])
def test_the_order_of_variables_and_values_changes_no_estimate(space, encoding):
    """On every state along a plan; test_model.py does this for one state of a puzzle written without the translator."""
    model = sing.learn(*space.files[0], config=CONFIG.override(encoding=encoding), seed=1).model
    expected = estimates_along(model, space.task, space.plan)
    assert len(set(expected)) > 2
    for seed in range(5):
        task = reordered_sas(space.task, random.Random(seed))
        assert task.atoms != space.task.atoms
        assert estimates_along(model, task, space.plan) == expected


# Sliding tiles in other words: columns and rows apart, and no cell has a name.

GRID = """\
(define (domain grid-tiles)
  (:requirements :strips :typing)
  (:types plate mark)
  (:predicates (inc ?a ?b - mark) (dec ?a ?b - mark)
    (column ?plate - plate ?x - mark) (row ?plate - plate ?y - mark) (gap ?x ?y - mark))
  (:action go-right :parameters (?plate - plate ?x ?next ?y - mark)
    :precondition (and (inc ?x ?next) (gap ?next ?y) (column ?plate ?x) (row ?plate ?y))
    :effect (and (not (gap ?next ?y)) (gap ?x ?y) (not (column ?plate ?x)) (column ?plate ?next)))
  (:action go-left :parameters (?plate - plate ?x ?next ?y - mark)
    :precondition (and (dec ?x ?next) (gap ?next ?y) (column ?plate ?x) (row ?plate ?y))
    :effect (and (not (gap ?next ?y)) (gap ?x ?y) (not (column ?plate ?x)) (column ?plate ?next)))
  (:action go-down :parameters (?plate - plate ?x ?y ?next - mark)
    :precondition (and (inc ?y ?next) (gap ?x ?next) (column ?plate ?x) (row ?plate ?y))
    :effect (and (not (gap ?x ?next)) (gap ?x ?y) (not (row ?plate ?y)) (row ?plate ?next)))
  (:action go-up :parameters (?plate - plate ?x ?y ?next - mark)
    :precondition (and (dec ?y ?next) (gap ?x ?next) (column ?plate ?x) (row ?plate ?y))
    :effect (and (not (gap ?x ?next)) (gap ?x ?y) (not (row ?plate ?y)) (row ?plate ?next))))
"""
BOARDS = ("876543210", "214365870", "123456708")


def grid_facts(board: str) -> str:
    cells = [(tile, f"m{cell % 3}", f"m{cell // 3}") for cell, tile in enumerate(board)]
    return " ".join(f"(gap {x} {y})" if t == "0" else f"(column n{t} {x}) (row n{t} {y})" for t, x, y in cells)


def grid_problem(board: str) -> str:
    return (
        "(define (problem grid) (:domain grid-tiles)"
        f"(:objects {' '.join(f'n{tile}' for tile in range(1, 9))} - plate m0 m1 m2 - mark)"
        f"(:init {grid_facts(board)} (inc m0 m1) (inc m1 m2) (dec m2 m1) (dec m1 m0))"
        f"(:goal (and {grid_facts('123456780')})))"
    )


def test_another_encoding_of_the_puzzle_is_learned_and_shared(tmp_path):
    files = [write(tmp_path / str(i), GRID, grid_problem(board)) for i, board in enumerate(BOARDS)]
    model = sing.learn(*files[0], config=CONFIG, seed=1).model
    assert len(model.encoding.atoms) == 8 * (3 + 3) + 9
    for board, (domain, problem) in zip(BOARDS, files, strict=True):
        result = sing.solve(domain, problem, model=model)
        assert result.status is Status.SOLVED
        assert result.initial_estimate == onnx_estimate(model, grid_problem(board))
        assert is_valid(domain, problem, result.plan.to_ipc())


def exchanged(facts: str) -> str:
    """With tiles 1 and 2 in each other's place, which no moves can do."""
    return re.sub(r"\(at t([12]) ", lambda match: f"(at t{3 - int(match[1])} ", facts)


def test_a_batch_tells_the_unsolvable_and_the_foreign_from_the_solved(tmp_path):
    """Also where the model fits what cannot be solved. The library's call; test_batch.py has the command."""
    family = generators.npuzzle(2, 3, count=3, seed=1)
    texts = dict(zip(("first", "unsolvable", "last"), family.problems, strict=True))
    start, goal = texts["unsolvable"].split("(:goal")
    texts["unsolvable"] = f"{exchanged(start)}(:goal{goal}"
    texts |= {"foreign": f"{start}(:goal{exchanged(goal)}", "malformed": start}
    files = {name: write(tmp_path / name, family.domain, text) for name, text in texts.items()}
    model = sing.learn(*files["first"], config=CONFIG, seed=1).model
    items = solve_all(
        files["first"][0], tuple(str(problem) for _, problem in files.values()),
        config=CONFIG.with_model(model, force=False), time_limit_s=1800, budget=Budget(), seed=0, jobs=1,
        on_done=lambda item: None,
    )  # fmt: skip
    _, unsolvable, _, foreign, malformed = items
    assert [item.is_solved for item in items] == [True, False, True, False, False]
    assert unsolvable.result.status is Status.UNSOLVABLE and unsolvable.result.num_registered == 360
    assert "another search space" in str(foreign.error)
    assert isinstance(malformed.error, sing.PddlError)


LAMPS = """(define (domain lamps) (:requirements :negative-preconditions) (:constants a b) (:predicates (lit ?l) (done))
(:action move :parameters (?x ?y) :precondition (lit ?x) :effect (and (not (lit ?x)) (lit ?y)))
(:action quench :parameters (?x) :precondition (lit ?x) :effect (not (lit ?x)))
(:action leave :parameters () :precondition (not (lit a)) :effect (done)))"""
LAMPS_PROBLEM = "(define (problem p) (:domain lamps) (:init {}) (:goal (done)))"


def test_variables_split_in_two_are_refused_where_values_have_numbers(tmp_path):
    """Two lit lamps break the invariant that made them one variable."""
    one, two = (
        translate(*write(tmp_path / str(i), LAMPS, LAMPS_PROBLEM.format(init)), Budget())
        for i, init in enumerate(("(lit a)", "(lit a) (lit b)"))
    )
    assert Encoding.of(one, "boolean").features(two)
    with pytest.raises(sing.InputError, match="groups its atoms into other variables"):
        Encoding.of(one, "sas").features(two)
    assert Encoding.of(one, "sas").features(two, force=True)
