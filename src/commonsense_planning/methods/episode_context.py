"""Shared parts of the methods that act: the task as the agent meets it, its English, the prior belief, limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from commonsense_planning.config import Actions
from commonsense_planning.elicitation.next_question import NextQuestions, Situation
from commonsense_planning.elicitation.prior import (
    AskedPrior,
    already_there,
    first_belief,
    not_yet,
    open_questions,
    placement_questions,
    stated_prior,
    uniform_prior,
)
from commonsense_planning.errors import LateError
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.unreachable import unreachable
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.methods.acting_options import PriorOptions
from commonsense_planning.methods.method import Estimate, Method, Observability, Request
from commonsense_planning.methods.run import Clock, Run, goal_in_words
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.relevance import Relevance
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp.agents import EpisodeAgent
from commonsense_planning.search.pomdp.look_order import tour
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.wording.questions import Question
from commonsense_planning.wording.verbalise import Verbaliser

SPARE = 30  # extra steps of an episode without a limit, besides those that looking at everything takes


class EpisodeContext(ABC):
    """What an agent needs to act in a world that it may see only in part, made from a request.

    ``task``, ``compiled``: the task with the observability of the request's method. ``say`` puts it into English.
    ``belief`` includes everything observed so far. A subclass provides the observations: ``SimulatedEpisode``, or
    reports from a real world. Raises InputError if the task cannot be grounded.
    """

    def __init__(self, request: Request, clock: Clock | None = None) -> None:
        clock = clock or Clock(request.seconds)
        self.request = request
        self.task, self.compiled = self.met()
        self.say = Verbaliser(self.task, request.task.lexicon)
        self.run = Run(request, self.say.scene(), clock)
        self.rng, self.matcher, self.note = self.run.rng, self.run.matcher, self.run.notes.add
        self.relevance = Relevance(self.task, self.compiled)
        self._prior: AskedPrior | None = None
        self.is_known_enough: Callable[[], bool] = lambda: False  # set by agents that use knowledge
        self.belief = self.believe(None)

    def met(self) -> tuple[GroundTask, Compiled]:
        """The task as the agent meets it."""
        task = self.request.task
        return task.all_seen if self.request.world is Observability.KNOWN else task.seen_in_part

    @property
    def move_rate(self) -> float:
        """The probability that a hidden thing has moved before an observation: the request's option, or 0, since in a
        simulated world nothing moves by itself."""
        return getattr(self.request.options, "move_rate", None) or 0.0

    @abstractmethod
    def recall(self, belief: Belief) -> None:
        """Updates a new belief with everything observed so far, the initial observation first."""

    def unreachable_reason(self, nowhere: Callable[[], str]) -> Callable[[], str]:
        """Why the goal is unreachable by what counts as known, in English: what is ``nowhere``, or else what can never
        become true; empty if nothing known speaks against it."""

        def told() -> str:
            belief, unknown = self.belief, ~self.belief.known
            if said := nowhere():
                return said
            why = unreachable(self.task, belief.truth | unknown, ~belief.truth | unknown, "now")
            self.run.explanation = why.chains
            return str(why)

        return told

    @property
    def model(self) -> LanguageModel:
        """The model that answers."""
        return self.run.model

    @property
    def description(self) -> str:
        """The task in English: the user's text, else the problem's, else the goal."""
        return self.request.instruction or self.request.task.problem.description or goal_in_words(self.task, self.say)

    def believe(self, answers: int | None, ask_again: bool = False, most: float = 1.0) -> Belief:
        """The initial belief, which becomes the agent's: the request's, else the task's, else the model's, from a
        number of answers to each relevant placement question, or the uniform one. ``ask_again``: also ask about a thing
        that was not found in its likely places. ``most``: the share of a thing's weight, at most, on places where the
        goal wants it, unless the prior is the request's or the task's. Raises BudgetError like
        ``LanguageModel.ask``."""
        seen, say, run = self.compiled.sensors, self.say, self.run

        def name(group: int) -> str:
            return " ".join(say.name(o) for o in say.subject(seen.groups.row(group)))

        given = stated_prior(seen) if self.request.prior is None else self.request.prior
        there = already_there(self.task, seen, say) if most < 1 else np.zeros(self.task.fact_count, np.bool_)
        prior = not_yet(seen, uniform_prior(seen), there, most) if given is None else given
        self.belief = first_belief(self.compiled, prior, name, self.request.task.sensing, self.move_rate)
        self.recall(self.belief)
        if answers is not None and given is None:
            self._prior = AskedPrior(self.relevance, say, run.model, answers, ask_again, there, most, self.note)
            self.update_prior()
        return self.belief

    def believe_as_chosen(self) -> Belief:
        """The initial belief, by the request's ``PriorOptions``: the model's prior, or the uniform one."""
        options, models = self.request.options_as(PriorOptions), self.request.models
        most = models.config.most_there(options.already_there)
        if not options.asks_prior:
            return self.believe(None, most=most)
        if self.compiled.sensors.prior is not None and self.request.prior is None:
            self.note("the initial belief is the prior in sensors.pddl: no model is asked for it")
        return self.believe(options.placement_answers(models), options.ask_again, most)

    def update_prior(self) -> None:
        """Asks the model about what has become relevant, if the prior is the model's, as long as not enough is known;
        what it does not answer in time is asked again next time."""
        if self._prior is not None and not self.is_known_enough():
            try:
                self._prior.update(self.belief)
            except LateError as late:
                self.note(str(late))

    def forecast(
        self, question: Question | None = None, asked: tuple[int, int] = (0, 0), answer_tokens: int = 0
    ) -> Estimate:
        """The cost of the questions for the initial prior, by the request's ``PriorOptions``, and of ``asked[0]`` to
        ``asked[1]`` questions that are about as long as ``question``."""
        options = self.request.options_as(PriorOptions)
        if not options.asks_prior or self.compiled.sensors.prior is not None:
            return self.run.estimate(question, asked, answer_tokens)
        about = open_questions(self.relevance, self.belief)
        placements = [*placement_questions(self.compiled.sensors, self.say, about)]
        answers = options.placement_answers(self.request.models)
        return self.run.estimate(question, asked, answer_tokens, placements, answers)

    def start(self, seen: Sequence[str]) -> None:
        """The first event of the trace: the task's size, and what was ``seen`` initially, as PDDL."""
        task, hidden = self.task, int(self.compiled.hidden.sum())
        self.run.start(operators=task.operator_count, facts=task.fact_count, hidden=hidden, seen=[*seen])

    def step_limit(self, given: int | None) -> int:
        """The limit on steps: ``given``, else ``SPARE`` plus twice the steps that it takes to look at everything that
        may be relevant, nearest first, then to reach the goal in the most likely world, and for each further part of
        the goal to carry out the longest sensing macro."""
        if given is not None:
            return given
        looking = fetching = 0
        if self.compiled.sensors.by_worlds:
            looking = 2 * int(self.compiled.hidden.sum())
        elif self.compiled.sensors.partial:
            sensing = SensingMacros(self.task, self.compiled, self.belief)
            looking = tour(sensing)
            fetching = sensing.farthest * max(0, sensing.most_parts - 1)
        return SPARE + 2 * (looking + self._imagined_steps() + fetching)

    def fewest_steps(self, most: int) -> int:
        """The length of a plan in the most likely world when nothing is known; ``most`` if none is found."""
        return min(most, self._imagined_steps() or most)

    def _imagined_steps(self) -> int:
        result = BestFirst(self.compiled).gbfs(self.belief.most_likely(), Limits(evaluations=5000))
        return len(result.operators or ())

    def first_question(self, actions: Actions = Actions.RELEVANT) -> Question:
        """The question that a model would be asked at the first decision, if it may name these ``actions``."""
        belief = self.belief
        here = Situation(belief.truth, belief.known, belief.transition.applicable(belief.state()), ())
        return self.next_questions(actions).choice(here).question

    def next_questions(self, actions: Actions = Actions.RELEVANT) -> NextQuestions:
        """The object that asks for the next action, which may be one of these ``actions``."""
        return NextQuestions(self.task, self.compiled, self.say, self.request.instruction, actions)


@runtime_checkable
class ActingMethod(Method, Protocol):
    """A method that decides step by step, and therefore can also act in a real world (``agent``)."""

    def agent(self, acting: EpisodeContext) -> EpisodeAgent:
        """The agent that decides, by the request's options."""
