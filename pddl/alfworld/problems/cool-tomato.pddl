; A cold tomato is wanted on the table; there are two.
(define (problem cool-tomato)
  (:domain alfworld)
  (:objects
    cabinet_1 cabinet_2 cabinet_3 - cabinet
    countertop_1 countertop_2 - countertop
    diningtable_1 - diningtable
    drawer_1 drawer_2 - drawer
    fridge_1 - fridge
    garbagecan_1 - garbagecan
    microwave_1 - microwave
    sinkbasin_1 - sinkbasin
    stoveburner_1 stoveburner_2 - stoveburner
    tomato_1 tomato_2 - tomato
    bread_1 - bread
    pan_1 - pan)
  (:init
    (hand-empty)
    (closed cabinet_1) (closed cabinet_2) (closed cabinet_3) (closed drawer_1) (closed drawer_2) (closed fridge_1) (closed microwave_1)
    (in tomato_1 garbagecan_1) (in tomato_2 countertop_2) (in bread_1 countertop_1) (in pan_1 stoveburner_1))
  (:goal (exists (?t - tomato ?p - diningtable) (and (cold ?t) (in ?t ?p)))))
