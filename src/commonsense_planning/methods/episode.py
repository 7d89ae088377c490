"""The episode: plan, act, observe, update, plan again. The only place where environment and search meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from commonsense_planning.errors import BudgetError, Status
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.agents import Agent
from commonsense_planning.wording.verbalise import Verbaliser

Event = dict[str, Any]


@dataclass(frozen=True)
class EpisodeResult:
    """``operators``: what was carried out. ``reason``: why the episode ended unsolved."""

    status: Status
    operators: tuple[int, ...]
    reason: str = ""


class PlanningEpisode:
    """One run of an agent in a world; ``notes`` gives what is to be noted about a step; ``attend`` is called before
    each decision, when the belief is up to date. ``must_know``: it goes on until the agent knows that the goal holds.

    Every event goes to ``emit`` as it happens: nothing in it depends on the clock, so equal seeds give equal traces. An
    interrupt keeps what was done.
    """

    def __init__(
        self,
        environment: Environment,
        agent: Agent,
        belief: Belief,
        verbaliser: Verbaliser,
        emit: Callable[[Event], None],
        notes: Callable[[], list[str]],
        attend: Callable[[], None] = lambda: None,
        report: Callable[[int], None] | None = None,
        must_know: bool = False,
    ) -> None:
        self.environment = environment
        self.agent = agent
        self.belief = belief
        self.say = verbaliser
        self.emit = emit
        self.notes = notes
        self.attend = attend
        self.report = report
        self.must_know = must_know
        self.done: list[int] = []
        self.tried = 0  # actions, those that could not be carried out among them

    def run(
        self, first: Observation, max_steps: int, check_time: Callable[[], None] = lambda: None
    ) -> EpisodeResult:
        """Act until the goal holds, a constraint is violated, the agent gives up, ``max_steps`` actions are tried, or a
        budget is used up. ``first``: what was seen on waking up; ``check_time`` raises BudgetError when the time is
        up."""

        def progress(simulations: int) -> None:
            check_time()
            if self.report is not None:
                self.report(simulations)

        observation = first
        try:
            while not (self._reached(observation) or observation.failed):
                if self.tried >= max_steps:
                    return self._end(Status.UNSOLVED, f"the limit of {max_steps} steps is reached")
                check_time()
                self.attend()
                decision = self.agent.decide(progress)
                if decision.operator is None:
                    return self._end(Status.UNSOLVED, str(decision.why["reason"]))
                observation = self._act(decision.operator, decision.why)
        except BudgetError as error:
            return self._end(Status.BUDGET, str(error))
        except KeyboardInterrupt:
            return self._end(Status.INTERRUPTED, "interrupted")
        if observation.failure is not None:
            violated = self.say.task.constraint(observation.failure)
            return self._end(Status.UNSOLVED, f"a failure condition holds: {violated} is violated")
        return self._end(Status.SOLVED, "")

    def _reached(self, observation: Observation) -> bool:
        return observation.goal_reached and (not self.must_know or self.belief.knows_goal)

    def _act(self, operator: int, why: Event) -> Observation:
        observation = self.environment.step(operator)
        task, hidden, before = self.say.task, self.belief.task.hidden, self.belief.known.copy()
        self.agent.observe(operator, observation)
        shown = sorted({f for f, value in (*observation.facts, *observation.readings) if value})
        refused = [] if observation.applied else ["this cannot be done here: nothing has changed"]
        event = {
            "event": "step",
            "step": self.tried + 1,
            "action": str(task.step(operator)),
            "says": self.say.action(operator),
            "why": why,
            "seen": [str(task.fact_step(f)) for f in shown if hidden[f] and not before[f]],
            "notes": [*self.notes(), *refused],
        }
        self.tried += 1
        if observation.applied:
            self.done.append(operator)  # next to its event: an interrupt should find both or neither
        self.emit(event)
        return observation

    def _end(self, status: Status, reason: str) -> EpisodeResult:
        end = {"event": "end", "status": str(status), "steps": len(self.done), "reason": reason}
        self.emit({**end, "notes": self.notes()})
        return EpisodeResult(status, tuple(self.done), reason)
