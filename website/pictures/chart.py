"""The chart of README.md: the steps and calls of three methods on fifty tasks, with a large model's recorded answers.

python -m website.pictures.chart   # write docs/pictures/chart.svg from the rows of lab/docs/large-model.md
"""

from __future__ import annotations

import json
from typing import Any

from commonsense_planning.support.statistics import Difference, difference
from website.pictures.terminal import PICTURES

ROWS = PICTURES.parents[1] / "lab" / "docs" / "data" / "large-model-2026-11-26" / "rearrangement.jsonl"
METHODS = {"llm-mcts": "search", "llm-replan": "replanning", "llm-policy": "no search"}
WIDTH, HEIGHT, LEFT, BARS, UNIT, ROW = 500, 370, 16, 198, 14, 30  # a unit is one step or one call
STYLE = """\
text { font: 15px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #24292f }
text.title { font-weight: bold } text.soft { fill: #57606a }
.paper { fill: #f6f8fa } .steps { fill: #56b4e9 } .calls { fill: #e69f00 }
.interval { stroke: #24292f; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } text.soft { fill: #9aa4ae } .paper { fill: #161b22 } .interval { stroke: #e6edf3 }
.steps { fill: #2f7fb0 } .calls { fill: #a87400 }
}"""


def main() -> None:
    """Write the chart."""
    (PICTURES / "chart.svg").write_text(drawn(), encoding="utf-8")


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
    parts = [
        text(LEFT, 30, "Fifty tasks: find things at home, put them away", "title"),
        *panel(64, "steps of the plans found", "steps", {method: solved(method) for method in METHODS}),
        *panel(190, "calls to the language model, a task", "calls", {method: rows(method) for method in METHODS}),
        text(LEFT, 316, "Answers not independent. Lines: 95 % intervals over n tasks."),
        text(LEFT, 337, f"Answers of {model}, recorded on 26 November 2026;", "soft"),
        text(LEFT, 358, "one run of each method, in which they are replayed.", "soft"),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" viewBox="0 0 {WIDTH} {HEIGHT}">'
    paper = f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="8"/>'
    return "\n".join([head, f"<style>\n{STYLE}\n</style>", paper, *parts, "</svg>\n"])


def panel(top: int, title: str, name: str, cells: dict[str, list[dict[str, Any]]]) -> list[str]:
    """A bar for each method, with its interval, below a title; ``name``: the number in the rows."""
    parts = [text(LEFT, top, title, "title")]
    for place, (method, found) in enumerate(cells.items()):
        middle, mean = top + 20 + ROW * place, over(found, name)
        ends = [BARS + UNIT * end for end in (mean.low, mean.high)]
        parts += [
            text(LEFT, middle + 5, f"{method}, {METHODS[method]}"),
            f'<rect class="{name}" x="{BARS}" y="{middle - 10}" width="{UNIT * mean.value:.1f}" height="20"/>',
            f'<path class="interval" d="M{ends[0]:.1f} {middle}H{ends[1]:.1f}"/>',
            text(round(ends[1]) + 8, middle + 5, f"{mean.value:.1f} (n = {len(found)})"),
        ]
    return parts


def text(x: int, y: int, words: str, kind: str = "") -> str:
    """A line of text that begins at a point."""
    return f'<text x="{x}" y="{y}"' + (f' class="{kind}"' if kind else "") + f">{words}</text>"


if __name__ == "__main__":
    main()
