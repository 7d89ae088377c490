"""What a run would ask a model and cost, before anything is spent.

Placement questions are known exactly. How many action questions there will be is not: a decision of a tree search asks
about as many nodes as it visits twice, a fifth of the simulations as a rule and never more than all of them; and an
episode takes at least as many steps as a plan for a world that nothing is known about, and never more than its limit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from commonsense_planning.errors import UsageError
from commonsense_planning.kernels.engine import applicable
from commonsense_planning.llm.completion import CHARACTERS_PER_TOKEN
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.llm.questions import Question
from commonsense_planning.matching.matching import matcher_named
from commonsense_planning.methods.registry import TRAVELLING, Request, Source
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.prior import placement_questions, uniform_prior
from commonsense_planning.search.best_first import BestFirst, Limits
from commonsense_planning.search.outlook import Outlook
from commonsense_planning.search.policies import ModelPolicy, Situation
from commonsense_planning.search.program import program_question
from commonsense_planning.studies.travelling.journey import Journey
from commonsense_planning.studies.travelling.travel import travel_of
from commonsense_planning.wording.verbalise import Verbaliser, Wording

ANSWER_TOKENS = 12  # of one answer, as models usually give them
PROGRAM_TOKENS = 250  # of a program, as models usually write them
ROUTE_TOKENS = 20  # of a route with a change or two
NAME_TOKENS = 4  # of the name of a place
USUAL_SHARE = 0.2  # of the simulations of a decision that ask a question


@dataclass(frozen=True)
class Estimate:
    """``low`` and ``high`` bounds of calls, tokens and US dollars (None if the price is not known); ``placements`` is
    the number of placement questions, which all runs ask."""

    placements: int
    calls: tuple[int, int]
    prompt_tokens: tuple[int, int]
    completion_tokens: tuple[int, int]
    usd: tuple[float, float] | None


def estimate(request: Request) -> Estimate:
    """Estimate what ``request`` would cost; no call is made. Raises UsageError for a method or model that asks
    nobody."""
    method, config = request.method, request.config
    if method.kind in ("climb", "guide"):
        raise UsageError(
            f"there is no estimate for {method.name}: how many actions there are to choose among shows only in a run; "
            "--max-calls, --max-tokens and --max-usd set limits"
        )
    if method.kind in TRAVELLING and not request.models.config.embedded:
        return _journey(request)
    if not method.acts or method.kind == "learned" or request.models.config.embedded:
        raise UsageError("there is nothing to estimate: only a method that asks a model behind an endpoint costs money")
    task, compiled = request.task.all_seen if method.observable else request.task.seen_in_part
    say = Verbaliser(task, request.task.lexicon)
    matcher = matcher_named(request.models.config.matcher)
    prompts = request.models.prompts(say.scene(), request.task.prompts, matcher)

    def tokens(question: Question) -> int:
        return sum(len(message["content"]) for message in prompts.messages(question)) // CHARACTERS_PER_TOKEN

    placements = []
    if method.prior == Source.MODEL and not method.observable:
        placements = list(dict.fromkeys(placement_questions(compiled.sensors, say)))
    belief = Belief(compiled, uniform_prior(compiled.sensors))
    belief.update(None, Environment(compiled, task.init).look())
    planner = BestFirst(compiled)
    steps = _fewest_steps(planner, belief, config.max_steps)
    asked = (0, 0)
    if method.kind == "policy":
        asked = (steps, config.max_steps)
    elif method.kind == "mcts" and method.policy == Source.MODEL:
        usual = max(1, round(USUAL_SHARE * config.simulations))
        asked = (steps * usual, config.max_steps * config.simulations)
    outlook = Outlook(task, planner, belief, np.random.default_rng(request.seed))
    nobody = EmbeddedModel(np.random.default_rng(request.seed))  # a policy has a model; this one is not asked
    policy = ModelPolicy(nobody, say, matcher, outlook, request.instruction, config.mixing, config.policy_samples)
    buffer = np.empty(max(1, compiled.operator_count), np.int32)
    count = applicable(compiled.table, belief.state(), buffer)
    first = Situation(belief.truth, belief.known, np.sort(buffer[:count]), ())
    one = tokens(policy.question(first)) if asked[1] else 0
    answer = ANSWER_TOKENS * (1 if method.kind == "policy" else config.policy_samples)
    if method.kind == "program":
        description = request.description or request.instruction or request.task.problem.description
        asked, one, answer = (1, 1), tokens(program_question(task, description)), PROGRAM_TOKENS
    fixed = sum(map(tokens, placements))
    low, high = (
        (fixed + n * one, ANSWER_TOKENS * len(placements) * config.prior_samples + n * answer) for n in asked
    )
    price = request.models.price
    return Estimate(
        len(placements),
        (len(placements) + asked[0], len(placements) + asked[1]),
        (low[0], high[0]),
        (low[1], high[1]),
        None if price is None else (price.of(*low), price.of(*high)),
    )


def _journey(request: Request) -> Estimate:
    """A written route is one question; a predicted one takes at least one, and at most one for each place."""
    trip = travel_of(request.task.problem)
    say = Wording(request.task.problem, request.task.lexicon)
    journey = Journey(trip, say)
    prompts = request.models.prompts(say.scene(), request.task.prompts, matcher_named(request.models.config.matcher))
    question: Question = journey.route()
    calls, answer = (1, 1), ROUTE_TOKENS
    if request.method.kind == "model":
        question = journey.neighbours(trip.source, request.config.breadth)
        calls, answer = (1, len(trip.places)), NAME_TOKENS * request.config.breadth
    one = sum(len(message["content"]) for message in prompts.messages(question)) // CHARACTERS_PER_TOKEN
    price = request.models.price
    low, high = ((n * one, n * answer) for n in calls)
    return Estimate(
        0, calls, (low[0], high[0]), (low[1], high[1]), None if price is None else (price.of(*low), price.of(*high))
    )


def _fewest_steps(planner: BestFirst, belief: Belief, most: int) -> int:
    """The length of a plan in the first world that comes to mind when nothing is known; ``most`` if none is found."""
    result = planner.gbfs(belief.most_likely(), Limits(evaluations=5000))
    return min(most, len(result.operators)) if result.operators else most
