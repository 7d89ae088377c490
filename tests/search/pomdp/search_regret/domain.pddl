; Cells that one walks between, tables that are seen from afar, boxes that are to be opened, and a thing to find. A room
; is a set of cells from which the same tables are in view; a way may lead in one direction only.
(define (domain search)
  (:requirements :strips :typing :negative-preconditions :existential-preconditions)
  (:types cell item place - object
          box table - place)
  (:predicates
    (at ?c - cell)
    (way ?a ?b - cell)
    (stands ?p - place ?c - cell)
    (in-view ?t - table ?c - cell)                 ; from there
    (opened ?b - box)
    (inside ?i - item ?b - box)
    (on ?i - item ?t - table)
    (holding ?i - item))

  (:action walk
    :parameters (?a ?b - cell)
    :precondition (and (at ?a) (way ?a ?b))
    :effect (and (not (at ?a)) (at ?b)))

  (:action open-box
    :parameters (?b - box ?c - cell)
    :precondition (and (stands ?b ?c) (at ?c) (not (opened ?b)))
    :effect (opened ?b))

  (:action take-from-box
    :parameters (?i - item ?b - box ?c - cell)
    :precondition (and (inside ?i ?b) (stands ?b ?c) (at ?c) (opened ?b))
    :effect (and (not (inside ?i ?b)) (holding ?i)))

  (:action take-from-table
    :parameters (?i - item ?t - table ?c - cell)
    :precondition (and (on ?i ?t) (stands ?t ?c) (at ?c))
    :effect (and (not (on ?i ?t)) (holding ?i))))
