; Balls lie about in a yard, and each has a colour; where they lie and which colour they have is seen only on the spot.
; Each belongs into a bin of its colour.
(define (domain colour-balls)
  (:requirements :strips :typing :contingent)
  (:types place ball colour bin)
  (:predicates
    (next-to ?a ?b - place)
    (at ?p - place)
    (lies ?b - ball ?p - place)
    (has-colour ?b - ball ?c - colour)
    (holding ?b - ball)
    (bin-at ?n - bin ?p - place)
    (bin-for ?n - bin ?c - colour)
    (put-away ?b - ball))
  (:action go
    :parameters (?from ?to - place)
    :precondition (and (at ?from) (next-to ?from ?to))
    :effect (and (at ?to) (not (at ?from))))
  (:action look-for
    :parameters (?b - ball ?p - place)
    :precondition (at ?p)
    :observe (lies ?b ?p))
  (:action pick-up
    :parameters (?b - ball ?p - place)
    :precondition (and (at ?p) (lies ?b ?p))
    :effect (and (holding ?b) (not (lies ?b ?p))))
  (:action look-at
    :parameters (?b - ball ?c - colour)
    :precondition (holding ?b)
    :observe (has-colour ?b ?c))
  (:action drop
    :parameters (?b - ball ?c - colour ?n - bin ?p - place)
    :precondition (and (holding ?b) (has-colour ?b ?c) (at ?p) (bin-at ?n ?p) (bin-for ?n ?c))
    :effect (and (put-away ?b) (not (holding ?b)))))
