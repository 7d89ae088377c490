"""What is read from files that are no PDDL, and what models, people and robots say."""

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import click
import numpy as np

from commonsense_planning import Agent, ChatRequest, Completion, InputError, ObservationReport
from commonsense_planning.agent.observation_report import AgentNames
from commonsense_planning.cli import settings
from commonsense_planning.cli.main import cplan
from commonsense_planning.llm.budget import PRICES, Prices
from commonsense_planning.llm.cassette import Cassette, Mode
from commonsense_planning.llm.elicitation import ElicitationMethod, ElicitationRequest, UnsupportedByEndpoint
from commonsense_planning.llm.prompts import Prompts, read_examples, read_preferences
from commonsense_planning.llm.reply import read_cost, read_reply
from commonsense_planning.llm.schema import ELICITATION_METHODS
from commonsense_planning.llm.transport import ErrorResponse, Reply, TransientFailure
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.matching.answers import corrected, guide_lines, meant, next_phrases, pair_in
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.support.processes import temporary_folder
from commonsense_planning.support.reading import json_value, reading
from commonsense_planning.view.page import page, read_view
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import TEMPLATES, Placement, Scene
from commonsense_planning.wording.verbalise import Wording
from tests.fuzz.reading import (
    JSON,
    JSON_LINES,
    TOML,
    WORDS,
    Reader,
    Run,
    files,
    given,
    household,
    household_task,
    of_file,
    of_text,
)
from tests.fuzz.spoiling import Tokens

PLACES = Placement("apple", ("inside fridge", "inside kitchen cabinet", "on kitchen table", "on bathroom counter"))
ACTIONS = ((0, "[WALK]<kitchen>(11)"), (1, "[GRAB]<apple>(12)"), (2, "put the apple inside the fridge"), (7, "walk"))
REQUEST = ChatRequest("m", ({"role": "user", "content": "where is the apple?"},), {"n": 2})
LINES = Tokens(r"\n|\s+|\w+|.", ("#", "\n\n", "goes into", "not"), "()")
TEMPLATE = Tokens(
    r"\{\{|\}\}|\{%|%\}|\{#|#\}|\n|\s+|\w+|'[^'\n]*'|.",
    (
        *("{{ 1/0 }}", "{{ 'a' * 9**9 }}", "{{ thing }}", "{{ m() }}", "{% for i in range(9999) %}", "{% endfor %}"),
        *("{% if x %}", "{% endif %}", "{% macro m() %}", "{% endmacro %}", "{% set x = places %}", "{% block a %}"),
        *("{% include 'placement.jinja' %}", "{% extends 'placement.jinja' %}", "{% raw %}", "[system]", "[user]"),
        *("|join", "|length", "|upper", "|sort", "|batch(2)", "|map('upper')", "|list", "|tojson", "[0]", "[:-1]"),
        *("places", ".places", "scene", "shots", "loop.index", "namespace(a=1)", "self", "__class__", "~", "**", "%"),
    ),
    "(){}[]",
)


def _lexicon(file: Path) -> None:
    wording = Wording(household(), Lexicon.read(file).with_own(Lexicon()))
    wording.scene()
    for value in (True, False):
        wording.sentence("inside", ["apple", "fridge"], value)
        wording.said_of("inside", ["the apple", "the fridge"], value)
    wording.relation("inside", [None, "fridge"])
    wording.lexicon.suits("apple_1", "fridge")


def _settings(file: Path) -> None:
    words = ("solve",), ("view",), ("validate",)
    chosen = words[file.stat().st_size % len(words)]
    context = click.Context(cplan, info_name="cplan")
    command = cplan.get_command(context, chosen[0])
    with patch.dict(os.environ, {settings.CONFIG: str(file)}):
        settings.default_map(context, command, chosen)


def _template(file: Path) -> None:
    assert (TEMPLATES / file.name).is_file()
    for message in Prompts((file.parent,), Scene("household", {}, ())).messages(PLACES):
        message["content"].encode()


