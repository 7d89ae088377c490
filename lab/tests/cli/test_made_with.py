"""What a result was made with: rows of experiments and their report."""

from __future__ import annotations

import json
from pathlib import Path

from commonsense_planning import __version__
from tests.cli.running import Run


def test_rows_and_their_report_tell_it(cplan: Run, tmp_path: Path) -> None:
    small = ("--tasks", "1", "--levels", "easy", "--methods", "llm-replan", "--workers", "1", "--quiet")
    assert cplan("bench", "kitchen", *small, "-o", tmp_path).code == 0
    row = json.loads((tmp_path / "episodes.jsonl").read_text())
    assert (row["version"], row["seed"], row["model"], row["validators"]) == (
        __version__,
        0,
        "embedded",
        {"replay": __version__},
    )
    told = f"Made with cplan {__version__}; seeds 0; judged by replay {__version__}."
    assert told in (tmp_path / "report.md").read_text()
    assert f"<p>{told}</p>" in (tmp_path / "report.html").read_text()
