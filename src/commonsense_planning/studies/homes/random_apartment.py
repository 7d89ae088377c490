"""Apartments of any size for the household domain, with things at sensible places.

``CONTAINERS`` and ``SURFACES`` say in which rooms a class of furniture may stand, ``PLACEMENTS`` in or on which classes
of furniture a class of things may lie: a short list of its own, so that a model that guesses places is never judged by
its own table. All containers here can be opened, and start closed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from commonsense_planning.errors import InputError
from commonsense_planning.studies.homes.household import Apartment, Furniture, Movable, Placing

ROOMS = ("kitchen", "bathroom", "bedroom", "livingroom")


def _table(text: str) -> dict[str, tuple[str, ...]]:
    """Lines ``name: word word …`` as a dictionary, in their order."""
    rows = (line.split(":") for line in text.strip().splitlines())
    return {name.strip(): tuple(words.split()) for name, words in rows}


CONTAINERS = _table("""
    fridge: kitchen
    kitchencabinet: kitchen
    bathroomcabinet: bathroom
    microwave: kitchen
    dishwasher: kitchen
    oven: kitchen
    closet: bedroom
    cabinet: livingroom bedroom
    kitchendrawer: kitchen
    washingmachine: bathroom
    dresser: bedroom
    garbagecan: kitchen bathroom
    laundrybasket: bathroom bedroom
    toybox: bedroom livingroom
    deskdrawer: bedroom livingroom
""")

SURFACES = _table("""
    kitchentable: kitchen
    kitchencounter: kitchen
    bathroomcounter: bathroom
    coffeetable: livingroom
    bed: bedroom
    sofa: livingroom
    desk: bedroom livingroom
    nightstand: bedroom
    bookshelf: livingroom bedroom
    tvstand: livingroom
    stove: kitchen
    wallshelf: livingroom bathroom bedroom kitchen
    towelrack: bathroom
    chair: kitchen bedroom
    rug: livingroom bedroom
    bench: kitchen livingroom
""")

PLACEMENTS = _table("""
    apple: kitchentable kitchencounter fridge coffeetable
    toothbrush: bathroomcounter bathroomcabinet
    plate: kitchentable kitchencabinet dishwasher kitchencounter
    book: bookshelf desk nightstand coffeetable
    mug: kitchencabinet coffeetable kitchencounter desk
    milk: fridge kitchentable
    towel: towelrack bathroomcabinet bathroomcounter
    pillow: bed sofa
    cutleryfork: kitchentable kitchendrawer dishwasher
    cutleryknife: kitchentable kitchendrawer kitchencounter
    waterglass: kitchentable kitchencabinet dishwasher nightstand
    wineglass: kitchencabinet kitchentable coffeetable
    dishbowl: kitchencabinet kitchentable kitchencounter
    cellphone: nightstand desk coffeetable
    remotecontrol: coffeetable tvstand sofa
    toothpaste: bathroomcounter bathroomcabinet
    barsoap: bathroomcounter bathroomcabinet
    toiletpaper: bathroomcounter bathroomcabinet wallshelf
    salmon: fridge microwave oven
    chicken: fridge kitchencounter oven
    poundcake: kitchencounter fridge kitchentable
    cupcake: kitchencounter kitchentable fridge
    breadslice: kitchencounter kitchentable
    bananas: kitchencounter kitchentable
    bellpepper: fridge kitchencounter
    carrot: fridge kitchencounter
    juice: fridge kitchentable
    wine: kitchencabinet fridge kitchentable cabinet
    cereal: kitchencabinet kitchencounter
    chips: kitchencabinet coffeetable kitchencounter
    crackers: kitchencabinet coffeetable
    pudding: fridge kitchentable
    pancake: stove kitchentable microwave
    fryingpan: stove kitchencabinet
    cookingpot: stove kitchencabinet kitchencounter
    coffeepot: kitchencounter stove
    condimentbottle: kitchencabinet kitchencounter kitchentable
    condimentshaker: kitchentable kitchencounter kitchencabinet
    dishwashingliquid: kitchencounter kitchencabinet
    washingsponge: kitchencounter bathroomcounter bathroomcabinet
    facecream: bathroomcounter bathroomcabinet dresser
    hairproduct: bathroomcabinet bathroomcounter
    painkillers: bathroomcabinet nightstand
    perfume: bathroomcounter dresser
    folder: desk bookshelf
    paper: desk deskdrawer
    notes: desk bookshelf deskdrawer
    magazine: coffeetable nightstand sofa
    keyboard: desk
    mouse: desk
    radio: bookshelf nightstand tvstand
    globe: bookshelf desk
    clock: wallshelf nightstand
    candle: coffeetable bathroomcounter wallshelf
    boardgame: bookshelf cabinet toybox
    toy: toybox bed rug
    teddybear: bed sofa toybox
    sportsball: closet rug toybox
    crayons: desk toybox deskdrawer
    glasses: nightstand desk coffeetable
    clothespile: closet dresser laundrybasket washingmachine bed
    clothesshirt: closet laundrybasket chair
    clothespants: closet dresser bed
    slippers: rug closet
    hanger: closet
    photoframe: wallshelf bookshelf nightstand
    box: closet bookshelf cabinet
    vase: coffeetable kitchentable wallshelf
    keys: tvstand kitchencounter desk
    wallet: nightstand desk tvstand
