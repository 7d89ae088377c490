"""Measuring for lab/docs/classical.md: what is tried, how it is judged, that a run goes on where it was."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.pddl.syntax import parse, render
from lab.benchmarks.classical import __main__ as command
from lab.benchmarks.classical.disguise import shuffled_actions
from lab.benchmarks.classical.measure import measure
from lab.benchmarks.classical.planners import PLANNERS, Missing, Planner, Told, last_words
from lab.benchmarks.classical.problems import collection
from lab.benchmarks.classical.rows import Conditions, Row, read
from lab.benchmarks.classical.tables import TABLES
from tests.data import shared_data

pytestmark = pytest.mark.processes

REPOSITORY = Path(__file__).parents[3]
DOMAIN = """(define (domain d) (:requirements :strips) (:predicates (at ?x) (way ?x ?y))
 (:action go :parameters (?x ?y) :precondition (and (at ?x) (way ?x ?y)) :effect (and (at ?y) (not (at ?x))))
 (:action stay :parameters (?x) :precondition (at ?x) :effect (at ?x)))"""
PROBLEM = """(define (problem p) (:domain d) (:objects a b c) (:init (at a) (way a b) (way b c) (way a c))
 (:goal (at c)))"""
CONDITIONS = Conditions(limit=20, memory=8192, machine="a machine", jobs=1, load=0.5, date="2026-01-01T00:00+00:00")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with two domains of two problems each."""
    for domain in ("one", "two"):
        folder = tmp_path / "data" / domain
        folder.mkdir(parents=True)
        (folder / "domain.pddl").write_text(DOMAIN)
        (folder / "p1.pddl").write_text(PROBLEM + "\n; a comment")
        (folder / "p2.pddl").write_text(PROBLEM)
    return tmp_path / "data"


def fake(name: str, program: str, *, plan: str = "plan*", anytime: bool = False) -> Planner:
    """A planner that runs this Python program."""
    return Planner(
        name, name, lambda: f"{name} 1", lambda d, p, limit: [sys.executable, "-c", program], plan, anytime=anytime
    )


def writes(*steps: str, then: str = "") -> str:
    text = "\n".join(steps)
    return f"open('plan', 'w').write({text!r}); {then}"


