(define (domain npuzzle)
  (:requirements :strips :typing)
  (:types tile position)
  (:predicates
    (at ?tile - tile ?position - position)
    (blank ?position - position)
    (next-to ?a ?b - position))
  (:action slide
    :parameters (?tile - tile ?from ?to - position)
    :precondition (and (at ?tile ?from) (blank ?to) (next-to ?from ?to))
    :effect (and (at ?tile ?to) (blank ?from) (not (at ?tile ?from)) (not (blank ?to)))))
