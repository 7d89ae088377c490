"""Do equal seeds give equal bytes, whatever Python, the machine and the options for speed are like?

    python -m lab.benchmarks.reliability.determinism [NAME...] [--cores 0,1] [--keep FOLDER]

Runs every method of the registry, every run with a recorded model of the goldens, and every experiment that needs no
data from elsewhere in a small form: once as a measure, then again under each of these, in a process of its own: another
seed of hashes, and the runs in reverse order; all cores, and two threads for each library; two worker processes for
experiments, and eight calls at a time to recorded models. Compared are exit codes, traces, plans and other files byte
for byte, but for pages; standard output and rows, which come in any order, without what tells of a clock. NAME: only
runs whose names begin so.
"""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from commonsense_planning.methods.registry import METHODS
from tests.data import REPOSITORY
from tests.goldens.materials import MATERIALS
from tests.goldens.recording import CLOCK, DURATION, run, surroundings
from tests.goldens.runs import ASKED, EXPERIMENTS, OUT, TEMPORARY, Golden

TRAVELS = ("llm-model", "llm-route", "pyperplan")
"""Methods that solve nothing but trips, and one whose plans of trips once depended on the seed of hashes."""
PAGES = (".md", ".html", ".svg", ".png")
"""Made of the rows, and of times."""
SEEN = 400
"""Characters of a difference that are shown."""


def _solved(name: str, *words: str) -> Golden:
    return Golden(f"solve/{name}", ("solve", *words, "--json", "--trace", f"{TEMPORARY}/trace.jsonl"))


MORE = (
    _solved("contingent/llm-mcts", "medical", "--simulations", "20"),
    _solved("contingent/llm-replan", "wumpus", "--method", "llm-replan"),
    _solved("engine/fast-downward", "household:small-apple", "--method", "up:fast-downward"),
    _solved("search/told", "household:small-apple", "--simulations", "20", "--trace-search"),
    Golden("bench/misplaced", ("bench", "misplaced", "--tasks", "2", "--methods", "look-greedy", *OUT)),
    Golden("bench/models", ("bench", "models", "--tasks", "2", "--models", "embedded", *OUT)),
    Golden(
        "bench/planbench",
        ("bench", "planbench", "household:small-apple", "--tasks", "2", "--exact", *OUT),
    ),
    Golden(
        "bench/kitchen-two",
        ("bench", "kitchen", "--tasks", "2", "--levels", "easy", "--methods", "llm-replan", "--simulations", "5", *OUT),
    ),
)


def cases() -> dict[str, Golden]:
    """All runs, by their names."""
    trip, home = "flights:short-oslo-athens", "household:small-apple"
    methods = [_solved(f"{name}/0", trip if name in TRAVELS else home, "--method", name) for name in METHODS]
    chosen = [*methods, *ASKED, *EXPERIMENTS, *MORE]
    return {case.name: case for case in chosen}


@dataclass(frozen=True)
class Variation:
    """Under what runs are made again. ``options``: words of command lines → what stands behind them, where they have
    that option or, as ``--parallel``, where a recording answers."""

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    all_cores: bool = False
    backwards: bool = False
    options: Mapping[str, str] = field(default_factory=dict)


THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
MEASURE = Variation("the measure")
VARIATIONS = (
    Variation("another seed of hashes, in reverse order", {"PYTHONHASHSEED": "2"}, backwards=True),
    Variation("all cores, two threads", dict.fromkeys(THREADS, "2"), all_cores=True),
    Variation("two workers, eight calls at a time", options={"--workers": "2", "--parallel": "8"}),
)


def command_line(case: Golden, options: Mapping[str, str]) -> list[str]:
    """The case's words with other options, and with a file for the plan."""
    words = list(case.argv)
    if case.argv[0] == "solve":
        words += ["--plan", f"{TEMPORARY}/plan"] if "--plan" not in words and "--dry-run" not in words else []
        words += ["--parallel", "1"] if case.asks and "--parallel" not in words else []
    for option, value in options.items():
        if option in words:
            words[words.index(option) + 1] = value
    return words


def results(case: Golden, options: Mapping[str, str]) -> dict[str, str]:
    """What a case says and writes: part → text, without what tells of a clock."""
    with tempfile.TemporaryDirectory() as name, surroundings():
        folder = Path(name).resolve()
        MATERIALS[case.material](folder)
        given = {path for path in folder.rglob("*") if path.is_file()}
        code, out, _ = run([word.replace(TEMPORARY, str(folder)) for word in command_line(case, options)])
        found = {"exit code": str(code), "standard output": timeless(out.replace(str(folder), TEMPORARY))}
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and path not in given):
            if path.suffix not in PAGES:
                text = path.read_text(encoding="utf-8", errors="surrogateescape").replace(str(folder), TEMPORARY)
                found[str(path.relative_to(folder))] = in_order(text) if path.name == "episodes.jsonl" else text
        return found


