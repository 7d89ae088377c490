"""What there is to look at, and plans to it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning import METHODS, BestFirst, Observation, Request, Verdict, read_problem, read_task, solve
from commonsense_planning.grounding.ground_task import Goal, lists_of
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.engine import holds
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.subgoals import SubgoalPlanner
from commonsense_planning.search.pomdp.agents import ReplanAgent
from commonsense_planning.search.pomdp.look_order import LookInOrder, nearness
from commonsense_planning.search.pomdp.sensing_macros import Macro, SensingMacros
from commonsense_planning.validation.replay import replay
from tests.scripted import HIDDEN_ROOMS, HOUSEHOLD, World, small_apple


def looks_of(world: World) -> SensingMacros:
    return SensingMacros(world.task, world.compiled, world.belief)


def actions(world: World, operators: tuple[int, ...]) -> list[str]:
    return [str(world.task.step(o)).strip("()") for o in operators]


def macros(world: World, sensing: SensingMacros, state: State) -> dict[str, Macro]:
    """The macros from a state, by the action that they end with."""
    return {actions(world, macro.operators)[-1]: macro for macro in sensing.macros(state) if macro is not None}


def test_the_looks_of_a_household_are_its_rooms_and_closed_places() -> None:
    world = small_apple()
    sensing = looks_of(world)
    found = macros(world, sensing, sensing.here())
    opened = {"open-container fridge", "open-container kitchencabinet"}
    assert set(found) == {"walk-to-room kitchen"} | opened
    for name in opened:
        assert actions(world, found[name].operators)[0] == "walk-to-room kitchen"


def test_of_two_mugs_one_is_enough() -> None:
    sensing = looks_of(World(HOUSEHOLD / "problems" / "any-mug.pddl"))
    assert len(sensing.relevant) > 1
    assert sorted(sensing.needed.tolist()) == [1 << i for i in range(len(sensing.relevant))]


def test_what_is_seen_on_the_way_is_said_with_the_step() -> None:
    world = World(HOUSEHOLD / "problems" / "demo.pddl")
    sensing = looks_of(world)
    macro = macros(world, sensing, sensing.here())["open-container fridge_1"]
    assert actions(world, macro.operators) == [
        "walk-to-room kitchen",
        "walk-to-place fridge_1 kitchen",
        "open-container fridge_1",
    ]
    assert [after for after, _ in macro.observations] == [1, 3]
    kitchen, fridge = (shown for _, shown in macro.observations)
    assert sensing.class_of[world.facts["on apple_1 kitchencounter_1"]] == kitchen
    assert sensing.class_of[world.facts["inside apple_1 fridge_1"]] == fridge
    seen = world.facts["inside apple_1 fridge_1"] + 64 * world.compiled.half
    assert holds(macro.end, seen) and not holds(sensing.here(), seen)


def test_what_was_looked_at_is_no_longer_there_to_look_at() -> None:
    world = World(HOUSEHOLD / "problems" / "demo.pddl")
    sensing = looks_of(world)
    before = macros(world, sensing, sensing.here())
    world.do("walk-to-room kitchen", "walk-to-place fridge_1 kitchen", "open-container fridge_1")
    after = macros(world, sensing, sensing.here())
    assert set(before) - set(after) == {"walk-to-room kitchen", "open-container fridge_1"}


def test_a_chart_serves_all_states_that_looking_leads_to() -> None:
    world = World(HOUSEHOLD / "problems" / "demo.pddl")
    sensing = looks_of(world)
    first = sensing.travel_costs(sensing.here())
    world.do("walk-to-room bathroom", "walk-to-place bathroomcabinet_1 bathroom", "open-container bathroomcabinet_1")
    assert sensing.travel_costs(sensing.here()) is first
    world.do("walk-to-place bathroomcounter_1 bathroom", "grab-from-surface toothbrush_1 bathroomcounter_1")
    assert sensing.travel_costs(sensing.here()) is not first


def test_what_is_nowhere_is_lost() -> None:
    world = World(HOUSEHOLD / "problems" / "missing-salmon.pddl")
    sensing = looks_of(world)
    assert sensing.unreachable_reason() == ""
    (group,) = sensing.relevant
    members = world.belief.groups.row(group).tolist()
    world.belief.update(None, Observation(readings=tuple((fact, False) for fact in members)))
    assert sensing.unreachable_reason() == f"group {group} is in none of the {len(members)} places"


def test_what_is_in_the_hand_is_not_lost() -> None:
    world = small_apple()
    sensing = looks_of(world)
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    world.do("grab-from-container apple_1 fridge")
    assert sensing.unreachable_reason() == ""


def test_where_parts_have_no_plan_the_planner_gets_the_whole_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Subgoals are planned for with a limit, which tasks of many goals pass."""
    monkeypatch.setattr(SensingMacros, "shorter_plan", lambda self, state: None)
    world = small_apple()
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    world.do("grab-from-container apple_1 fridge")
    sensing = looks_of(world)
    rng, reason = np.random.default_rng(0), sensing.unreachable_reason
    planner = ReplanAgent(BestFirst(world.compiled), world.belief, rng, Limits(), reason)
    agent = LookInOrder(sensing, world.belief, nearness, planner)
    decision = agent.decide()
    assert decision.operator is not None and decision.why["length"] == 2


