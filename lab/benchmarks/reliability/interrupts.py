"""Ctrl-C at random moments of ``cplan solve``: are trace and steps kept, and is nothing left?

    python -m lab.benchmarks.reliability.interrupts [--count 100] [--seed 0] [METHOD …]

Every method solves a task undisturbed, and then ``--count`` times with an interrupt somewhere between start and end.
Lost is a step that is in the trace or the plan file alone, a torn line, a traceback, an interrupt that goes through, a
process that is left, and an outcome with another plan. ``learned-policy`` is left out: it acts as
``llm-policy`` does.
"""

from __future__ import annotations

import signal
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path

import click
import numpy as np

from commonsense_planning.methods.registry import METHODS
from tests.interrupted import after, run, words_of

LEFT_OUT = "learned-policy"


@click.command()
@click.option("--count", type=click.IntRange(min=1), default=100, show_default=True, help="Interrupts of each method.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the moments.")
@click.argument("methods", nargs=-1, type=click.Choice([*METHODS]))
def main(count: int, seed: int, methods: tuple[str, ...]) -> None:
    """Interrupt every method again and again."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has what runs in its background ignore it
    rng, total = np.random.default_rng(seed), Counter[str]()
    print("| method | interrupts | heard before the end | with steps | lost |\n|---|---|---|---|---|")
    for method in methods or [name for name in METHODS if name != LEFT_OUT]:
        with tempfile.TemporaryDirectory() as folder:
            words = words_of(method, Path(folder))
            run(words)  # compiles what is not yet compiled
            seconds = statistics.median(run(words).seconds for _ in range(3))
            found = Counter[str]()
            for moment in rng.uniform(0, seconds, count).tolist():
                left = run(words, after(moment))
                found += Counter(tried=1, heard=left.interrupted, steps=left.interrupted and bool(left.steps))
                if left.lost:
                    found["lost"] += 1
                    print(f"\n{method}, {moment:.4f} s of {seconds:.4f}: {left.lost}\n")
        figures = " | ".join(str(found[what]) for what in ("tried", "heard", "steps", "lost"))
        print(f"| `{method}` | {figures} |", flush=True)
        total += found
    print(f"tried {total['tried']} interrupts, lost {total['lost']}")
    sys.exit(total["lost"] > 0)


if __name__ == "__main__":
    main()
