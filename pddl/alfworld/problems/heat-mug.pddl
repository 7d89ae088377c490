; A hot mug is wanted in a cabinet; the only one is in the microwave.
(define (problem heat-mug)
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
    mug_1 - mug
    plate_1 - plate
    apple_1 - apple
    knife_1 - knife)
  (:init
    (hand-empty)
    (closed cabinet_1) (closed cabinet_2) (closed cabinet_3) (closed drawer_1) (closed drawer_2) (closed fridge_1) (closed microwave_1)
    (in mug_1 microwave_1) (in plate_1 cabinet_2) (in apple_1 fridge_1) (in knife_1 drawer_1))
  (:goal (exists (?t - mug ?p - cabinet) (and (hot ?t) (in ?t ?p)))))
