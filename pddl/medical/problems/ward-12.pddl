;; description: cure the patient without doing harm
(define (problem ward-12)
  (:domain medical)
  (:objects
    flu measles mumps malaria typhoid cholera tetanus rabies leprosy diphtheria pertussis scarlatina - illness
    litmus iodine eosin methylene fuchsin - reagent
    flu-remedy measles-remedy mumps-remedy malaria-remedy typhoid-remedy cholera-remedy tetanus-remedy rabies-remedy
    leprosy-remedy diphtheria-remedy pertussis-remedy scarlatina-remedy - medicine)
  (:init
    (oneof (has flu) (has measles) (has mumps) (has malaria) (has typhoid) (has cholera) (has tetanus) (has rabies)
    (has leprosy) (has diphtheria) (has pertussis) (has scarlatina))
    (tells litmus flu) (tells litmus measles) (tells litmus mumps) (tells litmus malaria) (tells litmus typhoid)
    (tells litmus cholera)
    (tells iodine flu) (tells iodine measles) (tells iodine mumps) (tells iodine tetanus) (tells iodine rabies) (tells
    iodine leprosy)
    (tells eosin flu) (tells eosin malaria) (tells eosin tetanus) (tells eosin diphtheria)
    (tells methylene measles) (tells methylene typhoid) (tells methylene rabies) (tells methylene pertussis)
    (tells fuchsin mumps)
    (cures flu-remedy flu) (cures measles-remedy measles) (cures mumps-remedy mumps) (cures malaria-remedy malaria)
    (cures typhoid-remedy typhoid) (cures cholera-remedy cholera) (cures tetanus-remedy tetanus) (cures rabies-remedy
    rabies) (cures leprosy-remedy leprosy) (cures diphtheria-remedy diphtheria) (cures pertussis-remedy pertussis)
    (cures scarlatina-remedy scarlatina))
  (:goal (and (cured) (not (harmed)))))
