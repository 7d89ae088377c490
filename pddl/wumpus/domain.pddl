; A cave with a treasure. Somewhere a wumpus sleeps, and here and there is a pit. Next to a wumpus it smells, next to a
; pit there is a draught. Nobody may enter a square that is not known to be safe.
(define (domain wumpus)
  (:requirements :strips :typing :contingent)
  (:types square)
  (:predicates
    (next-to ?a ?b - square)
    (at ?s - square)
    (safe ?s - square)
    (wumpus-in ?s - square)
    (pit-in ?s - square)
    (smells ?s - square)
    (draughty ?s - square)
    (treasure-in ?s - square)
    (has-treasure))
  (:action walk
    :parameters (?from ?to - square)
    :precondition (and (at ?from) (next-to ?from ?to) (safe ?to))
    :effect (and (at ?to) (not (at ?from))))
  (:action sniff
    :parameters (?s - square)
    :precondition (at ?s)
    :observe (smells ?s))
  (:action feel
    :parameters (?s - square)
    :precondition (at ?s)
    :observe (draughty ?s))
  (:action take
    :parameters (?s - square)
    :precondition (and (at ?s) (treasure-in ?s))
    :effect (and (has-treasure) (not (treasure-in ?s)))))
