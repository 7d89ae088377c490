; A greenhouse: plants and tools on shelves, vents in the roof and the side. Made for the held-out instructions beside it.
(define (domain greenhouse)
  (:requirements :strips :typing :negative-preconditions)
  (:types item spot vent - object
          plant tool - item)
  (:predicates
    (gardener-at ?s - spot)
    (standing ?i - item ?s - spot)
    (carrying ?i - item)
    (watered ?p - plant)
    (pruned ?p - plant)
    (clean ?t - tool)
    (open ?v - vent))
  (:action walk
    :parameters (?from ?to - spot)
    :precondition (gardener-at ?from)
    :effect (and (not (gardener-at ?from)) (gardener-at ?to)))
  (:action take
    :parameters (?i - item ?s - spot)
    :precondition (and (gardener-at ?s) (standing ?i ?s))
    :effect (and (not (standing ?i ?s)) (carrying ?i)))
  (:action put
    :parameters (?i - item ?s - spot)
    :precondition (and (gardener-at ?s) (carrying ?i))
    :effect (and (not (carrying ?i)) (standing ?i ?s)))
  (:action water
    :parameters (?p - plant ?s - spot)
    :precondition (and (gardener-at ?s) (standing ?p ?s))
    :effect (watered ?p))
  (:action prune
    :parameters (?p - plant ?s - spot)
    :precondition (and (gardener-at ?s) (standing ?p ?s))
    :effect (pruned ?p))
  (:action wash
    :parameters (?t - tool)
    :precondition (carrying ?t)
    :effect (clean ?t))
  (:action open-vent
    :parameters (?v - vent)
    :precondition (not (open ?v))
    :effect (open ?v))
  (:action close-vent
    :parameters (?v - vent)
    :precondition (open ?v)
    :effect (not (open ?v))))
