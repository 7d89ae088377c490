"""What the methods ask of an endpoint that speaks JSON schemas and no log-probabilities, as the recorded one did.

    python -m lab.benchmarks.calls [TASKS]

The 50 rearrangement tasks of the recordings (or TASKS of them), with the real client of ``openai`` and a server on this
machine. It answers where a thing is and what comes next from the truth with probability 0.8, else with an option drawn
at random, and translates goals rightly. Each method asks as in 0.2.0 (``--policy-as prior``, what the endpoint refuses
found out in each episode) and as now (found out once, kept in a recording).
"""

from __future__ import annotations

import sys
import tempfile
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from commonsense_lab.studies.rearrangement import experiment
from commonsense_lab.studies.rearrangement.experiment import (
    RearrangementEpisode,
    RearrangementOutcome,
    RearrangementSetup,
    Search,
    rearrangement_episodes,
)
from commonsense_lab.studies.rearrangement.formal_goal import GoalTerm, render_formal_goal
from commonsense_lab.studies.rearrangement.guidance.scripted import (
    PolicyKind,
    PolicyQuality,
    ScriptedModel,
    ScriptedPolicy,
)

from commonsense_planning.config import BudgetConfig, ModelConfig, PolicyAs
from commonsense_planning.llm.model import ChatRequest, LanguageModel, Usage
from commonsense_planning.llm.models import Models
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.observer import Observer
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.support.statistics import difference, mean
from commonsense_planning.wording.questions import NextAction, Placement, Placements, Question, Translation
from commonsense_planning.wording.verbalise import Verbaliser
from lab.benchmarks.endpoint import KnowingServer

RIGHT = 0.8
METHODS = ("mcts", "replan")
PACK = pack_named("household").folder


class Truth(Observer):
    """Knows what is right to say in an episode."""

    def __init__(self, episode: RearrangementEpisode) -> None:
        self.drawn, self.task = episode.drawing.task()
        self._rng = np.random.default_rng(episode.agent_seed)
        self._model = ScriptedModel(self.task, RIGHT, Usage(), episode.agent_seed)
        self._say = Verbaliser(self.task.seen_in_part[0], self.task.lexicon)
        self._matcher = LexicalMatcher()
        self._belief: Belief | None = None
        self._said: dict[Question, str] = {}

    def watch(self, agent: Any, say: Verbaliser, belief: Belief, relevance: Any) -> Any:
        self._belief = belief
        return agent

    def says(self, question: Question) -> Mapping[str, float]:
        """How much it believes of each option, or the one answer of a question without options."""
        match question:
            case Translation():
                noun = self.task.lexicon.noun
                terms = (
                    GoalTerm(w.relation.upper(), noun(w.thing), noun(w.place))
                    for w in self.drawn.wishes
                )
                return {render_formal_goal(terms): 1.0}
            case Placement() | Placements():
                parts = question.parts if isinstance(question, Placements) else (question,)
                shares = [share for weights in self._model.weigh(parts, 1) for share in weights.shares.tolist()]
                return dict(zip(question.options, shares, strict=True))
        if question not in self._said:
            right = self._rng.random() < RIGHT and isinstance(question, NextAction)
            self._said[question] = self._next(question) if right else str(self._rng.choice(question.options))
        rest = (1 - RIGHT) / len(question.options)
        return {option: rest + RIGHT * (option == self._said[question]) for option in question.options}

    def _next(self, question: Question) -> str:
        """The option that is most like the first of the steps of a plan that is like one at all."""
        belief = self._belief
        assert belief is not None
        knowing = PolicyQuality(1.0, PolicyKind.KNOWING)
        asked: Any = _Asked()
        policy = ScriptedPolicy(knowing, self.task, belief, Usage(), 0, asked)
        for operator in policy.plan(belief.state()):
            like = self._matcher.similarities(
                self._say.action_of(operator, self._say.placed), question.options
            )
            if like.max() > 0.85:
                return question.options[int(like.argmax())]
        return str(self._rng.choice(question.options))


class _Asked:
    mixing, samples = 0.5, 1


class TruthfulModels(Models):
    """The model behind the server, which is told what to say to each prompt."""

    def __init__(self, server: KnowingServer, truth: Truth, record: Path | None, part: str) -> None:
        config = ModelConfig("openai:served", server.base_url, record=record, retries=0, parallel=16)
        super().__init__(config, BudgetConfig(), part)
        self._server, self._truth = server, truth

    def open(self, *given: Any) -> LanguageModel:
        chat: Any = super().open(*given)
        render = chat.request

        def told(question: Question, *how: Any, **more: Any) -> ChatRequest:
            request: ChatRequest = render(question, *how, **more)
            prompt, shares = request.messages[-1]["content"], self._truth.says(question)
            self._server.shares[prompt] = shares
            self._server.answers[prompt] = deque([max(shares, key=shares.__getitem__)])
            return request

        chat.request = told
        model: LanguageModel = chat
        return model


def run(episode: RearrangementEpisode, server: KnowingServer, record: Path | None) -> RearrangementOutcome:
    """An episode whose model is behind the server."""
    truth = Truth(episode)
    models, request = TruthfulModels(server, truth, record, episode.key), RearrangementEpisode.request

    def watched(self: RearrangementEpisode, models: Models) -> Request:
        return replace(request(self, models), observer=truth)

    with patch.object(experiment, "own_models", lambda *given: models), patch.object(
        RearrangementEpisode, "request", watched
    ):
        return episode.run()


def main(tasks: int) -> None:
    """Print a line for each method and time, and the differences between the times."""
    print("| method | as in | solved | steps | questions | calls | tokens |")
    print("|---|---|---|---|---|---|---|")
    for method in METHODS:
        taken = []
        for when, policy_as in (("0.2.0", PolicyAs.PRIOR), ("now", PolicyAs.EVIDENCE)):
            setup = RearrangementSetup(pack=PACK, search=Search(policy_as=policy_as))
            episodes = rearrangement_episodes(setup, tasks, 1, [method])
            with tempfile.TemporaryDirectory() as folder, KnowingServer(0.0) as server:
                server.beliefs = lambda text: 0.0
                record = Path(folder) / "answers.jsonl" if when == "now" else None
                rows = [run(episode, server, record) for episode in episodes]
            taken.append([row.steps if row.solved and row.steps else setup.search.max_steps for row in rows])
            counts = ([row.questions for row in rows], [row.calls for row in rows], [row.tokens for row in rows])
            each = " | ".join(f"{mean(numbers).value:,.2f}" for numbers in (taken[-1], *counts))
            print(f"| `llm-{method}` | {when} | {sum(row.solved for row in rows)} of {tasks} | {each} |", flush=True)
        more = difference([now - then for then, now in zip(*taken, strict=True)])
        print(f"| `llm-{method}` | now less then | | {more.value:+.2f} [{more.low:+.2f}, {more.high:+.2f}] | | | |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
