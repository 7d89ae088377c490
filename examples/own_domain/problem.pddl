; The true world. The agent does not know where the tools lie: see sensors.pddl.
(define (problem dig-the-roses)
  (:domain garden)
  (:objects gate lawn shed greenhouse compost - spot
            spade rake - tool
            roses - bed)
  (:init (at-spot gate)
         (path gate lawn) (path lawn gate) (path lawn shed) (path shed lawn)
         (path lawn greenhouse) (path greenhouse lawn) (path greenhouse compost) (path compost greenhouse)
         (lies spade greenhouse) (lies rake shed)
         (bed-at roses lawn) (good-for spade roses))
  (:goal (dug roses)))
