(define (problem npuzzle-2x2-1)
  (:domain npuzzle)
  (:objects
    t1 t2 t3 - tile
    p0 p1 p2 p3 - position)
  (:init
    (at t1 p0)
    (at t3 p1)
    (blank p2)
    (at t2 p3)
    (next-to p0 p1)
    (next-to p0 p2)
    (next-to p1 p0)
    (next-to p1 p3)
    (next-to p2 p0)
    (next-to p2 p3)
    (next-to p3 p1)
    (next-to p3 p2))
  (:goal (and
    (at t1 p1)
    (at t2 p2)
    (at t3 p3))))
