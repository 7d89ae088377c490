"""What the apartment of the virtualhome pack is made of: a list of its own, not taken from any simulator.

Each line is ``class: where | number | properties | states``. ``where`` are rooms for fixtures, and classes of fixtures
for movables: inside those that are containers, on the others. Properties and states are VirtualHome's words.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from commonsense_planning.studies.homes.household import Placing
from commonsense_planning.studies.virtualhome.home import Item, SceneHome, render_home
from commonsense_planning.studies.virtualhome.tasks import TASKS, VARIANTS
from commonsense_planning.support.writing import write_text

ROOMS = ("kitchen", "livingroom", "bedroom", "bathroom", "hallway")


@dataclass(frozen=True)
class StockLine:
    """``number`` things of class ``kind``, each in or at one of ``where``."""

    kind: str
    where: tuple[str, ...]
    number: int
    properties: frozenset[str]
    states: frozenset[str]


def _table(text: str) -> tuple[StockLine, ...]:
    lines = []
    for row in text.strip().splitlines():
        kind, rest = row.split(":")
        where, number, properties, states = (*rest.split("|"), "", "")[:4]
        lines.append(
            StockLine(
                kind.strip(),
                tuple(where.split()),
                int(number),
                frozenset(properties.split()),
                frozenset(states.split()),
            )
        )
    return tuple(lines)


EVERYWHERE = " ".join(ROOMS)

FIXTURES = _table(f"""
    wall: {EVERYWHERE} | 30
    floor: {EVERYWHERE} | 25
    ceiling: {EVERYWHERE} | 20
    door: hallway | 5 | CAN_OPEN | OPEN
    doorframe: hallway | 5
    window: kitchen livingroom bedroom | 6 | CAN_OPEN | CLOSED
    curtain: livingroom bedroom | 6 | CAN_OPEN | OPEN
    lightswitch: {EVERYWHERE} | 5 | HAS_SWITCH | ON
    ceilinglamp: {EVERYWHERE} | 5
    walllamp: hallway bathroom bedroom | 6
    floorlamp: livingroom bedroom | 2 | HAS_SWITCH HAS_PLUG | OFF
    tablelamp: bedroom | 2 | HAS_SWITCH HAS_PLUG | ON
    powersocket: {EVERYWHERE} | 10
    radiator: {EVERYWHERE} | 5 | HAS_SWITCH | ON
    painting: livingroom bedroom hallway | 8 | LOOKABLE
    mirror: bathroom hallway | 2 | LOOKABLE
    calendar: kitchen | 1 | LOOKABLE
    fridge: kitchen | 1 | CAN_OPEN CONTAINERS HAS_PLUG | CLOSED
    oven: kitchen | 1 | CAN_OPEN CONTAINERS HAS_SWITCH | CLOSED OFF
    stove: kitchen | 1 | SURFACES HAS_SWITCH | OFF
    stovefan: kitchen | 1 | HAS_SWITCH | OFF
    microwave: kitchen | 1 | CAN_OPEN CONTAINERS HAS_SWITCH HAS_PLUG | CLOSED OFF
    toaster: kitchen | 1 | CONTAINERS HAS_SWITCH HAS_PLUG | OFF
    dishwasher: kitchen | 1 | CAN_OPEN CONTAINERS HAS_SWITCH HAS_PLUG | CLOSED OFF
    coffeemaker: kitchen | 1 | HAS_SWITCH HAS_PLUG RECIPIENT | OFF
    blender: kitchen | 1 | HAS_SWITCH HAS_PLUG RECIPIENT | OFF PLUGGED_OUT
    garbagecan: kitchen | 1 | CAN_OPEN CONTAINERS | CLOSED
    kitchencounter: kitchen | 2 | SURFACES
    kitchentable: kitchen | 1 | SURFACES
    kitchencabinet: kitchen | 6 | CAN_OPEN CONTAINERS | CLOSED
    kitchendrawer: kitchen | 4 | CAN_OPEN CONTAINERS | CLOSED
    dishrack: kitchen | 1 | SURFACES
    fruitbowl: kitchen | 1 | CONTAINERS
    sink: kitchen bathroom | 2 | CONTAINERS RECIPIENT
    faucet: kitchen bathroom | 2 | HAS_SWITCH | OFF
    chair: kitchen bedroom | 5 | SITTABLE SURFACES
    stool: kitchen | 2 | SITTABLE
    sofa: livingroom | 1 | SITTABLE SURFACES
    armchair: livingroom | 2 | SITTABLE
    coffeetable: livingroom | 1 | SURFACES
    tvstand: livingroom | 1 | SURFACES
    tv: livingroom | 1 | LOOKABLE HAS_SWITCH HAS_PLUG | OFF
    stereo: livingroom | 1 | HAS_SWITCH HAS_PLUG | OFF
    bookshelf: livingroom bedroom | 3 | SURFACES
    cabinet: livingroom | 1 | CAN_OPEN CONTAINERS | CLOSED
    piano: livingroom | 1 | CAN_OPEN | CLOSED
    houseplant: livingroom hallway | 4
    rug: livingroom bedroom hallway | 4 | SURFACES
    fireplace: livingroom | 1 | LOOKABLE
    bed: bedroom | 1 | SITTABLE SURFACES
    nightstand: bedroom | 2 | SURFACES
    desk: bedroom | 1 | SURFACES
    deskdrawer: bedroom | 3 | CAN_OPEN CONTAINERS | CLOSED
    computer: bedroom | 1 | LOOKABLE HAS_SWITCH HAS_PLUG | OFF
    monitor: bedroom | 1 | LOOKABLE HAS_SWITCH HAS_PLUG | OFF
    printer: bedroom | 1 | HAS_SWITCH HAS_PLUG | OFF
    wardrobe: bedroom | 2 | CAN_OPEN CONTAINERS | CLOSED
    dresser: bedroom | 1 | CAN_OPEN CONTAINERS | CLOSED
    laundrybasket: bathroom | 1 | CONTAINERS
    bathroomcounter: bathroom | 1 | SURFACES
    bathroomcabinet: bathroom | 1 | CAN_OPEN CONTAINERS | CLOSED
    towelrack: bathroom | 2 | SURFACES
    toilet: bathroom | 1 | SITTABLE CAN_OPEN | CLOSED
    bathtub: bathroom | 1 | SITTABLE CONTAINERS
    shower: bathroom | 1 | HAS_SWITCH | OFF
    washingmachine: bathroom | 1 | CAN_OPEN CONTAINERS HAS_SWITCH HAS_PLUG | CLOSED OFF
    scale: bathroom | 1 | LOOKABLE
    coatrack: hallway | 1 | SURFACES
    shoerack: hallway | 1 | SURFACES
    halltable: hallway | 1 | SURFACES
    bench: hallway | 1 | SITTABLE SURFACES
