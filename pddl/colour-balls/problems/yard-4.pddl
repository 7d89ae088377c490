;; description: put every ball into the bin of its colour
(define (problem yard-4)
  (:domain colour-balls)
  (:objects
    gate lawn shed well hedge sandpit pond bench terrace swing compost greenhouse path rosebed orchard woodpile -
    place
    football tennis-ball basketball - ball
    red blue green - colour
    red-bin blue-bin green-bin - bin)
  (:init
    (next-to gate lawn) (next-to gate hedge) (next-to lawn shed) (next-to lawn sandpit) (next-to lawn gate) (next-to
    shed well) (next-to shed pond) (next-to shed lawn) (next-to well bench) (next-to well shed) (next-to hedge
    sandpit) (next-to hedge terrace) (next-to hedge gate) (next-to sandpit pond) (next-to sandpit swing) (next-to
    sandpit hedge) (next-to sandpit lawn) (next-to pond bench) (next-to pond compost) (next-to pond sandpit) (next-to
    pond shed) (next-to bench greenhouse) (next-to bench pond) (next-to bench well) (next-to terrace swing) (next-to
    terrace path) (next-to terrace hedge) (next-to swing compost) (next-to swing rosebed) (next-to swing terrace)
    (next-to swing sandpit) (next-to compost greenhouse) (next-to compost orchard) (next-to compost swing) (next-to
    compost pond) (next-to greenhouse woodpile) (next-to greenhouse compost) (next-to greenhouse bench) (next-to path
    rosebed) (next-to path terrace) (next-to rosebed orchard) (next-to rosebed path) (next-to rosebed swing) (next-to
    orchard woodpile) (next-to orchard rosebed) (next-to orchard compost) (next-to woodpile orchard) (next-to woodpile
    greenhouse)
    (at gate)
    (bin-at red-bin woodpile) (bin-at blue-bin well) (bin-at green-bin path)
    (bin-for red-bin red) (bin-for blue-bin blue) (bin-for green-bin green)
    (oneof (lies football gate) (lies football lawn) (lies football shed) (lies football well) (lies football hedge)
    (lies football sandpit) (lies football pond) (lies football bench) (lies football terrace) (lies football swing)
    (lies football compost) (lies football greenhouse) (lies football path) (lies football rosebed) (lies football
    orchard) (lies football woodpile))
    (oneof (has-colour football red) (has-colour football blue) (has-colour football green))
    (oneof (lies tennis-ball gate) (lies tennis-ball lawn) (lies tennis-ball shed) (lies tennis-ball well) (lies
    tennis-ball hedge) (lies tennis-ball sandpit) (lies tennis-ball pond) (lies tennis-ball bench) (lies tennis-ball
    terrace) (lies tennis-ball swing) (lies tennis-ball compost) (lies tennis-ball greenhouse) (lies tennis-ball path)
    (lies tennis-ball rosebed) (lies tennis-ball orchard) (lies tennis-ball woodpile))
    (oneof (has-colour tennis-ball red) (has-colour tennis-ball blue) (has-colour tennis-ball green))
    (oneof (lies basketball gate) (lies basketball lawn) (lies basketball shed) (lies basketball well) (lies
    basketball hedge) (lies basketball sandpit) (lies basketball pond) (lies basketball bench) (lies basketball
    terrace) (lies basketball swing) (lies basketball compost) (lies basketball greenhouse) (lies basketball path)
    (lies basketball rosebed) (lies basketball orchard) (lies basketball woodpile))
    (oneof (has-colour basketball red) (has-colour basketball blue) (has-colour basketball green)))
  (:goal (and (put-away football) (put-away tennis-ball) (put-away basketball))))
