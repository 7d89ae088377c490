; A household as VirtualHome's character meets it: two hands, everything known, some 430 things. The actions are
; VirtualHome's, with the additions of the paper "Large Language Models as Common-Sense Heuristics" (section 3.1, 4.3):
; a sink is filled while its faucet runs, what is inside a heater is heated as that is switched on, and using things.
;
; Where this domain leaves VirtualHome:
; - Near. In VirtualHome the character is close to whatever is recorded CLOSE to something it is close to, without an
;   end. Here one is near what one walked to, what lies on it or inside it (unless shut away), what it lies on or
;   inside itself, and what one holds. A neighbour on the same table is near only if one walks to it or to the table.
; - Only what can be grabbed (movable) lies on or inside something (a receptacle). All fixtures stay in their rooms
;   and are near if one walks to them.
; - One cannot walk to, and is not near, what is inside a closed container. VirtualHome allows the walk.
; - Things are put only on surfaces and into containers. VirtualHome lets anything be put on anything.
; - The two hands are alike. VirtualHome fills the right one first; nothing depends on which it is.
; - What can be grabbed is opened in the hand: toothpaste is held in one hand and opened with the other.
; - Poured things are recorded as poured onto the recipient, as they stay in the hand. VirtualHome says INSIDE both.
; - Only what is held is washed, and near a filled sink. In VirtualHome whatever is close is washed, and nothing else
;   is needed.
; - Any number of things fits on a seat. In VirtualHome a chair has one place, a sofa four, things on it take places,
;   and one who stood up still takes one.
; - Plugging in and out needs no hand. In VirtualHome it needs a free one.
; - What was poured stays poured. VirtualHome forgets it when the character walks on with the rest in hand.
; - One watches what one is near. VirtualHome also wants the character to be turned to it and in its room, and leaves
;   what is carried in the room that the last walk came from.
; - Eating, drinking, watching and using leave a mark (eaten, drunk, watched, used) that goals can ask for.
;
; A switched-on heater heats what is inside as it turns on; what is put in later stays as it was, until it turns on
; again. A heater may run with its door open, as in VirtualHome.
(define (domain virtualhome)
  (:requirements :strips :typing :equality :negative-preconditions :disjunctive-preconditions
                 :existential-preconditions :universal-preconditions :conditional-effects)
  (:types
    room item - object
    fixture movable - item                         ; what stands where it is, what can be grabbed
    receptacle - fixture)                          ; things lie on it or inside it
  (:predicates
    ; permanent properties of things
    (located ?x - fixture ?r - room)
    (grabbable ?x - item)                          ; it is a movable
    (surface ?x - item)                            ; things can be put on it; a receptacle
    (container ?x - item)                          ; things can be put into it; a receptacle
    (can-open ?x - item)                           ; it has a door, a lid or a cap
    (has-switch ?x - item)
    (has-plug ?x - item)
    (sittable ?x - fixture)
    (lookable ?x - item)
    (eatable ?x - movable)
    (drinkable ?x - movable)
    (pourable ?x - movable)
    (recipient ?x - item)                          ; something can be poured onto it or into it
    (heats ?x - item)                              ; heats what is inside as it is switched on
    (fills ?f - item ?s - fixture)                 ; the faucet stands at the sink
    ; where the character is
    (character-in ?r - room)
    (near ?x - item)                               ; and within reach: not shut away
    (sitting)
    (sitting-on ?x - fixture)
    (held ?x - item)                               ; it is a movable
    (hand-free)                                    ; at least one hand holds nothing
    (hands-empty)                                  ; both hands hold nothing
    ; where things are, if they are not held
    (on ?x - movable ?s - item)                    ; ?s is a receptacle
    (inside ?x - movable ?c - item)                ; ?c is a receptacle
    (in-room ?x - movable ?r - room)               ; also what lies on or inside a fixture there
    (shut-away ?x - movable)                       ; it is inside a container that is closed
    ; how things are
    (opened ?x - item)                             ; a container without a door is always opened
    (switched-on ?x - item)
    (plugged-in ?x - item)
    (filled ?s - fixture)                          ; the water runs in the sink
    (heated ?x - movable)
    (poured ?x - movable ?y - item)                ; some of ?x is on or in ?y
    (clean ?x - item)
    (washed ?x - movable)
    (used ?x - movable)
    (eaten ?x - movable)
    (drunk ?x - movable)
    (watched ?x - item))

  ; Three ways to walk, with one parameter each.
  (:action walk-to-room
    :parameters (?r - room)
    :precondition (not (sitting))
    :effect (and (forall (?q - room) (not (character-in ?q)))
                 (character-in ?r)
                 (forall (?y - item) (not (near ?y)))
                 (forall (?y - movable) (when (held ?y) (near ?y)))))

  (:action walk-to-fixture
    :parameters (?x - fixture)
    :precondition (not (sitting))
    :effect (and (forall (?r - room) (not (character-in ?r)))
                 (forall (?r - room) (when (located ?x ?r) (character-in ?r)))
                 (forall (?y - item) (not (near ?y)))
                 (near ?x)
                 (forall (?y - movable) (when (held ?y) (near ?y)))
                 (forall (?y - movable) (when (and (surface ?x) (on ?y ?x)) (near ?y)))
                 (forall (?y - movable) (when (and (container ?x) (inside ?y ?x) (opened ?x)) (near ?y)))))

  (:action walk-to-movable
    :parameters (?x - movable)
    :precondition (and (not (sitting)) (not (held ?x)) (not (shut-away ?x)))
    :effect (and (forall (?r - room) (not (character-in ?r)))
                 (forall (?r - room) (when (in-room ?x ?r) (character-in ?r)))
                 (forall (?y - item) (not (near ?y)))
                 (near ?x)
                 (forall (?y - movable) (when (held ?y) (near ?y)))
                 (forall (?s - receptacle) (when (and (surface ?s) (on ?x ?s)) (near ?s)))
                 (forall (?s - receptacle) (when (and (container ?s) (inside ?x ?s)) (near ?s)))))

  (:action grab
    :parameters (?x - movable)
    :precondition (and (grabbable ?x) (near ?x) (not (held ?x)) (hand-free))
    :effect (and (held ?x)
                 (not (hands-empty))
                 (when (not (hands-empty)) (not (hand-free)))
                 (forall (?s - receptacle) (and (not (on ?x ?s)) (not (inside ?x ?s))))
                 (forall (?r - room) (not (in-room ?x ?r)))))

  (:action placeon
    :parameters (?x - movable ?s - receptacle)
    :precondition (and (surface ?s) (held ?x) (near ?s))
    :effect (and (not (held ?x))
                 (hand-free)
                 (when (hand-free) (hands-empty))
                 (on ?x ?s)
                 (forall (?r - room) (when (located ?s ?r) (in-room ?x ?r)))))

  (:action putin
    :parameters (?x - movable ?c - receptacle)
    :precondition (and (container ?c) (held ?x) (near ?c) (opened ?c))
    :effect (and (not (held ?x))
                 (hand-free)
                 (when (hand-free) (hands-empty))
                 (inside ?x ?c)
                 (forall (?r - room) (when (located ?c ?r) (in-room ?x ?r)))))

  (:action drop
    :parameters (?x - movable)
    :precondition (held ?x)
    :effect (and (not (held ?x))
                 (hand-free)
                 (when (hand-free) (hands-empty))
                 (forall (?r - room) (when (character-in ?r) (in-room ?x ?r)))))

  (:action open
    :parameters (?x - item)
    :precondition (and (can-open ?x) (near ?x) (not (opened ?x)) (not (switched-on ?x)) (hand-free)
                       (or (not (grabbable ?x)) (held ?x)))
    :effect (and (opened ?x)
                 (forall (?y - movable)
                   (when (and (container ?x) (inside ?y ?x)) (and (not (shut-away ?y)) (near ?y))))))

  (:action close
    :parameters (?x - item)
    :precondition (and (can-open ?x) (near ?x) (opened ?x))
    :effect (and (not (opened ?x))
                 (forall (?y - movable)
                   (when (and (container ?x) (inside ?y ?x)) (and (shut-away ?y) (not (near ?y)))))))

  (:action switchon
    :parameters (?x - item)
    :precondition (and (has-switch ?x) (near ?x) (not (switched-on ?x))
                       (or (not (has-plug ?x)) (plugged-in ?x)))
    :effect (and (switched-on ?x)
                 (forall (?y - movable) (when (and (heats ?x) (inside ?y ?x)) (heated ?y)))
                 (forall (?s - fixture) (when (fills ?x ?s) (filled ?s)))))

  (:action switchoff
    :parameters (?x - item)
    :precondition (and (has-switch ?x) (near ?x) (switched-on ?x)
                       (or (not (has-plug ?x)) (plugged-in ?x)))
    :effect (and (not (switched-on ?x))
                 (forall (?s - fixture) (when (fills ?x ?s) (not (filled ?s))))))

  (:action plugin
    :parameters (?x - item)
    :precondition (and (has-plug ?x) (near ?x) (not (plugged-in ?x)))
    :effect (plugged-in ?x))

  (:action plugout
    :parameters (?x - item)
    :precondition (and (has-plug ?x) (near ?x) (plugged-in ?x) (not (switched-on ?x)))
    :effect (not (plugged-in ?x)))

  (:action pour
    :parameters (?x - movable ?y - item)
    :precondition (and (pourable ?x) (recipient ?y) (held ?x) (near ?y) (not (= ?x ?y))
                       (or (not (can-open ?x)) (opened ?x)))
    :effect (poured ?x ?y))

  (:action wash
    :parameters (?x - movable)
    :precondition (and (held ?x) (exists (?s - fixture) (and (filled ?s) (near ?s))))
    :effect (and (washed ?x) (clean ?x)))

  (:action wipe
    :parameters (?x - item)
    :precondition (and (near ?x) (not (hands-empty)))
    :effect (clean ?x))

  (:action use
    :parameters (?x - movable)
    :precondition (held ?x)
    :effect (used ?x))

  (:action eat
    :parameters (?x - movable)
    :precondition (and (eatable ?x) (held ?x))
    :effect (eaten ?x))

  (:action drink
    :parameters (?x - movable)
    :precondition (and (drinkable ?x) (held ?x))
    :effect (drunk ?x))

  (:action watch
    :parameters (?x - item)
    :precondition (and (lookable ?x) (near ?x))
    :effect (watched ?x))

  (:action sit
    :parameters (?x - fixture)
    :precondition (and (sittable ?x) (near ?x) (not (sitting)))
    :effect (and (sitting) (sitting-on ?x)))

  (:action standup
    :parameters ()
    :precondition (sitting)
    :effect (and (not (sitting)) (forall (?x - fixture) (not (sitting-on ?x))))))
