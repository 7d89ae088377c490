"""Hindsight planning (determinisation; Yoon, Fern, Givan and Kambhampati 2008): worlds are drawn from the belief, and
in each, as if it were known, cplan's planner gives its first action.

A plan for one world serves every state along it, so plans are stored by state. Only the groups that can change the plan
(``pomdp.relevance``) are sampled; all else has its most likely value, and is ignored when states are compared. So few
worlds differ, and few plans are made. If a model cannot be asked for the next action, the first actions of these plans
replace its policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from commonsense_planning.elicitation.next_question import NextQuestions, Situation
from commonsense_planning.elicitation.policies import Advice, AdvisedPolicy, ModelPolicy, PolicyOf
from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.llm.model import LanguageModel, Usage
from commonsense_planning.llm.weights import AnswerCount
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.relevance import Relevance
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.state import State, fact_set, state_of
from commonsense_planning.wording.questions import NextAction
from commonsense_planning.wording.verbalise import Verbaliser

HYPOTHESES = 3  # sampled worlds per proposed action, which is the first of the shortest plan
_LIMITS = Limits(evaluations=5000)


@dataclass(frozen=True)
class PlanHead:
    """The beginning of a plan: its ``first`` operator, and its ``length`` in operators."""

    first: int
    length: int


class HindsightPlanner:
    """Plans in sampled worlds, stored by state for one episode."""

    def __init__(self, task: GroundTask, planner: BestFirst, belief: Belief, rng: np.random.Generator) -> None:
        self.planner = planner
        self.belief = belief
        self._rng = rng
        self._kept: dict[bytes, PlanHead | None] = {}
        compiled = planner.task
        self._relevant, about, _ = Relevance(task, compiled).of(belief.truth, belief.known)
        sensed = compiled.hidden.copy()
        sensed[: len(about)] &= about
        self._mask = state_of(compiled, fact_set(compiled, sensed | ~compiled.hidden), fact_set(compiled, sensed))

    def first_operators(self, situation: Situation, n: int) -> list[int]:
        """At most ``n`` operators: each the first of the shortest of ``HYPOTHESES`` plans in ``n`` sampled worlds; none
        where there is no plan.

        Of places with similar probabilities, the nearest is searched first. Otherwise an agent would go where most of
        the remaining belief is, which is elsewhere wherever it is, and walk from room to room.
        """
        plans = [plan for plan in map(self.plan, self.worlds(situation, n)) if plan is not None]
        few = min(HYPOTHESES, len(plans))
        chances = ([plans[i - k] for k in range(few)] for i in range(len(plans)))
        return [min(chance, key=lambda plan: plan.length).first for chance in chances]

    def plan(self, state: State) -> PlanHead | None:
        """The plan from ``state`` in its world; None if cplan's planner finds none."""
        transition = self.belief.transition
        key = self._key(state)
        kept = self._kept.get(key)
        if key in self._kept and (kept is None or transition.is_applicable(state, kept.first)):
            return kept
        result = self.planner.gbfs(state, _LIMITS)
        if result.status != Status.SOLVED or not result.operators:
            self._kept[key] = None
            return None
        for done, passed in enumerate(transition.trajectory(state, result.operators)[:-1]):
            self._kept[self._key(passed)] = PlanHead(result.operators[done], len(result.operators) - done)
        return self._kept[key]

    def _key(self, state: State) -> bytes:
        return (state & self._mask).tobytes()

    def worlds(self, situation: Situation, n: int) -> list[State]:
        """``n`` sampled worlds that agree with the knowledge, as states."""
        distributions = self.belief.distributions(situation.known)
        rows = np.flatnonzero(distributions.any(axis=1))
        if len(rows):
            likeliest = np.zeros_like(distributions)
            likeliest[rows, np.argmax(distributions[rows], axis=1)] = 1.0
            distributions = np.where(self._relevant[:, None], distributions, likeliest)
        sampler = self.belief.sampler(situation.truth, situation.known, distributions)
        return [sampler.draw(self._rng) for _ in range(n)] if sampler.open else [sampler.state] * n


class PlanPolicy(AdvisedPolicy):
    """For a model that cannot be asked for the next action: the first actions of plans in worlds drawn from the belief
    replace its answers. They count as questions in its ``usage``."""

    owner = PolicyOf.PLANNER

    def __init__(
        self,
        hindsight: HindsightPlanner,
        usage: Usage,
        verbaliser: Verbaliser,
        matcher: Matcher,
        mixing: float,
        samples: int,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        super().__init__(matcher, mixing, samples, note)
        self.say, self.hindsight, self.usage = verbaliser, hindsight, usage

    def advice(self, situations: Sequence[Situation], n: int) -> list[Advice]:
        self.usage.questions += len(situations)
        found = []
        for situation in situations:
            actions = tuple(self.say.action(int(o)) for o in situation.operators)
            said = [AnswerCount(self.say.action(o), 1, (o,)) for o in self.hindsight.first_operators(situation, n)]
            found.append(Advice(actions, np.arange(len(actions), dtype=np.int32), said))
        return found


def policy_of(
    model: LanguageModel,
    questions: NextQuestions,
    hindsight: HindsightPlanner,
    matcher: Matcher,
    mixing: float,
    samples: int,
    note: Callable[[str], None] = lambda text: None,
) -> AdvisedPolicy:
    """The policy of a model: its own answers, or plans in sampled worlds if it cannot be asked for the next action."""
    if model.answers(NextAction):
        return ModelPolicy(model, questions, matcher, mixing, samples, note)
    note(f"{model.name} cannot be asked for the next action: first actions of plans replace its policy")
    return PlanPolicy(hindsight, model.usage, questions.say, matcher, mixing, samples, note)