def test_problems_that_a_collection_lists(tmp_path: Path) -> None:
    pairs = [("a/domain.pddl", "a/p1.pddl"), ("a/domain.pddl", "a/p2.pddl"), ("a/domain.pddl", "a/large.pddl")]
    for name, text in {
        "a/api.py": f"domains = [{{'name': 'a', 'problems': {pairs}}}]",
        "b/api.py": "domains = [{'problems': [('b/domain.pddl', 'b/large.pddl')]}]",
        "a/domain.pddl": "domain",
        "a/p1.pddl": "longer",
        "a/p2.pddl": "short",
        "a/unlisted.pddl": "",
        "c/domain.pddl": "",
        "c/q1.pddl": "",
        "c/q1-domain.pddl": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    there = collection(tmp_path)
    assert there.none == ["b"]
    assert [(task.name, task.domain.name) for task in there.smallest()] == [
        ("a/p2.pddl", "domain.pddl"),
        ("c/q1.pddl", "q1-domain.pddl"),
    ]
    assert [task.name for task in there.spread(1)] == ["a/p1.pddl", "c/q1.pddl"]
    assert [task.name for task in there.spread(1, frozenset("a"))] == ["a/p1.pddl", "c/q1.pddl", "a/p2.pddl"]


def test_problems_in_folders_below_a_domain(tmp_path: Path) -> None:
    sizes = {"hard/p1": 3, "hard/p2": 1, "hard/p3": 9, "easy/p4": 2, "easy/p5": 7, "easy/p6": 8}
    for name, size in sizes.items():
        (tmp_path / "a" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "a" / f"{name}.pddl").write_text("x" * size)
    (tmp_path / "a" / "domain.pddl").write_text("")
    (tmp_path / "a" / "easy" / "domain.pddl").write_text("")
    there = collection(tmp_path)
    nearest = {task.name: task.domain.parent.name for task in there.tasks["a"]}
    assert (nearest["a/hard/p1.pddl"], nearest["a/easy/p5.pddl"]) == ("a", "easy")
    assert [task.name for task in there.small(1)] == ["a/easy/p4.pddl"]  # the second by size: at a quarter of six
    assert [task.name for task in there.matching(["*/hard/*"]).small(2)] == ["a/hard/p2.pddl", "a/hard/p1.pddl"]
    assert not there.matching(["b/*"]).tasks


@pytest.mark.data
def test_the_sample_has_all_of_blocks() -> None:
    there = collection(shared_data("ipc"))
    assert len(there.tasks) == 18
    assert len(there.spread(3)) < 60 < len(there.spread(3, frozenset(["blocks"])))


@pytest.mark.parametrize(
    ("planner", "outcome", "cost"),
    [
        (fake("right", writes("(go a c)")), "solved", 1),
        (fake("longer", writes("(go a b)", "(go b c)")), "solved", 2),
        (fake("wrong", writes("(go a b)")), "wrong", None),
        (fake("no action", writes("(fly a c)")), "wrong", None),
        (fake("too late", writes("(go a c)", then="import time; time.sleep(60)")), "time", None),
        (fake("in time", writes("(go a c)", then="import time; time.sleep(60)"), anytime=True), "solved", 1),
        (fake("gives up", "import sys; print('an error'); print('bye'); sys.exit(12)"), "none", None),
        (fake("too much", "bytearray(2**34)"), "none", None),
        (fake("translator", "pass", plan=""), "solved", None),
    ],
    ids=lambda value: value.name if isinstance(value, Planner) else "",
)
def test_outcomes(planner: Planner, outcome: str, cost: float | None, data: Path) -> None:
    task = collection(data).tasks["one"][0]
    limit = 1 if "time" in planner.name or "late" in planner.name else 20
    found = measure("solved", planner, "1", task, dataclasses.replace(CONDITIONS, limit=limit))
    assert (found.outcome, found.cost) == (outcome, cost), found
    said = {"wrong": "goal", "no action": "fly", "gives up": "exit code 12: an error", "too much": "MemoryError"}
    assert said.get(planner.name, "") in found.said


def test_seconds_of_a_processor(data: Path) -> None:
    """A planner that waits has its time; one that computes does not."""
    task = collection(data).tasks["one"][0]
    conditions = dataclasses.replace(CONDITIONS, limit=1, processor=True)
    waits = fake("waits", "import time; time.sleep(1.2);" + writes("(go a c)"))
    busy = fake("busy", writes("(go a c)", then="\nwhile True: pass"))
    outcomes = [measure("solved", planner, "1", task, conditions).outcome for planner in (waits, busy)]
    assert outcomes == ["solved", "time"]


def test_steps_with_numbers_and_remarks(tmp_path: Path) -> None:
    (tmp_path / "plan").write_text("1: (go a b ) ;[created: ]\n2: (stay b ) ;[]\n")
    plain = PLANNERS["powerlifted"].after(tmp_path / "plan", tmp_path, lambda command, seconds: pytest.fail("runs"))
    assert plain.read_text().splitlines() == ["(go a b )", "(stay b )"]


def test_the_best_plan_is_the_last(tmp_path: Path) -> None:
    for name in ("plan.1", "plan.2", "plan.10"):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, ns=(5, 5))
    best = PLANNERS["lama"].best(tmp_path)
    assert best is not None and best.name == "plan.10"


def test_a_disguised_task_is_solved_in_its_own_names(data: Path) -> None:
    task = collection(data).tasks["one"][0]
    planner = PLANNERS["gbfs-disguised"]
    given = planner.before(task.domain, task.problem, data, lambda words, limit: command.run(words, data, limit))
    assert "go" not in given[0].read_text() and "at" not in parse(given[1].read_text()).root.items
    found = measure("solved", planner, "1", task, dataclasses.replace(CONDITIONS, limit=120))
    assert (found.outcome, found.cost, found.steps) == ("solved", 1, 1)


