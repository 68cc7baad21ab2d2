"""The generators of puzzles whose moves turn several things at once, against puzzles written down another way."""

import heapq
import random
import re

import pddl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sing
from sing.base.errors import InputError
from sing.translate.cube import cube, inverse_plan
from sing.translate.turning import burnt_pancake, lights_out, top_spin

FACES = "udfbrl"
# Where a quarter turn brings the stickers of a face, as vectors: a rotation by 90 degrees around the face's direction.
NORMALS = {"u": (0, 0, 1), "d": (0, 0, -1), "f": (0, -1, 0), "b": (0, 1, 0), "r": (1, 0, 0), "l": (-1, 0, 0)}


def rotated(vector, normal):
    """Clockwise as one looks at the face: v → (v·n) n − n × v."""
    dot = sum(a * b for a, b in zip(vector, normal, strict=True))
    (nx, ny, nz), (x, y, z) = normal, vector
    cross = (ny * z - nz * y, nz * x - nx * z, nx * y - ny * x)
    return tuple(dot * n - c for n, c in zip(normal, cross, strict=True))


def turned(places, face):
    """Cubies by name with the directions of their stickers, after a quarter turn."""
    normal = NORMALS[face]
    return {
        name: [rotated(side, normal) for side in sides] if normal in sides else sides for name, sides in places.items()
    }


def places_of(problem):
    letters = {normal: face for face, normal in NORMALS.items()}
    found = dict(re.findall(r"\(at [ce]-(\w+) (\w+)\)", problem.split("(:goal")[0]))
    assert set(letters.values()) == set(FACES)
    return {name: [NORMALS[letter] for letter in place] for name, place in found.items()}


@given(st.lists(st.tuples(st.sampled_from(FACES), st.sampled_from([1, 2, 3])), max_size=30))
def test_turns_of_the_cube_are_rotations_in_space(turns):
    words = " ".join(face.upper() + {1: "", 2: "2", 3: "'"}[quarters] for face, quarters in turns)
    places = {name: [NORMALS[letter] for letter in name] for name in places_of(cube(0).problems[0])}
    for face, quarters in turns:
        for _ in range(quarters):
            places = turned(places, face)
    assert places_of(cube(scramble=words).problems[0]) == places


def test_undoing_a_scramble_is_a_plan(tmp_path):
    scramble = "F U2 B' L D R'"  # each face
    family = cube(scramble=scramble)
    files = pddl.write(tmp_path, family.domain, family.problems[0])
    plan = "\n".join(f"({name})" for name in inverse_plan(scramble))
    assert pddl.is_valid(*files, plan)


def test_a_short_scramble_has_no_shorter_plan(tmp_path):
    """Breadth first: two turns of faces that touch cannot be undone by one."""
    family = cube(scramble="R U2")
    files = pddl.write(tmp_path, family.domain, family.problems[0])
    result = sing.solve(*files, config="blind")
    assert list(result.plan.operators) == inverse_plan("R U2")


def test_random_scrambles_are_as_long_as_asked_for():
    family = cube(20, count=30, seed=2)
    assert family == cube(20, count=30, seed=2)
    assert len({problem.split("(:init")[1] for problem in family.problems}) == 30
    assert cube(0).problems[0].count("(at c-urf urf)") == 2


@pytest.mark.parametrize("word", ["X", "U3", "UU", "2U"])
def test_what_is_no_turn_is_refused(word):
    with pytest.raises(InputError, match="not a turn"):
        cube(scramble=f"U {word}")


