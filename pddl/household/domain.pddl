; A household as a robot with one hand meets it: rooms, furniture that stands in them, things to move.
; The actions are those of the LLM-MCTS paper (appendix A.4): walk to a room, to a piece of furniture or to an
; object in sight, grab, put in, put on, open, close.
(define (domain household)
  (:requirements :strips :typing :equality :negative-preconditions :disjunctive-preconditions
                 :existential-preconditions :universal-preconditions :conditional-effects)
  (:types
    room place movable class - object
    container surface - place)
  (:predicates
    (in-room ?r - room)                            ; the robot is in the room
    (located ?p - place ?r - room)                 ; furniture never leaves its room
    (near ?p - place)                              ; the robot stands at the piece of furniture
    (openable ?c - container)                      ; it has a door or a lid
    (opened ?c - container)                        ; what has no lid is always opened
    (inside ?m - movable ?c - container)
    (on ?m - movable ?s - surface)
    (holding ?m - movable)
    (hand-empty)
    (instance-of ?m - movable ?k - class))         ; apple_1 is an apple

  (:action walk-to-room
    :parameters (?r - room)
    :precondition (not (in-room ?r))
    :effect (and (forall (?q - room) (not (in-room ?q)))
                 (forall (?p - place) (not (near ?p)))
                 (in-room ?r)))

  (:action walk-to-place
    :parameters (?p - place ?r - room)
    :precondition (and (located ?p ?r) (in-room ?r) (not (near ?p)))
    :effect (and (forall (?q - place) (not (near ?q)))
                 (near ?p)))

  (:action walk-to-item
    :parameters (?m - movable ?s - surface ?r - room)
    :precondition (and (on ?m ?s) (located ?s ?r) (in-room ?r) (not (near ?s)))
    :effect (and (forall (?q - place) (not (near ?q)))
                 (near ?s)))

  (:action open-container
    :parameters (?c - container)
    :precondition (and (openable ?c) (near ?c) (not (opened ?c)))
    :effect (opened ?c))

  (:action close-container
    :parameters (?c - container)
    :precondition (and (openable ?c) (near ?c) (opened ?c))
    :effect (not (opened ?c)))

  (:action grab-from-surface
    :parameters (?m - movable ?s - surface)
    :precondition (and (on ?m ?s) (near ?s) (hand-empty))
    :effect (and (not (on ?m ?s)) (not (hand-empty)) (holding ?m)))

  (:action grab-from-container
    :parameters (?m - movable ?c - container)
    :precondition (and (inside ?m ?c) (near ?c) (opened ?c) (hand-empty))
    :effect (and (not (inside ?m ?c)) (not (hand-empty)) (holding ?m)))

  (:action put-on
    :parameters (?m - movable ?s - surface)
    :precondition (and (holding ?m) (near ?s))
    :effect (and (not (holding ?m)) (hand-empty) (on ?m ?s)))

  (:action put-in
    :parameters (?m - movable ?c - container)
    :precondition (and (holding ?m) (near ?c) (opened ?c))
    :effect (and (not (holding ?m)) (hand-empty) (inside ?m ?c))))
