"""Plans for one of many subgoals, with one compiled task and one relaxation for all.

Greedy search needs the relaxation of its goal, which takes 20 ms and more to compile: too long for each of the fifty
subgoals of a search among sensing macros. So the subgoals are the disjuncts of one goal, and a few numbers in the
tables of the task and of the relaxation make one disjunct the whole goal.
"""

from __future__ import annotations

import math
from dataclasses import replace

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import Goal, GroundTask, Int32
from commonsense_planning.heuristics.delete_relaxation import FF
from commonsense_planning.heuristics.relaxation import set_goal
from commonsense_planning.kernels.compiled import DISJUNCTS, GOAL, NGOAL, Compiled, compile_like
from commonsense_planning.search.classical.best_first import A_WHILE, BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.state import State

_LIMITS = Limits(evaluations=2000)


class ActiveSubgoal:
    """The disjuncts of a task's goal; one at a time is the goal of the task and of its ``relaxation``."""

    def __init__(self, compiled: Compiled, relaxation: Int32) -> None:
        self._table, self._count, self._relaxation = compiled.table, len(compiled.goal.pos), relaxation
        self._rows = int(compiled.table[GOAL]), int(compiled.table[NGOAL])
        compiled.table[DISJUNCTS] = 1

    def choose(self, disjunct: int) -> None:
        """Makes this disjunct the goal."""
        self._table[GOAL], self._table[NGOAL] = (row + 2 * disjunct for row in self._rows)
        set_goal(self._relaxation, self._count, disjunct)


class SubgoalPlanner:
    """A planner for subgoals, which are the disjuncts of ``conditions`` over facts of ``task``; ``compiled``: the same
    task."""

    def __init__(self, task: GroundTask, compiled: Compiled, conditions: Goal) -> None:
        compiled = compile_like(compiled, replace(task, goal=conditions))
        self._heuristic = FF(compiled, unit_cost=True)
        self._planner = BestFirst(compiled, self._heuristic)
        self._goal = ActiveSubgoal(compiled, self._heuristic.relaxation)

    def plan(self, state: State, subgoal: int) -> tuple[int, ...] | None:
        """The operators of a plan from ``state`` to a subgoal, by its number; empty if it holds, None if no plan is
        found. Unknown facts are taken to be as they are in ``state``."""
        self._goal.choose(subgoal)
        result = self._planner.gbfs(state, _LIMITS)
        return result.operators if result.status == Status.SOLVED else None

    def shorter_plan(self, state: State, subgoal: int) -> tuple[int, ...] | None:
        """As ``plan``; A* with h_FF also has ``A_WHILE`` to find a shorter plan."""
        plan = self.plan(state, subgoal)
        if not plan:
            return plan
        found = self._planner.astar(state, limits=A_WHILE).operators
        return found if found is not None and len(found) < len(plan) else plan

    def reachable(self, state: State, subgoal: int) -> bool:
        """Whether a subgoal has a relaxed plan."""
        self._goal.choose(subgoal)
        return self._heuristic(state) < math.inf
