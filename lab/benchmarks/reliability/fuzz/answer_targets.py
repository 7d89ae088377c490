"""What a model, a person or a robot says: bodies of an endpoint, answers in free text, instructions, what was seen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from commonsense_lab.learning.guarded_python import check
from commonsense_lab.learning.heuristic_questions import program_in
from commonsense_lab.learning.written_heuristic import on_lifted
from commonsense_lab.programs.agent import ProgramReader
from commonsense_lab.programs.lines import Call
from commonsense_lab.programs.program import Check, read_program
from commonsense_lab.studies.alfworld.plain_goals import plain_goal
from commonsense_lab.studies.rearrangement.goal_reader import GoalReader, plain_translation

from commonsense_planning.agent.agent import Agent
from commonsense_planning.agent.seen import Names, Seen
from commonsense_planning.errors import BudgetError, HeuristicError
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.grounding.lifted_successors import LiftedTask
from commonsense_planning.instructions.pddl_goal import PddlGoalReader
from commonsense_planning.llm.elicitation import ElicitationMethod, Inquiry, Unable
from commonsense_planning.llm.model import ChatRequest, Completion
from commonsense_planning.llm.reply import NoReply, read_cost, read_reply
from commonsense_planning.llm.schema import ConstrainedSamples, PlainSamples, WeightedList
from commonsense_planning.llm.score import Scores
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.matching.answers import corrected, guide_lines, meant, next_phrases, pair_in
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.first_better import FirstBetter
from commonsense_planning.support.limits import within_memory, within_seconds
from commonsense_planning.support.reading import json_value, reading
from commonsense_planning.task import Task, read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import Placement
from commonsense_planning.wording.verbalise import Verbaliser
from lab.benchmarks.reliability.fuzz.file_targets import JSON, reader
from lab.benchmarks.reliability.fuzz.mutation import Tokens
from lab.benchmarks.reliability.fuzz.pddl_targets import HOUSEHOLD, household
from lab.benchmarks.reliability.fuzz.target import ROOT, Run, Target, text
from lab.tests.learning.heuristics import COUNTING, GOOD, UPDATING
from tests.towers import write_files

PLACES = Placement("apple", ("inside fridge", "inside kitchen cabinet", "on kitchen table", "on bathroom counter"))
ACTIONS = ((0, "[WALK]<kitchen>(11)"), (1, "[GRAB]<apple>(12)"), (2, "put the apple inside the fridge"), (7, "walk"))
SEARCHING = 1.0  # seconds of a search
WORDS = Tokens(
    r"\n|[^\S\n]+|\w+|.",
    (
        *("inside", "on", "fridge", "the", "a", "or", "and", "not", "kitchen table", "ANSWER:", "Answer:", "1.", "- "),
        *(
            "```",
            "```python\n",
            "Question:",
            "apple",
            "two",
            "all",
            "every",
            "none",
            "*",
            "**",
            "999999999999",
            "(1)",
            "of",
        ),
    ),
    "()[]{}",
)


@cache
def _task() -> Task:
    return read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")


@cache
def _lexicon() -> Lexicon:
    return Lexicon.read(HOUSEHOLD / "lexicon.toml")


# What an endpoint sends, and the weights that are read from it


def _open_body(folder: Path) -> Run:
    request = ChatRequest("m", ({"role": "user", "content": "where is the apple?"},), {"n": 2})
    ways: Sequence[ElicitationMethod] = (WeightedList(), ConstrainedSamples(), PlainSamples(), Scores())
    loop = asyncio.new_event_loop()

    def run(data: bytes) -> None:
        reply = read_reply(data, request)
        said = (*reply.texts, reply.refusal, reply.trouble)
        "".join(said).encode()
        read_cost(json.loads(data))

        async def send(_: ChatRequest) -> Completion:
            trouble = "" if reply.texts else reply.trouble
            return Completion(reply.texts, trouble=trouble)

        async def weigh(way: ElicitationMethod) -> Weights:
            inquiry = Inquiry(PLACES, lambda *_, **__: request, send, LexicalMatcher())
            return await way.weigh(inquiry, 10)

        for way in ways:
            try:
                shares = loop.run_until_complete(weigh(way)).tempered(2.0).shares
            except Unable:
                continue
            fine = (
                np.isfinite(shares).all() and (shares >= 0).all() and (not shares.any() or abs(shares.sum() - 1) < 1e-9)
            )
            assert fine, f"{way.name} weighs {shares.tolist()}"

    return run


_LIST = {"answers": [{"answer": "inside fridge", "percent": 60}, {"answer": "on kitchen table", "percent": 40}]}


def _bodies() -> Sequence[str]:
    def body(*messages: object, **more: object) -> str:
        choices = [{"index": i, "message": m, "finish_reason": "stop", **more} for i, m in enumerate(messages)]
        usage = {"prompt_tokens": 12, "completion_tokens": 30, "total_tokens": 42}
        details = {"completion_tokens_details": {"reasoning_tokens": 5}}
        return json.dumps({"id": "x", "object": "chat.completion", "choices": choices, "usage": {**usage, **details}})

    def said(content: object, **more: object) -> dict[str, object]:
        return {"role": "assistant", "content": content, **more}

    tool = {"type": "function", "function": {"name": "answer", "arguments": '{"place": "inside fridge"}'}}
    return [
        body(said("<think>hm</think>inside fridge, on kitchen table"), said("on kitchen table")),
        body(said(json.dumps(_LIST))),
        body(said('{"answer": "inside fridge"}'), said('{"answer": "on kitchen table"}')),
        body(said(""), error={"code": 502, "message": "upstream crashed"}),
        json.dumps([{"error": {"code": 429, "message": "try again in 2 s", "details": [{"retryDelay": "2s"}]}}]),
        body(
            said([{"type": "text", "text": "inside fridge"}, {"type": "refusal", "refusal": "no"}], tool_calls=[tool])
        ),
        body(said(None, tool_calls=[tool], reasoning="hm")),
    ]


# Answers in free text


def _open_places(folder: Path) -> Run:
    matcher = LexicalMatcher()

    def run(data: bytes) -> None:
        shares = read_answers(PLACES, text(data).split("\f"), matcher).shares
        assert np.isfinite(shares).all() and abs(shares.sum() - bool(shares.any())) < 1e-9, shares.tolist()

    return run


def _open_action(folder: Path) -> Run:
    matcher, options = LexicalMatcher(), [words for _, words in ACTIONS]

    def run(data: bytes) -> None:
        answer = text(data)
        for phrase in next_phrases(answer):
            matcher.best(phrase, options)
        pairs = [pair_in(answer, think) for think in (False, True)]
        chosen = {i for pair in pairs for found in (corrected(pair, ACTIONS), meant(pair, ACTIONS)) for i in found}
        assert chosen <= {i for i, _ in ACTIONS}, chosen
        for line in guide_lines(answer):
            matcher.best(line, options)

    return run


def _open_program(folder: Path) -> Run:
    task, _ = _task().seen_in_part
    notes: list[str] = []
    operators = np.arange(task.operator_count, dtype=np.int32)

    def run(data: bytes) -> None:
        program = read_program(text(data))
        "".join(map(str, program.errors)).encode()
        meaning = ProgramReader(task, Verbaliser(task, _lexicon()), LexicalMatcher(), notes.append)
        for statement in program.body[:4]:
            if isinstance(statement, Call):
                meaning.operator(statement, operators)
            elif isinstance(statement, Check):
                meaning.holds(statement.condition, task.init)
        notes.clear()

    return run


def _open_formal_goal(folder: Path) -> Run:
    goals, matcher = GoalReader(household(), _lexicon()), LexicalMatcher()

    def run(data: bytes) -> None:
        goals.read(text(data), "the model", matcher)

    return run


def _open_heuristic(folder: Path) -> Run:
    file = folder / "heuristic.py"

    def run(data: bytes) -> None:
        check(program_in(text(data)), file)

    return run


def _open_heuristic_search(folder: Path) -> Run:
    """A program that the guard lets through searches: it ends, in a plan that is valid or an error with its line."""
    domain, (problem,) = write_files(folder, (4,))
    task = read_task(domain, problem)
    lifted, file = LiftedTask(lift(task.problem)), folder / "heuristic.py"

    def run(data: bytes) -> None:
        with within_memory(), within_seconds(SEARCHING):
            heuristic = on_lifted(lifted, program_in(text(data)), file)
            found = FirstBetter(lifted, heuristic, np.random.default_rng(0)).run(Limits(SEARCHING))
        if found.plan is not None:
            steps = tuple(Step(operator.name, operator.arguments) for operator in found.plan)
            assert replay(task.problem, Plan(steps)).verdict is Verdict.VALID, steps

    return run


# What people and robots say


def _open_instruction(folder: Path) -> Run:
    """The embedded model reads what people say, and what it makes of that is read as any model's answer."""
    matcher = LexicalMatcher()
    formal, goals = GoalReader(household(), _lexicon()), PddlGoalReader(household(), _lexicon())

    def run(data: bytes) -> None:
        said = text(data)
        if len(said) % 2:
            formal.read(plain_translation(formal.question(said)), "embedded", matcher)
        else:
            goals.read(plain_goal(goals.question(said)), "embedded", matcher)

    return run


