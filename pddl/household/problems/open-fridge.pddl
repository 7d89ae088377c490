; The fridge stands open. Put the milk away and close the door.
(define (problem open-fridge)
  (:domain household)
  (:objects
    kitchen livingroom - room
    fridge_1 dishwasher_1 kitchencabinet_1 kitchencabinet_2 - container
    kitchentable_1 kitchencounter_1 sofa_1 coffeetable_1 bookshelf_1 - surface
    milk_1 juice_1 pie_1 waterglass_1 chips_1 magazine_1 - movable
    milk juice pie waterglass chips magazine - class)
  (:init
    (in-room kitchen) (hand-empty)
    (located fridge_1 kitchen) (located dishwasher_1 kitchen) (located kitchencabinet_1 kitchen)
    (located kitchencabinet_2 kitchen) (located kitchentable_1 kitchen) (located kitchencounter_1 kitchen)
    (located sofa_1 livingroom) (located coffeetable_1 livingroom) (located bookshelf_1 livingroom)
    (openable fridge_1) (openable dishwasher_1) (openable kitchencabinet_1) (openable kitchencabinet_2)
    (opened fridge_1)
    (instance-of milk_1 milk) (instance-of juice_1 juice) (instance-of pie_1 pie)
    (instance-of waterglass_1 waterglass) (instance-of chips_1 chips) (instance-of magazine_1 magazine)
    (on milk_1 kitchentable_1) (inside juice_1 fridge_1) (inside pie_1 fridge_1)
    (inside waterglass_1 kitchencabinet_1) (on chips_1 coffeetable_1) (on magazine_1 sofa_1))
  (:goal
    (and (inside milk_1 fridge_1) (not (opened fridge_1)))))
