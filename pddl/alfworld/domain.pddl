; The household of ALFWorld (Shridhar et al. 2021) as its player meets it: one room, receptacles to go to, things of many
; kinds in and on them, one hand. Kinds are types, so that "a mug" is a variable of a type. What the engine calls a
; receptacle is a place here. To heat, cool or clean a thing is to hold it at the right place, whether that is closed or not.
(define (domain alfworld)
  (:requirements :strips :typing :equality :negative-preconditions :existential-preconditions
                 :universal-preconditions :conditional-effects)
  (:types
    place thing - object
    armchair bathtubbasin bed cabinet cart coffeemachine coffeetable countertop desk diningtable drawer dresser fridge
    garbagecan handtowelholder laundryhamper microwave ottoman safe shelf sidetable sinkbasin sofa stoveburner toaster
    toilet toiletpaperhanger towelholder tvstand - place
    portable lamp houseplant television - thing
    coolable blade - portable                      ; what a fridge may cool, what can slice
    heatable - coolable                            ; what a microwave may heat
    desklamp floorlamp - lamp
    butterknife knife - blade
    apple bread cup egg mug plate potato tomato - heatable
    bowl lettuce pan pot winebottle - coolable
    alarmclock baseballbat basketball book boots box candle cd cellphone cloth creditcard dishsponge footstool fork
    glassbottle handtowel kettle keychain ladle laptop newspaper papertowelroll pen pencil peppershaker pillow
    plunger remotecontrol saltshaker scrubbrush soapbar soapbottle spatula spoon spraybottle statue teddybear
    tennisracket tissuebox toiletpaper towel vase watch wateringcan - portable)
  (:predicates
    (at ?p - place)                                ; the player stands there
    (closed ?p - place)                            ; it has a door that is shut
    (in ?t - thing ?p - place)                     ; in or on it
    (holding ?t - portable)
    (hand-empty)
    (hot ?t - coolable)
    (cold ?t - coolable)
    (washed ?t - portable)
    (sliced ?t - coolable)
    (lit-by ?t - portable ?l - lamp))              ; it was held in the lamp's light

  (:action go
    :parameters (?p - place)
    :precondition (not (at ?p))
    :effect (and (forall (?q - place) (not (at ?q)))
                 (at ?p)))

  (:action open
    :parameters (?p - place)
    :precondition (and (at ?p) (closed ?p))
    :effect (not (closed ?p)))

  (:action close
    :parameters (?p - place)
    :precondition (and (at ?p) (not (closed ?p)))
    :effect (closed ?p))

  (:action take
    :parameters (?t - portable ?p - place)
    :precondition (and (at ?p) (not (closed ?p)) (in ?t ?p) (hand-empty))
    :effect (and (not (in ?t ?p)) (not (hand-empty)) (holding ?t)))

  (:action move
    :parameters (?t - portable ?p - place)
    :precondition (and (at ?p) (not (closed ?p)) (holding ?t))
    :effect (and (not (holding ?t)) (hand-empty) (in ?t ?p)))

  (:action heat
    :parameters (?t - heatable ?p - microwave)
    :precondition (and (at ?p) (holding ?t))
    :effect (and (hot ?t) (not (cold ?t))))

  (:action cool
    :parameters (?t - coolable ?p - fridge)
    :precondition (and (at ?p) (holding ?t))
    :effect (and (cold ?t) (not (hot ?t))))

  (:action clean
    :parameters (?t - portable ?p - sinkbasin)
    :precondition (and (at ?p) (holding ?t))
    :effect (washed ?t))

  (:action slice
    :parameters (?t - coolable ?p - place ?b - blade)
    :precondition (and (at ?p) (not (closed ?p)) (in ?t ?p) (holding ?b))
    :effect (sliced ?t))

  (:action use
    :parameters (?l - lamp ?p - place)
    :precondition (and (at ?p) (in ?l ?p))
    :effect (forall (?t - portable) (when (holding ?t) (lit-by ?t ?l)))))
