"""The chart of README.md: the steps and calls of methods on fifty tasks, by a large model and without one.

python -m website.pictures.chart   # write docs/pictures/chart.svg from the rows of lab/docs/large-model.md
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jinja2 import Template

from commonsense_planning.support.statistics import Difference, difference
from website.pictures.terminal import PICTURES

ROWS = PICTURES.parents[1] / "lab" / "docs" / "data" / "large-model-2026-11-26"
MODEL, NONE = "rearrangement", "rearrangement-no-model"
"""Files of rows: those of a large model, and those that ask no language model."""
METHODS = {
    "llm-mcts, search": ("llm-mcts", MODEL),
    "llm-replan, replanning": ("llm-replan", MODEL),
    "llm-policy, no search": ("llm-policy", MODEL),
    "llm-replan, a table": ("llm-replan", NONE),
    "look-nearest, no model": ("look-nearest", NONE),
}
"""Bar → method and file."""
LIMIT = 30
"""Steps of an episode, at most; what a task that is not solved counts."""


def rows(label: str) -> list[dict[str, Any]]:
    """The rows of a bar, one a task, with the steps ``taken``."""
    method, name = METHODS[label]
    found = map(json.loads, (ROWS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    return [row | {"taken": row["steps"] if solved(row) else LIMIT} for row in found if row["method"] == method]


def solved(row: dict[str, Any]) -> bool:
    """Whether a row's task was solved."""
    return bool(row["status"] == "solved")


def over(found: list[dict[str, Any]], name: str) -> Difference:
    """The mean of a number over tasks, with its 95 % interval."""
    return difference([row[name] for row in found])


def drawn() -> str:
    """The SVG, in the colours that the reader's system prefers."""
    (model,) = {
        row["model"].removeprefix("openai:") for label in METHODS if MODEL in METHODS[label] for row in rows(label)
    }
    cells = {label: rows(label) for label in METHODS}
    (n,) = {len(cell) for cell in cells.values()}
    steps = [(f"{label} ({sum(map(solved, cell))})", over(cell, "taken")) for label, cell in cells.items()]
    calls = [(label, over(cell, "calls")) for label, cell in cells.items()]
    panels = [
        ("steps", f"steps a task (in brackets: solved of {n})", steps),
        ("calls", "calls to the language model, a task", calls),
    ]
    template = Path(__file__).with_suffix(".svg.jinja").read_text(encoding="utf-8")
    return Template(template, trim_blocks=True).render(panels=panels, model=model, n=n, limit=LIMIT) + "\n"


if __name__ == "__main__":
    (PICTURES / "chart.svg").write_text(drawn(), encoding="utf-8")