def least_presses(size, lamps):
    """Every set of presses, by brute force; lamps are bits."""
    cells = range(size * size)
    near = [sum(1 << b for b in cells if abs(a // size - b // size) + abs(a % size - b % size) <= 1) for a in cells]
    wanted = sum(lamp << cell for cell, lamp in enumerate(lamps))
    reached = [0]  # by each set of presses, as bits
    for switched in near:
        reached += [lit ^ switched for lit in reached]
    return min((presses.bit_count() for presses, lit in enumerate(reached) if lit == wanted), default=None)


@pytest.mark.parametrize("size", [2, 3])
def test_lights_go_out_with_as_few_presses_as_possible(size, tmp_path):
    for number, problem in enumerate(lights_out(size, count=4, seed=6).problems):
        lamps = [0] * size * size
        for cell in re.findall(r"\(shows x(\d+) on\)", problem):
            lamps[int(cell)] = 1
        files = pddl.write(tmp_path / str(number), lights_out(size).domain, problem)
        result = sing.solve(*files, config="blind")
        assert len(result.plan) == least_presses(size, lamps)
        assert pddl.is_valid(*files, result.plan.to_ipc())


def test_a_board_of_lamps_may_have_no_solution(tmp_path):
    lamps = [1] + [0] * 15  # of the sixteen boards of 4×4 lamps one has a solution
    family = lights_out(4, board=lamps)
    result = sing.solve(*pddl.write(tmp_path, family.domain, family.problems[0]), config="blind")
    assert (result.status is sing.Status.SOLVED) == (least_presses(4, lamps) is not None)


def flips(stack):
    """Burnt pancakes after each flip, and the steps that it takes: a pair at a time."""
    return [([-size for size in reversed(stack[:k])] + stack[k:], (k + 1) // 2) for k in range(1, len(stack) + 1)]


def spins(ring, width):
    found = []
    for first in range(len(ring)):
        places = [(first + k) % len(ring) for k in range(width)]
        after = list(ring)
        for place, token in zip(places, [ring[place] for place in reversed(places)], strict=True):
            after[place] = token
        found.append((after, width // 2))
    return found


def fewest_steps(start, goal, moves):
    """Dijkstra's algorithm on whole moves."""
    waiting, done = [(0, list(start))], set()
    while waiting:
        steps, state = heapq.heappop(waiting)
        if state == list(goal):
            return steps
        if tuple(state) not in done:
            done.add(tuple(state))
            for after, cost in moves(state):
                heapq.heappush(waiting, (steps + cost, after))
    return None


@pytest.mark.parametrize("stack", [[-1], [2, -1], [-3, 1, 2], [3, -2, -1], [-2, 4, -1, 3]])
def test_burnt_pancakes_take_as_many_steps_as_they_must(stack, tmp_path):
    family = burnt_pancake(len(stack), board=stack)
    files = pddl.write(tmp_path, family.domain, family.problems[0])
    result = sing.solve(*files, config="blind")
    assert pddl.is_valid(*files, result.plan.to_ipc())
    assert len(result.plan) == fewest_steps(stack, sorted(map(abs, stack)), flips)


@pytest.mark.parametrize(("ring", "width"), [([2, 1, 3], 2), ([3, 4, 1, 2], 3), ([4, 3, 2, 1, 5], 4)])
def test_rings_take_as_many_steps_as_they_must(ring, width, tmp_path):
    family = top_spin(len(ring), width, board=ring)
    files = pddl.write(tmp_path, family.domain, family.problems[0])
    result = sing.solve(*files, config="blind")
    assert pddl.is_valid(*files, result.plan.to_ipc())
    assert len(result.plan) == fewest_steps(ring, sorted(ring), lambda state: spins(state, width))


def test_bad_boards_are_refused():
    for make in (
        lambda: lights_out(1),
        lambda: lights_out(2, board=[0, 1, 2, 0]),
        lambda: lights_out(2, board=[0, 1, 1, 0], count=2),
        lambda: top_spin(3, 4),
        lambda: top_spin(3, 2, board=[1, 1, 2]),
        lambda: burnt_pancake(2, board=[1, 3]),
        lambda: burnt_pancake(0),
        lambda: cube(-1),
        lambda: cube(scramble="U", count=2),
    ):
        with pytest.raises(InputError):
            make()


def test_a_network_learns_a_puzzle_of_each_kind(tmp_path):
    """They are plain STRIPS, so that `shared` learns them; the cube's conditional effects need another way."""
    config = sing.CONFIGS["shared"].override(**{"value_iteration.iterations": 5, "sampling.nsearches": 50})
    for name, family in (("lights", lights_out(3)), ("ring", top_spin(6)), ("stack", burnt_pancake(4))):
        result = sing.solve(*pddl.write(tmp_path / name, family.domain, family.problems[0]), config=config)
        assert result.status is sing.Status.SOLVED
        assert result.num_samples > 0


def test_random_starts_differ():
    rng = random.Random(0)
    for make in (lights_out, top_spin, burnt_pancake):
        family = make(7, count=20, seed=rng.randrange(1000))
        assert len({problem.split("(:init")[1] for problem in family.problems}) > 10
