; What the robot does not know at first, and when it sees it: the things on the furniture of its room, and what is
; inside an open container that it stands at.
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
    :when (and (near ?c) (opened ?c))))
