"""The Gymnasium environments, by Gymnasium's own checker and vector environment, and by the environment and belief that
every method acts with."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from commonsense_lab.interfaces.gym_vector import TaskVectorEnv
from gymnasium.utils.env_checker import check_env

from commonsense_planning import Belief, Environment, InputError, UsageError, read_task
from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.interfaces.gym import TaskEnv, register_envs
from commonsense_planning.kernels.compiled import unpack
from tests.data import REPOSITORY

HOUSEHOLD = REPOSITORY / "pddl" / "household"
DOMAIN = HOUSEHOLD / "domain.pddl"
APPLE = HOUSEHOLD / "problems" / "small-apple.pddl"


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    """Gymnasium's checks warn where something is not as it should be."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def written(folder: Path, old: str, new: str, problem: Path = APPLE) -> Path:
    """The problem with something changed."""
    text = problem.read_text(encoding="utf-8")
    assert old in text
    changed = folder / f"{len(list(folder.iterdir()))}.pddl"
    changed.write_text(text.replace(old, new), encoding="utf-8")
    return changed


def task_env(problem: Path = APPLE, **kwargs: Any) -> TaskEnv:
    return TaskEnv(DOMAIN, problem, **kwargs)


def number_of(env: TaskEnv | TaskVectorEnv, action: str) -> int:
    return next(o for o in range(env.ground.operator_count) if str(env.ground.step(o)) == action)


def actions(env: TaskEnv, *steps: str) -> list[tuple[float, bool]]:
    """Rewards, and whether the episode is over."""
    came = [env.step(number_of(env, f"({step})")) for step in steps]
    return [(reward, terminated) for _, reward, terminated, *_ in came]


def told(env: TaskEnv, observation: np.ndarray[Any, Any]) -> set[str]:
    return {str(env.ground.fact_step(int(f))) for f in np.flatnonzero(observation[0])}


TO_THE_APPLE = (
    "walk-to-room kitchen",
    "walk-to-place fridge kitchen",
    "open-container fridge",
    "grab-from-container apple_1 fridge",
    "walk-to-place kitchentable kitchen",
    "put-on apple_1 kitchentable",
)


@pytest.mark.parametrize("hidden", ["drawn", "fixed", "shown"])
@pytest.mark.parametrize("action_mask", [True, False])
def test_gymnasiums_checker_is_content(hidden: str, action_mask: bool) -> None:
    env = gymnasium.make(
        "cplan/Task-v0", domain=DOMAIN, problem=APPLE, hidden=hidden, action_mask=action_mask, render_mode="ansi"
    )
    check_env(env.unwrapped)


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


def same(ours: Any, theirs: Any) -> bool:
    """Whether arrays, in dictionaries and tuples, are equal to the byte."""
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours.dtype == theirs.dtype and ours.shape == theirs.shape and ours.tobytes() == theirs.tobytes())


@pytest.mark.parametrize(
    ("ours", "both"),
    [
        ({"threads": 3}, {}),
        ({"copy": False}, {"action_mask": False}),
        ({"copy": False, "threads": 1}, {"hidden": "fixed", "step_cost": 0.25}),
        ({}, {"hidden": "shown"}),
    ],
)
def test_the_copies_are_the_single_environment_many_times(ours: dict[str, Any], both: dict[str, Any]) -> None:
    """Gymnasium's own SyncVectorEnv over single environments, step by step, through the ends of episodes."""
    kwargs = {"domain": DOMAIN, "problem": APPLE, "num_envs": 70, "max_episode_steps": 11, **both}
    vector = gymnasium.make_vec("cplan/Task-v0", **kwargs, **ours)
    sync = gymnasium.make_vec("cplan/Task-v0", vectorization_mode="sync", **kwargs)
    assert isinstance(vector.unwrapped, TaskVectorEnv)
    assert vector.observation_space == sync.observation_space
    assert vector.action_space == sync.action_space
    assert same(vector.reset(seed=7), sync.reset(seed=7))
    rng, ends = np.random.default_rng(0), np.zeros(2, np.int64)
    for _ in range(60):
        chosen = vector.unwrapped.draw_actions(rng)
        chosen[::10] = rng.integers(vector.single_action_space.n, size=7)  # most of them not applicable
        came, expected = vector.step(chosen), sync.step(chosen)
        assert same(came, expected)
        ends += came[2].sum(), came[3].sum()
    assert (ends > 0).all()
    assert same(vector.reset(), sync.reset())
    seeds = list(range(100, 170))
    assert same(vector.reset(seed=seeds), sync.reset(seed=seeds))
    vector.close()
    sync.close()


def test_copies_are_new_at_each_step_unless_one_says_otherwise() -> None:
    for copy in (True, False):
        vector = TaskVectorEnv(2, DOMAIN, APPLE, copy=copy)
        (first, info), (second, *_, later) = vector.reset(seed=1), vector.step([0, 0])
        assert np.shares_memory(first, second) == np.shares_memory(info["action_mask"], later["action_mask"]) != copy
        vector.close()


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
    worlds = APPLE, written(tmp_path, "(inside plate_1 kitchencabinet)", "(inside plate_1 fridge)")
    one, other = (task_env(world, hidden="fixed", render_mode="ansi") for world in worlds)
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


