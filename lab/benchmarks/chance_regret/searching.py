"""POMDPs: a thing in one of a few places, sensors that miss or give false alarms, grips and lids that slip."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lab.benchmarks.chance_regret.model import REFUSED, Outcome, Problem, Visible

DOMAIN = """(define (domain searching)
  (:requirements :strips :typing :negative-preconditions :probabilistic-effects)
  (:types cell item place - object box table - place)
  (:predicates (at ?c - cell) (way ?a ?b - cell) (icy ?a ?b - cell) (stands ?p - place ?c - cell)
    (in-view ?t - table ?c - cell) (opened ?p - place) (in ?i - item ?p - place) (holding ?i - item))
  (:action walk :parameters (?a ?b - cell) :precondition (and (at ?a) (way ?a ?b))
    :effect (and (not (at ?a)) (at ?b)))
  (:action skate :parameters (?a ?b - cell) :precondition (and (at ?a) (icy ?a ?b))
    :effect (probabilistic {ice} (and (not (at ?a)) (at ?b))))
  (:action wait :parameters (?c - cell) :precondition (at ?c) :effect (at ?c))
  (:action open :parameters (?b - box ?c - cell)
    :precondition (and (at ?c) (stands ?b ?c) (not (opened ?b)))
    :effect (probabilistic {lid} (opened ?b)))
  (:action take :parameters (?i - item ?p - place ?c - cell)
    :precondition (and (at ?c) (stands ?p ?c) (opened ?p) (in ?i ?p))
    :effect (probabilistic {hand} (and (not (in ?i ?p)) (holding ?i)))))
"""
SENSORS = """(define (sensors searching) (:domain searching)
  (:hidden (in ?i - item ?p - place))
  (:exactly-one ?i - item (in ?i ?p - place))
  (:sense (in ?i - item ?t - table) :when (exists (?c - cell) (and (at ?c) (in-view ?t ?c))))
  (:sense (in ?i - item ?b - box) :when (and (opened ?b) (exists (?c - cell) (and (at ?c) (stands ?b ?c)))))
  {errors})
