; A home of VirtualHome's scale: 4 rooms, 38 containers and surfaces, 119 things. Put the apple inside the
; fridge and the toothbrush inside the bathroom cabinet.
(define (problem demo)
  (:domain household)
  (:objects
    kitchen bathroom bedroom livingroom - room
    fridge_1 kitchencabinet_1 bathroomcabinet_1 microwave_1 dishwasher_1 oven_1 closet_1 cabinet_1
    kitchendrawer_1 washingmachine_1 dresser_1 garbagecan_1 laundrybasket_1 toybox_1 deskdrawer_1 closet_2
    garbagecan_2 cabinet_2 - container
    kitchentable_1 kitchencounter_1 bathroomcounter_1 coffeetable_1 bed_1 sofa_1 desk_1 nightstand_1
    bookshelf_1 tvstand_1 stove_1 wallshelf_1 towelrack_1 chair_1 rug_1 bench_1 bench_2 rug_2 stove_2
    bathroomcounter_2 - surface
    apple_1 toothbrush_1 plate_1 book_1 mug_1 milk_1 towel_1 pillow_1 cutleryfork_1 cutleryknife_1
    waterglass_1 wineglass_1 dishbowl_1 cellphone_1 remotecontrol_1 toothpaste_1 barsoap_1 toiletpaper_1
    salmon_1 chicken_1 poundcake_1 cupcake_1 breadslice_1 bananas_1 bellpepper_1 carrot_1 juice_1 wine_1
    cereal_1 chips_1 crackers_1 pudding_1 pancake_1 fryingpan_1 cookingpot_1 coffeepot_1 condimentbottle_1
    condimentshaker_1 dishwashingliquid_1 washingsponge_1 facecream_1 hairproduct_1 painkillers_1 perfume_1
    folder_1 paper_1 notes_1 magazine_1 keyboard_1 mouse_1 radio_1 globe_1 clock_1 candle_1 boardgame_1 toy_1
    teddybear_1 sportsball_1 crayons_1 glasses_1 clothespile_1 clothesshirt_1 clothespants_1 slippers_1
    hanger_1 photoframe_1 box_1 vase_1 keys_1 wallet_1 clothespile_2 chicken_2 condimentshaker_2 wineglass_2
    hanger_2 globe_2 facecream_2 coffeepot_2 facecream_3 condimentbottle_2 toiletpaper_2 poundcake_2
    teddybear_2 cutleryknife_2 paper_2 chips_2 salmon_2 photoframe_2 folder_2 toothpaste_2 plate_2 coffeepot_3
    breadslice_2 condimentbottle_3 salmon_3 carrot_2 cupcake_2 pancake_2 toy_2 photoframe_3 dishbowl_2
    boardgame_2 clothespants_2 boardgame_3 wineglass_3 facecream_4 painkillers_2 remotecontrol_2 cutleryfork_2
    clothespants_3 clothesshirt_2 clothespants_4 cutleryknife_3 mouse_2 pudding_2 book_2 boardgame_4 carrot_3
    folder_3 - movable
    apple toothbrush plate book mug milk towel pillow cutleryfork cutleryknife waterglass wineglass dishbowl
    cellphone remotecontrol toothpaste barsoap toiletpaper salmon chicken poundcake cupcake breadslice bananas
    bellpepper carrot juice wine cereal chips crackers pudding pancake fryingpan cookingpot coffeepot
    condimentbottle condimentshaker dishwashingliquid washingsponge facecream hairproduct painkillers perfume
    folder paper notes magazine keyboard mouse radio globe clock candle boardgame toy teddybear sportsball
    crayons glasses clothespile clothesshirt clothespants slippers hanger photoframe box vase keys wallet
    - class)
  (:init
    (in-room livingroom) (hand-empty)
    (located fridge_1 kitchen) (located kitchencabinet_1 kitchen) (located bathroomcabinet_1 bathroom)
    (located microwave_1 kitchen) (located dishwasher_1 kitchen) (located oven_1 kitchen)
    (located closet_1 bedroom) (located cabinet_1 livingroom) (located kitchendrawer_1 kitchen)
    (located washingmachine_1 bathroom) (located dresser_1 bedroom) (located garbagecan_1 kitchen)
    (located laundrybasket_1 bedroom) (located toybox_1 bedroom) (located deskdrawer_1 bedroom)
    (located closet_2 bedroom) (located garbagecan_2 kitchen) (located cabinet_2 livingroom)
    (located kitchentable_1 kitchen) (located kitchencounter_1 kitchen) (located bathroomcounter_1 bathroom)
    (located coffeetable_1 livingroom) (located bed_1 bedroom) (located sofa_1 livingroom)
    (located desk_1 bedroom) (located nightstand_1 bedroom) (located bookshelf_1 livingroom)
    (located tvstand_1 livingroom) (located stove_1 kitchen) (located wallshelf_1 kitchen)
    (located towelrack_1 bathroom) (located chair_1 kitchen) (located rug_1 livingroom)
    (located bench_1 livingroom) (located bench_2 livingroom) (located rug_2 livingroom)
    (located stove_2 kitchen) (located bathroomcounter_2 bathroom)
    (openable fridge_1) (openable kitchencabinet_1) (openable bathroomcabinet_1) (openable microwave_1)
    (openable dishwasher_1) (openable oven_1) (openable closet_1) (openable cabinet_1)
    (openable kitchendrawer_1) (openable washingmachine_1) (openable dresser_1) (openable garbagecan_1)
    (openable laundrybasket_1) (openable toybox_1) (openable deskdrawer_1) (openable closet_2)
    (openable garbagecan_2) (openable cabinet_2)
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
    (instance-of clothespile_2 clothespile) (instance-of chicken_2 chicken)
    (instance-of condimentshaker_2 condimentshaker) (instance-of wineglass_2 wineglass)
    (instance-of hanger_2 hanger) (instance-of globe_2 globe) (instance-of facecream_2 facecream)
    (instance-of coffeepot_2 coffeepot) (instance-of facecream_3 facecream)
    (instance-of condimentbottle_2 condimentbottle) (instance-of toiletpaper_2 toiletpaper)
    (instance-of poundcake_2 poundcake) (instance-of teddybear_2 teddybear)
    (instance-of cutleryknife_2 cutleryknife) (instance-of paper_2 paper) (instance-of chips_2 chips)
    (instance-of salmon_2 salmon) (instance-of photoframe_2 photoframe) (instance-of folder_2 folder)
    (instance-of toothpaste_2 toothpaste) (instance-of plate_2 plate) (instance-of coffeepot_3 coffeepot)
    (instance-of breadslice_2 breadslice) (instance-of condimentbottle_3 condimentbottle)
    (instance-of salmon_3 salmon) (instance-of carrot_2 carrot) (instance-of cupcake_2 cupcake)
    (instance-of pancake_2 pancake) (instance-of toy_2 toy) (instance-of photoframe_3 photoframe)
    (instance-of dishbowl_2 dishbowl) (instance-of boardgame_2 boardgame)
    (instance-of clothespants_2 clothespants) (instance-of boardgame_3 boardgame)
    (instance-of wineglass_3 wineglass) (instance-of facecream_4 facecream)
    (instance-of painkillers_2 painkillers) (instance-of remotecontrol_2 remotecontrol)
    (instance-of cutleryfork_2 cutleryfork) (instance-of clothespants_3 clothespants)
    (instance-of clothesshirt_2 clothesshirt) (instance-of clothespants_4 clothespants)
    (instance-of cutleryknife_3 cutleryknife) (instance-of mouse_2 mouse) (instance-of pudding_2 pudding)
    (instance-of book_2 book) (instance-of boardgame_4 boardgame) (instance-of carrot_3 carrot)
    (instance-of folder_3 folder)
    (on apple_1 desk_1) (on toothbrush_1 bathroomcounter_1) (inside plate_1 dishwasher_1)
    (on book_1 nightstand_1) (inside mug_1 kitchencabinet_1) (inside milk_1 fridge_1)
    (inside towel_1 bathroomcabinet_1) (on pillow_1 bed_1) (inside cutleryfork_1 dishwasher_1)
    (on cutleryknife_1 kitchencounter_1) (inside waterglass_1 dishwasher_1) (on wineglass_1 kitchentable_1)
    (inside dishbowl_1 kitchencabinet_1) (on cellphone_1 coffeetable_1) (on remotecontrol_1 tvstand_1)
    (on toothpaste_1 bathroomcounter_1) (on barsoap_1 bathroomcounter_1) (on toiletpaper_1 bathroomcounter_1)
    (inside salmon_1 oven_1) (inside chicken_1 oven_1) (on poundcake_1 kitchentable_1)
    (inside cupcake_1 fridge_1) (on breadslice_1 kitchencounter_1) (on bananas_1 kitchentable_1)
    (on bellpepper_1 kitchencounter_1) (on carrot_1 kitchencounter_1) (inside juice_1 fridge_1)
    (inside wine_1 cabinet_1) (inside cereal_1 kitchencabinet_1) (on chips_1 coffeetable_1)
    (on crackers_1 coffeetable_1) (on pudding_1 kitchentable_1) (inside pancake_1 microwave_1)
    (on fryingpan_1 stove_1) (on cookingpot_1 kitchencounter_1) (on coffeepot_1 kitchencounter_1)
    (on condimentbottle_1 kitchencounter_1) (on condimentshaker_1 kitchentable_1)
    (on dishwashingliquid_1 kitchencounter_1) (on washingsponge_1 kitchencounter_1)
    (inside facecream_1 bathroomcabinet_1) (on hairproduct_1 bathroomcounter_2)
    (inside painkillers_1 bathroomcabinet_1) (inside perfume_1 dresser_1) (on folder_1 bookshelf_1)
    (inside paper_1 deskdrawer_1) (on notes_1 desk_1) (on magazine_1 sofa_1) (on keyboard_1 desk_1)
    (on mouse_1 desk_1) (on radio_1 tvstand_1) (on globe_1 desk_1) (on clock_1 nightstand_1)
    (on candle_1 coffeetable_1) (inside boardgame_1 cabinet_1) (on toy_1 rug_1) (inside teddybear_1 toybox_1)
    (inside sportsball_1 toybox_1) (on crayons_1 desk_1) (on glasses_1 desk_1) (on clothespile_1 bed_1)
    (inside clothesshirt_1 closet_2) (inside clothespants_1 closet_2) (inside slippers_1 closet_1)
    (inside hanger_1 closet_1) (on photoframe_1 nightstand_1) (on box_1 bookshelf_1)
    (on vase_1 kitchentable_1) (on keys_1 kitchencounter_1) (on wallet_1 tvstand_1)
    (inside clothespile_2 closet_2) (inside chicken_2 fridge_1) (on condimentshaker_2 kitchentable_1)
    (on wineglass_2 kitchentable_1) (inside hanger_2 closet_2) (on globe_2 desk_1)
    (on facecream_2 bathroomcounter_2) (on coffeepot_2 stove_2) (inside facecream_3 dresser_1)
    (on condimentbottle_2 kitchentable_1) (on toiletpaper_2 bathroomcounter_2) (on poundcake_2 kitchentable_1)
    (on teddybear_2 sofa_1) (inside cutleryknife_2 kitchendrawer_1) (inside paper_2 deskdrawer_1)
    (on chips_2 kitchencounter_1) (inside salmon_2 microwave_1) (on photoframe_2 wallshelf_1)
    (on folder_2 desk_1) (inside toothpaste_2 bathroomcabinet_1) (inside plate_2 dishwasher_1)
    (on coffeepot_3 stove_1) (on breadslice_2 kitchencounter_1) (on condimentbottle_3 kitchencounter_1)
    (inside salmon_3 oven_1) (inside carrot_2 fridge_1) (on cupcake_2 kitchentable_1)
    (on pancake_2 kitchentable_1) (on toy_2 bed_1) (on photoframe_3 bookshelf_1)
    (on dishbowl_2 kitchencounter_1) (on boardgame_2 bookshelf_1) (inside clothespants_2 closet_2)
    (inside boardgame_3 cabinet_1) (on wineglass_3 coffeetable_1) (inside facecream_4 dresser_1)
    (on painkillers_2 nightstand_1) (on remotecontrol_2 coffeetable_1) (inside cutleryfork_2 dishwasher_1)
    (inside clothespants_3 dresser_1) (inside clothesshirt_2 closet_2) (on clothespants_4 bed_1)
    (on cutleryknife_3 kitchentable_1) (on mouse_2 desk_1) (inside pudding_2 fridge_1) (on book_2 bookshelf_1)
    (inside boardgame_4 cabinet_2) (on carrot_3 kitchencounter_1) (on folder_3 bookshelf_1))
  (:goal
    (and (inside apple_1 fridge_1) (inside toothbrush_1 bathroomcabinet_1))))
