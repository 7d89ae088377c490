;; description: get the treasure
(define (problem cave-5)
  (:domain wumpus)
  (:objects
    aa ab ac ad ae ba bb bc bd be ca cb cc cd ce da db dc dd de ea eb ec ed ee - square)
  (:init
    (next-to aa ab) (next-to aa ba) (next-to ab ac) (next-to ab bb) (next-to ab aa) (next-to ac ad) (next-to ac bc)
    (next-to ac ab) (next-to ad ae) (next-to ad bd) (next-to ad ac) (next-to ae be) (next-to ae ad) (next-to ba bb)
    (next-to ba ca) (next-to ba aa) (next-to bb bc) (next-to bb cb) (next-to bb ba) (next-to bb ab) (next-to bc bd)
    (next-to bc cc) (next-to bc bb) (next-to bc ac) (next-to bd be) (next-to bd cd) (next-to bd bc) (next-to bd ad)
    (next-to be ce) (next-to be bd) (next-to be ae) (next-to ca cb) (next-to ca da) (next-to ca ba) (next-to cb cc)
    (next-to cb db) (next-to cb ca) (next-to cb bb) (next-to cc cd) (next-to cc dc) (next-to cc cb) (next-to cc bc)
    (next-to cd ce) (next-to cd dd) (next-to cd cc) (next-to cd bd) (next-to ce de) (next-to ce cd) (next-to ce be)
    (next-to da db) (next-to da ea) (next-to da ca) (next-to db dc) (next-to db eb) (next-to db da) (next-to db cb)
    (next-to dc dd) (next-to dc ec) (next-to dc db) (next-to dc cc) (next-to dd de) (next-to dd ed) (next-to dd dc)
    (next-to dd cd) (next-to de ee) (next-to de dd) (next-to de ce) (next-to ea eb) (next-to ea da) (next-to eb ec)
    (next-to eb ea) (next-to eb db) (next-to ec ed) (next-to ec eb) (next-to ec dc) (next-to ed ee) (next-to ed ec)
    (next-to ed dd) (next-to ee ed) (next-to ee de)
    (at aa) (treasure-in ee)
    (safe aa) (safe ab) (safe ad) (safe ba) (safe cb) (safe da) (safe db) (safe de) (safe ee)
    (oneof (wumpus-in ac) (wumpus-in ae) (wumpus-in cd) (wumpus-in ce) (wumpus-in dc) (wumpus-in ea) (wumpus-in eb)
    (wumpus-in ec))
    (oneof (pit-in bb) (pit-in bd) (pit-in ca) (pit-in cc))
    (oneof (pit-in bc) (pit-in be) (pit-in dd) (pit-in ed))
    ; safe is where neither is
    (or (safe ac) (wumpus-in ac)) (or (not (safe ac)) (not (wumpus-in ac)))
    (or (safe ae) (wumpus-in ae)) (or (not (safe ae)) (not (wumpus-in ae)))
    (or (safe bb) (pit-in bb)) (or (not (safe bb)) (not (pit-in bb)))
    (or (safe bc) (pit-in bc)) (or (not (safe bc)) (not (pit-in bc)))
    (or (safe bd) (pit-in bd)) (or (not (safe bd)) (not (pit-in bd)))
    (or (safe be) (pit-in be)) (or (not (safe be)) (not (pit-in be)))
    (or (safe ca) (pit-in ca)) (or (not (safe ca)) (not (pit-in ca)))
    (or (safe cc) (pit-in cc)) (or (not (safe cc)) (not (pit-in cc)))
    (or (safe cd) (wumpus-in cd)) (or (not (safe cd)) (not (wumpus-in cd)))
    (or (safe ce) (wumpus-in ce)) (or (not (safe ce)) (not (wumpus-in ce)))
    (or (safe dc) (wumpus-in dc)) (or (not (safe dc)) (not (wumpus-in dc)))
    (or (safe dd) (pit-in dd)) (or (not (safe dd)) (not (pit-in dd)))
    (or (safe ea) (wumpus-in ea)) (or (not (safe ea)) (not (wumpus-in ea)))
    (or (safe eb) (wumpus-in eb)) (or (not (safe eb)) (not (wumpus-in eb)))
    (or (safe ec) (wumpus-in ec)) (or (not (safe ec)) (not (wumpus-in ec)))
    (or (safe ed) (pit-in ed)) (or (not (safe ed)) (not (pit-in ed)))
    ; it smells beside a wumpus
    (or (not (smells ab)) (wumpus-in ac)) (or (smells ab) (not (wumpus-in ac)))
    (or (not (smells ad)) (wumpus-in ae) (wumpus-in ac)) (or (smells ad) (not (wumpus-in ae))) (or (smells ad) (not
    (wumpus-in ac)))
    (or (not (smells bc)) (wumpus-in ac)) (or (smells bc) (not (wumpus-in ac)))
    (or (not (smells bd)) (wumpus-in cd)) (or (smells bd) (not (wumpus-in cd)))
    (or (not (smells be)) (wumpus-in ce) (wumpus-in ae)) (or (smells be) (not (wumpus-in ce))) (or (smells be) (not
    (wumpus-in ae)))
    (or (not (smells cc)) (wumpus-in cd) (wumpus-in dc)) (or (smells cc) (not (wumpus-in cd))) (or (smells cc) (not
    (wumpus-in dc)))
    (or (not (smells cd)) (wumpus-in ce)) (or (smells cd) (not (wumpus-in ce)))
    (or (not (smells ce)) (wumpus-in cd)) (or (smells ce) (not (wumpus-in cd)))
    (or (not (smells da)) (wumpus-in ea)) (or (smells da) (not (wumpus-in ea)))
    (or (not (smells db)) (wumpus-in dc) (wumpus-in eb)) (or (smells db) (not (wumpus-in dc))) (or (smells db) (not
    (wumpus-in eb)))
    (or (not (smells dc)) (wumpus-in ec)) (or (smells dc) (not (wumpus-in ec)))
    (or (not (smells dd)) (wumpus-in dc) (wumpus-in cd)) (or (smells dd) (not (wumpus-in dc))) (or (smells dd) (not
    (wumpus-in cd)))
    (or (not (smells de)) (wumpus-in ce)) (or (smells de) (not (wumpus-in ce)))
    (or (not (smells ea)) (wumpus-in eb)) (or (smells ea) (not (wumpus-in eb)))
    (or (not (smells eb)) (wumpus-in ec) (wumpus-in ea)) (or (smells eb) (not (wumpus-in ec))) (or (smells eb) (not
    (wumpus-in ea)))
    (or (not (smells ec)) (wumpus-in eb) (wumpus-in dc)) (or (smells ec) (not (wumpus-in eb))) (or (smells ec) (not
    (wumpus-in dc)))
    (or (not (smells ed)) (wumpus-in ec)) (or (smells ed) (not (wumpus-in ec)))
    ; there is a draught beside a pit
    (or (not (draughty ab)) (pit-in bb)) (or (draughty ab) (not (pit-in bb)))
    (or (not (draughty ac)) (pit-in bc)) (or (draughty ac) (not (pit-in bc)))
    (or (not (draughty ad)) (pit-in bd)) (or (draughty ad) (not (pit-in bd)))
    (or (not (draughty ae)) (pit-in be)) (or (draughty ae) (not (pit-in be)))
    (or (not (draughty ba)) (pit-in bb) (pit-in ca)) (or (draughty ba) (not (pit-in bb))) (or (draughty ba) (not
    (pit-in ca)))
    (or (not (draughty bb)) (pit-in bc)) (or (draughty bb) (not (pit-in bc)))
    (or (not (draughty bc)) (pit-in bd) (pit-in cc) (pit-in bb)) (or (draughty bc) (not (pit-in bd))) (or (draughty
    bc) (not (pit-in cc))) (or (draughty bc) (not (pit-in bb)))
    (or (not (draughty bd)) (pit-in be) (pit-in bc)) (or (draughty bd) (not (pit-in be))) (or (draughty bd) (not
    (pit-in bc)))
    (or (not (draughty be)) (pit-in bd)) (or (draughty be) (not (pit-in bd)))
    (or (not (draughty cb)) (pit-in cc) (pit-in ca) (pit-in bb)) (or (draughty cb) (not (pit-in cc))) (or (draughty
    cb) (not (pit-in ca))) (or (draughty cb) (not (pit-in bb)))
    (or (not (draughty cc)) (pit-in bc)) (or (draughty cc) (not (pit-in bc)))
    (or (not (draughty cd)) (pit-in dd) (pit-in cc) (pit-in bd)) (or (draughty cd) (not (pit-in dd))) (or (draughty
    cd) (not (pit-in cc))) (or (draughty cd) (not (pit-in bd)))
    (or (not (draughty ce)) (pit-in be)) (or (draughty ce) (not (pit-in be)))
    (or (not (draughty da)) (pit-in ca)) (or (draughty da) (not (pit-in ca)))
    (or (not (draughty dc)) (pit-in dd) (pit-in cc)) (or (draughty dc) (not (pit-in dd))) (or (draughty dc) (not
    (pit-in cc)))
    (or (not (draughty dd)) (pit-in ed)) (or (draughty dd) (not (pit-in ed)))
    (or (not (draughty de)) (pit-in dd)) (or (draughty de) (not (pit-in dd)))
    (or (not (draughty ec)) (pit-in ed)) (or (draughty ec) (not (pit-in ed)))
    (or (not (draughty ed)) (pit-in dd)) (or (draughty ed) (not (pit-in dd)))
    (or (not (draughty ee)) (pit-in ed)) (or (draughty ee) (not (pit-in ed))))
  (:goal (has-treasure)))