""")


def random_apartment(
    rng: random.Random, *, movables: int, containers: int, surfaces: int, rooms: Sequence[str] = ROOMS
) -> Apartment:
    """An apartment of the given size, with things at sensible places drawn with ``rng``.

    Every class of furniture and of things comes once before any comes twice; names count from 1
    (``apple_1``). ``rooms`` is a part of :data:`ROOMS`. Raises ``InputError`` if a size is
    negative, there are things but no furniture, or no furniture stands in the rooms.
    """
    if min(movables, containers, surfaces) < 0 or (movables and not containers + surfaces):
        size = f"{movables} movables, {containers} containers, {surfaces} surfaces"
        raise InputError(f"no apartment has {size}")
    furniture = _furnish(rng, CONTAINERS, containers, Placing.INSIDE, rooms)
    furniture += _furnish(rng, SURFACES, surfaces, Placing.ON, rooms)
    by_class: dict[str, list[str]] = {}
    for piece in furniture:
        by_class.setdefault(piece.name.rpartition("_")[0], []).append(piece.name)
    things = []
    for kind, name in _numbered(rng, list(PLACEMENTS), movables):
        there = [place for place in PLACEMENTS[kind] if place in by_class] or list(by_class)
        things.append(Movable(name, kind, rng.choice(by_class[rng.choice(there)])))
    return Apartment(tuple(rooms), tuple(furniture), tuple(things), rng.choice(list(rooms)))


def _furnish(
    rng: random.Random,
    catalogue: dict[str, tuple[str, ...]],
    number: int,
    relation: Placing,
    rooms: Sequence[str],
) -> list[Furniture]:
    fitting = {kind: [r for r in where if r in rooms] for kind, where in catalogue.items()}
    kinds = [kind for kind, where in fitting.items() if where]
    if number and not kinds:
        raise InputError(f"no furniture is known for the rooms {', '.join(rooms)}; known: {', '.join(ROOMS)}")
    openable = relation is Placing.INSIDE
    return [
        Furniture(name, rng.choice(fitting[kind]), relation, openable)
        for kind, name in _numbered(rng, kinds, number)
    ]


def _numbered(rng: random.Random, kinds: Sequence[str], number: int) -> list[tuple[str, str]]:
    """``number`` pairs (class, name): every class once, in the order given, then classes at random."""
    chosen = list(kinds[:number])
    chosen += [rng.choice(kinds) for _ in range(number - len(chosen))]
    seen: Counter[str] = Counter()
    named = []
    for kind in chosen:
        seen[kind] += 1
        named.append((kind, f"{kind}_{seen[kind]}"))
    return named
