(define (domain blocks)
  (:requirements :strips)
  (:predicates (on ?upper ?lower) (ontable ?block) (clear ?block) (holding ?block) (handempty))
  (:action pick-up
    :parameters (?block)
    :precondition (and (clear ?block) (ontable ?block) (handempty))
    :effect (and (holding ?block) (not (clear ?block)) (not (ontable ?block)) (not (handempty))))
  (:action put-down
    :parameters (?block)
    :precondition (holding ?block)
    :effect (and (clear ?block) (ontable ?block) (handempty) (not (holding ?block))))
  (:action stack
    :parameters (?upper ?lower)
    :precondition (and (holding ?upper) (clear ?lower))
    :effect (and (on ?upper ?lower) (clear ?upper) (handempty) (not (holding ?upper)) (not (clear ?lower))))
  (:action unstack
    :parameters (?upper ?lower)
    :precondition (and (on ?upper ?lower) (clear ?upper) (handempty))
    :effect (and (holding ?upper) (clear ?lower) (not (on ?upper ?lower)) (not (clear ?upper)) (not (handempty)))))
