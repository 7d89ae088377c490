;; description: get the treasure
(define (problem cave-3)
  (:domain wumpus)
  (:objects
    aa ab ac ba bb bc ca cb cc - square)
  (:init
    (next-to aa ab) (next-to aa ba) (next-to ab ac) (next-to ab bb) (next-to ab aa) (next-to ac bc) (next-to ac ab)
    (next-to ba bb) (next-to ba ca) (next-to ba aa) (next-to bb bc) (next-to bb cb) (next-to bb ba) (next-to bb ab)
    (next-to bc cc) (next-to bc bb) (next-to bc ac) (next-to ca cb) (next-to ca ba) (next-to cb cc) (next-to cb ca)
    (next-to cb bb) (next-to cc cb) (next-to cc bc)
    (at aa) (treasure-in cc)
    (safe aa) (safe ab) (safe ba) (safe bc) (safe cb) (safe cc)
    (oneof (wumpus-in ac) (wumpus-in bb) (wumpus-in ca))
    ; safe is where neither is
    (or (safe ac) (wumpus-in ac)) (or (not (safe ac)) (not (wumpus-in ac)))
    (or (safe bb) (wumpus-in bb)) (or (not (safe bb)) (not (wumpus-in bb)))
    (or (safe ca) (wumpus-in ca)) (or (not (safe ca)) (not (wumpus-in ca)))
    ; it smells beside a wumpus
    (or (not (smells ab)) (wumpus-in ac) (wumpus-in bb)) (or (smells ab) (not (wumpus-in ac))) (or (smells ab) (not
    (wumpus-in bb)))
    (or (not (smells ba)) (wumpus-in bb) (wumpus-in ca)) (or (smells ba) (not (wumpus-in bb))) (or (smells ba) (not
    (wumpus-in ca)))
    (or (not (smells bc)) (wumpus-in bb) (wumpus-in ac)) (or (smells bc) (not (wumpus-in bb))) (or (smells bc) (not
    (wumpus-in ac)))
    (or (not (smells cb)) (wumpus-in ca) (wumpus-in bb)) (or (smells cb) (not (wumpus-in ca))) (or (smells cb) (not
    (wumpus-in bb))))
  (:goal (has-treasure)))
