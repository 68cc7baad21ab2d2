(define (problem l) (:domain lights) (:objects a b c) (:init (next a b) (lit b)) (:goal (and (done) (lit a))))
