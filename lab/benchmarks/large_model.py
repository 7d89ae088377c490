"""The page of tables that is made of the rows of a large model's recorded answers (``benchmarks.recordings``).

    python -m lab.benchmarks.large_model page         # write lab/docs/large-model.md from the rows
    python -m lab.benchmarks.large_model heuristics   # the rows of the recorded programs, with CPLAN_DATA/learning
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from commonsense_lab.studies.heuristics.benchmarks import domains, training

from commonsense_planning.cli.main import main as cplan
from commonsense_planning.support.statistics import difference, mean, rate
from lab.benchmarks.recordings import FIRST, MODELS, RECORDINGS, ROWS, keep
from tests.data import REPOSITORY, data_root

PAGE = REPOSITORY / "lab" / "docs" / "large-model.md"
EXPERIMENTS = tuple(name for name, recorded in RECORDINGS.items() if recorded.date == FIRST)

GPT_4O_MINI = "the paper's, gpt-4o-mini, 50 repeats"
THEIRS = {"2": GPT_4O_MINI, "3": GPT_4O_MINI, "programs": "ProgPrompt's, GPT-3, its own homes and goals"}

Row = dict[str, Any]
Rows = list[Row]


def replay_heuristics() -> None:
    """Try the recorded programs of each domain on its training problems; a row a program."""
    found: Rows = []
    data = data_root() / "learning"
    for domain in domains(data):
        with TemporaryDirectory() as folder:
            trace = Path(folder) / "trace.jsonl"
            files = [str(data / domain / "domain.pddl"), *map(str, training(data, domain, 5))]
            recording = str(data_root() / "recordings" / "heuristics" / f"{domain}.jsonl")
            asked = ["--model", MODELS[FIRST], "--candidates", "2", "--repairs", "3", "--replay", recording]
            out = ["-o", str(Path(folder) / "heuristic.py"), "--trace", str(trace), "--quiet"]
            if cplan(["write-heuristic", *files, *asked, *out]):
                sys.exit(f"{domain} did not end well")
            events = map(json.loads, trace.read_text(encoding="utf-8").splitlines())
            found += [{"domain": domain, **event} for event in events if event["event"] == "candidate"]
    keep(ROWS[FIRST] / "heuristics.jsonl", found)


def rows(name: str) -> Rows:
    """The rows of an experiment."""
    return [json.loads(line) for line in (ROWS[FIRST] / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def page() -> str:
    """The text of the page."""
    template = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    versions = ", ".join(sorted({str(row["version"]) for name in EXPERIMENTS for row in rows(name)}))
    parts = {
        "version": versions,
        "household": household(rows("household")),
        "rearrangement": rearrangement(rows("rearrangement"), rows("rearrangement-paper")),
        "pairs": pairs(rows("rearrangement")),
        "lost": lost(rows("lost")),
        "tails": tails(rows("lost")),
        "flights": flights(rows("flights")),
        "misplaced": misplaced(rows("misplaced")),
        "kitchen": kitchen(rows("kitchen")),
        "heuristics": heuristics(rows("heuristics")),
    }
    for name, part in parts.items():
        template = template.replace(f"<!-- {name} -->", part)
    return template


def household(found: Rows) -> str:
    """A line for each variant and set of tasks, and one for what was published with other prompts and models."""
    tasks = {"2": "the ten tasks", "3": "four, adversarial", "programs": "the ten tasks"}
    published = {
        **{("2", "none"): "0.41", ("2", "low"): "0.69", ("2", "high"): "0.65", ("2", "guide"): "0.29"},
        **{("2", "guide-objects"): "0.25", ("2", "guide-static"): "0.36", ("2", "guide-dynamic"): "0.36"},
        **{("3", "low"): "0.66", ("3", "guide"): "0.00", ("programs", "program"): "0.34"},
    }
    labels = {
        "none": "hill climbing, no guide",
        "low": "hill climbing, low-level guide",
        "high": "hill climbing, high-level guide",
        "guide": "the guide alone, nothing told",
        "guide-objects": "the guide alone, objects told",
        "guide-static": "the guide alone, statics told",
        "guide-dynamic": "the guide alone, dynamics told",
        "program": "a program of actions",
    }
    lines = []
    for (table, variant), number in published.items():
        cell = [row for row in found if row["variant"] == variant and table in row["tables"]]
        if table == "3":
            cell = [row for row in cell if str(row["task"]).endswith("-adversarial")]
        cost = _mean(cell, "calls"), _mean(cell, "tokens", 0)
        lines.append((labels[variant], tasks[table], "ours", str(len(cell)), _solved(cell), *cost))
        lines.append(("published", tasks[table], THEIRS[table], "–", number, "–", "–"))
    return table_of("method|tasks|prompts and model|n|success|calls|tokens, estimated", lines)


def rearrangement(found: Rows, paper: Rows) -> str:
    """A line for each method."""
    best = {(row["task"], row["seed"]): row["steps"] for row in found if row["variant"] == "expert"}
    lines = []
    for source, variant in [*((found, variant) for variant in ("mcts", "replan", "policy")), (paper, "paper")]:
        cell = [row for row in source if row["variant"] == variant]
        done = [row for row in cell if row["status"] == "solved"]
        least = [best[key] for row in done if (key := (row["task"], row["seed"])) in best]
        ratio = f"{sum(row['steps'] for row in done) / sum(least):.2f}" if len(least) == len(done) else "–"
        costs = _mean(cell, "calls"), _mean(cell, "tokens", 0)
        lines.append((f"`{cell[0]['method']}`", str(len(cell)), _solved(cell), _mean(done, "steps"), ratio, *costs))
    return table_of("method|n|success|steps|× expert's steps|calls|tokens, estimated", lines)


def pairs(found: Rows) -> str:
    """Steps of methods on the tasks that both solve."""
    lines = []
    for one, other in (("mcts", "policy"), ("mcts", "replan"), ("replan", "policy")):
        between = _difference(found, one, other, "steps", lambda row: row["task"])
        lines.append((f"`llm-{one}` less `llm-{other}`", *between))
    return table_of("steps|n|difference, 95 % interval|fewer, as many, more", lines)


def lost(found: Rows) -> str:
    """A line for each task in which the plain policy took fewer steps than the search, the greatest loss first."""
    worse = [row for row in found if row["mcts"]["steps"] > row["policy"]["steps"]]
    worse.sort(key=lambda row: row["policy"]["steps"] - row["mcts"]["steps"])
    lines = []
    for row in worse:
        mcts, policy = row["mcts"], row["policy"]
        told = [f"{one['steps']} = {one['looking']} + {one['steps'] - one['looking']}" for one in (mcts, policy)]
        opened = f"{mcts['opened']}, {policy['opened']}"
        lines.append((row["task"], str(row["expert"]), *told, opened, str(mcts["steps"] - policy["steps"])))
    return table_of("task|expert|`llm-mcts`|`llm-policy`|opened meanwhile|lost", lines)


def tails(found: Rows) -> str:
    """A line for each method: what it wasted once all was known."""
    lines = []
    for method in ("mcts", "replan", "policy"):
        known = [row[method] for row in found if method in row and row[method]["wasted"] is not None]
        wasted = [one["wasted"] for one in known]
        steps, more = sum(one["tail"] for one in known), sum(count > 0 for count in wasted)
        told = str(len(known)), str(steps), str(sum(wasted)), f"{100 * sum(wasted) / steps:.1f} %", str(more)
        lines.append((f"`llm-{method}`", *told))
    return table_of("method|tails|steps of the cheapest|wasted|share|in so many", lines)


def flights(found: Rows) -> str:
    """A line for each method."""
    labels = {
        "fewest": "`llm-model --route fewest`, the paper's search",
        "probable": "`llm-model --recheck 0`, the most probable route",
        "rechecked": "`llm-model`, doubtful flights asked about again",
        "policy": "`llm-route`, the route that the model writes",
    }
    lines = []
    for variant, label in labels.items():
        cell = [row for row in found if row["variant"] == variant]
        lines.append((label, str(len(cell)), _solved(cell), _mean(cell, "calls"), _mean(cell, "tokens", 0)))
    return table_of("method|n|right|calls|tokens, estimated", lines)


def misplaced(found: Rows) -> str:
    """A line for each share and method: what it took beside the cheapest plan, and less the first method's steps."""
    lines = []
    for share in ("0", "0.5", "1"):
        here = [row | {"taken": row["steps"] if row["status"] == "solved" else row["limit"]} for row in found]
        here = [row for row in here if row["share"] == share]
        for method in ("llm-mcts", "llm-replan", "llm-policy", "look-nearest"):
            cell = [row for row in here if row["variant"] == method]
            ratio = sum(row["taken"] for row in cell) / sum(row["cheapest"] for row in cell)
            more = ("–", "–", "–")
            if method != "llm-mcts":
                more = _difference(here, "llm-mcts", method, "taken", lambda row: (row["home"], row["task"]))
            costs = _mean(cell, "calls"), _mean(cell, "tokens", 0)
            lines.append((share, f"`{method}`", str(len(cell)), _solved(cell), f"{ratio:.2f}", more[1], *costs))
    head = "share moved|method|n|success|× the cheapest plan|steps of `llm-mcts` less its|calls|tokens, estimated"
    return table_of(head, lines)


