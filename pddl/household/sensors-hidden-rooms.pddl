; As sensors.pddl, but the robot does not know either in which room a piece of furniture stands, before it has been
; there: the belief of the LLM-MCTS paper's appendix C.2, over movables, containers and surfaces.
(define (sensors household-hidden-rooms)
  (:domain household)
  (:hidden (located ?p - place ?r - room)
           (inside ?m - movable ?c - container)
           (on ?m - movable ?s - surface))
  (:exactly-one ?p - place
    (located ?p ?r - room))
  (:exactly-one ?m - movable
    (inside ?m ?c - container)
    (on ?m ?s - surface))
  (:sense (located ?p - place ?r - room)
    :when (in-room ?r))
  (:sense (on ?m - movable ?s - surface)
    :when (exists (?r - room) (and (in-room ?r) (located ?s ?r))))
  (:sense (inside ?m - movable ?c - container)
    :when (and (near ?c) (opened ?c))))
