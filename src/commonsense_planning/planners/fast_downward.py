"""Fast Downward on the user's files; if its translator refuses them, on the task in normal form. It does not support
constraints: they are compiled away from the normal form (``unconstrained``).

Its driver, from the package ``up-fast-downward``, runs as a child process in an empty folder. Its exit codes are
documented at https://www.fast-downward.org/latest/documentation/exit-codes/
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import math
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from tarski.syntax import Constant

from commonsense_planning.errors import MissingError, Status, UsageError
from commonsense_planning.pddl.plan import Plan, cost_text, read_plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.planners.planner import FILES, NORMAL_FORM, PlannerResult
from commonsense_planning.planners.unconstrained import without_constraints
from commonsense_planning.support.processes import Finished, Limit, run_limited, temporary_folder

NAME = "fast-downward"
INSTALL = "Fast Downward is not installed: pip install up-fast-downward"
ALIAS = "lama-first"

_OUTCOMES = {
    10: (Status.UNSOLVABLE, "the translator proved that there is no plan"),
    11: (Status.UNSOLVABLE, "the search proved that there is no plan"),
    12: (Status.UNSOLVED, "the search ended without a plan, which proves nothing"),
    13: (Status.UNSOLVED, "there is no plan within the search's bound"),
    20: (Status.BUDGET, "the translator ran out of memory"),
    21: (Status.BUDGET, "the translator ran out of time"),
    22: (Status.BUDGET, "the search ran out of memory"),
    23: (Status.BUDGET, "the search ran out of time"),
    24: (Status.BUDGET, "the search ran out of memory and time"),
}
_UNSUPPORTED = {31: "the translator refuses the files", 34: "the search does not support the task"}
_NOT_READ = (30, 31)  # by the translator: it fails, or refuses the files
_STEPS = 10_000  # of a plan; longer ones are not expected
_EXPANDED = re.compile(r"Expanded (\d+) state\(s\)")
_COST = re.compile(r"(?<=\) )\d+(?:\.\d+)?(?=\))")  # in a text in normal form, where no name begins with a digit
_CHATTER = re.compile(r"^(INFO|Driver aborting|translate exit code|search exit code|Parsing|Normalizing|Remove )")


def driver() -> Path | None:
    """Fast Downward's driver script; None if the package is not installed."""
    package = importlib.util.find_spec("up_fast_downward")
    if package is None or package.origin is None:
        return None
    script = Path(package.origin).with_name("downward") / "fast-downward.py"
    return script if script.is_file() else None


@functools.cache
def version() -> str:
    """Fast Downward's name and version. Raises MissingError if it is not installed."""
    said = run_limited([sys.executable, _driver(), "--version"], Limit(60)).stdout.split("\n")[0].strip()
    return said or "Fast Downward"


def why_not(problem: Problem) -> str | None:
    """The reason why it cannot solve a task: a cost that exceeds 32 bits. None if there is none."""
    most, scale = _largest_cost(problem)
    if most * scale < 2**31:
        return None
    unit = "" if scale == 1 else f", here as multiples of 1/{scale}"
    return f"it counts costs in 32 bits{unit}, and a cost here is {cost_text(float(most))}"


def _largest_cost(problem: Problem) -> tuple[Fraction, int]:
    """The largest cost in a task, and the number that makes all costs whole; 0 and 1 if costs do not count."""
    if not problem.total_cost:
        return Fraction(0), 1
    given = [action.cost.addend for action in problem.tarski.actions.values() if action.cost is not None]
    given += [value for table in problem.tarski.init.function_extensions.values() for value in table.data.values()]
    costs = [Fraction(str(value.symbol)) for value in given if isinstance(value, Constant)]
    return max(costs, default=Fraction(0)), math.lcm(*(cost.denominator for cost in costs))


