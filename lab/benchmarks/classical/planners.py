"""cplan's planners and others, each as a process that gets two files and writes a plan."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from commonsense_planning.planners import fast_downward
from lab.benchmarks.performance.whole_process import CPLAN

HERE = Path(__file__).parent
_CHATTER = re.compile(r"INFO|Driver aborting|(translate|search) exit code|Remove |Peak memory")
_TELLING = re.compile(r"error|exception|not support|memory|\.pddl:\d", re.IGNORECASE)
Words = list[str | Path]
Command = Callable[[Path, Path, float], Words]
"""(domain, problem, seconds) → the words."""


class Missing(Exception):
    """A planner that is not installed; says what is missing."""


@dataclass(frozen=True)
class Told:
    """What a planner says of its search: states ``expanded``, and in how many ``seconds`` of the search alone."""

    expanded: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Planner:
    """``command`` is run in an empty folder and leaves its plans there in files called ``plan`` (a pattern), the last
    one the best; empty for one that makes none. ``anytime``: it may run until its time is up, and its best plan then
    counts. ``grace``: seconds for its output after the limit, at which it stops by itself. ``disguised``: it gets a
    task with meaningless names and shuffled objects, facts and actions. ``copied``: it writes next to the problem, so
    it gets copies."""

    name: str
    what: str
    version: Callable[[], str]
    command: Command
    plan: str = "plan*"
    told: Callable[[str], Told] = lambda output: Told()
    anytime: bool = False
    grace: float = 0.0
    disguised: bool = False
    copied: bool = False

    def best(self, folder: Path) -> Path | None:
        """Returns the best plan in the folder."""
        found = [path for path in folder.glob(self.plan or "-") if path.is_file()]
        return max(found, key=lambda path: (path.stat().st_mtime_ns, len(path.name), path.name), default=None)


def release(*packages: str) -> Callable[[], str]:
    """Returns a function that gives packages' names and versions, and raises Missing."""

    def told() -> str:
        try:
            return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
        except importlib.metadata.PackageNotFoundError as error:
            raise Missing(f"{error.name} is not installed") from error

    return told


@functools.cache
def _cplan_version() -> str:
    """With the commit, where this is a checkout, and whether it was changed."""
    told = release("commonsense-planning")().replace("commonsense-planning", "cplan")
    try:
        said = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HERE, capture_output=True, text=True)
    except FileNotFoundError:
        return told
    return f"{told} ({said.stdout.strip()})" if said.returncode == 0 else told


def _cplan_told(output: str) -> Told:
    said = re.search(r"^  \"expanded\": (\d+)", output, re.MULTILINE)
    return Told(int(said[1]) if said else None)


def _ours(name: str, what: str, method: str, *options: str, timed: bool = False, disguised: bool = False) -> Planner:
    def command(domain: Path, problem: Path, limit: float) -> Words:
        own = *options, *(("--timeout", f"{limit:g}") if timed else ())
        return [*CPLAN, "solve", domain, problem, "--method", method, "--quiet", "--json", "--plan", "plan", *own]

    what, grace = ", ".join(filter(None, ("cplan", what))), 10.0 * timed
    return Planner(name, what, _cplan_version, command, "plan*", _cplan_told, timed, grace, disguised)


def _downward_version() -> str:
    if fast_downward.driver() is None:
        raise Missing("up-fast-downward is not installed")
    return fast_downward.version()


def _downward_told(output: str) -> Told:
    expanded = re.findall(r"Expanded (\d+) state\(s\)", output)
    seconds = re.findall(r"Search time: ([\d.e+-]+)s", output)
    return Told(int(expanded[-1]) if expanded else None, float(seconds[-1]) if seconds else None)


def _downward(name: str, what: str, options: list[str], *search: str, plan: str = "plan*") -> Planner:
    def command(domain: Path, problem: Path, limit: float) -> Words:
        script = fast_downward.driver()
        assert script is not None
        return [sys.executable, script, "--plan-file", "plan", *options, domain, problem, *search]

    return Planner(name, what, _downward_version, command, plan, _downward_told, anytime=name == "lama")


def _python(*words: str) -> Command:
    # -P: modules next to a script do not replace those of a library
    return lambda domain, problem, limit: [sys.executable, "-P", *words, domain, problem]


def _mimir(domain: Path, problem: Path, limit: float) -> Words:
    return [*_python(str(HERE / "mimir.py"))(domain, problem, limit), "plan"]


def _engine(name: str, what: str, program: str = "") -> Planner:
    """Returns an engine that comes with unified-planning, with unified-planning's reader."""

    def version() -> str:
        told = release(f"up-{name}", "unified-planning")()
        if program and shutil.which(program) is None:
            raise Missing(f"{program} is not installed")
        return told

    script = str(HERE / "up_engine.py")
    told = f"{what}, through unified-planning"
    return Planner(f"up-{name}", told, version, lambda *files: [*_python(script, name)(*files), "plan"])


_ALL = (
    Planner("ground", "cplan ground", _cplan_version, lambda *files: [*CPLAN, "ground", *files[:2]], plan=""),
    _downward("translate", "Fast Downward's translator", ["--translate"], plan=""),
    _ours("gbfs", "", "gbfs"),
    _ours("gbfs-disguised", "with meaningless names in another order", "gbfs", disguised=True),
    _ours("gbfs-anytime", "--anytime", "gbfs", "--anytime", timed=True),
    _ours("astar", "A* with LM-cut", "astar"),
    _downward("lama-first", "Fast Downward, lama-first", ["--alias", "lama-first"]),
    _downward("lama", "Fast Downward, lama", ["--alias", "lama"]),
    _downward("fd-lmcut", "Fast Downward, astar(lmcut())", [], "--search", "astar(lmcut())"),
    Planner(
        "pyperplan",
        "pyperplan, gbf, hff",
        release("pyperplan"),
        _python("-m", "pyperplan", "-s", "gbf", "-H", "hff"),
        plan="*.soln",
        copied=True,
    ),
    Planner("pymimir", "Mimir, lazy gbfs, h_FF, preferred operators first", release("pymimir"), _mimir),
    _engine("tamer", "Tamer"),
    _engine("aries", "Aries"),
    _engine("symk", "SymK"),
    _engine("enhsp", "ENHSP", program="java"),
)
PLANNERS = {planner.name: planner for planner in _ALL}
"""Name → planner."""


def last_words(output: str) -> str:
    """Returns what a planner said at last, or of what went wrong, on one line."""
    try:
        said = json.loads(output[output.index("{") :])
        return f"{said['status']}: {said['reason']}"
    except (ValueError, KeyError, TypeError):
        written = output.replace("\\n", "\n")  # a traceback of a child, as Python shows bytes
        lines = [line.strip() for line in written.splitlines() if line.strip(" '") and not _CHATTER.match(line)]
        telling = [line for line in lines if _TELLING.search(line)] or lines
        return telling[-1] if telling else ""