def _open_seen(folder: Path) -> Run:
    file, names = folder / "seen.json", Names(_task().seen_in_part[0])

    def run(data: bytes) -> None:
        with reading(file, "what was seen"):
            told = json_value(data).items()
        seen = Seen(**{name: value for name, value in told if name in Seen.__dataclass_fields__})
        names.readings(seen)
        names.undeclared(seen)
        if seen.action is not None:
            names.operators(seen.action)

    return run


def _agents() -> Sequence[str]:
    from commonsense_planning.support.processes import temporary_folder

    with temporary_folder("agent") as name, Agent(_task(), method="look-nearest") as agent:
        agent.act(Seen())
        agent.save(Path(name) / "agent.json")
        return [(Path(name) / "agent.json").read_text(encoding="utf-8")]


def _open_agent(folder: Path) -> Run:
    return reader("agent.json", lambda file: Agent.load(file, _task()).close())(folder)


def _programs() -> Sequence[str]:
    files = sorted((ROOT / "src/commonsense_planning/studies/heuristics/hand_written").glob("*.txt"))
    return [file.read_text(encoding="utf-8") for file in files] + [
        "Here:\n```python\nimport math\nfrom heapq import heappush\n\n"
        "def make_heuristic(objects, static, goal, unwanted):\n"
        "    return lambda state: len(goal - state) + math.sqrt(2) * sum(1 for f in state if f'{f[0]}' == 'on')\n```\n"
    ]


