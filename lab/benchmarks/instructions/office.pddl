; An office building for a courier: parcels, rooms with lamps and locks. Made for the instructions beside it.
(define (domain office)
  (:requirements :strips :typing :negative-preconditions)
  (:types room parcel - object)
  (:predicates
    (here ?r - room)
    (at ?p - parcel ?r - room)
    (carried ?p - parcel)
    (lit ?r - room)
    (locked ?r - room)
    (fragile ?p - parcel))
  (:action walk
    :parameters (?from ?to - room)
    :precondition (and (here ?from) (not (locked ?to)))
    :effect (and (not (here ?from)) (here ?to)))
  (:action pick-up
    :parameters (?p - parcel ?r - room)
    :precondition (and (here ?r) (at ?p ?r))
    :effect (and (not (at ?p ?r)) (carried ?p)))
  (:action put-down
    :parameters (?p - parcel ?r - room)
    :precondition (and (here ?r) (carried ?p))
    :effect (and (at ?p ?r) (not (carried ?p))))
  (:action switch-on
    :parameters (?r - room)
    :precondition (and (here ?r) (not (lit ?r)))
    :effect (lit ?r))
  (:action switch-off
    :parameters (?r - room)
    :precondition (and (here ?r) (lit ?r))
    :effect (not (lit ?r)))
  (:action lock
    :parameters (?from ?r - room)
    :precondition (and (here ?from) (not (here ?r)) (not (locked ?r)))
    :effect (locked ?r))
  (:action unlock
    :parameters (?from ?r - room)
    :precondition (and (here ?from) (locked ?r))
    :effect (not (locked ?r))))
