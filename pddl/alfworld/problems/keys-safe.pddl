; Put the keys into the safe: they lie in a drawer that stands open.
(define (problem keys-safe)
  (:domain alfworld)
  (:objects
    armchair_1 armchair_2 - armchair
    coffeetable_1 - coffeetable
    drawer_1 drawer_2 - drawer
    garbagecan_1 - garbagecan
    safe_1 - safe
    shelf_1 - shelf
    sidetable_1 - sidetable
    sofa_1 - sofa
    tvstand_1 - tvstand
    keychain_1 - keychain
    creditcard_1 - creditcard
    newspaper_1 - newspaper)
  (:init
    (hand-empty)
    (closed drawer_1) (closed safe_1)
    (in keychain_1 drawer_2) (in creditcard_1 armchair_2) (in newspaper_1 sofa_1))
  (:goal (exists (?t - keychain ?p - safe) (in ?t ?p))))
