(define (domain pancake)
  (:requirements :strips :typing)
  (:types pancake position stage)
  (:predicates
    (at ?pancake - pancake ?position - position)
    (now ?stage - stage)
    (swap-step ?before - stage ?upper ?lower - position ?after - stage))
  (:action swap
    :parameters (?a ?b - pancake ?upper ?lower - position ?before ?after - stage)
    :precondition (and (now ?before) (swap-step ?before ?upper ?lower ?after) (at ?a ?upper) (at ?b ?lower))
    :effect (and (at ?a ?lower) (at ?b ?upper) (not (at ?a ?upper)) (not (at ?b ?lower))
                 (not (now ?before)) (now ?after))))
