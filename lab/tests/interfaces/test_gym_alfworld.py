"""ALFWorld's games as environments: what is said, by TextWorld's words for a small game of our own, and on real games
that their makers' commands win them."""

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from commonsense_lab.interfaces.gym_alfworld import AlfworldEnv, names_of
from commonsense_lab.interfaces.gym_vector import TaskVectorEnv
from commonsense_planning import InputError, UsageError, register_envs
from commonsense_planning.interfaces.gym import TaskEnv
from tests.data import shared_data

DOMAIN = """\
(define (domain small)
  (:requirements :adl :typing)
  (:types agent location receptacle object rtype otype)
  (:predicates (atLocation ?a - agent ?l - location) (receptacleAtLocation ?r - receptacle ?l - location)
    (objectAtLocation ?o - object ?l - location) (inReceptacle ?o - object ?r - receptacle) (holdsAny ?a - agent)
    (holds ?a - agent ?o - object) (openable ?r - receptacle) (opened ?r - receptacle) (checked ?r - receptacle)
    (isToggled ?o - object) (isHot ?o - object) (isCool ?o - object) (isClean ?o - object) (isSliced ?o - object)
    (isReceptacleObject ?o - object) (inReceptacleObject ?i - object ?o - object) (objectType ?o - object ?t - otype)
    (receptacleType ?r - receptacle ?t - rtype))
  (:action look :parameters (?a - agent ?l - location) :precondition (atLocation ?a ?l) :effect (checked ?l))
  (:action inventory :parameters (?a - agent) :precondition () :effect (checked ?a))
  (:action help :parameters (?a - agent) :precondition () :effect (checked ?a))
  (:action examineReceptacle :parameters (?a - agent ?r - receptacle)
    :precondition (exists (?l - location) (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l))) :effect (checked ?r))
  (:action examineObject :parameters (?a - agent ?o - object)
    :precondition (or (holds ?a ?o) (exists (?l - location, ?r - receptacle)
      (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (inReceptacle ?o ?r))))
    :effect (checked ?o))
  (:action GotoLocation :parameters (?a - agent ?from - location ?to - location ?r - receptacle)
    :precondition (and (atLocation ?a ?from) (receptacleAtLocation ?r ?to))
    :effect (and (not (atLocation ?a ?from)) (atLocation ?a ?to)))
  (:action OpenObject :parameters (?a - agent ?l - location ?r - receptacle)
    :precondition (and (openable ?r) (not (opened ?r)) (atLocation ?a ?l) (receptacleAtLocation ?r ?l))
    :effect (opened ?r))
  (:action PickupObject :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
    :precondition (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (inReceptacle ?o ?r) (not (holdsAny ?a))
      (or (not (openable ?r)) (opened ?r)))
    :effect (and (holds ?a ?o) (holdsAny ?a) (not (inReceptacle ?o ?r)) (not (objectAtLocation ?o ?l))))
  (:action PutObject
    :parameters (?a - agent ?l - location ?o - object ?r - receptacle ?ot - otype ?rt - rtype)
    :precondition (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (holds ?a ?o) (objectType ?o ?ot)
      (receptacleType ?r ?rt)
      (or (not (openable ?r)) (opened ?r)))
    :effect (and (inReceptacle ?o ?r) (objectAtLocation ?o ?l) (not (holds ?a ?o)) (not (holdsAny ?a))))
  (:action HeatObject :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
    :precondition (and (holds ?a ?o) (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (openable ?r))
    :effect (and (isHot ?o) (not (isCool ?o))))
  (:action SliceObject :parameters (?a - agent ?l - location ?o - object ?k - object)
    :precondition (and (holds ?a ?k) (atLocation ?a ?l) (objectAtLocation ?o ?l) (objectType ?k KnifeType))
    :effect (isSliced ?o)))
"""
PROBLEM = """\
(define (problem one)
  (:domain small)
  (:objects agent1 - agent Start Here There - location KnifeType AppleType BowlType - otype TableType - rtype
    Table_bar_1 Table_bar_2 Microwave_bar_1 - receptacle Knife_bar_1 Apple_bar_1 Apple_bar_2 Bowl_bar_1 - object)
  (:init (atLocation agent1 Start) (receptacleAtLocation Table_bar_1 Here) (receptacleAtLocation Table_bar_2 Here)
    (receptacleAtLocation Microwave_bar_1 There) (openable Microwave_bar_1)
    (receptacleType Table_bar_1 TableType) (receptacleType Table_bar_2 TableType)
    (objectType Knife_bar_1 KnifeType) (objectType Apple_bar_1 AppleType) (objectType Apple_bar_2 AppleType)
    (objectType Bowl_bar_1 BowlType) (isReceptacleObject Bowl_bar_1) (inReceptacleObject Knife_bar_1 Bowl_bar_1)
    (inReceptacle Knife_bar_1 Table_bar_1) (objectAtLocation Knife_bar_1 Here)
    (inReceptacle Bowl_bar_1 Table_bar_1) (objectAtLocation Bowl_bar_1 Here)
    (inReceptacle Apple_bar_1 Table_bar_2) (objectAtLocation Apple_bar_1 Here) (isCool Apple_bar_1)
    (inReceptacle Apple_bar_2 Microwave_bar_1) (objectAtLocation Apple_bar_2 There))
  (:goal (and (isHot Apple_bar_1) (isSliced Apple_bar_1) (inReceptacle Apple_bar_1 Table_bar_1))))
"""
GRAMMAR = 'intro "Your task is to: heat an apple." action help { template :: "help"; feedback :: "\nAsk.\n"; }'
AT_THE_TABLES = "On the table 2, you see a bowl 1, and a knife 1."
ONE_COURSE = [
    ("look", "You are in the middle of a room. Looking quickly around you, you see nothing."),
    ("inventory", "You are not carrying anything."),
    ("help", "Ask.\n"),
    ("examine knife 1", "Nothing happens."),
    ("go to table 2", f"You arrive at table 2. {AT_THE_TABLES}"),
    ("go to table 1", "Nothing happens."),  # it is at the same place
    ("examine table 2", AT_THE_TABLES),
    ("examine knife 1", "Nothing happens."),  # what is not in the hand
    ("take apple 2 from table 1", "You pick up the apple 2 from the table 1."),
    ("take knife 1 from table 2", "Nothing happens."),
    ("look", "You are facing the table 2, and table 1. Next to it, you see nothing."),
    ("inventory", "You are carrying: a apple 2."),
    ("examine apple 2", "This is a cold apple 2."),
    (" move apple 2 to table 2 ", "You move the apple 2 to the table 2."),
    ("look", "You are facing the table 2, and table 1. Next to it, you see a apple 2."),
    ("take bowl 1 from table 2", "You pick up the bowl 1 from the table 2."),
    ("examine bowl 1", "This is a normal bowl 1. In it, you see a knife 1."),
    ("move bowl 1 to table 2", "You move the bowl 1 to the table 2."),
    ("take knife 1 from table 2", "You pick up the knife 1 from the table 2."),
    ("examine knife 1", "There's nothing special about knife 1."),
    ("slice apple 2 with knife 1", "You sliced the apple 2 with the knife 1."),
    ("move knife 1 to table 2", "You move the knife 1 to the table 2."),
    ("take apple 2 from table 2", "You pick up the apple 2 from the table 2."),
    ("examine apple 2", "This is a cool sliced apple 2."),
    ("go to microwave 1", "You arrive at microwave 1. The microwave 1 is closed."),
    ("take apple 1 from microwave 1", "Nothing happens."),
    ("open microwave 1", "You open the microwave 1. The microwave 1 is open. In it, you see a apple 1."),
    ("heat apple 2 with microwave 1", "You heat the apple 2 using the microwave 1."),
    ("examine apple 2", "This is a hot sliced apple 2."),
    ("go to table 2", "You arrive at table 2. On the table 2, you see a bowl 1, and a knife 1."),
    ("move apple 2 to table 2", "You move the apple 2 to the table 2."),
]


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    """Gymnasium's checks warn where something is not as it should be."""
    register_envs()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return written(tmp_path)


