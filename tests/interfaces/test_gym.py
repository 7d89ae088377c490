"""The Gymnasium environments, by Gymnasium's own checker and vector environment, and by the environment and belief that
every method acts with."""

import math
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from commonsense_planning import Belief, Environment, InputError, UsageError, read_task
from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.interfaces.gym import TaskEnv, register_envs
from commonsense_planning.kernels.compiled import unpack
from tests.data import APPLE_PLAN
from tests.scripted import HOUSEHOLD

DOMAIN = HOUSEHOLD / "domain.pddl"
APPLE = HOUSEHOLD / "problems" / "small-apple.pddl"


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    """Gymnasium's checks warn where something is not as it should be."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def task_env(problem: Path = APPLE, **kwargs: Any) -> TaskEnv:
    return TaskEnv(DOMAIN, problem, **kwargs)


def changed_env(folder: Path, old: str, new: str, **kwargs: Any) -> TaskEnv:
    """That of the problem with something changed."""
    text = APPLE.read_text(encoding="utf-8")
    assert old in text
    (folder / "changed.pddl").write_text(text.replace(old, new), encoding="utf-8")
    return task_env(folder / "changed.pddl", **kwargs)


def begun(env: TaskEnv) -> TaskEnv:
    env.reset(seed=0)
    return env


def number_of(env: Any, action: str) -> int:
    return next(o for o in range(env.ground.operator_count) if str(env.ground.step(o)) == action)


def actions(env: TaskEnv, *steps: str) -> list[tuple[float, bool]]:
    """Rewards, and whether the episode is over."""
    came = [env.step(number_of(env, f"({step})")) for step in steps]
    return [(reward, terminated) for _, reward, terminated, *_ in came]


def told(env: TaskEnv, observation: np.ndarray[Any, Any]) -> set[str]:
    return {str(env.ground.fact_step(int(f))) for f in np.flatnonzero(observation[0])}


BOTH = "(inside apple_1 fridge) (inside plate_1 kitchencabinet)"
TO_THE_APPLE = [line.strip("()") for line in APPLE_PLAN.splitlines()]


@pytest.mark.parametrize("hidden", ["drawn", "fixed", "shown"])
@pytest.mark.parametrize("action_mask", [True, False])
def test_gymnasiums_checker_is_content(hidden: str, action_mask: bool) -> None:
    env = gymnasium.make(
        "cplan/Task-v0", domain=DOMAIN, problem=APPLE, hidden=hidden, action_mask=action_mask, render_mode="ansi"
    )
    check_env(env.unwrapped)


def same(ours: Any, theirs: Any) -> bool:
    """Whether arrays, in dictionaries and tuples, are equal to the byte."""
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours.dtype == theirs.dtype and ours.shape == theirs.shape and ours.tobytes() == theirs.tobytes())


def test_make_finds_the_environments_where_only_their_module_is_named() -> None:
    code = (
        "import gymnasium; print(gymnasium.make('commonsense_planning.interfaces.gym:cplan/Task-v0', "
        f"domain={str(DOMAIN)!r}, problem={str(APPLE)!r}).action_space)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "Discrete(40)\n"


def test_registering_twice_is_as_once() -> None:
    before = dict(gymnasium.registry)
    register_envs()
    assert gymnasium.registry == before


def test_without_gymnasium_its_name_is_said() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import commonsense_planning.interfaces.gym"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "MissingError: Gymnasium is not installed: pip install 'commonsense-planning[gym]'" in ended.stderr


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_world_and_the_knowledge_that_methods_act_with(seed: int) -> None:
    """The environment of episodes and the belief's knowledge, along a random walk of what is applicable."""
    task = read_task(DOMAIN, HOUSEHOLD / "problems" / "plate-dishwasher.pddl")
    ground, compiled = task.seen_in_part
    env = TaskEnv(DOMAIN, HOUSEHOLD / "problems" / "plate-dishwasher.pddl", hidden="fixed")
    world, belief = Environment(compiled, ground.init), Belief(compiled, uniform_prior(compiled.sensors))
    rng, operator, observed = np.random.default_rng(seed), None, world.look()
    seen, info = env.reset(seed=seed)
    for _ in range(100):
        belief.update(operator, observed)
        assert np.array_equal(seen[1], belief.known)
        assert np.array_equal(seen[0], belief.truth & belief.known)
        assert np.flatnonzero(info["action_mask"]).tolist() == env.applicable().tolist()
        operator = int(rng.choice(env.applicable()))
        observed = world.step(operator)
        seen, reward, terminated, _, info = env.step(operator)
        assert (reward, terminated) == (float(observed.goal_reached), observed.goal_reached)
        if terminated:
            return


