"""Compares what cplan's reader and others read in the same files, and which files each accepts; also damaged ones."""

from __future__ import annotations

import json
import re
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from commonsense_planning.errors import CplanError
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.validation.replay import initial_state
from lab.benchmarks.classical.problems import Task
from lab.benchmarks.reliability.differential import other_readers
from lab.benchmarks.reliability.differential.other_readers import Read
from lab.benchmarks.reliability.differential.tally import Tally
from lab.benchmarks.reliability.differential.tasks import Case

MUTANTS = 4
"""Of each task, besides the task itself."""
SECONDS = 120.0
"""For one task and one reader, its start included."""
TOKEN = re.compile(r"[()]|[^\s();]+")
PDDL_PYTHON = ".venv/pddl/bin/python"
QUOTED = r"'[^']*'|:[a-z-]+( :[a-z-]+)*"


class OtherReader:
    """One of them in its process, which is started again when it has ended."""

    def __init__(self, name: str, python: str) -> None:
        self.name, self._python = name, python
        self._process: subprocess.Popen[str] | None = None

    def read(self, domain: Path, problem: Path) -> Read:
        """Returns what it read, or why it refuses; ``silent`` alone where it has no answer."""
        process = self._process
        if process is None:
            script = [self._python, "-W", "ignore", other_readers.__file__, self.name]
            process = self._process = subprocess.Popen(
                script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(f"{domain}\t{problem}\n")
        process.stdin.flush()
        ready = select.select([process.stdout], [], [], SECONDS)[0]
        answer = process.stdout.readline() if ready else ""
        if answer:
            found: Read = json.loads(answer)
            return found
        self.close()
        return {"silent": "it crashed" if ready else f"it took longer than {SECONDS:g} s"}

    def close(self) -> None:
        """Ends its process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def ours(problem: Problem) -> Read:
    """Returns what cplan reads, in the others' form."""
    spell, language = problem.spell, problem.tarski.language
    things = language.get_sort("object").domain()
    read: dict[str, Any] = {
        "domain": problem.domain_name,
        "problem": problem.problem_name,
        "actions": {spell(name): len(action.parameters) for name, action in problem.tarski.actions.items()},
        "predicates": {spell(p.symbol): len(p.sort) for p in language.predicates if not p.builtin},
        "objects": {spell(thing.symbol): spell(thing.sort.name) for thing in things},
        "init": [" ".join(map(spell, atom)) for atom in initial_state(problem)],
    }
    found: dict[str, Any] = json.loads(json.dumps(read).lower())
    return found | {"init": sorted(found["init"])}


def spoilt(text: str, rng: np.random.Generator) -> str:
    """Returns the text with one word or bracket left out, doubled, or in another's place."""
    text = re.sub(r";[^\n]*", "", text)
    tokens = list(TOKEN.finditer(text))
    one, other = (tokens[i] for i in rng.integers(len(tokens), size=2))
    new = ["", f"{one[0]} {one[0]}", f" {other[0]} "][int(rng.integers(3))]
    return text[: one.start()] + new + text[one.end() :]


def there(pddl_python: str) -> dict[str, str]:
    """Returns the installed readers: name → its Python. Prints which are left out."""
    packages = {"unified-planning": ("unified_planning", sys.executable), "loki": ("pypddl", sys.executable)}
    found = {}
    for name, (package, python) in {**packages, "pddl": ("pddl", pddl_python)}.items():
        asked = shutil.which(python) and subprocess.run([python, "-c", f"import {package}"], capture_output=True)
        if asked and asked.returncode == 0:
            found[name] = python
        else:
            print(f"{name} is left out: {python} does not have it; make differential installs it", file=sys.stderr)
    return found


class Readers:
    """The comparison. ``others``: name → the Python that has that reader."""

    def __init__(self, others: dict[str, str]) -> None:
        self.others = [OtherReader(name, python) for name, python in others.items()]

    def compare(self, case: Case, tally: Tally) -> None:
        """Reads the task, and spoilt copies of it."""
        rng = np.random.default_rng(case.seed)
        self._compare(case, tally, "files")
        if not case.drawn:
            return
        texts = {file: file.read_text(encoding="utf-8") for file in (case.task.domain, case.task.problem)}
        with tempfile.TemporaryDirectory(prefix="cplan-spoilt-") as folder:
            files = Path(folder) / "domain.pddl", Path(folder) / "problem.pddl"
            for _ in range(MUTANTS):
                which = int(rng.integers(2))
                for place, (file, text) in enumerate(zip(files, texts.values(), strict=True)):
                    file.write_text(spoilt(text, rng) if place == which else text, encoding="utf-8")
                self._compare(Case(Task(case.task.name, *files), case.seed), tally, "spoilt files")

    def _compare(self, case: Case, tally: Tally, what: str) -> None:
        warning = ""
        try:
            found = read_problem(case.task.domain, case.task.problem)
            mine, warning = ours(found), found.warnings[0].problem if found.warnings else ""
        except CplanError as error:
            mine = {"refused": str(error).splitlines()[0]}
        tally.tried[what] += 1
        end = "refused" if "refused" in mine else "taken with a warning" if warning else "taken"
        tally.tried[f"of them {end} by cplan"] += 1
        for other in self.others:
            theirs = other.read(case.task.domain, case.task.problem)
            if "silent" in theirs:
                tally.silent[f"{other.name}: {theirs['silent']}"] += 1
                continue
            tally.tried[f"{other.name} took"] += "refused" not in theirs
            for said in _differ(mine, theirs):
                reason = known(other.name, theirs, mine, warning, case.task, what != "files")
                if reason:
                    tally.explained[f"{other.name}: {reason}"] += 1
                else:
                    tally.lose(case, f"{other.name}: {said}")

    def close(self) -> None:
        """Ends all processes."""
        for other in self.others:
            other.close()


def _differ(mine: Read, theirs: Read) -> list[str]:
    if "refused" in mine or "refused" in theirs:
        if "refused" in mine and "refused" in theirs:
            return []
        one, why = ("cplan", mine) if "refused" in mine else ("the other", theirs)
        return [f"refused by {one} alone: {why['refused']}"]
    return [
        f"{part}: {_short(mine[part], found)} here, {_short(found, mine[part])} there"
        for part, found in theirs.items()
        if mine[part] != found
    ]


def _short(one: Any, other: Any) -> str:
    """Returns what of ``one`` is not in ``other``."""
    items, others = (list(each.items()) if isinstance(each, dict) else [*each] for each in (one, other))
    return one if isinstance(one, str) else str([item for item in items if item not in others][:5])


class Gap(NamedTuple):
    """What a reader does not know or not check: ``told`` is in the words of the refusal, ``written`` in the files."""

    reason: str
    told: str
    written: str = ""


NO_OBJECTS = r"- [a-z]+\s+- "
GAPS = {
    "pddl": (
        Gap("takes keywords in lower case only", r"Unexpected", r"\((DEFINE|:[A-Z]+)\b"),
        Gap("takes no action costs without :numeric-fluents", r"numeric-fluents requirement is not", r":action-costs"),
        Gap("takes :adl not for all that it comprises", r"Missing PDDL requirement", r":adl"),
        Gap("takes no object among the :types", r"'object'. it is a keyword"),
        Gap("takes no type under two others", r"duplicate", r"crate - surface"),
        Gap("knows no :contingent and no :constraints", r"Unexpected", r":contingent|:constraints"),
    ),
    "loki": (
        Gap("takes no type under two others", r"DuplicateTypeError", r"crate - surface"),
        Gap("takes no predicate that is declared with one variable twice", r"DuplicateVariable", r"\(in \?obj \?obj\)"),
        Gap("takes no type without objects among the :objects", r"while parsing objects section", NO_OBJECTS),
        Gap("knows no :observe, oneof, unknown, and no :constraints", r"while parsing", r":contingent|:constraints"),
    ),
    "unified-planning": (
        Gap("takes no predicate that is declared with one variable twice", r"has arity 1 but 2", r"\(in \?obj \?obj\)"),
        Gap("knows no (either …) there", r"Parse", r"\(either"),
        Gap("takes no type without objects among the :objects", r"Expected ':init'", NO_OBJECTS),
        Gap("knows no derived predicates", r"Parse", r"\(:derived"),
    ),
}
"""Of each reader, what it does not know of PDDL."""
CHECKS = {
    r"undeclared predicate|is a function; expected a predicate": "that predicates are declared",
    r"has (\d+|no) arguments?; expected": "the number of arguments",
    r"is of type .*; expected type": "types",
    r"unknown (object|variable|type)": "that objects, variables and types are declared",
    r"twice|already": "that names are declared once",
    r"cannot name a|is no name|a bracket where": "names",
}
"""What an error of ours is about → what a reader does not check that takes such files."""


def known(name: str, theirs: Read, mine: Read, warning: str, task: Task, spoilt: bool) -> str:
    """Returns why the reader called ``name`` differs, where that is known; else empty."""
    if "refused" in mine:
        found = (check for pattern, check in CHECKS.items() if re.search(pattern, mine["refused"]))
        return next((f"does not check {check}" for check in found if spoilt), "")
    put_right = re.sub(QUOTED, "…", warning)
    if "refused" not in theirs:
        return f"reads in another way what cplan warns of: {put_right}" if warning else ""
    texts = task.domain.read_text(encoding="utf-8") + task.problem.read_text(encoding="utf-8")
    for gap in GAPS[name]:
        if re.search(gap.told, theirs["refused"]) and re.search(gap.written, texts):
            return gap.reason
    return f"refuses what cplan warns of: {put_right}" if warning else ""