def _cassettes() -> Sequence[str]:
    found = files("tests/goldens/cassettes/llm-replan.jsonl", "tests/goldens/cassettes/bench-household.jsonl")()
    return ["".join(text.splitlines(keepends=True)[:6]) for text in found] + [
        '{"part": "a", "key": "k", "texts": ["x"], "notes": [], "model": "m", "date": "2026-01-01", "prompts": "p-1"}\n'
        '{"part": "a", "circumstances": {"command": "cplan bench", "seconds": 1.5}}\n'
        '{"key": "k", "stop": "the limit"}\n'
    ]


def _cassette(file: Path) -> None:
    for part in ("", "a"):
        asyncio.run(Cassette(file, Mode.REPLAY, None, part).close())


def _body(said: str) -> None:
    """What an endpoint sends, and the weights that are read from it."""
    data = said.encode("utf-8", "surrogatepass")
    reply = read_reply(data, REQUEST)
    "".join((*reply.texts, reply.refusal, reply.trouble)).encode()
    read_cost(json.loads(data))
    for way in ELICITATION_METHODS:
        try:
            shares = asyncio.run(_weighed(way, reply)).tempered(2.0).shares
        except UnsupportedByEndpoint:
            continue
        fine = np.isfinite(shares).all() and (shares >= 0).all() and abs(shares.sum() - bool(shares.any())) < 1e-9
        assert fine, f"{way.name} weighs {shares.tolist()}"


async def _weighed(way: ElicitationMethod, reply: Reply) -> Weights:
    async def send(_: ChatRequest) -> Completion:
        return Completion(reply.texts, trouble="" if reply.texts else reply.trouble)

    return await way.weigh(ElicitationRequest(PLACES, lambda *_, **__: REQUEST, send, LexicalMatcher()), 10)


def _bodies() -> Sequence[str]:
    def body(*messages: object, **more: object) -> str:
        choices = [{"index": i, "message": m, "finish_reason": "stop", **more} for i, m in enumerate(messages)]
        details = {"completion_tokens_details": {"reasoning_tokens": 5}}
        usage = {"prompt_tokens": 12, "completion_tokens": 30, "total_tokens": 42, **details}
        return json.dumps({"id": "x", "object": "chat.completion", "choices": choices, "usage": usage})

    def said(content: object, **more: object) -> dict[str, object]:
        return {"role": "assistant", "content": content, **more}

    listed = {"answers": [{"answer": "inside fridge", "percent": 60}, {"answer": "on kitchen table", "percent": 40}]}
    tool = {"type": "function", "function": {"name": "answer", "arguments": '{"place": "inside fridge"}'}}
    parts = [{"type": "text", "text": "inside fridge"}, {"type": "refusal", "refusal": "no"}]
    return [
        body(said("<think>hm</think>inside fridge, on kitchen table"), said("on kitchen table")),
        body(said(json.dumps(listed))),
        body(said('{"answer": "inside fridge"}'), said('{"answer": "on kitchen table"}')),
        body(said(""), error={"code": 502, "message": "upstream crashed"}),
        json.dumps([{"error": {"code": 429, "message": "try again in 2 s", "details": [{"retryDelay": "2s"}]}}]),
        body(said(parts, tool_calls=[tool])),
        body(said(None, tool_calls=[tool], reasoning="hm")),
    ]


def _places(answers: str) -> None:
    shares = read_answers(PLACES, answers.split("\f"), LexicalMatcher()).shares
    assert np.isfinite(shares).all() and abs(shares.sum() - bool(shares.any())) < 1e-9, shares.tolist()


def _action(answer: str) -> None:
    matcher, options = LexicalMatcher(), [words for _, words in ACTIONS]
    for phrase in (*next_phrases(answer), *guide_lines(answer)):
        matcher.best(phrase, options)
    pairs = [pair_in(answer, think) for think in (False, True)]
    chosen = {i for pair in pairs for found in (corrected(pair, ACTIONS), meant(pair, ACTIONS)) for i in found}
    assert chosen <= {i for i, _ in ACTIONS}, chosen


