; A clean cloth is wanted in a cabinet of the bathroom.
(define (problem clean-cloth)
  (:domain alfworld)
  (:objects
    bathtubbasin_1 - bathtubbasin
    cabinet_1 cabinet_2 - cabinet
    countertop_1 - countertop
    garbagecan_1 - garbagecan
    handtowelholder_1 - handtowelholder
    sinkbasin_1 - sinkbasin
    toilet_1 - toilet
    toiletpaperhanger_1 - toiletpaperhanger
    towelholder_1 - towelholder
    cloth_1 - cloth
    soapbar_1 - soapbar
    handtowel_1 - handtowel
    toiletpaper_1 - toiletpaper
    candle_1 - candle)
  (:init
    (hand-empty)
    (closed cabinet_1) (closed cabinet_2)
    (in cloth_1 bathtubbasin_1) (in soapbar_1 sinkbasin_1) (in handtowel_1 handtowelholder_1)
    (in toiletpaper_1 toilet_1) (in candle_1 countertop_1))
  (:goal (exists (?t - cloth ?p - cabinet) (and (washed ?t) (in ?t ?p)))))
