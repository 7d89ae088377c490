; A robot walks from cell to cell. Tables are seen by whoever is at their cell; a box is shut until someone with a free
; hand opens it.
(define (domain cells)
  (:requirements :strips :typing :negative-preconditions :existential-preconditions)
  (:types cell item place hand - object
          box table - place)
  (:predicates
    (at ?c - cell)
    (way ?a ?b - cell)
    (stands ?p - place ?c - cell)
    (opened ?b - box)
    (lies ?i - item ?p - place)
    (holds ?h - hand ?i - item)
    (free ?h - hand))

  (:action walk
    :parameters (?a ?b - cell)
    :precondition (and (at ?a) (way ?a ?b))
    :effect (and (not (at ?a)) (at ?b)))

  (:action open-box
    :parameters (?b - box ?c - cell ?h - hand)
    :precondition (and (at ?c) (stands ?b ?c) (free ?h) (not (opened ?b)))
    :effect (opened ?b))

  (:action take-from-box
    :parameters (?i - item ?b - box ?c - cell ?h - hand)
    :precondition (and (at ?c) (stands ?b ?c) (opened ?b) (lies ?i ?b) (free ?h))
    :effect (and (not (lies ?i ?b)) (not (free ?h)) (holds ?h ?i)))

  (:action take-from-table
    :parameters (?i - item ?t - table ?c - cell ?h - hand)
    :precondition (and (at ?c) (stands ?t ?c) (lies ?i ?t) (free ?h))
    :effect (and (not (lies ?i ?t)) (not (free ?h)) (holds ?h ?i)))

  (:action put-in-box
    :parameters (?i - item ?b - box ?c - cell ?h - hand)
    :precondition (and (at ?c) (stands ?b ?c) (opened ?b) (holds ?h ?i))
    :effect (and (not (holds ?h ?i)) (free ?h) (lies ?i ?b)))

  (:action put-on-table
    :parameters (?i - item ?t - table ?c - cell ?h - hand)
    :precondition (and (at ?c) (stands ?t ?c) (holds ?h ?i))
    :effect (and (not (holds ?h ?i)) (free ?h) (lies ?i ?t))))
