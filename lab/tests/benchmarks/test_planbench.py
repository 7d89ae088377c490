"""Answers that PlanBench keeps with a verdict are judged again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.benchmarks.planbench.__main__ import main
from lab.tests.studies.planbench.blocks import RIGHT, STATEMENT
from lab.tests.studies.planbench.conftest import checkout

__all__ = ["checkout"]


def test_verdicts_that_differ_are_counted(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = checkout / "plan-bench" / "results" / "blocksworld" / "a-model"
    results.mkdir(parents=True)
    wrong = RIGHT.replace("Pick up the blue", "Pick up the red")
    kept = [(RIGHT, True), (RIGHT, False), (wrong, False), (wrong, True)]
    common = {"query": STATEMENT, "extracted_llm_plan": "(unstack a b)\n(put-down a)\n(pick-up b)\n(stack b a)"}
    answers = [
        {**common, "instance_id": i, "llm_raw_response": answer, "llm_correct": str(verdict)}
        for i, (answer, verdict) in enumerate(kept)
    ]
    (results / "task_1_plan_generation.json").write_text(json.dumps({"instances": answers}))
    assert main([str(checkout), "--differing", str(checkout / "differing.jsonl"), "--asked-too", "1"]) == 0
    told = capsys.readouterr().out
    assert "task_1_plan_generation.json: 2 / 2 of 4; 1, 1" in told
    assert "where verdicts differ: {'ours valid, unified-planning valid': 1, " in told
    differing = [json.loads(line) for line in (checkout / "differing.jsonl").read_text().splitlines()]
    about = [(one["id"], one["kept"], one["their reading"]) for one in differing]
    assert about == [(1, False, "valid"), (3, True, "valid")]
