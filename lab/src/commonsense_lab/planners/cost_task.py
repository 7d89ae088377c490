"""A belief compiled into action costs: a plain PDDL task for any classical planner that minimises costs.

Unknown facts become choices with costs, as in the all-outcomes determinisation (FF-Replan: Yoon, Fern and Givan 2007).
For each fact f that may be true there is an action ``assume--f``, applicable where the sensors would show f, once among
facts that exclude each other, at the cost

    round(1000 · -ln p(f)),        p: the agent's belief,

and each step of the task costs ``round(1000 · step_cost)``, times its cost if the task has costs. So a cheapest plan
maximises the probability of everything that it assumes, times exp(-step_cost) for each step: it looks first where the
thing is likely, unless the way there is long.

In the task only what the agent knows is true. An action that needs a hidden fact needs an assumption first; so does one
that needs it false (``not``, ``imply``, the condition of a conditional effect): facts ``undecided--P`` mark what is
unknown of the predicates of such facts, and ``assume-not--f`` costs -ln (1 - p). A fact that no sensor shows can be
assumed anywhere. Constraints are compiled away; a goal with ``or`` or ``exists`` becomes the precondition of an action
``finish``, since Fast Downward makes axioms of such goals, which its best heuristics do not support. The compilation of
the belief is exact if a fact of an exactly-one group is changed only by actions that need it known.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from commonsense_lab.planners.assumptions import Assumption, WayBack
from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pddl.conditions import TOTAL_COST, conjuncts, head_of
from commonsense_planning.pddl.nodes import Group, Node, Symbol, bracketed, fresh, layout, words
from commonsense_planning.pddl.syntax import parse
from commonsense_planning.planners.unconstrained import without_constraints
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.relevance import Relevance

SCALE = 1000  # units of cost of -ln p = 1


@dataclass(frozen=True)
class CostTask:
    """The texts of the two files, and the way back from plans."""

    domain: str
    problem: str
    way_back: WayBack


def cost_task(task: GroundTask, compiled: Compiled, belief: Belief, step_cost: float, likely: bool = False) -> CostTask:
    """Returns the task of an agent with this belief. Of the true world, it has only what the belief knows, without what
    cannot change the plan (``pomdp.relevance``). Each outcome by chance is an action, or only the ``likely`` one: the
    all-outcomes or the most-likely-outcome determinisation.

    Raises UsageError if hidden facts are correlated other than in exactly-one groups, actions observe, or a constraint
    is about earlier states.
    """
    if compiled.sensors.by_worlds:
        raise UsageError(
            "hidden facts are correlated (or, oneof with several facts) or actions observe: such a task is not exported"
        )
    remembering = next((c.operator for c in task.problem.constraints if c.operator.monitor.memory), None)
    if remembering is not None:
        raise UsageError(f"a constraint with '{remembering}' is about earlier states: such a task is not exported")
    if task.problem.normal_text is None:
        raise InputError("only a task that was read from files can be exported")
    return _Export(task, compiled, belief, step_cost, likely).made()


class _Export:
    """Makes one task."""

    def __init__(self, task: GroundTask, compiled: Compiled, belief: Belief, step_cost: float, likely: bool) -> None:
        self.task = task
        self.left_out = _unlikely(task.problem.outcomes) if likely else set()
        self.sensors = compiled.sensors
        self.belief = belief
        self.unit = round(SCALE * step_cost)
        problem = task.problem
        texts = without_constraints(problem).texts
        self.domain, self.problem = (parse(text).root for text in texts)
        self.taken = {*words(self.domain), *words(self.problem)}
        relevant = Relevance(task, compiled).of(belief.truth, belief.known).facts
        self.open = np.flatnonzero(self.sensors.hidden & ~belief.known & relevant).tolist()
        self.chances = belief.probabilities()
        self.groups_of: defaultdict[int, list[int]] = defaultdict(list)
        for group in range(len(self.sensors.groups)):
            for fact in self.sensors.groups.row(group).tolist():
                self.groups_of[fact].append(group)
        self.own_costs = problem.total_cost
        self.derived = {rule.atom.predicate.symbol for rule in problem.derived}
        self.hidden = {task.facts[f][0] for f in np.flatnonzero(self.sensors.hidden)}
        self.doubted = self._doubted()
        self.undecided = {name: fresh(f"undecided--{name}", self.taken) for name in sorted(self.doubted)}
        self.flags = {g: self._flag(g) for g in sorted({g for f in self.open for g in self.groups_of[f]})}
        self.assumptions: dict[str, Assumption] = {}
        (goal,) = (item.items[1] for item in self.problem.items if _is(item, ":goal"))
        self.goal = self._known(goal)
        several = {"or", "exists", "imply"} & {*words(self.goal)}
        self.finish = fresh("finish", self.taken) if several else None
        self.finished = bracketed(fresh("finished", self.taken))

    def made(self) -> CostTask:
        own = (new for item in self.domain.items for new in self._section(item))
        domain = Group((*own, *self._assuming()))
        if self.finish:
            ending = _ground_action(self.finish, self.goal, bracketed("and", self.finished))
            domain = Group((*domain.items, ending))
        sections = (self._problem_section(item) for item in self.problem.items if not _is(item, ":metric"))
        problem = Group((*sections, bracketed(":metric", "minimize", bracketed(TOTAL_COST))))
        way_back = WayBack(self.assumptions, dict(self.task.problem.original_names), self.finish)
        return CostTask(f"{layout(domain)}\n", f"{layout(problem)}\n", way_back)

    # what is wanted false

    def _doubted(self) -> set[str]:
        """Returns the hidden predicates of which facts must be known to be false, or are in no group."""
        found = {self.task.facts[f][0] for f in self.open if not self.groups_of[f]}
        unwanted = np.unique(self.sensors.when_not.items)
        found |= {self.task.facts[f][0] for f in unwanted[self.sensors.hidden[unwanted]]}
        for item in (*self.domain.items, *self.problem.items):
            if _is(item, ":goal"):
                found |= self._negative(item.items[1], False)
            if _is(item, ":action"):
                found |= self._negative(_value(item, ":precondition"), False)
                for condition, _ in _conditions(_value(item, ":effect")):
                    found |= self._mentioned(condition)
        return found

    def _negative(self, node: Node, negated: bool) -> set[str]:
        """Returns the hidden predicates that a condition, ``negated`` or not, needs false."""
        found: set[str] = set()

        def note(atom: Group, wanted_false: bool) -> Group:
            if wanted_false and atom.head in self.hidden:
                found.add(atom.head)
            return atom

        _over_atoms(node, negated, note)
        return found

    def _mentioned(self, condition: Node) -> set[str]:
        return self._negative(condition, True) | self._negative(condition, False)

    def _known(self, node: Node, negated: bool = False) -> Group:
        """Returns the condition that ``node`` is certainly true; if it is ``negated``, that it may be true."""

        def may_be(atom: Group, wanted_false: bool) -> Group:
            doubtful = wanted_false and atom.head in self.doubted
            return bracketed("or", atom, self._undecided(atom)) if doubtful else atom

        return _over_atoms(node, negated, may_be)

    def _undecided(self, atom: Group) -> Group:
        return Group((Symbol(self.undecided[atom.head]), *atom.items[1:]))

    # the task's own parts

    def _section(self, item: Node) -> Iterator[Node]:
        """Yields what replaces a section of the domain."""
        if _is(item, ":requirements"):
            yield bracketed(":requirements", ":adl", ":action-costs", *[":derived-predicates"] * bool(self.derived))
        elif _is(item, ":predicates"):
            shapes = [shape for shape in item.items[1:] if isinstance(shape, Group) and shape.head in self.undecided]
            flags = [bracketed(flag) for flag in self.flags.values()]
            yield Group((*item.items, *map(self._undecided, shapes), *flags, *[self.finished] * bool(self.finish)))
            if not self.own_costs:
                yield bracketed(":functions", bracketed(TOTAL_COST), "-", "number")
        elif _is(item, ":functions"):
            if self.own_costs:
                yield item
        elif _is(item, ":action"):
            if head_of(item.items[1]) not in self.left_out:
                yield self._action(item)
        else:
            yield item

    def _action(self, action: Group) -> Group:
        effect = _value(action, ":effect")
        assert isinstance(effect, Group)
        precondition = [self._known(_value(action, ":precondition"))]
        for condition, variables in _conditions(effect):
            if self._mentioned(condition):
                certain = bracketed("or", self._known(condition), bracketed("not", self._known(condition, True)))
                precondition.append(bracketed("forall", variables, certain) if variables.items else certain)
        effects = [part for item in effect.items[1:] for part in self._effect(item)]
        if not self.own_costs:
            effects.append(_cost(self.unit))
        new = {":precondition": _all(precondition), ":effect": bracketed("and", *effects)}
        items = list(action.items)
        for keyword, value in new.items():
            items[items.index(Symbol(keyword)) + 1] = value
        return Group(tuple(items))

    def _effect(self, effect: Node) -> Iterator[Group]:
        """Yields the effect, with its cost scaled, and that what it changes is decided."""
        assert isinstance(effect, Group)
        if effect.head == "increase":
            if self.own_costs:
                yield Group((*effect.items[:2], self._scaled(effect.items[2])))
            return
        yield effect
        inner, around = effect, []
        while inner.head in ("forall", "when"):
            around.append(inner.items[:2])
            inner = inner.items[2]  # type: ignore[assignment]
        atom = inner.items[1] if inner.head == "not" else inner
        if isinstance(atom, Group) and atom.head in self.doubted:
            decided = bracketed("not", self._undecided(atom))
            for head in reversed(around):
                decided = Group((*head, decided))
            yield decided

    def _scaled(self, amount: Node) -> Node:
        return Symbol(str(round(float(amount.text) * self.unit))) if isinstance(amount, Symbol) else amount

    def _problem_section(self, item: Node) -> Node:
        if _is(item, ":init"):
            return Group((item.items[0], *self._init(item.items[1:])))
        if _is(item, ":goal"):
            return Group((item.items[0], self.finished if self.finish else self.goal))
        return item

    def _init(self, atoms: Iterable[Node]) -> Iterator[Group]:
        """Yields static facts, what the agent knows, and what is open."""
        dynamic = {self._atom(f) for f in range(self.task.fact_count)}
        yield bracketed("=", bracketed(TOTAL_COST), "0")
        for atom in atoms:
            assert isinstance(atom, Group)
            if atom.head == "=":
                if self.own_costs and atom.items[1] != bracketed(TOTAL_COST):
                    yield Group((*atom.items[:2], self._scaled(atom.items[2])))
            elif atom not in dynamic:
                yield atom
        true = map(self._atom, np.flatnonzero(self.belief.truth[: self.task.fact_count]).tolist())
        yield from (atom for atom in true if atom.head not in self.derived)
        yield from (bracketed(flag) for flag in self.flags.values())
        yield from (self._undecided(atom) for f in self.open if (atom := self._atom(f)).head in self.doubted)

    # what may be assumed

    def _assuming(self) -> Iterator[Group]:
        """Yields an action for each fact that may be true, and for each that must be known to be false."""
        shown = self._shown()
        for fact in self.open:
            p = float(self.chances[fact])
            atom, groups = self._atom(fact), self.groups_of[fact]
            name = "--".join(words(atom))
            in_doubt = [self._undecided(atom)] if atom.head in self.doubted else []
            still = [*in_doubt, *(bracketed(self.flags[g]) for g in groups)]
            if p > 0:
                others = {f for g in groups for f in self.sensors.groups.row(g).tolist()} & {*self.open}
                decided = [self._undecided(a) for f in sorted(others) if (a := self._atom(f)).head in self.doubted]
                closed = [bracketed("not", item) for item in dict.fromkeys([*still, *decided])]
                yield self._assume(f"assume--{name}", fact, True, p, [*still, *shown[fact]], [atom, *closed])
            if in_doubt and p < 1:
                closed = [bracketed("not", item) for item in in_doubt]
                yield self._assume(f"assume-not--{name}", fact, False, 1 - p, [*still, *shown[fact]], closed)

    def _assume(
        self, name: str, fact: int, holds: bool, p: float, precondition: list[Group], effects: list[Group]
    ) -> Group:
        name = fresh(name, self.taken)
        self.assumptions[name] = Assumption(str(self.task.fact_step(fact)), holds, p)
        return _ground_action(name, _all(precondition), bracketed("and", *effects, _cost(round(-SCALE * math.log(p)))))

    def _shown(self) -> dict[int, list[Group]]:
        """Returns fact → the condition under which the sensors show it; none for what they never show."""
        ways: dict[int, list[Group]] = {fact: [] for fact in self.open}
        for rule in range(len(self.sensors.when)):
            wanted = [self._atom(f) for f in self.sensors.when.row(rule).tolist()]
            unwanted = [self._known(bracketed("not", self._atom(f))) for f in self.sensors.when_not.row(rule).tolist()]
            for fact in self.sensors.seen.row(rule).tolist():
                if fact in ways:
                    ways[fact].append(_all([*wanted, *unwanted]))
        return {
            fact: conditions if len(conditions) < 2 else [bracketed("or", *conditions)]
            for fact, conditions in ways.items()
        }

    def _flag(self, group: int) -> str:
        """Returns a name for the fact that nothing of a group is assumed yet, by the objects that its facts share."""
        members = [self.task.facts[f][1] for f in self.sensors.groups.row(group).tolist()]
        shared = [self.task.objects[o] for o in members[0] if all(o in arguments for arguments in members)]
        return fresh("--".join(["open", *shared] if shared else ["open", str(group)]), self.taken)

    def _atom(self, fact: int) -> Group:
        predicate, arguments = self.task.facts[fact]
        return bracketed(predicate, *(self.task.objects[a] for a in arguments))


def _cost(units: int) -> Group:
    return bracketed("increase", bracketed(TOTAL_COST), str(max(0, units)))


def _all(conditions: Iterable[Group]) -> Group:
    """Returns the conjunction, with no ``and`` inside another."""
    return bracketed("and", *(part for condition in conditions for part in conjuncts(condition)))


def _ground_action(name: str, precondition: Group, effect: Group) -> Group:
    return bracketed(":action", name, ":parameters", Group(()), ":precondition", precondition, ":effect", effect)


def _is(node: Node, head: str) -> TypeGuard[Group]:
    return isinstance(node, Group) and node.head == head


def _value(action: Group, keyword: str) -> Node:
    return action.items[action.items.index(Symbol(keyword)) + 1]


def _over_atoms(node: Node, negated: bool, change: Callable[[Group, bool], Group]) -> Group:
    """Returns a condition in normal form with each atom changed. ``change`` gets whether the atom is negated at its
    place; ``negated``: the whole condition is."""
    assert isinstance(node, Group)
    match node.head:
        case "not":
            return bracketed("not", _over_atoms(node.items[1], not negated, change))
        case "imply":
            condition, then = node.items[1:]
            return bracketed("imply", _over_atoms(condition, not negated, change), _over_atoms(then, negated, change))
        case "and" | "or":
            return bracketed(node.items[0], *(_over_atoms(item, negated, change) for item in node.items[1:]))
        case "exists" | "forall":
            return bracketed(*node.items[:2], _over_atoms(node.items[2], negated, change))
        case "=":
            return node
    return change(node, negated)


def _conditions(effect: Node) -> Iterator[tuple[Group, Group]]:
    """Yields the conditions of an action's conditional effects in normal form, and the variables of each."""
    assert isinstance(effect, Group)
    for item in effect.items[1:]:
        variables: Node = Group(())
        if _is(item, "forall"):
            variables, item = item.items[1:]
        if _is(item, "when"):
            assert isinstance(variables, Group) and isinstance(item.items[1], Group)
            yield item.items[1], variables


def _unlikely(outcomes: Mapping[str, tuple[str, float]]) -> set[str]:
    """The ``Problem.outcomes`` that are not the likeliest of their action; without them remains the most-likely-outcome
    determinisation. Of equally likely ones the first remains."""
    best: dict[str, tuple[float, str]] = {}
    for name, (action, chance) in outcomes.items():
        if chance > best.get(action, (0.0, ""))[0]:
            best[action] = chance, name
    return set(outcomes).difference(name for _, name in best.values())
