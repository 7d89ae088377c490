; Breakfast: a hot egg and a cold cup on the table.
(define (problem warm-and-cold)
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
    egg_1 - egg
    cup_1 cup_2 - cup
    potato_1 - potato)
  (:init
    (hand-empty)
    (closed cabinet_1) (closed cabinet_2) (closed cabinet_3) (closed drawer_1) (closed drawer_2) (closed fridge_1) (closed microwave_1)
    (in egg_1 fridge_1) (in cup_1 cabinet_3) (in cup_2 sinkbasin_1) (in potato_1 garbagecan_1))
  (:goal (exists (?e - egg ?c - cup ?p - diningtable) (and (hot ?e) (cold ?c) (in ?e ?p) (in ?c ?p)))))
