"""What the methods that act share: the task as the agent meets it, initial observation, prior belief, an episode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from commonsense_planning.config import POLICY_SAMPLES, Actions, Options, Source, option
from commonsense_planning.elicitation.next_question import NextQuestions, Situation
from commonsense_planning.elicitation.prior import AskedPrior, open_questions, placement_questions, uniform_prior
from commonsense_planning.errors import BudgetError, LateError, Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.models import Models
from commonsense_planning.methods.episode import PlanningEpisode
from commonsense_planning.methods.method import Method, Request, Solution, World
from commonsense_planning.methods.run import Clock, Run, goal_in_words
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.pomdp.relevance import Relevance
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp.agents import Agent
from commonsense_planning.search.pomdp.look_order import tour
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.wording.questions import Question
from commonsense_planning.wording.verbalise import Verbaliser

SPARE = 30  # steps of an episode without a limit of its own, beside those that it takes to look at everything


@dataclass(frozen=True)
class ActingOptions(Options):
    """Of all who act."""

    max_steps: int | None = option(
        None, "Actions of the episode at most [default: enough to look at everything, more than once].", least=1
    )


@dataclass(frozen=True)
class SamplingOptions(Options):
    """Of those who draw answers, of either kind below."""

    samples: int | None = option(None, "Answers that are drawn per question, whatever it is about.", least=1)


@dataclass(frozen=True)
class PriorOptions(SamplingOptions):
    """Of those whose prior is the model's."""

    prior_samples: int | None = option(
        None,
        "Answers that are drawn per placement question [default: what suits the model; see cplan models].",
        least=1,
    )

    ask_again: bool = option(True, "Do not ask the model again where a thing is that was looked for in vain.")

    @property
    def asks_prior(self) -> bool:
        """Whether the model is asked for it."""
        return True

    def placement_answers(self, models: Models) -> int:
        """How many answers are drawn per placement question."""
        return self.prior_samples or self.samples or models.adapter.prior_samples


@dataclass(frozen=True)
class PolicyOptions(SamplingOptions):
    """Of those whose policy is the model's, mixed with the uniform one: ``mixing`` is λ."""

    mixing: float = option(
        0.5, "Share of the uniform policy, mixed with the model's or its stand-in's.", "--lambda", least=0, most=1
    )
    policy_samples: int | None = option(
        None, f"Answers that are drawn per action question [default: {POLICY_SAMPLES}].", least=1
    )

    @property
    def action_answers(self) -> int:
        """How many answers are drawn per action question."""
        return self.policy_samples or self.samples or POLICY_SAMPLES


@dataclass(frozen=True)
class PriorAblation(PriorOptions):
    """Of those whose prior can be taken away, as in the paper's ablations (section 3.2, Table 2)."""

    prior: Source = option(Source.MODEL, "Whose prior: the model's, or the uniform one.")
    observable: bool = option(False, "Know the true world from the start.")

    @property
    def asks_prior(self) -> bool:
        return self.prior is Source.MODEL and not self.observable


@dataclass(frozen=True)
class PolicyAblation(PolicyOptions):
    """Of those whose policy can be taken away, likewise."""

    policy: Source = option(Source.MODEL, "Whose policy: the model's, or the uniform one.")

    @property
    def asks_policy(self) -> bool:
        """Whether the model is asked for it."""
        return self.policy is Source.MODEL


@dataclass(frozen=True)
class NamingOptions(Options):
    """Of the paper's methods that ask what comes next: its answers are compared with all admissible actions (section
    2.3)."""

    actions: Actions = option(
        Actions.ALL,
        "Applicable actions that a model is asked about and its answer may name: all, or those that bear on the goal.",
    )


