"""What our reader and others read in the same files, and which files each takes; also in files that are a little wrong.
"""

from __future__ import annotations

import json
import re
import select
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reliability.differential import other_readers
from benchmarks.reliability.differential.tally import Tally
from benchmarks.reliability.differential.tasks import Case
from commonsense_planning.errors import CplanError
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.validation.replay import initial_state

MUTANTS = 4
"""Of each task, besides the task itself."""
SECONDS = 20.0
"""For one task and one reader."""
TOKEN = re.compile(r"[()]|[^\s();]+")
READERS_PYTHON = "CPLAN_READERS_PYTHON"


class OtherReader:
    """One of them in its process, which is started again when it has ended."""

    def __init__(self, name: str, python: str) -> None:
        self.name, self._python = name, python
        self._process: subprocess.Popen[str] | None = None

    def read(self, domain: Path, problem: Path) -> other_readers.Read:
        """What it read, or why it refuses."""
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
            found: other_readers.Read = json.loads(answer)
            return found
        self.close()
        return {"refused": "it crashed" if ready else f"it took longer than {SECONDS:g} s"}

    def close(self) -> None:
        """End its process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def ours(problem: Problem) -> other_readers.Read:
    """What we read, as the others say it."""
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


def read_by_us(domain: Path, problem: Path) -> tuple[other_readers.Read, str]:
    """What we read, and the first warning; or why we refuse."""
    try:
        found = read_problem(domain, problem)
    except CplanError as error:
        return {"refused": str(error).splitlines()[0].rpartition("error: ")[2]}, ""
    return ours(found), found.warnings[0].problem if found.warnings else ""


def spoilt(text: str, rng: np.random.Generator) -> str:
    """The text with one word or bracket left out, doubled, or in another's place."""
    tokens = list(TOKEN.finditer(re.sub(r";[^\n]*", "", text)))
    text = re.sub(r";[^\n]*", "", text)
    one, other = (tokens[i] for i in rng.integers(len(tokens), size=2))
    new = ["", f"{one[0]} {one[0]}", f" {other[0]} "][int(rng.integers(3))]
    return text[: one.start()] + new + text[one.end() :]


class Readers:
    """The comparison. ``others``: name → the Python that has that reader."""

    def __init__(self, others: dict[str, str]) -> None:
        self.others = [OtherReader(name, python) for name, python in others.items()]

    def compare(self, case: Case, tally: Tally) -> None:
        """Read the task, and spoilt copies of it."""
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
                self._compare(Case(type(case.task)(case.task.name, *files), case.seed), tally, "spoilt files")

    def _compare(self, case: Case, tally: Tally, what: str) -> None:
        mine, warning = read_by_us(case.task.domain, case.task.problem)
        tally.tried[what] += 1
        tally.tried[f"of them {'refused' if 'refused' in mine else 'taken with a warning' if warning else 'taken'}"] += 1
        for other in self.others:
            theirs = other.read(case.task.domain, case.task.problem)
            tally.tried[f"{other.name} took"] += "refused" not in theirs
            for said in _differ(mine, theirs):
                reason = known(other.name, mine, theirs, warning, said)
                if reason:
                    tally.explained[f"{other.name}: {reason}"] += 1
                else:
                    tally.lose(case, f"{other.name}: {said}")

    def close(self) -> None:
        """End all processes."""
        for other in self.others:
            other.close()


def _differ(mine: other_readers.Read, theirs: other_readers.Read) -> list[str]:
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
    """What of ``one`` is not in ``other``."""
    if isinstance(one, str):
        return one
    left = [item for item in (one.items() if isinstance(one, dict) else one)]
    there = [item for item in (other.items() if isinstance(other, dict) else other)]
    return str([item for item in left if item not in there][:5])


def known(name: str, mine: other_readers.Read, theirs: other_readers.Read, warning: str, said: str) -> str:
    """Why the reader called ``name`` differs, where that is known; else empty."""
    if warning:
        return f"not quite PDDL, and cplan warns: {re.sub(r'[^ ]*[0-9?_][^ ]*', '…', warning)}"
    return ""
