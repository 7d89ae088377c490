"""``--ask-later`` and ``cplan answer``: a run that somebody answers by hand, question by question."""

import io
import json
from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.data import REPOSITORY

TASK = ("--model", "openai:chat", "--method", "llm-replan", "--json")
PLACES = {"answers": [{"answer": "in the blue box", "percent": 70}, {"answer": "in the red box", "percent": 30}]}


def answer_all(cplan: Run, asked: Path, reply: Path) -> int:
    """Give the same reply to each question that waits; how many did."""
    count = 0
    while cplan("answer", asked).code == 0:
        assert cplan("answer", asked, reply).code == 0
        count += 1
    return count


def test_a_run_is_answered_by_hand(
    cplan: Run, tiny: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asked, reply = tmp_path / "asked.jsonl", tmp_path / "reply.txt"
    reply.write_text(json.dumps(PLACES))
    first = cplan("solve", *tiny, *TASK, "--ask-later", asked)
    assert first.code == 3 and f"cplan answer {asked}" in first.err
    shown = cplan("answer", asked)
    assert shown.code == 0 and "ball" in shown.out and "1 question without an answer" in shown.err
    rounds = 0
    while (ended := cplan("solve", *tiny, *TASK, "--ask-later", asked)).code == 3:
        assert answer_all(cplan, asked, reply) and (rounds := rounds + 1) < 9
    assert ended.code == 0 and ended.json["usage"]["recorded"] == ended.json["usage"]["questions"] > 0
    assert cplan("answer", asked).code == 1
    replayed = cplan("solve", *tiny, *TASK, "--replay", asked)
    assert replayed.json["plan"] == ended.json["plan"]


def test_an_empty_answer_or_one_in_another_encoding_is_refused(
    cplan: Run, tiny: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, reply = tmp_path / "asked.jsonl", tmp_path / "reply.txt"
    cplan("solve", *tiny, *TASK, "--ask-later", asked)
    reply.write_text(" \n")
    cplan("answer", asked, reply).says(2, "contains no answer")
    reply.write_bytes(b"caf\xe9")
    for name, words in ((reply, ("answer", asked, reply)), ("stdin", ("answer", asked, "-"))):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9")))
        cplan(*words).says(2, f"{name}:1:4: not an answer: byte 0xe9 is not UTF-8")
    assert cplan("answer", REPOSITORY / "README.md").code == 1
    assert cplan("answer", tmp_path / "none.jsonl").code == 2
    assert cplan("answer", asked, tmp_path / "none.txt").code == 2
