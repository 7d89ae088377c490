"""The chart of README.md: the steps and calls of three methods on fifty tasks, with a large model's recorded answers.

python -m website.pictures.chart   # write docs/pictures/chart.svg from the rows of lab/docs/large-model.md
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jinja2 import Template

from commonsense_planning.support.statistics import Difference, difference
from website.pictures.terminal import PICTURES

ROWS = PICTURES.parents[1] / "lab" / "docs" / "data" / "large-model-2026-11-26" / "rearrangement.jsonl"
METHODS = {"llm-mcts": "search", "llm-replan": "replanning", "llm-policy": "no search"}


def rows(method: str) -> list[dict[str, Any]]:
    """The rows of a method, one a task."""
    found = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    return [row for row in found if row["method"] == method]


def solved(method: str) -> list[dict[str, Any]]:
    """Those of the tasks that it solved."""
    return [row for row in rows(method) if row["status"] == "solved"]


def over(found: list[dict[str, Any]], name: str) -> Difference:
    """The mean of a number over tasks, with its 95 % interval."""
    return difference([row[name] for row in found])


def drawn() -> str:
    """The SVG, in the colours that the reader's system prefers."""
    (model,) = {row["model"].removeprefix("openai:") for method in METHODS for row in rows(method)}
    shown = (("steps", "steps of the plans found", solved), ("calls", "calls to the language model, a task", rows))
    panels = [
        (name, title, [(f"{m}, {gloss}", over(cells(m), name), len(cells(m))) for m, gloss in METHODS.items()])
        for name, title, cells in shown
    ]
    template = Path(__file__).with_suffix(".svg.jinja").read_text(encoding="utf-8")
    return Template(template, trim_blocks=True).render(panels=panels, model=model) + "\n"


if __name__ == "__main__":
    (PICTURES / "chart.svg").write_text(drawn(), encoding="utf-8")
