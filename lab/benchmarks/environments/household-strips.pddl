; The household in STRIPS, for programs that read no more: the robot always stands at one place, of which the middle of
; each room is one, and a container is closed or opened. Walking to a thing in sight is left out: walking to the surface
; that it is on does the same.
(define (domain household-strips)
  (:requirements :strips :typing)
  (:types
    room place movable class - object
    container surface middle - place)
  (:predicates
    (in-room ?r - room)
    (located ?p - place ?r - room)
    (near ?p - place)
    (openable ?c - container)
    (opened ?c - container)
    (closed ?c - container)
    (inside ?m - movable ?c - container)
    (on ?m - movable ?s - surface)
    (holding ?m - movable)
    (hand-empty)
    (instance-of ?m - movable ?k - class))

  (:action walk-to-room
    :parameters (?r - room ?m - middle ?from - room ?p - place)
    :precondition (and (in-room ?from) (near ?p) (located ?p ?from) (located ?m ?r))
    :effect (and (not (in-room ?from)) (not (near ?p)) (in-room ?r) (near ?m)))

  (:action walk-to-place
    :parameters (?p - place ?r - room ?from - place)
    :precondition (and (in-room ?r) (near ?from) (located ?from ?r) (located ?p ?r))
    :effect (and (not (near ?from)) (near ?p)))

  (:action open-container
    :parameters (?c - container)
    :precondition (and (openable ?c) (near ?c) (closed ?c))
    :effect (and (not (closed ?c)) (opened ?c)))

  (:action close-container
    :parameters (?c - container)
    :precondition (and (openable ?c) (near ?c) (opened ?c))
    :effect (and (not (opened ?c)) (closed ?c)))

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
