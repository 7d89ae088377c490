; The robot sees what is on open surfaces and in open containers, wherever it stands; what is behind doors it does not
; know.
(define (sensors kitchen)
  (:domain kitchen)
  (:hidden (inside ?m - movable ?c - container)
           (on ?m - movable ?s - surface))
  (:exactly-one ?m - movable
    (inside ?m ?c - container)
    (on ?m ?s - surface))
  (:sense (on ?m - movable ?s - surface) :when (and))
  (:sense (inside ?m - movable ?c - container) :when (opened ?c)))
