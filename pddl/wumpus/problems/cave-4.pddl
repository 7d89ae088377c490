;; description: get the treasure
(define (problem cave-4)
  (:domain wumpus)
  (:objects
    aa ab ac ad ba bb bc bd ca cb cc cd da db dc dd - square)
  (:init
    (next-to aa ab) (next-to aa ba) (next-to ab ac) (next-to ab bb) (next-to ab aa) (next-to ac ad) (next-to ac bc)
    (next-to ac ab) (next-to ad bd) (next-to ad ac) (next-to ba bb) (next-to ba ca) (next-to ba aa) (next-to bb bc)
    (next-to bb cb) (next-to bb ba) (next-to bb ab) (next-to bc bd) (next-to bc cc) (next-to bc bb) (next-to bc ac)
    (next-to bd cd) (next-to bd bc) (next-to bd ad) (next-to ca cb) (next-to ca da) (next-to ca ba) (next-to cb cc)
    (next-to cb db) (next-to cb ca) (next-to cb bb) (next-to cc cd) (next-to cc dc) (next-to cc cb) (next-to cc bc)
    (next-to cd dd) (next-to cd cc) (next-to cd bd) (next-to da db) (next-to da ca) (next-to db dc) (next-to db da)
    (next-to db cb) (next-to dc dd) (next-to dc db) (next-to dc cc) (next-to dd dc) (next-to dd cd)
    (at aa) (treasure-in dd)
    (safe aa) (safe ab) (safe ba) (safe cb) (safe dc) (safe dd)
    (oneof (wumpus-in ad) (wumpus-in bb) (wumpus-in ca) (wumpus-in cd) (wumpus-in da) (wumpus-in db))
    (oneof (pit-in ac) (pit-in bc) (pit-in bd) (pit-in cc))
    ; safe is where neither is
    (or (safe ac) (pit-in ac)) (or (not (safe ac)) (not (pit-in ac)))
    (or (safe ad) (wumpus-in ad)) (or (not (safe ad)) (not (wumpus-in ad)))
    (or (safe bb) (wumpus-in bb)) (or (not (safe bb)) (not (wumpus-in bb)))
    (or (safe bc) (pit-in bc)) (or (not (safe bc)) (not (pit-in bc)))
    (or (safe bd) (pit-in bd)) (or (not (safe bd)) (not (pit-in bd)))
    (or (safe ca) (wumpus-in ca)) (or (not (safe ca)) (not (wumpus-in ca)))
    (or (safe cc) (pit-in cc)) (or (not (safe cc)) (not (pit-in cc)))
    (or (safe cd) (wumpus-in cd)) (or (not (safe cd)) (not (wumpus-in cd)))
    (or (safe da) (wumpus-in da)) (or (not (safe da)) (not (wumpus-in da)))
    (or (safe db) (wumpus-in db)) (or (not (safe db)) (not (wumpus-in db)))
    ; it smells beside a wumpus
    (or (not (smells ab)) (wumpus-in bb)) (or (smells ab) (not (wumpus-in bb)))
    (or (not (smells ac)) (wumpus-in ad)) (or (smells ac) (not (wumpus-in ad)))
    (or (not (smells ba)) (wumpus-in bb) (wumpus-in ca)) (or (smells ba) (not (wumpus-in bb))) (or (smells ba) (not
    (wumpus-in ca)))
    (or (not (smells bc)) (wumpus-in bb)) (or (smells bc) (not (wumpus-in bb)))
    (or (not (smells bd)) (wumpus-in cd) (wumpus-in ad)) (or (smells bd) (not (wumpus-in cd))) (or (smells bd) (not
    (wumpus-in ad)))
    (or (not (smells ca)) (wumpus-in da)) (or (smells ca) (not (wumpus-in da)))
    (or (not (smells cb)) (wumpus-in db) (wumpus-in ca) (wumpus-in bb)) (or (smells cb) (not (wumpus-in db))) (or
    (smells cb) (not (wumpus-in ca))) (or (smells cb) (not (wumpus-in bb)))
    (or (not (smells cc)) (wumpus-in cd)) (or (smells cc) (not (wumpus-in cd)))
    (or (not (smells da)) (wumpus-in db) (wumpus-in ca)) (or (smells da) (not (wumpus-in db))) (or (smells da) (not
    (wumpus-in ca)))
    (or (not (smells db)) (wumpus-in da)) (or (smells db) (not (wumpus-in da)))
    (or (not (smells dc)) (wumpus-in db)) (or (smells dc) (not (wumpus-in db)))
    (or (not (smells dd)) (wumpus-in cd)) (or (smells dd) (not (wumpus-in cd)))
    ; there is a draught beside a pit
    (or (not (draughty ab)) (pit-in ac)) (or (draughty ab) (not (pit-in ac)))
    (or (not (draughty ac)) (pit-in bc)) (or (draughty ac) (not (pit-in bc)))
    (or (not (draughty ad)) (pit-in bd) (pit-in ac)) (or (draughty ad) (not (pit-in bd))) (or (draughty ad) (not
    (pit-in ac)))
    (or (not (draughty bb)) (pit-in bc)) (or (draughty bb) (not (pit-in bc)))
    (or (not (draughty bc)) (pit-in bd) (pit-in cc) (pit-in ac)) (or (draughty bc) (not (pit-in bd))) (or (draughty
    bc) (not (pit-in cc))) (or (draughty bc) (not (pit-in ac)))
    (or (not (draughty bd)) (pit-in bc)) (or (draughty bd) (not (pit-in bc)))
    (or (not (draughty cb)) (pit-in cc)) (or (draughty cb) (not (pit-in cc)))
    (or (not (draughty cc)) (pit-in bc)) (or (draughty cc) (not (pit-in bc)))
    (or (not (draughty cd)) (pit-in cc) (pit-in bd)) (or (draughty cd) (not (pit-in cc))) (or (draughty cd) (not
    (pit-in bd)))
    (or (not (draughty dc)) (pit-in cc)) (or (draughty dc) (not (pit-in cc))))
  (:goal (has-treasure)))
