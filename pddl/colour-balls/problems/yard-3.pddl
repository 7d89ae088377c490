;; description: put every ball into the bin of its colour
(define (problem yard-3)
  (:domain colour-balls)
  (:objects
    gate lawn shed hedge sandpit pond terrace swing compost - place
    football tennis-ball - ball
    red blue - colour
    red-bin blue-bin - bin)
  (:init
    (next-to gate lawn) (next-to gate hedge) (next-to lawn shed) (next-to lawn sandpit) (next-to lawn gate) (next-to
    shed pond) (next-to shed lawn) (next-to hedge sandpit) (next-to hedge terrace) (next-to hedge gate) (next-to
    sandpit pond) (next-to sandpit swing) (next-to sandpit hedge) (next-to sandpit lawn) (next-to pond compost)
    (next-to pond sandpit) (next-to pond shed) (next-to terrace swing) (next-to terrace hedge) (next-to swing compost)
    (next-to swing terrace) (next-to swing sandpit) (next-to compost swing) (next-to compost pond)
    (at gate)
    (bin-at red-bin compost) (bin-at blue-bin shed)
    (bin-for red-bin red) (bin-for blue-bin blue)
    (oneof (lies football gate) (lies football lawn) (lies football shed) (lies football hedge) (lies football
    sandpit) (lies football pond) (lies football terrace) (lies football swing) (lies football compost))
    (oneof (has-colour football red) (has-colour football blue))
    (oneof (lies tennis-ball gate) (lies tennis-ball lawn) (lies tennis-ball shed) (lies tennis-ball hedge) (lies
    tennis-ball sandpit) (lies tennis-ball pond) (lies tennis-ball terrace) (lies tennis-ball swing) (lies tennis-ball
    compost))
    (oneof (has-colour tennis-ball red) (has-colour tennis-ball blue)))
  (:goal (and (put-away football) (put-away tennis-ball))))