def test_the_agent_is_not_told_what_it_has_not_seen(tmp_path: Path) -> None:
    """Where the plate is, whether in the cabinet or in the fridge, does not show before one of them is open."""
    settings = {"hidden": "fixed", "render_mode": "ansi"}
    one = task_env(**settings)
    other = changed_env(tmp_path, "(inside plate_1 kitchencabinet)", "(inside plate_1 fridge)", **settings)
    assert same(one.reset(seed=1), other.reset(seed=1))
    blind = ("walk-to-room kitchen", "walk-to-place fridge kitchen", "grab-from-container plate_1 fridge")
    for step in (*blind, "walk-to-place kitchentable kitchen", "walk-to-place fridge kitchen"):
        came = [env.step(number_of(env, f"({step})")) for env in (one, other)]
        assert came[0][0].tobytes() == came[1][0].tobytes()
        assert came[0][1:4] == came[1][1:4]
        assert same(came[0][4], came[1][4])
        assert one.render() == other.render()
    last = [env.step(number_of(env, "(open-container fridge)"))[0] for env in (one, other)]
    assert last[0].tobytes() != last[1].tobytes()


def test_hidden_things_are_drawn_by_the_seed_in_every_place_and_the_goal_never_holds_at_first() -> None:
    env = TaskEnv(DOMAIN, APPLE)
    kitchen = number_of(env, "(walk-to-room kitchen)")
    places: dict[str, int] = {}
    for seed in range(300):
        at_first, _ = env.reset(seed=seed)
        for fact in told(env, at_first) | told(env, env.step(kitchen)[0]):
            places[fact] = places.get(fact, 0) + 1
    assert "(on apple_1 kitchentable)" not in places
    assert 60 < places["(on apple_1 bathroomcounter)"] < 140  # one of three
    for thing in ("plate_1", "toothbrush_1"):  # one of four
        assert 45 < places[f"(on {thing} bathroomcounter)"] < 105
        assert 45 < places[f"(on {thing} kitchentable)"] < 105


def test_what_a_contingent_problem_leaves_open_is_drawn_too(tmp_path: Path) -> None:
    """The apple in one of two places; the plate on the kitchen table, or nowhere."""
    no_sensors = tmp_path / "sensors.pddl"
    no_sensors.write_text("(define (sensors household) (:domain household))", encoding="utf-8")
    unknown = "(oneof (inside apple_1 fridge) (inside apple_1 kitchencabinet)) (unknown (on plate_1 kitchentable))"
    env = changed_env(tmp_path, BOTH, unknown, sensors=no_sensors)
    seen = set()
    for seed in range(50):
        observation, _ = env.reset(seed=seed)
        assert told(env, observation) == {"(in-room bathroom)", "(hand-empty)", "(on toothbrush_1 bathroomcounter)"}
        truth = unpack(env._batch.states[0, : env.compiled.half], env.ground.fact_count)  # which no observation shows
        hidden = np.flatnonzero(truth & env.compiled.sensors.hidden)
        seen.add(frozenset(str(env.ground.fact_step(int(f))) for f in hidden))
    apples, plate = ["(inside apple_1 fridge)", "(inside apple_1 kitchencabinet)"], "(on plate_1 kitchentable)"
    assert seen == {frozenset(world) for apple in apples for world in ([apple], [apple, plate])}


def test_equal_seeds_give_equal_episodes_and_a_reset_without_one_continues_the_stream() -> None:
    streams = []
    for _ in range(2):
        env = TaskEnv(DOMAIN, HOUSEHOLD / "problems" / "demo.pddl")
        streams.append([env.reset(seed=4), *(env.reset() for _ in range(3))])
    assert all(same(*pair) for pair in zip(*streams, strict=True))
    assert len({observation.tobytes() for observation, _ in streams[0]}) == 4


def test_the_goal_is_reached() -> None:
    env = begun(task_env(hidden="fixed", step_cost=0.1, render_mode="ansi"))
    came = actions(env, *TO_THE_APPLE)
    assert came == [(-0.1, False)] * 5 + [(0.9, True)]
    assert env.render() == (
        "step 6: put the apple on the kitchen table\n"
        "  the robot is in the kitchen\n"
        "  the robot is close to the kitchen table\n"
        "  the fridge is open\n"
        "  a toothbrush is on the bathroom counter\n"
        "  an apple is on the kitchen table\n"
        "  the robot's hand is empty"
    )
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_a_violated_constraint_ends_the_episode_without_reward(tmp_path: Path) -> None:
    goal = "(:goal (on apple_1 kitchentable))"
    for never, steps in (("(opened fridge)", 3), ("(on apple_1 kitchentable)", 6)):
        constraint = f"{goal} (:constraints (always (not {never})))"
        env = begun(changed_env(tmp_path, goal, constraint, hidden="fixed"))
        assert actions(env, *TO_THE_APPLE[:steps]) == [(0.0, False)] * (steps - 1) + [(0.0, True)]


