; Two cities with a post office and an airport each, three packages in each of them.
(define (problem two-cities)
  (:domain logistics)
  (:objects apn1 tru1 tru2 cit1 cit2 pos1 pos2 apt1 apt2 obj11 obj12 obj13 obj21 obj22 obj23)
  (:init
    (package obj11) (package obj12) (package obj13) (package obj21) (package obj22) (package obj23)
    (truck tru1) (truck tru2) (airplane apn1) (city cit1) (city cit2)
    (location pos1) (location pos2) (location apt1) (location apt2) (airport apt1) (airport apt2)
    (in-city pos1 cit1) (in-city apt1 cit1) (in-city pos2 cit2) (in-city apt2 cit2)
    (at apn1 apt2) (at tru1 pos1) (at tru2 pos2)
    (at obj11 pos1) (at obj12 pos1) (at obj13 pos1) (at obj21 pos2) (at obj22 pos2) (at obj23 pos2))
  (:goal (and)))
