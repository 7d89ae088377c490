"""How an endpoint weighs options: what each method makes of its answers, which is taken, and questions in batches."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commonsense_planning import BudgetConfig, BudgetError, LanguageModel, ModelConfig, ModelSession, UsageError
from commonsense_planning.config import AskBy
from commonsense_planning.llm.chat import ask_together
from commonsense_planning.llm.elicitation import ElicitationFallback
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.llm.schema import ELICITATION_METHODS
from commonsense_planning.llm.weights import Weights
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.wording.questions import Placement, PlacementAgain, Placements, Question, Scene
from tests import chat_troubles as troubles
from tests.chat_server import Behaviour, ChatServer
from tests.trouble_table import WAYS_TABLE, WayRow

SHARES = {"inside fridge": 0.6, "on kitchen table": 0.3, "on bed": 0.1}
PLACEMENT = Placement("apple", tuple(SHARES))
BELIEVED = pytest.approx([0.6, 0.3, 0.1])


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """One that knows schemas, and says "on bed" in free text."""
    with ChatServer(lambda messages: "on bed") as running:
        running.beliefs = lambda text: SHARES.get(text, 0.001)
        yield running


class Asked:
    """Questions that were asked of a server ``times`` in one run, together or not; the ``weights`` are the last's."""

    def __init__(
        self, server: ChatServer, *questions: Placement, n: int = 10, times: int = 1, together: bool = True, **more: Any
    ) -> None:
        limits = BudgetConfig(**more.pop("limits", {}))
        config = ModelConfig("openai:m", server.base_url, retries=0, pause=0.0, parallel=4, **more)
        asked = questions or (PLACEMENT,)
        batches = [asked] if together else [(question,) for question in asked]
        with ModelSession(config, limits) as models:
            self.model: LanguageModel = models.open(Scene(), None, LexicalMatcher(), np.random.default_rng(0))
            for _ in range(times):
                weights: list[Weights] = [found for batch in batches for found in self.model.weigh(batch, n)]
            self.usage: Usage = models.usage
            self.weights, self.notes = weights[-1], self.model.take_notes()
        self.shares = [found.shares.tolist() for found in weights]


@pytest.mark.parametrize(("way", "calls", "shares"), [
    (AskBy.LIST, 1, BELIEVED),
    (AskBy.SCHEMA, 1, BELIEVED),
    (AskBy.SAMPLES, 1, [0, 0, 1]),
])  # fmt: skip
def test_each_way_by_itself(way: AskBy, calls: int, shares: object, server: ChatServer) -> None:
    asked = Asked(server, ask_by=way)
    assert asked.weights.shares.tolist() == shares
    assert (asked.usage.questions, asked.usage.calls, asked.usage.failures) == (1, calls, 0)
    assert sum(said.times for said in asked.weights.said) == pytest.approx(10)


def test_scores_by_llama_cpp_force_one_token_after_the_other_and_share_what_options_begin_with(
    server: ChatServer,
) -> None:
    server.scores = True
    question = Placement("apple", ("on bed", "on bedside table"))
    beliefs = {"on bed": 0.2, "on bedside table": 0.1 / math.exp(-0.5 * 10)}  # ten characters more
    server.beliefs = lambda text: beliefs[text]
    asked = Asked(server, question)
    assert asked.weights.shares.tolist() == pytest.approx([2 / 3, 1 / 3])
    assert server.forced.count("/completion") == len("side table") + 2  # and two ends; no request for what is common
    assert (asked.usage.calls, server.requests) == (len(server.forced), [])
    assert any("scored token by token" in note for note in asked.notes)


def test_scores_by_vllm(server: ChatServer) -> None:
    def scores(request: Any, _: ChatServer) -> Any:
        if "prompt_logprobs" not in request.body:
            return None
        assert request.body["add_generation_prompt"] is False
        option = request.body["messages"][-1]["content"]
        told = [None, {"7": {"logprob": -3.0, "rank": 2}}, {"8": {"logprob": math.log(SHARES[option])}}]
        return troubles.changed(lambda good: good.update(prompt_logprobs=told))(request, server)

    server.owner = "vllm"
    server.always(scores)
    asked = Asked(server, times=2)
    assert asked.weights.shares.tolist() == BELIEVED
    assert len(server.requests) == 6