def _open_seen(folder: Path) -> Run:
    file, names = folder / "seen.json", AgentNames(household_task().seen_in_part[0])

    def run(data: bytes) -> None:
        with reading(file, "what was seen"):
            told = json_value(data).items()
        seen = ObservationReport(
            **{name: value for name, value in told if name in ObservationReport.__dataclass_fields__}
        )
        names.readings(seen)
        names.undeclared(seen)
        if seen.action is not None:
            names.operators(seen.action)

    return run


def _agents() -> Sequence[str]:
    with temporary_folder("agent") as name, Agent(household_task(), method="look-nearest") as agent:
        agent.act(ObservationReport())
        agent.save(Path(name) / "agent.json")
        return [(Path(name) / "agent.json").read_text("utf-8")]


SETTINGS = (
    'model = "openai:gpt-4o-mini"\nseed = 3\nquiet = true\nbase-url = "http://localhost:8000/v1"\n\n[solve]\n'
    'method = "llm-mcts"\ntrace = "./trace.jsonl"\nsimulations = 100\nmax-seconds = 60\n',
    'max-usd = 0.5\nprices = "./prices.toml"\n[view]\noutput = "page.html"\n',
)
EXAMPLES = given(
    '{"instruction": "Put one salmon inside the oven", "observations": [["the oven is closed"], []], '
    '"actions": ["walk to the oven", "open the oven"], "home": "seen"}\n'
    '{"instruction": "tidy", "observations": [[]], "actions": ["grab the apple"]}\n'
)
SEEN = (
    '{"true": ["(opened fridge)", "(inside apple_1 fridge)"], "false": ["(on apple_1 kitchentable)"], '
    '"complete": true, "applied": null, "goal_reached": false, "objects": {"mug_1": "movable"}, '
    '"action": "(open-container fridge)"}'
)
ANSWERS = (
    "Inside fridge, On kitchen table.",
    "Here are the places:\n1. **inside the fridge** or on the table\n2) in the cabinet; nowhere",
    '["inside fridge", "on bathroom counter"]\fAnswer: inside kitchen cabinet',
)
CHOICES = (
    "1. [GRAB]<apple>(12)",
    "I think first.\nANSWER: 2, put the apple inside the fridge",
    '{"index": 0, "action": "[WALK]<kitchen>(11)"}\n3. done:',
    "Sure! The guide:\n1) walk to the kitchen\n2) step 2: put the apple inside the fridge",
)
PREFERENCES = "# ours\nyellow shirts go into the drawer\nmugs are kept in the sink.\n"

READERS = {
    "lexicon": Reader(files("pddl/*/lexicon.toml"), TOML, of_file("lexicon.toml", _lexicon)),
    "settings": Reader(given(*SETTINGS), TOML, of_file(settings.FILE, _settings)),
    "prices": Reader(lambda: [PRICES.read_text("utf-8")], TOML, of_file("prices.toml", Prices.read)),
    "template": Reader(
        files("src/**/wording/templates/placement*.jinja"), TEMPLATE, of_file("placement.jinja", _template)
    ),
    "recording": Reader(_cassettes, JSON_LINES, of_file("recording.jsonl", _cassette)),
    "trace": Reader(  # of gbfs, and of llm-mcts with --trace-search, on household:small-apple
        files("tests/fuzz/seeds/trace-*.jsonl"),
        JSON_LINES,
        of_file("trace.jsonl", lambda file: page(read_view(file)).encode()),
    ),
    "examples": Reader(EXAMPLES, JSON_LINES, of_file("examples.jsonl", read_examples)),
    "preferences": Reader(given(PREFERENCES), LINES, of_file("p.txt", read_preferences)),
    "endpoint": Reader(_bodies, JSON, of_text(_body), (ErrorResponse, TransientFailure), names=False),
    "model-places": Reader(given(*ANSWERS), WORDS, of_text(_places), names=False),
    "model-action": Reader(given(*CHOICES), WORDS, of_text(_action), names=False),
    "seen": Reader(given(SEEN), JSON, _open_seen, names=False),
    "agent": Reader(
        _agents,
        JSON,
        of_file("agent.json", lambda file: Agent.load(file, household_task()).close()),
        (InputError,),
        names=False,
        slow=True,
    ),
}
