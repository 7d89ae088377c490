"""The drawn figures of the pages: how data flows, the belief over the tutorial's run, and its first search tree.

python -m website.pictures.figures   # write data-flow.svg, belief.svg and tree.svg in docs/pictures, from the templates
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jinja2 import Environment, FileSystemLoader

from website.pictures.terminal import PICTURES

SHOP = Path(__file__).parents[2] / "examples" / "supermarket"
MODEL = ["--model", "openai:SmolLM2-135M-Instruct.Q4_1.gguf", "--replay", str(SHOP / "local.jsonl")]
SHOWN = (3, 1)  # how many choices are drawn at the root, and after an observation


def drawn() -> dict[str, str]:
    """Name of a figure → the SVG."""
    start, *events = trace()
    steps = [event for event in events if event["event"] == "step"]
    rows: list[dict[str, Any]] = []
    grow(rows, "at the checkout", steps[0]["search"], 0, 0)
    beliefs = [belief(thing, [start, *steps]) for thing in start["belief"]]
    places = sorted({place for *_, columns in beliefs for place in columns[0]})
    figures = {
        "data-flow": {},
        "belief": {"beliefs": beliefs, "places": places, "steps": [step["says"] for step in steps]},
        "tree": {"rows": rows},
    }
    templates = Environment(loader=FileSystemLoader(Path(__file__).parent), trim_blocks=True, autoescape=True)
    return {name: templates.get_template(f"{name}.svg.jinja").render(data) + "\n" for name, data in figures.items()}


def trace() -> list[dict[str, Any]]:
    """The events of the run, with its search trees."""
    program = str(Path(sys.executable).with_name("cplan"))
    files = [str(SHOP / name) for name in ("domain.pddl", "problem.pddl")]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace.jsonl"
        command = [program, "solve", *files, *MODEL, "--trace", str(path), "--trace-search"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def arguments(fact: str) -> list[str]:
    """The arguments of a fact in PDDL."""
    return fact.strip("()").split()[1:]


def belief(thing: dict[str, Any], events: list[dict[str, Any]]) -> tuple[str, str, list[dict[str, float]]]:
    """The name of a thing, its true place, and the probabilities of its places at the start and after each step."""
    (name, true), columns = arguments(*thing["true"]), [{}]
    for event in events:
        changed = [each["places"] for each in event.get("belief", []) if each["id"] == thing["id"]]
        columns.append({arguments(fact)[1]: share for fact, share in changed[0]} if changed else columns[-1])
    return name, true, columns[1:]


def grow(rows: list[dict[str, Any]], words: str, node: dict[str, Any], level: int, parent: int) -> None:
    """Add the row of a history, and those of its choices; after the choice taken, those of what may be seen."""
    place = len(rows)
    rows.append({"words": words, "visits": node["n"], "cost": node["v"], "level": level, "parent": parent})
    choices = sorted(node["choices"], key=lambda choice: -choice["n"])
    shown = choices[: SHOWN[level // 2]]
    for choice in shown:
        row = {"words": choice["says"], "visits": choice["n"], "cost": choice["q"], "policy": choice["p"]}
        rows.append({**row, "level": level + 1, "parent": place})
        after = len(rows) - 1
        for each in sorted(choice["then"], key=lambda each: -each["n"]) if choice.get("taken") else ():
            things = [arguments(fact)[0] for fact in each["seen"]]
            if each["n"]:
                grow(rows, f"sees {'all three' if len(things) > 2 else ' and '.join(things)}", each, level + 2, after)
    if level == 0:
        left = len(choices) - len(shown) + node.get("left_out", 0)
        rows.append({"words": f"{left} more, each visited at most once", "level": 1, "parent": place})


if __name__ == "__main__":
    for name, figure in drawn().items():
        (PICTURES / f"{name}.svg").write_text(figure, encoding="utf-8")
