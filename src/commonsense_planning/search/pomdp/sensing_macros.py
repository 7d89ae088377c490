"""Sensing macros: what there is to find out, plans to get there, and the observations on the way.

A *sensing macro* is a plan that ends in an observation: it makes the condition of a sensing rule of the task (``:sense
… :when``) true, so that the rule shows whether certain hidden facts are true. In a household, examples are to enter a
room or to open a fridge. Nothing here is specific to rooms or fridges: any task with sensors has sensing macros.

The *relevant* groups are those without which the goal is out of reach under the delete relaxation. Their facts are
divided into *observation classes*: facts that the same rules show. So, for sensing, a world is one observation class
for each relevant group.

A sensing rule may also depend on hidden facts: a cupboard must be opened, and its room is unknown. Groups that are not
relevant, but that macros depend on, are *assumed*: plans use their most likely values (determinisation, as in
FF-Replan; Yoon, Fern and Givan 2007). An observation that contradicts them is a surprise, and leads to new plans.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from commonsense_planning.grounding.ground_task import Goal, GroundTask, Int32, lists_of, owners_of
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.kernels.sensing_rollout import MOST_OBSERVATIONS, TravelCosts
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.search.classical.subgoals import SubgoalPlanner
from commonsense_planning.state import FactSet, State, StateView, fact_set, facts_in, state_of
from commonsense_planning.support.english import counted

MOST_GOALS = 32  # disjuncts of a goal that are planned for
MOST_RELEVANT = 62  # relevant groups: one bit each


@dataclass(frozen=True)
class Macro:
    """A plan that ends in an observation. ``observations``: (number of operators carried out, observation class seen
    then), in this order; ``end``: the state there, in which unknown facts are false."""

    operators: tuple[int, ...]
    observations: tuple[tuple[int, int], ...]
    end: State


class SensingMacros:
    """The sensing macros of a task, one for each of its ``count`` sensing rules.

    ``relevant``: the groups that some disjunct of the goal needs, at most MOST_RELEVANT; ``needed``: int64
    (disjuncts,), the groups that each disjunct needs, as bits in the order of ``relevant``. ``class_of``: int32
    (facts,), the observation class of each fact of a relevant group, -1 for all other facts. ``rule_of``: int32
    (classes,), the first rule that shows a class. ``goal_facts``: those that the disjuncts want true. ``farthest``: the
    length of the longest macro from the initial belief. ``blur``: float64 (classes,), the probability that a look at a
    class shows nothing (``kernels.sensing_rollout``): 0 for sensors that do not err.
    """

    def __init__(self, task: GroundTask, compiled: Compiled, belief: Belief) -> None:
        self.task = task
        self.compiled = compiled
        self.belief = belief
        sensors, goal = compiled.sensors, task.goal
        self.count = len(sensors.when)
        self._goals = range(self.count, self.count + min(len(goal.pos), MOST_GOALS))
        self.goal_facts = np.unique(goal.pos.items)
        rules, goals = range(self.count), range(len(self._goals))
        positive = [*map(sensors.when.row, rules), *map(goal.pos.row, goals), *self.goal_facts.reshape(-1, 1)]
        nothing = self.goal_facts[:0]
        negative = [*map(sensors.when_not.row, rules), *map(goal.neg.row, goals), *(nothing for _ in self.goal_facts)]
        self._subgoals = SubgoalPlanner(task, compiled, Goal(lists_of(positive), lists_of(negative)))
        needs = [self._needs(d) for d in self._goals]
        self.relevant = sorted(set().union(*needs))[:MOST_RELEVANT]
        self.needed = np.array([sum(1 << i for i, g in enumerate(self.relevant) if g in n) for n in needs], np.int64)
        members = [self._facts_of([g]) for g in self.relevant]
        self._members = np.array(members, np.uint64).reshape(-1, len(self._facts_of([])))
        self._bits = 1 << np.arange(len(self.relevant), dtype=np.int64)
        self._find_classes()
        self._matrices: dict[bytes, TravelCostMatrix] = {}
        self._plans: dict[tuple[int, bytes], tuple[int, ...]] = {}
        self._classes: dict[bytes, list[int]] = {}
        self._hidden = fact_set(compiled, sensors.hidden)
        self._assumed = self._facts_of(self._find_assumed())
        self._plain: FactSet = ~self._hidden | self._assumed
        self._goal_set = self._set_of(self.goal_facts)
        self._failure_facts = self._set_of(task.failure.pos.items, task.failure.neg.items)
        # plans take them for false where they are not known
        self._unwanted = self._set_of(task.goal.neg.items, task.operators.npre.items) & self._hidden
        self._changes = np.zeros_like(self._hidden)  # by sensing macros
        self.farthest = 0
        here = self.here()
        for macro in self.macros(here):
            if macro is not None:
                self._changes |= self._view(macro.end).true ^ self._view(here).true
                self.farthest = max(self.farthest, len(macro.operators))

    def _needs(self, disjunct: int) -> set[int]:
        """The groups without which a disjunct of the goal is out of reach, although all others are as they most likely
        are. A group that it needs only because of another one's value, such as the cupboard that the apple is most
        likely in, does not count."""
        needs: list[set[int]] = []
        for world in (self.belief.most_likely(), self.belief.most_likely(1)):
            if self._subgoals.reachable(world, disjunct):
                groups = range(len(self.compiled.sensors.groups))
                needs.append({g for g in groups if not self._subgoals.reachable(self._without(world, [g]), disjunct)})
        unwanted, members = self.task.goal.neg.row(disjunct - self.count), self.compiled.sensors.groups
        wanted = [g for g in range(len(members)) if np.isin(members.row(g), unwanted).any()]  # is it really elsewhere?
        return set.intersection(*needs).union(wanted) if needs else set()

    def needs_of_part(self, part: int) -> list[int]:
        """The relevant groups, by their positions in ``relevant``, without which a fact of the goal is out of reach."""
        world, goal = self.belief.most_likely(), self._goals.stop + part
        return [i for i, g in enumerate(self.relevant) if not self._subgoals.reachable(self._without(world, [g]), goal)]

    def _find_assumed(self) -> set[int]:
        """Groups that are not relevant, but that macros depend on, such as the room of a cupboard: as few as necessary
        for the rules that are reachable in the most likely world."""
        world, assumed = self.belief.most_likely(), set[int]()
        others = set(range(len(self.compiled.sensors.groups))) - set(self.relevant)
        for rule in range(self.count):
            if not self._shows[rule] or not self._subgoals.reachable(world, rule):
                continue
            absent = others - assumed
            if self._subgoals.reachable(self._without(world, absent), rule):
                continue
            absent = set[int]()
            for g in sorted(others - assumed):
                if self._subgoals.reachable(self._without(world, absent | {g}), rule):
                    absent.add(g)
            assumed |= others - absent
        return assumed

    def _without(self, state: State, groups: Iterable[int]) -> State:
        """The state with these groups' facts false and unknown."""
        there, gone = self._view(state), self._facts_of(groups)
        return state_of(self.compiled, there.true & ~gone, there.known & ~gone)

    def _view(self, state: State) -> StateView:
        return StateView(self.compiled, state)

    def _facts_of(self, groups: Iterable[int]) -> FactSet:
        """The facts of these groups."""
        return self._set_of(*map(self.compiled.sensors.groups.row, groups))

    def _set_of(self, *parts: Int32 | list[int]) -> FactSet:
        """All facts of some ``parts`` as a set."""
        marked = np.zeros_like(self.compiled.sensors.hidden)
        for facts in parts:
            marked[facts] = True
        return fact_set(self.compiled, marked)

    def _find_classes(self) -> None:
        sensors = self.compiled.sensors
        self._mask = self._facts_of(self.relevant)
        relevant = set(facts_in(self._mask).tolist())
        shown_by: dict[int, list[int]] = {}
        for rule, fact in zip(*map(np.ndarray.tolist, owners_of(sensors.seen)), strict=True):
            if fact in relevant:
                shown_by.setdefault(fact, []).append(rule)
        classes: dict[tuple[int, ...], int] = {}
        self.class_of = np.full(len(sensors.hidden), -1, np.int32)
        for fact, rules in shown_by.items():
            self.class_of[fact] = classes.setdefault(tuple(rules), len(classes))
        self.rule_of = np.array([rules[0] for rules in classes], np.int32)
        self._shows = [{c for rules, c in classes.items() if rule in rules} for rule in range(self.count)]
        facts = np.flatnonzero(self.class_of >= 0).astype(np.int32)
        false_alarm, hit = self.belief.sensing.shown_true(None, facts)
        erring = np.bincount(self.class_of[facts], np.minimum(1.0, false_alarm + (1 - hit)), len(classes))
        self.blur = erring / np.maximum(1, np.bincount(self.class_of[facts], minlength=len(classes)))
        self.errs = bool(self.blur.any())
        self._blurred = self._set_of(facts[self.blur[self.class_of[facts]] > 0])

    @property
    def most_parts(self) -> int:
        """The number of facts that the longest disjunct of the goal wants true."""
        goal = self.task.goal.pos
        return int((goal.end - goal.start).max(initial=0))

    @property
    def classes(self) -> int:
        """The number of observation classes."""
        return len(self.rule_of)

    def shown_by(self, rule: int) -> set[int]:
        """The observation classes that a rule shows."""
        return self._shows[rule]

    def here(self) -> State:
        """The current knowledge, as a state in which unknown facts are false. But facts in constraints have their most
        likely values, so that plans avoid violations, and so have facts that macros depend on, so that plans to them
        exist."""
        now, likely = self._view(self.belief.state()), self._view(self.belief.most_likely())
        return state_of(self.compiled, now.true & now.known | likely.true & self._taken_for_granted(now), now.known)

    def _taken_for_granted(self, now: StateView) -> FactSet:
        return (~self._mask & self._failure_facts | self._assumed) & ~now.known

    def is_known_enough(self) -> bool:
        """Whether the facts known for certain suffice for a plan to the goal."""
        here = self.here()
        return not self._taken_for_granted(self._view(here)).any() and self.plan(here) is not None

    def replanning_trigger(self) -> tuple[tuple[int, bytes], bytes]:
        """The assumptions of plans: what is found, and the values that macros depend on. A change after an action is a
        surprise."""
        assumed = self._view(self.here()).true & self._assumed
        return self.found(self.belief.state()), assumed.tobytes()

    def found(self, state: State) -> tuple[int, bytes]:
        """The settled relevant groups, as bits, and the facts known to be true that a goal or precondition wants
        false."""
        view = self._view(state)
        return self.settled(state), (view.true & view.known & self._unwanted).tobytes()

    def unseen(self, state: State) -> set[int]:
        """The observation classes with unknown facts."""
        return set(self._shown(~self._view(state).known & self._mask))

    def _shown(self, facts: FactSet) -> list[int]:
        """As ``_classes_in``, stored."""
        key = facts.tobytes()
        if key not in self._classes:
            self._classes[key] = self._classes_in(facts)
        return self._classes[key]

    def _classes_in(self, facts: FactSet) -> list[int]:
        return sorted(set(self.class_of[facts_in(facts & self._mask)].tolist()) - {-1})

    def looked_at(self, before: State, end: State) -> list[int]:
        """The observation classes of which something is known in ``end`` that was unknown ``before``."""
        return self._classes_in(self._view(end).known & ~self._view(before).known)

    def unfinished(self, found: int) -> bool:
        """Whether every disjunct still needs a group, if the groups ``found``, as bits, are settled."""
        return bool((self.needed & ~found).all())

    def macros(self, state: State) -> list[Macro | None]:
        """A macro from ``state``, in which unknown facts are false, to each rule that would show something relevant;
        None for other rules, and if there is none."""
        telling = set(self.telling(state))
        return [self.macro(state, rule) if rule in telling else None for rule in range(self.count)]

    def telling(self, state: State) -> list[int]:
        """The rules that would show something relevant."""
        unseen = self.unseen(state)
        return [rule for rule in range(self.count) if self._shows[rule] & unseen]

    def macro(self, state: State, rule: int) -> Macro | None:
        """The macro to a rule; None if there is none, or if the rule's condition holds already."""
        return self._macro(state, rule, self._plain, partial(self._subgoals.plan, state, rule))

    def _macro(
        self, state: State, subgoal: int, matter: FactSet, plan: Callable[[], tuple[int, ...] | None]
    ) -> Macro | None:
        """The macro to a subgoal. A plan is tried again in all states with the same facts of those that ``matter``."""
        key = subgoal, (self._view(state).true & matter).tobytes()
        stored = self._plans.get(key)
        macro = self.follow(state, stored) if stored else None
        if macro is None:
            operators = plan()
            if operators:
                self._plans[key] = operators
                macro = self.follow(state, operators)
        return macro

    def toward_parts(self, state: State) -> list[tuple[int, Macro]]:
        """Macros toward the facts of the goal that are not true yet, up to the first relevant observation, each with
        the length of the plan to the whole part: the plan itself, and one that only takes what it needs from where that
        is known to be, to carry it along."""
        found: list[tuple[int, Macro]] = []
        true = self._view(state).true
        for part, members in enumerate(self._members_of_parts):
            goal = self._goals.stop + part
            whole = self._macro(state, goal, self._plain | members, partial(self._subgoals.plan, state, goal))
            if whole is None:
                continue
            macros = [whole]
            for fact in facts_in(true & members & ~self._goal_set).tolist():
                take = self._takes[fact]
                plan = partial(self._taking.plan, state, take)
                macros.append(self._macro(state, -1 - take, self._plain | members, plan) or whole)
            for macro in macros:
                short = self._cut(state, macro)
                assert short is not None
                found.append((len(whole.operators), short))
        return found

    @cached_property
    def _members_of_parts(self) -> list[FactSet]:
        """The facts of the relevant groups that each fact of the goal needs, or is in."""
        rows = [self.compiled.sensors.groups.row(g) for g in self.relevant]
        within = [[i for i, row in enumerate(rows) if fact in row] for fact in self.goal_facts.tolist()]
        return [
            self._facts_of(self.relevant[i] for i in {*self.needs_of_part(part), *inside})
            for part, inside in enumerate(within)
        ]

    @cached_property
    def _takes(self) -> dict[int, int]:
        """The facts of relevant groups, numbered."""
        return {fact: number for number, fact in enumerate(facts_in(self._mask).tolist())}

    @cached_property
    def _taking(self) -> SubgoalPlanner:
        """Plans to end a fact that is true of a thing: that it is where it is."""
        facts = np.array([*self._takes], np.int32).reshape(-1, 1)
        ends = Goal(lists_of([facts[0][:0]] * len(facts)), lists_of([*facts]))
        return SubgoalPlanner(self.task, self.compiled, ends)

    @cached_property
    def preparing(self) -> set[int]:
        """The rules whose conditions plans to parts of the goal make true on the way in the likeliest world, such as
        to open what a thing is to be put into: that may be done before the thing is had."""
        likely, found = self.belief.most_likely(), set[int]()
        for part in range(len(self.goal_facts)):
            for state in self.belief.transition.trajectory(likely, self.part(likely, part) or ()):
                found.update(self._holding(state))
        return found - set(self._holding(likely))

    def follow(self, state: State, operators: tuple[int, ...]) -> Macro | None:
        """The operators from ``state`` as a macro; None if they are not applicable."""
        states = self.belief.transition.trajectory(state, operators)
        if len(states) <= len(operators):
            return None
        known = self._view(np.array(states)).known
        news = known[1:] & ~known[:-1] & self._mask
        observations = [
            (row + 1, c) for row in np.flatnonzero(news.any(axis=1)).tolist() for c in self._shown(news[row])
        ]
        return Macro(operators, tuple(observations[:MOST_OBSERVATIONS]), states[-1])

    def in_sight(self, state: State) -> list[int]:
        """The rules whose condition holds and that show something relevant."""
        return [rule for rule in self._holding(state) if self._shows[rule] & self.unseen(state)]

    def _holding(self, state: State) -> list[int]:
        """The rules whose condition holds."""
        view, sensors = self._view(state), self.compiled.sensors
        return [
            rule
            for rule in range(self.count)
            if view.among(sensors.when.row(rule)).all() and not view.among(sensors.when_not.row(rule)).any()
        ]

    def still_in_doubt(self, end: State, before: State) -> State:
        """``end``, in which facts that were unknown ``before`` and only seen by sensors that err remain unknown."""
        if not self.errs:
            return end
        after, was = self._view(end), self._view(before)
        kept: FactSet = ~self._blurred | was.known
        return state_of(self.compiled, after.true & kept | was.true & ~kept, after.known & kept)

    def settle(self, state: State, fact: int, value: bool) -> State:
        """A copy in which the fact is known and has this value, with all that follows."""
        view, marked = self._view(state), self._set_of([fact])
        true: FactSet = view.true | marked if value else view.true & ~marked
        after = state_of(self.compiled, true, view.known | marked)
        self.belief.transition.conclude(after)
        return after

    def plan_to_hypothesis(self, state: State, fact: int) -> tuple[int, ...] | None:
        """The shortest plan to a part of the goal if an unknown fact is assumed, up to the first operator that wants
        it, which reveals whether it is true; None if there is none."""
        found = []
        for plan in self.parts(self.settle(state, fact, True)):
            tries = [i for i, o in enumerate(plan) if fact in self.compiled.operators.pre.row(o)]
            if tries:
                found.append((len(plan), plan[: tries[0] + 1]))
        return min(found)[1] if found else None

    def plan(self, state: State) -> tuple[int, ...] | None:
        """A plan to the goal with the knowledge in ``state``; None if there is none."""
        plans = (self._subgoals.plan(state, d) for d in self._goals)
        return min((plan for plan in plans if plan is not None), key=len, default=None)

    def shorter_plan(self, state: State) -> tuple[int, ...] | None:
        """As ``plan``, with more time spent on it."""
        plans = (self._subgoals.shorter_plan(state, d) for d in self._goals)
        return min((plan for plan in plans if plan is not None), key=len, default=None)

    def parts(self, state: State, shorter: bool = False) -> list[tuple[int, ...]]:
        """Plans to the facts of the goal that are not true yet and can be reached with this knowledge; ``shorter``:
        with more time spent on them."""
        plan = self._subgoals.shorter_plan if shorter else self._subgoals.plan
        plans = (plan(state, self._goals.stop + part) for part in range(len(self.goal_facts)))
        return list(dict.fromkeys(plan for plan in plans if plan))

    def part(self, state: State, part: int) -> tuple[int, ...] | None:
        """A plan to one fact of the goal with the knowledge in ``state``; None if there is none."""
        return self._subgoals.plan(state, self._goals.stop + part)

    def until_observation(self, state: State, operators: tuple[int, ...]) -> Macro | None:
        """The operators from ``state`` up to the first relevant observation, as a macro; None if they are not
        applicable."""
        macro = self.follow(state, operators)
        return None if macro is None else self._cut(state, macro)

    def _cut(self, state: State, macro: Macro) -> Macro | None:
        first = macro.observations[0][0] if macro.observations else len(macro.operators)
        return macro if first == len(macro.operators) else self.follow(state, macro.operators[:first])

    def settled(self, state: State) -> int:
        """The relevant groups all of whose members are known, as bits."""
        settled = ~(self._members & ~self._view(state).known).any(axis=1)
        return int(self._bits[settled].sum())

    def unreachable_reason(self) -> str:
        """The things that were found in none of their possible places, as text, if no disjunct of the goal is reachable
        without them; otherwise empty."""
        if len(self.task.goal.pos) > len(self._goals):
            return ""
        nowhere, groups = set(self.belief.knowledge.nowhere().tolist()), self.compiled.sensors.groups
        lost = [i for i, g in enumerate(self.relevant) if g in nowhere]
        if not lost or not all(any(needed >> i & 1 for i in lost) for needed in self.needed.tolist()):
            return ""
        counts = ((self.belief.name(self.relevant[i]), len(groups.row(self.relevant[i]))) for i in lost)
        return ", ".join(f"{name} is in none of the {counted(count, 'place')}" for name, count in counts)

    def moved_to(self, end: State, start: State, state: State) -> State:
        """``end``, to which a macro leads from ``start``, with the hidden facts of ``state`` and the knowledge of them,
        except those that the macro changes: what it puts down is where it puts it."""
        there, before, here = self._view(end), self._view(start), self._view(state)
        kept: FactSet = self._hidden & ~(there.true ^ before.true)
        return state_of(self.compiled, there.true & ~kept | here.true & kept, here.known)

    def with_relevant_known(self, state: State) -> State:
        """A copy in which all relevant facts are known, with the values that they have in ``state``."""
        here = self._view(state)
        return state_of(self.compiled, here.true, here.known | self._mask)

    def abstract_key(self, state: State) -> bytes:
        """The part of a state that matters for a plan to the goal, known or not: all facts, except hidden ones that are
        neither relevant nor assumed."""
        return (self._view(state).true & (~self._hidden | self._mask | self._assumed)).tobytes()

    def travel_costs(self, state: State) -> TravelCostMatrix:
        """The matrix for ``state``, in which unknown facts are false."""
        key = (self._view(state).true & ~self._changes & (~self._hidden | self._assumed)).tobytes()
        if key not in self._matrices:
            self._matrices[key] = TravelCostMatrix(self, state)
        return self._matrices[key]