def timeless(text: str) -> str:
    """A text without durations; of a JSON value, without the fields that tell of a clock."""
    try:
        return json.dumps(_without_clock(json.loads(text)))
    except json.JSONDecodeError:
        return DURATION.sub("# s", text)


def in_order(text: str) -> str:
    """Rows, which are written as they come, in the order of their keys and without what tells of a clock."""
    rows = [_without_clock(json.loads(line)) for line in text.splitlines()]
    return "".join(json.dumps(row) + "\n" for row in sorted(rows, key=lambda row: str(row["key"])))


def _without_clock(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_clock(value[name]) for name in value if not CLOCK.search(name)}
    return [_without_clock(entry) for entry in value] if isinstance(value, list) else value


def gather(names: Sequence[str], variation: Variation, cores: set[int]) -> Iterator[tuple[str, dict[str, str]]]:
    """The results of the cases under a variation, from a process of its own, as they come."""
    few = cores if variation.all_cores else {max(cores)}
    environment = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONHASHSEED": "0", **variation.environment}
    command = [sys.executable, "-m", "lab.benchmarks.reliability.determinism", *names, "--child", variation.name]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=REPOSITORY,
        preexec_fn=lambda: os.sched_setaffinity(0, few),
    )
    assert process.stdout is not None
    with process:
        for line in process.stdout:
            name, found = json.loads(line)
            yield name, found
    if process.returncode:
        raise click.ClickException(f"the runs under {variation.name!r} ended with exit code {process.returncode}")


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The first part that differs, and how; empty if none does."""
    for part in dict.fromkeys((*before, *after)):
        one, other = before.get(part, "nothing"), after.get(part, "nothing")
        if one != other:
            lines = difflib.unified_diff(one.splitlines(), other.splitlines(), "the measure", "now", "", "", n=0)
            return f"{part}: " + "\n".join(line[:SEEN] for line in list(lines)[:8])
    return ""


@click.command()
@click.argument("names", nargs=-1)
@click.option("--cores", help="The processor's cores that may be used, such as 0,1 [default: all].")
@click.option("--keep", type=click.Path(path_type=Path), help="Write what differs to this folder.")
@click.option("--child", hidden=True)
def command(names: tuple[str, ...], cores: str | None, keep: Path | None, child: str | None) -> None:
    """Run every case under every variation, and compare."""
    chosen = [name for name in cases() if not names or name.startswith(names)]
    if not chosen:
        raise click.UsageError(f"no run's name begins with {' or '.join(names)}")
    if child is not None:
        _be_child(chosen, next(each for each in (MEASURE, *VARIATIONS) if each.name == child))
        return
    allowed = {int(core) for core in cores.split(",")} if cores else os.sched_getaffinity(0)
    measure: dict[str, dict[str, str]] = {}
    lost: list[str] = []
    tried = 0
    for variation in (MEASURE, *VARIATIONS):
        started = time.monotonic()
        for number, (name, found) in enumerate(gather(chosen, variation, allowed), start=1):
            if sys.stderr.isatty():
                click.echo(f"\r{variation.name}: {number} of {len(chosen)}", nl=False, err=True)
            told = difference(measure.setdefault(name, found), found)
            tried += variation is not MEASURE
            if told:
                lost.append(f"{name}, {variation.name}: {told}")
                click.echo(f"\ndiffers: {lost[-1]}")
            if told and keep is not None:
                folder = keep / name.replace("/", "-")
                folder.mkdir(parents=True, exist_ok=True)
                (folder / "measure.json").write_text(json.dumps(measure[name], indent=1), encoding="utf-8")
                (folder / "now.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
        click.echo(f"{variation.name}: {len(chosen)} runs in {time.monotonic() - started:.0f} s")
    methods = {name.split("/")[1] for name in chosen if name.startswith("solve/")} & set(METHODS)
    parts = sum(len(found) for found in measure.values())
    click.echo(
        f"{len(chosen)} runs, {len(methods)} of {len(METHODS)} methods, {parts} files and outputs; repeated under "
        f"{len(VARIATIONS)} variations: {tried} comparisons, {len(lost)} lost"
    )
    raise SystemExit(1 if lost else 0)


def _be_child(names: Sequence[str], variation: Variation) -> None:
    everything = cases()
    for name in reversed(names) if variation.backwards else names:
        found = results(everything[name], variation.options)
        sys.stdout.write(json.dumps([name, found]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    command()
