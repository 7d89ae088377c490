"""The planners, ours and others, each as a whole process that gets two files and writes a plan."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from commonsense_planning.planners import fast_downward
from lab.benchmarks.classical.disguise import disguise, undisguise
from lab.benchmarks.performance.whole_process import Ran

CPLAN = (sys.executable, "-c", "import sys; from commonsense_planning.cli.main import main; sys.exit(main())")
HERE = Path(__file__).parent
POWERLIFTED = "powerlifted.py"

_CHATTER = re.compile(r"INFO|Driver aborting|(translate|search) exit code|Remove |Peak memory")
_TELLING = re.compile(r"error|exception|not support|memory|\.pddl:\d", re.IGNORECASE)

Run = Callable[[list[str | Path], float], Ran]
"""(command, seconds) → the process, in the folder of the measurement, on its core, within its memory."""


class Missing(Exception):
    """A planner that is not installed; says what is missing."""


@dataclass(frozen=True)
class Told:
    """What a planner says of its search: states ``expanded``, and in how many ``seconds`` of the search alone."""

    expanded: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Planner:
    """``command`` (domain, problem, seconds) is run in an empty folder and leaves its plans there in files called
    ``plan`` (a pattern), the last one the best; empty for one that makes none. ``anytime``: it may go on until its time
    is up, and what it has then counts. ``grace``: seconds that it has to say what it found, after it stopped looking
    at the limit, which it is told."""

    name: str
    what: str
    version: Callable[[], str]
    command: Callable[[Path, Path, float], list[str | Path]]
    plan: str = "plan*"
    told: Callable[[str], Told] = lambda output: Told()
    anytime: bool = False
    grace: float = 0.0

    def before(self, domain: Path, problem: Path, folder: Path, run: Run) -> tuple[Path, Path]:
        """The files that the planner gets; what is done here is not measured."""
        return domain, problem

    def after(self, plan: Path, folder: Path, run: Run) -> Path:
        """The plan for the files as they were."""
        return plan

    def best(self, folder: Path) -> Path | None:
        """The best plan in the folder."""
        found = [path for path in folder.glob(self.plan or "-") if path.is_file()]
        return max(found, key=lambda path: (path.stat().st_mtime_ns, len(path.name), path.name), default=None)


@dataclass(frozen=True)
class Disguised(Planner):
    """The same on a task whose names say nothing and whose objects, facts and actions come in another order."""

    def before(self, domain: Path, problem: Path, folder: Path, run: Run) -> tuple[Path, Path]:
        return disguise(domain, problem, folder / "disguised", run)

    def after(self, plan: Path, folder: Path, run: Run) -> Path:
        return undisguise(plan, folder / "disguised", run)


class Copied(Planner):
    """A planner that writes beside the problem; so it gets copies."""

    def before(self, domain: Path, problem: Path, folder: Path, run: Run) -> tuple[Path, Path]:
        copies = folder / "domain.pddl", folder / "problem.pddl"
        for source, copy in zip((domain, problem), copies, strict=True):
            shutil.copyfile(source, copy)
        return copies


class Numbered(Planner):
    """A planner that writes numbers before its steps, and remarks behind them."""

    def after(self, plan: Path, folder: Path, run: Run) -> Path:
        plain = folder / "plain"
        plain.write_text("\n".join(re.findall(r"\([^()]*\)", plan.read_text(encoding="utf-8"))), encoding="utf-8")
        return plain


def release(package: str, *others: str) -> str:
    """A package's name and version, and those of others that it needs. Raises Missing."""
    try:
        return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in (package, *others))
    except importlib.metadata.PackageNotFoundError as error:
        raise Missing(f"{error.name} is not installed") from error


def _ground(domain: Path, problem: Path, limit: float) -> list[str | Path]:
    return [*CPLAN, "ground", domain, problem]


def _cplan(method: str, domain: Path, problem: Path, limit: float, *options: str) -> list[str | Path]:
    return [*CPLAN, "solve", domain, problem, "--method", method, "--quiet", "--json", "--plan", "plan", *options]


def _lifted(domain: Path, problem: Path, limit: float) -> list[str | Path]:
    return _cplan("gbfs", domain, problem, limit, "--lifted")


def _anytime(domain: Path, problem: Path, limit: float) -> list[str | Path]:
    return [*_cplan("gbfs", domain, problem, limit), "--anytime", "--timeout", f"{limit:g}"]


def _cplan_told(output: str) -> Told:
    said = re.search(r"^  \"expanded\": (\d+)", output, re.MULTILINE)
    return Told(int(said[1]) if said else None)


def _downward(options: list[str], search: list[str], domain: Path, problem: Path, limit: float) -> list[str | Path]:
    script = fast_downward.driver()
    assert script is not None
    return [sys.executable, script, "--plan-file", "plan", *options, domain, problem, *search]


def _downward_version() -> str:
    if fast_downward.driver() is None:
        raise Missing("up-fast-downward is not installed")
    return fast_downward.version()


def _downward_told(output: str) -> Told:
    expanded = re.findall(r"Expanded (\d+) state\(s\)", output)
    seconds = re.findall(r"Search time: ([\d.e+-]+)s", output)
    return Told(int(expanded[-1]) if expanded else None, float(seconds[-1]) if seconds else None)


