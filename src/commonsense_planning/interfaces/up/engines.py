"""cplan's methods as engines of unified-planning: one-shot planners, and a validator of plans.

They translate the problem, solve it like any other, and return the plan with the user's actions and objects. Slow
imports happen only when planning starts. ``register_engines`` adds the engines to a factory.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from fractions import Fraction
from typing import IO, TYPE_CHECKING, Any, ClassVar

from unified_planning.engines import (
    Credits,
    Engine,
    FailedValidationReason,
    LogLevel,
    LogMessage,
    OptimalityGuarantee,
    PlanGenerationResult,
    PlanGenerationResultStatus,
    ValidationResult,
    ValidationResultStatus,
)
from unified_planning.engines.mixins import OneshotPlannerMixin, PlanValidatorMixin
from unified_planning.environment import get_environment
from unified_planning.exceptions import UPUsageError
from unified_planning.model import ProblemKind
from unified_planning.plans import PlanKind

from commonsense_planning.errors import BudgetError, InputError, MissingError, Status, UsageError
from commonsense_planning.interfaces.up.problem import CLASSICAL, Translated, translate
from commonsense_planning.interfaces.up.settings import Settings, credits_of
from commonsense_planning.support.limits import within_seconds
from commonsense_planning.validation.verdict import Verdict

if TYPE_CHECKING:
    from commonsense_planning.methods.method import Event, Request, Solution

logger = logging.getLogger(__name__)

ENGINES = {
    "cplan-gbfs": (__name__, "Gbfs"),
    "cplan-astar": (__name__, "AStar"),
    "cplan-llm-replan": (__name__, "LlmReplan"),
    "cplan-replay": (__name__, "Replay"),
    "cplan-llm-mcts": ("commonsense_planning.interfaces.up.selector", "LlmMcts"),
}
"""The engines: name → module and class."""

NEARLY = 0.9
"""The share of its time after which a search that ends without a result counts as out of time: it may stop a little
early if its next slice would take too long."""

_STATUSES = {
    Status.SOLVED: PlanGenerationResultStatus.SOLVED_SATISFICING,
    Status.UNSOLVED: PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY,
    Status.UNSOLVABLE: PlanGenerationResultStatus.UNSOLVABLE_PROVEN,
    Status.BUDGET: PlanGenerationResultStatus.TIMEOUT,
}


def register_engines(environment: Any = None) -> None:
    """Adds the engines to a unified-planning environment, by default the global one. Those that it has already are
    unchanged."""
    factory = (environment or get_environment()).factory
    for name, (module, class_name) in ENGINES.items():
        if name not in factory.engines:
            factory.add_engine(name, module, class_name)


class _Planner(Engine, OneshotPlannerMixin):
    """A method of cplan as a one-shot planner. ``params`` are those of ``Settings.of``."""

    method: ClassVar[str]
    optimal: ClassVar[bool] = False

    def __init__(self, **params: Any) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        self._settings = Settings.of(self.method, params)

    @property
    def name(self) -> str:
        return f"cplan-{self.method}"

    @staticmethod
    def supported_kind() -> ProblemKind:
        return ProblemKind(CLASSICAL, version=3)

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return bool(problem_kind <= _Planner.supported_kind())

    @classmethod
    def satisfies(cls, optimality_guarantee: OptimalityGuarantee) -> bool:
        return cls.optimal or optimality_guarantee is OptimalityGuarantee.SATISFICING

    @classmethod
    def get_credits(cls, **kwargs: Any) -> Credits:
        from commonsense_planning.methods.registry import METHODS

        return credits_of(METHODS[cls.method].summary)

    def _solve(
        self, problem: Any, heuristic: Any = None, timeout: float | None = None, output_stream: IO[str] | None = None
    ) -> PlanGenerationResult:
        return self._solve_with_params(problem, heuristic, timeout, output_stream)

    def _solve_with_params(
        self,
        problem: Any,
        heuristic: Any = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
        warm_start_plan: Any = None,
        **kwargs: Any,
    ) -> PlanGenerationResult:
        for given, what in ((heuristic, "a heuristic"), (warm_start_plan, "a plan to start from")):
            if given is not None:
                logger.warning("%s ignores %s", self.name, what)
        from commonsense_planning.methods.registry import solve

        plan, metrics = None, dict[str, str]()
        started = time.monotonic()
        try:
            with within_seconds(timeout):
                translated = translate(problem)
                task = self._settings.task(translated.problem)
            translating = time.monotonic() - started
            left = None if timeout is None else max(0.0, timeout - translating)
            request = self._settings.request(task, left, _writer(output_stream))
            solution = solve(request)
        except BudgetError as error:
            status, told = PlanGenerationResultStatus.TIMEOUT, str(error)
        except (UsageError, MissingError) as error:
            raise UPUsageError(f"{self.name}: {error}") from error
        except InputError as error:
            status, told = PlanGenerationResultStatus.UNSUPPORTED_PROBLEM, str(error)
        else:
            status, plan = self._outcome(translated, solution)
            told, metrics = solution.reason, {"translation_time": f"{translating:.3f}", **_metrics(request, solution)}
        is_late = timeout is not None and time.monotonic() - started > NEARLY * timeout
        if status is PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY and is_late:
            status = PlanGenerationResultStatus.TIMEOUT
        elif status is PlanGenerationResultStatus.TIMEOUT and not is_late:
            status = PlanGenerationResultStatus.MEMOUT  # it was the memory, or the number of operators
        if output_stream is not None:
            output_stream.write(f"{self.name}: {status.name}{told and f': {told}'}\n")
        return PlanGenerationResult(status, plan, self.name, metrics, _log(told))

    def _outcome(self, translated: Translated, solution: Solution) -> tuple[PlanGenerationResultStatus, Any]:
        """The result and the plan. If time or memory ran out, there is a plan only if it leads to the goal."""
        from commonsense_planning.validation.replay import replay

        if solution.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        status, plan = _STATUSES[solution.status], solution.plan
        if plan is None:
            return status, None
        if solution.status is not Status.SOLVED and replay(translated.problem, plan).verdict is not Verdict.VALID:
            return status, None
        proven = solution.bound is not None and translated.cost(plan) * translated.written.scale == solution.bound
        if self.optimal and proven and translated.source.quality_metrics and solution.status is Status.SOLVED:
            status = PlanGenerationResultStatus.SOLVED_OPTIMALLY
        return status, translated.to_user(plan)


class Gbfs(_Planner):
    """Greedy best-first search."""

    method = "gbfs"


class AStar(_Planner):
    """A* with LM-cut: an optimal plan, and the proof that it is."""

    method = "astar"
    optimal = True


class LlmReplan(_Planner):
    """Acts in the problem's world, of which it observes what the sensors show, and plans again after a surprise. The
    plan is the sequence of its actions."""

    method = "llm-replan"


class Replay(Engine, PlanValidatorMixin):
    """cplan's validator: it carries a plan out step by step, and shares no code with the searches."""

    def __init__(self, **params: Any) -> None:
        if params:
            raise UPUsageError(f"cplan-replay takes no {', '.join(params)}")
        Engine.__init__(self)
        PlanValidatorMixin.__init__(self)

    @property
    def name(self) -> str:
        return "cplan-replay"

    @staticmethod
    def supported_kind() -> ProblemKind:
        return _Planner.supported_kind()

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return _Planner.supports(problem_kind)

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        return bool(plan_kind is PlanKind.SEQUENTIAL_PLAN)

    @staticmethod
    def get_credits(**kwargs: Any) -> Credits:
        return credits_of("carries plans out on the lifted task, step by step")

    def _validate(self, problem: Any, plan: Any) -> ValidationResult:
        from commonsense_planning.validation.replay import replay

        try:
            translated = translate(problem)
        except InputError as error:
            return ValidationResult(ValidationResultStatus.UNKNOWN, self.name, _log(str(error)))
        ours = translated.from_user(plan)
        report = replay(translated.problem, ours)
        told = _log(": ".join(part for part in (report.action, report.reason) if part))
        if report.verdict is Verdict.VALID:
            costs = {metric: _whole(translated.cost(ours)) for metric in problem.quality_metrics}
            return ValidationResult(ValidationResultStatus.VALID, self.name, told, costs or None)
        if report.verdict is Verdict.UNAVAILABLE:
            return ValidationResult(ValidationResultStatus.UNKNOWN, self.name, told)
        if report.step is None:
            reason, wrong = FailedValidationReason.UNSATISFIED_GOALS, None
        else:
            reason, wrong = FailedValidationReason.INAPPLICABLE_ACTION, plan.actions[report.step - 1]
        return ValidationResult(
            ValidationResultStatus.INVALID, self.name, told, reason=reason, inapplicable_action=wrong
        )


def _whole(cost: Fraction) -> int | Fraction:
    return int(cost) if cost.denominator == 1 else cost


def _log(text: str) -> list[LogMessage]:
    return [LogMessage(LogLevel.INFO, text)] if text else []


def _metrics(request: Request, solution: Solution) -> dict[str, str]:
    """The metrics of a run, under the names of unified-planning where it has some."""
    from commonsense_planning.methods.result import ResultView, unjudged

    found = unjudged(request, solution).view(ResultView.ENGINE)
    usage = found.pop("usage") or {}
    found |= {"engine_internal_time": f"{found.pop('seconds'):.3f}", "questions": usage.get("questions")}
    return {name: str(value) for name, value in found.items() if value not in (None, "")}


def _writer(stream: IO[str] | None) -> Callable[[Event], None]:
    """A function that writes the events of a trace to a stream, one JSON value per line."""

    def write(event: Event) -> None:
        if stream is not None:
            stream.write(json.dumps(event) + "\n")

    return write
