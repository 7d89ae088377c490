"""What is left to do, part by part."""

import numpy as np
import pytest

from commonsense_planning import Observation, Request, Status, method_named, solve
from commonsense_planning.kernels.engine import set_bit
from commonsense_planning.methods.method import Event
from commonsense_planning.methods.simulated import SimulatedEpisode
from commonsense_planning.search.pomdp import sensing_mcts
from commonsense_planning.search.pomdp.goal_parts import MOST_AT_ONCE, MOST_PLACES, GoalParts
from commonsense_planning.search.pomdp.look_order import tour
from commonsense_planning.search.pomdp.macro_mcts import MacroMctsOptions
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.search.pomdp.travel_cost_mcts import TravelCostMcts
from tests.library import library
from tests.scripted import HOUSEHOLD
from tests.scripted import World as Home


def acting(goals: int, places: int, closed: float = 0.5) -> SimulatedEpisode:
    task = library(goals, places, closed, seed=0)
    return SimulatedEpisode(Request(task, method_named("llm-mcts")))


def looks_of(run: SimulatedEpisode) -> SensingMacros:
    return SensingMacros(run.task, run.compiled, run.belief)


def search(sensing: SensingMacros) -> TravelCostMcts:
    return TravelCostMcts(sensing, sensing.belief, MacroMctsOptions(), np.random.default_rng(0))


def slow_tour(sensing: SensingMacros) -> int:
    """The twin: every macro is planned again at every stop."""
    state, steps = sensing.here(), 0
    while macros := [macro for macro in sensing.macros(state) if macro is not None]:
        macro = min(macros, key=lambda macro: len(macro.operators))
        state, steps = macro.end, steps + len(macro.operators)
    return steps


def test_a_part_costs_what_its_own_plan_costs_in_that_world() -> None:
    sensing = looks_of(acting(MOST_AT_ONCE + 1, 10))
    mcts = search(sensing)
    mcts.draw_worlds()
    costs = GoalParts(sensing, 1000.0).of_worlds(mcts.facts)
    assert costs.shape == (len(sensing.goal_facts), len(mcts.facts))
    for world, facts in enumerate(mcts.facts.tolist()):
        state = sensing.with_relevant_known(sensing.here())
        for fact in facts:
            if fact >= 0:
                set_bit(state, fact)
        for part in range(len(sensing.goal_facts)):
            plan = sensing.part(state, part)
            assert plan is not None and costs[part, world] == len(plan)


def test_what_is_done_costs_nothing() -> None:
    sensing = looks_of(acting(MOST_AT_ONCE + 1, 10))
    parts, here = GoalParts(sensing, 1000.0), sensing.here()
    costs = np.arange(1.0, len(sensing.goal_facts) + 1)[:, None]
    assert parts.remaining_cost(costs, here).tolist() == [costs.sum()]
    set_bit(here, int(sensing.goal_facts[2]))
    assert parts.remaining_cost(costs, here).tolist() == [costs.sum() - 3]


def test_a_part_that_needs_what_was_found_is_planned_from_where_that_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Needing two things, of which one was found, it is not out of reach."""
    sensing = looks_of(acting(MOST_AT_ONCE + 1, 10))
    rows = [sensing.compiled.sensors.groups.row(group) for group in sensing.relevant]
    found, sought = [i for i, row in enumerate(rows) if not sensing.belief.truth[row].any()][:2]
    part = next(part for part in range(len(sensing.goal_facts)) if sensing.needs_of_part(part) == [found])
    monkeypatch.setattr(sensing, "needs_of_part", lambda part: [found, sought])
    parts, mcts = GoalParts(sensing, 1000.0), search(sensing)
    sensing.belief.update(None, Observation(((int(rows[found][-1]), True),)))
    mcts.draw_worlds()
    assert (mcts.facts[:, found] == -1).all() and (mcts.facts[:, sought] >= 0).all()
    assert parts.of_worlds(mcts.facts)[part].max() < 1000.0


def test_small_tasks_are_planned_for_as_a_whole() -> None:
    home = Home(HOUSEHOLD / "problems" / "demo.pddl")
    assert not GoalParts.suit(SensingMacros(home.task, home.compiled, home.belief))
    assert GoalParts.suit(looks_of(acting(MOST_AT_ONCE + 1, 10)))
    assert GoalParts.suit(looks_of(acting(5, 100)))
    assert not GoalParts.suit(looks_of(acting(2, MOST_PLACES + 5)))
    assert GoalParts.suit(looks_of(acting(3, MOST_PLACES + 5))), "hardly two worlds share a plan"


def test_a_large_task_is_searched_less_widely() -> None:
    mcts = search(looks_of(acting(MOST_AT_ONCE + 1, 30)))
    assert (mcts.config.simulations, mcts.config.worlds) == (20, 40)
    root = mcts.search()
    assert 0 < root.cost <= root.rollout


def test_a_node_branches_out_to_the_looks_that_are_worth_most(monkeypatch: pytest.MonkeyPatch) -> None:
    def gains(most: int) -> dict[tuple[int, ...], float]:
        monkeypatch.setattr(sensing_mcts, "MOST_BRANCHES", most)
        home = Home(HOUSEHOLD / "problems" / "demo.pddl")
        root = search(SensingMacros(home.task, home.compiled, home.belief)).search()
        return {branch.operators: p for branch, p in zip(root.open_branches, root.policy, strict=True) if branch.rule}

    every, few = gains(32), gains(3)
    assert len(every) > len(few) > 1
    assert {*few} <= {*every}
    assert min(every[plan] for plan in few) >= max(p for plan, p in every.items() if plan not in few)


@pytest.mark.parametrize("name", ["demo", "two-apples", "set-table", "missing-salmon"])
def test_the_tour_is_that_of_its_slow_twin_at_home(name: str) -> None:
    home = Home(HOUSEHOLD / "problems" / f"{name}.pddl")
    sensing = SensingMacros(home.task, home.compiled, home.belief)
    assert tour(sensing) == slow_tour(sensing)


@pytest.mark.parametrize("closed", [0.0, 0.5])
def test_the_tour_is_that_of_its_slow_twin_in_a_library(closed: float) -> None:
    sensing = looks_of(acting(3, 20, closed))
    assert tour(sensing) == slow_tour(sensing) > 0


def test_each_goal_lengthens_the_limit_of_steps() -> None:
    few, more, many = (acting(goals, 20).step_limit(None) for goals in (1, 4, 7))
    assert more - few == many - more > 0


def test_many_goals_are_reached_and_it_is_said_how() -> None:
    task, events = library(MOST_AT_ONCE + 1, 12, 0.5, seed=1), list[Event]()
    solution = solve(Request(task, method_named("llm-mcts"), emit=events.append))
    assert solution.status is Status.SOLVED
    notes = [note for event in events for note in event.get("notes", ())]
    assert any(note.startswith("7 goals and ") and "in 20 simulations and 40 worlds" in note for note in notes), notes
