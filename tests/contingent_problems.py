"""Small contingent problems at random, and what can be known in them, by trying all worlds: sets and no tricks."""

import itertools
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from tests.data import write_task

HIDDEN = "pqrst"
VISIBLE = "xy"
Literal = tuple[str, bool]
World = frozenset[str]


@dataclass(frozen=True)
class Action:
    """An action: literals that it wants, what it makes so, (conditions, literal) of conditional effects, and
    the facts that it shows."""

    wants: tuple[Literal, ...]
    makes: tuple[Literal, ...]
    effects: tuple[tuple[tuple[Literal, ...], Literal], ...]
    shows: tuple[str, ...]

    def after(self, world: World) -> World:
        """The world after it."""
        fired = [literal for conditions, literal in self.effects if all((f in world) == v for f, v in conditions)]
        made = (*self.makes, *fired)
        return frozenset((world - {f for f, value in made if not value}) | {f for f, value in made if value})

    def pddl(self, name: str) -> str:
        """It as PDDL."""
        effects = [_literal(one) for one in self.makes]
        effects += [f"(when (and {' '.join(map(_literal, c))}) {_literal(one)})" for c, one in self.effects]
        observe = f":observe (and {' '.join(f'({f})' for f in self.shows)})" if self.shows else ""
        wants = " ".join(map(_literal, self.wants))
        return f"(:action {name} :precondition (and {wants}) :effect (and {' '.join(effects)}) {observe})"


@dataclass(frozen=True)
class Contingent:
    """A problem: of each of ``oneof`` exactly one literal holds, of each of ``clauses`` at least one; of the hidden
    facts, those that no constraint mentions and that are not ``unknown`` are false."""

    oneof: tuple[tuple[Literal, ...], ...]
    clauses: tuple[tuple[Literal, ...], ...]
    unknown: tuple[str, ...]
    actions: tuple[Action, ...]

    def worlds(self) -> list[World]:
        """The worlds that are possible at first, in which ``x`` is true."""
        found = []
        mentioned = {f for some in (*self.oneof, *self.clauses) for f, _ in some} | set(self.unknown)
        for values in itertools.product((False, True), repeat=len(HIDDEN)):
            world = frozenset(f for f, value in zip(HIDDEN, values, strict=True) if value)
            exact = all(sum((f in world) == v for f, v in some) == 1 for some in self.oneof)
            one = all(any((f in world) == v for f, v in some) for some in self.clauses)
            if world <= mentioned and exact and one:
                found.append(world | {"x"})
        return found

    def write(self, folder: Path) -> tuple[Path, Path]:
        """The domain file and the problem file, in a folder."""
        predicates = " ".join(f"({f})" for f in (*HIDDEN, *VISIBLE))
        actions = " ".join(action.pddl(f"a{i}") for i, action in enumerate(self.actions))
        domain = f"(define (domain d) (:requirements :contingent) (:predicates {predicates}) {actions})"
        parts = [f"({head} {' '.join(map(_literal, some))})" for head, all_ in self._constraints for some in all_]
        parts += [f"(unknown ({fact}))" for fact in self.unknown]
        init = f"(x) {' '.join(parts)}"
        return write_task(
            folder, domain, f"(define (problem p) (:domain d) (:init {init}) (:goal (and (y) (not (x)))))"
        )

    @property
    def _constraints(self) -> tuple[tuple[str, tuple[tuple[Literal, ...], ...]], ...]:
        return ("oneof", self.oneof), ("or", self.clauses)


def _literal(literal: Literal) -> str:
    fact, value = literal
    return f"({fact})" if value else f"(not ({fact}))"


def _literals(facts: str, least: int = 0) -> st.SearchStrategy[tuple[Literal, ...]]:
    one = st.tuples(st.sampled_from(facts), st.booleans())
    return st.lists(one, min_size=least, max_size=2, unique_by=lambda literal: literal[0]).map(tuple)


_CHOICES = st.lists(_literals(HIDDEN, 2), max_size=2).map(tuple)
_EFFECTS = st.tuples(_literals(HIDDEN + VISIBLE, 1), st.tuples(st.sampled_from(HIDDEN + VISIBLE), st.booleans()))
_ACTIONS = st.builds(
    Action,
    _literals(HIDDEN + VISIBLE),
    _literals(HIDDEN + VISIBLE),
    st.lists(_EFFECTS, max_size=2).map(tuple),
    st.lists(st.sampled_from(HIDDEN), max_size=2, unique=True).map(tuple),
)
problems = st.builds(
    Contingent,
    _CHOICES,
    _CHOICES,
    st.lists(st.sampled_from(HIDDEN), max_size=2, unique=True).map(tuple),
    st.lists(_ACTIONS, min_size=2, max_size=4).map(tuple),
).filter(lambda problem: len(problem.worlds()) > 0)
