"""The campaigns of crashes, load and long runs, in short."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from click.testing import CliRunner
from commonsense_lab.runner.rows import NAME

from lab.benchmarks.reliability import crashes, load
from lab.benchmarks.reliability.long_runs import Mark, decisions


def test_what_grows_is_found() -> None:
    before = Mark(decisions=10, memory=100.0, objects=1, files=5, threads=1, children=0)
    assert before.lost_since(before) == replace(before, memory=104.0, objects=9).lost_since(before) == []
    assert replace(before, memory=106.0, files=6).lost_since(before) == ["memory", "files"]
    assert Mark.now(10).files > 2


def test_decisions_come_from_episodes_that_end() -> None:
    said = Counter(islice(decisions(0), 60))
    assert said[""] > 40 and set(said) == {"", "solved"}


def test_fields_that_tell_what_a_clock_said_are_not_compared() -> None:
    row = {"key": "a", "seconds": 1.0, "circumstances": {"waiting": 2.0, "version": "1"}}
    assert crashes.timeless(row) == {"key": "a", "circumstances": {"version": "1"}}


@pytest.mark.processes
def test_a_killed_bench_goes_on() -> None:
    found = crashes.campaign("bench", (), f"results/{NAME}", 2, np.random.default_rng(0))
    assert found["kills"] == 2
    assert (found["differ"], found["torn"], found["left"]) == (0, 0, 0)


@pytest.mark.processes
def test_episodes_under_load_end_and_their_counts_add_up() -> None:
    ended = CliRunner().invoke(load.main, ["--seconds", "10"])
    assert ended.exit_code == 0, ended.output
    assert "lost 0" in ended.output
