"""Recordings: the same answers again, whoever wrote them and however that ended."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from commonsense_planning.errors import BudgetError, InputError, MissingError, UnansweredError
from commonsense_planning.llm.cassette import Cassette, Mode
from commonsense_planning.llm.model import ChatRequest, Completion, Endpoint
from tests.data import REPOSITORY
from tests.llm.asking import ask_at_once, question


class Counting:
    """An endpoint that numbers its answers; the first are the slowest. Stops with the budget after ``most``."""

    def __init__(self, most: int = 1000, trouble: str = "") -> None:
        self.asked = 0
        self.most = most
        self.trouble = trouble

    async def complete(self, request: ChatRequest) -> Completion:
        if self.asked >= self.most:
            raise BudgetError(f"the limit of {self.most} calls is reached")
        self.asked += 1
        number = self.asked
        await asyncio.sleep(0.02 / number)
        texts = () if self.trouble else (f"answer {number} to {request.messages[0]['content']}",)
        return Completion(texts, prompt_tokens=number, completion_tokens=1, trouble=self.trouble, notes=("a note",))


def ask(endpoint: Endpoint, *texts: str) -> list[Completion]:
    return ask_at_once(endpoint, [question(text) for text in texts])


def record(path: Path, *texts: str, endpoint: Endpoint | None = None) -> list[Completion]:
    return ask(Cassette(path, Mode.RECORD, endpoint or Counting()), *texts)


def replay(path: Path, *texts: str) -> list[Completion]:
    return ask(Cassette(path, Mode.REPLAY, None), *texts)


def texts_of(completions: Sequence[Completion]) -> list[str]:
    return [text for completion in completions for text in completion.texts]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


ODD = ['"\\', "a\nb\r\nc\u2028d\x85e\x00", "κουτί", "\ufeff", "{}", ""]


def test_a_replay_gives_what_was_recorded(path: Path) -> None:
    recorded = record(path, *ODD)
    again = replay(path, *reversed(ODD))[::-1]
    assert [c.texts for c in again] == [c.texts for c in recorded]
    assert all(c.recorded and c.notes == ("a note",) for c in again)
    assert [c.prompt_tokens for c in again] == [c.prompt_tokens for c in recorded]
    lines = path.read_text().split("\n")
    assert len([json.loads(line) for line in lines if line]) == len(ODD)


def test_equal_questions_get_their_answers_in_order(path: Path) -> None:
    recorded = record(path, "which?", "which?", "which?")
    assert len(set(texts_of(recorded))) == 3
    assert texts_of(replay(path, "which?", "which?", "which?")) == texts_of(recorded)


class Unable(Counting):
    """One that scores no answers."""

    async def complete(self, request: ChatRequest) -> Completion:
        answered = await super().complete(request)
        return replace(answered, texts=(), unable="scores none") if "score" in request.parameters else answered


def test_what_is_refused_to_one_part_no_other_asks_for(path: Path) -> None:
    endpoint = Unable()
    scored, other = (replace(question(text), parameters={"score": [text]}) for text in ("which?", "what?"))
    for part, request in (("one", scored), ("two", other), ("two", scored)):
        (came,) = ask_at_once(Cassette(path, Mode.RECORD, endpoint, part), [request])
        assert (came.unable, came.calls) == ("scores none", int(part == "one"))
    assert endpoint.asked == 1
    (again,) = ask_at_once(Cassette(path, Mode.REPLAY, None, "one"), [scored])
    assert (again.unable, again.calls, again.recorded) == ("scores none", 1, True)  # as it was there
    (again,) = ask_at_once(Cassette(path, Mode.REPLAY, None, "two"), [other])
    assert (again.unable, again.calls, again.recorded) == ("scores none", 0, True)
    (asked,) = ask_at_once(Cassette(path, Mode.RECORD, endpoint, "two"), [replace(scored, model="another")])
    assert asked.calls == 1
    assert texts_of(ask(Cassette(path, Mode.RECORD, endpoint, "two"), "which?")) == ["answer 3 to which?"]


def test_each_part_has_separate_answers(path: Path) -> None:
    endpoint = Counting()
    for part in ("one", "other", 'a "third"\u2028', ""):
        ask(Cassette(path, Mode.RECORD, endpoint, part), "which?")
    assert endpoint.asked == 4
    for number, part in enumerate(("one", "other", 'a "third"\u2028', ""), start=1):
        assert texts_of(ask(Cassette(path, Mode.REPLAY, None, part), "which?")) == [f"answer {number} to which?"]


@pytest.mark.parametrize("mode", [Mode.RECORD, Mode.CACHE])
def test_the_second_writer_takes_the_answer_of_the_first(mode: Mode, path: Path) -> None:
    ours, theirs = Counting(), Counting()
    our = Cassette(path, mode, ours)
    ask(Cassette(path, mode, theirs), "another?", "which?")
    ours.asked = 5
    assert texts_of(ask(our, "which?")) == ["answer 2 to which?"]
    assert len(replay(path, "another?", "which?")) == 2
    with pytest.raises(MissingError, match="asked 2 times"):
        replay(path, "which?", "which?")


@pytest.mark.parametrize(("asked", "told"), [
    (question("where?\nthe mug"), ("the nearest of 3 recorded questions differs", "  -the cup", "  +the mug")),
    (replace(question("where?\nthe mug"), prompts="v2"), ("(templates then: v1, now: v2)", "  +the mug")),
    (replace(question("which?"), model="another"), ("recorded with the model", "this is another")),
    (question("which?", n=7), ("n 2, and is asked with n 7",)),
    (replace(question("which?"), fields={"top_k": 5}), ("with fewer parameters, and is asked with top_k 5",)),
    (question("a\n" * 40), (" more lines",)),
])  # fmt: skip
def test_a_missing_answer_says_how_the_nearest_question_differs(
    asked: ChatRequest, told: tuple[str, ...], path: Path
) -> None:
    kept = [replace(question(text), prompts="v1") for text in ("which?", "where?\nthe cup", "why?\nthe cup\nthe mug?")]
    ask_at_once(Cassette(path, Mode.RECORD, Counting()), kept)
    path.write_bytes(b"[]\n{torn\n" + path.read_bytes())
    with pytest.raises(UnansweredError) as caught:
        ask_at_once(Cassette(path, Mode.REPLAY, None), [asked])
    assert all(word in str(caught.value) for word in told), str(caught.value)


def test_other_templates_lock_nothing(path: Path) -> None:
    (kept,) = ask_at_once(Cassette(path, Mode.RECORD, Counting()), [replace(question("which?"), prompts="v1")])
    (again,) = ask_at_once(Cassette(path, Mode.REPLAY, None), [replace(question("which?"), prompts="v2")])
    assert again.texts == kept.texts


def test_what_counts_as_the_same_question() -> None:
    assert question().key == question().key
    assert replace(question(), fields={"user": "me"}).key == question().key  # which changes no answer
    others = [question("another?"), question(n=3), question(temperature=1.0), replace(question(), fields={"top_k": 5})]
    assert len({question().key, *(other.key for other in others)}) == 5


def test_an_answer_without_texts_is_none(path: Path) -> None:
    record(path, "which?")
    path.write_text(json.dumps({**json.loads(path.read_text()), "texts": []}))
    (found,) = replay(path, "which?")
    assert (found.texts, found.trouble, found.recorded) == ((), "an empty answer", True)


def test_troubles_are_recorded_but_not_cached(path: Path) -> None:
    record(path, "which?", endpoint=Counting(trouble="HTTP 500"))
    assert replay(path, "which?")[0].trouble == "HTTP 500"
    cache = path.with_suffix(".cache")
    for _ in range(2):
        endpoint = Counting(trouble="HTTP 500")
        ask(Cassette(cache, Mode.CACHE, endpoint), "which?")
        assert endpoint.asked == 1


def test_a_question_that_failed_is_asked_again_only_where_there_is_an_endpoint(path: Path) -> None:
    class Mended(Counting):
        """One that is in trouble with the first question and not with the second."""

        async def complete(self, request: ChatRequest) -> Completion:
            self.trouble = "" if self.asked else "HTTP 429"
            return await super().complete(request)

    first = record(path, "which?", "which?", endpoint=Mended())
    assert [completion.trouble for completion in first] == ["HTTP 429", ""]
    as_it_was = replay(path, "which?", "which?")
    assert [(c.texts, c.trouble) for c in as_it_was] == [(c.texts, c.trouble) for c in first]
    mended = Counting()
    again = record(path, "which?", "which?", endpoint=mended)
    assert (mended.asked, texts_of(again)) == (1, ["answer 1 to which?", "answer 2 to which?"])
    assert texts_of(replay(path, "which?", "which?")) == texts_of(again)
    assert [json.loads(line).get("turn") for line in path.read_text().splitlines()] == [None, None, 0]


def test_a_cache_gives_the_same_answer_to_the_same_question(path: Path) -> None:
    endpoint = Counting()
    cache = Cassette(path, Mode.CACHE, endpoint)
    assert texts_of(ask(cache, "which?", "which?")) == ["answer 1 to which?"] * 2
    assert texts_of(ask(Cassette(path, Mode.CACHE, endpoint), "which?")) == ["answer 1 to which?"]
    assert endpoint.asked == 1


@pytest.mark.parametrize("kept", [0, 1, 40, -2, -1])
def test_a_torn_line_is_asked_again(kept: int, path: Path) -> None:
    record(path, "first?", "torn?")
    whole, torn, _ = path.read_bytes().split(b"\n")
    path.write_bytes(whole + b"\n" + (torn + b"\n")[:kept])
    endpoint = Counting()
    continued = record(path, "first?", "torn?", "third?", endpoint=endpoint)
    assert endpoint.asked == (1 if kept == -1 else 2)  # a line that lacks only its end is whole
    assert texts_of(replay(path, "first?", "torn?", "third?")) == texts_of(continued)


def test_lines_that_are_no_entries_are_skipped(path: Path) -> None:
    recorded = record(path, "which?")
    key = question("which?").key
    odd = [b"null", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"key": 1, "texts": [], "notes": []}', b'{"texts": ["a"]}']
    spoilt = {"texts": 5, "notes": []}, {"texts": [5], "notes": []}, {"texts": [], "notes": [], "calls": "many"}
    spoilt += tuple({"texts": ["a"], "notes": [], "prompt_tokens": count} for count in (int("9" * 400), -1))
    spoilt += {"texts": ["\ud83d"], "notes": []}, {"texts": [], "notes": [], "trouble": "\ud83d"}
    odd += [json.dumps({"key": key, **entry}).encode() for entry in spoilt]
    path.write_bytes(b"\n".join(odd) + b"\n" + path.read_bytes())
    assert texts_of(replay(path, "which?")) == texts_of(recorded)


def test_a_stop_by_the_budget_is_replayed(path: Path) -> None:
    with pytest.raises(BudgetError, match="limit of 1 calls"):
        record(path, "first?", "second?", endpoint=Counting(most=1))
    assert len(replay(path, "first?")) == 1
    with pytest.raises(BudgetError, match="limit of 1 calls"):
        replay(path, "second?")


def test_a_stopped_recording_can_go_on(path: Path) -> None:
    for _ in range(2):
        with pytest.raises(BudgetError):
            record(path, "which?", endpoint=Counting(most=0))
    recorded = record(path, "which?", "which?")
    assert texts_of(replay(path, "which?", "which?")) == texts_of(recorded)


@pytest.mark.parametrize("mode", list(Mode))
def test_a_file_that_cannot_be_opened(mode: Mode, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot open the recording"):
        Cassette(tmp_path, mode, None)
    with pytest.raises(InputError, match="cannot open the recording"):
        Cassette(tmp_path / "nowhere" / "file", mode, None)


WRITER = """
import asyncio, sys
from pathlib import Path
from commonsense_planning.llm.cassette import Cassette, Mode
from tests.llm.asking import ask_at_once, question
from tests.llm.test_cassette import Counting

