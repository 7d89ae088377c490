; Slice a loaf of bread, for which a knife is wanted, and put the knife away.
(define (problem slice-bread)
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
    bread_1 - bread
    knife_1 - knife
    lettuce_1 - lettuce
    fork_1 - fork)
  (:init
    (hand-empty)
    (closed cabinet_1) (closed cabinet_2) (closed cabinet_3) (closed drawer_1) (closed drawer_2) (closed fridge_1) (closed microwave_1)
    (in bread_1 countertop_1) (in knife_1 drawer_2) (in lettuce_1 fridge_1) (in fork_1 drawer_1))
  (:goal (and (exists (?t - bread) (sliced ?t)) (exists (?b - knife ?p - drawer) (in ?b ?p)))))
