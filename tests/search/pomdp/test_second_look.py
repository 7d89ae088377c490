"""A second look with sensors that miss: a thing is on one of two tables, d steps apart, and an exact dynamic program
over beliefs says when it is best to try again where nothing was seen, and what that costs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.search.pomdp.macro_mcts import MacroMctsOptions
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.search.pomdp.sensing_mcts import SensingMcts
from commonsense_planning.task import read_task

MISS = 0.3
LOOKS = 6  # at a table, of which the dynamic program keeps count
FOLDER = Path(__file__).parent / "search_regret"


def least_steps(near: float, distance: int) -> tuple[float, float]:
    """Expected steps of who stands at a table where a look showed nothing, and the thing was there with probability
    ``near`` before that look: if it is tried to take it at once, and if one goes to the other table first. Value
    iteration over (table, looks that showed nothing at the one and at the other)."""
    weights = np.array([near, 1 - near])
    least = np.full((2, LOOKS + 1, LOOKS + 1), 1000.0)
    for _ in range(200):
        for at in (0, 1):
            for looks in np.ndindex(LOOKS + 1, LOOKS + 1):
                least[(at, *looks)] = min(_steps(weights, distance, least, at, looks))
    return _steps(weights, distance, least, 0, (1, 0))


def _steps(
    weights: np.ndarray, distance: int, least: np.ndarray, at: int, looks: tuple[int, ...]
) -> tuple[float, float]:
    left = weights * MISS ** np.array(looks)
    there = left[1 - at] / left.sum()
    again = list(looks)
    again[1 - at] = min(LOOKS, again[1 - at] + 1)
    seen = there * (1 - MISS)
    return 1 + there * (distance + 1), distance + seen * 1 + (1 - seen) * float(least[(1 - at, *again)])


def search(folder: Path, near: float, distance: int, start: str) -> tuple[str, float]:
    """The first action of the search among sensing macros after a look that shows nothing, and what it expects."""
    cells = ["hub", *(f"cell_{i}" for i in range(distance + 1))]
    ways = "".join(f"(way {a} {b}) (way {b} {a}) " for a, b in zip(cells, cells[1:], strict=False))
    tables = "".join(f"(stands {t} {c}) (in-view {t} {c}) " for t, c in (("near", cells[1]), ("far", cells[-1])))
    file = folder / "problem.pddl"
    file.write_text(
        f"(define (problem two) (:domain search) (:objects thing - item near far - table {' '.join(cells)} - cell)"
        f" (:init (at {start}) {ways} {tables} (on thing far)) (:goal (holding thing)))",
        encoding="utf-8",
    )
    sensors = folder / "sensors.pddl"
    text = (FOLDER / "sensors.pddl").read_text(encoding="utf-8").rstrip().removesuffix(")")
    sensors.write_text(f"{text} (:miss {MISS}) (:false-alarm 0))", encoding="utf-8")
    task, compiled = read_task(FOLDER / "domain.pddl", file, sensors).seen_in_part
    members = [str(task.fact_step(int(fact))) for fact in compiled.sensors.groups.row(0)]
    belief = Belief(compiled, [np.array([near if "near" in member else 1 - near for member in members])])
    belief.update(None, Environment(compiled, task.init).look())
    macros = SensingMacros(task, compiled, belief)
    root = SensingMcts(macros, belief, MacroMctsOptions(simulations=300, worlds=500), np.random.default_rng(0)).search()
    best = int(np.argmin(np.where(root.counts > 0, root.costs, np.inf)))
    return str(task.step(root.open_branches[best].operators[0])).strip("()"), float(root.costs[best])


@pytest.mark.parametrize(("near", "distance"), [(0.2, 1), (0.2, 3), (0.5, 2), (0.5, 4), (0.8, 1), (0.8, 4), (0.9, 2)])
def test_a_second_look_is_taken_when_it_is_best(tmp_path: Path, near: float, distance: int) -> None:
    again, elsewhere = least_steps(near, distance)
    action, expected = search(tmp_path, near, distance, "cell_0")
    if near <= 0.5:  # what is likelier than not, after that look, counts as known, and then costs nothing to find out
        assert expected == pytest.approx(min(again, elsewhere), rel=0.06)
    assert action == ("take-from-table thing near cell_0" if again < elsewhere else "walk cell_0 cell_1")


def test_nothing_is_tried_before_the_first_look(tmp_path: Path) -> None:
    assert search(tmp_path, 0.9, 4, "hub")[0] == "walk hub cell_0"
