"""Contingent problems from the command line."""

from pathlib import Path

from commonsense_planning.pddl.reader import read_problem
from tests.cli.running import Run
from tests.data import REPOSITORY

WUMPUS = REPOSITORY / "pddl" / "wumpus"


def test_a_pack_is_solved_at_once_and_the_world_is_told(cplan: Run) -> None:
    ended = cplan("solve", "wumpus:cave-3", "--seed", "1", "--method", "llm-replan")
    assert ended.code == 0, ended.err
    assert "the true world, drawn by seed 1: of what :init leaves open, true is (wumpus-in bb)" in ended.out
    assert ended.out.split().count("valid") == 2, "VAL and the replay read the drawn world"


def test_the_world_is_kept_and_used_again(cplan: Run, tmp_path: Path) -> None:
    world = tmp_path / "world.pddl"
    options = ("--world", world, "--seed", "2", "--json", "--quiet", "--method", "llm-replan")
    first = cplan("solve", "wumpus:cave-3", *options).json
    assert set(first["world"]) < set(world.read_text().replace(") (", ")\n(").replace("\n    ", "\n").split("\n"))
    again = cplan("solve", "wumpus:cave-3", *options).json
    assert ("world" in again, again["plan"]) == (False, first["plan"])


def test_other_planners_and_validators_get_plain_pddl(cplan: Run) -> None:
    ended = cplan("solve", "medical:ward-3", "--method", "fast-downward", "--validate", "all", "--json", "--quiet")
    assert (ended.json["status"], set(ended.json["validators"].values())) == ("solved", {"valid"})
    problem = read_problem(WUMPUS / "domain.pddl", WUMPUS / "problems" / "cave-3.pddl")
    with problem.plain_files() as (domain, _):
        text = domain.read_text()
        assert (":observe" in text, ":contingent" in text, text.count(":effect (and)")) == (False, False, 2)
    assert not domain.exists()


def test_a_plan_is_judged_in_a_world_alone(cplan: Run, tmp_path: Path) -> None:
    world, plan = tmp_path / "world.pddl", tmp_path / "plan"
    options = ("--world", world, "--plan", plan, "--quiet", "--method", "llm-replan")
    assert cplan("solve", "medical:ward-3", *options).code == 0
    ended = cplan("validate", "medical:ward-3", plan)
    assert ended.code == 3
    assert "the initial state is not fully known" in ended.out
    assert " valid" not in ended.out
    assert cplan("validate", REPOSITORY / "pddl" / "medical" / "domain.pddl", world, plan).code == 0
