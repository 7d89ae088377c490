"""``cplan belief``: what it prints, and what it judges."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from commonsense_planning.elicitation import prior as priors
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Floats
from tests.cli.running import Run, cplan_process
from tests.data import REPOSITORY

HOUSEHOLD = REPOSITORY / "pddl" / "household"
SMALL = (HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")
FLIGHTS = (
    REPOSITORY / "pddl" / "flights" / "domain.pddl",
    REPOSITORY / "pddl" / "flights" / "problems" / "short-oslo-athens.pddl",
)

GOLDEN = """\
small-apple of household
in brackets: the same for a uniform prior

apple
  log loss 1.77 (1.10)  Brier 1.35 (0.67)  rank 2.0 (2.0)
  on kitchen table        █████████████████████        81.0%
  inside fridge           ████▍                        17.0%  true
  inside kitchen cabinet  ▌                             2.0%

plate
  log loss 1.17 (1.10)  Brier 0.91 (0.67)  rank 2.0 (2.0)
  on kitchen table        █████████████████▏           66.0%
  inside kitchen cabinet  ████████                     31.0%  true
  inside fridge           ▊                             3.0%

          things  log loss  Brier  mean rank  first guess right
embedded       2      1.47   1.13        2.0                 0%
uniform        2      1.10   0.67        2.0                33%
100 answers per question, seed 0
embedded: hand-written commonsense tables and a relaxed-plan planner, not a language model

