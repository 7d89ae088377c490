"""Reports of what a robot saw, as facts by name, and their conversion for an agent: an observation and its
surprises."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.grounding.constraints import looked_at
from commonsense_planning.grounding.ground_task import GroundTask, Int32, closed, owners_of
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pddl.sensors import Sensors, formula_from_text
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Bits, CertainSensing, Observation, ObservationModel, Readings
from commonsense_planning.support.english import did_you_mean

_ATOM = re.compile(r"\(\s*([^()\s]+(?:\s+[^()\s]+)*)\s*\)")

Atom = tuple[str, tuple[int, ...]]
"""A fact: its predicate's normalised name, and its arguments as numbers of objects."""


@dataclass(frozen=True)
class ObservationReport:
    """What was seen after the last action, or initially. Facts are PDDL, such as ``(on apple_1 table)``.

    ``true``, ``false``: facts that are seen to be true, or false. ``complete``: everything that the sensing rules show
    here is named, so that facts they show that are not named are false; None: true for the initial observation, and
    after an action that did not fail. ``applied``: whether the action was carried out; None: it was, unless one of its
    effects is seen to be missing. ``goal_reached``: None lets the agent judge by its knowledge. ``objects``: undeclared
    ones, name → type. ``action``: the action done, if it differs from the agent's. Raises UsageError for values of
    another form.
    """

    true: Sequence[str] = ()
    false: Sequence[str] = ()
    complete: bool | None = None
    applied: bool | None = None
    goal_reached: bool | None = None
    objects: Mapping[str, str] = field(default_factory=dict)
    action: str | None = None

    def __post_init__(self) -> None:
        for name in ("true", "false"):
            facts = getattr(self, name)
            if isinstance(facts, str) or not isinstance(facts, Iterable):
                raise UsageError(f"{name} must be a list of facts, not {facts!r}")
            object.__setattr__(self, name, tuple(map(str, facts)))
        if not isinstance(self.objects, Mapping):
            raise UsageError(f"objects must be names with their types, not {self.objects!r}")
        object.__setattr__(self, "objects", {str(name): str(kind) for name, kind in self.objects.items()})
        if not isinstance(self.action, str | None):
            raise UsageError(f"action must be a text, not {self.action!r}")
        both = set(self.true) & set(self.false)
        if both:
            raise UsageError(f"{min(both)} cannot be seen to be both true and false")

    def renamed(self, names: Mapping[str, str]) -> ObservationReport:
        """The same with other names for objects, old name in lower case → new one."""
        return replace(self, false=[renamed_in(fact, names) for fact in self.false]) if names and self.false else self

    def as_json(self) -> dict[str, Any]:
        """The fields that differ from their defaults, as JSON values; ``ObservationReport(**value)`` restores it."""
        default = ObservationReport()
        fields = {name: getattr(self, name) for name in ObservationReport.__dataclass_fields__}
        told = {name: value for name, value in fields.items() if value != getattr(default, name)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in told.items()}


