; Both pillows are wanted on one armchair.
(define (problem two-pillows)
  (:domain alfworld)
  (:objects
    armchair_1 armchair_2 - armchair
    coffeetable_1 - coffeetable
    drawer_1 drawer_2 - drawer
    garbagecan_1 - garbagecan
    safe_1 - safe
    shelf_1 - shelf
    sidetable_1 - sidetable
    sofa_1 - sofa
    tvstand_1 - tvstand
    pillow_1 pillow_2 - pillow
    remotecontrol_1 - remotecontrol
    statue_1 - statue)
  (:init
    (hand-empty)
    (closed drawer_1) (closed drawer_2) (closed safe_1)
    (in pillow_1 sofa_1) (in pillow_2 armchair_1) (in remotecontrol_1 coffeetable_1) (in statue_1 shelf_1))
  (:goal (exists (?t ?u - pillow ?p - armchair) (and (not (= ?t ?u)) (in ?t ?p) (in ?u ?p)))))