def _powerlifted(domain: Path, problem: Path, limit: float) -> list[str | Path]:
    """With what its page recommends."""
    how = ("-s", "alt-bfws1", "-e", "ff", "-g", "yannakakis", "--unit-cost")
    return [sys.executable, shutil.which(POWERLIFTED) or "", "-d", domain, "-i", problem, *how, "--plan-file", "plan"]


def _powerlifted_version() -> str:
    """Of the program on the path, by its bytes: it tells no version."""
    script = shutil.which(POWERLIFTED)
    program = Path(script or "").parent / "builds" / "release" / "search" / "search"
    if script is None or not program.is_file():
        raise Missing(f"{POWERLIFTED}, built, is not on the path")
    return f"Powerlifted (search {hashlib.sha256(program.read_bytes()).hexdigest()[:8]})"


def _pyperplan(domain: Path, problem: Path, limit: float) -> list[str | Path]:
    return [sys.executable, "-m", "pyperplan", "-s", "gbf", "-H", "hff", domain, problem]


def _script(name: str, *words: str) -> Callable[[Path, Path, float], list[str | Path]]:
    # -P: the modules beside the script do not stand in for those of a library
    return lambda domain, problem, limit: [sys.executable, "-P", HERE / name, *words, domain, problem, "plan"]


def _engine(name: str, what: str, package: str, program: str = "") -> Planner:
    """An engine that comes with unified-planning, with unified-planning's reader."""

    def version() -> str:
        told = release(package, "unified-planning")
        if program and shutil.which(program) is None:
            raise Missing(f"{program} is not installed")
        return told

    return Planner(f"up-{name}", f"{what}, through unified-planning", version, _script("up_engine.py", name))


@functools.cache
def _ours() -> str:
    """With the commit, where this is a checkout, and whether it was changed."""
    told = release("commonsense-planning").replace("commonsense-planning", "cplan")
    try:
        said = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HERE, capture_output=True, text=True)
    except FileNotFoundError:
        return told
    return f"{told} ({said.stdout.strip()})" if said.returncode == 0 else told


PLANNERS = {
    planner.name: planner
    for planner in (
        Planner("ground", "cplan ground", _ours, _ground, plan=""),
        Planner(
            "translate",
            "Fast Downward's translator",
            _downward_version,
            partial(_downward, ["--translate"], []),
            plan="",
        ),
        Planner("gbfs", "ours", _ours, partial(_cplan, "gbfs"), told=_cplan_told),
        Disguised(
            "gbfs-disguised",
            "ours, with names that say nothing, and objects, facts and actions in another order",
            _ours,
            partial(_cplan, "gbfs"),
            told=_cplan_told,
        ),
        Planner("gbfs-anytime", "ours, --anytime", _ours, _anytime, told=_cplan_told, anytime=True, grace=10),
        Planner("astar", "ours, A* with LM-cut", _ours, partial(_cplan, "astar"), told=_cplan_told),
        Planner(
            "lama-first",
            "Fast Downward, lama-first",
            _downward_version,
            partial(_downward, ["--alias", "lama-first"], []),
            told=_downward_told,
        ),
        Planner(
            "lama",
            "Fast Downward, lama",
            _downward_version,
            partial(_downward, ["--alias", "lama"], []),
            told=_downward_told,
            anytime=True,
        ),
        Planner(
            "fd-lmcut",
            "Fast Downward, astar(lmcut())",
            _downward_version,
            partial(_downward, [], ["--search", "astar(lmcut())"]),
            told=_downward_told,
        ),
        Copied("pyperplan", "pyperplan, gbf, hff", partial(release, "pyperplan"), _pyperplan, plan="*.soln"),
        Planner(
            "pymimir",
            "Mimir, lazy gbfs, h_FF, preferred operators first",
            partial(release, "pymimir"),
            _script("mimir.py", "grounded"),
        ),
        Planner("gbfs-lifted", "ours, lifted, h_add", _ours, _lifted, told=_cplan_told),
        Planner(
            "pymimir-lifted",
            "Mimir, lifted, lazy gbfs, h_FF",
            partial(release, "pymimir"),
            _script("mimir.py", "lifted"),
        ),
        Numbered("powerlifted", "Powerlifted, alt-bfws1, h_FF", _powerlifted_version, _powerlifted),
        _engine("tamer", "Tamer", "up-tamer"),
        _engine("aries", "Aries", "up-aries"),
        _engine("symk", "SymK", "up-symk"),
        _engine("enhsp", "ENHSP", "up-enhsp", program="java"),
    )
}
"""Name → planner."""


def last_words(output: str) -> str:
    """What a planner said at last, or of what went wrong, on one line."""
    try:
        said = json.loads(output[output.index("{") :])
        return f"{said['status']}: {said['reason']}"
    except (ValueError, KeyError, TypeError):
        written = output.replace("\\n", "\n")  # a traceback of a child, as Python shows bytes
        lines = [line.strip() for line in written.splitlines() if line.strip(" '") and not _CHATTER.match(line)]
        telling = [line for line in lines if _TELLING.search(line)] or lines
        return telling[-1] if telling else ""
