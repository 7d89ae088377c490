"""Plans for one subgoal out of many: one compiled task and one relaxation serve them all.

Greedy search wants the relaxation of its goal, which takes 20 ms and more to compile: too long for each of the fifty
subgoals that a search among sensing macros asks for. Here all of them are the disjuncts of one goal, and to plan for
one of them is to leave it alone in the goal: a few numbers in the task's table and in the relaxation's.
"""

from __future__ import annotations

import math
from dataclasses import replace

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import Goal, GroundTask
from commonsense_planning.heuristics.delete_relaxation import FF
from commonsense_planning.heuristics.relaxation import set_goal
from commonsense_planning.kernels.compiled import DISJUNCTS, GOAL, NGOAL, Compiled, State, compile_like
from commonsense_planning.search.best_first import BestFirst
from commonsense_planning.search.compiled_search import Limits

_LIMITS = Limits(evaluations=2000)
_A_WHILE = Limits(evaluations=20000)  # some 30 ms


class SubgoalPlanner:
    """A planner for each subgoal, a disjunct of ``conditions`` over facts of ``task``; ``compiled`` is that task."""

    def __init__(self, task: GroundTask, compiled: Compiled, conditions: Goal) -> None:
        self._compiled = compile_like(compiled, replace(task, goal=conditions))
        self._heuristic = FF(self._compiled, unit_cost=True)
        self._planner = BestFirst(self._compiled, self._heuristic)
        table = self._compiled.table
        self._rows = int(table[GOAL]), int(table[NGOAL])
        table[DISJUNCTS] = 1

    def plan(self, state: State, subgoal: int) -> tuple[int, ...] | None:
        """The operators of a plan from ``state`` to a subgoal, by its number, none if it holds; None if none is found.
        What is not known in ``state`` is taken as it is there."""
        self._set_goal(subgoal)
        result = self._planner.gbfs(state, _LIMITS)
        return result.operators if result.status == Status.SOLVED else None

    def shorter_plan(self, state: State, subgoal: int) -> tuple[int, ...] | None:
        """As ``plan``, but A* with h_FF gets a while to find a cheaper one."""
        plan = self.plan(state, subgoal)
        if not plan:
            return plan
        found = self._planner.astar(state, limits=_A_WHILE).operators
        return found if found is not None and len(found) < len(plan) else plan

    def reachable(self, state: State, subgoal: int) -> bool:
        """Whether a subgoal has a relaxed plan."""
        self._set_goal(subgoal)
        return self._heuristic(state) < math.inf

    def _set_goal(self, subgoal: int) -> None:
        table = self._compiled.table
        table[GOAL], table[NGOAL] = (row + 2 * subgoal for row in self._rows)
        set_goal(self._heuristic.relaxation, len(self._compiled.goal.pos), subgoal)
