"""How agents put the parts together: ground, compile, believe, search, act."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from commonsense_planning.config import RolloutKind
from commonsense_planning.errors import BudgetError
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.matching.matching import Matcher, matcher_named
from commonsense_planning.methods.episode import PlanningEpisode
from commonsense_planning.methods.registry import Request, Solution, Source
from commonsense_planning.methods.searching import plan_of
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.pomdp.prior import model_prior, uniform_prior
from commonsense_planning.search.agents import Agent, Hope, MctsAgent, PolicyAgent, ReplanAgent
from commonsense_planning.search.best_first import BestFirst, Limits
from commonsense_planning.search.mcts import Mcts
from commonsense_planning.search.outlook import Outlook
from commonsense_planning.search.parallel_mcts import ParallelMcts
from commonsense_planning.search.policies import ModelPolicy, Policy, UniformPolicy
from commonsense_planning.search.program import ProgramAgent, ProgramReader, program_question
from commonsense_planning.search.result import Status
from commonsense_planning.search.rollouts import RelaxedPlanRollout, UniformRollout
from commonsense_planning.search.uniform_mcts import UniformMcts
from commonsense_planning.wording.verbalise import Verbaliser


def act(request: Request) -> Solution:
    """An agent in a world that it may not see whole."""
    clock = Clock(request.seconds)
    method, config = request.method, request.config
    task, compiled = request.task.all_seen if method.observable else request.task.seen_in_part
    rng = np.random.default_rng(request.seed)
    say = Verbaliser(task, request.task.lexicon)
    matcher = matcher_named(request.models.config.matcher)
    notes = Notes()
    model = request.models.open(say.scene(), request.task.prompts, matcher, rng)
    request.models.stop_at(clock.end)
    notes.sources = (model.take_notes,)

    environment = Environment(compiled, task.init)
    first = environment.look()
    seen = compiled.sensors
    done: tuple[int, ...] = ()
    try:
        clock.check()
        # what the embedded model says comes next rests on where it believes things to be
        prior = (
            model_prior(seen, say, model, matcher, config.prior_samples, notes.add)
            if method.prior == Source.MODEL or (method.kind == "policy" and request.models.config.embedded)
            else uniform_prior(seen)
        )
        belief = Belief(compiled, prior, lambda g: " ".join(say.name(o) for o in say.subject(seen.groups.row(g))))
        belief.update(None, first)
        notes.sources = (belief.take_notes, model.take_notes)
        planner = BestFirst(compiled)
        agent = _agent(request, task, compiled, planner, belief, model, say, matcher, rng, notes)
        request.emit(_start(request, task, belief, first, model, notes))
        episode = PlanningEpisode(
            environment, agent, belief, say, request.emit, notes.take, lambda n: request.report("simulations", n)
        )
        result = episode.run(first, config.max_steps, clock.check)
        status, reason, done = result.status, result.reason, result.operators
    except BudgetError as error:  # before the first step
        status, reason = Status.BUDGET, str(error)
        request.emit({"event": "end", "status": str(status), "steps": 0, "reason": reason, "notes": notes.take()})
    used = model.usage.questions > 0
    return Solution(
        status,
        plan_of(task, done),
        0.0,
        reason,
        model.name if used else "",
        model.note if used else "",
        model.usage if used else None,
        request.models.usd,
        matcher.unmatched,
        task.operator_count,
        task.fact_count,
    )


class Clock:
    """The time that a run may take."""

    def __init__(self, seconds: float | None) -> None:
        self.end = math.inf if seconds is None else time.monotonic() + seconds

    def check(self) -> None:
        """Raises BudgetError if the time is up."""
        if time.monotonic() > self.end:
            raise BudgetError("the time is up")


class Notes:
    """What an honest trace should say, from all that have something to say."""

    def __init__(self) -> None:
        self.sources: tuple[Callable[[], list[str]], ...] = ()
        self._added: list[str] = []

    def add(self, text: str) -> None:
        """Note something."""
        self._added.append(text)

    def take(self) -> list[str]:
        """The notes since the last call."""
        added, self._added = self._added, []
        return [*(note for source in self.sources for note in source()), *added]


def _agent(
    request: Request,
    task: GroundTask,
    compiled: Compiled,
    planner: BestFirst,
    belief: Belief,
    model: LanguageModel,
    say: Verbaliser,
    matcher: Matcher,
    rng: np.random.Generator,
    notes: Notes,
) -> Agent:
    method, config = request.method, request.config
    if method.kind == "replan":
        return ReplanAgent(planner, belief, rng, Limits(request.seconds))
    if method.kind == "learned" and request.weights is not None:
        from commonsense_planning.learning.agent import learned_agent

        instruction = request.instruction or request.task.problem.description or goal_in_words(task, say)
        return learned_agent(request.weights, instruction, say, belief)
    if method.kind == "program":
        description = request.description or request.instruction or request.task.problem.description
        description = description or goal_in_words(task, say)
        reader = ProgramReader(task, say, matcher, notes.add)
        return ProgramAgent(model, program_question(task, description), reader, belief, notes.add)
    outlook = Outlook(task, planner, belief, rng)
    policy: Policy = UniformPolicy()
    if method.policy == Source.MODEL:
        goal = request.instruction or goal_in_words(task, say)
        policy = ModelPolicy(model, say, matcher, outlook, goal, config.mixing, config.policy_samples, notes.add)
        if method.kind == "policy":
            return PolicyAgent(policy, belief, rng)
    kind, choose = request.rollout or method.rollout, request.choose or method.choose
    parallel, hope = request.models.config.parallel, Hope(planner, belief, outlook)
    uniform = UniformRollout(compiled, rng) if kind == RolloutKind.UNIFORM else None
    search: Mcts
    if uniform is None or parallel > 1:
        rollout = uniform or RelaxedPlanRollout(outlook)
        search = ParallelMcts(compiled, belief, policy, rollout, config, choose, rng, parallel)
    elif method.policy == Source.UNIFORM:
        search = UniformMcts(compiled, belief, uniform, config, choose, rng)
    else:
        search = Mcts(compiled, belief, policy, uniform, config, choose, rng)
    return MctsAgent(search, hope)


def goal_in_words(task: GroundTask, say: Verbaliser) -> str:
    """The first of the ways to reach the goal, in English."""
    if not len(task.goal.pos):
        return ""
    wanted = [(int(f), True) for f in task.goal.pos.row(0)] + [(int(f), False) for f in task.goal.neg.row(0)]
    return " and ".join(say.fact(fact, value) for fact, value in wanted)


def start_event(request: Request, model: LanguageModel, **told: object) -> dict[str, object]:
    """The first event of a trace: what is to be done and by whom, and what else there is to tell."""
    return {
        "event": "start",
        "domain": request.task.problem.domain_name,
        "problem": request.task.problem.problem_name,
        "method": request.method.name,
        "model": model.name,
        "seed": request.seed,
        **told,
    }


def _start(
    request: Request, task: GroundTask, belief: Belief, first: Observation, model: LanguageModel, notes: Notes
) -> dict[str, object]:
    """How an agent starts: with what it sees of what is hidden, and what went wrong so far."""
    hidden = belief.task.hidden
    return start_event(
        request,
        model,
        operators=task.operator_count,
        facts=task.fact_count,
        hidden=int(hidden.sum()),
        seen=[str(task.fact_step(f)) for f, value in first.readings if value],
        notes=notes.take(),
    )
