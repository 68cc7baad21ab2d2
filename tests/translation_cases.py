"""Small domains with what translation has to get right, by name, each with a problem."""

CASES = {
    "either": (
        """(define (domain d) (:requirements :strips :typing) (:types a b c)
          (:predicates (p ?x - (either a b)) (q ?x - (either a b c)) (r))
          (:action go :parameters (?x - a) :precondition (p ?x) :effect (and (q ?x) (not (p ?x)) (r))))""",
        "(define (problem p) (:domain d) (:objects x y - a z - b) (:init (p x) (p z)) (:goal (and (q x) (r))))",
    ),
    "the same atom added and deleted": (
        """(define (domain d) (:predicates (p ?x) (q ?x))
          (:action flip :parameters (?x ?y) :precondition (p ?x)
            :effect (and (not (p ?x)) (p ?y) (not (q ?y)) (q ?x) (when (q ?y) (not (q ?x))))))""",
        "(define (problem p) (:domain d) (:objects a b) (:init (p a) (q b)) (:goal (and (p b) (q a))))",
    ),
    "goals that are denied": (
        """(define (domain d) (:predicates (at ?x ?y) (next ?x ?y) (thing ?x))
          (:action go :parameters (?t ?x ?y) :precondition (and (thing ?t) (at ?t ?x) (next ?x ?y))
            :effect (and (not (at ?t ?x)) (at ?t ?y))))""",
        """(define (problem p) (:domain d) (:objects t x y z)
          (:init (thing t) (at t x) (next x y) (next y z)) (:goal (and (not (at t x)) (not (at t y)))))""",
    ),
    "a goal that is static": (
        """(define (domain d) (:predicates (p ?x) (q ?x))
          (:action a :parameters (?x) :precondition (p ?x) :effect (q ?x)))""",
        "(define (problem p) (:domain d) (:objects a) (:init (p a)) (:goal (p a)))",
    ),
    "a mutex goal": (
        """(define (domain d) (:predicates (at ?y) (next ?x ?y))
          (:action go :parameters (?x ?y) :precondition (and (at ?x) (next ?x ?y))
            :effect (and (not (at ?x)) (at ?y))))""",
        """(define (problem p) (:domain d) (:objects x y z)
          (:init (at x) (next x y) (next y z)) (:goal (and (at y) (at z))))""",
    ),
    "layers of axioms": (
        """(define (domain d) (:requirements :adl :derived-predicates)
          (:predicates (edge ?x ?y) (on ?x) (path ?x ?y) (apart ?x ?y) (all-on))
          (:derived (path ?x ?y) (or (and (edge ?x ?y) (on ?x)) (exists (?z) (and (path ?x ?z) (path ?z ?y)))))
          (:derived (apart ?x ?y) (not (path ?x ?y)))
          (:derived (all-on) (forall (?x) (on ?x)))
          (:action switch :parameters (?x ?y) :precondition (and (apart ?x ?y) (not (on ?x))) :effect (on ?x))
          (:action off :parameters (?x) :precondition (and (on ?x) (not (all-on))) :effect (not (on ?x))))""",
        """(define (problem p) (:domain d) (:objects a b c)
          (:init (edge a b) (edge b c) (edge c a) (on a))
          (:goal (and (path a c) (forall (?x) (imply (edge ?x a) (on ?x))))))""",
    ),
    "quantifiers within quantifiers": (
        """(define (domain d) (:requirements :adl) (:types t) (:predicates (p ?x - t) (q ?x ?y - t) (done ?x - t))
          (:action a :parameters (?x - t)
            :precondition (forall (?y - t) (or (p ?y)
              (exists (?z - t) (and (q ?y ?z) (not (forall (?w - t) (q ?z ?w)))))))
            :effect (and (done ?x) (forall (?y ?z - t) (when (and (q ?y ?z) (not (= ?y ?z))) (not (q ?y ?z)))))))""",
        """(define (problem p) (:domain d) (:objects a b c - t)
          (:init (p a) (q b a) (q c c)) (:goal (forall (?x - t) (done ?x))))""",
    ),
    "an action of no parameters, one of no condition": (
        """(define (domain d) (:predicates (p) (q)) (:action a :effect (p))
          (:action b :parameters () :precondition (p) :effect (and (q) (not (p)))))""",
        "(define (problem p) (:domain d) (:init ) (:goal (and (q) (p))))",
    ),
    "an existential condition": (
        """(define (domain d) (:requirements :adl) (:predicates (p ?x) (q ?x) (r ?x ?y))
          (:action a :parameters (?x) :precondition (exists (?y ?z) (and (r ?x ?y) (r ?y ?z) (p ?z)))
            :effect (and (q ?x) (when (exists (?y) (and (r ?y ?x) (q ?y))) (p ?x)))))""",
        """(define (problem p) (:domain d) (:objects a b c)
          (:init (r a b) (r b c) (r c a) (r b a) (p a) (p c)) (:goal (and (p a) (p b) (q c))))""",
    ),
}
