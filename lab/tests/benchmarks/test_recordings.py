"""The recordings answer no fewer questions than was written down."""

import json
from pathlib import Path

import pytest

from lab.benchmarks.recordings import RECORDINGS, listed
from tests.data import shared_data

ELSEWHERE = ("planbench-2", "heuristics", "heuristics-2")  # their tasks are not with the recordings
COMPARED = ("status", "plan", "questions", "tokens", "reason")  # not the calls that found out what the endpoint takes


def test_every_recording_is_listed() -> None:
    assert list(listed()) == list(RECORDINGS)
    assert all(0 <= row["sample"] <= row["replayed"] <= row["episodes"] for row in listed().values())


@pytest.mark.parametrize("name", RECORDINGS)
def test_no_row_holds_a_prompt_or_an_answer(name: str) -> None:
    rows = [json.loads(line) for line in RECORDINGS[name].rows.read_text(encoding="utf-8").splitlines()]
    assert all({"messages", "texts", "program", "answer"}.isdisjoint(row) for row in rows)


@pytest.mark.data
@pytest.mark.parametrize("name", [name for name in RECORDINGS if name not in ELSEWHERE])
def test_a_sample_is_replayed_to_the_rows_that_are_kept(name: str, tmp_path: Path) -> None:
    shared_data("recordings")
    recorded, known = RECORDINGS[name], listed()[name]
    again = recorded.replay(tmp_path, *recorded.sample.split())
    assert len(again) >= known["sample"], "fewer episodes find their answers than lab/docs/data/replays.toml says"
    kept = {row["key"]: row for line in recorded.rows.read_text("utf-8").splitlines() for row in [json.loads(line)]}
    if known["replayed"] == known["episodes"]:
        for row in again:
            assert {key: row.get(key) for key in COMPARED} == {key: kept[row["key"]].get(key) for key in COMPARED}
