; Five plants, three tools, five spots.
(define (problem spring)
  (:domain greenhouse)
  (:objects
    tomato_1 tomato_2 basil fern orchid - plant
    shears watering-can trowel - tool
    potting-bench front-shelf back-shelf window-sill sink - spot
    roof-vent side-vent - vent)
  (:init
    (gardener-at potting-bench) (open roof-vent)
    (standing tomato_1 front-shelf) (standing tomato_2 front-shelf) (standing basil potting-bench)
    (standing fern back-shelf) (standing orchid window-sill)
    (standing shears back-shelf) (standing watering-can sink) (standing trowel sink))
  (:goal (and)))
