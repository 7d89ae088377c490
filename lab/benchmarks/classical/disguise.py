"""A task that shows nothing but its structure: names drawn by chance, objects, facts and actions in another order."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from commonsense_planning.pddl.syntax import Group, Node, layout, parse
from lab.benchmarks.performance.whole_process import Ran

CPLAN = (sys.executable, "-c", "import sys; from commonsense_planning.cli.main import main; sys.exit(main())")
SEED = 1
SECONDS = 300.0  # for renaming, which belongs to no planner's time

Run = Callable[[list[str | Path], float], Ran]
"""(command, seconds) → the process."""


class NotDisguised(Exception):
    """A task that ``cplan obfuscate`` did not take; says why."""


def disguise(domain: Path, problem: Path, folder: Path, run: Run) -> tuple[Path, Path]:
    """The files of the disguised task, in ``folder``. Raises NotDisguised."""
    seed = ["--seed", str(SEED)]
    ran = run([*CPLAN, "obfuscate", domain, problem, "-o", folder, "--shuffle", *seed], SECONDS)
    if ran.code != 0:
        raise NotDisguised(f"not renamed: {ran.output}")
    disguised = folder / "domain.pddl"
    root = parse(disguised.read_text(encoding="utf-8"), disguised).root
    disguised.write_text(layout(shuffled_actions(root, np.random.default_rng(SEED))) + "\n", encoding="utf-8")
    return disguised, folder / "problem-1.pddl"


def undisguise(plan: Path, folder: Path, run: Run) -> Path:
    """The plan in the user's names, in a file beside. Raises NotDisguised."""
    ran = run([*CPLAN, "obfuscate", "--back", folder / "map.json", plan], SECONDS)
    if ran.code != 0:
        raise NotDisguised(f"the plan could not be named back: {ran.output}")
    back = folder / "plan"
    back.write_text(ran.output, encoding="utf-8")
    return back


def shuffled_actions(domain: Group, rng: np.random.Generator) -> Group:
    """The domain with its actions in an order drawn with ``rng``; everything else stays in its place."""
    places = [i for i, item in enumerate(domain.items) if _is_action(item)]
    items = list(domain.items)
    for place, action in zip(places, rng.permutation(places), strict=True):
        items[place] = domain.items[action]
    return Group(tuple(items))


def _is_action(item: Node) -> bool:
    return isinstance(item, Group) and item.head == ":action"
