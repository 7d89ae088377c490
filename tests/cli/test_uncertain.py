"""Contingent problems, and actions with outcomes by chance: what cannot be certain is told as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.pddl.reader import read_problem
from tests.cli.running import Run
from tests.data import REPOSITORY
from tests.search.pomdp.test_chance import DOMAIN, PROBLEM

WUMPUS = REPOSITORY / "pddl" / "wumpus"


def test_a_pack_is_solved_at_once_and_the_world_is_told(cplan: Run) -> None:
    ended = cplan("solve", "wumpus:cave-3", "--seed", "1", "--method", "llm-replan")
    assert ended.code == 0, ended.err
    assert "drawn with seed 1: of the facts that :init leaves open, these are true: (wumpus-in bb)" in ended.out
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


NEVER = "(define (problem never) (:domain gamble) (:init (begun)) (:goal (and (won) (lost))))"
CYCLE = """(define (domain gamble) (:requirements :strips :non-deterministic) (:predicates (begun) (won) (lost))
  (:action toss :parameters () :precondition (begun) :effect (oneof (won) (not (won)))))"""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    return [tmp_path / "domain.pddl", tmp_path / "problem.pddl"]


def test_a_goal_that_is_not_certain_is_reached_so_often(files: list[Path], cplan: Run) -> None:
    """By the better of two actions: 0.9 in all."""
    made = cplan("solve", *files, "--method", "uct", "--episodes", "30", "--quiet")
    assert made.code == 1
    share = float((made.out + made.err).rsplit("episodes solved: ", 1)[1].split()[0])
    assert 0.7 <= share < 1  # three standard deviations


@pytest.mark.parametrize("method", ["uct", "llm-replan", "llm-mcts"])
def test_a_cycle_without_end_ends(method: str, tmp_path: Path, files: list[Path], cplan: Run) -> None:
    files[0].write_text(CYCLE)
    files[1].write_text(NEVER)
    made = cplan("solve", *files, "--method", method, "--max-steps", "5")
    assert made.code == 1
    assert any(why in made.out for why in ("the limit of 5 steps", "can the goal be reached", "no plan")), made.out


@pytest.mark.parametrize(("plan", "code", "said"), [
    ("(step)\n(finish--2)\n(finish)", 0, "the actions were applicable and reached the goal in this world"),
    ("(step)\n(finish--2)", 1, "goal"),
    ("(step--2)\n(finish)", 1, "(finish)"),
    ("(step--3)", 1, "step--3"),
])  # fmt: skip
def test_a_plan_is_judged_with_the_outcomes_that_it_names(
    plan: str, code: int, said: str, tmp_path: Path, files: list[Path], cplan: Run
) -> None:
    (tmp_path / "plan").write_text(plan)
    judged = cplan("validate", *files, tmp_path / "plan")
    assert judged.code == code, judged.err
    assert said in judged.out + judged.err
    assert " valid\n" not in judged.out
