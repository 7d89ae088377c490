"""The first paper's GPT-2 baseline: does what a policy says that was trained on an expert's trajectories."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from commonsense_lab.learning.policy import TrainedPolicy, policy_in
from commonsense_lab.learning.transcript import Transcript, TranscriptReader
from commonsense_planning.config import option
from commonsense_planning.errors import UsageError
from commonsense_planning.methods.acting_options import ActingOptions
from commonsense_planning.methods.episode_context import EpisodeContext
from commonsense_planning.methods.method import Observability, Request, Solution
from commonsense_planning.methods.simulated import SolvesByActing
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.pomdp.agents import Decision, EpisodeAgent
from commonsense_planning.wording.verbalise import News, Verbaliser


class LearnedAgent:
    """Executes the applicable action that is likeliest for the policy: no search, no model of the world.

    Two rules keep it from going in circles, which an expert's trajectories do not teach: with the same knowledge, it
    repeats an action only if there is no other; and of the operators of one name ("walk to the kitchen cabinet"), it
    takes the first of those that it used least.
    """

    def __init__(self, policy: TrainedPolicy, instruction: str, say: Verbaliser, belief: Belief) -> None:
        self._say = say
        self._belief = belief
        self._news = News(say, belief.task.hidden)
        self._reader = TranscriptReader(instruction)
        self._transcript = Transcript(policy.encode, instruction, policy.positions)
        self._reading = policy.reading()
        self._done: Counter[int] = Counter()
        self._tried: dict[bytes, set[int]] = defaultdict(set)  # what is known → what was done then

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        belief, transcript = self._belief, self._transcript
        state = belief.state()
        operators = belief.transition.applicable(state).tolist()
        if not operators:
            return Decision(None, {"reason": "no action is applicable"})
        tried = self._tried[state.tobytes()]
        called: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for operator in [o for o in operators if o not in tried] or operators:
            called[transcript.action(self._say.action(operator))].append(operator)
        transcript.see(self._reader.read(self._news.take(belief.truth, belief.known)))
        options = list(called)
        found = self._reading.log_probabilities(transcript.tokens, options)
        best = int(found.argmax())
        chosen = min(called[options[best]], key=lambda operator: (self._done[operator], operator))
        tried.add(chosen)
        return Decision(chosen, {"logprob": round(float(found[best]), 4), "of": len(operators)})

    def observe(self, operator: int, observation: Observation) -> None:
        self._belief.update(operator, observation)
        if observation.applied:
            self._transcript.do(self._say.action(operator))
        self._done[operator] += 1


@dataclass(frozen=True)
class LearnedOptions(ActingOptions):
    """The options of ``learned-policy``."""

    weights: Path | None = option(None, "The folder of a policy that cplan train-policy trained.", needed=True)


class LearnedPolicy(SolvesByActing):
    """No search, no model of the world, no language model."""

    name = "learned-policy"
    summary = "the paper's GPT-2 baseline: do what a policy trained on an expert's trajectories says (--weights DIR)"
    world = Observability.SEEN_IN_PART
    Options = LearnedOptions

    def solve(self, request: Request) -> Solution:
        self._weights(request)  # wrong options are an error before any work
        return super().solve(request)

    def agent(self, acting: EpisodeContext) -> EpisodeAgent:
        policy = policy_in(self._weights(acting.request).resolve())
        return LearnedAgent(policy, acting.description, acting.say, acting.belief)

    def _weights(self, request: Request) -> Path:
        options = request.options_as(LearnedOptions)
        if options.weights is None:
            raise UsageError(
                "--method learned-policy and --weights DIR go together: DIR is what cplan train-policy wrote"
            )
        return options.weights

    def asks(self, acting: EpisodeContext) -> None:
        return None


LEARNED = LearnedPolicy()