class AgentNames:
    """The names of a task's facts and actions, and their numbers. Case does not matter."""

    def __init__(self, task: GroundTask, sensors: Sensors | None = None) -> None:
        assert task.instantiator is not None
        self._unknown = {kind.key for kind in sensors.unknown} if sensors else set()
        self._task, self._instantiator = task, task.instantiator
        spell, lifted = task.problem.spell, task.instantiator.lifted
        self._predicates = {spell(name).lower(): name for name in lifted.predicates}
        self._objects = {spell(name).lower(): number for number, name in enumerate(task.objects)}
        self._spelt = list(self._objects)
        self._schemas = {spell(name).lower(): number for number, name in enumerate(task.schemas)}
        self._facts: dict[Atom, int] = {atom: fact for fact, atom in enumerate(task.facts)}
        self._fixed = {(lifted.predicates[p], terms) for p, terms in lifted.init if p not in lifted.fluent}
        declared = task.problem.normaliser.vocabulary.predicates
        self._arities = {name.lower(): len(signature.parameters) for name, signature in declared.items()}

    def readings(self, seen: ObservationReport) -> dict[int, bool]:
        """The named facts with their values, except for static facts, which are as they are seen, and for facts that
        nothing in the task needs. Raises InputError for unknown names, and for impossible facts."""
        named, instantiator = dict[int, bool](), self._instantiator
        for facts, value in ((seen.true, True), (seen.false, False)):
            for text in facts:
                atom = self._atom(text)
                predicate, terms = instantiator.lifted.predicates.index(atom[0]), atom[1]
                fact = self._facts.get(atom, -1)
                if fact >= 0:
                    named[fact] = value
                elif predicate in instantiator.lifted.fluent:
                    if value and (predicate, terms) not in instantiator.left_out:
                        raise InputError(f"{text} is reported as true, and can never be true in this task")
                elif value != (instantiator.indices[predicate].one(terms) >= 0):
                    raise InputError(f"{text} is reported as {_word(value)}, which can never be the case in this task")
        return named

    def unforeseen(self, seen: ObservationReport) -> list[str]:
        """The facts that have a value that nothing in the task gives them, though their predicate is declared and not
        derived: a door that is locked where no action locks any. Raises InputError for unknown names."""
        found, lifted = list[str](), self._instantiator.lifted
        for facts, value in ((seen.true, True), (seen.false, False)):
            for text in facts:
                name, terms = self._atom(text)
                predicate = lifted.predicates.index(name)
                if predicate in lifted.strata:
                    continue
                if predicate in lifted.fluent:
                    foreseen = not value or self._facts.get((name, terms), -1) >= 0
                else:
                    foreseen = value == (self._instantiator.indices[predicate].one(terms) >= 0)
                if not foreseen:
                    formula_from_text(text, self._task.problem, "a report")  # checks the types
                    found.append(text)
        return found

    def operator(self, text: str, belief: Belief) -> int:
        """The operator of an action; of several, one that is known to be applicable. Raises InputError."""
        found: list[int] = self.operators(text).tolist()
        state = belief.state()
        ready = (operator for operator in found if belief.transition.is_applicable(state, operator))
        return next(ready, found[0])

    def operators(self, text: str) -> Int32:
        """All operators of an action, int32: the ways to meet its precondition. Raises InputError if there is none."""
        name, arguments = self._parts(text, "an action")
        schema = self._number(text, name, self._schemas, "action")
        terms = [self._number(text, argument, self._objects, "object") for argument in arguments]
        found, arity = np.zeros(0, np.int32), self._task.arities[schema]
        if arity == len(terms):
            same = (self._task.arguments[:, :arity] == terms).all(axis=1) & (self._task.schema == schema)
            found = np.flatnonzero(same).astype(np.int32)
        if not len(found):
            raise InputError(f"{text} is not an action of this task")
        return found

    def undeclared(self, seen: ObservationReport) -> dict[str, str]:
        """The objects that were seen and are not declared yet, with their types."""
        return {name: kind for name, kind in seen.objects.items() if name.lower() not in self._objects}

    def stand_in(self, name: str, kind: str, seen: ObservationReport, met: Collection[str]) -> str | None:
        """The declared object, its name in lower case, that an undeclared one turns out to be; None if there is none:
        of those that represent things of an unknown kind and were not ``met`` yet (names in lower case), the first of
        the same type whose static facts were all seen of the new one, too."""
        problem, told = self._task.problem, {words(fact) for fact in seen.true}
        for key, other in problem.normaliser.vocabulary.objects.items():
            if key in met or kind.lower() not in {k.key for k in other.types} or not self.is_unknown(kind):
                continue
            number = self._objects[key]
            fixed = {
                (problem.spell(predicate).lower(), *(name.lower() if t == number else self._spelt[t] for t in terms))
                for predicate, terms in self._fixed
                if number in terms
            }
            if fixed <= told:
                return key
        return None

    def is_unknown(self, kind: str) -> bool:
        """Whether the members of a type are unknown."""
        words = self._task.problem.normaliser.vocabulary
        return kind.lower() in words.parents and not self._unknown.isdisjoint(words.ancestors(kind.lower()))

    def _atom(self, text: str) -> Atom:
        name, arguments = self._parts(text, "a fact")
        predicate = self._number(text, name, self._predicates, "predicate")
        terms = tuple(self._number(text, argument, self._objects, "object") for argument in arguments)
        wanted = self._arities.get(name.lower(), len(terms))
        if wanted != len(terms):
            raise InputError(f"{text}: {name} has {wanted} arguments, not {len(terms)}")
        return predicate, terms

    @staticmethod
    def _parts(text: str, what: str) -> tuple[str, list[str]]:
        match = _ATOM.fullmatch(text.strip())
        if match is None:
            raise InputError(f"{text!r} is not {what}; expected a name and its arguments in brackets, such as (on a b)")
        name, *arguments = match[1].split()
        return name, arguments

    @staticmethod
    def _number(text: str, name: str, among: Mapping[str, Any], what: str) -> Any:
        if name.lower() in among:
            return among[name.lower()]
        new = f"; a new one is named with its type, objects={{'{name}': TYPE}}" if what == "object" else ""
        raise InputError(f"{text}: there is no {what} {name}{did_you_mean(name, among)}{new}")


