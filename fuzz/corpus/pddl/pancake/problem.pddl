(define (problem pancake-3-1)
  (:domain pancake)
  (:objects
    c1 c2 c3 - pancake
    p1 p2 p3 - position
    rest s2-3 - stage)
  (:init
    (at c2 p1)
    (at c3 p2)
    (at c1 p3)
    (now rest)
    (swap-step rest p1 p2 rest)
    (swap-step rest p1 p3 rest)
    (swap-step s2-3 p2 p3 rest))
  (:goal (and
    (at c1 p1)
    (at c2 p2)
    (at c3 p3)
    (now rest))))
