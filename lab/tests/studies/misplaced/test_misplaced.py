"""``cplan bench misplaced``: its worlds, wasted steps, rows and tables."""

from pathlib import Path

import pytest

from commonsense_lab.studies.homes.home_task import HomeTask
from commonsense_lab.studies.misplaced.experiment import STUDY, MisplacedRow, MisplacedSetup, misplaced_episodes
from commonsense_lab.studies.misplaced.wasted import wasted_steps
from commonsense_lab.studies.misplaced.worlds import MisplacedWorld, home_named
from commonsense_planning.pddl.plan import Step
from commonsense_planning.search.pomdp.sensing_macros import MOST_GOALS
from commonsense_planning.support.reading import Text
from commonsense_planning.task import read_task
from lab.tests.report.lines import grids, line, rows_in
from lab.tests.studies.conftest import Bench
from lab.tests.studies.rearrangement.rows import row as any_row
from tests.cli.running import Run
from tests.data import REPOSITORY

PACK = REPOSITORY / "pddl" / "household"


def drawn(share: str, index: int = 1) -> HomeTask:
    return MisplacedWorld("seen", None, index, share, 0, PACK).drawn()


def places(task: HomeTask) -> dict[str, str | None]:
    return {thing.name: thing.place for thing in task.apartment.movables}


def moved(share: str, index: int) -> set[str]:
    home, other = places(drawn("0", index)), places(drawn(share, index))
    return {thing for thing in home if home[thing] != other[thing]}


@pytest.mark.parametrize("index", range(6))
def test_a_greater_share_moves_more_of_the_wanted_things(index: int) -> None:
    task = drawn("0", index)
    kinds = {wish.thing for wish in task.wishes}
    things = [thing for thing in task.apartment.movables if thing.kind in kinds]
    home, wanted = home_named("seen", None)[0], {thing.name for thing in things}
    assert all(thing.place in home.likely(thing.kind) for thing in things), "at first all are where they belong"
    assert moved("0.25", index) <= moved("0.5", index) <= moved("1", index) == wanted
    other = drawn("1", index)
    assert (other.wishes, other.apartment.robot_room) == (task.wishes, task.apartment.robot_room)


@pytest.mark.parametrize("share", ["0", "1"])
def test_no_goal_is_true_at_the_start(share: str) -> None:
    home, _ = home_named("seen", None)
    for index in range(10):
        task = drawn(share, index)
        for wish in task.wishes:
            there = home.pieces[wish.relation, wish.place]
            assert not [m for m in task.apartment.movables if m.kind == wish.thing and m.place in there]


def test_as_many_things_are_wanted_as_the_setup_says() -> None:
    worlds = [MisplacedWorld("seen", None, index, "0.5", 0, PACK, wanted=(3, 5)) for index in range(4)]
    assert [len({wish.thing for wish in world.drawn().wishes}) for world in worlds] == [3, 5, 3, 5]
    ways = [len(world.read(world.drawn()).grounded.goal.pos) for world in worlds]
    assert max(ways) <= MOST_GOALS
    setup = MisplacedSetup(pack=PACK, wanted=(3, 4, 5))
    assert setup.text.endswith(", 3 or 4 or 5 things wanted")


PROBLEM = """(define (problem p) (:domain household)
  (:objects kitchen hall - room fridge - container table shelf - surface apple pear - movable fruit - class)
  (:init (in-room hall) (hand-empty) (located fridge kitchen) (located table kitchen) (located shelf hall)
    (openable fridge) (inside apple fridge) (on pear table) (instance-of apple fruit) (instance-of pear fruit))
  (:goal (on apple shelf)))"""
BRING = (
    "walk-to-room kitchen, walk-to-place fridge kitchen, open-container fridge, grab-from-container apple fridge, "
    "walk-to-room hall, walk-to-place shelf hall, put-on apple shelf"
)
ELSEWHERE = "walk-to-room kitchen, walk-to-room hall, "
PEAR = "walk-to-room kitchen, walk-to-place table kitchen, grab-from-surface pear table, put-on pear table"


