;; description: get the treasure
(define (problem cave-6)
  (:domain wumpus)
  (:objects
    aa ab ac ad ae af ba bb bc bd be bf ca cb cc cd ce cf da db dc dd de df ea eb ec ed ee ef fa fb fc fd fe ff -
    square)
  (:init
    (next-to aa ab) (next-to aa ba) (next-to ab ac) (next-to ab bb) (next-to ab aa) (next-to ac ad) (next-to ac bc)
    (next-to ac ab) (next-to ad ae) (next-to ad bd) (next-to ad ac) (next-to ae af) (next-to ae be) (next-to ae ad)
    (next-to af bf) (next-to af ae) (next-to ba bb) (next-to ba ca) (next-to ba aa) (next-to bb bc) (next-to bb cb)
    (next-to bb ba) (next-to bb ab) (next-to bc bd) (next-to bc cc) (next-to bc bb) (next-to bc ac) (next-to bd be)
    (next-to bd cd) (next-to bd bc) (next-to bd ad) (next-to be bf) (next-to be ce) (next-to be bd) (next-to be ae)
    (next-to bf cf) (next-to bf be) (next-to bf af) (next-to ca cb) (next-to ca da) (next-to ca ba) (next-to cb cc)
    (next-to cb db) (next-to cb ca) (next-to cb bb) (next-to cc cd) (next-to cc dc) (next-to cc cb) (next-to cc bc)
    (next-to cd ce) (next-to cd dd) (next-to cd cc) (next-to cd bd) (next-to ce cf) (next-to ce de) (next-to ce cd)
    (next-to ce be) (next-to cf df) (next-to cf ce) (next-to cf bf) (next-to da db) (next-to da ea) (next-to da ca)
    (next-to db dc) (next-to db eb) (next-to db da) (next-to db cb) (next-to dc dd) (next-to dc ec) (next-to dc db)
    (next-to dc cc) (next-to dd de) (next-to dd ed) (next-to dd dc) (next-to dd cd) (next-to de df) (next-to de ee)
    (next-to de dd) (next-to de ce) (next-to df ef) (next-to df de) (next-to df cf) (next-to ea eb) (next-to ea fa)
    (next-to ea da) (next-to eb ec) (next-to eb fb) (next-to eb ea) (next-to eb db) (next-to ec ed) (next-to ec fc)
    (next-to ec eb) (next-to ec dc) (next-to ed ee) (next-to ed fd) (next-to ed ec) (next-to ed dd) (next-to ee ef)
    (next-to ee fe) (next-to ee ed) (next-to ee de) (next-to ef ff) (next-to ef ee) (next-to ef df) (next-to fa fb)
    (next-to fa ea) (next-to fb fc) (next-to fb fa) (next-to fb eb) (next-to fc fd) (next-to fc fb) (next-to fc ec)
    (next-to fd fe) (next-to fd fc) (next-to fd ed) (next-to fe ff) (next-to fe fd) (next-to fe ee) (next-to ff fe)
    (next-to ff ef)
    (at aa) (treasure-in ff)
    (safe aa) (safe ab) (safe ad) (safe ba) (safe bf) (safe ca) (safe cc) (safe cd) (safe ce) (safe da) (safe db)
    (safe ed) (safe fb) (safe fd) (safe fe) (safe ff)
    (oneof (wumpus-in af) (wumpus-in bc) (wumpus-in be) (wumpus-in de) (wumpus-in df) (wumpus-in fc))
    (oneof (wumpus-in ac) (wumpus-in cb) (wumpus-in cf) (wumpus-in dc) (wumpus-in ea) (wumpus-in ef))
    (oneof (pit-in ae) (pit-in eb) (pit-in ec) (pit-in fa))
    (oneof (pit-in bb) (pit-in bd) (pit-in dd) (pit-in ee))
    ; safe is where neither is
    (or (safe ac) (wumpus-in ac)) (or (not (safe ac)) (not (wumpus-in ac)))
    (or (safe ae) (pit-in ae)) (or (not (safe ae)) (not (pit-in ae)))
    (or (safe af) (wumpus-in af)) (or (not (safe af)) (not (wumpus-in af)))
    (or (safe bb) (pit-in bb)) (or (not (safe bb)) (not (pit-in bb)))
    (or (safe bc) (wumpus-in bc)) (or (not (safe bc)) (not (wumpus-in bc)))
    (or (safe bd) (pit-in bd)) (or (not (safe bd)) (not (pit-in bd)))
    (or (safe be) (wumpus-in be)) (or (not (safe be)) (not (wumpus-in be)))
    (or (safe cb) (wumpus-in cb)) (or (not (safe cb)) (not (wumpus-in cb)))
    (or (safe cf) (wumpus-in cf)) (or (not (safe cf)) (not (wumpus-in cf)))
    (or (safe dc) (wumpus-in dc)) (or (not (safe dc)) (not (wumpus-in dc)))
    (or (safe dd) (pit-in dd)) (or (not (safe dd)) (not (pit-in dd)))
    (or (safe de) (wumpus-in de)) (or (not (safe de)) (not (wumpus-in de)))
    (or (safe df) (wumpus-in df)) (or (not (safe df)) (not (wumpus-in df)))
    (or (safe ea) (wumpus-in ea)) (or (not (safe ea)) (not (wumpus-in ea)))
    (or (safe eb) (pit-in eb)) (or (not (safe eb)) (not (pit-in eb)))
    (or (safe ec) (pit-in ec)) (or (not (safe ec)) (not (pit-in ec)))
    (or (safe ee) (pit-in ee)) (or (not (safe ee)) (not (pit-in ee)))
    (or (safe ef) (wumpus-in ef)) (or (not (safe ef)) (not (wumpus-in ef)))
    (or (safe fa) (pit-in fa)) (or (not (safe fa)) (not (pit-in fa)))
    (or (safe fc) (wumpus-in fc)) (or (not (safe fc)) (not (wumpus-in fc)))
    ; it smells beside a wumpus
    (or (not (smells ab)) (wumpus-in ac)) (or (smells ab) (not (wumpus-in ac)))
    (or (not (smells ac)) (wumpus-in bc)) (or (smells ac) (not (wumpus-in bc)))
    (or (not (smells ad)) (wumpus-in ac)) (or (smells ad) (not (wumpus-in ac)))
    (or (not (smells ae)) (wumpus-in af) (wumpus-in be)) (or (smells ae) (not (wumpus-in af))) (or (smells ae) (not
    (wumpus-in be)))
    (or (not (smells bb)) (wumpus-in bc) (wumpus-in cb)) (or (smells bb) (not (wumpus-in bc))) (or (smells bb) (not
    (wumpus-in cb)))
    (or (not (smells bc)) (wumpus-in ac)) (or (smells bc) (not (wumpus-in ac)))
    (or (not (smells bd)) (wumpus-in be) (wumpus-in bc)) (or (smells bd) (not (wumpus-in be))) (or (smells bd) (not
    (wumpus-in bc)))
    (or (not (smells bf)) (wumpus-in cf) (wumpus-in be) (wumpus-in af)) (or (smells bf) (not (wumpus-in cf))) (or
    (smells bf) (not (wumpus-in be))) (or (smells bf) (not (wumpus-in af)))
    (or (not (smells ca)) (wumpus-in cb)) (or (smells ca) (not (wumpus-in cb)))
    (or (not (smells cc)) (wumpus-in dc) (wumpus-in cb) (wumpus-in bc)) (or (smells cc) (not (wumpus-in dc))) (or
    (smells cc) (not (wumpus-in cb))) (or (smells cc) (not (wumpus-in bc)))
    (or (not (smells ce)) (wumpus-in cf) (wumpus-in de) (wumpus-in be)) (or (smells ce) (not (wumpus-in cf))) (or
    (smells ce) (not (wumpus-in de))) (or (smells ce) (not (wumpus-in be)))
    (or (not (smells cf)) (wumpus-in df)) (or (smells cf) (not (wumpus-in df)))
    (or (not (smells da)) (wumpus-in ea)) (or (smells da) (not (wumpus-in ea)))
    (or (not (smells db)) (wumpus-in dc) (wumpus-in cb)) (or (smells db) (not (wumpus-in dc))) (or (smells db) (not
    (wumpus-in cb)))
    (or (not (smells dd)) (wumpus-in de) (wumpus-in dc)) (or (smells dd) (not (wumpus-in de))) (or (smells dd) (not
    (wumpus-in dc)))
    (or (not (smells de)) (wumpus-in df)) (or (smells de) (not (wumpus-in df)))
    (or (not (smells df)) (wumpus-in ef) (wumpus-in de) (wumpus-in cf)) (or (smells df) (not (wumpus-in ef))) (or
    (smells df) (not (wumpus-in de))) (or (smells df) (not (wumpus-in cf)))
    (or (not (smells eb)) (wumpus-in ea)) (or (smells eb) (not (wumpus-in ea)))
    (or (not (smells ec)) (wumpus-in fc) (wumpus-in dc)) (or (smells ec) (not (wumpus-in fc))) (or (smells ec) (not
    (wumpus-in dc)))
    (or (not (smells ee)) (wumpus-in ef) (wumpus-in de)) (or (smells ee) (not (wumpus-in ef))) (or (smells ee) (not
    (wumpus-in de)))
    (or (not (smells ef)) (wumpus-in df)) (or (smells ef) (not (wumpus-in df)))
    (or (not (smells fa)) (wumpus-in ea)) (or (smells fa) (not (wumpus-in ea)))
    (or (not (smells fb)) (wumpus-in fc)) (or (smells fb) (not (wumpus-in fc)))
    (or (not (smells fd)) (wumpus-in fc)) (or (smells fd) (not (wumpus-in fc)))
    (or (not (smells ff)) (wumpus-in ef)) (or (smells ff) (not (wumpus-in ef)))
    ; there is a draught beside a pit
    (or (not (draughty ab)) (pit-in bb)) (or (draughty ab) (not (pit-in bb)))
    (or (not (draughty ad)) (pit-in ae) (pit-in bd)) (or (draughty ad) (not (pit-in ae))) (or (draughty ad) (not
    (pit-in bd)))
    (or (not (draughty af)) (pit-in ae)) (or (draughty af) (not (pit-in ae)))
    (or (not (draughty ba)) (pit-in bb)) (or (draughty ba) (not (pit-in bb)))
    (or (not (draughty bc)) (pit-in bd) (pit-in bb)) (or (draughty bc) (not (pit-in bd))) (or (draughty bc) (not
    (pit-in bb)))
    (or (not (draughty be)) (pit-in bd) (pit-in ae)) (or (draughty be) (not (pit-in bd))) (or (draughty be) (not
    (pit-in ae)))
    (or (not (draughty cb)) (pit-in bb)) (or (draughty cb) (not (pit-in bb)))
    (or (not (draughty cd)) (pit-in dd) (pit-in bd)) (or (draughty cd) (not (pit-in dd))) (or (draughty cd) (not
    (pit-in bd)))
    (or (not (draughty db)) (pit-in eb)) (or (draughty db) (not (pit-in eb)))
    (or (not (draughty dc)) (pit-in dd) (pit-in ec)) (or (draughty dc) (not (pit-in dd))) (or (draughty dc) (not
    (pit-in ec)))
    (or (not (draughty de)) (pit-in ee) (pit-in dd)) (or (draughty de) (not (pit-in ee))) (or (draughty de) (not
    (pit-in dd)))
    (or (not (draughty ea)) (pit-in eb) (pit-in fa)) (or (draughty ea) (not (pit-in eb))) (or (draughty ea) (not
    (pit-in fa)))
    (or (not (draughty eb)) (pit-in ec)) (or (draughty eb) (not (pit-in ec)))
    (or (not (draughty ec)) (pit-in eb)) (or (draughty ec) (not (pit-in eb)))
    (or (not (draughty ed)) (pit-in ee) (pit-in ec) (pit-in dd)) (or (draughty ed) (not (pit-in ee))) (or (draughty
    ed) (not (pit-in ec))) (or (draughty ed) (not (pit-in dd)))
    (or (not (draughty ef)) (pit-in ee)) (or (draughty ef) (not (pit-in ee)))
    (or (not (draughty fb)) (pit-in fa) (pit-in eb)) (or (draughty fb) (not (pit-in fa))) (or (draughty fb) (not
    (pit-in eb)))
    (or (not (draughty fc)) (pit-in ec)) (or (draughty fc) (not (pit-in ec)))
    (or (not (draughty fe)) (pit-in ee)) (or (draughty fe) (not (pit-in ee))))
  (:goal (has-treasure)))
