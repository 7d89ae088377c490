; A patient has one of several illnesses. A test with a reagent colours the sample if the illness is one that the
; reagent tells; nobody sees that until the sample is looked at. The wrong medicine does harm.
(define (domain medical)
  (:requirements :strips :typing :negative-preconditions :conditional-effects :contingent)
  (:types illness reagent medicine)
  (:predicates
    (has ?i - illness)
    (tells ?r - reagent ?i - illness)
    (cures ?m - medicine ?i - illness)
    (sample-taken)
    (tested ?r - reagent)
    (coloured ?r - reagent)
    (cured)
    (harmed))
  (:action take-sample
    :parameters ()
    :precondition ()
    :effect (sample-taken))
  (:action test
    :parameters (?r - reagent)
    :precondition (sample-taken)
    :effect (and (tested ?r) (not (sample-taken))
      (forall (?i - illness) (when (and (has ?i) (tells ?r ?i)) (coloured ?r)))))
  (:action look
    :parameters (?r - reagent)
    :precondition (tested ?r)
    :observe (coloured ?r))
  (:action give
    :parameters (?m - medicine)
    :precondition ()
    :effect (and
      (forall (?i - illness) (when (and (has ?i) (cures ?m ?i)) (cured)))
      (forall (?i - illness) (when (and (has ?i) (not (cures ?m ?i))) (harmed))))))
