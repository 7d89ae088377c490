"""Engines of unified-planning for tasks with numbers, and for one with durations."""

from fractions import Fraction
from typing import Any

from unified_planning.engines import (
    Engine,
    PlanGenerationResult,
    PlanGenerationResultStatus,
    TimeTriggeredPlanValidator,
)
from unified_planning.engines.mixins import OneshotPlannerMixin
from unified_planning.engines.sequential_simulator import UPSequentialSimulator
from unified_planning.model import ProblemKind
from unified_planning.plans import ActionInstance, SequentialPlan, TimeTriggeredPlan

from tests.kitchens import SUPPER_PLAN


class Breadth(Engine, OneshotPlannerMixin):  # type: ignore[misc]
    """Breadth-first search; with durations, it cooks the supper."""

    def __init__(self, **_: Any) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)

    @property
    def name(self) -> str:
        return "breadth"

    @staticmethod
    def supported_kind() -> ProblemKind:
        kind: ProblemKind = TimeTriggeredPlanValidator.supported_kind()
        kind.unset_quality_metrics("MAKESPAN")
        return kind

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return bool(problem_kind <= Breadth.supported_kind())

    def _solve(self, problem: Any, *_: Any, **__: Any) -> PlanGenerationResult:
        if problem.kind.has_continuous_time():
            plan = self._timed(problem)
        else:
            plan = self._search(UPSequentialSimulator(problem))
        return PlanGenerationResult(PlanGenerationResultStatus.SOLVED_SATISFICING, plan, self.name)

    def _search(self, world: Any) -> SequentialPlan:
        waiting, seen = [(world.get_initial_state(), ())], set()
        for state, done in waiting:
            if world.is_goal(state):
                return SequentialPlan([ActionInstance(action, arguments) for action, arguments in done])
            for action, arguments in world.get_applicable_actions(state):
                after = world.apply(state, action, arguments)
                values = str(sorted(f"{f} {after.get_value(f)}" for f in world._problem.initial_values))
                if values not in seen:
                    seen.add(values)
                    waiting.append((after, (*done, (action, arguments))))
        raise AssertionError("no plan")

    def _timed(self, problem: Any) -> TimeTriggeredPlan:
        rows = [line.replace("[", "").replace("]", "").split() for line in SUPPER_PLAN.replace(")", "").splitlines()]
        thing = problem.environment.expression_manager.ObjectExp
        return TimeTriggeredPlan(
            [
                (
                    Fraction(start.rstrip(":")),
                    ActionInstance(
                        problem.action(name.lstrip("(")), [thing(problem.object(one.lower())) for one in arguments]
                    ),
                    Fraction(length),
                )
                for start, name, *arguments, length in rows
            ]
        )


class Broken(Breadth):
    """An engine that fails."""

    @property
    def name(self) -> str:
        return "broken"

    def _solve(self, problem: Any, *_: Any, **__: Any) -> PlanGenerationResult:
        raise RuntimeError("no licence")
