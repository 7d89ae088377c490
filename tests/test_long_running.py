"""What ``docs/long-running.md`` promises to a process that runs for days."""

import asyncio
import gc
import pickle
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import commonsense_planning as cplan
from tests.data import REPOSITORY
from tests.judges import JUDGES

METHODS = ["gbfs", "astar", "fast-downward", "pyperplan", "llm-mcts", "llm-replan", "uct"]
DOMAIN = """(define (domain Depot) (:requirements :strips :typing) (:types place)
(:predicates (at ?p - place) (road ?a ?b - place))
(:action Go :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b))
 :effect (and (at ?b) (not (at ?a)))))"""
PROBLEM = """(define (problem two) (:domain Depot) (:objects Hall yard shed - place)
(:init (at Hall) (road Hall yard) (road yard shed)) (:goal (at GOAL)))"""


def steps(task: cplan.Task, method: str = "gbfs", seed: int = 0) -> list[str]:
    plan = cplan.solve(cplan.Request(task, method, seed=seed)).plan
    return [str(step) for step in plan]


@pytest.fixture(scope="module")
def household() -> cplan.Task:
    return cplan.read_task("household:small-apple")


@pytest.fixture(params=["deleted", "rewritten", "texts"])
def task(request: pytest.FixtureRequest, tmp_path: Path) -> cplan.Task:
    """The task to the shed, whose files are no more what they were, or never were."""
    if request.param == "texts":
        return cplan.read_task(cplan.Text(DOMAIN), cplan.Text(PROBLEM.replace("GOAL", "shed")))
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(DOMAIN)
    problem.write_text(PROBLEM.replace("GOAL", "shed"))
    found = cplan.read_task(domain, problem)
    for file, text in ((domain, "nothing"), (problem, PROBLEM.replace("GOAL", "yard"))):
        file.unlink()
        if request.param == "rewritten":
            file.write_text(text)
    return found


@pytest.mark.parametrize("method", METHODS)
def test_a_task_keeps_what_it_has_read(task: cplan.Task, method: str) -> None:
    assert steps(task, method) == ["(Go Hall yard)", "(Go yard shed)"]


def test_validators_speak_of_the_same_task(task: cplan.Task) -> None:
    plan = cplan.read_plan(cplan.Text("(Go Hall yard) \n(Go yard shed)"))
    for wanted, judged in (("valid", plan), ("invalid", cplan.Plan(plan.steps[:1]))):
        reports = cplan.validate(task.problem, judged, everyone=True).reports
        assert {report.validator: str(report.verdict) for report in reports} == dict.fromkeys(JUDGES, wanted)


def test_texts_and_paths_are_told_apart(tmp_path: Path) -> None:
    goal = cplan.Text(PROBLEM.replace("GOAL", "yard"), "own.pddl")
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "lexicon.toml").write_text('[facts]\nat = "it is at the {p}"\n')
    read = cplan.read_task(tmp_path / "domain.pddl", goal)
    assert read.lexicon.facts, "the domain is a file, and so has files beside it"
    given = cplan.read_task(cplan.Text(DOMAIN), goal, lexicon=cplan.Text('[facts]\nat = "it is at the {p}"\n'))
    assert given.lexicon == read.lexicon and steps(given) == steps(read)
    for domain, problem in ((DOMAIN, goal), (cplan.Text(DOMAIN), goal.content)):
        with pytest.raises(cplan.UsageError, match="Text"):
            cplan.read_task(domain, problem)
    with pytest.raises(cplan.PddlError, match=r"^own.pddl:1:"):
        cplan.read_task(cplan.Text(DOMAIN), cplan.Text("(define)", "own.pddl"))
    with pytest.raises(cplan.PddlError, match=r"^<sensors>:1:"):
        cplan.read_task(cplan.Text(DOMAIN), goal, cplan.Text("(define)"))


def test_no_files_are_looked_for_next_to_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sensors.pddl").write_text("nothing")
    (tmp_path / "prompts").mkdir()
    read = cplan.read_task(cplan.Text(DOMAIN), cplan.Text(PROBLEM.replace("GOAL", "yard")))
    assert read.sensors is None and read.prompts is None


def test_an_agent_acts_on_texts(tmp_path: Path) -> None:
    read = cplan.read_task(cplan.Text(DOMAIN), cplan.Text(PROBLEM.replace("GOAL", "yard")))
    with cplan.Agent(read, method="llm-replan") as agent:
        assert str(agent.act(cplan.ObservationReport())) == "(Go Hall yard)"
        agent.save(tmp_path / "agent.json")
    with pytest.raises(cplan.UsageError, match="task="):
        cplan.Agent.load(tmp_path / "agent.json")
    with cplan.Agent.load(tmp_path / "agent.json", read) as again:
        assert again.action == "(Go Hall yard)"


def test_a_task_of_the_same_home_shares_its_grounding(household: cplan.Task) -> None:
    again = cplan.read_task("household:small-apple", like=household)
    assert again.grounded.operators.pre.items is household.grounded.operators.pre.items
    assert steps(again) == steps(household)


