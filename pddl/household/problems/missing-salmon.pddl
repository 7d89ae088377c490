; There is no salmon in this home: no plan exists. A search must look everywhere, and then report that.
(define (problem missing-salmon)
  (:domain household)
  (:objects
    kitchen bathroom bedroom livingroom - room
    fridge_1 microwave_1 dishwasher_1 oven_1 kitchencabinet_1 kitchencabinet_2 garbagecan_1 sink_1
    bathroomcabinet_1 washingmachine_1 laundrybasket_1 closet_1 dresser_1 toybox_1 cabinet_1 - container
    kitchentable_1 kitchencounter_1 stove_1 bathroomcounter_1 towelrack_1 bed_1 nightstand_1 nightstand_2
    desk_1 sofa_1 coffeetable_1 bookshelf_1 tvstand_1 rug_1 - surface
    plate_1 plate_2 dishbowl_1 cutleryfork_1 cutleryknife_1 waterglass_1 wineglass_1 fryingpan_1 cookingpot_1
    milk_1 juice_1 breadslice_1 chips_1 cereal_1 washingsponge_1 toothpaste_1 barsoap_1 towel_1 facecream_1
    clothespile_1 clothesshirt_1 pillow_1 pillow_2 book_1 book_2 cellphone_1 keyboard_1 teddybear_1 radio_1
    salmon_1 apple_1 - movable
    plate dishbowl cutleryfork cutleryknife waterglass wineglass fryingpan cookingpot milk juice breadslice
    chips cereal washingsponge toothpaste barsoap towel facecream clothespile clothesshirt pillow book
    cellphone keyboard teddybear radio salmon apple - class)
  (:init
    (in-room livingroom) (hand-empty)
    (located fridge_1 kitchen) (located microwave_1 kitchen) (located dishwasher_1 kitchen)
    (located oven_1 kitchen) (located kitchencabinet_1 kitchen) (located kitchencabinet_2 kitchen)
    (located garbagecan_1 kitchen) (located sink_1 kitchen) (located kitchentable_1 kitchen)
    (located kitchencounter_1 kitchen) (located stove_1 kitchen) (located bathroomcabinet_1 bathroom)
    (located washingmachine_1 bathroom) (located laundrybasket_1 bathroom)
    (located bathroomcounter_1 bathroom) (located towelrack_1 bathroom) (located closet_1 bedroom)
    (located dresser_1 bedroom) (located toybox_1 bedroom) (located bed_1 bedroom)
    (located nightstand_1 bedroom) (located nightstand_2 bedroom) (located desk_1 bedroom)
    (located cabinet_1 livingroom) (located sofa_1 livingroom) (located coffeetable_1 livingroom)
    (located bookshelf_1 livingroom) (located tvstand_1 livingroom) (located rug_1 livingroom)
    (openable fridge_1) (openable microwave_1) (openable dishwasher_1) (openable oven_1)
    (openable kitchencabinet_1) (openable kitchencabinet_2) (openable garbagecan_1)
    (openable bathroomcabinet_1) (openable washingmachine_1) (openable closet_1) (openable dresser_1)
    (openable cabinet_1)
    (opened sink_1) (opened laundrybasket_1) (opened toybox_1)
    (instance-of plate_1 plate) (instance-of plate_2 plate) (instance-of dishbowl_1 dishbowl)
    (instance-of cutleryfork_1 cutleryfork) (instance-of cutleryknife_1 cutleryknife)
    (instance-of waterglass_1 waterglass) (instance-of wineglass_1 wineglass)
    (instance-of fryingpan_1 fryingpan) (instance-of cookingpot_1 cookingpot) (instance-of milk_1 milk)
    (instance-of juice_1 juice) (instance-of breadslice_1 breadslice) (instance-of chips_1 chips)
    (instance-of cereal_1 cereal) (instance-of washingsponge_1 washingsponge)
    (instance-of toothpaste_1 toothpaste) (instance-of barsoap_1 barsoap) (instance-of towel_1 towel)
    (instance-of facecream_1 facecream) (instance-of clothespile_1 clothespile)
    (instance-of clothesshirt_1 clothesshirt) (instance-of pillow_1 pillow) (instance-of pillow_2 pillow)
    (instance-of book_1 book) (instance-of book_2 book) (instance-of cellphone_1 cellphone)
    (instance-of keyboard_1 keyboard) (instance-of teddybear_1 teddybear) (instance-of radio_1 radio)
    (instance-of salmon_1 salmon) (instance-of apple_1 apple)
    (on plate_1 kitchentable_1) (inside plate_2 dishwasher_1) (inside dishbowl_1 kitchencabinet_1)
    (on cutleryfork_1 kitchentable_1) (on cutleryknife_1 kitchencounter_1)
    (inside waterglass_1 kitchencabinet_1) (inside wineglass_1 kitchencabinet_2) (on fryingpan_1 stove_1)
    (on cookingpot_1 stove_1) (inside milk_1 fridge_1) (inside juice_1 fridge_1)
    (on breadslice_1 kitchencounter_1) (on chips_1 coffeetable_1) (inside cereal_1 kitchencabinet_2)
    (inside washingsponge_1 sink_1) (on toothpaste_1 bathroomcounter_1) (on barsoap_1 bathroomcounter_1)
    (on towel_1 towelrack_1) (inside facecream_1 bathroomcabinet_1) (inside clothespile_1 laundrybasket_1)
    (inside clothesshirt_1 closet_1) (on pillow_1 bed_1) (on pillow_2 sofa_1) (on book_1 bookshelf_1)
    (on book_2 nightstand_1) (on cellphone_1 coffeetable_1) (on keyboard_1 desk_1)
    (inside teddybear_1 toybox_1) (on radio_1 bookshelf_1) (on apple_1 kitchentable_1))
  (:goal
    (inside salmon_1 microwave_1)))
