; Look at a watch under a desk lamp, which stands on one of two side tables.
(define (problem look-at-watch)
  (:domain alfworld)
  (:objects
    armchair_1 - armchair
    bed_1 - bed
    desk_1 - desk
    drawer_1 drawer_2 drawer_3 - drawer
    dresser_1 - dresser
    garbagecan_1 - garbagecan
    shelf_1 shelf_2 - shelf
    sidetable_1 sidetable_2 - sidetable
    watch_1 - watch
    desklamp_1 - desklamp
    book_1 - book
    keychain_1 - keychain
    creditcard_1 - creditcard)
  (:init
    (hand-empty)
    (closed drawer_1) (closed drawer_2) (closed drawer_3)
    (in watch_1 drawer_2) (in desklamp_1 sidetable_2) (in book_1 desk_1) (in keychain_1 dresser_1)
    (in creditcard_1 shelf_1))
  (:goal (exists (?t - watch ?l - desklamp) (and (holding ?t) (lit-by ?t ?l)))))
