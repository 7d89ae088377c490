"""The page of the large model is what its rows say, and the recordings still answer the questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.large_model import ASKED_OTHERWISE, ASKED_SO, EXPERIMENTS, PAGE, command, page, replay, rows
from commonsense_planning.cli.main import main
from tests.data import shared_data


def test_the_page_is_what_the_rows_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("name", [*EXPERIMENTS, "heuristics"])
def test_no_row_holds_a_prompt_or_an_answer(name: str) -> None:
    assert all({"messages", "texts", "program"}.isdisjoint(row) for row in rows(name))


@pytest.mark.parametrize("name", ASKED_OTHERWISE)
def test_what_is_asked_otherwise_is_not_replayed(name: str) -> None:
    with pytest.raises(SystemExit, match=ASKED_SO):
        replay(name)


@pytest.mark.data
def test_the_recording_is_replayed_to_the_rows_that_are_kept(tmp_path: Path) -> None:
    """Of what is asked as it was; a question that is put otherwise is not in the recording, and the episode fails."""
    shared_data("recordings")
    kept = {row["key"]: row for row in rows("flights")}
    assert main([*command("flights"), "--pairs", "2", "-o", str(tmp_path)]) == 0
    again = [json.loads(line) for line in (tmp_path / "episodes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(again) >= 3
    for row in again:
        assert {key: row.get(key) for key in COMPARED} == {key: kept[row["key"]].get(key) for key in COMPARED}


COMPARED = ("status", "plan", "questions", "calls", "tokens", "reason")
