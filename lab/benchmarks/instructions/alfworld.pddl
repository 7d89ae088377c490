; A room of ALFWorld's kind, for sentences that people might say there.
(define (problem room)
  (:domain alfworld)
  (:objects
    armchair_1 - armchair bed_1 - bed coffeemachine_1 - coffeemachine countertop_1 - countertop desk_1 - desk
    diningtable_1 - diningtable dresser_1 - dresser fridge_1 - fridge garbagecan_1 - garbagecan
    microwave_1 - microwave safe_1 - safe shelf_1 - shelf sidetable_1 - sidetable sinkbasin_1 - sinkbasin
    sofa_1 - sofa stoveburner_1 - stoveburner toilet_1 - toilet cabinet_1 cabinet_2 - cabinet
    drawer_1 drawer_2 - drawer alarmclock_1 alarmclock_2 - alarmclock apple_1 apple_2 - apple
    book_1 book_2 - book bread_1 bread_2 - bread candle_1 candle_2 - candle cd_1 cd_2 - cd
    cellphone_1 cellphone_2 - cellphone cloth_1 cloth_2 - cloth creditcard_1 creditcard_2 - creditcard
    cup_1 cup_2 - cup egg_1 egg_2 - egg keychain_1 keychain_2 - keychain knife_1 knife_2 - knife
    laptop_1 laptop_2 - laptop lettuce_1 lettuce_2 - lettuce mug_1 mug_2 - mug
    newspaper_1 newspaper_2 - newspaper pan_1 pan_2 - pan pen_1 pen_2 - pen pencil_1 pencil_2 - pencil
    pillow_1 pillow_2 - pillow plate_1 plate_2 - plate pot_1 pot_2 - pot potato_1 potato_2 - potato
    soapbar_1 soapbar_2 - soapbar soapbottle_1 soapbottle_2 - soapbottle spoon_1 spoon_2 - spoon
    statue_1 statue_2 - statue toiletpaper_1 toiletpaper_2 - toiletpaper tomato_1 tomato_2 - tomato
    vase_1 vase_2 - vase watch_1 watch_2 - watch desklamp_1 - desklamp)
  (:init
    (hand-empty)
    (in alarmclock_1 bed_1) (in alarmclock_2 cabinet_1) (in apple_1 cabinet_2) (in apple_2 coffeemachine_1)
    (in book_1 countertop_1) (in book_2 desk_1) (in bread_1 diningtable_1) (in bread_2 drawer_1)
    (in candle_1 drawer_2) (in candle_2 dresser_1) (in cd_1 fridge_1) (in cd_2 garbagecan_1)
    (in cellphone_1 microwave_1) (in cellphone_2 safe_1) (in cloth_1 shelf_1) (in cloth_2 sidetable_1)
    (in creditcard_1 sinkbasin_1) (in creditcard_2 sofa_1) (in cup_1 stoveburner_1) (in cup_2 toilet_1)
    (in egg_1 armchair_1) (in egg_2 bed_1) (in keychain_1 cabinet_1) (in keychain_2 cabinet_2)
    (in knife_1 coffeemachine_1) (in knife_2 countertop_1) (in laptop_1 desk_1) (in laptop_2 diningtable_1)
    (in lettuce_1 drawer_1) (in lettuce_2 drawer_2) (in mug_1 dresser_1) (in mug_2 fridge_1)
    (in newspaper_1 garbagecan_1) (in newspaper_2 microwave_1) (in pan_1 safe_1) (in pan_2 shelf_1)
    (in pen_1 sidetable_1) (in pen_2 sinkbasin_1) (in pencil_1 sofa_1) (in pencil_2 stoveburner_1)
    (in pillow_1 toilet_1) (in pillow_2 armchair_1) (in plate_1 bed_1) (in plate_2 cabinet_1)
    (in pot_1 cabinet_2) (in pot_2 coffeemachine_1) (in potato_1 countertop_1) (in potato_2 desk_1)
    (in soapbar_1 diningtable_1) (in soapbar_2 drawer_1) (in soapbottle_1 drawer_2)
    (in soapbottle_2 dresser_1) (in spoon_1 fridge_1) (in spoon_2 garbagecan_1) (in statue_1 microwave_1)
    (in statue_2 safe_1) (in toiletpaper_1 shelf_1) (in toiletpaper_2 sidetable_1) (in tomato_1 sinkbasin_1)
    (in tomato_2 sofa_1) (in vase_1 stoveburner_1) (in vase_2 toilet_1) (in watch_1 armchair_1)
    (in watch_2 bed_1) (in desklamp_1 desk_1))
  (:goal (and)))
