; A store: departments, their sections, items to collect. What is in a section is seen by who stands at it.
(define (domain store)
  (:requirements :strips :typing :conditional-effects)
  (:types department section item - object)
  (:predicates
    (robot-in ?d - department)
    (near ?s - section)
    (part-of ?s - section ?d - department)
    (in ?i - item ?s - section)
    (collected ?i - item))

  (:action walk
    :parameters (?from ?to - department)
    :precondition (robot-in ?from)
    :effect (and (not (robot-in ?from))
                 (forall (?s - section) (not (near ?s)))
                 (robot-in ?to)))

  (:action approach
    :parameters (?s - section ?d - department)
    :precondition (and (robot-in ?d) (part-of ?s ?d))
    :effect (and (forall (?other - section) (not (near ?other)))
                 (near ?s)))

  (:action collect
    :parameters (?i - item ?s - section)
    :precondition (and (near ?s) (in ?i ?s))
    :effect (and (not (in ?i ?s)) (collected ?i))))