def written(folder: Path, **changed: Any) -> Path:
    path = folder / "game.tw-pddl"
    path.write_text(json.dumps({"pddl_domain": DOMAIN, "pddl_problem": PROBLEM, "grammar": GRAMMAR} | changed))
    return path


def test_the_texts_are_textworlds(game: Path) -> None:
    env = gymnasium.make("cplan/ALFWorld-v0", game=game)
    said, info = env.reset(seed=0)
    assert said == (
        "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a "
        "microwave 1, a table 2, and a table 1.\n\nYour task is to: heat an apple."
    )
    for command, expected in ONE_COURSE:
        known = info["admissible_commands"]
        said, reward, over, cut, info = env.step(command)
        assert (command, said) == (command, expected)
        assert (command.strip() in known) == (said != "Nothing happens.")
        last = command == ONE_COURSE[-1][0]
        assert (reward, over, cut) == (float(last), last, False)


def test_a_command_without_effect_takes_a_step(game: Path) -> None:
    env = AlfworldEnv(game, step_cost=0.5)
    _, info = env.reset(seed=0)
    for command in ("", "dance", "open microwave 1", "go to start"):
        before = env.world.applicable().tobytes()
        said, reward, _, _, now = env.step(command)
        assert (said, reward, now, env.world.applicable().tobytes()) == ("Nothing happens.", -0.5, info, before)


