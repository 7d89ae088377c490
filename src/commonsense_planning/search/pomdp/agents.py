"""Agents: they decide step by step, from knowledge and belief. They never see the environment."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from commonsense_planning.elicitation.next_question import Situation
from commonsense_planning.elicitation.policies import AdvisedPolicy, Policy, Probabilities
from commonsense_planning.errors import Status
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits, Report
from commonsense_planning.search.pomdp.hindsight import HindsightPlanner
from commonsense_planning.search.pomdp.lower_bound import Expectation, LowerBound
from commonsense_planning.search.pomdp.macro_mcts import MacroMcts
from commonsense_planning.search.pomdp.mcts import Mcts
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.search.pomdp.tree_snapshot import TreeSnapshot
from commonsense_planning.state import State, StateView

_FINISHED = frozenset({"done", "finished", "stop", "end"})
_WORLDS = 20  # worlds of the belief that are tried before an agent gives up


@dataclass(frozen=True)
class Decision:
    """The operator to carry out, or None to give up; ``why`` goes into the trace. ``snapshot``: the tree behind the
    decision, if there is one, valid until the next observation. ``expectation``: the expected steps, if the
    search has them."""

    operator: int | None
    why: dict[str, Any]
    snapshot: TreeSnapshot | None = None
    expectation: Expectation | None = None


class EpisodeAgent(Protocol):
    """Decides what to do, and observes the result."""

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        """The next operator. ``report`` gets the progress of the search, as a number of simulations, 0 if there are
        none. If it raises LateError, the result so far decides; if there is none, ``decide`` raises LateError."""

    def observe(self, operator: int, observation: Observation) -> None:
        """Updates the agent by the observation after an operator."""


class Following:
    """A plan that is carried out step by step. It is abandoned when the belief is revised, and after a step with a
    surprising observation, or if ``may`` forbids the next operator: by default, if that is known not to be applicable.
    True while a step is left."""

    def __init__(self, belief: Belief, may: Callable[[int], bool] | None = None) -> None:
        self._belief, self._operators, self._revisions = belief, list[int](), belief.revisions
        self._may = may or (lambda operator: belief.transition.is_applicable(belief.state(), operator))

    def __bool__(self) -> bool:
        return bool(self._operators) and self._revisions == self._belief.revisions

    def begin(self, operators: Sequence[int], why: dict[str, Any], snapshot: TreeSnapshot | None = None) -> Decision:
        """Starts another plan, which has at least one step; the first step."""
        self._operators, self._revisions = list(operators), self._belief.revisions
        return Decision(self._operators.pop(0), why, snapshot)

    def step(self) -> Decision:
        """The next step."""
        return Decision(self._operators.pop(0), {"planned": True})

    def check(self, surprised: bool) -> None:
        """Abandons the plan after a step, if necessary."""
        if self._operators and (surprised or not self._may(self._operators[0])):
            self._operators = []


class DeadEndDetector:
    """Detects that the goal is out of reach under the delete relaxation in all worlds that are tried."""

    def __init__(self, planner: BestFirst, belief: Belief, hindsight: HindsightPlanner) -> None:
        self._planner = planner
        self._belief = belief
        self._hindsight = hindsight

    def is_dead_end(self) -> bool:
        """True if neither the likeliest world nor any of the sampled ones has a relaxed plan."""
        belief = self._belief
        if self._reachable(belief.most_likely()):
            return False
        situation = Situation(belief.truth, belief.known, np.zeros(0, np.int32), ())
        return not any(self._reachable(state) for state in self._hindsight.worlds(situation, _WORLDS))

    def _reachable(self, state: State) -> bool:
        return self._planner.heuristic(state) < math.inf


class MctsAgent:
    """Searches again before each step, in the same tree if it is reused. Gives up when no world has a relaxed plan."""

    def __init__(self, mcts: Mcts, dead_ends: DeadEndDetector) -> None:
        self.mcts = mcts
        self.dead_ends = dead_ends
        self._done: tuple[int, ...] = ()
        self._revisions = mcts.belief.revisions
        self._choice: int | None = None  # at the root, in the last decision

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        if self.dead_ends.is_dead_end():
            return Decision(None, {"reason": "in no believed world can the goal be reached by what can be seen"})
        if self._revisions != self.mcts.belief.revisions:  # the tree is based on another belief
            self._revisions = self.mcts.belief.revisions
            self.mcts.forget()
        node = self.mcts.search(self._done, report)
        if not len(node.operators):
            return Decision(None, {"reason": "no action is applicable"})
        self._choice = choice = self.mcts.best(node)
        return Decision(int(node.operators[choice]), self.mcts.why(node, choice), self.mcts.snapshot(node, choice))

    def observe(self, operator: int, observation: Observation) -> None:
        self.mcts.belief.update(operator, observation)
        if observation.applied:
            self._done = (*self._done, operator)
        if self.mcts.config.reuse and self._choice is not None and not observation.surprising:
            self.mcts.advance(self._choice)
        else:
            self.mcts.forget()


@dataclass(eq=False)
class MacroAgent:
    """Looks for what the goal needs, and carries out a plan once that is found. A macro is carried out to its end,
    unless an observation is surprising; then the search decides again. If there is nothing to look at, ``otherwise``
    decides.

    ``policy``: the model's, over the last operators of the macros, which describe their purpose; None without one.
    ``bound`` of the expected steps.
    """

    mcts: MacroMcts[Any]
    policy: Policy | None
    otherwise: ReplanAgent
    bound: LowerBound | None = None

    def __post_init__(self) -> None:
        self._following = Following(self.mcts.belief)
        self._done: tuple[int, ...] = ()

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        if self._following:
            return self._following.step()
        root = self.mcts.search(self._advise, report)
        if not root.open_branches:
            return self.otherwise.decide(report)
        choice = self.mcts.best(root)
        why, snapshot = self.mcts.why(root, choice), self.mcts.snapshot(root, choice)
        first = self._following.begin(root.open_branches[choice].operators, why, snapshot)
        if self.bound is None or self.mcts.belief.move_rate:  # what moves by itself may save steps
            return first
        reached, exact = self.mcts.cost_after(root, choice), self.mcts.exact or root.open_branches[choice].ends
        worlds = self.mcts.possible(root)
        return replace(first, expectation=Expectation(reached, exact, worlds, self.bound))

    def observe(self, operator: int, observation: Observation) -> None:
        belief, trigger = self.mcts.belief, self.mcts.replanning_trigger()
        before = belief.state()
        self.otherwise.observe(operator, observation)
        if observation.applied:
            self._done = (*self._done, operator)
        surprised = observation.upsetting or self.mcts.replanning_trigger() != trigger
        if belief.transition.is_applicable(before, operator):  # the outcome may not be the planned one
            expected = StateView(belief.task, belief.transition.successor(before, operator)).truth
            surprised |= bool((expected != belief.truth)[~belief.task.hidden[: len(expected)]].any())
        self._following.check(surprised)

    def _advise(self, plans: list[tuple[int, ...]]) -> Probabilities | None:
        if self.policy is None or len(plans) < 2:
            return None
        belief, ends = self.mcts.belief, np.array([plan[-1] for plan in plans], np.int32)
        return self.policy.probabilities([Situation(belief.truth, belief.known, ends, self._done, tuple(plans))])[0]


@dataclass(eq=False)
class ReplanAgent:
    """Plans with greedy best-first search in the likeliest world, and replans when an observation is surprising. As
    soon as the knowledge suffices for the goal, ``sensing`` has a shorter plan. ``unreachable_reason`` explains why no
    plan is found; empty if that is unknown."""

    planner: BestFirst
    belief: Belief
    rng: np.random.Generator
    limits: Limits
    unreachable_reason: Callable[[], str] = str
    sensing: SensingMacros | None = None

    def __post_init__(self) -> None:
        self._found: Hashable = None  # what was found at the last attempt of ``_finish``
        self._following = Following(self.belief)
        self._state = self.belief.state()  # the world that the plan assumes

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        plan = self._finish()
        if plan:
            return self._following.begin(plan, {"planned": False, "length": len(plan)})
        if self._following:
            return self._following.step()

        check: Report | None = None if report is None else lambda *_: report(0)
        sampler = self.belief.sampler()
        attempts = _WORLDS if sampler.open else 1
        for attempt in range(attempts):
            self._state = self.belief.most_likely() if attempt == 0 else sampler.draw(self.rng)
            result = self.planner.gbfs(self._state, self.limits, check)
            if result.status == Status.SOLVED and result.operators:
                why = {"planned": False, "length": len(result.operators), "expanded": result.expanded}
                return self._following.begin(result.operators, why)
        where = f"in the likeliest world, nor in {attempts - 1} others"
        reason = f"no plan was found {where}" if attempts > 1 else "no plan leads to the goal from here"
        return Decision(None, {"reason": self.unreachable_reason() or reason})

    def _finish(self) -> tuple[int, ...] | None:
        """A plan to the goal for which the knowledge suffices, if there is one; it is tried when more is known than
        before, or no plan is followed."""
        if self.sensing is None:
            return None
        found = self.sensing.found(self.belief.state())
        if self._following and found == self._found:
            return None
        self._found = found
        plan = self.sensing.shorter_plan(self.sensing.here())
        if plan:
            self._state = self.belief.most_likely()
        return plan

    def observe(self, operator: int, observation: Observation) -> None:
        belief = self.belief
        belief.update(operator, observation)
        if belief.transition.is_applicable(self._state, operator):
            self._state = belief.transition.successor(self._state, operator)
        expected = StateView(belief.task, self._state).truth
        surprised = bool((expected[belief.known] != belief.truth[belief.known]).any())
        self._following.check(surprised or observation.upsetting)


@dataclass(eq=False)
class PolicyAgent:
    """L-Policy, the LLM-MCTS paper's second baseline: carries out the action that the model names.

    An answer that names no possible action is replaced by a random one, and noted. The agent ends when the model
    answers that it is done.
    """

    policy: AdvisedPolicy
    belief: Belief
    rng: np.random.Generator
    _done: tuple[int, ...] = ()

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        belief = self.belief
        operators = belief.transition.applicable(belief.state())
        if not len(operators):
            return Decision(None, {"reason": "no action is applicable"})
        said, choice = self.policy.suggest(Situation(belief.truth, belief.known, operators, self._done))
        if choice is not None:
            return Decision(int(operators[choice]), {"said": said, "of": len(operators)})
        if said.lower() in _FINISHED:
            return Decision(None, {"reason": f"the model says that it is {said.lower()}, but the goal is not reached"})
        said = said[:80]
        self.policy.note(f'the model said "{said}", which is none of the actions it may name: a random one is taken')
        return Decision(int(self.rng.choice(operators)), {"said": said, "of": len(operators), "random": True})

    def observe(self, operator: int, observation: Observation) -> None:
        self.belief.update(operator, observation)
        if observation.applied:
            self._done = (*self._done, operator)
