;; description: put every ball into the bin of its colour
(define (problem yard-2)
  (:domain colour-balls)
  (:objects
    gate lawn shed sandpit - place
    football - ball
    red blue - colour
    red-bin blue-bin - bin)
  (:init
    (next-to gate lawn) (next-to gate shed) (next-to lawn sandpit) (next-to lawn gate) (next-to shed sandpit) (next-to
    shed gate) (next-to sandpit shed) (next-to sandpit lawn)
    (at gate)
    (bin-at red-bin sandpit) (bin-at blue-bin lawn)
    (bin-for red-bin red) (bin-for blue-bin blue)
    (oneof (lies football gate) (lies football lawn) (lies football shed) (lies football sandpit))
    (oneof (has-colour football red) (has-colour football blue)))
  (:goal (and (put-away football))))
