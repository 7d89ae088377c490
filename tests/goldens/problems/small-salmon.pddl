; The salmon, the fridge, and what is between them in our apartment.
;; description: put salmon in the fridge
(define (problem small-salmon)
  (:domain virtualhome)
  (:requirements :constraints)
  (:objects
    kitchen livingroom bedroom bathroom hallway - room
    fridge_1 microwave_1 toaster_1 kitchentable_1 sink_1 sink_2 - receptacle
    faucet_1 faucet_2 - fixture
    salmon_1 - movable)
  (:init
    (character-in hallway) (hand-free) (hands-empty)
    (located fridge_1 kitchen) (located microwave_1 kitchen) (located toaster_1 kitchen)
    (located kitchentable_1 kitchen) (located sink_1 kitchen) (located sink_2 bathroom)
    (located faucet_1 kitchen) (located faucet_2 bathroom)
    (grabbable salmon_1)
    (surface kitchentable_1)
    (container fridge_1) (container microwave_1) (container toaster_1) (container sink_1) (container sink_2)
    (can-open fridge_1) (can-open microwave_1)
    (has-switch microwave_1) (has-switch toaster_1) (has-switch faucet_1) (has-switch faucet_2)
    (has-plug fridge_1) (has-plug microwave_1) (has-plug toaster_1)
    (eatable salmon_1)
    (recipient sink_1) (recipient sink_2)
    (heats microwave_1) (heats toaster_1)
    (fills faucet_1 sink_1) (fills faucet_2 sink_2)
    (opened toaster_1) (opened sink_1) (opened sink_2)
    (plugged-in fridge_1) (plugged-in microwave_1) (plugged-in toaster_1)
    (in-room salmon_1 kitchen)
    (on salmon_1 kitchentable_1))
  (:goal
    (inside salmon_1 fridge_1))
  (:constraints
    (always (not (eaten salmon_1)))))
