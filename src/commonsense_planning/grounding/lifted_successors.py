"""Applicable operators and successors on the lifted task, for tasks too large to ground.

A state is the frozenset of the true atoms of fluent predicates. An atom is a tuple of names in the user's spelling,
such as ("on", "a", "b"). The applicable operators are the answers to a conjunctive query: the positive literals of a
precondition are joined over the current facts by backtracking, with one index lookup per literal (Corrêa, Pommerening,
Helmert and Francès, ICAPS 2020, section 3). The rest of the precondition, such as a negation, an equality or a
disjunction, is a test of a binding. Operators are generated lazily.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any

from commonsense_planning.errors import InputError
from commonsense_planning.grounding import lifted as logic
from commonsense_planning.grounding.lifted import Lifted, Terms

Atom = tuple[str, ...]
Facts = frozenset[Atom]
Frame = list[str]  # the values of variables, then the names of constants and predicates
Order = Callable[[Collection[Atom], Sequence[int]], Collection[Atom]]
Index = dict[Any, dict[Atom, None]]


@dataclass(frozen=True)
class LiftedOperator:
    """An action with its ``arguments``, in the user's spelling; ``schema``: its number."""

    schema: int
    name: str
    arguments: tuple[str, ...]


Rows = Sequence[Atom] | Mapping[Atom, None]


def _all_of(rows: Rows) -> Callable[[Frame], Rows]:
    return lambda names: rows


def _fitting(index: Index, key: Callable[[Frame], Any]) -> Callable[[Frame], Rows]:
    """The atoms of an index that match the values in a frame."""
    return lambda names: index.get(key(names), ())


def _among(place: int, members: Collection[str]) -> Callable[[Frame], bool]:
    return lambda names: names[place] in members


@dataclass
class _Relation:
    """The true atoms of a predicate, with an index for each set of columns that a join looks up."""

    rows: dict[Atom, None] = field(default_factory=dict)
    indices: dict[tuple[int, ...], tuple[Callable[[Atom], Any], Index]] = field(default_factory=dict)

    def index(self, columns: tuple[int, ...]) -> Index:
        """The atoms by the values of these columns, of which there is at least one; column 0 is the predicate's
        name."""
        if columns not in self.indices:
            key: Callable[[Atom], Any] = itemgetter(*columns)
            index: Index = {}
            for atom in self.rows:
                index.setdefault(key(atom), {})[atom] = None
            self.indices[columns] = key, index
        return self.indices[columns][1]

    def add(self, atom: Atom) -> None:
        self.rows[atom] = None
        for key, index in self.indices.values():
            index.setdefault(key(atom), {})[atom] = None

    def remove(self, atom: Atom) -> None:
        del self.rows[atom]
        for key, index in self.indices.values():
            del index[key(atom)][atom]


@dataclass(frozen=True)
class _Lookup:
    """A literal of a join, or a type: its possible ``rows``, the columns that are bound to places of the frame, and the
    tests that are possible then."""

    rows: Callable[[Frame], Rows]
    binds: tuple[tuple[int, int], ...]  # (place in the frame, column)
    tests: tuple[Callable[[Frame], bool], ...]
    columns: tuple[int, ...]


@dataclass(frozen=True)
class _Effect:
    variables: tuple[tuple[int, tuple[str, ...]], ...]
    condition: Callable[[Frame], bool] | None
    atom: Callable[[Frame], Atom]
    positive: bool


@dataclass(frozen=True)
class _Action:
    name: str
    parameters: int
    frame: Frame
    tests: tuple[Callable[[Frame], bool], ...]
    steps: tuple[_Lookup, ...]
    effects: tuple[_Effect, ...]
    wants: Callable[[Frame], bool]

    def given(self, arguments: Sequence[str]) -> Frame:
        """The frame of an operator."""
        return [*arguments, *self.frame[self.parameters :]]


def check_ways(count: int, most: int) -> None:
    """Raises InputError if the goal has more alternatives than a heuristic takes."""
    if count > most:
        raise InputError(f"the goal can be reached in {count} ways, and a heuristic takes {most}")


