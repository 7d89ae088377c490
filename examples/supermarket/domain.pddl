; A robot gathers what a customer ordered from a supermarket's aisles.
(define (domain supermarket)
  (:requirements :strips :typing)
  (:types aisle product - object)
  (:predicates
    (robot-at ?a - aisle)
    (next-to ?a ?b - aisle)
    (in-aisle ?p - product ?a - aisle)
    (gathered ?p - product))
  (:action drive
    :parameters (?from ?to - aisle)
    :precondition (and (robot-at ?from) (next-to ?from ?to))
    :effect (and (not (robot-at ?from)) (robot-at ?to)))
  (:action gather
    :parameters (?p - product ?a - aisle)
    :precondition (and (robot-at ?a) (in-aisle ?p ?a))
    :effect (and (gathered ?p) (not (in-aisle ?p ?a)))))