def test_replanning_takes_a_shorter_plan_as_soon_as_enough_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though nothing is seen that its own plan did not expect."""
    world = small_apple()
    world.do("walk-to-room kitchen")
    sensing = looks_of(world)
    agent = ReplanAgent(
        BestFirst(world.compiled), world.belief, np.random.default_rng(0), Limits(), sensing.unreachable_reason, sensing
    )
    taken: list[dict[str, object]] = []
    shorter: list[bool] = []
    tried, known = sensing.shorter_plan, sensing.is_known_enough
    monkeypatch.setattr(sensing, "shorter_plan", lambda state: shorter.append(known()) or tried(state))
    while not world.belief.transition.reached(world.belief.state()):
        decision = agent.decide()
        taken.append(decision.why)
        agent.observe(decision.operator, world.environment.step(decision.operator))
    assert shorter[-1] and shorter.count(True) == 1
    rest = taken[-int(str(next(why["length"] for why in taken[::-1] if "length" in why))) :]
    assert not rest[0]["planned"] and all(why["planned"] for why in rest[1:])


def test_what_is_taken_for_granted_is_not_known_enough() -> None:
    world = small_home(in_kitchen)
    sensing = looks_of(world)
    assert not sensing.is_known_enough()
    world = small_apple()
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen")
    sensing = looks_of(world)
    assert not sensing.is_known_enough()
    world.do("open-container fridge")
    assert sensing.is_known_enough()


def test_each_aim_has_its_own_plan() -> None:
    world = small_apple()
    task, compiled = world.task, world.compiled
    rooms = [world.facts[name] for name in ("in-room kitchen", "in-room bedroom") if name in world.facts]
    near = [fact for name, fact in world.facts.items() if name.startswith("near ")]
    conditions = [[fact] for fact in rooms + near]
    planner = SubgoalPlanner(task, compiled, Goal(lists_of(conditions), lists_of([] for _ in conditions)))
    state = world.belief.state()
    for _ in range(2):
        for subgoal, (fact,) in enumerate(conditions):
            plan = planner.plan(state, subgoal)
            assert plan is not None and planner.reachable(state, subgoal)
            assert bool(plan) != holds(state, fact)
            assert len(planner.shorter_plan(state, subgoal) or ()) <= len(plan)


@pytest.mark.parametrize("problem", ["demo", "two-apples", "set-table"])
def test_ways_can_be_followed(problem: str) -> None:
    world = World(HOUSEHOLD / "problems" / f"{problem}.pddl")
    sensing = looks_of(world)
    here = sensing.here()
    for macro in sensing.macros(here):
        if macro is not None:
            assert sensing.follow(here, macro.operators) is not None
            assert macro.observations and macro.observations[-1][0] <= len(macro.operators)


def small_home(likely: Callable[[str, str], float] = lambda thing, where: 1.0) -> World:
    """Three things, two rooms, and it is not known which room the furniture is in; ``likely`` weighs that."""
    problem = HOUSEHOLD / "problems" / "small-apple.pddl"
    world = World(problem, sensors=HIDDEN_ROOMS)
    for group in range(len(world.belief.groups)):
        facts = [str(world.task.fact_step(f)).strip("()").split() for f in world.belief.groups.row(group).tolist()]
        world.belief.revise(group, np.array([likely(thing, where) for _, thing, where in facts]))
    return world


def in_kitchen(thing: str, where: str) -> float:
    return 1.0 if where == "kitchen" else 0.1


def test_what_a_look_depends_on_is_assumed_at_its_likeliest_place() -> None:
    world = small_home(in_kitchen)
    sensing = looks_of(world)
    relevant = {str(world.task.fact_step(int(world.belief.groups.row(g)[0]))).split()[1] for g in sensing.relevant}
    assert relevant == {"apple_1", "kitchentable"}  # the cupboard that the apple may be in is not wanted
    macro = macros(world, sensing, sensing.here())["open-container fridge"]
    assert actions(world, macro.operators) == [
        "walk-to-room kitchen",
        "walk-to-place fridge kitchen",
        "open-container fridge",
    ]


SAFES = """(define (domain safes) (:requirements :adl) (:types spot safe item)
  (:predicates (at ?s - spot) (in ?i - item ?b - safe) (stands ?b - safe ?s - spot) (lies ?b - safe ?s - spot)
    (key ?b - safe) (open ?b - safe) (got ?i - item))
  (:action go :parameters (?s - spot) :precondition (not (at ?s))
    :effect (and (forall (?t - spot) (not (at ?t))) (at ?s)))
  (:action take-key :parameters (?b - safe ?s - spot) :precondition (and (at ?s) (lies ?b ?s)) :effect (key ?b))
  (:action unlock :parameters (?b - safe ?s - spot) :precondition (and (at ?s) (stands ?b ?s) (key ?b) (not (open ?b)))
    :effect (open ?b))
  (:action take :parameters (?i - item ?b - safe ?s - spot)
    :precondition (and (at ?s) (stands ?b ?s) (open ?b) (in ?i ?b)) :effect (got ?i)))"""
SAFES_SENSORS = """(define (sensors safes) (:domain safes)
  (:hidden (in ?i - item ?b - safe) (lies ?b - safe ?s - spot) (stands ?b - safe ?s - spot))
  (:exactly-one ?i - item (in ?i ?b - safe)) (:exactly-one ?b - safe (lies ?b ?s - spot))
  (:exactly-one ?b - safe (stands ?b ?s - spot))
  (:sense (lies ?b - safe ?s - spot) :when (at ?s)) (:sense (stands ?b - safe ?s - spot) :when (at ?s))
  (:sense (in ?i - item ?b - safe) :when (open ?b)))"""
SAFES_PROBLEM = """(define (problem p) (:domain safes)
  (:objects a b c d - spot red blue - safe ring - item)
  (:init (at a) (lies red b) (lies blue c) (stands red d) (stands blue b) (in ring {ring})) (:goal (got ring)))"""


def safes(folder: Path, ring: str) -> Path:
    """A ring in one of two safes, at unknown places, with their keys at unknown places."""
    (folder / "problems").mkdir()
    (folder / "domain.pddl").write_text(SAFES)
    (folder / "sensors.pddl").write_text(SAFES_SENSORS)
    problem = folder / "problems" / "problem.pddl"
    problem.write_text(SAFES_PROBLEM.format(ring=ring))
    return problem


def test_a_look_may_depend_on_several_hidden_things(tmp_path: Path) -> None:
    world = World(safes(tmp_path, "red"))
    sensing = looks_of(world)
    names = [str(world.task.fact_step(int(world.belief.groups.row(g)[0]))) for g in sensing.relevant]
    assert names == ["(in ring blue)"]
    found = macros(world, sensing, sensing.here())
    assert len(found) == 2
    for macro in found.values():
        names = [action.split()[0] for action in actions(world, macro.operators)]
        assert names in (["go", "take-key", "go", "unlock"], ["go", "take-key", "unlock"])


def test_what_is_not_where_it_was_taken_to_be_is_a_surprise(tmp_path: Path) -> None:
    world = World(safes(tmp_path, "red"))
    sensing = looks_of(world)
    before = sensing.replanning_trigger()
    world.do("go b")  # there is the key of the red safe, which was taken to be there too
    assert sensing.replanning_trigger() != before
    plans = [actions(world, macro.operators) for macro in macros(world, sensing, sensing.here()).values()]
    assert ["take-key red b", "go c", "unlock red c"] in plans


def test_what_was_assumed_correctly_is_no_surprise(tmp_path: Path) -> None:
    world = World(safes(tmp_path, "red"))
    for group in range(len(world.belief.groups)):
        members = world.belief.groups.row(group)
        world.belief.revise(group, world.task.init[members] + 0.1)
    sensing = looks_of(world)
    before = sensing.replanning_trigger()
    world.do("go b")
    assert sensing.replanning_trigger() == before


@pytest.mark.parametrize("ring", ["red", "blue"])
@pytest.mark.parametrize("method", ["llm-mcts", "look-greedy", "look-nearest"])
def test_searches_find_what_is_behind_what_is_hidden(tmp_path: Path, ring: str, method: str) -> None:
    problem = safes(tmp_path, ring)
    solution = solve(Request(read_task(tmp_path / "domain.pddl", problem), METHODS[method], METHODS[method].Options()))
    assert solution.plan is not None and len(solution.plan) <= 12
    assert replay(read_problem(tmp_path / "domain.pddl", problem), solution.plan).verdict is Verdict.VALID
