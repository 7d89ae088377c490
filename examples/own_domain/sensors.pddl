; Where the tools lie is hidden, and seen at the spot where one stands.
(define (sensors garden)
  (:domain garden)
  (:hidden (lies ?t - tool ?s - spot))
  (:exactly-one ?t - tool (lies ?t ?s - spot))
  (:sense (lies ?t - tool ?s - spot) :when (at-spot ?s)))