def test_threads_share_a_task(household: cplan.Task) -> None:
    asked = [(method, seed) for method in ("gbfs", "llm-mcts") for seed in (0, 1)]
    alone = [steps(household, *one) for one in asked]
    fresh = cplan.read_task("household:small-apple")
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda one: steps(fresh, *one), asked)) == alone


LAMPS = """(define (domain lamps) (:types lamp match) (:predicates (lit ?l - lamp) (dry ?m - match))
(:action strike :parameters (?m - match ?l - lamp) :precondition (dry ?m) :effect (and (lit ?l) (not (dry ?m)))))"""


def test_a_search_ends_in_time_in_any_thread() -> None:
    """There is a match too few, which takes for ever to find out."""
    lamps, matches = [f"l{i}" for i in range(20)], [f"m{i}" for i in range(19)]
    init, goal = (" ".join(f"({what} {one})" for one in names) for what, names in (("dry", matches), ("lit", lamps)))
    objects = f"{' '.join(lamps)} - lamp {' '.join(matches)} - match"
    text = f"(define (problem p) (:domain lamps) (:objects {objects}) (:init {init}) (:goal (and {goal})))"
    request = cplan.Request(cplan.read_task(cplan.Text(LAMPS), cplan.Text(text)), "gbfs", seconds=0.2)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(cplan.solve, request).result().status is cplan.Status.BUDGET


def test_an_event_loop_continues_during_a_search(household: cplan.Task) -> None:
    async def both() -> tuple[int, cplan.Solution]:
        search, ticks = asyncio.create_task(asyncio.to_thread(cplan.solve, household)), 0
        while not search.done():
            await asyncio.sleep(0)
            ticks += 1
        return ticks, search.result()

    ticks, solution = asyncio.run(both())
    assert ticks > 1 and solution.status is cplan.Status.SOLVED


CONTINGENT = """(define (problem two) (:domain Depot) (:objects Hall yard shed - place)
(:init (at Hall) (road Hall yard) (oneof (road yard shed) (road Hall shed))) (:goal (at shed)))"""
SENSORS = "(define (sensors s) (:domain Depot) (:hidden (road ?a - place shed)) (:sense (road ?a shed) :when (at ?a)))"


@pytest.mark.parametrize("read", [
    lambda: cplan.read_task("household:small-apple"),
    lambda: cplan.read_task(cplan.Text(DOMAIN), cplan.Text(CONTINGENT), cplan.Text(SENSORS)),
    lambda: cplan.read_task("wumpus:cave-3"),
])  # fmt: skip
def test_a_task_pickles_and_is_the_same(read: object) -> None:
    task: cplan.Task = read()  # type: ignore[operator]
    method = "gbfs" if task.no_world is None else "llm-mcts"
    expected = steps(task, method)  # grounded before, which is not kept
    again = pickle.loads(pickle.dumps(task))
    assert "grounded" not in vars(again)
    assert steps(again, method) == expected
    term = next(iter(again.problem.tarski.language.constants()))
    assert str(term == term) == str(term == term), "Tarski's operators work again"


def test_nothing_holds_a_task() -> None:
    task = cplan.read_task("household:small-apple")
    steps(task), steps(task, "llm-mcts")
    held = weakref.ref(task)
    del task
    gc.collect()
    assert held() is None


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    task = cplan.read_task(cplan.Text(DOMAIN), cplan.Text(PROBLEM.replace("GOAL", "yard")))
    plans = [cplan.solve(cplan.Request(task, method)).plan for method in METHODS]
    cplan.validate(task.problem, plans[0], everyone=True)
    assert capfd.readouterr() == ("", "")


def test_what_is_logged_is_not_printed_unless_somebody_wants_it() -> None:
    said = "import logging, commonsense_planning; logging.getLogger('commonsense_planning.x').warning('heard')"
    for before, heard in (("", ""), ("import logging; logging.basicConfig(); ", "heard")):
        ended = subprocess.run([sys.executable, "-c", before + said], capture_output=True, text=True, check=True)
        assert ended.stdout == "" and heard in ended.stderr and bool(heard) == bool(ended.stderr)


PROCESSES = """
import multiprocessing, sys
import commonsense_planning as cplan

def plan(task):
    return [str(step) for step in cplan.solve(cplan.Request(task, "gbfs")).plan]

if __name__ == "__main__":
    task = cplan.read_task("household:small-apple")
    expected = plan(task)
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        assert pool.map(plan, [task, task]) == [expected, expected]
"""


@pytest.mark.processes
@pytest.mark.parametrize("how", ["spawn", "fork"])
def test_processes_are_given_tasks(how: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROCESSES)
    subprocess.run([sys.executable, tmp_path / "program.py", how], check=True)


def test_type_checkers_find_the_checkout() -> None:
    """An editable installation that is a hook, and not a path, is hidden from them."""
    modulefinder = pytest.importorskip("mypy.modulefinder")
    files = Path(sys.prefix).glob("lib/python*/site-packages/*.pth")
    lines = [line for file in files for line in file.read_text().splitlines()]
    paths = tuple(line for line in lines if not line.startswith(("import ", "#")))
    found = modulefinder.FindModuleCache(modulefinder.SearchPaths((), (), paths, ()), None, None)
    assert found.find_module("commonsense_planning") == str(REPOSITORY / "src/commonsense_planning/__init__.py")