def kitchen(found: Rows) -> str:
    """A line for each level and method."""
    lines = []
    for level in ("easy", "medium", "hard"):
        for method in ("llm-mcts", "llm-replan", "llm-policy"):
            cell = [row for row in found if row["level"] == level and row["method"] == method]
            done = [row for row in cell if row["status"] == "solved"]
            costs = _mean(cell, "calls"), _mean(cell, "tokens", 0)
            lines.append((level, f"`{method}`", str(len(cell)), _solved(cell), _mean(done, "steps"), *costs))
    return table_of("level|method|n|success|steps|calls|tokens, estimated", lines)


def heuristics(found: Rows) -> str:
    """A line for each domain."""
    lines = []
    for domain in dict.fromkeys(str(row["domain"]) for row in found):
        cell = [row for row in found if row["domain"] == domain]
        counts = [", ".join(f"{row[name]} of {row['of']}" for row in cell) for name in ("solved", "climbed")]
        lines.append((domain, str(len(cell)), *counts))
    return table_of("domain|programs|solved by greedy search|by hill climbing alone", lines)


def table_of(head: str, lines: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    cells = [head.split("|"), ["---"] * len(head.split("|")), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _solved(cell: Rows) -> str:
    found = rate(sum(row["status"] == "solved" for row in cell), len(cell))
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _mean(cell: Rows, name: str, digits: int = 1) -> str:
    return f"{mean([row[name] for row in cell]).value:,.{digits}f}"


def _difference(
    found: Rows, one: str, other: str, name: str, key: Callable[[Row], object]
) -> tuple[str, str, str]:
    """On how many tasks both methods reach the goal, the mean of ``one`` less ``other`` there, and on how many of them
    it is less, as much, more."""
    there = [{key(row): row[name] for row in found if row["variant"] == v and row["steps"]} for v in (one, other)]
    values = [there[0][task] - there[1][task] for task in sorted(there[0].keys() & there[1].keys(), key=str)]
    got = difference(values)
    signs = [sum((value > 0) - (value < 0) == sign for value in values) for sign in (-1, 0, 1)]
    return str(len(values)), f"{got.value:+.2f} [{got.low:+.2f}, {got.high:+.2f}]", ", ".join(map(str, signs))


def main(arguments: Sequence[str]) -> None:
    """Do what the command line says."""
    match arguments:
        case ["heuristics"]:
            replay_heuristics()
        case ["page"]:
            PAGE.write_text(page(), encoding="utf-8")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