believed    places  on average    true
0.00-0.02        1       0.020   0.000
0.02-0.05        1       0.030   0.000
0.10-0.20        1       0.170   1.000
0.20-0.50        1       0.310   1.000
0.50-1.00        2       0.735   0.000
with --weight-temperature 6 more, the log loss here would be 1.07
not judged: 1 thing in sight from the start
"""


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def three_apples(tmp_path: Path) -> tuple[Path, Path]:
    """Two apples in the fridge, one on the kitchen table."""
    text = SMALL[1].read_text()
    for old, new in (
        ("apple_1 plate_1 toothbrush_1 - movable", "apple_1 apple_2 apple_3 plate_1 toothbrush_1 - movable"),
        ("(inside apple_1 fridge)", "(inside apple_1 fridge) (inside apple_2 fridge) (on apple_3 kitchentable)"),
    ):
        assert old in text
        text = text.replace(old, new)
    problem = tmp_path / "apples.pddl"
    problem.write_text(text)
    return SMALL[0], problem


def test_golden(cplan: Run) -> None:
    ended = cplan("belief", *SMALL)
    assert (ended.code, ended.out) == (0, GOLDEN)


def test_piped_there_are_no_escapes() -> None:
    ended = cplan_process("belief", *SMALL)
    assert ended.code == 0
    assert "\x1b" not in ended.out + ended.err
    assert ended.err == ""


def test_json(cplan: Run) -> None:
    ended = cplan("belief", *SMALL, "--json")
    found = ended.json
    assert ended.code == 0
    assert "log loss" in ended.err
    assert (found["model"], found["known_at_once"], found["without_true_place"]) == ("embedded", 1, 0)
    apple, plate = found["things"]
    assert (apple["name"], plate["name"]) == ("apple", "plate")
    (one,) = apple["things"]
    assert (one["objects"], one["true"], one["candidates"]) == (["apple_1"], "(inside apple_1 fridge)", 3)
    shares = {row["place"]: row["probability"] for row in apple["places"]}
    assert sum(shares.values()) == pytest.approx(1)
    assert one["model"]["log_loss"] == pytest.approx(-math.log(shares["inside fridge"]))
    assert one["uniform"]["log_loss"] == pytest.approx(math.log(3))
    assert [row["place"] for row in apple["places"] if row["true"]] == ["inside fridge"]
    both = [thing["things"][0]["model"]["brier"] for thing in (apple, plate)]
    assert found["mean"]["model"]["brier"] == pytest.approx(sum(both) / 2)


def test_things_of_one_name_are_shown_once(three_apples: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("belief", *three_apples, "--only", "apple")
    assert [line for line in ended.out.splitlines() if line.startswith("apple")] == ["apple (3)"]
    marks = {line.split("  ")[1]: line.split("%")[-1].strip() for line in ended.out.splitlines() if "%  true" in line}
    assert marks == {"inside fridge": "true for 2", "on kitchen table": "true for 1"}
    (block,) = cplan("belief", *three_apples, "--only", "apple", "--json").json["things"]
    assert [thing["objects"] for thing in block["things"]] == [["apple_1"], ["apple_2"], ["apple_3"]]


def test_places_of_one_name_share_a_row_but_not_a_score(tmp_path: Path, cplan: Run) -> None:
    text = SMALL[1].read_text()
    text = text.replace("fridge kitchencabinet - container", "fridge kitchencabinet kitchencabinet_2 - container")
    problem = tmp_path / "cabinets.pddl"
    problem.write_text(text.replace("(openable fridge)", "(openable fridge) (located kitchencabinet_2 kitchen)"))
    (block,) = cplan("belief", SMALL[0], problem, "--only", "plate", "--json").json["things"]
    row = next(row for row in block["places"] if row["place"] == "inside kitchen cabinet")
    assert (row["count"], row["true"]) == (2, 1)
    assert block["things"][0]["model"]["log_loss"] == pytest.approx(-math.log(row["probability"] / 2))


def test_top_keeps_the_true_place(cplan: Run) -> None:
    ended = cplan("belief", *SMALL, "--only", "APPLE", "--top", "1")
    lines = ended.out.splitlines()
    assert "plate" not in ended.out
    assert [line[:2] for line in lines if "inside fridge" in line] == ["… "]
    assert [line.split("  ")[1] for line in lines if " more " in line] == ["1 more"]
    assert " 1 " in next(line for line in lines if line.startswith("uniform"))


def test_belief_is_the_one_that_solve_starts_with(cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Kept(Belief):
        def revise(self, group: int, prior: Floats) -> None:
            super().revise(group, prior)
            started.append(sorted(p for p in self.distribution(group).tolist() if p))

    monkeypatch.setattr(priors, "Belief", Kept)
    cplan("solve", *SMALL, "--seed", "5", "--simulations", "1", "--max-steps", "1")
    things = cplan("belief", *SMALL, "--seed", "5", "--only", "apple_1", "--json").json["things"]
    assert started[0] == sorted(row["probability"] for thing in things for row in thing["places"])


def test_equal_seeds_give_equal_bytes(cplan: Run) -> None:
    first, second, other = (cplan("belief", *SMALL, "--json", "--seed", seed).out for seed in ("1", "1", "2"))
    assert first == second
    assert json.loads(first)["mean"] != json.loads(other)["mean"]


def test_nothing_hidden_is_no_error(cplan: Run) -> None:
    ended = cplan("belief", *FLIGHTS)
    assert ended.code == 0
    assert "nothing is hidden: there is no belief to judge" in ended.out
    found = cplan("belief", *FLIGHTS, "--json", "--only", "whatever").json
    assert (found["things"], found["mean"]) == ([], None)


def test_contingent_problem_is_judged_in_a_world_that_is_drawn(tiny: tuple[Path, Path], cplan: Run) -> None:
    text = tiny[1].read_text().replace("(in ball blue-box)", "(oneof (in ball blue-box) (in ball red-box))")
    tiny[1].write_text(text)
    assert cplan("belief", *tiny).code == 0
    ended = cplan("belief", *tiny, "--world", tiny[1].parent / "world.pddl", "--json")
    assert (ended.code, [thing["name"] for thing in ended.json["things"]]) == (0, ["ball"])


def test_it_follows_preferences(cplan: Run, tmp_path: Path) -> None:
    path = tmp_path / "preferences.txt"
    path.write_text("apples go into the fridge\n")
    problem = REPOSITORY / "pddl" / "household" / "problems" / "small-apple.pddl"
    belief = ("belief", problem.parents[1] / "domain.pddl", problem, "--only", "apple", "--json")
    plain, told = (cplan(*belief, *more).json for more in ((), ("--preferences", path)))
    assert told["mean"] != plain["mean"]
    assert cplan(*belief, "--preferences", tmp_path / "none.txt").code == 2
