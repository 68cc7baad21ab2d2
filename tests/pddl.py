"""Small PDDL domains that exercise what the generators do not, and an independent validator."""

from __future__ import annotations

from pathlib import Path

from unified_planning.engines import SequentialPlanValidator, ValidationResultStatus
from unified_planning.io import PDDLReader
from unified_planning.shortcuts import get_environment

# Costs, negative and disjunctive conditions, a constant, and an operator that cannot help.
ERRANDS = """\
(define (domain errands)
  (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :action-costs)
  (:types place)
  (:constants home - place)
  (:predicates (at ?p - place) (road ?a ?b - place) (open ?p - place) (visited ?p - place) (whistling))
  (:functions (length ?a ?b - place) (total-cost))
  (:action go
    :parameters (?a ?b - place)
    :precondition (and (at ?a) (or (road ?a ?b) (road ?b ?a)))
    :effect (and (at ?b) (not (at ?a)) (increase (total-cost) (length ?a ?b))))
  (:action unlock
    :parameters (?p - place)
    :precondition (and (at ?p) (not (open ?p)))
    :effect (and (open ?p) (increase (total-cost) 2)))
  (:action visit
    :parameters (?p - place)
    :precondition (and (at ?p) (open ?p))
    :effect (and (visited ?p) (increase (total-cost) 0)))
  (:action whistle
    :parameters ()
    :effect (and (whistling) (increase (total-cost) 1))))
"""

ERRANDS_PROBLEM = """\
(define (problem errands-1)
  (:domain errands)
  (:objects shop bank - place)
  (:init (at home) (road home shop) (road shop bank) (open shop) (= (total-cost) 0)
    (= (length home home) 1) (= (length home shop) 3) (= (length home bank) 9)
    (= (length shop home) 3) (= (length shop shop) 1) (= (length shop bank) 4)
    (= (length bank home) 9) (= (length bank shop) 4) (= (length bank bank) 1))
  (:goal (and (visited shop) (visited bank) (at home)))
  (:metric minimize (total-cost)))
"""

# The shop and the bank lie on an island.
UNSOLVABLE_PROBLEM = ERRANDS_PROBLEM.replace("(road home shop) ", "")

CONDITIONAL = """\
(define (domain lamps)
  (:requirements :strips :conditional-effects)
  (:predicates (on ?l) (ready))
  (:action press :parameters (?l)
    :effect (and (ready) (when (on ?l) (not (on ?l))) (when (not (on ?l)) (on ?l)))))
"""
CONDITIONAL_PROBLEM = (
    "(define (problem p) (:domain lamps) (:objects a b) (:init (on a)) (:goal (and (on b) (not (on a)))))"
)

DERIVED = """\
(define (domain reach)
  (:requirements :strips :derived-predicates)
  (:predicates (edge ?a ?b) (linked ?a ?b))
  (:derived (linked ?a ?b) (or (edge ?a ?b) (exists (?c) (and (edge ?a ?c) (linked ?c ?b)))))
  (:action build :parameters (?a ?b) :effect (edge ?a ?b)))
"""
DERIVED_PROBLEM = "(define (problem p) (:domain reach) (:objects a b c) (:init (edge a b)) (:goal (linked a c)))"

# All kinds of conditions: a lift that carries whoever stands where it stops, and a goal with a choice.
QUANTIFIED = """\
(define (domain lift)
  (:requirements :adl)
  (:types floor person)
  (:predicates (lift-at ?f - floor) (waits ?p - person ?f - floor) (rides ?p - person) (alarm))
  (:action move :parameters (?a ?b - floor)
    :precondition (and (lift-at ?a) (not (= ?a ?b)) (or (not (alarm)) (forall (?p - person) (not (rides ?p)))))
    :effect (and (lift-at ?b) (not (lift-at ?a))))
  (:action stop :parameters (?f - floor)
    :precondition (lift-at ?f)
    :effect (and
      (forall (?p - person) (when (waits ?p ?f) (and (rides ?p) (not (waits ?p ?f)))))
      (forall (?p - person) (when (rides ?p) (and (waits ?p ?f) (not (rides ?p)))))))
  (:action ring :parameters (?f - floor)
    :precondition (and (not (alarm)) (exists (?p - person) (waits ?p ?f)))
    :effect (alarm)))
"""
QUANTIFIED_PROBLEM = """\
(define (problem p) (:domain lift) (:objects f0 f1 f2 - floor p0 p1 p2 - person)
  (:init (lift-at f0) (waits p0 f1) (waits p1 f1) (waits p2 f2))
  (:goal (and (alarm) (forall (?p - person) (or (waits ?p f0) (rides ?p))) (exists (?p - person) (waits ?p f0)))))
"""


def write(folder: Path, domain: str, problem: str) -> tuple[Path, Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "domain.pddl", folder / "problem.pddl"
    for path, text in zip(paths, (domain, problem), strict=True):
        path.write_text(text)
    return paths


def is_valid(domain: Path, problem: Path, plan: str) -> bool:
    """Unified-planning's verdict: it parses the PDDL itself and knows nothing of the translator."""
    get_environment().credits_stream = None
    reader = PDDLReader()
    parsed = reader.parse_problem(str(domain), str(problem))
    with SequentialPlanValidator() as validator:
        result = validator.validate(parsed, reader.parse_plan_string(parsed, plan))
    return result.status is ValidationResultStatus.VALID
