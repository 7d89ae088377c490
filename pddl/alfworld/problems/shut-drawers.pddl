; A pencil belongs into a drawer, and all drawers are wanted shut.
(define (problem shut-drawers)
  (:domain alfworld)
  (:objects
    armchair_1 - armchair
    bed_1 - bed
    desk_1 - desk
    drawer_1 drawer_2 drawer_3 - drawer
    dresser_1 - dresser
    garbagecan_1 - garbagecan
    shelf_1 shelf_2 - shelf
    sidetable_1 sidetable_2 - sidetable
    pencil_1 - pencil
    pen_1 - pen
    cd_1 - cd)
  (:init
    (hand-empty)
    (closed drawer_1) (closed drawer_2)
    (in pencil_1 shelf_2) (in pen_1 drawer_1) (in cd_1 desk_1))
  (:goal (and (exists (?t - pencil ?p - drawer) (in ?t ?p)) (forall (?p - drawer) (closed ?p)))))
