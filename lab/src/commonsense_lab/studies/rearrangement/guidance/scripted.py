"""A scripted model: prior and policy of known quality, to measure what a better or a worse model is worth to a method.

It knows the true world and the agent's belief, and it names actions without words, so that it can tell equal things
apart: no language model does so, and it is not an adapter. A run's observer puts it in place of the model and its
policy. The methods do not know how good it is."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from commonsense_planning.elicitation.next_question import Situation
from commonsense_planning.elicitation.policies import Advice, AdvisedPolicy, PolicyOf
from commonsense_planning.elicitation.prior import model_prior
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.model import LanguageModel, Usage
from commonsense_planning.llm.weights import AnswerCount, Weights
from commonsense_planning.matching.matcher import Matcher, Similarities
from commonsense_planning.methods.observer import Observer
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.pomdp.relevance import Relevance
from commonsense_planning.search.pomdp.agents import EpisodeAgent, MctsAgent
from commonsense_planning.search.pomdp.belief_search import BeliefSearchAgent
from commonsense_planning.search.pomdp.look_order import chance_by_cost
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.state import State, StateView, make_state, state_of
from commonsense_planning.task import Task
from commonsense_planning.wording.questions import NextAction, Placement, Question
from commonsense_planning.wording.verbalise import Verbaliser


class PolicyKind(StrEnum):
    """How a policy plans, by the agent's belief or by the true world (``KNOWING``), and errs, by an action drawn at
    random or always by its favourite (``STUBBORN``), in an order drawn once an episode."""

    BELIEVING = "believing"
    STUBBORN = "stubborn"
    KNOWING = "knowing"


@dataclass(frozen=True)
class PolicyQuality:
    """With probability ``q`` an answer is a plan's first action among those asked about, else it is wrong."""

    q: float
    kind: PolicyKind = PolicyKind.BELIEVING

    @classmethod
    def read(cls, text: str) -> PolicyQuality:
        """Reads "0.5" or "0.5:stubborn". Raises UsageError for anything else."""
        number, _, kind = text.partition(":")
        try:
            return cls(quality(number), PolicyKind(kind or PolicyKind.BELIEVING))
        except ValueError as error:
            kinds = " or :".join(PolicyKind)
            raise UsageError(f"a policy is a number from 0 to 1, or that and :{kinds}: {text}") from error

    def __str__(self) -> str:
        return f"{self.q:g}" if self.kind is PolicyKind.BELIEVING else f"{self.q:g}:{self.kind}"


OWN = "embedded"
"""In place of a prior's quality: the embedded model's own prior."""


def quality(text: str) -> float:
    """Reads a number from 0 to 1. Raises ValueError for anything else."""
    if not 0 <= float(text) <= 1:
        raise ValueError(text)
    return float(text)


class ScriptedModel:
    """Says only where things are, by a prior of quality ``prior``, or as another model does.

    For each kind of thing it gives the share ``prior`` to one place, and the rest to all equally. With probability
    ``prior`` that is a place where a thing of the kind is, else one drawn uniformly: its answers are calibrated. All
    samples of a question are one answer: a model's mistakes depend on each other."""

    name = "scripted"
    note = "answers of known quality, no language model"

    def __init__(self, task: Task, prior: float | LanguageModel, usage: Usage, seed: int) -> None:
        self.usage = usage
        self._prior, self._seed = prior, seed
        self._true: defaultdict[str, list[str]] = defaultdict(list)
        grounded, compiled = task.seen_in_part
        say, groups = Verbaliser(grounded, task.lexicon), compiled.sensors.groups
        for members in map(groups.row, range(len(groups))):
            thing = say.subject(members)
            there = (say.place(fact, thing) for fact in members.tolist() if grounded.init[fact])
            self._true[" ".join(map(say.name, thing))] += there

    def answers(self, kind: type[Question]) -> bool:
        """Answers placements; a policy can be asked, though not in words."""
        return issubclass(kind, Placement | NextAction)

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        """Returns what weighs most, ``n`` times."""
        return [[weights.first] * n if weights.said else [] for weights in self.weigh(questions, n)]

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        """Returns the weights of places."""
        if not isinstance(self._prior, float):
            return self._prior.weigh(questions, n)
        self.usage.questions += len(questions)
        return [Weights.of_shares(q.options, self._shares(q, self._prior), n) for q in questions]

    def take_notes(self) -> list[str]:
        """Returns no notes."""
        return []

    def _shares(self, question: Question, prior: float) -> list[float]:
        if not isinstance(question, Placement):
            return [0.0] * len(question.options)
        there = [place for place in question.places if place in self._true[question.thing]]
        about = zlib.crc32(f"{question.thing}: {', '.join(question.places)}".encode())
        rng = np.random.default_rng([self._seed, about])  # whoever asks, and when
        right = rng.random() < prior
        named = rng.choice(there if right and there else question.places)
        return [prior * (place == named) + (1 - prior) / len(question.places) for place in question.places]