def test_worlds_that_are_drawn_alike_look_alike_in_the_vector_environment() -> None:
    """The hidden half of many drawn worlds differs, what is seen at first does not, but for the toothbrush and the rest
    on the counter in view."""
    vector = TaskVectorEnv(200, DOMAIN, APPLE)
    seen, info = vector.reset(seed=3)
    shown = seen.reshape(200, -1)
    counter = [f for f in range(vector.ground.fact_count) if "bathroomcounter" in str(vector.ground.fact_step(f))]
    nothing = ~seen[:, 0, counter].any(axis=1)
    assert 10 < nothing.sum() < 190
    assert len(np.unique(shown[nothing], axis=0)) == 1
    assert len(np.unique(info["action_mask"][nothing], axis=0)) == 1
    vector.close()


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
    problem = written(
        tmp_path,
        "(inside apple_1 fridge) (inside plate_1 kitchencabinet)",
        "(oneof (inside apple_1 fridge) (inside apple_1 kitchencabinet)) (unknown (on plate_1 kitchentable))",
    )
    no_sensors = tmp_path / "sensors.pddl"
    no_sensors.write_text("(define (sensors household) (:domain household))", encoding="utf-8")
    env = task_env(problem, sensors=no_sensors)
    seen = set()
    for seed in range(50):
        observation, _ = env.reset(seed=seed)
        assert told(env, observation) == {"(in-room bathroom)", "(hand-empty)", "(on toothbrush_1 bathroomcounter)"}
        truth = unpack(env._batch.states[0, : env.compiled.half], env.ground.fact_count)  # what nobody is told
        hidden = np.flatnonzero(truth & env.compiled.sensors.hidden)
        seen.add(frozenset(str(env.ground.fact_step(int(f))) for f in hidden))
    apples, plate = ["(inside apple_1 fridge)", "(inside apple_1 kitchencabinet)"], "(on plate_1 kitchentable)"
    assert seen == {frozenset(world) for apple in apples for world in ([apple], [apple, plate])}


def test_equal_seeds_give_equal_episodes_and_a_reset_without_one_goes_on() -> None:
    streams = []
    for _ in range(2):
        env = TaskEnv(DOMAIN, HOUSEHOLD / "problems" / "demo.pddl")
        streams.append([env.reset(seed=4), *(env.reset() for _ in range(3))])
    assert all(same(*pair) for pair in zip(*streams, strict=True))
    assert len({observation.tobytes() for observation, _ in streams[0]}) == 4


def test_the_goal_is_reached() -> None:
    env = task_env(hidden="fixed", step_cost=0.1, render_mode="ansi")
    env.reset(seed=0)
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
    never_opened = written(tmp_path, goal, f"{goal} (:constraints (always (not (opened fridge))))")
    env = task_env(never_opened, hidden="fixed")
    env.reset(seed=0)
    assert actions(env, *TO_THE_APPLE[:3]) == [(0.0, False), (0.0, False), (0.0, True)]
    never_there = written(tmp_path, goal, f"{goal} (:constraints (always (not (on apple_1 kitchentable))))")
    env = task_env(never_there, hidden="fixed")
    env.reset(seed=0)
    assert actions(env, *TO_THE_APPLE)[-1] == (0.0, True)


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
    env, vector = task_env(), TaskVectorEnv(2, DOMAIN, APPLE)
    env.reset(seed=0)
    vector.reset(seed=0)
    with pytest.raises(gymnasium.error.InvalidAction, match="whole numbers from 0 to 39"):
        env.step(action)
    with pytest.raises(gymnasium.error.InvalidAction, match="2 whole numbers from 0 to 39"):
        vector.step(np.array([0, action]))
    with pytest.raises(gymnasium.error.InvalidAction, match="2 whole numbers from 0 to 39"):
        vector.step(np.array([0]))
    vector.close()


@pytest.mark.parametrize("action", [np.int8(3), np.uint64(3), np.array(3)])
def test_a_whole_number_of_any_width_is_an_action(action: Any) -> None:
    env = task_env(hidden="fixed")
    env.reset(seed=0)
    assert env.step(action)[0].shape == env.observation_space.shape


@pytest.mark.parametrize("make", [task_env, lambda **kwargs: TaskVectorEnv(2, DOMAIN, APPLE, **kwargs)])
def test_costs_and_options_that_mean_nothing_are_refused(make: Callable[..., TaskEnv | TaskVectorEnv]) -> None:
    for cost in (math.nan, math.inf, "x", None, True, [1.0]):
        with pytest.raises(UsageError, match=re.escape(f"step_cost is a finite number, and not {cost!r}")):
            make(step_cost=cost)
    env = make()
    with pytest.raises(UsageError, match="reset has no options, and was given difficulty"):
        env.reset(options={"difficulty": 1})
    env.close()


def test_a_step_before_the_first_reset_is_refused() -> None:
    for env, action in ((task_env(), 0), (TaskVectorEnv(1, DOMAIN, APPLE), [0])):
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(action)  # type: ignore[arg-type]
        env.close()