def solve(problem: Problem, timeout: float | None = None, search: str = "") -> PlannerResult:
    """Runs Fast Downward for at most ``timeout`` seconds, with ``search`` for its option ``--search``; by default with
    lama-first.

    Raises UsageError for a task that it does not support, MissingError if it is not installed.
    """
    script = _driver()
    if reason := why_not(problem):
        raise UsageError(f"{NAME} cannot solve this task: {reason}")
    limit, refused = Limit(timeout), ""
    with temporary_folder("fd") as name:
        folder = Path(name)
        if not problem.constraints:
            with problem.plain_files() as files:
                ended = _run(script, files, folder, limit, search)
            if problem.normal_text is None or ended.returncode not in _NOT_READ:
                found = _result(ended, folder, timeout, lambda plan: problem.spelt(problem.in_normal_form(plan)))
                return replace(_as_far_as_counted(found, problem), given=FILES)
            refused = f", since Fast Downward does not read the files{_words(ended)}"
        normal = without_constraints(problem)
        files = folder / "domain.pddl", folder / "problem.pddl"
        scale = math.lcm(*(Fraction(cost).denominator for text in normal.texts for cost in _COST.findall(text)))
        for file, text in zip(files, normal.texts, strict=True):
            whole = _COST.sub(lambda cost: str(int(Fraction(cost[0]) * scale)), text)  # it reads no fractions
            file.write_text(whole, encoding="utf-8")

        def back(plan: Plan) -> Plan:
            if plan.cost is not None and problem.total_cost:
                plan = replace(plan, cost=float(Fraction(plan.cost) / scale))
            return normal.back(plan)

        ended = _run(script, files, folder, limit, search)
        found = _result(ended, folder, timeout, back)
        return replace(_as_far_as_counted(found, problem), given=NORMAL_FORM + refused)


def _as_far_as_counted(found: PlannerResult, problem: Problem) -> PlannerResult:
    """The result, in which the search proves nothing if it may have passed over plans whose cost exceeds 32 bits."""
    most, scale = _largest_cost(problem)
    if found.status is not Status.UNSOLVABLE or most * scale * _STEPS < 2**31:
        return found
    reason = f"it found no plan that costs less than {cost_text((2**31 - 1) / scale)}, the most that it can count"
    return PlannerResult(Status.UNSOLVED, reason=reason)


def _run(script: Path, files: tuple[Path, Path], folder: Path, limit: Limit, search: str) -> Finished:
    """Runs Fast Downward on these files within ``limit``; the plan is written to the folder."""
    options = ["--plan-file", str(folder / "plan"), "--sas-file", str(folder / "task.sas")]
    options += [] if search else ["--alias", ALIAS]
    searching = ["--search", search] if search else []
    return run_limited([sys.executable, script, *options, *files, *searching], limit, cwd=folder)


def _result(ended: Finished, folder: Path, timeout: float | None, spelt: Callable[[Plan], Plan]) -> PlannerResult:
    plan_file = folder / "plan"
    if plan_file.is_file() and ended.returncode in (0, 1, 2, 3):
        said = _EXPANDED.findall(ended.stdout)
        return PlannerResult(Status.SOLVED, spelt(read_plan(plan_file)), expanded=int(said[-1]) if said else None)
    return _outcome(ended, timeout)


def _driver() -> Path:
    script = driver()
    if script is None:
        raise MissingError(INSTALL)
    return script


def _outcome(ended: Finished, timeout: float | None) -> PlannerResult:
    if ended.timed_out:
        return PlannerResult(Status.BUDGET, reason=f"no plan within {timeout:g} s")
    if ended.signal_name:
        return PlannerResult(Status.UNSOLVED, reason=f"crashed ({ended.signal_name})")
    code = ended.returncode or 0
    if code in _UNSUPPORTED:
        raise UsageError(f"{NAME} cannot solve this task: {_UNSUPPORTED[code]}{_words(ended)}")
    status, reason = _OUTCOMES.get(code, (Status.UNSOLVED, f"ended with exit code {code}"))
    return PlannerResult(status, reason=reason + (_words(ended) if code >= 30 else ""))


def _words(ended: Finished) -> str:
    """The last readable lines of Fast Downward's output, after a colon; of a traceback only the last line."""
    lines = [line for said in (ended.stdout + "\n" + ended.stderr).splitlines() for line in _lines(said)]
    kept = [line.strip() for line in lines if line.strip() and not _CHATTER.match(line.strip())]
    last = kept[-1:] if any(line.startswith("Traceback ") for line in kept) else kept[-3:]
    return f": {' '.join(last)[:500]}" if last else ""


def _lines(said: str) -> list[str]:
    """The lines of the driver's output, in which its children's output is the literal of a bytes object."""
    if not said.startswith(("b'", 'b"')):
        return [said]
    try:
        return str(ast.literal_eval(said).decode(errors="replace")).splitlines()
    except (ValueError, SyntaxError):
        return [said]
