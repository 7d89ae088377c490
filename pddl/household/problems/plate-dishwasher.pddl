; One plate from the living room into the closed dishwasher; another plate is in a cabinet.
(define (problem plate-dishwasher)
  (:domain household)
  (:objects
    kitchen livingroom - room
    fridge_1 dishwasher_1 kitchencabinet_1 kitchencabinet_2 - container
    kitchentable_1 kitchencounter_1 sofa_1 coffeetable_1 bookshelf_1 - surface
    plate_1 plate_2 mug_1 book_1 apple_1 cutleryfork_1 - movable
    plate mug book apple cutleryfork - class)
  (:init
    (in-room livingroom) (hand-empty)
    (located fridge_1 kitchen) (located dishwasher_1 kitchen) (located kitchencabinet_1 kitchen)
    (located kitchencabinet_2 kitchen) (located kitchentable_1 kitchen) (located kitchencounter_1 kitchen)
    (located sofa_1 livingroom) (located coffeetable_1 livingroom) (located bookshelf_1 livingroom)
    (openable fridge_1) (openable dishwasher_1) (openable kitchencabinet_1) (openable kitchencabinet_2)
    (instance-of plate_1 plate) (instance-of plate_2 plate) (instance-of mug_1 mug) (instance-of book_1 book)
    (instance-of apple_1 apple) (instance-of cutleryfork_1 cutleryfork)
    (on plate_1 coffeetable_1) (inside plate_2 kitchencabinet_2) (on mug_1 kitchencounter_1)
    (on book_1 bookshelf_1) (inside apple_1 fridge_1) (on cutleryfork_1 kitchentable_1))
  (:goal
    (inside plate_1 dishwasher_1)))