def test_what_is_asked_for_must_make_sense(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="drawn, fixed, shown, and not 'some'"):
        task_env(hidden="some")
    with pytest.raises(InputError, match="no-such"):
        task_env(tmp_path / "no-such.pddl")
    for count in (0, "x", 1.5, True):
        with pytest.raises(UsageError, match=f"num_envs is a whole number of at least 1, and not {count!r}"):
            TaskVectorEnv(count, DOMAIN, APPLE)  # type: ignore[arg-type]
    for name in ("max_episode_steps", "threads"):
        with pytest.raises(UsageError, match=f"{name} is a whole number of at least 1, and not 'x'"):
            TaskVectorEnv(1, DOMAIN, APPLE, **{name: "x"})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="2 environments and 3 seeds"):
        TaskVectorEnv(2, DOMAIN, APPLE).reset(seed=[1, 2, 3])


def test_what_hangs_together_is_refused(tmp_path: Path) -> None:
    """In a drawn world the apple is in the fridge or the plate is, or both are."""
    both = "(inside apple_1 fridge) (inside plate_1 kitchencabinet)"
    problem = written(tmp_path, both, "(or (inside apple_1 fridge) (inside plate_1 fridge))")
    with pytest.raises(UsageError, match="hidden='shown'"):
        task_env(problem)
    assert task_env(problem, hidden="shown").reset(seed=0)


def test_a_problem_in_which_nothing_can_be_done_is_refused(tmp_path: Path) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text("(define (domain d) (:predicates (p) (q)) (:action a :precondition (q) :effect (p)))")
    problem = tmp_path / "problem.pddl"
    problem.write_text("(define (problem x) (:domain d) (:init) (:goal (not (p))))")
    with pytest.raises(UsageError, match="no action can ever be carried out"):
        TaskEnv(domain, problem)


@pytest.mark.parametrize("domain", ["household", "kitchen", "virtualhome"])
def test_every_pack_has_a_random_walk(domain: str) -> None:
    pack = REPOSITORY / "pddl" / domain
    problem = sorted((pack / "problems").glob("*.pddl"))[0]
    vector = TaskVectorEnv(3, pack / "domain.pddl", problem, max_episode_steps=10)
    vector.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(25):
        observation, *_ = vector.step(vector.draw_actions(rng))
    assert observation in vector.observation_space
    vector.close()


def test_an_interrupt_leaves_no_thread_at_work() -> None:
    vector, seen = TaskVectorEnv(32, "household:demo", threads=2), []

    def work(first: int, last: int) -> None:
        if not first:
            raise KeyboardInterrupt
        time.sleep(0.05)
        seen.append((first, last))

    with pytest.raises(KeyboardInterrupt):
        vector._share(work)
    assert seen == [(16, 32)]
    vector.close()


def test_what_a_thread_raises_is_raised_here() -> None:
    vector = TaskVectorEnv(32, "household:demo", threads=2)

    def work(first: int, last: int) -> None:
        if first:
            raise ValueError(first)

    with pytest.raises(ValueError, match="16"):
        vector._share(work)
    vector.close()


def test_outcomes_come_by_their_chance_and_are_listed_once() -> None:
    env = TaskEnv(HOUSEHOLD / "domain-slips.pddl", APPLE, HOUSEHOLD / "sensors.pddl", hidden="shown")
    opening = [number_of(env, f"(open-container{outcome} fridge)") for outcome in ("", "--2")]
    done = 0
    for seed in range(200):
        env.reset(seed=seed)
        actions(env, "walk-to-room kitchen", "walk-to-place fridge kitchen")
        assert env.applicable().tolist().count(opening[0]) == 1 and opening[1] not in env.applicable()
        observation, *_ = env.step(opening[seed % 2])  # either stands for the action
        done += int(observation[0][env.ground.facts.index(opened_fridge(env))])
    assert 140 <= done <= 180  # 0.8 of 200, and 3.5 standard deviations
    vector = TaskVectorEnv(2, HOUSEHOLD / "domain-slips.pddl", APPLE, HOUSEHOLD / "sensors.pddl", hidden="shown")
    both = gymnasium.vector.SyncVectorEnv([lambda: env] * 1)
    vector.reset(seed=7)
    both.reset(seed=7)
    rng = np.random.default_rng(0)
    for _ in range(60):
        action = rng.choice(np.flatnonzero(vector._batch.masks[0]))
        ours, theirs = vector.step(np.array([action, action])), both.step(np.array([action]))
        assert (ours[0][0] == theirs[0][0]).all()
        if ours[2][0]:
            break


def opened_fridge(env: TaskEnv) -> tuple[str, tuple[int, ...]]:
    return next(fact for n, fact in enumerate(env.ground.facts) if str(env.ground.fact_step(n)) == "(opened fridge)")


def test_sensors_that_err_are_refused() -> None:
    with pytest.raises(UsageError, match="sensors that err are not known here"):
        TaskEnv(HOUSEHOLD / "domain-slips.pddl", APPLE, HOUSEHOLD / "sensors-slips.pddl")