def test_what_cannot_be_done_changes_nothing() -> None:
    env = task_env(render_mode="ansi")
    before, info = env.reset(seed=0)
    assert (env.render() or "").startswith("goal: an apple is on the kitchen table\n  the robot is in the bathroom\n")
    after, reward, terminated, truncated, later = env.step(number_of(env, "(open-container fridge)"))
    assert same((before, info), (after, later))
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert (env.render() or "").startswith("step 1: open the fridge (this cannot be done here: nothing has changed)\n")


def test_the_step_limit_truncates() -> None:
    env = gymnasium.make("cplan/Task-v0", max_episode_steps=3, domain=DOMAIN, problem=APPLE)
    env.reset(seed=0)
    assert [env.step(0)[3] for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize("action", [-1, 40, 1.5, 1.0, math.nan, np.float64(1)])
def test_a_number_that_is_no_action_is_refused(action: Any) -> None:
    with pytest.raises(gymnasium.error.InvalidAction, match="whole numbers from 0 to 39"):
        begun(task_env()).step(action)


@pytest.mark.parametrize("action", [np.int8(3), np.uint64(3), np.array(3)])
def test_a_whole_number_of_any_width_is_an_action(action: Any) -> None:
    env = begun(task_env(hidden="fixed"))
    assert env.step(action)[0].shape == env.observation_space.shape


def check_costs_and_options(make: Callable[..., Any]) -> None:
    for cost in (math.nan, math.inf, "x", None, True, [1.0]):
        with pytest.raises(UsageError, match=re.escape(f"step_cost must be a finite number, not {cost!r}")):
            make(step_cost=cost)
    env = make()
    with pytest.raises(UsageError, match="reset has no options, and was given difficulty"):
        env.reset(options={"difficulty": 1})
    env.close()


def test_costs_and_options_that_mean_nothing_are_refused() -> None:
    check_costs_and_options(task_env)


def test_what_is_asked_for_must_make_sense(tmp_path: Path) -> None:
    with pytest.raises(gymnasium.error.ResetNeeded):
        task_env().step(0)
    with pytest.raises(UsageError, match="drawn, fixed, shown, not 'some'"):
        task_env(hidden="some")
    with pytest.raises(InputError, match="no-such"):
        task_env(tmp_path / "no-such.pddl")


def test_what_hangs_together_is_refused(tmp_path: Path) -> None:
    """In a drawn world the apple is in the fridge or the plate is, or both are."""
    one = "(or (inside apple_1 fridge) (inside plate_1 fridge))"
    with pytest.raises(UsageError, match="hidden='shown'"):
        changed_env(tmp_path, BOTH, one)
    assert changed_env(tmp_path, BOTH, one, hidden="shown").reset(seed=0)


def test_a_problem_in_which_nothing_can_be_done_is_refused(tmp_path: Path) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text("(define (domain d) (:predicates (p) (q)) (:action a :precondition (q) :effect (p)))")
    problem = tmp_path / "problem.pddl"
    problem.write_text("(define (problem x) (:domain d) (:init) (:goal (not (p))))")
    with pytest.raises(UsageError, match="no action can ever be carried out"):
        TaskEnv(domain, problem)
    domain.write_text("(define (domain d) (:predicates (p)) (:action a :precondition (and) :effect (and)))")
    problem.write_text("(define (problem x) (:domain d) (:init) (:goal (and)))")
    with pytest.raises(UsageError, match="no fact ever changes, so there is nothing to observe"):
        TaskEnv(domain, problem)


def test_outcomes_come_by_their_chance_and_are_listed_once() -> None:
    env = TaskEnv(HOUSEHOLD / "domain-slips.pddl", APPLE, HOUSEHOLD / "sensors.pddl", hidden="shown")
    opening = [number_of(env, f"(open-container{outcome} fridge)") for outcome in ("", "--2")]
    done = 0
    for seed in range(200):
        env.reset(seed=seed)
        actions(env, "walk-to-room kitchen", "walk-to-place fridge kitchen")
        assert env.applicable().tolist().count(opening[0]) == 1 and opening[1] not in env.applicable()
        observation, *_ = env.step(opening[seed % 2])  # either number means the action
        done += "(opened fridge)" in told(env, observation)
    assert 140 <= done <= 180  # 0.8 of 200, and 3.5 standard deviations


def test_sensors_that_err_are_refused() -> None:
    with pytest.raises(UsageError, match="sensors that err are not supported here"):
        TaskEnv(HOUSEHOLD / "domain-slips.pddl", APPLE, HOUSEHOLD / "sensors-slips.pddl")
