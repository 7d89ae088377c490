"""Small inputs with their right values, each through the commands; ``make test-data`` runs them."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commonsense_planning import Belief, Environment, read_task
from commonsense_planning.elicitation.prior import uniform_prior
from tests.cli.running import Ended, Run
from tests.data import shared_cases

pytestmark = pytest.mark.data

CASES = shared_cases()
METHODS = ("gbfs", "astar", "fast-downward")
PLACE = re.compile(r"(domain|problem|plan|\w+\.plan)\S*:\d+:\d+[:)] ?")


def chosen(word: str) -> list[Any]:
    """The cases whose outcome begins so."""
    cases = CASES.items()
    return [pytest.param(folder, row, id=name) for name, (folder, row) in cases if row["outcome"].startswith(word)]


def solve(cplan: Run, folder: Path, *options: str) -> Ended:
    return cplan("solve", folder / "domain.pddl", folder / "problem.pddl", "--json", *options)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("folder", "row"), chosen("solved"))
def test_solved(folder: Path, row: dict[str, Any], method: str, cplan: Run) -> None:
    if method not in row.get("methods", METHODS):
        pytest.skip(f"{method} does not take it")
    ended = solve(cplan, folder, "--method", method)
    assert ended.code == 0, ended.err
    found = ended.json
    assert (found["status"], found["validators"]["VAL"]) == ("solved", "valid")
    if "cost" in row:
        assert found["cost"] == pytest.approx(row["cost"]) or (method == "gbfs" and found["cost"] > row["cost"])
    assert found.get("warnings") or "with a warning" not in row["outcome"]
    if "refused with --strict" in row["outcome"]:
        assert solve(cplan, folder, "--method", method, "--strict").code == 2
    if "--lifted" in row["outcome"]:
        assert solve(cplan, folder, "--method", "gbfs", "--lifted").code == 0


@pytest.mark.parametrize(("folder", "row"), chosen("refused"))
def test_refused(folder: Path, row: dict[str, Any], cplan: Run) -> None:
    ended = cplan("solve", folder / "domain.pddl", folder / "problem.pddl", "--method", "gbfs")
    if ended.code == 0:
        assert "or solved" in row["outcome"]
    else:
        assert ended.code == 2
    assert PLACE.search(ended.err), ended.err
    if "check" in row["outcome"]:
        ended = cplan("check", folder / "domain.pddl", folder / "problem.pddl")
        assert ended.code == 2
        assert PLACE.search(ended.err), ended.err
    if "the word" in row["outcome"]:
        assert row["outcome"].split("the word ")[1] in ended.err
    if "a true reason" in row["outcome"]:
        assert "starts with a letter" not in ended.err


@pytest.mark.parametrize(("folder", "row"), chosen("plans"))
@pytest.mark.parametrize(("plan", "code"), [("comma", 0), ("oneline", 0), ("timedesc", 0), ("ff", 0), ("lpg", 2)])
def test_plans(folder: Path, row: dict[str, Any], plan: str, code: int, cplan: Run) -> None:
    ended = cplan("validate", folder / "domain.pddl", folder / "problem.pddl", folder / f"{plan}.plan")
    assert ended.code == code
    assert code == 0 or PLACE.search(ended.err)


@pytest.mark.parametrize(("folder", "row"), chosen("the marginals"))
def test_marginals(folder: Path, row: dict[str, Any]) -> None:
    files = (folder / f"{name}.pddl" for name in ("domain", "problem", "sensors"))
    task = read_task(*files)
    ground, compiled = task.seen_in_part
    for seed in range(100):
        rng = np.random.default_rng(seed)
        environment = Environment(compiled, ground.init, task.sensing, rng)
        belief = Belief(compiled, uniform_prior(compiled.sensors), sensing=task.sensing)
        operator, observation = None, environment.look()
        for _ in range(40):
            belief.update(operator, observation)
            chances = belief.probabilities()
            for group in range(len(belief.groups)):
                assert chances[belief.groups.row(group)].sum() < 1 + 1e-9
            operator = int(rng.integers(ground.operator_count))
            observation = environment.step(operator)
