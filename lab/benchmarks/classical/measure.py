"""One planner on one problem: run it, have its plan judged by VAL, and say how it ended."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_planning.pddl.nodes import Group, layout
from commonsense_planning.pddl.syntax import parse
from commonsense_planning.validation.val import find_val
from lab.benchmarks.classical.planners import Planner, Words, last_words
from lab.benchmarks.classical.problems import Task
from lab.benchmarks.classical.rows import Conditions, Row
from lab.benchmarks.performance.whole_process import CPLAN, Ran, run

JUDGING = 300.0  # seconds for a validator, and for renaming, which belongs to no planner's time
SEED = 1  # of disguises

Run = Callable[[Words], Ran]
"""A command → the process, in the folder of the measurement, on its core."""


class NotDisguised(Exception):
    """A task that ``cplan obfuscate`` did not take; says why."""


def measure(
    table: str,
    planner: Planner,
    version: str,
    task: Task,
    conditions: Conditions,
    core: int | None = None,
    stop: int | None = None,
) -> Row:
    """Returns the row. Every process runs on ``core``, if one is given. ``stop``: see ``whole_process.run``."""
    about: dict[str, Any] = {"table": table, "planner": planner.name, "version": version, "problem": task.name}
    row = partial(Row, **about, files=(str(task.domain), str(task.problem)), conditions=conditions)
    with tempfile.TemporaryDirectory(prefix="cplan-bench-") as name:
        folder, files = Path(name), (task.domain, task.problem)

        def words(output: str) -> str:
            """Returns the last words, with files by their names alone."""
            said = last_words(output)
            for place in (folder, task.domain.parent, task.problem.parent):
                said = said.replace(f"{place}/", "")
            return said[:200]

        helper: Run = lambda command: run(command, folder, JUDGING, core, stop=stop)  # noqa: E731
        try:
            if planner.disguised:
                files = disguise(*files, folder / "disguised", helper)
        except NotDisguised as error:
            return row(outcome="left out", said=words(str(error)))
        if planner.copied:
            copies = folder / "domain.pddl", folder / "problem.pddl"
            for source, copy in zip(files, copies, strict=True):
                shutil.copyfile(source, copy)
            files = copies
        command, limit = planner.command(*files, conditions.limit), conditions.limit + planner.grace
        ran = run(command, folder, limit, core, conditions.memory, stop)
        told, plan = planner.told(ran.output), planner.best(folder)
        row = partial(row, seconds=ran.seconds, processor=ran.processor, peak=ran.peak)
        row = partial(row, expanded=told.expanded, searched=told.seconds)
        if (ran.code is None or ran.seconds > limit) and not (planner.anytime and plan):
            return row(outcome="time")
        if not planner.plan and ran.code == 0:
            return row(outcome="solved")
        if plan is None:
            return row(outcome="none", said=f"exit code {ran.code}: {words(ran.output)}")
        plan = bare(plan)
        steps = sum(line.startswith("(") for line in plan.read_text(encoding="utf-8").splitlines())
        try:
            plan = undisguise(plan, folder / "disguised", helper) if planner.disguised else plan
            outcome, said, cost = judge(task, plan, helper)
        except NotDisguised as error:
            outcome, said, cost = "wrong", words(str(error)), None
        return row(outcome=outcome, said=said, cost=cost, steps=steps)


def bare(plan: Path) -> Path:
    """Returns the plan without numbers before its steps and remarks behind them, which some planners write."""
    lines = plan.read_text(encoding="utf-8").splitlines()
    steps = [re.sub(r"^\d+:\s*", "", line.partition(";")[0]).strip() for line in lines]
    plan.with_name("bare").write_text("\n".join(filter(None, steps)) + "\n", encoding="utf-8")
    return plan.with_name("bare")


def judge(task: Task, plan: Path, run: Run) -> tuple[str, str, float | None]:
    """Returns the outcome, VAL's text if the plan is not valid, and its value. VAL gets the original files; without a
    verdict, ``cplan validate`` asks it about the task in normal form, and the replay."""
    val = find_val()
    if val is not None and os.access(val, os.X_OK):
        said = run([val, task.domain, task.problem, plan]).output
        value = re.search(r"Final value: ([\d.e+-]+)", said)
        if "Plan valid" in said and value:
            return "solved", "", float(value[1])
    ran = run([*CPLAN, "validate", task.domain, task.problem, plan, "--json"])
    outcome = {0: "solved", 1: "wrong"}.get(-1 if ran.code is None else ran.code, "unjudged")
    return outcome, "" if outcome == "solved" else _reasons(ran.output), None


def _reasons(output: str) -> str:
    """Returns what the validators object to, on one line."""
    try:
        reports = json.loads(output[output.index("{") : output.rindex("}") + 1])["reports"]
    except (ValueError, KeyError):
        return " ".join(output.split())[-300:]
    said = (f"{one['validator']}: {one['reason']} {one['action']}" for one in reports if one["verdict"] != "valid")
    return "; ".join(said)[:300]


def disguise(domain: Path, problem: Path, folder: Path, run: Run) -> tuple[Path, Path]:
    """Returns the files of a task that shows nothing but its structure: names drawn by chance, objects, facts and
    actions in another order. Raises NotDisguised."""
    ran = run([*CPLAN, "obfuscate", domain, problem, "-o", folder, "--shuffle", "--seed", str(SEED)])
    if ran.code != 0:
        raise NotDisguised(f"not renamed: {ran.output}")
    disguised = folder / "domain.pddl"
    items = list(parse(disguised.read_text(encoding="utf-8"), disguised).root.items)
    places = [i for i, item in enumerate(items) if isinstance(item, Group) and item.head == ":action"]
    actions = [items[place] for place in np.random.default_rng(SEED).permutation(places)]
    for place, action in zip(places, actions, strict=True):
        items[place] = action
    disguised.write_text(layout(Group(tuple(items))) + "\n", encoding="utf-8")
    return disguised, folder / "problem-1.pddl"


def undisguise(plan: Path, folder: Path, run: Run) -> Path:
    """Returns a file with the plan in the user's names. Raises NotDisguised."""
    ran = run([*CPLAN, "obfuscate", "--back", folder / "map.json", plan])
    if ran.code != 0:
        raise NotDisguised(f"the plan could not be named back: {ran.output}")
    (folder / "plan").write_text(ran.output, encoding="utf-8")
    return folder / "plan"
