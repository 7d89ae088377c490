; Eight European cities: from Oslo to Athens in two flights.
(define (problem short-oslo-athens)
  (:domain flights)
  (:objects
    amsterdam athens dublin edinburgh frankfurt london oslo rome - city)
  (:init
    (at oslo) (visited oslo) (direct-flight amsterdam dublin) (direct-flight dublin amsterdam)
    (direct-flight amsterdam edinburgh) (direct-flight edinburgh amsterdam)
    (direct-flight amsterdam frankfurt) (direct-flight frankfurt amsterdam) (direct-flight amsterdam london)
    (direct-flight london amsterdam) (direct-flight amsterdam oslo) (direct-flight oslo amsterdam)
    (direct-flight amsterdam rome) (direct-flight rome amsterdam) (direct-flight athens frankfurt)
    (direct-flight frankfurt athens) (direct-flight athens london) (direct-flight london athens)
    (direct-flight dublin london) (direct-flight london dublin) (direct-flight edinburgh london)
    (direct-flight london edinburgh) (direct-flight frankfurt london) (direct-flight london frankfurt)
    (direct-flight frankfurt oslo) (direct-flight oslo frankfurt) (direct-flight frankfurt rome)
    (direct-flight rome frankfurt) (direct-flight london oslo) (direct-flight oslo london)
    (direct-flight london rome) (direct-flight rome london))
  (:goal (at athens)))