async def write(name, count):
    cache = Cassette(Path(sys.argv[1]), Mode[sys.argv[2]], Counting(most=10**9))
    for i in range(count):
        await cache.complete(question(f"{name} {i} " + "x" * 20_000))

asyncio.run(write(sys.argv[3], int(sys.argv[4])))
"""


def writer(path: Path, mode: Mode, name: str, count: int) -> subprocess.Popen[bytes]:
    """A process that asks ``count`` long questions."""
    command = [sys.executable, "-c", WRITER, str(path), mode.name, name, str(count)]
    return subprocess.Popen(command, cwd=REPOSITORY)


def long_question(name: str, i: int) -> str:
    return f"{name} {i} " + "x" * 20_000


@pytest.mark.processes
def test_processes_that_write_at_once_lose_nothing(path: Path) -> None:
    writers = [writer(path, Mode.CACHE, name, 60) for name in "ab"]
    assert [process.wait(60) for process in writers] == [0, 0]
    assert len(replay(path, *(long_question(name, i) for name in "ab" for i in range(60)))) == 120


def test_kill_in_mid_run(path: Path) -> None:
    process = writer(path, Mode.RECORD, "a", 100_000)
    deadline = time.monotonic() + 60
    while not path.exists() or path.stat().st_size < 500_000:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    whole = path.read_bytes().count(b"\n")
    endpoint = Counting()
    continued = record(path, *(long_question("a", i) for i in range(whole + 2)), endpoint=endpoint)
    assert endpoint.asked == 2
    assert texts_of(replay(path, *(long_question("a", i) for i in range(whole + 2)))) == texts_of(continued)
