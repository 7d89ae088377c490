; What is on a table is seen from the cells that have it in view, and what is in a box by whoever stands at the open box.
(define (sensors search)
  (:domain search)
  (:hidden (inside ?i - item ?b - box)
           (on ?i - item ?t - table))
  (:exactly-one ?i - item
    (inside ?i ?b - box)
    (on ?i ?t - table))
  (:sense (on ?i - item ?t - table)
    :when (exists (?c - cell) (and (at ?c) (in-view ?t ?c))))
  (:sense (inside ?i - item ?b - box)
    :when (and (opened ?b) (exists (?c - cell) (and (at ?c) (stands ?b ?c))))))
