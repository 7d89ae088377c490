; The largest: 160 things, 40 containers and 40 surfaces. Put one salmon inside a microwave and one book on a
; nightstand.
(define (problem large-salmon)
  (:domain household)
  (:objects
    kitchen bathroom bedroom livingroom - room
    fridge_1 kitchencabinet_1 bathroomcabinet_1 microwave_1 dishwasher_1 oven_1 closet_1 cabinet_1
    kitchendrawer_1 washingmachine_1 dresser_1 garbagecan_1 laundrybasket_1 toybox_1 deskdrawer_1 oven_2
    bathroomcabinet_2 closet_2 dresser_2 fridge_2 kitchencabinet_2 toybox_2 kitchendrawer_2 kitchencabinet_3
    oven_3 washingmachine_2 fridge_3 deskdrawer_2 kitchendrawer_3 microwave_2 fridge_4 kitchencabinet_4
    closet_3 closet_4 kitchencabinet_5 microwave_3 kitchencabinet_6 kitchendrawer_4 closet_5 fridge_5
    - container
    kitchentable_1 kitchencounter_1 bathroomcounter_1 coffeetable_1 bed_1 sofa_1 desk_1 nightstand_1
    bookshelf_1 tvstand_1 stove_1 wallshelf_1 towelrack_1 chair_1 rug_1 bench_1 sofa_2 stove_2 bed_2 bench_2
    chair_2 kitchencounter_2 bathroomcounter_2 stove_3 stove_4 wallshelf_2 bench_3 rug_2 bathroomcounter_3
    bathroomcounter_4 bookshelf_2 bench_4 bathroomcounter_5 kitchencounter_3 tvstand_2 rug_3 tvstand_3
    towelrack_2 wallshelf_3 kitchentable_2 - surface
    apple_1 toothbrush_1 plate_1 book_1 mug_1 milk_1 towel_1 pillow_1 cutleryfork_1 cutleryknife_1
    waterglass_1 wineglass_1 dishbowl_1 cellphone_1 remotecontrol_1 toothpaste_1 barsoap_1 toiletpaper_1
    salmon_1 chicken_1 poundcake_1 cupcake_1 breadslice_1 bananas_1 bellpepper_1 carrot_1 juice_1 wine_1
    cereal_1 chips_1 crackers_1 pudding_1 pancake_1 fryingpan_1 cookingpot_1 coffeepot_1 condimentbottle_1
    condimentshaker_1 dishwashingliquid_1 washingsponge_1 facecream_1 hairproduct_1 painkillers_1 perfume_1
    folder_1 paper_1 notes_1 magazine_1 keyboard_1 mouse_1 radio_1 globe_1 clock_1 candle_1 boardgame_1 toy_1
    teddybear_1 sportsball_1 crayons_1 glasses_1 clothespile_1 clothesshirt_1 clothespants_1 slippers_1
    hanger_1 photoframe_1 box_1 vase_1 keys_1 wallet_1 facecream_2 barsoap_2 photoframe_2 towel_2 crayons_2
    radio_2 radio_3 globe_2 radio_4 cellphone_2 clothesshirt_2 globe_3 pillow_2 bellpepper_2 cutleryfork_2
    juice_2 teddybear_2 poundcake_2 remotecontrol_2 perfume_2 towel_3 cellphone_3 apple_2 chicken_2 keys_2
    dishbowl_2 notes_2 book_2 cutleryknife_2 juice_3 keyboard_2 chicken_3 pancake_2 folder_2 notes_3
    clothespile_2 toothpaste_2 remotecontrol_3 clothespants_2 glasses_2 clothesshirt_3 clothesshirt_4
    washingsponge_2 waterglass_2 salmon_2 cellphone_4 perfume_3 fryingpan_2 clothesshirt_5 poundcake_3 box_2
    plate_2 juice_4 vase_2 notes_4 salmon_3 wallet_2 book_3 vase_3 dishwashingliquid_2 wineglass_2 fryingpan_3
    box_3 notes_5 cupcake_2 paper_2 cereal_2 keys_3 wallet_3 hanger_2 painkillers_2 cereal_3 bellpepper_3
    crackers_2 globe_4 chips_2 carrot_2 box_4 slippers_2 paper_3 book_4 book_5 coffeepot_2 clothespile_3
    fryingpan_4 bellpepper_4 folder_3 sportsball_2 folder_4 notes_6 - movable
    apple toothbrush plate book mug milk towel pillow cutleryfork cutleryknife waterglass wineglass dishbowl
    cellphone remotecontrol toothpaste barsoap toiletpaper salmon chicken poundcake cupcake breadslice bananas
    bellpepper carrot juice wine cereal chips crackers pudding pancake fryingpan cookingpot coffeepot
    condimentbottle condimentshaker dishwashingliquid washingsponge facecream hairproduct painkillers perfume
    folder paper notes magazine keyboard mouse radio globe clock candle boardgame toy teddybear sportsball
    crayons glasses clothespile clothesshirt clothespants slippers hanger photoframe box vase keys wallet
    - class)
  (:init
    (in-room bedroom) (hand-empty)
    (located fridge_1 kitchen) (located kitchencabinet_1 kitchen) (located bathroomcabinet_1 bathroom)
    (located microwave_1 kitchen) (located dishwasher_1 kitchen) (located oven_1 kitchen)
    (located closet_1 bedroom) (located cabinet_1 livingroom) (located kitchendrawer_1 kitchen)
    (located washingmachine_1 bathroom) (located dresser_1 bedroom) (located garbagecan_1 kitchen)
    (located laundrybasket_1 bedroom) (located toybox_1 bedroom) (located deskdrawer_1 bedroom)
    (located oven_2 kitchen) (located bathroomcabinet_2 bathroom) (located closet_2 bedroom)
    (located dresser_2 bedroom) (located fridge_2 kitchen) (located kitchencabinet_2 kitchen)
    (located toybox_2 livingroom) (located kitchendrawer_2 kitchen) (located kitchencabinet_3 kitchen)
    (located oven_3 kitchen) (located washingmachine_2 bathroom) (located fridge_3 kitchen)
    (located deskdrawer_2 livingroom) (located kitchendrawer_3 kitchen) (located microwave_2 kitchen)
    (located fridge_4 kitchen) (located kitchencabinet_4 kitchen) (located closet_3 bedroom)
    (located closet_4 bedroom) (located kitchencabinet_5 kitchen) (located microwave_3 kitchen)
    (located kitchencabinet_6 kitchen) (located kitchendrawer_4 kitchen) (located closet_5 bedroom)
    (located fridge_5 kitchen) (located kitchentable_1 kitchen) (located kitchencounter_1 kitchen)
    (located bathroomcounter_1 bathroom) (located coffeetable_1 livingroom) (located bed_1 bedroom)
    (located sofa_1 livingroom) (located desk_1 bedroom) (located nightstand_1 bedroom)
    (located bookshelf_1 livingroom) (located tvstand_1 livingroom) (located stove_1 kitchen)
    (located wallshelf_1 kitchen) (located towelrack_1 bathroom) (located chair_1 kitchen)
    (located rug_1 livingroom) (located bench_1 livingroom) (located sofa_2 livingroom)
    (located stove_2 kitchen) (located bed_2 bedroom) (located bench_2 livingroom) (located chair_2 bedroom)
    (located kitchencounter_2 kitchen) (located bathroomcounter_2 bathroom) (located stove_3 kitchen)
    (located stove_4 kitchen) (located wallshelf_2 bathroom) (located bench_3 kitchen)
    (located rug_2 livingroom) (located bathroomcounter_3 bathroom) (located bathroomcounter_4 bathroom)
    (located bookshelf_2 livingroom) (located bench_4 kitchen) (located bathroomcounter_5 bathroom)
    (located kitchencounter_3 kitchen) (located tvstand_2 livingroom) (located rug_3 bedroom)
    (located tvstand_3 livingroom) (located towelrack_2 bathroom) (located wallshelf_3 kitchen)
    (located kitchentable_2 kitchen)
    (openable fridge_1) (openable kitchencabinet_1) (openable bathroomcabinet_1) (openable microwave_1)
    (openable dishwasher_1) (openable oven_1) (openable closet_1) (openable cabinet_1)
    (openable kitchendrawer_1) (openable washingmachine_1) (openable dresser_1) (openable garbagecan_1)
    (openable laundrybasket_1) (openable toybox_1) (openable deskdrawer_1) (openable oven_2)
    (openable bathroomcabinet_2) (openable closet_2) (openable dresser_2) (openable fridge_2)
    (openable kitchencabinet_2) (openable toybox_2) (openable kitchendrawer_2) (openable kitchencabinet_3)
    (openable oven_3) (openable washingmachine_2) (openable fridge_3) (openable deskdrawer_2)
    (openable kitchendrawer_3) (openable microwave_2) (openable fridge_4) (openable kitchencabinet_4)
    (openable closet_3) (openable closet_4) (openable kitchencabinet_5) (openable microwave_3)
    (openable kitchencabinet_6) (openable kitchendrawer_4) (openable closet_5) (openable fridge_5)
    (instance-of apple_1 apple) (instance-of toothbrush_1 toothbrush) (instance-of plate_1 plate)
    (instance-of book_1 book) (instance-of mug_1 mug) (instance-of milk_1 milk) (instance-of towel_1 towel)
    (instance-of pillow_1 pillow) (instance-of cutleryfork_1 cutleryfork)
    (instance-of cutleryknife_1 cutleryknife) (instance-of waterglass_1 waterglass)
    (instance-of wineglass_1 wineglass) (instance-of dishbowl_1 dishbowl) (instance-of cellphone_1 cellphone)
    (instance-of remotecontrol_1 remotecontrol) (instance-of toothpaste_1 toothpaste)
    (instance-of barsoap_1 barsoap) (instance-of toiletpaper_1 toiletpaper) (instance-of salmon_1 salmon)
    (instance-of chicken_1 chicken) (instance-of poundcake_1 poundcake) (instance-of cupcake_1 cupcake)
    (instance-of breadslice_1 breadslice) (instance-of bananas_1 bananas)
    (instance-of bellpepper_1 bellpepper) (instance-of carrot_1 carrot) (instance-of juice_1 juice)
    (instance-of wine_1 wine) (instance-of cereal_1 cereal) (instance-of chips_1 chips)
    (instance-of crackers_1 crackers) (instance-of pudding_1 pudding) (instance-of pancake_1 pancake)
    (instance-of fryingpan_1 fryingpan) (instance-of cookingpot_1 cookingpot)
    (instance-of coffeepot_1 coffeepot) (instance-of condimentbottle_1 condimentbottle)
    (instance-of condimentshaker_1 condimentshaker) (instance-of dishwashingliquid_1 dishwashingliquid)
    (instance-of washingsponge_1 washingsponge) (instance-of facecream_1 facecream)
    (instance-of hairproduct_1 hairproduct) (instance-of painkillers_1 painkillers)
    (instance-of perfume_1 perfume) (instance-of folder_1 folder) (instance-of paper_1 paper)
    (instance-of notes_1 notes) (instance-of magazine_1 magazine) (instance-of keyboard_1 keyboard)
    (instance-of mouse_1 mouse) (instance-of radio_1 radio) (instance-of globe_1 globe)
    (instance-of clock_1 clock) (instance-of candle_1 candle) (instance-of boardgame_1 boardgame)
    (instance-of toy_1 toy) (instance-of teddybear_1 teddybear) (instance-of sportsball_1 sportsball)
    (instance-of crayons_1 crayons) (instance-of glasses_1 glasses) (instance-of clothespile_1 clothespile)
    (instance-of clothesshirt_1 clothesshirt) (instance-of clothespants_1 clothespants)
    (instance-of slippers_1 slippers) (instance-of hanger_1 hanger) (instance-of photoframe_1 photoframe)
    (instance-of box_1 box) (instance-of vase_1 vase) (instance-of keys_1 keys) (instance-of wallet_1 wallet)
    (instance-of facecream_2 facecream) (instance-of barsoap_2 barsoap) (instance-of photoframe_2 photoframe)
    (instance-of towel_2 towel) (instance-of crayons_2 crayons) (instance-of radio_2 radio)
    (instance-of radio_3 radio) (instance-of globe_2 globe) (instance-of radio_4 radio)
    (instance-of cellphone_2 cellphone) (instance-of clothesshirt_2 clothesshirt) (instance-of globe_3 globe)
    (instance-of pillow_2 pillow) (instance-of bellpepper_2 bellpepper)
    (instance-of cutleryfork_2 cutleryfork) (instance-of juice_2 juice) (instance-of teddybear_2 teddybear)
    (instance-of poundcake_2 poundcake) (instance-of remotecontrol_2 remotecontrol)
    (instance-of perfume_2 perfume) (instance-of towel_3 towel) (instance-of cellphone_3 cellphone)
    (instance-of apple_2 apple) (instance-of chicken_2 chicken) (instance-of keys_2 keys)
    (instance-of dishbowl_2 dishbowl) (instance-of notes_2 notes) (instance-of book_2 book)
    (instance-of cutleryknife_2 cutleryknife) (instance-of juice_3 juice) (instance-of keyboard_2 keyboard)
    (instance-of chicken_3 chicken) (instance-of pancake_2 pancake) (instance-of folder_2 folder)
    (instance-of notes_3 notes) (instance-of clothespile_2 clothespile) (instance-of toothpaste_2 toothpaste)
    (instance-of remotecontrol_3 remotecontrol) (instance-of clothespants_2 clothespants)
    (instance-of glasses_2 glasses) (instance-of clothesshirt_3 clothesshirt)
    (instance-of clothesshirt_4 clothesshirt) (instance-of washingsponge_2 washingsponge)
    (instance-of waterglass_2 waterglass) (instance-of salmon_2 salmon) (instance-of cellphone_4 cellphone)
    (instance-of perfume_3 perfume) (instance-of fryingpan_2 fryingpan)
    (instance-of clothesshirt_5 clothesshirt) (instance-of poundcake_3 poundcake) (instance-of box_2 box)
    (instance-of plate_2 plate) (instance-of juice_4 juice) (instance-of vase_2 vase)
    (instance-of notes_4 notes) (instance-of salmon_3 salmon) (instance-of wallet_2 wallet)
    (instance-of book_3 book) (instance-of vase_3 vase) (instance-of dishwashingliquid_2 dishwashingliquid)
    (instance-of wineglass_2 wineglass) (instance-of fryingpan_3 fryingpan) (instance-of box_3 box)
    (instance-of notes_5 notes) (instance-of cupcake_2 cupcake) (instance-of paper_2 paper)
    (instance-of cereal_2 cereal) (instance-of keys_3 keys) (instance-of wallet_3 wallet)
    (instance-of hanger_2 hanger) (instance-of painkillers_2 painkillers) (instance-of cereal_3 cereal)
    (instance-of bellpepper_3 bellpepper) (instance-of crackers_2 crackers) (instance-of globe_4 globe)
    (instance-of chips_2 chips) (instance-of carrot_2 carrot) (instance-of box_4 box)
    (instance-of slippers_2 slippers) (instance-of paper_3 paper) (instance-of book_4 book)
    (instance-of book_5 book) (instance-of coffeepot_2 coffeepot) (instance-of clothespile_3 clothespile)
    (instance-of fryingpan_4 fryingpan) (instance-of bellpepper_4 bellpepper) (instance-of folder_3 folder)
    (instance-of sportsball_2 sportsball) (instance-of folder_4 folder) (instance-of notes_6 notes)
    (on apple_1 kitchentable_1) (on toothbrush_1 bathroomcounter_2) (on plate_1 kitchencounter_1)
    (on book_1 bookshelf_1) (on mug_1 desk_1) (on milk_1 kitchentable_2) (on towel_1 bathroomcounter_1)
    (on pillow_1 bed_2) (inside cutleryfork_1 dishwasher_1) (inside cutleryknife_1 kitchendrawer_2)
    (on waterglass_1 nightstand_1) (inside wineglass_1 kitchencabinet_6) (on dishbowl_1 kitchentable_2)
    (on cellphone_1 desk_1) (on remotecontrol_1 sofa_1) (on toothpaste_1 bathroomcounter_2)
    (on barsoap_1 bathroomcounter_2) (on toiletpaper_1 wallshelf_2) (on salmon_1 kitchentable_2)
    (inside chicken_1 oven_3) (inside poundcake_1 fridge_3) (on cupcake_1 kitchencounter_3)
    (on breadslice_1 kitchencounter_1) (on bananas_1 kitchencounter_3) (inside bellpepper_1 fridge_5)
    (inside carrot_1 fridge_4) (inside juice_1 fridge_2) (inside wine_1 kitchencabinet_3)
    (inside cereal_1 kitchencabinet_3) (on chips_1 kitchencounter_1) (on crackers_1 coffeetable_1)
    (on pudding_1 kitchentable_1) (on pancake_1 stove_3) (inside fryingpan_1 kitchencabinet_6)
    (on cookingpot_1 kitchencounter_3) (on coffeepot_1 stove_2) (on condimentbottle_1 kitchentable_1)
    (inside condimentshaker_1 kitchencabinet_5) (on dishwashingliquid_1 kitchencounter_2)
    (on washingsponge_1 kitchencounter_3) (on facecream_1 bathroomcounter_2)
    (inside hairproduct_1 bathroomcabinet_1) (on painkillers_1 nightstand_1) (on perfume_1 bathroomcounter_3)
    (on folder_1 bookshelf_1) (on paper_1 desk_1) (on notes_1 desk_1) (on magazine_1 coffeetable_1)
    (on keyboard_1 desk_1) (on mouse_1 desk_1) (on radio_1 nightstand_1) (on globe_1 desk_1)
    (on clock_1 nightstand_1) (on candle_1 wallshelf_3) (inside boardgame_1 cabinet_1) (on toy_1 bed_1)
    (on teddybear_1 sofa_1) (on sportsball_1 rug_2) (inside crayons_1 toybox_1) (on glasses_1 coffeetable_1)
    (inside clothespile_1 washingmachine_1) (inside clothesshirt_1 closet_3) (inside clothespants_1 closet_2)
    (inside slippers_1 closet_2) (inside hanger_1 closet_2) (on photoframe_1 bookshelf_1)
    (inside box_1 cabinet_1) (on vase_1 kitchentable_2) (on keys_1 tvstand_3) (on wallet_1 nightstand_1)
    (inside facecream_2 dresser_2) (inside barsoap_2 bathroomcabinet_2) (on photoframe_2 bookshelf_1)
    (inside towel_2 bathroomcabinet_2) (on crayons_2 desk_1) (on radio_2 bookshelf_2) (on radio_3 tvstand_2)
    (on globe_2 desk_1) (on radio_4 nightstand_1) (on cellphone_2 coffeetable_1) (on clothesshirt_2 chair_1)
    (on globe_3 bookshelf_1) (on pillow_2 bed_1) (on bellpepper_2 kitchencounter_2)
    (on cutleryfork_2 kitchentable_1) (on juice_2 kitchentable_1) (on teddybear_2 sofa_2)
    (inside poundcake_2 fridge_2) (on remotecontrol_2 sofa_2) (inside perfume_2 dresser_1)
    (inside towel_3 bathroomcabinet_1) (on cellphone_3 coffeetable_1) (on apple_2 coffeetable_1)
    (on chicken_2 kitchencounter_1) (on keys_2 desk_1) (on dishbowl_2 kitchentable_1)
    (inside notes_2 deskdrawer_1) (on book_2 bookshelf_2) (on cutleryknife_2 kitchentable_2)
    (inside juice_3 fridge_3) (on keyboard_2 desk_1) (inside chicken_3 oven_1) (on pancake_2 stove_2)
    (on folder_2 desk_1) (on notes_3 bookshelf_1) (inside clothespile_2 dresser_1)
    (inside toothpaste_2 bathroomcabinet_2) (on remotecontrol_3 sofa_1) (inside clothespants_2 dresser_2)
    (on glasses_2 coffeetable_1) (inside clothesshirt_3 laundrybasket_1) (inside clothesshirt_4 closet_3)
    (on washingsponge_2 kitchencounter_1) (on waterglass_2 kitchentable_1) (inside salmon_2 oven_2)
    (on cellphone_4 nightstand_1) (on perfume_3 bathroomcounter_4) (inside fryingpan_2 kitchencabinet_5)
    (inside clothesshirt_5 laundrybasket_1) (on poundcake_3 kitchentable_1) (inside box_2 closet_3)
    (inside plate_2 kitchencabinet_6) (inside juice_4 fridge_4) (on vase_2 kitchentable_1) (on notes_4 desk_1)
    (inside salmon_3 fridge_3) (on wallet_2 desk_1) (on book_3 bookshelf_1) (on vase_3 wallshelf_2)
    (inside dishwashingliquid_2 kitchencabinet_5) (inside wineglass_2 kitchencabinet_6)
    (inside fryingpan_3 kitchencabinet_1) (on box_3 bookshelf_1) (on notes_5 desk_1)
    (on cupcake_2 kitchentable_1) (inside paper_2 deskdrawer_2) (on cereal_2 kitchencounter_3)
    (on keys_3 kitchencounter_1) (on wallet_3 nightstand_1) (inside hanger_2 closet_3)
    (inside painkillers_2 bathroomcabinet_1) (on cereal_3 kitchencounter_2) (inside bellpepper_3 fridge_4)
    (on crackers_2 coffeetable_1) (on globe_4 bookshelf_1) (inside chips_2 kitchencabinet_3)
    (inside carrot_2 fridge_2) (on box_4 bookshelf_1) (inside slippers_2 closet_1)
    (inside paper_3 deskdrawer_2) (on book_4 desk_1) (on book_5 desk_1) (on coffeepot_2 stove_4)
    (inside clothespile_3 dresser_2) (on fryingpan_4 stove_1) (on bellpepper_4 kitchencounter_3)
    (on folder_3 desk_1) (inside sportsball_2 toybox_1) (on folder_4 desk_1) (on notes_6 desk_1))
  (:goal
    (and (inside salmon_1 microwave_1) (on book_1 nightstand_1))))
