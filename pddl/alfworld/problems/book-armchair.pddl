; Put a book on an armchair: the smallest one.
(define (problem book-armchair)
  (:domain alfworld)
  (:objects
    armchair_1 - armchair
    bed_1 - bed
    desk_1 - desk
    drawer_1 drawer_2 drawer_3 - drawer
    dresser_1 - dresser
    book_1 - book
    pen_1 - pen
    pillow_1 - pillow)
  (:init
    (hand-empty)
    (closed drawer_1) (closed drawer_2) (closed drawer_3)
    (in book_1 bed_1) (in pen_1 desk_1) (in pillow_1 bed_1))
  (:goal (exists (?t - book ?p - armchair) (in ?t ?p))))