class TravelCostMatrix:
    """The costs from the end of each sensing macro from ``start`` to all others, and the macros.

    All states that differ only in what sensing changes (where the agent is, what is open) share one matrix. That is
    exact if the cost of a macro does not depend on earlier looks, and an estimate otherwise; actions within the search
    tree are always simulated exactly.
    """

    def __init__(self, sensing: SensingMacros, state: State) -> None:
        self.sensing, self.start = sensing, state
        self.ends = [
            None if macro is None else sensing.still_in_doubt(macro.end, state) for macro in sensing.macros(state)
        ]
        if sensing.errs:
            for rule in sensing.in_sight(state):
                self.ends[rule] = state
        self._rows: dict[int, list[Macro | None]] = {}
        self.table = TravelCosts.empty(sensing.count)
        for rule, end in enumerate(self.ends):
            if end is not None:
                self._rows[rule] = sensing.macros(end)
                self.write(rule, self._rows[rule], end)

    def write(self, place: int, macros: Sequence[Macro | None], state: State) -> None:
        """Writes the macros from a place, where the state is ``state``, into the table. To look again at what is in
        sight takes at least one operator."""
        rows = [None if m is None else (len(m.operators), m.observations) for m in macros]
        if self.sensing.errs:
            for rule in self.sensing.in_sight(state):
                shown = sorted(self.sensing.shown_by(rule))[:MOST_OBSERVATIONS]
                rows[rule] = rows[rule] or (1, tuple((1, c) for c in shown))
        self.table.write(place, rows)

    def macros(
        self, state: State, rule: int, most: Callable[[list[Macro | None]], Container[int]]
    ) -> list[Macro | None]:
        """The macros from ``state``, which is like the end of the macro to ``rule``, to the rules that ``most`` chooses
        from the macros in the matrix."""
        sensing, found = self.sensing, []
        unseen, row = sensing.unseen(state), self._rows[rule]
        chosen = most(row)
        for target, macro in enumerate(row):
            if macro is not None and target in chosen and not unseen.isdisjoint(c for _, c in macro.observations):
                found.append(sensing.follow(state, macro.operators) or sensing.macro(state, target))
            else:
                found.append(None)
        return found
