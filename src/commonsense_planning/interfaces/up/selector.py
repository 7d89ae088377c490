"""``llm-mcts`` as an action selector of unified-planning: it gives the next action, and takes the observation.

unified-planning 1.3 has contingent problems, but no operation mode for acting in them; its development version has
``ActionSelector``. This engine has that mode's interface, and is an ``ActionSelector`` if the class exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from warnings import warn

from unified_planning.engines import Credits, Engine
from unified_planning.exceptions import UPException, UPUsageError
from unified_planning.model import ProblemKind

from commonsense_planning.errors import InputError, MissingError, Status
from commonsense_planning.interfaces.up.problem import CONTINGENT, translate
from commonsense_planning.interfaces.up.settings import Settings, credits_of
from commonsense_planning.pddl.plan import Step

try:
    from unified_planning.engines.mixins.action_selector import ActionSelectorMixin
except ImportError:  # unified-planning 1.3
    ActionSelectorMixin = object

METHOD = "llm-mcts"


class LlmMcts(Engine, ActionSelectorMixin):
    """Acts in a contingent ``problem``, whose true world only the caller knows: ``get_action``, carry it out,
    ``update`` with the observation, and again. ``params`` are what ``Settings.of`` takes.

    Raises UPUsageError for invalid settings and for a problem that is not supported; if ``error_on_failed_checks`` is
    false it first warns of the latter, like unified-planning's engines.
    """

    def __init__(self, problem: Any, error_on_failed_checks: bool = True, **params: Any) -> None:
        from commonsense_planning.agent.agent import Agent
        from commonsense_planning.agent.observation_report import ObservationReport

        Engine.__init__(self)
        self.error_on_failed_checks = error_on_failed_checks
        if not error_on_failed_checks and not self.supports(problem.kind):
            warn(f"we cannot establish whether {self.name} can solve this problem", stacklevel=2)
        settings = Settings.of(METHOD, params)
        try:
            self._translated = translate(problem, CONTINGENT)
            task = settings.task(self._translated.problem)
            self._agent = Agent(
                task, method=settings.method, model=settings.model, options=settings.options, seed=settings.seed
            )
        except (InputError, MissingError) as error:
            raise UPUsageError(f"{self.name}: {error}") from error
        self._seen = ObservationReport()

    @property
    def name(self) -> str:
        return f"cplan-{METHOD}"

    @staticmethod
    def is_action_selector() -> bool:
        """True: that is its operation mode."""
        return True

    @staticmethod
    def supported_kind() -> ProblemKind:
        return ProblemKind(CONTINGENT, version=3)

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return bool(problem_kind <= LlmMcts.supported_kind())

    @staticmethod
    def get_credits(**kwargs: Any) -> Credits:
        from commonsense_planning.methods.registry import METHODS

        return credits_of(METHODS[METHOD].summary)

    def get_action(self) -> Any:
        """Returns the ``ActionInstance`` to carry out next; None once the goal is reached, as far as the agent knows.
        Raises UPException, with the reason, if it gives up.
        """
        from commonsense_planning.agent.observation_report import ObservationReport

        try:
            action = self._agent.act(self._seen)
        except (InputError, MissingError) as error:
            raise UPUsageError(f"{self.name}: {error}") from error
        self._seen = ObservationReport()
        if action is not None:
            return self._translated.instance(Step(action.name, action.arguments))
        if self._agent.status is not Status.SOLVED:
            raise UPException(f"{self.name}: {self._agent.reason}")
        return None

    def update(self, observation: Mapping[Any, Any]) -> None:
        """Takes what was observed after the last action: fluent expression → its value. Shown facts that are not in it
        count as false. Raises UPUsageError for an expression that is not a fluent of the problem."""
        from commonsense_planning.agent.observation_report import ObservationReport

        promote = self._translated.source.environment.expression_manager.auto_promote
        facts = {}
        for fluent, value in observation.items():
            expression, constant = promote(fluent, value)
            try:
                facts[self._translated.fact(expression)] = constant.is_true()
            except InputError as error:
                raise UPUsageError(f"{self.name}: {error}") from error
        true, false = ([fact for fact, is_so in facts.items() if is_so is wanted] for wanted in (True, False))
        self._seen = ObservationReport((*self._seen.true, *true), (*self._seen.false, *false))

    def destroy(self) -> None:
        self._agent.close()
