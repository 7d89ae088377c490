"""Replanning under correlated hidden facts: plan in the most likely world as if it were known, find out what the next
action needs, plan again (determinisation as in FF-Replan; Yoon, Fern and Givan 2007; with sensing as in K-Replanner;
Bonet and Geffner 2011)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Bits, Observation
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits, Report
from commonsense_planning.search.pomdp.agents import Decision, Following
from commonsense_planning.search.pomdp.observing import ContingentPolicyBranch, History
from commonsense_planning.search.pomdp.world_mcts import WorldMcts
from commonsense_planning.state import State, StateView, make_state


@dataclass(eq=False)
class SenseAndReplanAgent:
    """Carries out a plan for the likeliest world as far as the knowledge allows. Then it takes the shortest sensing
    macro that reveals something about the missing facts, of equally short ones the one with the highest gain.
    ``courses`` lists the macros."""

    planner: BestFirst
    belief: Belief
    courses: WorldMcts
    limits: Limits

    def __post_init__(self) -> None:
        self._following = Following(self.belief, lambda operator: self._may(operator, self.belief.state()))

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        if self._following:
            return self._following.step()
        belief, task, begin = self.belief, self.belief.task, self._following.begin
        check: Report | None = None if report is None else lambda *_: report(0)
        world = StateView(task, belief.most_likely()).truth
        result = self.planner.gbfs(make_state(task, world, np.ones_like(world)), self.limits, check)
        plan = result.operators if result.status is Status.SOLVED else None
        self.courses.draw_worlds()
        root = self.courses.root_history()
        free, blocked = self._split(root, plan or ())
        if free and blocked is None:
            return begin(free, {"planned": False, "length": len(free), "expanded": result.expanded})
        courses = self.courses.courses(root)
        missing = self._missing(blocked) if blocked is not None else np.zeros_like(belief.known)
        telling = [c for c in courses if c.ends or (c.gain > 0 and self._tells(c, missing))]
        chosen = telling or [c for c in courses if c.gain > 0] or list(courses)
        course = min(chosen, key=lambda c: (not c.ends, len(c.operators), -c.gain), default=None)
        if free and (course is None or not course.ends and len(free) < len(course.operators)):
            return begin(free, {"planned": False, "length": len(plan or ()), "expanded": result.expanded})
        if course is None:
            return Decision(None, {"reason": "no look that tells more was found, and no plan by what is known"})
        return begin(course.operators, {"planned": False, "looks": len(chosen), "length": len(course.operators)})

    def _split(self, root: History, plan: tuple[int, ...]) -> tuple[tuple[int, ...], int | None]:
        """The operators of a plan that are applicable by the knowledge, and the first that is not, if there is one."""
        for length, operator in enumerate(plan):
            course = self.courses.observing.carry_out(root, plan[:length], self.courses.weight) if length else None
            state = root.known if course is None else course.after[0].known
            if (length and course is None) or not self._may(operator, state):
                return plan[:length], operator
        return plan, None

    def observe(self, operator: int, observation: Observation) -> None:
        known = self.belief.known.copy()
        self.belief.update(operator, observation)
        news = bool((self.belief.known != known)[self.belief.task.sensors.hidden].any())
        self._following.check(news or observation.upsetting)

    def _may(self, operator: int, state: State) -> bool:
        """Whether an operator is applicable by the knowledge, with the same effects in all possible worlds."""
        if not self.belief.transition.is_applicable(state, operator):
            return False
        known = StateView(self.belief.task, state).knowledge
        return all(known[self._conditions(e)].all() for e in self._unobserved_effects(operator))

    def _unobserved_effects(self, operator: int) -> list[int]:
        ops, unobserved = self.belief.task.operators, self.belief.task.sensors.unobserved
        effects = range(ops.effect_start[operator], ops.effect_end[operator]) if len(unobserved) else ()
        return [e for e in effects if unobserved[e]]

    def _conditions(self, effect: int) -> Int32:
        ops = self.belief.task.operators
        return np.concatenate([ops.cond_pre.row(effect), ops.cond_npre.row(effect)])

    def _missing(self, operator: int) -> Bits:
        """The unknown facts that an operator depends on: bool (facts,)."""
        ops, known = self.belief.task.operators, self.belief.known
        rows = [
            ops.pre.row(operator),
            ops.npre.row(operator),
            *map(self._conditions, self._unobserved_effects(operator)),
        ]
        about = np.concatenate(rows)
        missing = np.zeros_like(known)
        missing[about[about < len(known)]] = True
        return missing & ~known

    def _tells(self, course: ContingentPolicyBranch, missing: Bits) -> bool:
        """Whether a sensing macro may settle one of the missing facts, or change its probability."""
        weight = self.courses.weight
        chances = []
        for history in course.after:
            share = weight[history.members]
            chances.append(share @ StateView(self.belief.task, history.states).truth[:, missing] / share.sum())
        return bool(len(chances) and np.ptp(np.array(chances), axis=0).max(initial=0.0) > 1e-9)