""")

# No thing of the ten tasks starts where its task wants it.
MOVABLES = _table("""
    salmon: kitchentable | 1 | EATABLE
    apple: coffeetable kitchentable | 2 | EATABLE
    breadslice: kitchencounter | 2 | EATABLE
    chips: bookshelf | 2 | EATABLE
    cupcake: kitchentable | 2 | EATABLE
    coffeepot: kitchencounter | 1 | CAN_OPEN RECIPIENT | CLOSED
    plate: kitchentable kitchencabinet dishrack | 6 | RECIPIENT
    toothbrush: bathroomcounter | 1 | RECIPIENT
    toothpaste: bathroomcounter | 1 | CAN_OPEN POURABLE | CLOSED
    banana: fruitbowl kitchencounter | 3 | EATABLE
    orange: fruitbowl | 3 | EATABLE
    lemon: fruitbowl fridge | 2 | EATABLE
    tomato: fridge kitchencounter | 3 | EATABLE
    carrot: fridge | 3 | EATABLE
    egg: fridge | 4 | EATABLE
    cheese: fridge | 1 | EATABLE
    chicken: fridge | 1 | EATABLE
    yoghurt: fridge | 3 | EATABLE CAN_OPEN | CLOSED
    pudding: fridge | 1 | EATABLE
    milk: fridge | 1 | DRINKABLE POURABLE CAN_OPEN | CLOSED
    juice: fridge | 1 | DRINKABLE POURABLE CAN_OPEN | CLOSED
    wine: cabinet kitchencabinet | 2 | DRINKABLE POURABLE CAN_OPEN | CLOSED
    waterbottle: nightstand desk | 2 | DRINKABLE POURABLE CAN_OPEN | CLOSED
    cereal: kitchencabinet | 2 | EATABLE POURABLE
    crackers: kitchencabinet | 1 | EATABLE
    chocolate: kitchencabinet cabinet | 2 | EATABLE
    sugar: kitchencabinet | 1 | POURABLE
    salt: kitchencounter | 1 | POURABLE
    oliveoil: kitchencounter | 1 | POURABLE CAN_OPEN | CLOSED
    dishsoap: kitchencounter | 1 | POURABLE CAN_OPEN | CLOSED
    mug: kitchencabinet dishrack desk | 5 | RECIPIENT
    waterglass: kitchencabinet dishwasher | 5 | RECIPIENT
    wineglass: cabinet kitchencabinet | 4 | RECIPIENT
    bowl: kitchencabinet dishwasher | 4 | RECIPIENT
    fork: kitchendrawer dishwasher | 4
    knife: kitchendrawer dishwasher | 4
    spoon: kitchendrawer dishwasher | 4
    cookingpot: stove kitchencabinet | 2 | RECIPIENT
    fryingpan: stove kitchencabinet | 2 | RECIPIENT
    kettle: kitchencounter | 1 | RECIPIENT CAN_OPEN | CLOSED
    cuttingboard: kitchencounter | 1
    sponge: kitchencounter bathroomcabinet | 2
    dishtowel: dishrack chair | 2
    towel: towelrack bathroomcabinet | 5
    soap: bathroomcounter bathtub | 2
    shampoo: bathtub | 2 | POURABLE CAN_OPEN | CLOSED
    comb: bathroomcounter bathroomcabinet | 2
    razor: bathroomcabinet | 1
    perfume: bathroomcabinet dresser | 2 | POURABLE
    painkillers: bathroomcabinet nightstand | 2 | CAN_OPEN | CLOSED
    toiletpaper: bathroomcabinet bathroomcounter | 4
    shirt: wardrobe laundrybasket | 5
    trousers: wardrobe laundrybasket | 4
    socks: dresser laundrybasket | 4
    jacket: coatrack wardrobe | 4
    hat: coatrack | 2
    umbrella: coatrack | 1 | CAN_OPEN | CLOSED
    shoes: shoerack | 5
    slippers: rug shoerack | 2
    keys: halltable | 2
    wallet: halltable desk | 1
    handbag: bench wardrobe | 1 | CAN_OPEN | CLOSED
    letter: halltable desk | 3 | CAN_OPEN | CLOSED
    book: bookshelf nightstand | 8 | CAN_OPEN | CLOSED
    magazine: coffeetable nightstand | 3 | CAN_OPEN | CLOSED
    remotecontrol: coffeetable sofa | 1
    cellphone: nightstand halltable | 2 | HAS_SWITCH | ON
    laptop: desk | 1 | LOOKABLE HAS_SWITCH HAS_PLUG CAN_OPEN | CLOSED OFF PLUGGED_OUT
    keyboard: desk | 1 | HAS_PLUG
    mouse: desk | 1 | HAS_PLUG
    notebook: desk deskdrawer | 3 | CAN_OPEN | CLOSED
    pen: desk deskdrawer | 4
    scissors: deskdrawer kitchendrawer | 2
    folder: deskdrawer bookshelf | 2 | CAN_OPEN | CLOSED
    glasses: nightstand | 1
    alarmclock: nightstand | 1 | LOOKABLE HAS_PLUG HAS_SWITCH | ON
    pillow: bed sofa | 5
    blanket: bed sofa | 2
    photoframe: bookshelf halltable | 3 | LOOKABLE
    vase: coffeetable halltable | 2 | RECIPIENT
    candle: coffeetable bathtub cabinet | 3
    boardgame: cabinet bookshelf | 3 | CAN_OPEN | CLOSED
    teddybear: bed | 1
    ball: wardrobe | 1
    toyblock: rug | 4
