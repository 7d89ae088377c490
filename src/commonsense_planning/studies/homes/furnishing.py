"""What stands in random apartments, and where things lie there: a short list of its own.

``CONTAINERS`` and ``SURFACES`` say in which rooms a class of furniture may stand, ``PLACEMENTS`` in or on
which classes of furniture a class of things may lie. All containers here can be opened, and start closed.
"""

from __future__ import annotations

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
