"""One planner on one problem: run it, have its plan judged by VAL, and say what came of it."""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from commonsense_planning.validation.val import find_val
from lab.benchmarks.classical.disguise import CPLAN, NotDisguised
from lab.benchmarks.classical.planners import Planner, Run, last_words
from lab.benchmarks.classical.problems import Task
from lab.benchmarks.classical.rows import Conditions, Row
from lab.benchmarks.performance.whole_process import run

JUDGING = 300.0  # seconds for a validator
NEARLY = 0.9  # of the seconds of a processor: a process that was ended for them is told less than it used
PATIENCE = 20  # seconds that may pass for one of a processor, where these are counted


def measure(
    table: str,
    planner: Planner,
    version: str,
    task: Task,
    conditions: Conditions,
    core: int | None = None,
    stop: int | None = None,
) -> Row:
    """The row. All that is started runs on ``core``, if one is given. ``stop``: see ``whole_process.run``."""
    row = partial(
        Row,
        table=table,
        planner=planner.name,
        version=version,
        problem=task.name,
        files=(str(task.domain), str(task.problem)),
        conditions=conditions,
    )
    with tempfile.TemporaryDirectory(prefix="cplan-bench-") as name:
        folder = Path(name)
        words = partial(_words, folders=(folder, task.domain.parent, task.problem.parent))
        helper: Run = lambda command, seconds: run(command, folder, seconds, core, stop=stop)  # noqa: E731
        try:
            files = planner.before(task.domain, task.problem, folder, helper)
        except NotDisguised as error:
            return row(outcome="left out", said=words(str(error)))
        command = planner.command(*files, conditions.limit)
        limit = conditions.limit + planner.grace
        counted = math.ceil(limit) if conditions.processor else None
        most = limit * PATIENCE if conditions.processor else limit
        ran = run(command, folder, most, core, conditions.memory, stop, counted)
        told = planner.told(ran.output)
        row = partial(
            row,
            seconds=ran.seconds,
            processor=ran.processor,
            peak=ran.peak,
            expanded=told.expanded,
            searched=told.seconds,
        )
        plan = planner.best(folder)
        used = ran.processor / NEARLY if conditions.processor else ran.seconds
        late = ran.code is None or used > limit
        if late and not (planner.anytime and plan):
            return row(outcome="time")
        if not planner.plan and ran.code == 0:
            return row(outcome="solved")
        if plan is None:
            return row(outcome="none", said=f"exit code {ran.code}: {words(ran.output)}")
        try:
            outcome, said, cost = judge(task, planner.after(plan, folder, helper), helper)
        except NotDisguised as error:
            outcome, said, cost = "wrong", words(str(error)), None
        steps = sum(line.startswith("(") for line in plan.read_text(encoding="utf-8").splitlines())
        return row(outcome=outcome, said=said, cost=cost, steps=steps)


def _words(output: str, folders: Iterable[Path]) -> str:
    """The last words, with files by their names alone."""
    said = last_words(output)
    for folder in folders:
        said = said.replace(f"{folder}/", "")
    return said[:200]


def judge(task: Task, plan: Path, run: Run) -> tuple[str, str, float | None]:
    """The outcome, VAL's words if the plan is not fine, and its value. VAL is asked about the files as they are; where
    it says nothing, ``cplan validate`` asks it once more about the same task in normal form, and the replay."""
    val = find_val()
    if val is not None and os.access(val, os.X_OK):
        said = run([val, task.domain, task.problem, plan], JUDGING).output
        value = re.search(r"Final value: ([\d.e+-]+)", said)
        if "Plan valid" in said and value:
            return "solved", "", float(value[1])
    ran = run([*CPLAN, "validate", task.domain, task.problem, plan, "--json"], JUDGING)
    outcome = {0: "solved", 1: "wrong"}.get(-1 if ran.code is None else ran.code, "unjudged")
    return outcome, "" if outcome == "solved" else _reasons(ran.output), None


def _reasons(output: str) -> str:
    """What the validators object to, on one line."""
    try:
        reports = json.loads(output[output.index("{") : output.rindex("}") + 1])["reports"]
    except (ValueError, KeyError):
        return " ".join(output.split())[-300:]
    said = (f"{one['validator']}: {one['reason']} {one['action']}" for one in reports if one["verdict"] != "valid")
    return "; ".join(said)[:300]
