; The cereal into a kitchen cabinet, whichever.
(define (problem any-cabinet)
  (:domain household)
  (:objects
    kitchen livingroom - room
    fridge_1 microwave_1 dishwasher_1 oven_1 kitchencabinet_1 kitchencabinet_2 kitchencabinet_3
    kitchencabinet_4 kitchencabinet_5 cabinet_1 - container
    kitchentable_1 kitchencounter_1 kitchencounter_2 stove_1 sofa_1 coffeetable_1 tvstand_1 bookshelf_1
    - surface
    cereal_1 plate_1 dishbowl_1 mug_1 mug_2 fryingpan_1 salmon_1 milk_1 breadslice_1 book_1 chips_1 - movable
    cereal plate dishbowl mug fryingpan salmon milk breadslice book chips - class)
  (:init
    (in-room livingroom) (hand-empty)
    (located fridge_1 kitchen) (located microwave_1 kitchen) (located dishwasher_1 kitchen)
    (located oven_1 kitchen) (located kitchencabinet_1 kitchen) (located kitchencabinet_2 kitchen)
    (located kitchencabinet_3 kitchen) (located kitchencabinet_4 kitchen) (located kitchencabinet_5 kitchen)
    (located kitchentable_1 kitchen) (located kitchencounter_1 kitchen) (located kitchencounter_2 kitchen)
    (located stove_1 kitchen) (located cabinet_1 livingroom) (located sofa_1 livingroom)
    (located coffeetable_1 livingroom) (located tvstand_1 livingroom) (located bookshelf_1 livingroom)
    (openable fridge_1) (openable microwave_1) (openable dishwasher_1) (openable oven_1)
    (openable kitchencabinet_1) (openable kitchencabinet_2) (openable kitchencabinet_3)
    (openable kitchencabinet_4) (openable kitchencabinet_5) (openable cabinet_1)
    (instance-of cereal_1 cereal) (instance-of plate_1 plate) (instance-of dishbowl_1 dishbowl)
    (instance-of mug_1 mug) (instance-of mug_2 mug) (instance-of fryingpan_1 fryingpan)
    (instance-of salmon_1 salmon) (instance-of milk_1 milk) (instance-of breadslice_1 breadslice)
    (instance-of book_1 book) (instance-of chips_1 chips)
    (on cereal_1 kitchencounter_2) (inside plate_1 kitchencabinet_1) (inside dishbowl_1 kitchencabinet_2)
    (inside mug_1 kitchencabinet_3) (on mug_2 coffeetable_1) (on fryingpan_1 stove_1)
    (inside salmon_1 fridge_1) (on milk_1 kitchentable_1) (on breadslice_1 kitchencounter_1)
    (on book_1 bookshelf_1) (inside chips_1 cabinet_1))
  (:goal
    (or (inside cereal_1 kitchencabinet_1) (inside cereal_1 kitchencabinet_2)
    (inside cereal_1 kitchencabinet_3) (inside cereal_1 kitchencabinet_4) (inside cereal_1 kitchencabinet_5))))