"""
CHANCES = (0.5, 0.7, 0.9)
ERRORS = ((0.1, 0.0), (0.3, 0.0), (0.0, 0.1), (0.0, 0.3), (0.1, 0.1), (0.2, 0.2))


@dataclass(frozen=True)
class Searching(Problem):
    """``stands``: the cell of each place; ``box``: whether it is one; ``view``: the tables seen from each cell. The
    visible state: (cell, boxes opened as bits, whether the thing is held)."""

    cells: int
    ways: tuple[tuple[int, ...], ...]
    icy: tuple[tuple[int, ...], ...]
    stands: tuple[int, ...]
    box: tuple[bool, ...]
    view: tuple[tuple[int, ...], ...]
    target: int
    miss: float
    alarm: float
    ice: float
    lid: float
    hand: float
    start: Visible = (0, 0, False)

    @property
    def truths(self) -> int:  # type: ignore[override]
        """As many as places."""
        return len(self.stands)

    def actions(self, visible: Visible) -> list[str]:
        cell, opened, held = visible
        found = [f"(walk c{cell} c{b})" for b in self.ways[cell]]
        found += [f"(skate c{cell} c{b})" for b in self.icy[cell]]
        found.append(f"(wait c{cell})")
        for place, there in enumerate(self.stands):
            if there == cell and self.box[place] and not opened >> place & 1:
                found.append(f"(open {self.name(place)} c{cell})")
            elif there == cell and not held:
                found.append(f"(take ring {self.name(place)} c{cell})")
        return found

    def outcomes(self, visible: Visible, truth: int, action: str) -> list[Outcome]:
        cell, opened, held = visible
        name, *arguments = action.strip("()").split()
        if name == "wait":
            return [Outcome(1.0, visible, "1")]
        if name == "walk":
            return [Outcome(1.0, (int(arguments[1][1:]), opened, held), "1")]
        if name == "skate":
            return [Outcome(self.ice, (int(arguments[1][1:]), opened, held), "1"), Outcome(1 - self.ice, visible, "2")]
        place = int(arguments[name == "take"][1:])
        if name == "open":
            return [Outcome(self.lid, (cell, opened | 1 << place, held), "1"), Outcome(1 - self.lid, visible, "2")]
        if truth != place:
            return [Outcome(1.0, visible, REFUSED)]
        return [Outcome(self.hand, (cell, opened, True), "1"), Outcome(1 - self.hand, visible, "2")]

    def reached(self, visible: Visible) -> bool:
        return bool(visible[2] and visible[0] == self.target)

    def shown(self, visible: Visible) -> tuple[int, ...]:
        cell, opened, held = visible
        if held:
            return ()  # what is read then tells nothing
        boxes = (p for p, there in enumerate(self.stands) if there == cell and opened >> p & 1)
        return *self.view[cell], *boxes

    def reads(self, truth: int, about: int) -> float:
        return 1 - self.miss if truth == about else self.alarm

    def name(self, place: int) -> str:
        """What the files call a place."""
        return f"{'b' if self.box[place] else 't'}{place}"

    def files(self, truth: int) -> tuple[str, str, str | None]:
        names = [self.name(place) for place in range(self.truths)]
        facts = ["(at c0)", f"(in ring {names[truth]})"]
        for place, name in enumerate(names):
            facts.append(f"(stands {name} c{self.stands[place]})")
            facts += [] if self.box[place] else [f"(opened {name})"]
        for a in range(self.cells):
            facts += [f"(way c{a} c{b})" for b in self.ways[a]]
            facts += [f"(icy c{a} c{b})" for b in self.icy[a]]
            facts += [f"(in-view {names[place]} c{a})" for place in self.view[a]]
        kinds = " ".join(f"{name} - {'box' if name[0] == 'b' else 'table'}" for name in names)
        problem = (
            f"(define (problem searching-{truth}) (:domain searching)\n"
            f"  (:objects ring - item {' '.join(f'c{c}' for c in range(self.cells))} - cell {kinds})\n"
            f"  (:init {' '.join(facts)})\n  (:goal (and (holding ring) (at c{self.target}))))\n"
        )
        domain = DOMAIN.format(ice=self.ice, lid=self.lid, hand=self.hand)
        return domain, problem, SENSORS.format(errors=f"(:miss {self.miss}) (:false-alarm {self.alarm})")


def searching(rng: np.random.Generator) -> Searching:
    """Any of them: one to three rooms with ways of different lengths between them, two to four places."""
    rooms, places = int(rng.integers(1, 4)), int(rng.integers(2, 5))
    members: list[list[int]] = [[room] for room in range(rooms)]
    cells = rooms
    pairs: list[tuple[int, int]] = []
    stands, box, room_of = [], [], []
    for _ in range(places):
        room, middle = int(rng.integers(rooms)), cells
        for _ in range(int(rng.integers(1, 4))):  # so many steps from the room's middle
            pairs.append((cells - 1 if cells > middle else room, cells))
            cells += 1
        members[room].append(cells - 1)
        stands.append(cells - 1)
        box.append(bool(rng.random() < 0.5))
        room_of.append(room)
    for room in range(1, rooms):
        before = int(rng.integers(room))
        for _ in range(int(rng.integers(0, 3))):
            pairs.append((before, cells))
            before, cells = cells, cells + 1
        pairs.append((before, room))
    ways: list[set[int]] = [set() for _ in range(cells)]
    icy: list[set[int]] = [set() for _ in range(cells)]
    for a, b in pairs:
        kind = icy if rng.random() < 0.25 else ways
        kind[a].add(b)
        kind[b].add(a)
    view: list[list[int]] = [[] for _ in range(cells)]
    for place in range(places):
        if not box[place]:
            for cell in {stands[place], *members[room_of[place]]}:
                view[cell].append(place)
    miss, alarm = ERRORS[rng.integers(len(ERRORS))]
    return Searching(
        cells,
        tuple(tuple(sorted(to)) for to in ways),
        tuple(tuple(sorted(to)) for to in icy),
        tuple(stands),
        tuple(box),
        tuple(map(tuple, view)),
        int(rng.integers(cells)),
        miss,
        alarm,
        ice=float(rng.choice(CHANCES)),
        lid=float(rng.choice(CHANCES)),
        hand=float(rng.choice(CHANCES)),
    )