class _Frame:
    """The places of a schema's names: those of its ``parameters``, and of all other terms that are asked for."""

    def __init__(self, task: LiftedTask, parameters: int) -> None:
        self._task = task
        self.names: Frame = [""] * parameters
        self._places: dict[int | str, int] = {-1 - v: v for v in range(parameters)}

    def place(self, term: int | str) -> int:
        """The place of a variable, an object, or (a text) a predicate."""
        if term not in self._places:
            self._places[term] = len(self.names)
            self.names.append(term if isinstance(term, str) else self._task.objects[term] if term >= 0 else "")
        return self._places[term]

    def atom(self, literal: logic.Literal) -> Callable[[Frame], Atom]:
        """The function from a frame to the literal's atom."""
        name = self._task.predicates[literal.predicate]
        places = self.place(name), *map(self.place, literal.terms)
        return itemgetter(*places) if literal.terms else lambda _: (name,)


class LiftedTask:
    """The initial state (``start``), the ``goal``, and the current ``state``, for which operators are generated.

    ``static``: the atoms that no action changes. Not thread-safe. Raises InputError for a task with derived predicates
    or constraints.
    """

    def __init__(self, lifted: Lifted) -> None:
        if lifted.rules or lifted.constraints:
            what = "derived predicates" if lifted.rules else "constraints"
            raise InputError(f"the task has {what}, which only a grounded task can have")
        self.lifted = lifted
        spell = lifted.problem.spell
        self.objects = tuple(map(spell, lifted.objects))
        self._members = tuple(tuple(self.objects[o] for o in members) for members in lifted.members)
        self.predicates = tuple(map(spell, lifted.predicates))
        atoms = sorted((predicate, self._atom(predicate, terms)) for predicate, terms in lifted.init)
        self.static = frozenset(atom for predicate, atom in atoms if predicate not in lifted.fluent)
        self.start: Facts = frozenset(atom for predicate, atom in atoms if predicate in lifted.fluent)
        self.state = self.start
        self._relations = {name: _Relation() for name in self.predicates}
        for _, atom in atoms:
            self._relations[atom[0]].rows[atom] = None
        self._actions = tuple(self._action(number) for number in range(len(lifted.schemas)))
        frame = _Frame(self, 0)
        self._goal = tuple(self._test(part, frame) for part in logic.conjuncts(lifted.goal))
        self._goal_frame = frame.names

    def go_to(self, state: Facts) -> None:
        """Makes ``state`` the current state."""
        if state is not self.state:
            for atom in sorted(self.state - state):
                self._relations[atom[0]].remove(atom)
            for atom in sorted(state - self.state):
                self._relations[atom[0]].add(atom)
            self.state = state

    def reached(self) -> bool:
        """Whether the goal holds in the current state."""
        return all(test(self._goal_frame) for test in self._goal)

    def operators(self, schema: int, order: Order = lambda rows, columns: rows) -> Iterator[LiftedOperator]:
        """The applicable operators of an action; the iterator is valid until the next ``go_to``. ``order`` sorts the
        rows of each lookup."""
        action = self._actions[schema]
        for arguments in self._bindings(action, order):
            yield LiftedOperator(schema, action.name, arguments)

    def applicable(self, operator: LiftedOperator) -> bool:
        """Whether the operator's precondition holds in the current state."""
        action = self._actions[operator.schema]
        return action.wants(action.given(operator.arguments))

    def effects(self, operator: LiftedOperator) -> tuple[frozenset[Atom], frozenset[Atom]]:
        """The facts that an applicable operator adds to the current state, and the facts that it removes."""
        action = self._actions[operator.schema]
        frame = action.given(operator.arguments)
        added: set[Atom] = set()
        deleted: set[Atom] = set()
        for effect in action.effects:
            for names in itertools.product(*(members for _, members in effect.variables)):
                for (place, _), name in zip(effect.variables, names, strict=True):
                    frame[place] = name
                if effect.condition is None or effect.condition(frame):
                    (added if effect.positive else deleted).add(effect.atom(frame))
        return frozenset(added - self.state), frozenset((deleted - added) & self.state)

    def wanted(self) -> frozenset[Atom]:
        """The fluent facts that the goal mentions as true, even if only in an alternative."""
        return frozenset(self._wanted(self.lifted.goal))

    def _wanted(self, formula: logic.Formula) -> Iterator[Atom]:
        if isinstance(formula, logic.Literal):
            if formula.positive and formula.predicate in self.lifted.fluent:
                yield self._atom(formula.predicate, formula.terms)
        elif not isinstance(formula, logic.Equal):
            for part in self._parts(formula):
                yield from self._wanted(part)

    def _parts(self, formula: logic.And | logic.Or | logic.Quantified) -> list[logic.Formula]:
        """The parts of a formula without free variables; of a quantified one, its instances."""
        if not isinstance(formula, logic.Quantified):
            return [*formula.parts]
        return [logic.substitute(formula.body, choice) for choice in self.lifted.choices(formula.variables)]

    def ways(self, most: int) -> list[tuple[list[Atom], list[Atom]]]:
        """The alternatives of the goal: (atoms that have to be true, atoms that have to be false). Raises InputError
        for more than ``most``."""
        found = []
        for way in self._ways(self.lifted.goal, most):
            true, false = ([self._atom(p, terms) for p, terms, positive in way if positive == kind] for kind in (1, 0))
            if not {*true} & {*false}:
                found.append((true, false))
        return found

    def _ways(self, formula: logic.Formula, most: int) -> list[tuple[tuple[int, Terms, bool], ...]]:
        """The disjuncts of a formula without free variables, as literals of fluent predicates."""
        if isinstance(formula, logic.Literal) and formula.predicate in self.lifted.fluent:
            return [((formula.predicate, formula.terms, formula.positive),)]
        if isinstance(formula, logic.Literal | logic.Equal):
            frame = _Frame(self, 0)
            return [()] if self._test(formula, frame)(frame.names) else []
        ways = [self._ways(part, most) for part in self._parts(formula)]
        if isinstance(formula, logic.Or) or isinstance(formula, logic.Quantified) and not formula.universal:
            found = [*itertools.chain.from_iterable(ways)]
        else:
            check_ways(math.prod(map(len, ways)), most)
            found = [tuple(dict.fromkeys(itertools.chain(*chosen))) for chosen in itertools.product(*ways)]
        found = list(dict.fromkeys(found))
        check_ways(len(found), most)
        return found

    def _atom(self, predicate: int, terms: Sequence[int]) -> Atom:
        return (self.predicates[predicate], *(self.objects[t] for t in terms))

    # -- schemas --------------------------------------------------------------------------------------------------

    def _action(self, number: int) -> _Action:
        schema = self.lifted.schemas[number]
        count = len(schema.parameters)
        frame = _Frame(self, count)
        joined: list[logic.Literal] = []
        tests: list[tuple[frozenset[int], Callable[[Frame], bool]]] = []
        for part in logic.conjuncts(schema.precondition):
            free = logic.free_variables(part)
            if isinstance(part, logic.Literal) and part.positive and free:
                joined.append(part)
            else:
                tests.append((free, self._test(part, frame)))
        steps: list[_Lookup] = []
        bound: set[int] = set()

        def ready() -> tuple[Callable[[Frame], bool], ...]:
            now = [test for test in tests if test[0] <= bound]
            tests[:] = [test for test in tests if test[0] - bound]
            return tuple(test for _, test in now)

        first = ready()
        while joined or len(bound) < count:
            literal = min(joined, key=lambda part: self._size(part, bound), default=None)
            if literal is None:
                v = min(set(range(count)) - bound)
                rows = tuple((name,) for name in self._members[schema.parameters[v]])
                bound.add(v)
                steps.append(_Lookup(_all_of(rows), ((v, 0),), ready(), (0,)))
                continue
            joined.remove(literal)
            terms = [-1 - t for t in literal.terms]
            unbound = [v for v in terms if v >= 0 and v not in bound]
            if len(set(unbound)) < len(unbound) or not unbound:  # a test, once its variables are bound
                tests.append((logic.free_variables(literal), self._test(literal, frame)))
                if not unbound:
                    steps[-1] = replace(steps[-1], tests=(*steps[-1].tests, *ready()))
                continue
            looked_up = [column for column, v in enumerate(terms) if v < 0 or v in bound]
            binds = tuple((v, 1 + column) for column, v in enumerate(terms) if v >= 0 and v not in bound)
            relation = self._relations[self.predicates[literal.predicate]]
            if looked_up:
                index = relation.index(tuple(1 + column for column in looked_up))
                key = itemgetter(*(frame.place(literal.terms[column]) for column in looked_up))
                found = _fitting(index, key)
            else:
                found = _all_of(relation.rows)
            for v, column in binds:
                declared = self._declared(literal.predicate, column - 1)
                members = frozenset(self._members[schema.parameters[v]])
                if not declared <= members:
                    tests.append((frozenset({v}), _among(v, members)))
            bound.update(v for v, _ in binds)
            steps.append(_Lookup(found, binds, ready(), tuple(column for _, column in binds)))
        effects = tuple(
            _Effect(
                tuple((frame.place(-1 - v), self._members[t]) for v, t in effect.variables),
                None if effect.condition == logic.TRUE else self._test(effect.condition, frame),
                frame.atom(effect.literal),
                effect.literal.positive,
            )
            for effect in schema.effects
        )
        wants, name = self._test(schema.precondition, frame), self.lifted.problem.spell(schema.name)
        return _Action(name, count, frame.names, first, tuple(steps), effects, wants)

    def _declared(self, predicate: int, column: int) -> frozenset[str]:
        """The objects that a column of a predicate admits."""
        language = self.lifted.problem.tarski.language
        sort = language.get(self.lifted.predicates[predicate]).sort[column]
        spell = self.lifted.problem.spell
        return frozenset(spell(str(constant.symbol)) for constant in sort.domain())

    def _size(self, literal: logic.Literal, bound: set[int]) -> float:
        """The number of atoms that are expected to match a literal, by the facts of the initial state."""
        rows = self._relations[self.predicates[literal.predicate]].rows
        columns = [1 + i for i, t in enumerate(literal.terms) if t >= 0 or -1 - t in bound]
        if len(columns) == len(literal.terms):
            return 0
        return len(rows) / max(1, len({itemgetter(*columns)(row) for row in rows})) if columns else 1 + len(rows)

    def _test(self, formula: logic.Formula, frame: _Frame) -> Callable[[Frame], bool]:
        """The function that decides whether the formula holds for a frame in the current state."""
        if isinstance(formula, logic.Literal):
            atom, positive = frame.atom(formula), formula.positive
            if formula.predicate in self.lifted.fluent:
                return lambda names: (atom(names) in self.state) == positive
            return lambda names: (atom(names) in self.static) == positive
        if isinstance(formula, logic.Equal):
            left, right, same = frame.place(formula.left), frame.place(formula.right), formula.positive
            return lambda names: (names[left] == names[right]) == same
        if isinstance(formula, logic.And | logic.Or):
            parts = [self._test(part, frame) for part in formula.parts]
            both = all if isinstance(formula, logic.And) else any
            return lambda names: both(part(names) for part in parts)
        places = [frame.place(-1 - v) for v, _ in formula.variables]
        members = [self._members[t] for _, t in formula.variables]
        body, quantifier = self._test(formula.body, frame), all if formula.universal else any

        def holds(names: Frame) -> bool:
            def choices() -> Iterator[bool]:
                for chosen in itertools.product(*members):
                    for place, name in zip(places, chosen, strict=True):
                        names[place] = name
                    yield body(names)

            return quantifier(choices())

        return holds

    def _bindings(self, action: _Action, order: Order) -> Iterator[tuple[str, ...]]:
        frame, steps, count = list(action.frame), action.steps, action.parameters
        if not all(test(frame) for test in action.tests):
            return
        if not steps:
            yield ()
            return
        level, last = 0, len(steps) - 1
        rows: list[Iterator[Atom]] = [iter(())] * len(steps)
        rows[0] = iter(order(steps[0].rows(frame), steps[0].columns))
        while level >= 0:
            step = steps[level]
            for row in rows[level]:
                for place, column in step.binds:
                    frame[place] = row[column]
                for test in step.tests:
                    if not test(frame):
                        break
                else:
                    if level == last:
                        yield tuple(frame[:count])
                        continue
                    level += 1
                    step = steps[level]
                    rows[level] = iter(order(step.rows(frame), step.columns))
                    break
            else:
                level -= 1
