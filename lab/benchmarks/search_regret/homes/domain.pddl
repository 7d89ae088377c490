; A home as in the household domain: any room is a step away, and so is any place of the room that one is in. What is on
; tables is seen on entering; a box is shut until someone with a free hand, who stands at it, opens it.
(define (domain homes)
  (:requirements :strips :typing :negative-preconditions :conditional-effects :existential-preconditions)
  (:types room item place hand - object
          box table - place)
  (:predicates
    (robot-in ?r - room)
    (robot-at ?p - place)
    (belongs ?p - place ?r - room)
    (opened ?b - box)
    (inside ?i - item ?b - box)
    (on ?i - item ?t - table)
    (holding ?h - hand ?i - item)
    (free ?h - hand))

  (:action walk-to-room
    :parameters (?from ?to - room)
    :precondition (robot-in ?from)
    :effect (and (not (robot-in ?from)) (robot-in ?to) (forall (?p - place) (not (robot-at ?p)))))

  (:action walk-to-place
    :parameters (?p - place ?r - room)
    :precondition (and (robot-in ?r) (belongs ?p ?r))
    :effect (and (forall (?other - place) (not (robot-at ?other))) (robot-at ?p)))

  (:action open-box
    :parameters (?b - box ?h - hand)
    :precondition (and (robot-at ?b) (free ?h) (not (opened ?b)))
    :effect (opened ?b))

  (:action take-out
    :parameters (?i - item ?b - box ?h - hand)
    :precondition (and (robot-at ?b) (opened ?b) (inside ?i ?b) (free ?h))
    :effect (and (not (inside ?i ?b)) (not (free ?h)) (holding ?h ?i)))

  (:action pick-up
    :parameters (?i - item ?t - table ?h - hand)
    :precondition (and (robot-at ?t) (on ?i ?t) (free ?h))
    :effect (and (not (on ?i ?t)) (not (free ?h)) (holding ?h ?i)))

  (:action put-in
    :parameters (?i - item ?b - box ?h - hand)
    :precondition (and (robot-at ?b) (opened ?b) (holding ?h ?i))
    :effect (and (not (holding ?h ?i)) (free ?h) (inside ?i ?b)))

  (:action put-down
    :parameters (?i - item ?t - table ?h - hand)
    :precondition (and (robot-at ?t) (holding ?h ?i))
    :effect (and (not (holding ?h ?i)) (free ?h) (on ?i ?t))))
