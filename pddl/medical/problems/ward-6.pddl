;; description: cure the patient without doing harm
(define (problem ward-6)
  (:domain medical)
  (:objects
    flu measles mumps malaria typhoid cholera - illness
    litmus iodine eosin methylene - reagent
    flu-remedy measles-remedy mumps-remedy malaria-remedy typhoid-remedy cholera-remedy - medicine)
  (:init
    (oneof (has flu) (has measles) (has mumps) (has malaria) (has typhoid) (has cholera))
    (tells litmus flu) (tells litmus measles) (tells litmus mumps)
    (tells iodine flu) (tells iodine malaria)
    (tells eosin measles) (tells eosin typhoid)
    (tells methylene cholera)
    (cures flu-remedy flu) (cures measles-remedy measles) (cures mumps-remedy mumps) (cures malaria-remedy malaria)
    (cures typhoid-remedy typhoid) (cures cholera-remedy cholera))
  (:goal (and (cured) (not (harmed)))))
