(define (problem c) (:domain chain) (:objects a b c d) (:init (at a) (edge a b) (edge b c) (edge c d)) (:goal (at d)))
