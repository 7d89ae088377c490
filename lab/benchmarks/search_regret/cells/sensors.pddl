(define (sensors cells)
  (:domain cells)
  (:hidden (lies ?i - item ?p - place))
  (:exactly-one ?i - item
    (lies ?i ?p - place))
  (:sense (lies ?i - item ?t - table)
    :when (exists (?c - cell) (and (at ?c) (stands ?t ?c))))
  (:sense (lies ?i - item ?b - box)
    :when (and (opened ?b) (exists (?c - cell) (and (at ?c) (stands ?b ?c))))))
