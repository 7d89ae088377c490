"""MDPs: things to be gathered over ways that are safe, icy (one may not get on) or steep (one may be thrown back)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lab.benchmarks.chance_regret.model import Outcome, Problem, Visible

CHANCES = (0.3, 0.5, 0.7, 0.9)
MOST_STATES = 2000
DOMAIN = """(define (domain gathering)
  (:requirements :strips :typing :negative-preconditions :probabilistic-effects)
  (:types cell item)
  (:predicates (at ?c - cell) (way ?a ?b - cell) (icy ?a ?b - cell) (steep ?a ?b ?c - cell)
    (lies ?i - item ?c - cell) (have ?i - item) (hook-at ?c - cell) (hook))
  (:action walk :parameters (?a ?b - cell) :precondition (and (at ?a) (way ?a ?b))
    :effect (and (not (at ?a)) (at ?b)))
  (:action skate :parameters (?a ?b - cell) :precondition (and (at ?a) (icy ?a ?b))
    :effect (probabilistic {ice} (and (not (at ?a)) (at ?b))))
  (:action climb :parameters (?a ?b ?c - cell) :precondition (and (at ?a) (steep ?a ?b ?c))
    :effect (probabilistic {steep} (and (not (at ?a)) (at ?b)) {thrown} (and (not (at ?a)) (at ?c))))
  (:action take-hook :parameters (?c - cell) :precondition (and (at ?c) (hook-at ?c) (not (hook))) :effect (hook))
  (:action grab :parameters (?i - item ?c - cell) :precondition (and (at ?c) (lies ?i ?c) (not (have ?i)))
    :effect (probabilistic {hand} (have ?i)))
  (:action fish :parameters (?i - item ?c - cell)
    :precondition (and (at ?c) (lies ?i ?c) (not (have ?i)) (hook))
    :effect (probabilistic {fish} (have ?i))))
"""


@dataclass(frozen=True)
class Gathering(Problem):
    """``ways``, ``icy``: cell → cells; ``steep``: cell → (cell, cell thrown back to). ``lies``: the cell of each
    item. The visible state: (cell, items had as bits, whether one has the hook)."""

    cells: int
    ways: tuple[tuple[int, ...], ...]
    icy: tuple[tuple[int, ...], ...]
    steep: tuple[tuple[tuple[int, int], ...], ...]
    lies: tuple[int, ...]
    hook: int
    target: int
    ice: float
    climb: float
    hand: float
    fish: float
    truths: int = 1
    start: Visible = (0, 0, False)

    def actions(self, visible: Visible) -> list[str]:
        cell, had, hook = visible
        found = [f"(walk c{cell} c{b})" for b in self.ways[cell]]
        found += [f"(skate c{cell} c{b})" for b in self.icy[cell]]
        found += [f"(climb c{cell} c{b} c{c})" for b, c in self.steep[cell]]
        if cell == self.hook and not hook:
            found.append(f"(take-hook c{cell})")
        for item, there in enumerate(self.lies):
            if there == cell and not had >> item & 1:
                found.append(f"(grab i{item} c{cell})")
                if hook:
                    found.append(f"(fish i{item} c{cell})")
        return found

    def outcomes(self, visible: Visible, truth: int, action: str) -> list[Outcome]:
        cell, had, hook = visible
        name, *arguments = action.strip("()").split()
        numbers = [int(argument[1:]) for argument in arguments]
        if name == "walk":
            return [Outcome(1.0, (numbers[1], had, hook), "1")]
        if name == "take-hook":
            return [Outcome(1.0, (cell, had, True), "1")]
        if name in ("grab", "fish"):
            chance, after, otherwise = getattr(self, "hand" if name == "grab" else "fish"), cell, visible
            return [Outcome(chance, (after, had | 1 << numbers[0], hook), "1"), Outcome(1 - chance, otherwise, "2")]
        chance = self.ice if name == "skate" else self.climb
        back = cell if name == "skate" else numbers[2]
        return [Outcome(chance, (numbers[1], had, hook), "1"), Outcome(1 - chance, (back, had, hook), "2")]

    def reached(self, visible: Visible) -> bool:
        return bool(visible[0] == self.target and visible[1] == (1 << len(self.lies)) - 1)

    def files(self, truth: int) -> tuple[str, str, str | None]:
        domain = DOMAIN.format(
            ice=self.ice, steep=self.climb, thrown=round(1 - self.climb, 9), hand=self.hand, fish=self.fish
        )
        facts = [f"(at c0) (hook-at c{self.hook})", *(f"(lies i{i} c{c})" for i, c in enumerate(self.lies))]
        for a in range(self.cells):
            facts += [f"(way c{a} c{b})" for b in self.ways[a]]
            facts += [f"(icy c{a} c{b})" for b in self.icy[a]]
            facts += [f"(steep c{a} c{b} c{c})" for b, c in self.steep[a]]
        goal = " ".join(f"(have i{i})" for i in range(len(self.lies)))
        cells, items = (" ".join(f"{k}{n}" for n in range(m)) for k, m in (("c", self.cells), ("i", len(self.lies))))
        problem = (
            f"(define (problem gathering-0) (:domain gathering)\n  (:objects {cells} - cell {items} - item)\n"
            f"  (:init {' '.join(facts)})\n  (:goal (and (at c{self.target}) {goal})))\n"
        )
        return domain, problem, None


def gathering(rng: np.random.Generator) -> Gathering:
    """Any of them: a tree of safe ways both ways, as long as the cells make it, with icy and steep ways across."""
    items = int(rng.integers(1, 6))
    cells = int(rng.integers(6, min(40, MOST_STATES // 2 ** (items + 1)) + 1))
    ways: list[set[int]] = [set() for _ in range(cells)]
    for b in range(1, cells):
        a = int(rng.integers(max(0, b - 3), b))
        ways[a].add(b)
        ways[b].add(a)
    icy: list[set[int]] = [set() for _ in range(cells)]
    steep: list[set[tuple[int, int]]] = [set() for _ in range(cells)]
    for _ in range(cells // 2):
        a, b, c = (int(cell) for cell in rng.choice(cells, 3, replace=False))
        if rng.random() < 0.5 and b not in ways[a]:
            icy[a].add(b)
        else:
            steep[a].add((b, c))
    return Gathering(
        cells,
        tuple(tuple(sorted(to)) for to in ways),
        tuple(tuple(sorted(to)) for to in icy),
        tuple(tuple(sorted(to)) for to in steep),
        tuple(int(c) for c in rng.integers(0, cells, items)),
        int(rng.integers(cells)),
        int(rng.integers(cells)),
        ice=float(rng.choice(CHANCES)),
        climb=float(rng.choice(CHANCES)),
        hand=float(rng.choice(CHANCES[:2])),
        fish=float(rng.choice(CHANCES[2:])),
    )
