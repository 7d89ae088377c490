"""Rows of the rearrangement experiment for tests: made up, and the same every time."""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from commonsense_lab.studies.rearrangement.experiment import layout
from lab.tests.report.lines import Row

HARD = {"simple": 0.0, "comp": 0.15, "novel-simple": 0.05, "novel-comp-2": 0.2, "novel-comp-3": 0.5}
GOOD = {
    "uct": (0.02, 30.0, 0),
    "uct-2000": (0.1, 30.0, 0),
    "uct-20000": (0.1, 30.0, 0),
    "learned": (0.75, 0.4, 0),
    "policy": (0.8, 0.3, 20),
    "mcts": (0.97, 2.0, 320),
    "replan": (0.96, 0.5, 40),
    "expert": (1.2, 0.02, 0),
}
"""Variant → success rate on simple tasks, seconds and questions of an episode."""


def row(
    variant: str, home: str, setting: str, task: int, seed: int, tables: Sequence[str] = ("1",), **others: Any
) -> Row:
    """One episode; whether it is solved and what it costs depends on its name alone."""
    name = f"{setting}-{task}"
    key = f"rearrangement: {home}, {name}, {variant}, model embedded, seed {seed}"
    luck = zlib.crc32(key.encode()) / 2**32
    good, seconds, questions = GOOD.get(variant, (0.6, 3.0, 200))
    solved = luck < good - HARD[setting] - (0.05 if home == "unseen" else 0.0)
    decisions = 10 + int(luck * 10) if solved else 30
    seconds *= 0.5 + luck
    method = layout().variants[variant]["method"]
    return {
        "key": key,
        "suite": "rearrangement",
        "tables": list(tables),
        "home": home,
        "setting": setting,
        "task": name,
        "variant": variant,
        "method": method,
        "seed": seed,
        "model": "embedded",
        "scene": "the apartment that ships",
        "setup": "model embedded, the apartment that ships, at most 30 steps",
        "command": f"cplan bench rearrangement --tables {','.join(tables)} --methods {method} -o results",
        "version": "0.1",
        "status": "solved" if solved else "unsolved",
        "reason": "" if solved else "the limit of 30 steps is reached",
        "cause": "" if solved else ("policy", "policy", "model", "translation", "budget")[int(luck * 997) % 5],
        "plan": None,
        "steps": decisions,
        "decisions": decisions,
        "seconds": round(seconds, 3),
        "decision_seconds": round(0.9 * seconds, 3),
        "questions": int(questions * (0.5 + luck)),
        "calls": 0,
        "tokens": 0,
        "usd": None,
        "failures": 0,
        "unmatched": 0,
        "model_note": "hand-written tables, not a language model",
        **others,
    }


def table_rows(table: str, tasks: int = 4, seeds: int = 2, without: Iterable[str] = ()) -> Iterator[Row]:
    """All episodes of a table but for the variants in ``without``."""
    for home, setting, variant in layout().tables[table].cells:
        if variant not in set(without):
            for seed in range(seeds):
                for task in range(tasks):
                    yield row(variant, home, setting, task, seed, (table,))