PYTHON = Tokens(
    r"\n[ \t]*|[ \t]+|\w+|'[^'\n]*'|\"[^\"\n]*\"|==|<=|>=|\*\*|//|.",
    (
        *(
            "__import__('os')",
            "().__class__",
            "getattr",
            "open",
            "eval",
            "exec",
            "lambda: 0",
            "yield",
            "await",
            "async",
        ),
        *("class A: pass", "import os", "from math import *", "f'{x!r:>9}'", "b'x'", "1j", "...", "with x as y:", "*a"),
        *("def f(x):", "return", ":=", "global x", "nonlocal x", "try:", "@f", "del x", "match x:", "0x", "1_0", "'''"),
        *(
            "if x:",
            "else:",
            "for x in y:",
            "while True:",
            "not",
            "is",
            "in",
            "x",
            "[0]",
            ".append",
            "break",
            "**k",
            "\\\n",
        ),
    ),
    "()[]{}",
)
_PROGRAM = """```python
def microwave_salmon():
    # 1: take the salmon
    walk('salmon')
    assert('close' to 'salmon')
        else: find("salmon")
    if 'fridge' is not 'opened' and not ('apple' in 'fridge'):
        open_container('fridge')
    elif on('apple', 'kitchen table'): grab('apple')
    else:
        for x in ['apple', 'fridge']:
            walk_to_place(x)
    putin('salmon', 'microwave')
```
"""
_SEEN = (
    '{"true": ["(opened fridge)", "(inside apple_1 fridge)"], "false": ["(on apple_1 kitchentable)"], '
    '"complete": true, "applied": null, "goal_reached": false, "objects": {"mug_1": "movable"}, '
    '"action": "(open-container fridge)"}',
)
_ANSWERS = (
    "Inside fridge, On kitchen table.",
    "Here are the places:\n1. **inside the fridge** or on the table\n2) in the cabinet; nowhere",
    '["inside fridge", "on bathroom counter"]\fAnswer: inside kitchen cabinet',
)
_CHOICES = (
    "1. [GRAB]<apple>(12)",
    "I think first.\nANSWER: 2, put the apple inside the fridge",
    '{"index": 0, "action": "[WALK]<kitchen>(11)"}\n3. done:',
    "Sure! The guide:\n1) walk to the kitchen\n2) step 2: put the apple inside the fridge",
)
_FORMAL = (
    "(INSIDE, apple, fridge, 1)",
    "Formal goal: (ON, apple, kitchen table, 1)-(INSIDE, apple, fridge)\nGoal: next",
    "The goal is:\n1. (inside, apples, fridge, 2)\n2. (on, apple, the kitchen table)",
)
_SAID = (
    "Put the apple into the fridge.",
    "put an apple on the kitchen table and close the fridge, please",
    "Never open the fridge! All apples should be inside the fridge or on the kitchen table",
    "put two apples in the fridge; (inside apple_1 fridge)",
)
_SEARCHED = (UPDATING.replace("ERROR", "0"), GOOD, COUNTING)
_ENDS = (HeuristicError, BudgetError)

TARGETS = (
    Target("endpoint", 70, _bodies, JSON, _open_body, (NoReply,), names=False),
    Target("model-places", 80, lambda: _ANSWERS, WORDS, _open_places, names=False),
    Target("model-action", 80, lambda: _CHOICES, WORDS, _open_action, names=False),
    Target("model-program", 30, lambda: (_PROGRAM,), PYTHON, _open_program, names=False),
    Target("model-goal-formal", 50, lambda: _FORMAL, WORDS, _open_formal_goal, names=False),
    Target("model-heuristic", 40, _programs, PYTHON, _open_heuristic),
    Target("heuristic-search", 2, lambda: _SEARCHED, PYTHON, _open_heuristic_search, _ENDS, names=False),
    Target("instruction", 20, lambda: _SAID, WORDS, _open_instruction, names=False),
    Target("seen", 60, lambda: _SEEN, JSON, _open_seen, names=False),
    Target("agent", 2, _agents, JSON, _open_agent, names=False),
)