class Acting:
    """A run of an agent in a world that it may not see whole.

    ``task``, ``compiled``: the task as it is met by one who is given what the request's method is. ``say`` words it.
    ``belief`` has all that was seen so far. Raises InputError for what cannot be grounded.
    """

    def __init__(self, request: Request, clock: Clock | None = None) -> None:
        clock = clock or Clock(request.seconds)
        self.request = request
        self.task, self.compiled = self.met()
        self.say = Verbaliser(self.task, request.task.lexicon)
        self.run = Run(request, self.say.scene(), clock)
        self.rng, self.matcher, self.note = self.run.rng, self.run.matcher, self.run.notes.add
        self._relevance = Relevance(self.task, self.compiled)
        self._prior: AskedPrior | None = None
        self.belief = self.believe(None)

    def met(self) -> tuple[GroundTask, Compiled]:
        """The task as the agent meets it."""
        task = self.request.task
        return task.all_seen if self.request.world is World.KNOWN else task.seen_in_part

    def recall(self, belief: Belief) -> None:
        """Let a new belief take in all that was seen so far: the initial observation in the task's true world."""
        belief.update(None, self._first)

    @cached_property
    def _environment(self) -> Environment:
        errors = np.random.default_rng([self.request.seed, 1])  # the sensors': what the agent draws changes them not
        return Environment(self.compiled, self.task.init, self.request.task.sensing, errors)

    @cached_property
    def _first(self) -> Observation:
        return self._environment.look()

    @property
    def model(self) -> LanguageModel:
        """The one that answers."""
        return self.run.model

    @property
    def description(self) -> str:
        """The task in words: the user's, else the problem's, else the goal."""
        return self.request.instruction or self.request.task.problem.description or goal_in_words(self.task, self.say)

    def believe(self, answers: int | None, ask_again: bool = False) -> Belief:
        """The belief to start with, which is the agent's from here on: the request's, else the model's, by so many
        answers to each placement question about what matters, or the uniform one. ``ask_again``: also about what was
        looked for in vain. Raises BudgetError as ``LanguageModel.ask`` does."""
        seen, say, run = self.compiled.sensors, self.say, self.run

        def name(group: int) -> str:
            return " ".join(say.name(o) for o in say.subject(seen.groups.row(group)))

        self.belief = Belief(self.compiled, self.request.prior or uniform_prior(seen), name, self.request.task.sensing)
        self.recall(self.belief)
        if answers is not None and self.request.prior is None:
            self._prior = AskedPrior(self._relevance, say, run.model, answers, ask_again, self.note)
            self.update_prior()
        return self.belief

    def believe_as_chosen(self) -> Belief:
        """The belief to start with, by the request's ``PriorOptions``: the model's prior, or the uniform one."""
        options: PriorOptions = self.request.options
        if not options.asks_prior:
            return self.belief
        return self.believe(options.placement_answers(self.request.models), options.ask_again)

    def update_prior(self) -> None:
        """Ask the model about what has come to matter, if the prior is its own; about what it does not answer in time,
        next time again."""
        if self._prior is not None:
            try:
                self._prior.update(self.belief)
            except LateError as late:
                self.note(str(late))

    def act(self, make: Callable[[Acting], Agent], max_steps: int | None, simulations: int | None = None) -> Solution:
        """Make the agent and let it act. ``max_steps``: see ``step_limit``; ``simulations``: how many there are to
        a decision, for the progress."""
        run, report = self.run, self.request.report
        done: tuple[int, ...] = ()
        try:
            run.clock.check()
            most = self.step_limit(max_steps)
            agent = self.request.observer.watch(make(self), self.say, self.belief, self._relevance)
            run.notes.sources = (self.belief.take_notes, run.model.take_notes)
            run.start(
                operators=self.task.operator_count,
                facts=self.task.fact_count,
                hidden=int(self.compiled.hidden.sum()),
                seen=[str(self.task.fact_step(f)) for f, value in self._first.readings if value],
            )
            episode = PlanningEpisode(
                self._environment,
                agent,
                self.belief,
                self.say,
                self.request.emit,
                run.notes.take,
                self.update_prior,
                lambda n: report("simulations", n, simulations),
                must_know=bool(self.request.task.contingent.atoms),
            )
            result = episode.run(self._first, most, run.clock.check)
            status, reason, done = result.status, result.reason, result.operators
        except BudgetError as error:  # before the first step
            status, reason = Status.BUDGET, str(error)
            run.end(status, 0, reason)
        counts = {"operators": self.task.operator_count, "facts": self.task.fact_count}
        solution = run.solution(
            status, self.task.plan(done), reason, reported=True, unmatched=self.matcher.unmatched, **counts
        )
        return solution if run.model.usage.questions else replace(solution, model="", model_note="", usage=None)

    def placements(self) -> tuple[list[Question], int]:
        """The questions that the prior rests on at first, by the request's ``PriorOptions``, and how many answers to
        each; none where the prior is not the model's."""
        options: PriorOptions = self.request.options
        if not options.asks_prior:
            return [], 0
        about = open_questions(self._relevance, self.belief)
        questions = placement_questions(self.compiled.sensors, self.say, about)
        return [*questions], options.placement_answers(self.request.models)

    def step_limit(self, given: int | None) -> int:
        """How many steps there may be: those ``given``, else twice as many as it takes to look at everything that could
        matter, nearest first, then to reach the goal in the first world that comes to mind, and for each further part
        of the goal to carry out the longest sensing macro, and ``SPARE``."""
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
        """The length of a plan in the first world that comes to mind when nothing is known; ``most`` if none is
        found."""
        return min(most, self._imagined_steps() or most)

    def _imagined_steps(self) -> int:
        result = BestFirst(self.compiled).gbfs(self.belief.most_likely(), Limits(evaluations=5000))
        return len(result.operators or ())

    def first_question(self, actions: Actions = Actions.RELEVANT) -> Question:
        """What a model would be asked at the first decision, if it may name these ``actions``."""
        belief = self.belief
        here = Situation(belief.truth, belief.known, belief.transition.applicable(belief.state()), ())
        return self.next_questions(actions).choice(here).question

    def next_questions(self, actions: Actions = Actions.RELEVANT) -> NextQuestions:
        """What puts the question what to do next, to who may name these ``actions``."""
        return NextQuestions(self.task, self.compiled, self.say, self.request.instruction, actions)


@runtime_checkable
class ActingMethod(Method, Protocol):
    """A method that decides step by step, and so can also act in a world that is not simulated (``agent``)."""

    def agent(self, acting: Acting) -> Agent:
        """What decides, by its options, which are the request's."""