def belief_of(model: LanguageModel, task: Task) -> list[Floats]:
    """Asks the model where all things are, before anything is seen."""
    grounded, compiled = task.seen_in_part
    return model_prior(compiled.sensors, Verbaliser(grounded, task.lexicon), model, 1)


class _Exact(Matcher):
    """Of texts that are equal or not."""

    name, least = "exact", 1.0

    def similarities(self, text: str, options: Sequence[str]) -> Similarities:
        return np.array([float(text == option) for option in options])


class ScriptedPolicy(AdvisedPolicy):
    """A policy of known quality in place of the one ``asked`` otherwise; its answers count in ``usage``."""

    owner = PolicyOf.MODEL

    def __init__(
        self, policy: PolicyQuality, task: Task, belief: Belief, usage: Usage, seed: int, asked: AdvisedPolicy
    ) -> None:
        super().__init__(_Exact(), asked.mixing, asked.samples)
        self._quality, self._usage, self._seed = policy, usage, seed
        self._rng = np.random.default_rng([seed, 1])
        self._belief = belief
        grounded, compiled = task.seen_in_part
        self._sensing = SensingMacros(grounded, compiled, belief)
        self._true = make_state(compiled, grounded.init, np.ones_like(grounded.init))
        self._plans: dict[bytes, tuple[int, ...]] = {}

    def advice(self, situations: Sequence[Situation], n: int) -> list[Advice]:
        """Answers each once, ``n`` times: a model's mistakes depend on each other."""
        self._usage.questions += len(situations)
        return [self._advice(situation, n) for situation in situations]

    def _advice(self, situation: Situation, n: int) -> Advice:
        operators = situation.operators.tolist()
        counts = [AnswerCount(str(self._said(situation, operators)), n, (0,))]
        return Advice(tuple(map(str, operators)), np.arange(len(operators), dtype=np.int32), counts)

    def _said(self, situation: Situation, operators: list[int]) -> int:
        if self._rng.random() < self._quality.q:
            plan = self.plan(make_state(self._belief.task, situation.truth, situation.known))
            named = [operator for operator in plan if operator in operators]
            if named:
                return named[0]
        if self._quality.kind is PolicyKind.STUBBORN:
            return min(operators, key=lambda o: zlib.crc32(f"{self._seed} {o}".encode()))
        return int(self._rng.choice(operators))

    def plan(self, state: State) -> tuple[int, ...]:
        """Returns what it would do from here without errors."""
        return self._knowing(state) if self._quality.kind is PolicyKind.KNOWING else self._believing(state)

    def _knowing(self, state: State) -> tuple[int, ...]:
        """Plans in the true world, or continues an earlier plan that led here."""
        here, true = StateView(self._belief.task, state), StateView(self._belief.task, self._true)
        world = state_of(self._belief.task, here.true | true.true & ~here.known, here.known)
        if world.tobytes() not in self._plans:
            plan = self._sensing.shorter_plan(world) or ()
            for done, passed in enumerate(self._belief.transition.trajectory(world, plan)):
                self._plans[passed.tobytes()] = plan[done:]
        return self._plans[world.tobytes()]

    def _believing(self, state: State) -> tuple[int, ...]:
        """Plans by what is known, or takes the sensing macro of the highest chance by its cost."""
        plan = self._sensing.shorter_plan(state)
        macros = () if plan else [macro for macro in self._sensing.macros(state) if macro is not None]
        best = max(macros, key=lambda macro: chance_by_cost(self._sensing, self._belief, macro), default=None)
        return plan or (() if best is None else best.operators)


def scripted(task: Task, prior: float | str, model: LanguageModel, seed: int) -> ScriptedModel:
    """Returns a scripted model in place of ``model``, with the prior of ``model`` if ``prior`` is ``OWN``."""
    return ScriptedModel(task, model if isinstance(prior, str) else prior, model.usage, seed)


class StandIn(Observer):
    """Puts a scripted model where a run would ask one."""

    def __init__(self, task: Task, prior: float | str, policy: PolicyQuality, seed: int) -> None:
        self._task, self._prior, self._policy, self._seed = task, prior, policy, seed

    def listen(self, model: LanguageModel) -> LanguageModel:
        self._usage = model.usage
        return scripted(self._task, self._prior, model, self._seed)

    def watch(self, agent: EpisodeAgent, say: Verbaliser, belief: Belief, relevance: Relevance) -> EpisodeAgent:
        decides = agent.other if isinstance(agent, BeliefSearchAgent) else agent
        place: Any = decides.mcts if isinstance(decides, MctsAgent) else decides
        asked = getattr(place, "policy", None)
        if isinstance(asked, AdvisedPolicy):
            place.policy = ScriptedPolicy(self._policy, self._task, belief, self._usage, self._seed, asked)
        return agent
