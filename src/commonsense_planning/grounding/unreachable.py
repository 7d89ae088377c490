"""Why there is no plan, by the delete relaxation: the parts of the goal that can never become true, and the conditions
at the start of the chain of reasons.

A condition starts a chain if nothing achieves it, or if everything that achieves it needs it first. A goal that the
relaxation reaches may still need facts that never hold together (``exclusive.py``); if only a search can show that, the
answer is empty.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from commonsense_planning.grounding import lifted as logic
from commonsense_planning.grounding.attainable import Attainable, Binding, Relaxed, TooMuch, Types, met, relax
from commonsense_planning.grounding.causes import (
    MOST_TOLD,
    Cause,
    Condition,
    Link,
    Needs,
    Way,
    Why,
    achieved,
    behind,
    measure,
    needing,
    simplest,
)
from commonsense_planning.grounding.exclusive import excluded, exclusive_facts, exclusive_goals
from commonsense_planning.grounding.formula_text import RULE, FormulaText
from commonsense_planning.grounding.ground_task import Bits, GroundTask
from commonsense_planning.grounding.lifted import Effect, Schema, lift
from commonsense_planning.grounding.repairs import Repairs
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.repair import Repair
from commonsense_planning.support.english import counted, listed

MOST_LINES = 5  # of a chain
MOST_CHOICES = 3  # of objects that are looked at one by one
MOST_CONDITIONS = 1_000  # that are looked at

NOTHING_TO_DO = "nothing to do: the goal holds from the start"


def unreachable(
    task: GroundTask,
    true: Bits | None = None,
    false: Bits | None = None,
    when: str = "at first",
    mutex: Bits | None = None,
) -> Why:
    """Why the goal can never hold; empty if no reason is found. ``true``, ``false`` bool (facts,): the facts that may
    hold initially, and those that may not, by default as in the initial state. ``when``: the phrase for that time.
    ``mutex`` bool (facts, facts): the facts that are never true together, as far as that is known."""
    violated = met(task.failure.pos, task.failure.neg, task.init, ~task.init)
    if true is None and violated.any():
        return Why(f"{task.constraint(int(violated.argmax()))} is violated from the start")
    true = task.init if true is None else true
    possible = None if mutex is None else ~excluded(task.operators.pre, mutex)
    relaxed = relax(task, true, ~true if false is None else false, possible)
    reached = met(task.goal.pos, task.goal.neg, relaxed.true, relaxed.false)
    together = reached if mutex is None else reached & ~excluded(task.goal.pos, mutex)
    if together.any() or (mutex is not None and reached.all() and len(reached) == 1):
        if mutex is None or together.any():
            said = exclusive_goals(lift(task.problem))
        else:
            said = exclusive_facts(task, task.goal.pos.row(0), mutex)
        return Why(said, repairs=lambda: _Reasons(task, relaxed, when, mutex).repairs())
    return _Reasons(task, relaxed, when, mutex).why()


def exhausted(problem: Problem, states: int | None) -> str:
    """The conclusion from an exhausted search where ``unreachable`` finds no reason. ``states``: the number of states
    expanded, if known."""
    which = "the only state" if states == 1 else f"all {counted(states, 'state') if states else 'states'}"
    allowed = " without violating a constraint" if problem.constraints else ""
    tried = f"search has tried {which} from which the goal might be reached"
    return f"no single condition is to blame; {tried}{allowed}"


class _Reasons:
    """The search backwards from the goal, through the conditions of its achievers, for conditions that nothing
    achieves, or that are needed first by everything that achieves them."""

    def __init__(self, task: GroundTask, relaxed: Relaxed, when: str, mutex: Bits | None) -> None:
        self._task, self._relaxed, self._when = task, relaxed, when
        self._lifted = lift(task.problem)
        self._can = Attainable(self._lifted, task, relaxed, mutex)
        self._words = FormulaText(self._lifted)
        done = np.unique(task.schema[relaxed.done]).tolist()
        self._done = {
            self._words.action(schema)
            for schema in self._lifted.schemas
            if schema.name in {task.schemas[n] for n in done}
        }
        self._found: dict[object, Condition] = {}
        self._waiting: list[Condition] = []
        self._near: dict[Condition, None] = {}  # the causes, and the conditions that need them

    def repairs(self) -> Iterator[Repair]:
        """The changes of the task that may make a plan possible."""
        found = Repairs(self._lifted, self._can, self._words, self._done)
        yield from found.of([*self._near])
        yield from found.everything()

    def why(self) -> Why:
        """All reasons found."""
        said, goals = "the goal can never become true", []
        try:
            parts = [part for part in logic.conjuncts(self._lifted.goal) if not self._can.meets([part], {}, {})]
            if not parts:
                together = Why(exclusive_goals(self._lifted) or self._of_constraints())
                return together or Why(said)
            if self._words.are_users(parts[0]):
                named = [self._words.of(part, {}) for part in parts[:MOST_TOLD]]
                more = f" and {len(parts) - MOST_TOLD} more" if len(parts) > MOST_TOLD else ""
                said = f"{', '.join(named)}{more} of the goal can never become true"
            goals = [self._blame(part, {}, {}) for part in parts]
            while self._waiting:
                self._explain(self._waiting.pop(0))
        except TooMuch:
            return Why(said, repairs=self.repairs)
        conditions = [*self._found.values()]
        measure(conditions)
        for condition in conditions:
            for way in condition.ways:
                condition.chosen.setdefault(simplest(way.reasons), []).append(way.name)
        causes = tuple(self._causes([simplest(reasons) for reasons in goals]))  # fills _near
        return Why(said, causes, tuple(condition.link for condition in conditions), self.repairs)

    def _of_constraints(self) -> str:
        task, monitors = self._task, self._task.monitors
        wanted = {int(bit) for rows in task.goal for bit in rows.items}
        never = {b for b in wanted if not (self._relaxed.true[b] and self._relaxed.false[b])}
        numbers = sorted({int(monitors.constraint[u]) for u, bit in enumerate(monitors.bit.tolist()) if bit in never})
        named = [task.constraint_text(n) for n in numbers or range(len(task.problem.constraints))]
        return f"the goal can never become true under the constraints {', '.join(named[:MOST_TOLD])}" if named else ""

    # -- conditions that never hold ---------------------------------------------------------------------------------

    def _blame(self, formula: logic.Formula, types: Types, binding: Binding) -> list[Needs]:
        """The alternative reasons why a formula can never become true."""
        match formula:
            case logic.Literal():
                return [(self._want(formula, types, binding),)]
            case logic.And():
                for part in (p for p in formula.parts if isinstance(p, logic.Literal) and p.positive):
                    both = logic.And((part, replace(part, positive=False)))
                    if both.parts[1] in formula.parts:
                        text = self._words.of(part, {})
                        return [(self._leaf(both, types, {}, f"{text} and (not {text}) contradict each other"),)]
                bad = [part for part in formula.parts if not self._can.meets([part], types, binding)]
                if bad:
                    return [needs for part in bad for needs in self._blame(part, types, binding)]
                return self._blame_together(formula.parts, types, binding)
            case logic.Or():
                if not formula.parts:
                    return [(self._leaf(formula, types, binding, "what it wants contradicts itself"),)]
                every = (self._blame(part, types, binding)[0] for part in formula.parts)
                return [tuple(dict.fromkeys(itertools.chain.from_iterable(every)))]
            case logic.Quantified():
                return self._blame_quantified(formula, types, binding)
        return [(self._leaf(formula, types, binding, f"{self._words.of(formula, binding)} is never so"),)]

    def _blame_together(self, parts: Sequence[logic.Formula], types: Types, binding: Binding) -> list[Needs]:
        """The reasons why parts that can each become true cannot for the same objects. If one part leaves few
        choices of objects, the reasons why the others cannot become true for those."""
        kept = [*parts]
        for part in parts:
            fewer = [other for other in kept if other is not part]
            if not self._can.meets(fewer, types, binding):
                kept = fewer
        fluent, literals = self._lifted.fluent, [part for part in parts if isinstance(part, logic.Literal)]
        fixed = [part for part in literals if part.predicate not in fluent]
        reasons: list[tuple[int, Needs]] = []
        for part in (part for part in kept if isinstance(part, logic.Literal) and part.positive):
            free = sorted(logic.free_variables(part) - binding.keys())
            choices: dict[tuple[int, ...], Binding] = {}
            for found in self._can.ways([part, *fixed], types, binding) if free else ():
                choices.setdefault(tuple(found[v] for v in free), {**binding, **{v: found[v] for v in free}})
                if len(choices) > MOST_CHOICES:
                    break
            rest = logic.simplify(logic.And(tuple(other for other in kept if other is not part)))
            fail = not any(self._can.meets([rest], types, choice) for choice in choices.values())
            if 0 < len(choices) <= MOST_CHOICES and fail:
                every = (self._blame(rest, types, choice)[0] for choice in choices.values())
                reasons.append((len(choices), tuple(dict.fromkeys(itertools.chain.from_iterable(every)))))
        if reasons:
            fewest = min(count for count, _ in reasons)
            return [needs for count, needs in reasons if count == fewest]
        said = f"nothing makes {' and '.join(self._words.of(part, binding) for part in kept)} true together"
        return [(self._leaf(logic.And(tuple(kept)), types, binding, said),)]

    def _blame_quantified(self, formula: logic.Quantified, types: Types, binding: Binding) -> list[Needs]:
        inner = {**types, **dict(formula.variables)}
        if not formula.universal:
            return self._empty(dict(formula.variables)) or self._blame(formula.body, inner, binding)
        if logic.free_variables(formula) <= binding.keys():
            for choice in self._can.choices(formula, binding):
                if not self._can.meets([formula.body], inner, choice):
                    return self._blame(formula.body, inner, choice)
        return [(self._leaf(formula, types, binding, f"{self._words.of(formula, binding)} is never so"),)]

    def _empty(self, types: Types) -> list[Needs]:
        """The reason that a variable's type has no objects, if so."""
        none = [t for t in types.values() if not self._lifted.members[t]]
        if not none:
            return []
        said = f"there is no {self._words.type(none[0])}"
        link = Link(logic.FALSE, ((0, none[0]),), said)
        return [(self._found.setdefault(said, Condition(link, said, len(self._found))),)]

    def _leaf(self, formula: logic.Formula, types: Types, binding: Binding, fault: str) -> Condition:
        free = logic.free_variables(formula)
        kept = tuple((v, t) for v, t in types.items() if v in free and v not in binding)
        link = Link(logic.substitute(formula, dict(binding)), kept, self._words.of(formula, binding) if free else fault)
        return self._found.setdefault(fault, Condition(link, fault, len(self._found)))

    def _want(self, literal: logic.Literal, types: Types, binding: Binding) -> Condition:
        terms = tuple(t if t >= 0 else binding.get(-1 - t, t) for t in literal.terms)
        variables = tuple(dict.fromkeys((-1 - t, types[-1 - t]) for t in terms if t < 0))
        order = {-1 - v: -1 - i for i, (v, _) in enumerate(variables)}
        key = literal.predicate, literal.positive, tuple(order.get(t, t) for t in terms), tuple(t for _, t in variables)
        if key in self._found:
            return self._found[key]
        wanted = replace(literal, terms=terms)
        condition = Condition(Link(wanted, variables, self._words.of(literal, binding)), "", len(self._found))
        if not any(True for _ in self._achievers(condition)):
            condition.fault = self._never(condition)
            told = {predicate for predicate, _ in self._lifted.init}
            condition.is_kind = len(terms) == 1 and not variables and literal.positive and literal.predicate in told
        else:
            self._waiting.append(condition)
        self._found[key] = condition
        if len(self._found) > MOST_CONDITIONS:
            raise TooMuch
        return condition

    def _explain(self, condition: Condition) -> None:
        """Finds the reasons why each achiever of a literal cannot achieve it."""
        names: dict[str, None] = {}
        for schema, effect, types, binding in self._achievers(condition):
            self._words.within(schema)
            wanted = logic.simplify(logic.And((schema.precondition, effect.condition)))
            empty = self._empty({v: t for v, t in types.items() if v not in binding})
            if not empty and self._can.meets([wanted], types, binding):
                raise TooMuch  # the relaxation of the lifted task is weaker, and knows no reason
            reasons = empty or self._blame(wanted, types, binding)
            condition.ways.append(Way(schema, wanted, types, binding, self._words.action(schema), reasons))
            names[self._words.action(schema)] = None
        condition.link = replace(condition.link, actions=tuple(names))

    def _achievers(self, condition: Condition) -> Iterator[tuple[Schema, Effect, Types, Binding]]:
        """The actions and rules with an effect that achieves the literal, the types of their variables, as far as it
        narrows them, and the objects that it binds them to."""
        wanted, kinds = condition.link.condition, dict(condition.link.types)
        assert isinstance(wanted, logic.Literal)
        for schema in (*self._lifted.schemas, *self._lifted.rules):
            for effect in schema.effects:
                literal = effect.literal
                if (literal.predicate, literal.positive) != (wanted.predicate, wanted.positive):
                    continue
                types = {**dict(enumerate(schema.parameters)), **dict(effect.variables)}
                binding = self._can.bound(literal.terms, wanted.terms, types, {})
                pairs = [*zip(literal.terms, wanted.terms, strict=True)]
                if binding is not None and all(self._narrow(types, *pair, kinds) for pair in pairs):
                    yield schema, effect, types, binding

    def _narrow(self, types: dict[int, int], term: int, wanted: int, kinds: Types) -> bool:
        """Narrows the type of an achiever's term to that of the ``wanted`` variable, one of ``kinds``, where it can;
        whether any object is left."""
        if wanted >= 0:
            return True
        kind = kinds[-1 - wanted]
        allowed, given = (
            {*self._lifted.members[kind]},
            {term} if term >= 0 else {*self._lifted.members[types[-1 - term]]},
        )
        if term < 0 and allowed < given:
            types[-1 - term] = kind
        return bool(allowed & given) or not given

    # -- causes -----------------------------------------------------------------------------------------------------

    def _causes(self, goals: Sequence[Needs]) -> Iterator[Cause]:
        """The starts of the chains, the one with the shortest chain first."""
        came: dict[Condition, Condition | None] = dict.fromkeys(itertools.chain.from_iterable(goals))
        order = [*came]
        for condition in order:  # breadth first: grows
            for needed in (c for needs in condition.chosen for c in needs if c not in came):
                came[needed] = condition
                order.append(needed)
        deeper = {condition: behind(condition) for condition in order}
        order.sort(key=lambda condition: condition.is_kind)  # that a parcel is no truck is seldom the cause
        told: set[Condition] = set()
        for condition in (c for c in order if c not in told):
            circle = deeper[condition]
            if condition.fault:
                yield self._cause(condition, f"{condition.fault}{self._so(condition, order)}", came)
            elif all(condition in deeper[other] for other in circle):
                told |= circle
                start, *others = sorted(circle, key=self._rank)
                self._near.update(dict.fromkeys((start, *others)))
                yield self._cause(start, self._circle(start, circle), came)

    def _rank(self, condition: Condition) -> tuple[int, bool, int]:
        """The order in which one condition of a circle is told as its cause: one with few terms, of a predicate that
        something has initially."""
        told = {literal.predicate for literal in logic.literals(condition.link.condition)}
        return condition.breadth, told.isdisjoint(predicate for predicate, _ in self._lifted.init), condition.order

    def _cause(self, start: Condition, text: str, came: Mapping[Condition, Condition | None]) -> Cause:
        chain, before = [start], came[start]
        while before is not None:
            chain.append(before)
            before = came[before]
        self._near.update(dict.fromkeys(chain))
        chain.reverse()
        lines = [needing(*pair) for pair in itertools.pairwise(chain)]
        if len(lines) >= MOST_LINES:
            lines = [*lines[: MOST_LINES - 3], f"… {counted(len(lines) - MOST_LINES + 2, 'further step')}", lines[-1]]
        return Cause(text, tuple(condition.link for condition in chain), (*lines, text))

    def _so(self, condition: Condition, order: Iterable[Condition]) -> str:
        """The immediate consequences of a fault."""
        users: dict[str, None] = {}
        for other in order:
            for name in (name for needs, names in other.chosen.items() if condition in needs for name in names):
                if name.startswith(RULE):
                    users[f"{other.link.text} never follows"] = None
                else:
                    done = name in self._done
                    users[f"no {name} makes {other.link.text} so" if done else f"{name} can never be done"] = None
        return f", so {', '.join([*users][:MOST_TOLD])}" if users else ""

    def _circle(self, start: Condition, circle: set[Condition]) -> str:
        """The message that everything that achieves a condition needs it first."""
        text, told, waiting = f"{self._at_first(start)}; {achieved(start)}", {start}, [start]
        while waiting and len(told) < MOST_LINES:
            for needed in itertools.chain.from_iterable(waiting.pop(0).chosen):
                if needed in circle and needed not in told:
                    told.add(needed)
                    waiting.append(needed)
                    text += f"; {achieved(needed, named=True)}"
        return text

    # -- as text ----------------------------------------------------------------------------------------------------

    def _at_first(self, condition: Condition) -> str:
        """The message that a literal does not hold initially."""
        literal = condition.link.condition
        assert isinstance(literal, logic.Literal)
        kinds = listed([self._words.type(t) for _, t in condition.link.types])
        atom = condition.atom
        if literal.positive:
            return f"{atom} is {f'true of no {kinds}' if kinds else 'false'} {self._when}"
        return f"{atom} is {f'true of every {kinds}' if kinds else 'true'} {self._when}"

    def _never(self, condition: Condition) -> str:
        """The message that a literal does not hold initially, and that nothing achieves it."""
        literal = condition.link.condition
        assert isinstance(literal, logic.Literal)
        derived = literal.predicate in self._lifted.strata
        if not self._words.are_users(literal):
            return "it contradicts itself, or wants objects of types that have none"
        if literal.positive:
            return f"{self._at_first(condition)} and no {'rule derives' if derived else 'action adds'} it"
        if derived:
            return f"{condition.atom} follows whatever is done"
        return f"{self._at_first(condition)} and no action deletes it"
