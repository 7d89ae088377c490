"""Random tiny worlds that are seen in part by noisy sensors: as data, as files, and as exact Bayes has them, with
all joint worlds listed, each with its weight. Nothing here uses what cplan reads, grounds or believes.

What is hidden: which fact of each group is true, loose facts, and facts that are tied: one of them at least is true at
first, which the problem says in the contingent notation. A fact is a word; a condition or an effect says of
facts whether they are, or become, true. In a ``plain`` world a product of marginals is exact (``pomdp/belief.py``);
elsewhere an action may want several hidden facts, hidden facts may start sensors and effects, and a fact of a group may
become false though it is unknown whether it was true. Effects that tied facts start are not told.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

Literals = Mapping[str, bool]
World = frozenset[str]
VISIBLE = ("a", "b", "c")
HERE, DONE = "here", "done"
"""What is always true, and what the action that no walk takes makes true."""


@dataclass(frozen=True)
class Action:
    """``when``: pairs of a condition and what it makes true or false."""

    name: str
    wants: Literals
    makes: Literals
    when: tuple[tuple[Literals, Literals], ...] = ()


@dataclass(frozen=True)
class TinyWorld:
    """``sensed``: fact → the conditions under each of which sensors show it; ``errors``: hidden fact → how probable it
    is shown as true where it is false, and as false where it is true. ``goal``: facts. ``first``: the true world."""

    plain: bool
    groups: tuple[tuple[str, ...], ...]
    loose: tuple[str, ...]
    tied: tuple[str, ...]
    actions: tuple[Action, ...]
    sensed: Mapping[str, tuple[Literals, ...]]
    errors: Mapping[str, tuple[float, float]]
    goal: tuple[str, ...]
    first: World

    @property
    def hidden(self) -> tuple[str, ...]:
        """All hidden facts."""
        return (*itertools.chain(*self.groups), *self.loose, *self.tied)

    @property
    def visible(self) -> tuple[str, ...]:
        """All others."""
        return (*VISIBLE, *(_held(g) for g in range(len(self.groups))), HERE, DONE)

    def in_sight(self, world: World) -> set[str]:
        """The facts that the sensors show."""
        return {fact for fact, conditions in self.sensed.items() if any(hold(world, c) for c in conditions)}

    def write(self, folder: Path) -> tuple[Path, Path, Path]:
        """Its domain, problem and sensors files in a folder."""
        domain, problem, sensors = (folder / f"{name}.pddl" for name in ("domain", "problem", "sensors"))
        actions = "\n".join(
            f"  (:action {action.name} :parameters () :precondition {_and(action.wants)}\n    :effect (and"
            f" {' '.join([*_literals(action.makes), *(f'(when {_and(c)} {_and(m)})' for c, m in action.when)])}))"
            for action in self.actions
        )
        predicates = _facts((*self.visible, *self.hidden))
        domain.write_text(f"(define (domain tiny) (:requirements :adl) (:predicates {predicates})\n{actions})\n")
        first = _facts(sorted(self.first - set(self.tied)))
        tied = " ".join(f"(unknown ({fact}))" for fact in self.tied) + f" (or {_facts(self.tied)})" * bool(self.tied)
        problem.write_text(
            f"(define (problem tiny) (:domain tiny) (:init {first} {tied}) (:goal (and {_facts(self.goal)})))\n"
        )
        groups = "".join(f"\n  (:exactly-one {_facts(group)})" for group in self.groups)
        rules = "".join(
            f"\n  (:sense ({fact}) :when {_and(condition)}"
            f" (:false-alarm {self.errors[fact][0]}) (:miss {self.errors[fact][1]}))"
            for fact, conditions in self.sensed.items()
            for condition in conditions
        )
        sensors.write_text(f"(define (sensors s) (:domain tiny) (:hidden {_facts(self.hidden)}){groups}{rules})\n")
        return domain, problem, sensors


class AllWorlds:
    """Exact Bayes: every joint world with its weight. ``prior``: of each group the weights of its facts; a loose fact
    is as likely true as not."""

    def __init__(self, tiny: TinyWorld, prior: list[list[float]]) -> None:
        self.tiny = tiny
        seen = tiny.first - set(tiny.hidden)
        self.worlds: list[tuple[tuple[int, ...], World, float]] = []  # which fact of each group was true at first
        for places in itertools.product(*(range(len(group)) for group in tiny.groups)):
            weight = float(np.prod([prior[g][i] for g, i in enumerate(places)]))
            inside = {group[i] for group, i in zip(tiny.groups, places, strict=True)}
            either = (*tiny.loose, *tiny.tied)
            for values in itertools.product((False, True), repeat=len(either)):
                true = {fact for fact, value in zip(either, values, strict=True) if value}
                if not tiny.tied or true.intersection(tiny.tied):
                    self.worlds.append((places, seen | inside | true, weight))

    def act(self, action: Action, applied: bool, told: Literals | None = None, slip: float = 0.0) -> None:
        """An action was carried out or not (by a chance of ``slip``, though it could be); ``told``: its effects."""
        after = list[tuple[tuple[int, ...], World, float]]()
        for places, world, weight in self.worlds:
            can = hold(world, action.wants)
            if not applied:
                after.append((places, world, weight * (slip if can else 1.0)))
            elif can and told in (None, effects_told(self.tiny, action, world)):
                after.append((places, progressed(world, action), weight))
        self._keep(after)

    def read(self, shown: Literals) -> None:
        """The sensors showed just these facts, as true or as false."""
        left = [entry for entry in self.worlds if self.tiny.in_sight(entry[1]) == shown.keys()]
        self._keep([(places, world, weight * self._likelihood(world, shown)) for places, world, weight in left])

    def rule_out(self, *facts: str) -> None:
        """It was shown that not all of these facts are true."""
        self._keep([entry for entry in self.worlds if not entry[1].issuperset(facts)])

    def revise(self, group: int, before: list[float], prior: list[float]) -> None:
        """Another prior for a group, as if it had been there from the start."""
        self._keep([(p, world, weight * prior[p[group]] / before[p[group]]) for p, world, weight in self.worlds])

    def probability(self, *facts: str) -> float:
        """How probable it is that all of these facts are true."""
        return sum(weight for _, world, weight in self.worlds if world.issuperset(facts))

    def _likelihood(self, world: World, shown: Literals) -> float:
        errors = ((self.tiny.errors[fact][fact in world], value == (fact in world)) for fact, value in shown.items())
        return float(np.prod([1 - error if right else error for error, right in errors]))

    def _keep(self, worlds: list[tuple[tuple[int, ...], World, float]]) -> None:
        total = sum(weight for _, _, weight in worlds)
        if not total:
            raise AssertionError("what was observed has no chance in any joint world")
        self.worlds = [(places, world, weight / total) for places, world, weight in worlds if weight]


def hold(world: World, condition: Literals) -> bool:
    """Whether a condition holds in a world."""
    return all((fact in world) == value for fact, value in condition.items())


def progressed(world: World, action: Action) -> World:
    """The world after an action: what becomes false first, then what becomes true."""
    made = _made(world, action)
    return (world - {f for f, value in made if not value}) | {f for f, value in made if value}


def effects_told(tiny: TinyWorld, action: Action, world: World) -> Literals:
    """What is reported of an action's effects in a world: visible facts that have changed, and all hidden facts that it
    makes true or false, unless tied facts may say which, with their values."""
    after = progressed(world, action)
    unseen = {f for c, makes in action.when if c.keys() & set(tiny.tied) for f in makes}
    touched = {f for f, _ in _made(world, action)} & set(tiny.hidden) - unseen
    return {f: f in after for f in touched | {f for f in after ^ world if f in tiny.visible}}


def _made(world: World, action: Action) -> set[tuple[str, bool]]:
    return {literal for c, makes in (({}, action.makes), *action.when) if hold(world, c) for literal in makes.items()}


def draw_world(rng: np.random.Generator, plain: bool, ties: bool) -> tuple[TinyWorld, list[list[float]]]:
    """A random world, with tied facts or without, and a prior for each of its groups, in which the true fact is
    possible."""
    groups = tuple(tuple(f"g{g}{p}" for p in "xyz"[: rng.integers(2, 4)]) for g in range(rng.integers(1, 3)))
    loose = tuple(f"f{i}" for i in range(rng.integers(0, 3)))
    tied = tuple(f"t{i}" for i in range(rng.integers(2, 4))) if ties else ()
    hidden = (*itertools.chain(*groups), *loose, *tied)
    prior = [(rng.random(len(group)) + 0.02).tolist() for group in groups]
    places = [int(rng.choice(len(weights), p=np.divide(weights, sum(weights)))) for weights in prior]
    true = {group[i] for group, i in zip(groups, places, strict=True)} | {f for f in loose if rng.random() < 0.5}
    true |= {f for i, f in enumerate(tied) if not i or rng.random() < 0.5}
    for weights, place in zip(prior, places, strict=True):
        if len(weights) == 3 and rng.random() < 0.2:
            weights[(place + 1) % 3] = 0.0
    sensed = dict[str, tuple[Literals, ...]]()
    for fact in hidden:
        if rng.random() < 0.8:
            one, other = (_some(rng, VISIBLE if plain else (*VISIBLE, *hidden), 2) for _ in range(2))
            sensed[fact] = (one,) if one == other or rng.random() < 0.5 else (one, other)
    errors = dict[str, tuple[float, float]]()
    for facts in (*groups, *((fact,) for fact in (*loose, *tied))):
        both = float(rng.choice([0.0, 0.0, 0.02, 0.2])), float(rng.choice([0.0, 0.1, 0.3, 0.5]))
        errors |= dict.fromkeys(facts, both)
    first = frozenset({HERE, *(fact for fact in VISIBLE if rng.random() < 0.7), *true})
    goal = tuple(str(rng.choice(group)) for group in groups)
    actions = _draw_actions(rng, groups, loose, tied, plain)
    return TinyWorld(plain, groups, loose, tied, actions, sensed, errors, goal, first), prior


def _draw_actions(
    rng: np.random.Generator,
    groups: tuple[tuple[str, ...], ...],
    loose: tuple[str, ...],
    tied: tuple[str, ...],
    plain: bool,
) -> tuple[Action, ...]:
    """Waiting; each visible fact turned; each fact of a group taken, put and tried; others by chance."""
    actions = [Action("wait", {}, {HERE: True}), Action("finish", {}, {DONE: True})]
    actions += [
        Action(f"{fact}-{_on(value)}", {fact: not value}, {fact: value}) for fact in VISIBLE for value in (False, True)
    ]
    for g, group in enumerate(groups):
        for fact, other in zip(group, (*group[1:], group[0]), strict=True):
            there = _some(rng, VISIBLE, 1)
            actions.append(Action(f"take-{fact}", {**there, fact: True}, {fact: False, _held(g): True}))
            actions.append(Action(f"put-{fact}", {**there, _held(g): True}, {fact: True, _held(g): False}))
            value = bool(rng.integers(2))
            moves = (_some(rng, VISIBLE, 1), {fact: False, other: True})
            tries = {fact: True}, _some(rng, (*VISIBLE, *loose), 1), (moves,)
            actions.append(Action(f"try-{fact}", *(tries if value else ({fact: False}, _some(rng, loose, 1)))))
    for i in range(rng.integers(1, 4)):
        wants = {**_some(rng, VISIBLE, 1), **_some(rng, loose, 1)}
        when = (_some(rng, VISIBLE, 2), _some(rng, (*VISIBLE, *loose), 2))
        actions.append(Action(f"do-{i}", wants, _some(rng, (*VISIBLE, *loose), 2), (when,)))
    for fact, other in zip(tied, (*tied[1:], *tied[:1]), strict=True):
        spreads = ({fact: bool(rng.integers(2))}, {other: bool(rng.integers(2))})
        actions.append(Action(f"touch-{fact}", {fact: bool(rng.integers(2))}, _some(rng, (*VISIBLE, *tied), 2)))
        actions.append(Action(f"stir-{fact}", _some(rng, VISIBLE, 1), _some(rng, (*VISIBLE, *tied), 1), (spreads,)))
    if not plain:
        hidden = (*itertools.chain(*groups), *loose)
        for i in range(rng.integers(1, 4)):
            group = groups[rng.integers(len(groups))]
            moved = ({group[0]: True}, {group[0]: False, group[1]: True})
            told = (_some(rng, hidden, 2), _some(rng, (*VISIBLE, *loose), 2))
            makes = {group[-1]: False} if rng.random() < 0.3 else {}
            actions.append(Action(f"hidden-{i}", _some(rng, hidden, 2), makes, (moved, told)))
    return tuple(action for action in actions if action.makes or any(makes for _, makes in action.when))


def _some(rng: np.random.Generator, facts: tuple[str, ...], most: int) -> Literals:
    """Up to ``most`` of the facts, each true or false."""
    chosen = rng.permutation(len(facts))[: rng.integers(0, most + 1)]
    return {facts[i]: bool(rng.random() < 0.6) for i in sorted(chosen.tolist())}


def _held(group: int) -> str:
    return f"held{group}"


def _on(value: bool) -> str:
    return "on" if value else "off"


def _facts(facts: tuple[str, ...] | list[str]) -> str:
    return " ".join(f"({fact})" for fact in facts)


def _literals(literals: Literals) -> list[str]:
    return [f"({fact})" if value else f"(not ({fact}))" for fact, value in literals.items()]


def _and(literals: Literals) -> str:
    return f"(and {' '.join(_literals(literals))})"
