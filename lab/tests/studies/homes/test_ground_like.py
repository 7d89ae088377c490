"""One grounding for all tasks of a home is as good as each task's own."""

import random
from dataclasses import replace

import numpy as np
import pytest

from commonsense_lab.studies.homes.household import Apartment, Placing, class_goal, render_problem
from commonsense_planning.errors import InputError
from commonsense_planning.grounding.ground_like import ground_like
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import compile_like, compile_task, make_state
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from lab.benchmarks.performance.homes import random_home
from tests.scripted import HOUSEHOLD

DOMAIN = HOUSEHOLD / "domain.pddl"
HOME = random_home(8, 4, 4)


def task_in(home: Apartment, goal: str) -> Task:
    return read_task(DOMAIN, Text(render_problem(home, "rearranged", goal), "rearranged.pddl"))


def rearranged(seed: int) -> Apartment:
    """The home with its things elsewhere, some containers open, and the robot in some room."""
    rng = random.Random(seed)
    places = [piece.name for piece in HOME.furniture]
    things = tuple(replace(thing, place=rng.choice(places)) for thing in HOME.movables)
    furniture = tuple(replace(f, opened=f.openable and rng.random() < 0.3) for f in HOME.furniture)
    return replace(HOME, movables=things, furniture=furniture, robot_room=rng.choice(HOME.rooms))


def goal_in(home: Apartment, seed: int) -> str:
    rng = random.Random(seed)
    kind = rng.choice(home.kinds())
    place = rng.choice([f for f in home.furniture if f.relation is Placing.INSIDE])
    return class_goal(Placing.INSIDE, kind, [place.name])


def disjuncts(task: GroundTask) -> set[tuple[frozenset[str], frozenset[str]]]:
    def named(facts: np.ndarray) -> frozenset[str]:  # type: ignore[type-arg]
        return frozenset(str(task.fact_step(int(f))) for f in facts)

    return {(named(task.goal.pos.row(d)), named(task.goal.neg.row(d))) for d in range(len(task.goal.pos))}


def initial(task: GroundTask) -> set[str]:
    return {str(task.fact_step(int(f))) for f in np.flatnonzero(task.init)}


@pytest.mark.parametrize("seed", range(6))
def test_a_shared_grounding_has_the_init_goal_operators_and_plans_of_a_separate_one(seed: int) -> None:
    first = task_in(rearranged(100), goal_in(HOME, 100))
    home = rearranged(seed)
    own = task_in(home, goal_in(home, seed))
    for base, fresh, like in (
        (first.grounded, own.grounded, replace(own, like=first).grounded),
        (first.seen_in_part[0], own.seen_in_part[0], replace(own, like=first).seen_in_part[0]),
    ):
        assert like.facts == base.facts
        assert initial(like) == initial(fresh)
        assert disjuncts(like) == disjuncts(fresh)
        operators = [{str(t.step(o)) for o in range(t.operator_count)} for t in (like, fresh)]
        assert operators[0] == operators[1]
    ground, compiled = replace(own, like=first).all_seen
    result = BestFirst(compiled).gbfs(make_state(compiled, ground.init))
    assert result.operators is not None
    assert replay(own.problem, ground.plan(result.operators)).verdict is Verdict.VALID


GOALS = [
    "(and)",
    "(and (hand-empty) (not (hand-empty)))",
    "(and (hand-empty) (not (in-room kitchen)))",
    goal_in(HOME, 3),
]


@pytest.mark.parametrize("goal", GOALS)
def test_compiled_like_another_is_compiled_afresh(goal: str) -> None:
    first = task_in(rearranged(100), goal_in(HOME, 100))
    task = task_in(rearranged(2), goal)
    ground, compiled = first.seen_in_part
    target = ground_like(ground, task.problem)
    like, fresh = compile_like(compiled, target), compile_task(target, compiled.sensors)
    assert np.array_equal(like.table, fresh.table)
    reached = [Environment(c, target.init).look().goal_reached for c in (like, fresh)]
    assert reached[0] == reached[1]


def test_another_world_is_refused() -> None:
    first = task_in(HOME, goal_in(HOME, 1)).grounded
    other = random_home(9, 4, 4)
    with pytest.raises(InputError, match=r"rearranged\.pddl: not a task of the same world.*objects"):
        ground_like(first, task_in(other, goal_in(other, 1)).problem)
    moved = replace(HOME, furniture=(replace(HOME.furniture[0], room="bedroom"), *HOME.furniture[1:]))
    with pytest.raises(InputError, match="static facts"):
        ground_like(first, task_in(moved, goal_in(HOME, 1)).problem)
    grid = DOMAIN.parents[1] / "virtualhome"
    strange = read_task(grid / "domain.pddl", next((grid / "problems").glob("*.pddl")))
    with pytest.raises(InputError, match="objects and predicates and action schemas"):
        ground_like(first, strange.problem)
