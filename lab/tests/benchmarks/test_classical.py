"""Measuring for docs/classical.md: what is tried, how it is judged, how a run resumes, and the tables."""

import dataclasses
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.benchmarks.classical import __main__ as command
from lab.benchmarks.classical.measure import measure
from lab.benchmarks.classical.planners import PLANNERS, Missing, Planner, Told, last_words
from lab.benchmarks.classical.problems import collection
from lab.benchmarks.classical.rows import Conditions, Row, read
from lab.benchmarks.classical.tables import TABLES, page
from tests.data import REPOSITORY

DOMAIN = """(define (domain d) (:requirements :strips) (:predicates (at ?x) (way ?x ?y))
 (:action go :parameters (?x ?y) :precondition (and (at ?x) (way ?x ?y)) :effect (and (at ?y) (not (at ?x))))
 (:action stay :parameters (?x) :precondition (at ?x) :effect (at ?x)))"""
PROBLEM = """(define (problem p) (:domain d) (:objects a b c) (:init (at a) (way a b) (way b c) (way a c))
 (:goal (at c)))"""
CONDITIONS = Conditions(limit=20, memory=8192, machine="a machine", jobs=1, load=0.5, date="2026-01-01T00:00+00:00")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with two domains of two problems each, and one whose files are not there."""
    for domain in ("one", "two"):
        folder = tmp_path / "data" / domain
        folder.mkdir(parents=True)
        (folder / "domain.pddl").write_text(DOMAIN)
        (folder / "p1.pddl").write_text(PROBLEM + "\n; a comment")
        (folder / "p2.pddl").write_text(PROBLEM)
    (tmp_path / "data" / "three").mkdir()
    listed = "domains = [{'problems': [('three/domain.pddl', 'three/p.pddl')]}]"
    (tmp_path / "data" / "three" / "api.py").write_text(listed)
    return tmp_path / "data"


def fake(name: str, program: str, *, plan: str = "plan*", anytime: bool = False) -> Planner:
    """A planner that runs this Python program."""
    words = [sys.executable, "-c", program]
    return Planner(name, name, lambda: f"{name} 1", lambda d, p, limit: words, plan, anytime=anytime)


def writes(*steps: str, then: str = "") -> str:
    text = "\n".join(steps)
    return f"open('plan', 'w').write({text!r}); {then}"


def test_problems_of_a_collection(data: Path) -> None:
    there = collection(data)
    assert there.none == ["three"]
    assert [task.name for task in there.smallest()] == ["one/p2.pddl", "two/p2.pddl"]
    assert [task.name for task in there.spread(1)] == ["one/p1.pddl", "two/p1.pddl"]


@pytest.mark.processes
@pytest.mark.parametrize(("planner", "outcome", "cost", "said"), [
    (fake("right", writes("(go a c)")), "solved", 1, ""),
    (fake("numbered", writes("0: (go a c) ; cost 1", "; cost = 1 (unit cost)")), "solved", 1, ""),
    (fake("wrong", writes("(go a b)")), "wrong", None, "goal"),
    (fake("no action", writes("(fly a c)")), "wrong", None, "fly"),
    (fake("late", writes("(go a c)", then="import time; time.sleep(60)")), "time", None, ""),
    (fake("in time", writes("(go a c)", then="import time; time.sleep(60)"), anytime=True), "solved", 1, ""),
    (fake("stops", "import sys; print('an error'); sys.exit(12)"), "none", None, "exit code 12: an error"),
    (fake("too much", "bytearray(2**34)"), "none", None, "MemoryError"),
    (fake("translator", "pass", plan=""), "solved", None, ""),
    (dataclasses.replace(PLANNERS["gbfs-disguised"], version=str), "solved", 1, ""),
], ids=lambda value: value.name if isinstance(value, Planner) else "")  # fmt: skip
def test_outcomes(planner: Planner, outcome: str, cost: float | None, said: str, data: Path) -> None:
    limit = 1 if planner.name in ("late", "in time") else 120
    conditions = dataclasses.replace(CONDITIONS, limit=limit)
    found = measure("solved", planner, "1", collection(data).tasks["one"][0], conditions)
    assert (found.outcome, found.cost) == (outcome, cost), found
    assert said in found.said


def test_what_a_search_told() -> None:
    downward = "[t=0.1s, 1 KB] Expanded 10 state(s).\nSearch time: 0.5s\nExpanded 12 state(s).\nSearch time: 0.75s"
    assert PLANNERS["lama-first"].told(downward) == Told(12, 0.75)
    assert PLANNERS["gbfs"].told('{\n  "facts": 5,\n  "expanded": 112\n}') == Told(112)
    assert last_words("It does not support axioms!\nsearch exit code: 34\nINFO x") == "It does not support axioms!"


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planners for the table of what is solved."""

    def version() -> str:
        raise Missing("it is not installed")

    absent = dataclasses.replace(PLANNERS["pymimir"], version=version)
    planners = {"gbfs": fake("gbfs", writes("(go a c)")), "lama-first": fake("lama-first", ""), "pymimir": absent}
    monkeypatch.setattr(command, "PLANNERS", planners)
    monkeypatch.setattr(command, "_warm", lambda names: None)


