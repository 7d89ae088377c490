; Three things, two rooms: the smallest problem that has something to look for.
(define (problem small-apple)
  (:domain household)
  (:objects
    kitchen bathroom - room
    fridge kitchencabinet - container
    kitchentable bathroomcounter - surface
    apple_1 plate_1 toothbrush_1 - movable
    apple plate toothbrush - class)
  (:init
    (in-room bathroom) (hand-empty)
    (located fridge kitchen) (located kitchencabinet kitchen) (located kitchentable kitchen)
    (located bathroomcounter bathroom)
    (openable fridge) (openable kitchencabinet)
    (instance-of apple_1 apple) (instance-of plate_1 plate) (instance-of toothbrush_1 toothbrush)
    (inside apple_1 fridge) (inside plate_1 kitchencabinet) (on toothbrush_1 bathroomcounter))
  (:goal (on apple_1 kitchentable)))
