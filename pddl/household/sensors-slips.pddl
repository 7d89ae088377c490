; As sensors.pddl, with eyes that err: of ten looks one misses what is there, and a place where a thing is not shows it
; in one look of fifty. For domain-slips.pddl, or for domain.pddl.
(define (sensors household)
  (:domain household)
  (:hidden (inside ?m - movable ?c - container)
           (on ?m - movable ?s - surface))
  (:exactly-one ?m - movable
    (inside ?m ?c - container)
    (on ?m ?s - surface))
  (:sense (on ?m - movable ?s - surface)
    :when (exists (?r - room) (and (in-room ?r) (located ?s ?r))))
  (:sense (inside ?m - movable ?c - container)
    :when (and (near ?c) (opened ?c)))
  (:miss 0.1)
  (:false-alarm 0.02))
