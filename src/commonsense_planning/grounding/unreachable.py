"""Why there is no plan, by the delete relaxation: the parts of the goal that can never become true, and the conditions
at the start of the chain of reasons, which nothing achieves.

The relaxation goes both ways: a fact that becomes false also stays true, and one that becomes true also stays false. A
goal that it cannot reach is unreachable. A goal that it can reach may still need facts that never hold
together: an invariant may show that; if only a search can, the answer is empty.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tarski.syntax.sorts import Interval

from commonsense_planning.grounding import lifted as logic
from commonsense_planning.grounding.ground_task import Bits, GroundTask, Lists, Rules, owners_of
from commonsense_planning.grounding.invariants import counted_for, invariants
from commonsense_planning.grounding.lifted import Effect, Lifted, Schema, Terms, lift
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.english import counted

MOST_TOLD = 3  # parts of the goal, and as many conditions
MOST_CHARACTERS = 200  # of a formula
MOST_STEPS = 300_000  # of the search for objects that meet a condition; about a second

Binding = Mapping[int, int]  # variable → object
Types = Mapping[int, int]  # variable → type


@dataclass(frozen=True)
class Relaxed:
    """``true``, ``false`` bool (facts,): the facts that can become true, or false. ``done`` bool (operators,): the
    operators that can become applicable."""

    true: Bits
    false: Bits
    done: Bits


def met(pos: Lists, neg: Lists, true: Bits, false: Bits) -> Bits:
    """Whether each condition can be met, bool (rows of ``pos`` and ``neg``,), if the facts ``true`` can be true and the
    facts ``false`` can be false, bool (facts,)."""
    met = np.ones(len(pos), np.bool_)
    for rows, can in ((pos, true), (neg, false)):
        owner, fact = owners_of(rows)
        met[owner[~can[fact]]] = False
    return met


def relax(task: GroundTask, true: Bits, false: Bits) -> Relaxed:
    """The facts that can become true or false if, initially, the facts ``true`` may hold and the facts ``false`` may
    not, bool (facts,)."""
    operators, rules, monitors = task.operators, task.rules, task.monitors
    true, false = true.copy(), false.copy()
    numbers = np.arange(len(operators.cond_pre), dtype=np.int32)
    effects = owners_of(Lists(operators.effect_start, operators.effect_end, numbers))
    changes = [(owners_of(operators.add), true), (owners_of(operators.delete), false)]
    further = [(owners_of(operators.cond_add), true), (owners_of(operators.cond_delete), false)]
    while True:
        before = np.count_nonzero(true) + np.count_nonzero(false)
        done = met(operators.pre, operators.npre, true, false)
        for (owner, fact), can in changes:
            can[fact[done[owner]]] = True
        taken = met(operators.cond_pre, operators.cond_npre, true, false)
        taken[effects[1][~done[effects[0]]]] = False
        for (owner, fact), can in further:
            can[fact[taken[owner]]] = True
        true[rules.head[met(rules.pos, rules.neg, true, false)]] = True
        false[rules.head] |= ~_inevitable(rules, true, false)[rules.head]
        updated = met(monitors.pos, monitors.neg, true, false)
        true[monitors.bit[updated & monitors.value]] = True
        false[monitors.bit[updated & ~monitors.value]] = True
        if np.count_nonzero(true) + np.count_nonzero(false) == before:
            return Relaxed(true, false, done)


def _inevitable(rules: Rules, true: Bits, false: Bits) -> Bits:
    """The facts that no plan makes false, bool (facts,)."""
    found, before = ~false, -1
    found[rules.head] = False
    while before != np.count_nonzero(found):
        before = int(np.count_nonzero(found))
        found[rules.head[met(rules.pos, rules.neg, found, ~true)]] = True
    return found


class TooMuch(Exception):
    """More than ``MOST_STEPS`` steps."""


class Attainable:
    """Decides which conditions of the lifted task can become true. Its methods raise TooMuch after ``MOST_STEPS``
    steps."""

    def __init__(self, lifted: Lifted, task: GroundTask, relaxed: Relaxed) -> None:
        self._lifted, self._relaxed = lifted, relaxed
        self._members = tuple(map(frozenset, lifted.members))
        self._numbers = {fact: number for number, fact in enumerate(task.facts)}
        self._possible: defaultdict[int, list[Terms]] = defaultdict(list)
        index = {name: number for number, name in enumerate(lifted.predicates)}
        for number, (name, terms) in enumerate(task.facts):
            if relaxed.true[number] and name in index:
                self._possible[index[name]].append(terms)
        for predicate, terms in sorted(lifted.init):
            if (lifted.predicates[predicate], terms) not in self._numbers:
                self._possible[predicate].append(terms)
        self._steps = MOST_STEPS

    def _can(self, literal: logic.Literal, binding: Binding) -> bool:
        terms = tuple(t if t >= 0 else binding[-1 - t] for t in literal.terms)
        number = self._numbers.get((self._lifted.predicates[literal.predicate], terms))
        if number is not None:
            return bool((self._relaxed.true if literal.positive else self._relaxed.false)[number])
        return ((literal.predicate, terms) in self._lifted.init) == literal.positive

    def _holds(self, formula: logic.Formula, types: Types, binding: Binding) -> bool:
        """Whether a formula whose free variables are bound can become true."""
        match formula:
            case logic.Literal():
                return self._can(formula, binding)
            case logic.Equal():
                left, right = (t if t >= 0 else binding[-1 - t] for t in (formula.left, formula.right))
                return (left == right) == formula.positive
            case logic.And():
                return all(self._holds(part, types, binding) for part in formula.parts)
            case logic.Or():
                return any(self._holds(part, types, binding) for part in formula.parts)
        types = {**types, **dict(formula.variables)}
        if not formula.universal:
            return self.meets([formula.body], types, binding)
        return all(self._holds(formula.body, types, choice) for choice in self.choices(formula, binding))

    def choices(self, formula: logic.Quantified, binding: Binding) -> Iterator[dict[int, int]]:
        for choice in self._lifted.choices(formula.variables):
            self._step()
            yield {**binding, **choice}

    def meets(self, parts: Sequence[logic.Formula], types: Types, binding: Binding) -> bool:
        """Whether there are objects for the free variables for which each of the parts can become true by itself."""
        return any(True for _ in self.ways(parts, types, binding))

    def ways(self, parts: Sequence[logic.Formula], types: Types, binding: Binding) -> Iterator[Binding]:
        """The bindings for which ``meets`` holds."""
        self._step()
        parts = [one for part in parts for one in logic.conjuncts(part)]
        left = []
        for part in parts:
            if not logic.free_variables(part) <= binding.keys():
                left.append(part)
            elif not self._holds(part, types, binding):
                return
        if not left:
            if all(self._lifted.members[t] for v, t in types.items() if v not in binding):
                yield binding
            return
        atoms = [part for part in left if isinstance(part, logic.Literal) and part.positive]
        if atoms:
            atom = min(atoms, key=lambda a: len(logic.free_variables(a) - binding.keys()))
            others = [part for part in left if part is not atom]
            for terms in self._possible[atom.predicate]:
                found = self.bound(atom.terms, terms, types, binding)
                if found is not None:
                    yield from self.ways(others, types, found)
            return
        variable = min(logic.free_variables(left[0]) - binding.keys())
        for thing in self._lifted.members[types[variable]]:
            yield from self.ways(left, types, {**binding, variable: thing})

    def bound(self, terms: Terms, objects: Terms, types: Types, binding: Binding) -> dict[int, int] | None:
        """The binding under which an atom with these ``terms`` is that of the ``objects``; None if there is none. A
        variable among the objects binds nothing."""
        self._step()
        found = dict(binding)
        for term, thing in zip(terms, objects, strict=True):
            if thing < 0:
                continue
            if term >= 0:
                if term != thing:
                    return None
            elif found.setdefault(-1 - term, thing) != thing or thing not in self._members[types[-1 - term]]:
                return None
        return found

    def _step(self) -> None:
        self._steps -= 1
        if self._steps < 0:
            raise TooMuch


def unreachable(task: GroundTask, true: Bits | None = None, false: Bits | None = None, when: str = "at first") -> str:
    """The reason why the goal can never hold; empty if none is found. ``true``, ``false`` bool (facts,): the facts that
    may hold initially, and those that may not, by default as in the initial state. ``when``: the phrase for that
    time."""
    violated = met(task.failure.pos, task.failure.neg, task.init, ~task.init)
    if true is None and violated.any():
        return f"{task.constraint(int(violated.argmax()))} is violated from the start"
    true = task.init if true is None else true
    relaxed = relax(task, true, ~true if false is None else false)
    if met(task.goal.pos, task.goal.neg, relaxed.true, relaxed.false).any():
        return _exclusive(lift(task.problem))
    return _Reasons(task, relaxed, when).sentence()


NOTHING_TO_DO = "nothing to do: the goal holds from the start"


def exhausted(problem: Problem, states: int | None) -> str:
    """The conclusion from an exhausted search where ``unreachable`` finds no reason. ``states``: the number of states
    expanded, if known."""
    which = "the only state" if states == 1 else f"all {counted(states, 'state') if states else 'states'}"
    allowed = " without violating a constraint" if problem.constraints else ""
    tried = f"search has tried {which} from which the goal might be reached"
    return f"no single condition is to blame; {tried}{allowed}"


def _exclusive(lifted: Lifted) -> str:
    """The sentence that two parts of the goal never hold together, by an invariant or because one negates the other;
    empty if none are known."""
    literals = [part for part in logic.conjuncts(lifted.goal) if isinstance(part, logic.Literal)]
    wanted = [part for part in literals if part.positive]

    def never(one: logic.Literal, other: logic.Literal) -> str:
        first, second = (lifted.text(part.predicate, part.terms) for part in (one, other))
        second = second if other.positive else f"(not {second})"
        return f"{first} and {second} of the goal are never so at once"

    for literal in wanted:
        negated = replace(literal, positive=False)
        if negated in literals:
            return never(literal, negated)
    for found in invariants(lifted) if len(wanted) > 1 else ():
        held: dict[Terms, logic.Literal] = {}
        for literal in (part for part in wanted if part.predicate in found):
            other = held.setdefault(counted_for(literal, found), literal)
            if other != literal:
                return never(other, literal)
    return ""


@dataclass(frozen=True)
class _Wanted:
    """A literal that no action achieves; ``types``: (variable, type) of the variables in it."""

    literal: logic.Literal
    types: tuple[tuple[int, int], ...]
    text: str


class _Reasons:
    """The search backwards from the goal, through the conditions of its achievers, for conditions that nothing
    achieves."""

    def __init__(self, task: GroundTask, relaxed: Relaxed, when: str) -> None:
        self._task, self._relaxed, self._when = task, relaxed, when
        self._lifted = lift(task.problem)
        self._can = Attainable(self._lifted, task, relaxed)
        self._types = [s.name for s in task.problem.tarski.language.sorts if not isinstance(s, Interval)]
        self._done = {task.schemas[schema] for schema in np.unique(task.schema[relaxed.done]).tolist()}
        self._names: Mapping[int, str] = {}
        self._roots: dict[str, dict[str, None]] = {}  # reason → the actions that it makes impossible
        self._seen: dict[tuple[object, ...], _Wanted] = {}
        self._waiting: list[_Wanted] = []

    def sentence(self) -> str:
        """All reasons found."""
        said = "the goal can never become true"
        try:
            goal = logic.conjuncts(self._lifted.goal)
            parts = [part for part in goal if not self._can.meets([part], {}, {})]
            if not parts:
                return _exclusive(self._lifted) or self._of_constraints() or said
            if self._is_users(parts[0]):
                named = [self._text(part, {}) for part in parts[:MOST_TOLD]]
                more = f" and {len(parts) - MOST_TOLD} more" if len(parts) > MOST_TOLD else ""
                said = f"{', '.join(named)}{more} of the goal can never become true"
            for part in parts:
                self._blame(part, {}, {}, "")
            while self._waiting and len(self._roots) < MOST_TOLD:
                self._explain(self._waiting.pop(0))
        except TooMuch:
            pass
        reasons = [
            f"{root}{', so ' if users else ''}{', '.join(users)}" for root, users in [*self._roots.items()][:MOST_TOLD]
        ]
        circle = [wanted.text for wanted in self._seen.values()][:MOST_TOLD]
        if not reasons and len(circle) > 1:
            reasons = [f"none of {', '.join(circle)} is so {self._when}, and what makes one so needs one of them first"]
        elif not reasons and circle:
            reasons = [f"{circle[0]} is not so {self._when}, and what makes it so needs it first"]
        return f"{said}: {'; '.join(reasons)}" if reasons else said

    def _of_constraints(self) -> str:
        task, monitors = self._task, self._task.monitors
        wanted = {int(bit) for rows in task.goal for bit in rows.items}
        never = {b for b in wanted if not (self._relaxed.true[b] and self._relaxed.false[b])}
        numbers = sorted({int(monitors.constraint[u]) for u, bit in enumerate(monitors.bit.tolist()) if bit in never})
        named = [task.constraint_text(n) for n in numbers or range(len(task.problem.constraints))]
        return f"the goal can never become true under the constraints {', '.join(named[:MOST_TOLD])}" if named else ""

    def _is_users(self, formula: logic.Formula) -> bool:
        """Whether the formula is as the user wrote it, without auxiliary predicates of the normal form."""
        words = self._task.problem.normaliser.vocabulary.predicates
        named = (self._lifted.predicates[literal.predicate] for literal in logic.literals(formula))
        return all(self._task.problem.spell(name).lower() in words for name in named)

    # -- reasons ----------------------------------------------------------------------------------------------------

    def _blame(self, formula: logic.Formula, types: Types, binding: Binding, user: str) -> None:
        """Records why a formula can never become true; ``user``: its consequence."""
        match formula:
            case logic.Literal():
                self._want(formula, types, binding, user)
            case logic.And():
                bad = next((part for part in formula.parts if not self._can.meets([part], types, binding)), None)
                if bad is not None:
                    self._blame(bad, types, binding, user)
                    return
                ends = range(2, len(formula.parts) + 1)
                end = next((n for n in ends if not self._can.meets(formula.parts[:n], types, binding)), None)
                if end is not None:
                    self._blame_together(formula.parts[:end], types, binding, user)
            case logic.Or():
                for part in formula.parts:
                    self._blame(part, types, binding, user)
                if not formula.parts:
                    self._root("what it wants contradicts itself", user)
            case logic.Quantified():
                self._blame_quantified(formula, types, binding, user)
            case _:
                self._root(f"{self._text(formula, binding)} is never so", user)

    def _blame_together(self, parts: Sequence[logic.Formula], types: Types, binding: Binding, user: str) -> None:
        """Records why parts that can each become true cannot for the same objects. If one part leaves no choice of
        objects, records why the others cannot become true for those."""
        for part in parts:
            if isinstance(part, logic.Literal) and part.positive and logic.free_variables(part) - binding.keys():
                first, *others = itertools.islice(self._can.ways([part], types, binding), 2)
                if not others:
                    self._blame(logic.And(tuple(other for other in parts if other is not part)), types, first, user)
                    return
        said = " and ".join(self._text(part, binding) for part in parts)
        self._root(f"nothing makes {said} true together", user)

    def _blame_quantified(self, formula: logic.Quantified, types: Types, binding: Binding, user: str) -> None:
        inner = {**types, **dict(formula.variables)}
        if not formula.universal:
            if not self._empty(dict(formula.variables), user):
                self._blame(formula.body, inner, binding, user)
            return
        if logic.free_variables(formula) <= binding.keys():
            for choice in self._can.choices(formula, binding):
                if not self._can.meets([formula.body], inner, choice):
                    self._blame(formula.body, inner, choice, user)
                    return
        self._root(f"{self._text(formula, binding)} is never so", user)

    def _empty(self, types: Types, user: str) -> bool:
        """Records a variable's type that has no objects; whether there is one."""
        none = [self._type(t) for t in types.values() if not self._lifted.members[t]]
        if none:
            self._root(f"there is no {none[0]}", user)
        return bool(none)

    def _want(self, literal: logic.Literal, types: Types, binding: Binding, user: str) -> None:
        terms = tuple(t if t >= 0 else binding.get(-1 - t, t) for t in literal.terms)
        variables = tuple(dict.fromkeys((-1 - t, types[-1 - t]) for t in terms if t < 0))
        order = {-1 - v: -1 - i for i, (v, _) in enumerate(variables)}
        key = literal.predicate, literal.positive, tuple(order.get(t, t) for t in terms), tuple(t for _, t in variables)
        wanted = _Wanted(
            logic.Literal(literal.predicate, terms, literal.positive), variables, self._text(literal, binding)
        )
        if not any(True for _ in self._achievers(wanted)):
            self._root(self._never(wanted), user)
        elif key not in self._seen:
            self._seen[key] = wanted
            self._waiting.append(wanted)

    def _explain(self, wanted: _Wanted) -> None:
        """Records why the conditions of each achiever of a literal cannot be met."""
        for schema, effect, binding in self._achievers(wanted):
            types = {**dict(enumerate(schema.parameters)), **dict(effect.variables)}
            action = self._task.problem.tarski.actions.get(schema.name)
            self._names = {} if action is None else {i: str(v.symbol) for i, v in enumerate(action.parameters)}
            user = self._user(schema, wanted)
            if not self._empty({v: t for v, t in types.items() if v not in binding}, user):
                self._blame(logic.simplify(logic.And((schema.precondition, effect.condition))), types, binding, user)

    def _achievers(self, wanted: _Wanted) -> Iterator[tuple[Schema, Effect, dict[int, int]]]:
        """The actions and rules with an effect that achieves the literal, and the binding of their variables."""
        for schema in (*self._lifted.schemas, *self._lifted.rules):
            for effect in schema.effects:
                literal = effect.literal
                if (literal.predicate, literal.positive) != (wanted.literal.predicate, wanted.literal.positive):
                    continue
                types = {**dict(enumerate(schema.parameters)), **dict(effect.variables)}
                binding = self._can.bound(literal.terms, wanted.literal.terms, types, {})
                if binding is not None:
                    yield schema, effect, binding

    def _user(self, schema: Schema, wanted: _Wanted) -> str:
        problem = self._task.problem
        if schema in self._lifted.rules:
            return f"{wanted.text} never follows"
        name = problem.spell(problem.outcomes.get(schema.name, (schema.name, 1.0))[0])
        return f"no {name} makes {wanted.text} so" if schema.name in self._done else f"{name} can never be done"

    def _root(self, text: str, user: str) -> None:
        self._roots.setdefault(text, {}).update({user: None} if user else {})

    # -- as text ----------------------------------------------------------------------------------------------------

    def _never(self, wanted: _Wanted) -> str:
        """The message that a literal does not hold initially, and that nothing achieves it."""
        derived = wanted.literal.predicate in self._lifted.strata
        kinds = " and ".join(self._type(t) for _, t in wanted.types)
        atom = self._text(replace(wanted.literal, positive=True), {})
        if not self._is_users(wanted.literal):
            return "it contradicts itself, or wants objects of types that have none"
        if wanted.literal.positive:
            so = f"true of no {kinds}" if kinds else "false"
            return f"{atom} is {so} {self._when} and no {'rule derives' if derived else 'action adds'} it"
        if derived:
            return f"{atom} follows whatever is done"
        so = f"true of every {kinds}" if kinds else "true"
        return f"{atom} is {so} {self._when} and no action deletes it"

    def _type(self, number: int) -> str:
        return self._task.problem.spell(self._types[number])

    def _text(self, formula: logic.Formula, binding: Binding) -> str:
        text = self._written(formula, binding)
        return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} …"

    def _written(self, formula: logic.Formula, binding: Binding) -> str:
        """The formula as PDDL, in the user's spelling, with objects for bound variables."""
        spell = self._task.problem.spell

        def term(number: int) -> str:
            thing = number if number >= 0 else binding.get(-1 - number)
            return self._names.get(-1 - number, f"?x{-number}") if thing is None else spell(self._lifted.objects[thing])

        match formula:
            case logic.Literal():
                atom = f"({' '.join([spell(self._lifted.predicates[formula.predicate]), *map(term, formula.terms)])})"
            case logic.Equal():
                atom = f"(= {term(formula.left)} {term(formula.right)})"
            case logic.And() | logic.Or():
                word = "and" if isinstance(formula, logic.And) else "or"
                return f"({' '.join([word, *(self._written(part, binding) for part in formula.parts)])})"
            case _:
                variables = " ".join(f"{term(-1 - v)} - {self._type(t)}" for v, t in formula.variables)
                word = "forall" if formula.universal else "exists"
                return f"({word} ({variables}) {self._written(formula.body, binding)})"
        return atom if formula.positive else f"(not {atom})"
