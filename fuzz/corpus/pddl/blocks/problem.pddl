(define (problem blocks-3-1)
  (:domain blocks)
  (:objects
    b1 b2 b3)
  (:init
    (ontable b2)
    (on b3 b2)
    (clear b3)
    (ontable b1)
    (clear b1)
    (handempty))
  (:goal (and
    (ontable b2)
    (ontable b3)
    (on b1 b3))))
