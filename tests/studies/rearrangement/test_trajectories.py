"""The files of trajectories: equal whatever the number of processes, complete or not there, read as examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.llm.examples import read_examples
from commonsense_planning.studies.rearrangement import trajectories
from commonsense_planning.studies.rearrangement.draw import training_tasks
from commonsense_planning.studies.rearrangement.trajectories import Counts, Pooled, Source, write_trajectories
from tests.scripted import HOUSEHOLD
from tests.studies.rearrangement.homes import homes_of

SOURCE = Source(seed=7, pack=HOUSEHOLD)


def test_all_trajectories_and_a_pool_of_them(tmp_path: Path) -> None:
    out, pool = tmp_path / "D.jsonl", tmp_path / "pool.jsonl"
    seen: list[tuple[int, int]] = []
    counts = write_trajectories(SOURCE, 12, out, Pooled(pool, 5), 1, lambda done, total: seen.append((done, total)))
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    tasks = training_tasks(homes_of("own"), 12, 7)
    assert [(line["task"], line["instruction"]) for line in lines] == [(t.name, t.instruction) for t in tasks]
    lengths = [len(line["actions"]) for line in lines]
    assert counts == Counts(12, sum(lengths), max(lengths))
    assert seen == [(done, 12) for done in range(13)]
    chosen = [json.loads(line) for line in pool.read_text().splitlines()]
    assert len({line["task"] for line in chosen}) == 5
    by_task = {line["task"]: line for line in lines}
    for line in chosen:
        whole = by_task[line["task"]]
        assert {**line, "observations": 0} == {**whole, "observations": 0}
        assert set(line["observations"][0]) < set(whole["observations"][0])
    examples = read_examples(pool)
    assert [example.actions for example in examples] == [tuple(line["actions"]) for line in chosen]
    assert {path.name for path in tmp_path.iterdir()} == {"D.jsonl", "pool.jsonl"}


def test_equal_sources_give_equal_bytes_with_any_number_of_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trajectories, "CHUNK", 2)
    files = []
    for workers in (1, 2):
        out, pool = tmp_path / f"D{workers}.jsonl", tmp_path / f"pool{workers}.jsonl"
        write_trajectories(SOURCE, 5, out, Pooled(pool, 3), workers)
        files.append((out.read_bytes(), pool.read_bytes()))
    assert files[0] == files[1]
    write_trajectories(Source(8, None, HOUSEHOLD), 5, out, None, 1)
    assert out.read_bytes() != files[0][0]


def test_what_is_not_complete_is_not_there(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    out = tmp_path / "D.jsonl"
    out.write_text("before\n")
    with pytest.raises(KeyboardInterrupt):
        write_trajectories(SOURCE, 3, out, Pooled(tmp_path / "pool.jsonl", 1), 1, stop)
    assert out.read_text() == "before\n"
    assert [path.name for path in tmp_path.iterdir()] == ["D.jsonl"]


def test_a_pool_larger_than_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a pool of 4 cannot be drawn from 3 trajectories"):
        write_trajectories(SOURCE, 3, tmp_path / "D.jsonl", Pooled(tmp_path / "pool.jsonl", 4), 1)


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    out = tmp_path / "missing" / "D.jsonl"
    with pytest.raises(InputError, match=f"{out}: cannot write the trajectories: No such file or directory"):
        write_trajectories(SOURCE, 3, out, None, 1)