@pytest.mark.parametrize("row", WAYS_TABLE, ids=lambda row: row.name)
def test_what_is_refused_or_ignored_is_found_out_once_and_noted(row: WayRow, server: ChatServer) -> None:
    server.always(*row.behaviours)
    first = Asked(server)
    before = len(server.requests)
    again = Asked(server, times=3)
    *found, used = again.notes
    assert (len(found), "scores no answers" in found[0]) == (1 + len(row.found), True)
    assert all(part in note for part, note in zip(row.found, found[1:], strict=True))
    assert row.used in used
    assert first.weights.shares.tolist() == again.weights.shares.tolist()
    assert first.weights.shares.sum() == pytest.approx(1)
    assert len(server.requests) - before == before + 2


def test_where_one_answer_is_wanted_one_is_drawn(server: ChatServer) -> None:
    asked = Asked(server, n=1)
    assert asked.usage.calls == 1
    assert "response_format" in server.requests[0].body
    assert asked.weights.first in SHARES


def test_many_options_are_not_scored_unless_that_is_wanted(server: ChatServer) -> None:
    server.scores = True
    places = tuple(f"on shelf {i}" for i in range(21))
    server.beliefs = lambda text: 0.04
    assert "a list of" in Asked(server, Placement("apple", places)).notes[-1]
    assert server.forced == []
    assert Asked(server, Placement("apple", places[:20])).usage.calls == len(server.forced)
    assert len(server.requests) == 1
    before = len(server.forced)
    Asked(server, Placement("apple", places), ask_by=AskBy.SCORE)
    assert len(server.forced) > before


def test_ways_that_do_not_suit_a_model_are_taken_where_they_are_named() -> None:
    suit = (AskBy.SCORE, AskBy.SCHEMA, AskBy.SAMPLES)
    many = Placement("apple", tuple(f"on shelf {i}" for i in range(21)))
    names = [method.name for method in ElicitationFallback(ELICITATION_METHODS, AskBy.AUTO, suit).methods(many, 10)]
    assert names == [AskBy.SCHEMA, AskBy.SAMPLES]
    assert [
        method.name for method in ElicitationFallback(ELICITATION_METHODS, AskBy.AUTO, suit).methods(PLACEMENT, 10)
    ] == [AskBy.SCORE, *names]
    listed = ElicitationFallback(ELICITATION_METHODS, AskBy.LIST, suit).methods(many, 10)
    assert [method.name for method in listed] == [AskBy.LIST, AskBy.SAMPLES]


def says_to_schema(*texts: str) -> Behaviour:
    return troubles.only_with("response_format", troubles.says(*texts))


def test_what_violates_the_enum_is_left_out(server: ChatServer) -> None:
    server.always(says_to_schema('{"answer": "on bed"}', '{"answer": "on the moon"}', '{"answer"', "[]"))
    assert Asked(server, n=4, ask_by=AskBy.SCHEMA).weights.shares.tolist() == [0, 0, 1]


def test_a_list_that_was_cut_off_counts_as_far_as_it_goes(server: ChatServer) -> None:
    entries = '{"answer": "on bed", "percent": 40}, {"answer": "on mars", "percent": 9}, {"answer": "inside fri'
    server.always(says_to_schema(f'{{"answers": [{entries}'))
    asked = Asked(server, ask_by=AskBy.LIST)
    assert asked.weights.shares.tolist() == pytest.approx([0.3, 0.3, 0.4])


OTHERWISE = dict(zip(SHARES, (0.1, 0.2, 0.6), strict=True))
PLATE = Placement("plate", tuple(OTHERWISE))