def test_the_next_game_knows_nothing_of_the_last(game: Path) -> None:
    env = AlfworldEnv(game, action_mask=False)
    first, info = env.reset(seed=0)
    assert info == {}
    for command, _ in ONE_COURSE[4:14]:
        env.step(command)
    assert env.reset()[0] == first
    env.step("go to table 1")
    assert env.step("look")[0].endswith("you see nothing.")


def test_names_count_from_the_end_of_the_alphabet() -> None:
    assert names_of(["mug_bar_1", "sink_bar_2_bar_sinkbasin", "mug_bar_0"]) == {
        "mug_bar_0": "mug 2",
        "mug_bar_1": "mug 1",
        "sink_bar_2_bar_sinkbasin": "sinkbasin 1",
    }


def test_gymnasiums_checker_is_content(game: Path) -> None:
    check_env(AlfworldEnv(game), skip_render_check=True)
    bare = gymnasium.make("cplan/ALFWorld-v0", game=game, text=False)
    assert isinstance(bare.unwrapped, TaskEnv)


def test_the_copies_are_the_single_environment_many_times(game: Path) -> None:
    ours = gymnasium.make_vec("cplan/ALFWorld-v0", 20, game=game)
    theirs = gymnasium.make_vec("cplan/ALFWorld-v0", 20, "sync", game=game, text=False)
    assert isinstance(ours.unwrapped, TaskVectorEnv)
    assert ours.reset(seed=1)[0].tobytes() == theirs.reset(seed=1)[0].tobytes()
    rng = np.random.default_rng(0)
    for _ in range(60):  # beyond the 50 steps of an episode
        actions = ours.unwrapped.draw_actions(rng)
        came, expected = ours.step(actions), theirs.step(actions)
        assert all(a.tobytes() == b.tobytes() for a, b in zip(came[:4], expected[:4], strict=True))
    with pytest.raises(UsageError, match="vectorization_mode='sync'"):
        gymnasium.make_vec("cplan/ALFWorld-v0", 20, game=game, text=True)
    words = gymnasium.make_vec("cplan/ALFWorld-v0", 2, "sync", game=game)
    words.reset(seed=0)
    assert words.step(("look", "inventory"))[0] == (ONE_COURSE[0][1], ONE_COURSE[1][1])


@pytest.mark.parametrize(("changed", "message"), [
    ({"grammar": 3}, "not a game of ALFWorld's: expected string"),
    ({"grammar": ""}, "not a game of ALFWorld's: list index out of range"),
    ({"pddl_problem": PROBLEM.replace("(:init", "(:inti")}, "unknown section ':inti'"),
    ({"pddl_problem": PROBLEM.replace("(atLocation agent1 Start)", "")}, "not a game of ALFWorld's: not enough"),
    ({"pddl_domain": DOMAIN.replace("(:action look", "(:action stare")}, "not a game .*: 'stare' is missing"),
])  # fmt: skip
def test_a_file_that_is_not_a_game_is_refused(changed: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        AlfworldEnv(written(tmp_path, **changed))


@pytest.mark.data
def test_the_makers_commands_win_real_games() -> None:
    for game in sorted(shared_data("alfworld").glob("*/*/*/game.tw-pddl"))[::50]:
        walkthrough = json.loads(game.read_text())["walkthrough"]
        env = AlfworldEnv(game)
        env.reset(seed=0)
        rewards = [env.step(command)[1:3] for command in walkthrough]
        assert rewards == [(0.0, False)] * (len(walkthrough) - 1) + [(1.0, True)]