def test_actions_are_shuffled_and_nothing_else() -> None:
    domain = parse("(define (domain d) (:predicates (p)) (:action a) (:action b) (:action c) (:derived (q) (p)))").root
    shuffled = [render(shuffled_actions(domain, np.random.default_rng(seed))) for seed in range(20)]
    assert len(set(shuffled)) == 6
    assert all(text.startswith("(define (domain d) (:predicates (p)) (:action") for text in shuffled)
    assert all(sorted(text) == sorted(render(domain)) for text in shuffled)


def test_what_a_search_told() -> None:
    downward = "[t=0.1s, 1 KB] Expanded 10 state(s).\nSearch time: 0.5s\nExpanded 12 state(s).\nSearch time: 0.75s"
    assert PLANNERS["lama-first"].told(downward) == Told(12, 0.75)
    assert PLANNERS["gbfs"].told('{\n  "facts": 5,\n  "expanded": 112\n}') == Told(112)
    assert PLANNERS["gbfs"].told('{\n  "expanded": null\n}') == Told()
    assert last_words("This configuration does not support axioms!\nTerminating.\nsearch exit code: 34\nINFO x") == (
        "This configuration does not support axioms!"
    )
    of_a_child = r"Generating Datalog program... b'Traceback:\n  File \"/home/x\", line 1\nKeyError: \'block\'\n'"
    assert last_words(of_a_child) == r"KeyError: \'block\'"


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Fake planners for the table of what is solved; the file that tells each run of them."""
    runs = tmp_path / "runs"
    count = f"open({str(runs)!r}, 'a').write('x'); "
    planners = {"gbfs": fake("gbfs", count + writes("(go a c)")), "lama-first": fake("lama-first", count)}

    def version() -> str:
        raise Missing("it is not installed")

    absent = dataclasses.replace(planners["gbfs"], version=version)
    monkeypatch.setattr(command, "PLANNERS", planners | {"pymimir": absent})
    monkeypatch.setattr(command, "_warm", lambda names: None)
    return runs


def _run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> None:
    monkeypatch.setattr(sys, "argv", ["classical", *map(str, words)])
    command.main()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_row_is_measured_once(
    jobs: int,
    data: Path,
    fakes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "new" / "rows.jsonl"
    (data / "three").mkdir()
    (data / "three" / "api.py").write_text("domains = [{'problems': [('three/domain.pddl', 'three/p.pddl')]}]")
    words = ("solved", "--data", data, "--out", out, "--jobs", str(jobs), "--planners")
    _run(monkeypatch, *words, "gbfs", "--first", "1")
    assert [row.problem for row in read(out)] == ["three", "one/p2.pddl"]
    out.write_bytes(out.read_bytes() + b'{"torn": ')
    capsys.readouterr()
    _run(monkeypatch, *words, "gbfs,lama-first,pymimir")
    told = capsys.readouterr()
    assert "pymimir is left out: it is not installed" in told.err
    assert "solved: 3 of 4 to measure" in told.err
    assert "| ours | 2 of 2 |" in told.out
    assert fakes.read_text() == "xxxx"
    assert "left out (1): three (its files are not there)" in told.out
    assert {(row.planner, row.problem, row.outcome) for row in read(out)} == {
        ("gbfs", "three", "left out"),
        ("gbfs", "one/p2.pddl", "solved"),
        ("gbfs", "two/p2.pddl", "solved"),
        ("lama-first", "one/p2.pddl", "none"),
        ("lama-first", "two/p2.pddl", "none"),
    }
    with pytest.raises(SystemExit, match="other conditions"):
        _run(monkeypatch, *words, "gbfs", "--limit", "5")
    with pytest.raises(SystemExit, match="no domain four"):
        _run(monkeypatch, "sample", "--data", data, "--out", out, "--all", "one,four")
    out.write_text('{"key": "of something else"}\n')
    with pytest.raises(SystemExit, match="rows.jsonl:1: no row of these tables"):
        _run(monkeypatch, *words, "gbfs")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name the tables"),
        (["nothing"], "no table 'nothing'; there are read,"),
        (["read", "--planners", "gbfs,foo"], "no planner 'foo'"),
        (["read", "--data", "nowhere"], "nowhere is not there"),
        (["--tables", "nowhere.jsonl"], "nowhere.jsonl is not there"),
    ],
)
def test_wrong_words(
    words: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        _run(monkeypatch, *words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(("jobs", "end"), [(1, signal.SIGINT), (2, signal.SIGTERM)])
def test_an_interrupt_keeps_what_is_there(jobs: int, end: signal.Signals, data: Path, tmp_path: Path) -> None:
    out, mark = tmp_path / "rows.jsonl", tmp_path / "sleeps"
    sleeps = f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    program = f"""
