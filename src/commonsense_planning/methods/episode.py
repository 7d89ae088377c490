"""The episode: plan, act, observe, update, plan again. It is the only place where environment and search meet.

An ``Actor`` is the agent's half of it, which knows no environment; ``agent`` gives it to robots.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from commonsense_planning.errors import BudgetError, EndpointError, Status
from commonsense_planning.methods.method import Event
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.pomdp.transition_system import PathResult
from commonsense_planning.search.pomdp.agents import Decision, EpisodeAgent
from commonsense_planning.search.pomdp.lower_bound import Expectation
from commonsense_planning.support.english import counted
from commonsense_planning.support.interrupts import held
from commonsense_planning.wording.verbalise import Verbaliser


@dataclass
class Actor:
    """An agent in an episode, step by step: it decides and takes in the result, which becomes an event.

    ``notes`` returns the notes on a step; ``update_prior`` is called before each decision, when the belief is up to
    date. ``done``: the operators that were carried out; ``tried``: the number of actions, including those that could
    not be carried out. ``expectation``: of the first search that has one.
    """

    agent: EpisodeAgent
    belief: Belief
    say: Verbaliser
    emit: Callable[[Event], None]
    notes: Callable[[], list[str]]
    update_prior: Callable[[], None] = lambda: None
    done: list[int] = field(default_factory=list)
    tried: int = 0
    expectation: Expectation | None = field(default=None, init=False)

    def decide(self, report: Callable[[int], None]) -> Decision:
        """Decides what to do next; ``report`` is as for ``EpisodeAgent.decide``."""
        self.update_prior()
        decision = self.agent.decide(report)
        self.expectation = self.expectation or decision.expectation
        return decision

    def observe(self, operator: int, why: Event, observation: Observation) -> None:
        """Takes in the result of an operator that was chosen because of ``why``."""
        outcome = operator if observation.outcome is None else observation.outcome
        task, hidden, before = self.say.task, self.belief.task.hidden, self.belief.known.copy()
        self.agent.observe(operator, observation)
        shown = sorted({f for f, value in (*observation.facts, *observation.readings) if value})
        refused = [] if observation.applied else ["this cannot be done here: nothing has changed"]
        event = {
            "event": "step",
            "step": self.tried + 1,
            "action": str(task.step(outcome)),
            "says": self.say.action(operator),
            "why": why,
            "seen": [str(task.fact_step(f)) for f in shown if hidden[f] and not before[f]],
            "notes": [*self.notes(), *refused],
        }
        self.tried += 1
        with held():  # an interrupt must find both or neither
            if observation.applied:
                self.done.append(outcome)
            self.emit(event)


@dataclass
class PlanningEpisode:
    """One run of an agent in a world. ``report`` gets the number of simulations during a decision. ``must_know``: the
    run continues until the agent knows that the goal holds. ``given_up``: what is told besides the reason, if the agent
    gives up.

    Every event is emitted as it happens: nothing in it depends on the clock, so equal seeds give equal traces. An
    interrupt keeps the steps so far.
    """

    environment: Environment
    actor: Actor
    report: Callable[[int], None] = lambda simulations: None
    must_know: bool = False
    given_up: Callable[[], str] = str

    def run(self, first: Observation, max_steps: int, check_time: Callable[[], None] = lambda: None) -> PathResult:
        """Acts until the goal holds, a constraint is violated, the agent gives up, ``max_steps`` actions are tried, or
        a budget is used up. ``first``: the initial observation; ``check_time`` raises BudgetError when the time is
        up. Raises EndpointError if no step was taken before it."""

        def progress(simulations: int) -> None:
            check_time()
            if simulations:
                self.report(simulations)

        observation = first
        try:
            while not (self._reached(observation) or observation.failed):
                if self.actor.tried >= max_steps:
                    most = f"the limit of {counted(max_steps, 'step')} (--max-steps)"
                    return self._end(Status.UNSOLVED, f"{most} is reached")
                check_time()
                decision = self.actor.decide(progress)
                if decision.operator is None:
                    told = str(decision.why["reason"]), self.given_up()
                    return self._end(Status.UNSOLVED, "; ".join(filter(None, told)))
                observation = self.environment.step(decision.operator)
                self.actor.observe(decision.operator, decision.why, observation)
        except BudgetError as error:
            return self._end(Status.BUDGET, str(error))
        except EndpointError as error:
            if not self.actor.done:
                raise
            return self._end(Status.UNSOLVED, error.reason)
        except KeyboardInterrupt:
            return self._end(Status.INTERRUPTED, "interrupted")
        if observation.failure is not None:
            violated = self.actor.say.task.constraint(observation.failure)
            return self._end(Status.UNSOLVED, f"a failure condition holds: {violated} is violated")
        return self._end(Status.SOLVED, "")

    def _reached(self, observation: Observation) -> bool:
        return observation.goal_reached and (not self.must_know or self.actor.belief.knows_goal)

    def _end(self, status: Status, reason: str) -> PathResult:
        return PathResult(status, tuple(self.actor.done), reason)
