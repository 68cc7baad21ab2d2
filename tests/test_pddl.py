"""PDDL is read as it may be written, and what is wrong is told with its place."""

from __future__ import annotations

import pddl
import pytest

from sing import _core
from sing.base.budget import Budget
from sing.base.errors import PddlError
from sing.base.files import Text
from sing.translate import translate
from sing.translate.translator import translate_to_sas

DOMAIN, PROBLEM = pddl.ERRANDS, pddl.ERRANDS_PROBLEM


def sas(domain: str, problem: str) -> str:
    return translate_to_sas(Text("domain", domain), Text("problem", problem), Budget(60))


@pytest.mark.parametrize(
    "written",
    [
        str.upper,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("(", " ( ; a comment with ) and é\n"),
        lambda text: text.replace("\n", "\t"),
        lambda text: text.replace(" ?", "?"),
    ],
    ids=["upper case", "Windows", "byte-order mark", "comments", "tabs", "no blank before variables"],
)
def test_the_same_task_written_in_another_way(written) -> None:
    texts = [(name, written(text)) for name, text in (("domain", DOMAIN), ("problem", PROBLEM))]
    task = _core.translate(*texts, _core.TranslationProgress(), completes=False)
    assert _core.to_sas(task) == sas(DOMAIN, PROBLEM)


def test_sections_may_come_in_any_order() -> None:
    head, *sections = PROBLEM.strip().removesuffix(")").split("\n  (:")
    turned = "\n  (:".join([head, *reversed(sections)]) + ")"
    assert turned != PROBLEM and sas(DOMAIN, turned) == sas(DOMAIN, PROBLEM)
    without = DOMAIN.replace(DOMAIN.split("\n")[1], "")
    assert ":requirements" not in without and sas(without, PROBLEM) == sas(DOMAIN, PROBLEM)


@pytest.mark.parametrize("junctor", ["and", "or", "not"])
def test_nesting_is_no_problem_for_the_stack(junctor: str) -> None:
    """An even number of levels that change nothing around one condition."""
    depth = 100_000
    goal = "(:goal (and (visited shop) (visited bank) (at home)))"
    assert goal in PROBLEM
    nested = f"(:goal (and (visited shop) (at home) {f'({junctor} ' * depth}(visited bank){')' * depth}))"
    task = translate(Text("domain", DOMAIN), Text("problem", PROBLEM.replace(goal, nested)), Budget(60))
    assert {task.variables[fact.variable].value_names[fact.value] for fact in task.goal} >= {"Atom visited(bank)"}


def test_deep_nests_without_an_end_are_errors() -> None:
    with pytest.raises(PddlError, match=r"'domain', line 1, column 200000: this '\(' has no '\)'"):
        sas("(" * 200_000, PROBLEM)


ERRORS = [
    (DOMAIN, ":types place", ":types place -", "line 3, column 17: expected a type after '-', found ')'"),
    (DOMAIN, "home - place", "home - room", "line 4, column 22: type 'room' is not declared in :types"),
    (
        DOMAIN,
        "(at ?p - place)",
        "(at p - place)",
        "line 5, column 20: expected a variable, which begins with '?', found 'p'",
    ),
    (
        DOMAIN,
        ":effect (and (open",
        ":affect (and (open",
        "expected ':parameters', ':precondition' or ':effect', found ':affect'",
    ),
    (DOMAIN, "(not (at ?a))", "(not (at ?a) (at ?b))", "expected one atom after 'not', found '(not (at ?a) (at ?b))'"),
    (DOMAIN, "(not (open ?p))", "(not (open ?q))", "variable '?q' is neither a parameter nor quantified here"),
    (DOMAIN, "(at ?b) (not", "(at ?b ?a) (not", "predicate 'at' takes 1 arguments, not 2"),
    (DOMAIN, "(or (road", "(xor (road", "predicate 'xor' is not declared in :predicates"),
    (DOMAIN, "(not (at ?a))", "(decrease (fuel) 1)", "'decrease': numeric conditions and effects are not supported"),
    (DOMAIN, "(total-cost) 2)", "(total-cost) 2.5)", "expected a whole number from 0 on, found '2.5'"),
    (DOMAIN, "(increase (total-cost) 2)", "(increase (fuel) 2)", "expected '(increase (total-cost) NUMBER)'"),
    (
        DOMAIN,
        "?a ?b - place)\n    :precondition",
        "?a ?a - place)\n    :precondition",
        "variable '?a' is declared twice here",
    ),
    (DOMAIN, "(:action whistle", "(:durative-action whistle", "expected ':requirements', ':types'"),
    (DOMAIN, "(define (domain errands)", "(define (domain)", "expected '(domain NAME)', found '(domain)'"),
    (PROBLEM, "(:domain errands)", "", "the problem has no section '(:domain NAME)'"),
    (PROBLEM, "(at home) (road", "(at house) (road", "line 4, column 14: object 'house' is not declared"),
    (PROBLEM, "(at home) (road", "(at home) (not (at home)) (road", "this fact is both true and false initially"),
    (PROBLEM, "shop bank - place", "shop bank shop - place", "object 'shop' is declared twice"),
    (PROBLEM, "minimize (total-cost)", "maximize (total-cost)", "expected '(:metric minimize (total-cost))'"),
    (PROBLEM, "(length home home) 1", "(length home home) one", "expected a whole number from 0 on, found 'one'"),
    (PROBLEM, "(:goal (and", "(:goal (at home)) (:goal (and", "there is a section ':goal' before this one"),
    (PROBLEM, "(at home)))", "(at home) (é)))", "outside of comments only printable ASCII characters are allowed"),
]


@pytest.mark.parametrize(("text", "old", "new", "message"), ERRORS)
def test_an_error_names_its_place_and_what_was_expected(text: str, old: str, new: str, message: str) -> None:
    assert text.count(old) == 1
    broken = text.replace(old, new)
    with pytest.raises(PddlError) as caught:
        sas(*((broken, PROBLEM) if text is DOMAIN else (DOMAIN, broken)))
    assert message in str(caught.value)
    assert str(caught.value).startswith("'domain'" if text is DOMAIN else "'problem'")


DERIVED = "(define (domain d) (:predicates (p) (q)) (:derived (p) {}) (:action a :effect {}))"


@pytest.mark.parametrize(
    ("condition", "effect", "init", "message"),
    [
        ("(q)", "(p)", "", "the predicate 'p' is derived and cannot be an effect of action 'a'"),
        ("(q)", "(q)", "(p)", "the predicate 'p' is derived and cannot stand in ':init'"),
        ("(not (p))", "(q)", "", "the derived predicates cannot be put into layers"),
    ],
)
def test_derived_predicates_that_have_no_meaning_are_refused(condition, effect, init, message) -> None:
    problem = f"(define (problem p) (:domain d) (:init {init}) (:goal (p)))"
    with pytest.raises(PddlError, match=rf"^'domain' with 'problem': {message}"):
        sas(DERIVED.format(condition, effect), problem)
