; A gardener who looks for a tool in sheds. A domain of one's own: nothing in cplan knows it.
(define (domain garden)
  (:requirements :strips :typing :negative-preconditions)
  (:types spot tool bed - object)
  (:predicates
    (at-spot ?s - spot)
    (path ?a ?b - spot)
    (lies ?t - tool ?s - spot)
    (carrying ?t - tool)
    (bed-at ?b - bed ?s - spot)
    (good-for ?t - tool ?b - bed)
    (dug ?b - bed))
  (:action walk
    :parameters (?from ?to - spot)
    :precondition (and (at-spot ?from) (path ?from ?to))
    :effect (and (not (at-spot ?from)) (at-spot ?to)))
  (:action pick-up
    :parameters (?t - tool ?s - spot)
    :precondition (and (at-spot ?s) (lies ?t ?s))
    :effect (and (carrying ?t) (not (lies ?t ?s))))
  (:action dig
    :parameters (?b - bed ?t - tool ?s - spot)
    :precondition (and (at-spot ?s) (bed-at ?b ?s) (carrying ?t) (good-for ?t ?b) (not (dug ?b)))
    :effect (dug ?b)))
