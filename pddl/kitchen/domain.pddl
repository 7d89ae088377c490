; A kitchen as the robot of the Tru-POMDP paper (Tang et al. 2025, section 3.2) meets it: places with and without doors,
; things to move. Opening, picking and placing take the robot there, so that walking is no action of its own.
(define (domain kitchen)
  (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions)
  (:types
    place movable - object
    container surface - place)
  (:predicates
    (opened ?c - container)
    (inside ?m - movable ?c - container)
    (on ?m - movable ?s - surface)
    (holding ?m - movable)
    (hand-empty))

  (:action open-container
    :parameters (?c - container)
    :precondition (not (opened ?c))
    :effect (opened ?c))

  (:action pick-from-surface
    :parameters (?m - movable ?s - surface)
    :precondition (and (on ?m ?s) (hand-empty))
    :effect (and (not (on ?m ?s)) (not (hand-empty)) (holding ?m)))

  (:action pick-from-container
    :parameters (?m - movable ?c - container)
    :precondition (and (inside ?m ?c) (opened ?c) (hand-empty))
    :effect (and (not (inside ?m ?c)) (not (hand-empty)) (holding ?m)))

  (:action place-on
    :parameters (?m - movable ?s - surface)
    :precondition (holding ?m)
    :effect (and (not (holding ?m)) (hand-empty) (on ?m ?s)))

  (:action place-in
    :parameters (?m - movable ?c - container)
    :precondition (and (holding ?m) (opened ?c))
    :effect (and (not (holding ?m)) (hand-empty) (inside ?m ?c))))
