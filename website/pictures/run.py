"""The figures of the tutorial's run: the belief over its steps, and the search tree of its first decision.

python -m website.pictures.run   # write docs/pictures/belief.svg and docs/pictures/tree.svg
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from website.pictures.figure import LEFT, box, line, text, write

SHOP = Path(__file__).parents[2] / "examples" / "supermarket"
MODEL = ["--model", "openai:SmolLM2-135M-Instruct.Q4_1.gguf", "--replay", str(SHOP / "local.jsonl")]
CELLS, CELL, ROW = 104, 42, 22  # where the first column of the belief begins, and how wide and high a cell is
DEEP, INDENT, BARS = 27, 22, 372  # a row of the tree, a level of it, and where the bars of visits begin
SHOWN = (3, 4, 1)  # how many choices, observations, and choices after them are drawn at most


def main() -> None:
    """Write both figures."""
    events = trace()
    start = next(event for event in events if event["event"] == "start")
    steps = [event for event in events if event["event"] == "step"]
    draw_belief(start, steps)
    draw_tree(steps[0]["search"])


def trace() -> list[dict[str, Any]]:
    """The events of the run, with its search trees."""
    program = str(Path(sys.executable).with_name("cplan"))
    files = [str(SHOP / name) for name in ("domain.pddl", "problem.pddl")]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace.jsonl"
        command = [program, "solve", *files, *MODEL, "--trace", str(path), "--trace-search"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return [json.loads(each) for each in path.read_text(encoding="utf-8").splitlines()]


def arguments(fact: str) -> list[str]:
    """The arguments of a fact in PDDL."""
    return fact.strip("()").split()[1:]


def draw_belief(start: dict[str, Any], steps: list[dict[str, Any]]) -> None:
    """A table for each thing: a row for each place, a column before the first step and after each."""
    things = {each["id"]: each for each in start["belief"]}
    places = sorted({arguments(fact)[1] for each in things.values() for fact, _ in each["places"]})
    parts = [text(LEFT, 28, "Where the robot believes the products are", "title")]
    parts.append(text(CELLS, 50, "after step", "small soft"))
    top = 58
    for key, thing in things.items():
        name, true = arguments(thing["places"][0][0])[0], {arguments(fact)[1] for fact in thing["true"]}
        parts.append(text(LEFT, top + 16, name, "title"))
        parts += [text(CELLS + CELL * (i + 0.5), top + 16, str(i), "small soft middle") for i in range(len(steps) + 1)]
        top += 22
        for row, place in enumerate(places):
            parts.append(text(CELLS - 8, top + ROW * row + 16, place, "small end"))
        believed = thing["places"]
        for column, event in enumerate([start, *steps]):
            believed = next((each["places"] for each in event.get("belief", []) if each["id"] == key), believed)
            shares = {arguments(fact)[1]: share for fact, share in believed}
            for row, place in enumerate(places if shares else []):
                parts += cell(CELLS + CELL * column, top + ROW * row, shares.get(place, 0.0), place in true)
        top += ROW * len(places) + 8
    parts.append(text(LEFT, top + 14, "In %, from 1 %. Outlined: the true aisle. Empty: gathered.", "small soft"))
    for i, event in enumerate(steps):
        words = f"{i + 1}  {event['says']}"
        parts.append(text(LEFT + 240 * (i // 4), top + 38 + 18 * (i % 4), words, "small"))
    write("belief", top + 38 + 18 * 4, parts)


def cell(x: float, y: float, share: float, true: bool) -> list[str]:
    """One probability."""
    parts = [box(x + 1, y + 1, CELL - 2, ROW - 2, "blue", share)] if share >= 0.01 else []
    if share >= 0.01:
        strong = "small middle strong" if share > 0.5 else "small middle"
        parts.append(text(x + CELL / 2, y + 16, f"{100 * share:.0f}", strong))
    return [*parts, box(x + 1, y + 1, CELL - 2, ROW - 2, "true")] if true else parts


def draw_tree(tree: dict[str, Any]) -> None:
    """A row for each node: what is done, what is seen then, what is done after that; a bar for its visits."""
    rows = [(0, "at the checkout", tree["n"], tree["v"], None), *nodes(tree, 1)]
    parts = [
        text(LEFT, 28, f"The first decision: {tree['n']} simulations", "title"),
        text(BARS, 50, "visits N", "small soft"),
        text(BARS - 8, 50, "π̂, cost", "small soft end"),
    ]
    for i, (level, words, visits, cost, policy) in enumerate(rows):
        x, y = LEFT + INDENT * level, 58 + DEEP * i
        if level:
            above = max(j for j in range(i) if rows[j][0] == level - 1)
            parts.append(line(f"M{x - 14} {58 + DEEP * above + 22}V{y + 13}H{x - 3}"))
        parts.append(text(x, y + 18, words, "" if level % 2 else "soft"))
        if visits is not None:
            numbers = f"{cost:.1f}" if policy is None else f"{policy:.2f}, {cost:.1f}"
            parts.append(text(BARS - 8, y + 18, numbers, "small end"))
            wide = 84 * visits / tree["n"]
            parts.append(box(BARS, y + 6, max(wide, 1), 15, "blue" if level % 2 else "orange"))
            parts.append(text(BARS + max(wide, 1) + 5, y + 18, str(visits), "small"))
    top = 58 + DEEP * len(rows)
    parts.append(text(LEFT, top + 16, "Blue: an action or macro, with π̂ and its expected cost Q.", "small soft"))
    parts.append(text(LEFT, top + 34, "Orange: an observation after it, with the expected cost V.", "small soft"))
    write("tree", top + 48, parts)


def nodes(node: dict[str, Any], level: int) -> list[tuple[int, str, int | None, float, float | None]]:
    """The rows below a history: of its most visited choices, and of what may be seen after those."""
    rows: list[tuple[int, str, int | None, float, float | None]] = []
    choices = sorted(node.get("choices", []), key=lambda choice: -choice["n"])
    shown = choices[: SHOWN[level - 1]]
    for choice in shown:
        rows.append((level, choice["says"], choice["n"], choice["q"], choice["p"]))
        if level > 1 or not choice.get("taken"):
            continue
        seen = sorted(choice["then"], key=lambda each: -each["n"])
        for each in [each for each in seen if each["n"]][: SHOWN[1]]:
            things = " and ".join(arguments(fact)[0] for fact in each["seen"]) if len(each["seen"]) < 3 else "all three"
            rows.append((level + 1, f"sees {things or 'nothing'}", each["n"], each["v"], None))
            rows += nodes(each, level + 2)
    left = len(choices) - len(shown) + node.get("left_out", 0)
    if level == 1 and left:
        rows.append((level, f"{left} more, each visited at most once", None, 0.0, None))
    return rows


if __name__ == "__main__":
    main()
