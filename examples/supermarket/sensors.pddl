(define (sensors supermarket)
  (:domain supermarket)
  (:hidden (in-aisle ?p - product ?a - aisle))                        ; not known at first
  (:exactly-one ?p - product (in-aisle ?p ?a - aisle))                ; each product has one aisle
  (:sense (in-aisle ?p - product ?a - aisle) :when (robot-at ?a)))    ; seen in the aisle where the robot is