""")


SEED = 7
"""The seed of the apartment that ships."""


def apartment(rng: np.random.Generator) -> SceneHome:
    """A home with everything that the lists name, each thing at one of its places, drawn with ``rng``.

    Names count from 1 (``plate_1``). The things of a fixture's line go around its rooms in turn, so that every room
    that is listed gets one where there are enough.
    """
    fixtures: dict[str, list[Item]] = {}
    for line in FIXTURES:
        fixtures[line.kind] = [
            Item(f"{line.kind}_{n + 1}", line.kind, line.properties, line.states, line.where[n % len(line.where)])
            for n in range(line.number)
        ]
    movables = [_movable(line, n, fixtures, rng) for line in MOVABLES for n in range(line.number)]
    items = [item for pieces in fixtures.values() for item in pieces] + movables
    fills = tuple(
        (faucet.name, sink.name)
        for faucet in fixtures["faucet"]
        for sink in fixtures["sink"]
        if faucet.room == sink.room
    )
    return SceneHome(ROOMS, tuple(items), ROOMS[int(rng.integers(len(ROOMS)))], fills=fills)


def problems() -> dict[str, str]:
    """File name → text of every problem of the pack: the ten tasks and their variants in the one apartment."""
    home = apartment(np.random.default_rng(SEED))
    movable = sum(item.movable for item in home.items)
    size = f"{len(home.rooms)} rooms and {len(home.items)} things, {movable} of which can be grabbed"
    comment = f"An apartment of {size}, drawn with seed {SEED} by studies/virtualhome/apartment.py."
    return {f"{task.name}.pddl": render_home(home, task.name, task, comment) for task in (*TASKS, *VARIANTS)}


def write_problems(folder: Path) -> None:
    """Write the pack's problems to ``folder``. Raises ``InputError`` if it cannot be written to."""
    for name, text in problems().items():
        write_text(folder / name, text, "the problem")


def _movable(line: StockLine, number: int, fixtures: dict[str, list[Item]], rng: np.random.Generator) -> Item:
    there = fixtures[line.where[int(rng.integers(len(line.where)))]]
    place = there[int(rng.integers(len(there)))]
    relation = Placing.INSIDE if "CONTAINERS" in place.properties else Placing.ON
    properties = line.properties | {"GRABBABLE"}
    return Item(f"{line.kind}_{number + 1}", line.kind, properties, line.states, place.room, (relation, place.name))