@dataclass(frozen=True)
class Reading:
    """The meaning of an ``ObservationReport``: the ``observation`` after an ``operator``; the hidden facts, int32, that
    were certain and have ``changed`` nevertheless; ``surprises`` in English; whether the operator ``failed``, and
    changed nothing."""

    operator: int | None
    observation: Observation
    changed: Int32
    surprises: tuple[str, ...]
    failed: bool = False


class ObservationParser:
    """Reads a report as an observation, given the belief: facts that are not reported are as expected. An effect that
    sensors contradict did not take place, unless they may be wrong about it by ``sensing``. Of random outcomes, it was
    the likeliest of those that explain most of the report. ``error``: the probability that an action fails though its
    preconditions hold, in addition to the task's probabilities."""

    def __init__(
        self,
        task: GroundTask,
        compiled: Compiled,
        sensing: ObservationModel,
        declared: Sensors | None = None,
        error: float = 0.0,
    ) -> None:
        self._error = error
        self.names = AgentNames(task, declared)
        self._sensing = sensing
        self.may_err = not isinstance(sensing, CertainSensing)
        self._task = task
        self._hidden = compiled.sensors.hidden
        self._operators, self._monitors, self._known_at = compiled.operators, compiled.monitors, len(compiled.hidden)
        sensors = compiled.sensors
        self._groups: defaultdict[int, list[int]] = defaultdict(list)  # fact → the exactly-one groups that it is in
        self._members = sensors.groups
        for group, fact in zip(*map(np.ndarray.tolist, owners_of(sensors.groups)), strict=True):
            self._groups[fact].append(group)
        self._when, self._when_not, self._shown = map(owners_of, (sensors.when, sensors.when_not, sensors.seen))
        self._rules, self._observed, self._unobserved = len(sensors.when), sensors.observed, sensors.unobserved

    def initial(self) -> Readings:
        """An agent's knowledge before any observation: the facts that are not hidden."""
        return tuple((fact, bool(self._task.init[fact])) for fact in np.flatnonzero(~self._hidden).tolist())

    def read(self, seen: ObservationReport, operator: int | None, belief: Belief, advised: bool = True) -> Reading:
        """The observation after ``operator``; None: initially, or without an action. ``advised``: it is the agent's
        action. Raises InputError."""
        named = self.names.readings(seen)
        doubtful = self._doubtful(operator, named)
        outcome, expected, nothing = self._outcome(operator, belief, {f: named[f] for f in named.keys() - doubtful})
        if seen.applied is False:
            outcome, expected = operator, {}
        elsewhere = self._elsewhere([f for f, value in named.items() if value and f not in doubtful])
        as_seen = {**dict.fromkeys(elsewhere, False), **{f: named[f] for f in named.keys() - doubtful}}
        unmet = [f for f, value in expected.items() if as_seen.get(f, value) != value]
        applied = not unmet if seen.applied is None else seen.applied
        if operator is not None and nothing and not expected and seen.applied is None:
            # a try that changed nothing may have failed by chance, or since a hidden precondition did not hold
            applied = not self._hidden[belief.knowledge.preconditions(operator)[0]].any()
        surprises = [f"{self._say(fact)} was expected to be {_word(expected[fact])}" for fact in unmet]
        if not applied:
            expected = {}
        met = {fact: value for fact, value in expected.items() if fact not in unmet}
        effects = {fact: met[fact] for fact in doubtful & met.keys()}  # are as sure as the others
        after = {**met, **named, **effects}
        truth, sure, settled = belief.truth.copy(), belief.known.copy(), belief.certain.copy()
        truth[list(after)], sure[list(after)] = list(after.values()), True
        settled[[f for f in after if f in effects or f not in doubtful]] = True
        follows = closed(self._task.rules, truth)
        other = np.flatnonzero(follows != truth).tolist()
        for fact in sorted(named.keys() & set(other)):
            what = f"{self._say(fact)} is reported as {_word(named[fact])}, but it is derived, and the contrary follows"
            raise InputError(f"{what} from what is known; name the facts that have changed")
        after |= {fact: bool(follows[fact]) for fact in other}
        truth = follows
        readings = {fact: value for fact, value in named.items() if self._hidden[fact]}
        shown, in_sight, unsaid = self._in_sight(truth, sure), self._in_sight(truth, settled), set[int]()
        if operator is not None and applied and len(self._observed):
            in_sight |= set(self._observed.row(operator).tolist())
        complete = applied if seen.complete is None else seen.complete
        if complete:
            readings |= dict.fromkeys(in_sight - after.keys(), False)
        if operator is not None and applied or complete:
            unsaid = (shown | in_sight) - after.keys() - readings.keys()
        read = {**readings, **effects}
        truth[list(read)], sure[list(read)] = list(read.values()), True
        remembered = self._remembered(truth, sure)
        after |= {bit: bool(remembered[bit]) for bit in np.flatnonzero(remembered != truth).tolist()}
        facts = {fact: value for fact, value in after.items() if fact not in readings or fact in effects}
        before = {fact: bool(belief.truth[fact]) for fact in facts}
        surprises += [
            f"{self._say(fact)} was {_word(before[fact])}"
            for fact, value in facts.items()
            if fact in named and fact not in expected and before[fact] != value
        ]
        observation = Observation(_sorted(facts), _sorted(readings), True, None, applied, unsaid=tuple(sorted(unsaid)))
        changed = belief.contradicted(operator, observation)
        surprises += [
            f"{self._say(fact)} was certainly {_word(bool(belief.truth[fact]))}"
            for fact in changed.tolist()
            if fact not in expected
        ]
        certain = operator is not None and not nothing and not belief.knowledge.explains_failure(operator)
        if operator is not None and certain and not applied and not surprises:
            surprises.append(f"{self._task.step(operator)} failed, though its preconditions are certain")
        # If sensors err, an agent that cannot grab a thing does not know that it is elsewhere: the gripper may have
        # slipped.
        slip = nothing + (1 - nothing) * self._error
        unexplained = not applied and not slip and self.may_err
        surprising = bool(surprises) or not advised or unexplained
        observation = replace(observation, surprising=surprising, outcome=outcome, slip=slip)
        return Reading(operator, observation, changed, tuple(surprises), not applied or bool(nothing and not expected))

    def _outcome(
        self, operator: int | None, belief: Belief, named: Mapping[int, bool]
    ) -> tuple[int | None, dict[int, bool], float]:
        """The outcome of an action that the ``named`` facts imply, and its changes; and the probability that the action
        changes nothing, if it has several outcomes."""
        if operator is None:
            return None, {}, 0.0
        found = [(p, o, self._effects(o, belief)) for p, o in belief.transition.outcome_operators(operator)]
        nothing = sum(p for p, _, changes in found if not changes) if len(found) > 1 else 0.0

        def fits(one: tuple[float, int, dict[int, bool]]) -> tuple[int, int, float]:
            as_named = [named[fact] == value for fact, value in one[2].items() if fact in named]
            return -as_named.count(False), as_named.count(True), one[0]

        _, outcome, expected = max(found, key=fits)
        return outcome, expected, nothing

    def _elsewhere(self, facts: Iterable[int]) -> set[int]:
        """The other members of the facts' exactly-one groups. Raises InputError for two facts of one group."""
        first: dict[int, int] = {}
        for fact in facts:
            for group in self._groups[fact]:
                other = first.setdefault(group, fact)
                if other != fact:
                    both = f"{self._say(other)} and {self._say(fact)}"
                    raise InputError(f"{both} cannot both be true: name the one that is")
        return {fact for group in first for fact in self._members.row(group).tolist()} - set(first.values())

    def _doubtful(self, operator: int | None, named: Mapping[int, bool]) -> set[int]:
        """The hidden ``named`` facts that erring sensors may show whatever their values are."""
        facts = np.array([fact for fact in named if self._hidden[fact]], np.int32)
        shown = np.array([named[fact] for fact in facts.tolist()], np.bool_)
        return set(facts[(self._sensing.likelihood(operator, facts, shown) > 0).all(axis=0)].tolist())

    def _effects(self, operator: int, belief: Belief) -> dict[int, bool]:
        """The changes of an operator as far as is known: deletes first, then adds. A conditional effect counts if its
        condition is known to hold and the effect can be observed."""
        effects, truth, known = self._operators, belief.truth, belief.known
        rows = [(effects.delete.row(operator), effects.add.row(operator))]
        for e in range(effects.effect_start[operator], effects.effect_end[operator]):
            if len(self._unobserved) and self._unobserved[e]:
                continue
            wanted, unwanted = effects.cond_pre.row(e), effects.cond_npre.row(e)
            if (truth & known)[wanted].all() and (known & ~truth)[unwanted].all():
                rows.append((effects.cond_delete.row(e), effects.cond_add.row(e)))
        deleted = {fact: False for row, _ in rows for fact in row.tolist()}
        after = {**deleted, **{fact: True for _, row in rows for fact in row.tolist()}}
        return {f: value for f, value in after.items() if self._hidden[f] or truth[f] != value}

    def _remembered(self, truth: Bits, known: Bits) -> Bits:
        """``truth`` with the memory bits of the constraints brought up to date."""
        state = np.zeros(2 * self._known_at, np.bool_)
        state[: len(truth)], state[self._known_at :][: len(known)] = truth, known
        return looked_at(self._monitors, state)[: len(truth)]

    def _in_sight(self, truth: Bits, known: Bits) -> set[int]:
        """The hidden facts shown by sensing rules whose conditions are known to hold."""
        holds = np.ones(self._rules, np.bool_)
        for (rules, facts), wanted in ((self._when, truth & known), (self._when_not, known & ~truth)):
            holds[rules[~wanted[facts]]] = False
        rules, facts = self._shown
        return set(facts[holds[rules]].tolist())

    def _say(self, fact: int) -> str:
        return str(self._task.fact_step(fact))


def words(text: str) -> tuple[str, ...]:
    """A fact's or an action's predicate and arguments in lower case."""
    return tuple(text.lower().strip("() ").split())


def renamed_in(fact: str, names: Mapping[str, str]) -> str:
    """A fact with other names for objects, old name in lower case → new one."""
    return f"({' '.join(names.get(word, word) for word in words(fact))})"


def _word(value: bool) -> str:
    return "true" if value else "false"


def _sorted(facts: Mapping[int, bool]) -> Readings:
    return tuple(sorted(facts.items()))
