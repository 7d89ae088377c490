"""The campaign of equal bytes tries every method and every study, and finds what differs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from commonsense_lab.report.study import GROUP

from commonsense_planning.methods.registry import METHODS
from commonsense_planning.support.registry import plug_ins
from lab.benchmarks.reliability.determinism import VARIATIONS, cases, command_line, difference, in_order, results
from tests.data import REPOSITORY

ELSEWHERE = {"alfworld", "heuristics"}
"""Studies that need data that does not ship."""


def test_every_method_is_tried_and_every_study() -> None:
    tried = cases()
    assert {name.split("/")[1] for name in tried if name.startswith("solve/")} >= set(METHODS)
    assert {case.argv[1] for case in tried.values() if case.argv[0] == "bench"} >= set(plug_ins(GROUP)) - ELSEWHERE


def test_command_lines_differ_in_what_is_varied() -> None:
    (swift,) = (each.options for each in VARIATIONS if each.options)
    asked, bench = cases()["solve/asked/llm-mcts"], cases()["bench/misplaced"]
    words = command_line(asked, swift)
    assert words[words.index("--parallel") + 1] == "8"
    words = command_line(bench, swift)
    assert words[words.index("--workers") + 1] == "2"
    assert command_line(bench, {}) == list(bench.argv)


def test_what_differs_is_found_and_the_clock_is_not() -> None:
    rows = '{"key": "b", "plan": ["x"], "seconds": 1}\n{"key": "a", "decision_seconds": 3}\n'
    turned = '{"key": "a", "decision_seconds": 4}\n{"key": "b", "plan": ["x"], "seconds": 2}\n'
    assert in_order(rows) == in_order(turned)
    assert difference({"rows": in_order(rows)}, {"rows": in_order(turned)}) == ""
    other = in_order(rows.replace("x", "y"))
    assert difference({"rows": in_order(rows)}, {"rows": other}).startswith("rows: ")
    assert difference({}, {"trace.jsonl": "{}"}).startswith("trace.jsonl: ")


def test_a_run_has_its_trace_and_its_plan() -> None:
    found = results(cases()["solve/gbfs/0"], {})
    assert set(found) == {"exit code", "standard output", "trace.jsonl", "plan"}
    assert "made_with" in found["trace.jsonl"] and '"seconds"' not in found["standard output"]


def test_what_is_asked_does_not_depend_on_the_calls_in_flight() -> None:
    case = cases()["solve/asked/llm-model"]
    assert difference(*(results(case, {"--parallel": calls}) for calls in ("1", "8"))) == ""


@pytest.mark.processes
def test_every_method_gives_equal_bytes(tmp_path: Path) -> None:
    names = [f"solve/{method}/" for method in METHODS] + ["solve/search"]
    command = [sys.executable, "-m", "lab.benchmarks.reliability.determinism", *names, "--keep", str(tmp_path)]
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ", 0 lost" in ended.stdout