import sys
from lab.tests.benchmarks.test_classical import command, fake, writes
command.PLANNERS = {{
    "gbfs": fake("gbfs", {writes("(go a c)")!r}),
    "lama-first": fake("lama-first", {sleeps!r}),
}}
command._warm = lambda names: None
sys.argv = ["classical", "solved", "--data", {str(data)!r}, "--out", {str(out)!r}, "--jobs", "{jobs}",
            "--planners", "gbfs,lama-first"]
command.main()
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=REPOSITORY
    ) as process:
        while not (mark.exists() and mark.read_text() and len(read(out)) == jobs):
            time.sleep(0.05)
            assert process.poll() is None
        process.send_signal(end)
        said, errors = process.communicate(timeout=30)
    assert "interrupted: the same command goes on from here" in errors
    assert "Traceback" not in errors
    assert "| ours |" in said
    assert {row.planner for row in read(out)} == {"gbfs"}
    assert not Path(f"/proc/{mark.read_text()}").exists()


def test_tables_go_into_their_places(
    data: Path, fakes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, written = tmp_path / "rows.jsonl", tmp_path / "page.md"
    _run(monkeypatch, "solved", "--data", data, "--out", out, "--planners", "gbfs")
    place = "# Title\n\n<!-- table solved -->\n\nold\n\n<!-- end of table solved -->\n\nThe end.\n"
    written.write_text(place)
    for _ in range(2):
        _run(monkeypatch, "--tables", out, "--page", written)
        text = written.read_text()
        assert "old" not in text and text.startswith("# Title") and text.endswith("The end.\n")
        assert text.count("| ours | 2 of 2 |") == 1
    written.write_text("nothing")
    with pytest.raises(SystemExit, match="no place for the table solved"):
        _run(monkeypatch, "--tables", out, "--page", written)


def test_many_in_one_process(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data / "one" / "p2.pddl").write_text(PROBLEM.replace("(:goal (at c))", "(:goal (and (at a) (at c)))"))
    out = tmp_path / "rows.jsonl"
    tasks = [task for tasks in collection(data).tasks.values() for task in tasks]
    with command.RowFile(out) as rows:
        for task in tasks:
            files = str(task.domain), str(task.problem)
            told = {"version": "1", "conditions": CONDITIONS, "outcome": "solved", "seconds": 1.5}
            rows.add(Row(table="solved", planner="lama-first", problem=task.name, files=files, **told))
    _run(monkeypatch, "together", "--data", data, "--out", out)
    found = {row.problem: row.outcome for row in read(out) if row.table == "together"}
    assert found == {"one/p1.pddl": "solved", "one/p2.pddl": "none", "two/p1.pddl": "solved", "two/p2.pddl": "solved"}


@pytest.mark.bench
@pytest.mark.parametrize("name", [name for name in TABLES["solved"].planners if not name.startswith("gbfs")])
def test_peers_solve_a_task(name: str, data: Path) -> None:
    planner = PLANNERS[name]
    try:
        version = planner.version()
    except Missing as missing:
        pytest.skip(str(missing))
    task = collection(data).tasks["one"][0]
    found = measure("solved", planner, version, task, dataclasses.replace(CONDITIONS, limit=120))
    assert found.outcome == "solved", found
    assert found.cost in (1, 2)
