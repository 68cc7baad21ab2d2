(define (domain lights) (:requirements :adl)
 (:predicates (lit ?x) (next ?x ?y) (done))
 (:action press :parameters (?x) :precondition (not (lit ?x)) :effect (and (lit ?x) (forall (?y) (when (next ?x ?y) (not (lit ?y))))))
 (:action all :parameters () :precondition (forall (?x) (or (lit ?x) (exists (?y) (and (next ?x ?y) (lit ?y))))) :effect (done)))
