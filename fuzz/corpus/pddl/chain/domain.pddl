(define (domain chain) (:requirements :strips :derived-predicates :negative-preconditions :equality)
 (:predicates (at ?x) (edge ?x ?y) (reach ?x))
 (:derived (reach ?x) (or (at ?x) (exists (?y) (and (reach ?y) (edge ?y ?x)))))
 (:action go :parameters (?x ?y) :precondition (and (at ?x) (edge ?x ?y) (not (= ?x ?y))) :effect (and (at ?y) (not (at ?x)))))
