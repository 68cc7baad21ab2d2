(define (problem g) (:domain gripper) (:objects a b - room x y - ball right - gripper)
 (:init (at-robby a) (at x a) (at y a) (free left) (free right) (= (total-cost) 0))
 (:goal (and (at x b) (at y b))) (:metric minimize (total-cost)))