def _run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> None:
    monkeypatch.setattr(sys, "argv", ["classical", *map(str, words)])
    command.main()


@pytest.mark.processes
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_row_is_measured_once_and_shown(
    jobs: int,
    data: Path,
    fakes: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out, written = tmp_path / "new" / "rows.jsonl", tmp_path / "page.md"
    words = ("solved", "--data", data, "--out", out, "--jobs", str(jobs), "--planners")
    _run(monkeypatch, *words, "gbfs", "--first", "1")
    assert [row.problem for row in read(out)] == ["three", "one/p2.pddl"]
    out.write_bytes(out.read_bytes() + b'{"torn": ')
    _run(monkeypatch, *words, "gbfs,lama-first,pymimir")
    told = capsys.readouterr()
    assert "pymimir is left out: it is not installed" in told.err and "solved: 3 of 4 to measure" in told.err
    assert "| cplan | 2 of 2 |" in told.out and "left out (1): three (its files are not there)" in told.out
    assert len(read(out)) == 5
    written.write_text("# Title\n\n<!-- table solved -->\n\nold\n\n<!-- end of table solved -->\n\nThe end.\n")
    _run(monkeypatch, "--tables", out, "--page", written)
    text = written.read_text()
    assert "old" not in text and "| cplan | 2 of 2 |" in text and text.endswith("The end.\n")
    with pytest.raises(SystemExit, match="other conditions"):
        _run(monkeypatch, *words, "gbfs", "--limit", "5")
    out.write_text('{"key": "of something else"}\n')
    with pytest.raises(SystemExit, match="rows.jsonl:1: no row of these tables"):
        _run(monkeypatch, *words, "gbfs")


@pytest.mark.processes
def test_an_interrupt_keeps_what_is_there(data: Path, tmp_path: Path) -> None:
    out, mark = tmp_path / "rows.jsonl", tmp_path / "sleeps"
    sleeps = f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    program = f"""
import sys
from lab.tests.benchmarks.test_classical import command, fake, writes
command.PLANNERS = {{"gbfs": fake("gbfs", {writes("(go a c)")!r}), "lama-first": fake("lama-first", {sleeps!r})}}
command._warm = lambda names: None
sys.argv = ["classical", "solved", "--data", {str(data)!r}, "--out", {str(out)!r}, "--planners", "gbfs,lama-first"]
command.main()
"""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", program], cwd=REPOSITORY, **pipes) as process:
        while not (mark.exists() and mark.read_text()):
            time.sleep(0.05)
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said, errors = process.communicate(timeout=30)
    assert "interrupted: the same command resumes" in errors and "Traceback" not in errors
    assert "| cplan |" in said and {row.planner for row in read(out)} == {"gbfs"}
    assert not Path(f"/proc/{mark.read_text()}").exists()


def row(table: str, planner: str, problem: str, seconds: float, outcome: str = "solved", **rest: object) -> Row:
    about = {"table": table, "planner": planner, "version": f"{planner} 1", "problem": problem, "files": ("d", problem)}
    return Row(**about, conditions=CONDITIONS, outcome=outcome, seconds=seconds, **rest)  # type: ignore[arg-type]


ROWS = [
    row("read", "ground", "a/1", 1.0, peak=2**20),
    row("read", "translate", "a/1", 3.0, peak=2**21),
    row("read", "ground", "a/2", 0.1, "none", said="no such word"),
    row("read", "translate", "a/2", 1.0),
    row("solved", "gbfs", "a/1", 2.0, cost=4.0),
    row("solved", "lama-first", "a/1", 4.0, cost=2.0),
    row("solved", "pyperplan", "a/1", 8.0, "wrong", said="goal"),
    row("solved", "gbfs", "a/2", 30.0, "time"),
    row("solved", "lama-first", "a/2", 6.0, cost=2.0),
    row("optimal", "astar", "a/1", 5.0, cost=2.0, expanded=500),
    row("optimal", "fd-lmcut", "a/1", 2.0, cost=2.0, expanded=1000, searched=1.0),
    row("optimal", "fd-lmcut", "a/2", 0.1, "none", said="no axioms"),
    row("anytime", "gbfs-anytime", "a/1", 30.0, cost=8.0),
    row("anytime", "lama", "a/1", 30.0, cost=4.0),
]


SAID = {
    "read": """
| cplan ground | 1 of 2 | 1 | 1 | 1 |
| Fast Downward's translator | 2 of 2 | 3 | 3 | 2 |
Wanted: all are taken. Reached: no.
Solved by Fast Downward's translator and not by cplan ground (1): a/2.
Cplan ground: ended with nothing before the time was up (1): a/2 (no such word).
""",
    "solved": """
| cplan | 1 of 2 | 0 | – | – | 2 | 2 | 2 | 1.000 |
| Fast Downward, lama-first | 2 of 2 | 0 | 1 | 0 | 5 | 4 | 2 | 0.500 |
| pyperplan, gbf, hff | 0 of 1 | 0 | 0 | 1 | – | 0 | 0 | – |
Wanted: as many solved as by Fast Downward, lama-first. Reached: no.
Solved by Fast Downward, lama-first and not by cplan (1): a/2.
Pyperplan, gbf, hff: wrong plans (1): a/1 (goal).
""",
    "optimal": """
| cplan, A* with LM-cut | 1 of 1 | 0 | 5 | 500 | 100 | – |
| Fast Downward, astar(lmcut()) | 1 of 2 | 1 | 2 | 1,000 | 500 | 1,000 |
All 1 costs are equal.
Wanted: as many solved as by Fast Downward, astar(lmcut()). Reached: yes.
Wanted: equal costs. Reached: yes.
Wanted: a third of Fast Downward's expansions a second. Reached: no.
Fast Downward, astar(lmcut()): ended with nothing before the time was up (1): a/2 (no axioms).
""",
    "anytime": """
| cplan, --anytime | 1 of 1 | 0 | 2.000 |
| Fast Downward, lama | 1 of 1 | 1 | 0.500 |
Wanted: as many solved as by Fast Downward, lama. Reached: yes.
Wanted: never a higher cost. Reached: no.
Cplan's costs more (1): a/1 (8, 4).
""",
}


@pytest.mark.parametrize("name", SAID)
def test_tables(name: str) -> None:
    first, *others = [line for line in page(ROWS)[name].splitlines() if line]
    assert first.startswith("a machine; one problem at a time; 20 s and 8,192 MB for each process; load average at the")
    assert others[2:] == SAID[name].strip().splitlines()
    text = (REPOSITORY / "lab" / "docs" / "classical.md").read_text()
    assert f"<!-- table {name} -->" in text and f"<!-- end of table {name} -->" in text


def test_below_a_table_the_first_problems_are_named() -> None:
    outcomes = ("ground", "solved"), ("translate", "time")
    rows = [row("read", planner, f"a/{n}", 1.0, outcome) for planner, outcome in outcomes for n in range(5)]
    line = "Solved by cplan ground and not by Fast Downward's translator (5): a/0, a/1, a/2, 2 more."
    assert line in page(rows)["read"]


@pytest.mark.bench
@pytest.mark.parametrize("name", [name for name in TABLES["solved"].planners if not name.startswith("gbfs")])
def test_peers_solve_a_task(name: str, data: Path) -> None:
    try:
        version = PLANNERS[name].version()
    except Missing as missing:
        pytest.skip(str(missing))
    conditions = dataclasses.replace(CONDITIONS, limit=120)
    found = measure("solved", PLANNERS[name], version, collection(data).tasks["one"][0], conditions)
    assert found.outcome == "solved" and found.cost in (1, 2), found
