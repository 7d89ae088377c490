; The player knows the places, and not what is in and on them; which things there are, it learns as it meets them: those
; of a problem file stand for as many of their kinds that must be somewhere.
(define (sensors alfworld)
  (:domain alfworld)
  (:unknown ?t - thing)
  (:hidden (in ?t - thing ?p - place))
  (:exactly-one ?t - thing
    (in ?t ?p - place))
  (:sense (in ?t - thing ?p - place)
    :when (and (at ?p) (not (closed ?p)))))
