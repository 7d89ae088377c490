; Travel by direct flights between cities: the travel planning of the LLM-MCTS paper (section 4.1).
; Every flight is one step; the shortest plan has the fewest changes.
(define (domain flights)
  (:requirements :strips :typing)
  (:types city - object)
  (:predicates
    (at ?c - city)                                 ; where the traveller is
    (direct-flight ?from ?to - city)               ; one leg; each direction is a fact of its own
    (visited ?c - city))                           ; the traveller has been there

  (:action fly
    :parameters (?from ?to - city)
    :precondition (and (at ?from) (direct-flight ?from ?to))
    :effect (and (not (at ?from)) (at ?to) (visited ?to))))
