"""The agent that does what a trained policy says."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

from commonsense_lab.learning.policy import TrainedPolicy, policy_in
from commonsense_lab.learning.transcript import Transcript, TranscriptReader
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.pomdp.agents import Decision
from commonsense_planning.wording.verbalise import News, Verbaliser


class LearnedAgent:
    """Carries out the applicable action that the policy holds for the likeliest: no search, no model of the world.

    Two things keep it from going in circles, which an expert never does and so never shows: what it did once, knowing
    exactly what it knows now, it does not do again while there is anything else to do; and of the operators that are
    called the same ("walk to the kitchen cabinet"), it takes the one that it did least often, the first of them.
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


def learned_agent(folder: Path, instruction: str, say: Verbaliser, belief: Belief) -> LearnedAgent:
    """An agent with the weights in a folder. Raises InputError and MissingError as ``TrainedPolicy`` does."""
    return LearnedAgent(policy_in(folder.resolve()), instruction, say, belief)
