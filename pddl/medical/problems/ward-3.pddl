;; description: cure the patient without doing harm
(define (problem ward-3)
  (:domain medical)
  (:objects
    flu measles mumps - illness
    litmus iodine - reagent
    flu-remedy measles-remedy mumps-remedy - medicine)
  (:init
    (oneof (has flu) (has measles) (has mumps))
    (tells litmus flu)
    (tells iodine measles)
    (cures flu-remedy flu) (cures measles-remedy measles) (cures mumps-remedy mumps))
  (:goal (and (cured) (not (harmed)))))