@pytest.mark.parametrize(("together", "questions"), [(True, 1), (False, 2)])
def test_where_several_things_are_goes_in_one_list(
    together: bool, questions: int, server: ChatServer, tmp_path: Path
) -> None:
    """And a recording of each by itself is replayed."""

    def beliefs(text: str) -> float:
        thing, _, place = text.rpartition(": ")
        return (OTHERWISE if thing == "plate" else SHARES)[place]

    server.beliefs = beliefs
    tape = tmp_path / "tape.jsonl"
    first = Asked(server, PLACEMENT, PLATE, together=together, record=tape)
    assert not together or first.shares == [BELIEVED, pytest.approx([0.1 / 0.9, 0.2 / 0.9, 0.6 / 0.9])]
    assert first.usage.questions == questions
    again = Asked(server, PLACEMENT, PLATE, replay=tape)
    assert again.shares == first.shares
    assert (again.usage.questions, again.usage.calls, again.usage.recorded) == (questions, first.usage.calls, questions)


def test_what_a_list_leaves_out_is_asked_by_itself(server: ChatServer) -> None:
    listed = '{"answers": [{"answer": "apple: on bed", "percent": 40}]}'
    server.always(says_to_schema(listed))
    asked = Asked(server, PLACEMENT, PLATE)
    assert asked.shares[0] == pytest.approx([0.3, 0.3, 0.4])
    assert asked.usage.questions == 2


def test_recordings_hold_log_probabilities_and_replay_them(server: ChatServer, tmp_path: Path) -> None:
    server.scores = True
    tape = tmp_path / "tape.jsonl"
    recorded = Asked(server, record=tape, times=2)
    asked = len(server.forced)
    replayed = Asked(server, replay=tape, times=2)
    assert len(server.forced) == asked
    assert replayed.weights.shares.tolist() == recorded.weights.shares.tolist()
    assert replayed.notes == recorded.notes
    told = [(u.questions, u.calls, u.tokens) for u in (recorded.usage, replayed.usage)]
    assert told[0] == told[1]
    assert (recorded.usage.recorded, replayed.usage.recorded) == (0, 2)


def test_the_budget_counts_every_request_of_a_score(server: ChatServer) -> None:
    server.scores = True
    with pytest.raises(BudgetError, match="limit of 9 calls"):
        Asked(server, limits={"max_calls": 9})
    assert len(server.forced) == 9


def test_the_embedded_model_is_asked_in_one_way() -> None:
    with pytest.raises(UsageError, match="--ask-by"):
        ModelSession(ModelConfig(ask_by=AskBy.LIST))


PLACES = ("inside fridge", "on desk")
APPLE, CUP, PEN = (Placement(thing, PLACES) for thing in ("apple", "cup", "pen"))
AGAIN = PlacementAgain("key", PLACES, ())


class BatchesAsked:
    """Answers that leave out the pen; keeps the questions."""

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def __call__(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        self.questions += questions
        together = "1. Apple: inside fridge\n- **cup**: on desk, inside fridge\nand so on"
        return [[together if isinstance(q, Placements) else "on desk"] * n for q in questions]


def test_what_an_answer_leaves_out_is_asked_singly() -> None:
    asked = BatchesAsked()
    answers = ask_together(asked, lambda batch: True, [APPLE, PEN, AGAIN, CUP], 2)
    assert answers == [["inside fridge"] * 2, ["on desk"] * 2, ["on desk"] * 2, ["on desk, inside fridge"] * 2]
    assert asked.questions == [Placements((APPLE, PEN, CUP)), PEN, AGAIN]


def test_one_question_makes_no_batch_and_no_question_makes_none() -> None:
    asked = BatchesAsked()
    ask_together(asked, lambda batch: True, [APPLE], 1)
    ask_together(asked, lambda batch: False, [APPLE, CUP], 1)
    assert asked.questions == [APPLE, APPLE, CUP]


def test_whoever_replaces_the_question_about_one_thing_has_things_asked_for_singly(tmp_path: Path) -> None:
    both = Placements((APPLE, CUP))
    (tmp_path / "placement.jinja").write_text("Where is the {{ thing }}?")
    assert Prompts([], Scene()).puts(both)
    assert not Prompts([tmp_path], Scene()).puts(both)
    assert not Prompts([Path("paper")], Scene()).puts(both)
    (tmp_path / "placements.jinja").write_text("Where are {{ things }}?")
    assert Prompts([tmp_path], Scene()).puts(both)
