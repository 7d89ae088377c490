"""Search and heuristic are chosen apart."""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

from commonsense_planning.errors import MissingError, Status, UsageError
from commonsense_planning.grounding import lifted
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.heuristics.heuristic import Heuristic
from commonsense_planning.heuristics.registry import HEURISTICS, HeuristicKind
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.methods.method import Solution
from commonsense_planning.search.classical import cheapest
from commonsense_planning.search.classical.cheapest import cheapest_plan
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.support import registry
from commonsense_planning.task import read_task
from tests import scripted
from tests.snacks import write_snacks
from tests.towers import write_files

NAMES = [kind.forms[0] for kind in HEURISTICS.usable()]
LENGTH = 8  # of a cheapest plan: each of the blocks is taken, and put down


def solved(folder: Path, method: str, max_operators: int = 1000, **options: object) -> Solution:
    domain, files = write_files(folder, (4,))
    return scripted.solved(read_task(domain, files[0], max_operators=max_operators), method, **options)[0]


@pytest.mark.parametrize("name", NAMES)
def test_greedy_search_takes_any_heuristic(tmp_path: Path, name: str) -> None:
    found = solved(tmp_path, "gbfs", heuristic=name)
    assert found.status is Status.SOLVED
    assert found.bound is None


@pytest.mark.parametrize("name", NAMES)
def test_astar_proves_what_an_admissible_heuristic_finds(tmp_path: Path, name: str) -> None:
    found = solved(tmp_path, "astar", heuristic=name)
    if HEURISTICS.find(name)[0].admissible:
        assert (found.plan.cost, found.bound) == (LENGTH, LENGTH)
    else:
        assert found.bound is None


def test_a_plan_that_is_not_proven_cheapest_counts_at_a_limit_on_states_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    task, few = read_task("kitchen:hard-galley-0004"), Limits(evaluations=2)
    monkeypatch.setattr(cheapest, "cheapest_plan", lambda t, p, limits, *rest: cheapest_plan(t, p, few, *rest))
    for evaluations, status in ((2, Status.SOLVED), (None, Status.BUDGET)):
        found, _ = scripted.solved(task, "astar", evaluations=evaluations)
        assert (found.status, found.bound < found.plan.cost) == (status, True)


@pytest.mark.parametrize("name", [None, "add", "ff", "max"])
def test_greedy_search_on_the_lifted_task(tmp_path: Path, name: str | None) -> None:
    found = solved(tmp_path, "gbfs", lifted=True, heuristic=name)
    assert (found.status, found.operators) == (Status.SOLVED, 0)


@pytest.mark.parametrize("name", [None, "add", "ff"])
def test_a_task_too_large_to_ground(tmp_path: Path, name: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[object] = []  # whose frames still hold what was grounded
    monkeypatch.setattr(lifted, "lift", lambda problem: errors.append(sys.exc_info()[1]) or lift(problem))
    task = read_task(*write_snacks(tmp_path, 5), max_operators=50)  # 125 operators, 15 instances of rules
    found, _ = scripted.solved(task, "gbfs", heuristic=name)
    assert found.plan is not None and len(found.plan.steps) == 5 and {*errors} == {None}


def test_what_wants_a_grounded_task_is_refused_without_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--heuristic landmarks needs a grounded task"):
        solved(tmp_path, "gbfs", lifted=True, heuristic="landmarks")
    assert solved(tmp_path, "gbfs", max_operators=10, heuristic="landmarks").status is Status.BUDGET


def test_a_heuristic_that_is_a_program_needs_the_laboratory(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="heuristic of a file, .* is part of cplan's laboratory"):
        solved(tmp_path, "gbfs", heuristic=str(tmp_path / "absent.py"))


def _make(task: GroundTask, compiled: Compiled, unit_cost: bool) -> Heuristic:
    return lambda state: 0.5


def test_a_plug_in_brings_a_heuristic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = HeuristicKind(("half",), "a half", _make)
    monkeypatch.setitem(sys.modules, "half", SimpleNamespace(HALF=kind))
    monkeypatch.setattr(registry, "plug_ins", lambda group: {"half": EntryPoint("half", "half:HALF", group)})
    assert solved(tmp_path, "gbfs", heuristic="half").status is Status.SOLVED


def test_what_is_no_heuristic_is_an_error_that_names_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no heuristic is called lm-cut \\(did you mean 'lmcut'\\?\\)"):
        solved(tmp_path, "astar", heuristic="lm-cut")
    with pytest.raises(UsageError, match="cannot be combined with"):
        solved(tmp_path, "gbfs", heuristic="ff", anytime=True)
