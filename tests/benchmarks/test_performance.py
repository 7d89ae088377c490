"""The benchmark's parts that are not about time: the table, the sample of problems, the twin of the household."""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmarks.performance import planning, together
from benchmarks.performance.homes import DOMAIN, errand, home, write_home
from benchmarks.performance.planning import sample
from benchmarks.performance.table import Row, at_least, figure, heading, markdown
from benchmarks.performance.walks import walkable
from benchmarks.performance.whole_process import Ran, run
from commonsense_planning.kernels.engine import applicable
from tests.data import shared_data
from tests.support.children import children


def test_table() -> None:
    ratio, reached = at_least(1_234_567.0, 10.0, 100_000)
    row = markdown(Row("walk", "1 step/s", "2 steps/s", ratio, "100,000 ×", reached))
    assert row == "| walk | 1 step/s | 2 steps/s | 123,000 × | 100,000 × | yes |  |"
    assert heading().splitlines()[0].count("|") == row.count("|")
    assert [figure(value) for value in (0, 0.00789, 45.64, 999.6)] == ["0", "0.00789", "45.6", "1,000"]


def test_unknown_row_names_the_others() -> None:
    command = [sys.executable, "-m", "benchmarks.performance", "nothing"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=DOMAIN.parents[2])
    assert ended.returncode == 2
    assert "household-walk" in ended.stderr


def test_whole_process(tmp_path: Path) -> None:
    ran = run([sys.executable, "-c", "print(len(bytearray(2**26)))"], tmp_path)
    assert (ran.code, ran.output.strip()) == (0, str(2**26))
    assert ran.peak > 2**26
    assert run([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, 0.2).code is None


def test_sample_is_spread_and_finds_domains(tmp_path: Path) -> None:
    for name in ("a/domain.pddl", "a/p1.pddl", "a/p2.pddl", "a/p3.pddl", "b/q1.pddl", "b/q1-domain.pddl"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    found = [(domain.name, problem.name) for domain, problem in sample(tmp_path, 2)]
    assert found == [("domain.pddl", "p1.pddl"), ("q1-domain.pddl", "q1.pddl"), ("domain.pddl", "p2.pddl")]


@pytest.mark.parametrize("planner", ["ours", "pyperplan"])
def test_many_problems_in_one_process(planner: str, tmp_path: Path) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text("""(define (domain d) (:requirements :strips) (:predicates (p ?x) (q ?x))
        (:action make :parameters (?x) :precondition (p ?x) :effect (q ?x)))""")
    pairs = []
    for name, init in (("a", "(p o)"), ("b", ""), ("c", "(p o)")):  # b has no plan
        problem = tmp_path / f"{name}.pddl"
        text = f"(define (problem {name}) (:domain d) (:objects o r) (:init (p r) {init}) (:goal (and (q o) (q r))))"
        problem.write_text(text)
        pairs.append((domain, problem))
    for listed in (pairs, pairs[:1]):
        ran = together.one_process(planner, listed, 60, tmp_path)
        assert [Path(name).name for name in ran.solved] == ["a.pddl", "c.pddl"][: len(listed)]
        assert 0 < sum(ran.solved.values()) <= ran.seconds


def test_the_problems_that_both_solve_are_in_the_data() -> None:
    names = together.COMMON.read_text().split()
    data = shared_data() / "ipc"
    assert len(names) >= 40
    assert all((data / name).is_file() for name in names)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_competition_tells_what_it_has(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a/domain.pddl", "a/p1.pddl", "b/domain.pddl", "b/p1.pddl", "c/domain.pddl", "c/p1.pddl"):
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def solved_in(seconds: float) -> Callable[..., tuple[Ran, bool]]:
        def planner(domain: Path, problem: Path, folder: Path, limit: float, core: int | None) -> tuple[Ran, bool]:
            if problem.parent.name == "c" and seconds > 1:
                raise KeyboardInterrupt
            return Ran(seconds, 0, 0, ""), problem.parent.name == "a" or seconds < 1

        planner.__name__ = f"in-{seconds}"
        return planner

    monkeypatch.setattr(planning, "warm", lambda folder: None)
    for name, seconds in (("gbfs", 0.5), ("pyperplan", 5.5), ("fast_downward", 2.5)):
        monkeypatch.setattr(planning, name, solved_in(seconds))
    total, solved, _ = planning.competition(tmp_path / "data", 1, 60, jobs, tmp_path)
    assert "the first 2 of 3 problems" in total.what
    assert (total.ours, total.peer, total.ratio) == ("0.5 s", "5.5 s", "11 ×")
    assert (solved.ours, solved.peer, solved.ratio) == ("2", "1", "+1")


def test_an_interrupt_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(pid: int, options: int) -> None:
        raise KeyboardInterrupt

    before = children()
    monkeypatch.setattr(os, "wait4", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path)
    assert children() == before


@pytest.mark.bench
def test_model_for_pomdp_py_has_our_actions(tmp_path: Path) -> None:
    """As many applicable actions at the start as the engine finds; one hand, whatever is done."""
    from benchmarks.performance.pomcp import Home, planner

    apartment = home(600)
    task = walkable(DOMAIN, write_home(600, tmp_path))
    buffer = np.empty(task.operators, np.int32)
    model = Home(apartment, errand(apartment))
    assert applicable(task.compiled.table, task.start, buffer) == len(model.actions(model.start))
    search, agent = planner(apartment, errand(apartment), 20, 5, 0.95, 1.414, 1)
    assert search.plan(agent) in model.actions(model.start)
    state = model.start
    rng = random.Random(2)
    for _ in range(200):
        state = model.after(state, rng.choice(model.actions(state)))
        assert sum(place < 0 for place in state.places) == (state.held >= 0)