@pytest.mark.parametrize(("steps", "wasted"), [
    (BRING, 0),
    (f"{ELSEWHERE}{BRING}", 2),
    (f"walk-to-room kitchen, walk-to-place table kitchen, {BRING.partition(', ')[2]}", 1),
    (f"{BRING}, walk-to-room kitchen", 1),
    (PEAR, 3),
    ("walk-to-room kitchen", 0),
], ids=["straight", "there and back", "stood at the table", "after the end", "the wrong thing", "a look"])  # fmt: skip
def test_steps_that_change_no_result_are_wasted(steps: str, wasted: int) -> None:
    task = read_task(PACK / "domain.pddl", Text(PROBLEM), PACK / "sensors.pddl", PACK / "lexicon.toml")
    plan = [Step(name, tuple(arguments)) for name, *arguments in (step.split() for step in steps.split(", "))]
    assert wasted_steps(*task.seen_in_part, plan) == wasted


def row(variant: str, steps: int, *, solved: bool = True, index: int = 0) -> MisplacedRow:
    about = {"key": f"{variant} {index}", "suite": "misplaced", "task": f"seen-{index:04d}", "method": variant}
    worth = {"share": "1", "steps": steps, "limit": 120, "cheapest": 10, "bound": 10.0, "wasted": 0}
    ended = {"variant": variant, "status": "solved" if solved else "unsolved"}
    return line({**any_row("mcts", "seen", "simple", index, 0), **about, **worth, **ended}).row(MisplacedRow)


def test_a_miss_counts_as_the_limit_and_differences_are_paired() -> None:
    rows = [row("llm-mcts", 20), row("llm-mcts", 40, index=1), row("llm-replan", 25), row("llm-replan", 45, index=1)]
    rows.append(row("uct", 120, solved=False))
    (grid,) = grids(*STUDY.sections("s", rows, "misplaced"))
    cells = {line[1]: line for line in grid.rows}
    assert cells["embedded-MCTS"][6:8] == ("50.0 % [9.5, 90.5]", "3.00"), "one of two in 3 × 10 steps"
    assert cells["embedded replanning"][8] == "+5.0 [+5.0, +5.0]"
    assert cells["UCT"][5:8] == ("0.0 % [0.0, 79.3]", "0.0 % [0.0, 79.3]", "12.00")
    assert not any("LLM" in label for label in cells)


@pytest.mark.parametrize(("share", "variant"), [
    ("1", "look-nearest"),
    ("1", "look-greedy"),
    ("1", "llm-replan"),
    ("least", "look-greedy"),  # where the model expects them least
])  # fmt: skip
def test_misplaced_things_are_found(share: str, variant: str) -> None:
    outcome = misplaced_episodes(MisplacedSetup(pack=PACK), ["unseen"], 1, [share], [variant], 1)[0].run()
    assert outcome.solved and outcome.cheapest == outcome.bound <= outcome.steps <= outcome.limit


def test_least_puts_things_where_the_model_expects_them_least() -> None:
    home, _ = home_named("seen", None)
    task = drawn("0")
    wanted = {wish.thing: home.pieces[wish.relation, wish.place] for wish in task.wishes}
    things = [m for m in task.apartment.movables if m.kind in wanted]
    shunned = next(p.name for p in home.furniture if not any(p.name in (m.place, *wanted[m.kind]) for m in things))
    weights = {m.name: {p.name: float(p.name != shunned) for p in home.furniture} for m in things}
    least = MisplacedWorld("seen", None, 1, "least", 0, PACK).drawn(lambda task: weights)
    assert {places(least)[m.name] for m in things} == {shunned}


def test_rooms_may_be_hidden_and_asking_again_left_out(bench: Bench) -> None:
    only = ("--tasks", 1, "--shares", "0", "--homes", "seen", "--methods", "look-greedy", "--pack", PACK)
    (row,) = bench("misplaced", *only, "--hide-rooms", "--no-ask-again")
    assert row["setup"].endswith("nobody is asked again, rooms of furniture hidden")
    assert row["status"] == "solved"
    assert row["questions"] > 3  # also about furniture


def test_the_command_writes_rows_and_names_the_homes_it_leaves_out(cplan: Run, tmp_path: Path) -> None:
    only = ("--tasks", 1, "--shares", "0", "--methods", "look-nearest", "--pack", PACK)
    ended = cplan("bench", "misplaced", *only, "--workers", 1, "-o", tmp_path)
    assert "VirtualHome's apartments are left out: --scenes names the folder" in ended.out
    assert [(row["home"], row["share"]) for row in rows_in(tmp_path)] == [("seen", "0"), ("unseen", "0")]
