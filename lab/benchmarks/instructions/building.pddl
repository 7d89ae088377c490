; Five rooms, six parcels, two of them fragile.
(define (problem building)
  (:domain office)
  (:objects
    lobby mailroom archive kitchen lab - room
    parcel_1 parcel_2 parcel_3 parcel_4 vase_1 mirror_1 - parcel)
  (:init
    (here lobby) (lit lobby) (lit kitchen) (locked archive)
    (fragile vase_1) (fragile mirror_1)
    (at parcel_1 lobby) (at parcel_2 lobby) (at parcel_3 lab) (at parcel_4 kitchen) (at vase_1 lobby)
    (at mirror_1 mailroom))
  (:goal (and)))
