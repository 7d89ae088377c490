; A book from the living room onto the nightstand: three rooms, nothing has to be opened.
(define (problem book-nightstand)
  (:domain household)
  (:objects
    bedroom livingroom bathroom - room
    closet_1 dresser_1 cabinet_1 bathroomcabinet_1 - container
    bed_1 nightstand_1 desk_1 sofa_1 coffeetable_1 bookshelf_1 tvstand_1 bathroomcounter_1 towelrack_1
    - surface
    book_1 book_2 glasses_1 pillow_1 towel_1 clothesshirt_1 remotecontrol_1 boardgame_1 - movable
    book glasses pillow towel clothesshirt remotecontrol boardgame - class)
  (:init
    (in-room bathroom) (hand-empty)
    (located closet_1 bedroom) (located dresser_1 bedroom) (located bed_1 bedroom)
    (located nightstand_1 bedroom) (located desk_1 bedroom) (located cabinet_1 livingroom)
    (located sofa_1 livingroom) (located coffeetable_1 livingroom) (located bookshelf_1 livingroom)
    (located tvstand_1 livingroom) (located bathroomcabinet_1 bathroom) (located bathroomcounter_1 bathroom)
    (located towelrack_1 bathroom)
    (openable closet_1) (openable dresser_1) (openable cabinet_1) (openable bathroomcabinet_1)
    (instance-of book_1 book) (instance-of book_2 book) (instance-of glasses_1 glasses)
    (instance-of pillow_1 pillow) (instance-of towel_1 towel) (instance-of clothesshirt_1 clothesshirt)
    (instance-of remotecontrol_1 remotecontrol) (instance-of boardgame_1 boardgame)
    (on book_1 bookshelf_1) (on book_2 desk_1) (on glasses_1 coffeetable_1) (on pillow_1 bed_1)
    (on towel_1 towelrack_1) (inside clothesshirt_1 closet_1) (on remotecontrol_1 tvstand_1)
    (inside boardgame_1 cabinet_1))
  (:goal
    (on book_1 nightstand_1)))
