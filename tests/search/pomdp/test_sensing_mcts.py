"""The search among places to look at."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.config import PolicyAs
from commonsense_planning.errors import LateError, Status
from commonsense_planning.methods.episode import PlanningEpisode
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp import sensing_macros
from commonsense_planning.search.pomdp.agents import MacroAgent, ReplanAgent
from commonsense_planning.search.pomdp.macro_mcts import Branch, MacroMctsOptions
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.search.pomdp.sensing_mcts import SensingMcts, SensingNode, worlds_of
from commonsense_planning.wording.verbalise import Verbaliser
from tests.scripted import HOUSEHOLD, World, small_apple


def search(world: World, seed: int = 0, **options: int) -> SensingMcts:
    sensing = SensingMacros(world.task, world.compiled, world.belief)
    return SensingMcts(sensing, world.belief, MacroMctsOptions(**options), np.random.default_rng(seed))


def agent(world: World, seed: int = 0) -> MacroAgent:
    rng = np.random.default_rng(seed)
    mcts = search(world, seed)
    planner = ReplanAgent(BestFirst(world.compiled), world.belief, rng, Limits(), mcts.unreachable_reason)
    return MacroAgent(mcts, None, planner)


def demo() -> World:
    """Two things to find; the prior is of no use, but not flat."""
    return World(HOUSEHOLD / "problems" / "demo.pddl", lambda g, n: np.random.default_rng(g).random(n))


def nodes(root: SensingNode) -> Iterator[SensingNode]:
    yield root
    for children in root.children.values():
        for child in children.values():
            yield from nodes(child)


def said(world: World, branch: Branch) -> list[str]:
    return [str(world.task.step(o)).strip("()") for o in branch.operators]


def test_values_are_expectations_and_never_worse_than_the_roll_out() -> None:
    root = search(demo()).search()
    tried = 0
    for node in nodes(root):
        assert node.cost <= node.rollout
        for choice, children in node.children.items():
            branch = node.open_branches[choice]
            assert np.isclose(sum(child.weight for child in children.values()), node.weight) or branch.ends
            below = sum(child.weight * child.cost for child in children.values()) / node.weight
            assert np.isclose(node.costs[choice], len(branch.operators) + below)
            tried += 1
    assert tried > 20
    assert root.counts.sum() == 100


def test_more_simulations_see_further() -> None:
    world = demo()
    costs = [search(world, simulations=n).search().cost for n in (1, 10, 100)]
    assert costs[0] > costs[1] > costs[2]


def test_what_the_last_look_shows_is_known_where_no_look_can_be_made_twice() -> None:
    world = World(HOUSEHOLD.parent / "kitchen" / "problems" / "hard-galley-0004.pddl")
    root = search(world, simulations=1).search()
    assert len(search(world).sensing.relevant) == 6
    assert root.rollout < 29 + 6 * 4  # all doors, and a door, a pick, a door and a place for each thing


def test_an_option_ends_where_something_wanted_may_be_seen() -> None:
    world = demo()
    root = search(world).search()
    options = [said(world, branch) for branch in root.open_branches]
    assert ["walk-to-room kitchen"] in options
    assert not any(len(option) > 1 and option[0].startswith("walk-to-room") for option in options)


def test_equal_seeds_give_equal_trees() -> None:
    first, second = (search(demo(), seed=3).search() for _ in range(2))
    assert first.counts.tolist() == second.counts.tolist()
    assert first.costs.tobytes() == second.costs.tobytes()


def test_a_policy_decides_where_nothing_was_tried() -> None:
    world = demo()
    sensing = SensingMacros(world.task, world.compiled, world.belief)
    given = MacroMctsOptions(simulations=1), np.random.default_rng(0)
    one = SensingMcts(sensing, world.belief, *given, policy_as=PolicyAs.PRIOR)

    def advise(branches: object) -> np.ndarray:
        policy = np.zeros(len(branches))  # type: ignore[arg-type]
        policy[-1] = 1.0
        return policy

    root = one.search(advise)
    assert root.counts.tolist() == [0] * (len(root.counts) - 1) + [1]
    assert one.best(root) == len(root.counts) - 1


def test_cheaper_options_are_selected_and_taken_of_equals_by_visits_then_by_the_policy() -> None:
    one = search(demo(), simulations=1)
    root = one.search()
    root.counts[:], root.costs[:], root.policy[:] = 10, 30.0, 1 / len(root.counts)
    root.costs[2] = 15.0
    assert one.select(root) == one.best(root) == 2
    root.costs[2], root.policy[3] = 30.0, 0.5
    assert one.select(root) == one.best(root) == 3
    root.counts[1] = 11
    assert one.best(root) == 1


def test_worlds_are_drawn_by_the_seed() -> None:
    drawn = []
    for seed in (0, 1, 0):
        one = search(demo(), seed, worlds=10)
        one.draw_worlds()
        drawn.append(one.facts.tolist())
    assert drawn[0] == drawn[2] != drawn[1]


def test_where_the_models_policy_is_late_probability_by_cost_stands_in_for_it() -> None:
    def late(branches: object) -> np.ndarray:
        raise LateError("the time is up")

    assert search(demo()).search(late).counts.tolist() == search(demo()).search().counts.tolist()


@pytest.mark.parametrize("count", [50, 10])
def test_worlds_are_listed_or_drawn_as_the_belief_has_them(count: int) -> None:
    rows = [np.array([4, 5, 6], np.int32), np.array([7, 8], np.int32), np.array([9], np.int32)]
    shares = [np.array([0.5, 0.2, 0.3]), np.array([0.9, 0.1]), np.zeros(1)]
    facts, weight = worlds_of(rows, shares, count, np.random.default_rng(0))
    assert len(facts) == (6 if count == 50 else 6)
    assert np.isclose(weight.sum(), 1)
    for column, row, share in zip(facts.T, rows, shares, strict=True):
        for fact, chance in zip(row.tolist(), share.tolist(), strict=True):
            assert np.isclose(weight[column == fact].sum(), chance)
    assert (facts[:, 2] == -1).all()  # nothing is open there


def test_drawn_worlds_have_each_groups_shares() -> None:
    rng = np.random.default_rng(0)
    rows = [np.arange(10, dtype=np.int32), np.arange(10, 20, dtype=np.int32)]
    shares = [rng.dirichlet(np.ones(10)) for _ in rows]
    facts, weight = worlds_of(rows, shares, 50, rng)
    assert facts.shape == (50, 2)
    for column, row, share in zip(facts.T, rows, shares, strict=True):
        drawn = np.array([weight[column == fact].sum() for fact in row.tolist()])
        assert np.abs(drawn - share).max() <= 1 / 50 + 1e-9


def test_the_agent_finds_what_it_looks_for_and_delivers_it() -> None:
    for world in (small_apple(), demo()):
        say = Verbaliser(world.task, world.pack.lexicon)
        episode = PlanningEpisode(world.environment, agent(world), world.belief, say, lambda event: None, list)
        result = episode.run(world.first, 100)
        assert result.status is Status.SOLVED


def test_what_is_nowhere_is_looked_for_everywhere_once() -> None:
    world = World(HOUSEHOLD / "problems" / "missing-salmon.pddl")
    say, events = Verbaliser(world.task, world.pack.lexicon), []
    episode = PlanningEpisode(world.environment, agent(world), world.belief, say, events.append, list)
    result = episode.run(world.first, 300)
    assert result.status is Status.UNSOLVED
    assert "in none of the 29 places" in result.reason
    opened = [event["action"] for event in events if event.get("action", "").startswith("(open")]
    closed = [name for name in world.facts if name.startswith("opened") and not world.belief.truth[world.facts[name]]]
    assert len(opened) == len(set(opened))
    assert not closed


def many(tmp_path: Path, count: int) -> World:
    """So many things in a box are wanted on the table."""
    things = [f"t{i}" for i in range(count)]
    inside = " ".join(f"(inside {thing} box)" for thing in things)
    goal = " ".join(f"(on {thing} table)" for thing in things)
    (tmp_path / "problems").mkdir()
    for name in ("domain.pddl", "sensors.pddl", "lexicon.toml"):
        shutil.copy(HOUSEHOLD / name, tmp_path)
    problem = tmp_path / "problems" / "many.pddl"
    problem.write_text(
        f"""(define (problem many) (:domain household)
        (:objects hall - room box - container table - surface thing - class {" ".join(things)} - movable)
        (:init (in-room hall) (hand-empty) (located box hall) (located table hall) (openable box) {inside})
        (:goal (and {goal})))"""
    )
    return World(problem)


def test_more_things_may_be_wanted_than_there_are_bits_for(tmp_path: Path) -> None:
    root = search(many(tmp_path, 70), simulations=1).search()
    assert [len(branch.operators) for branch in root.open_branches] == [2]  # to the box, and open it


def test_what_there_is_no_bit_for_is_brought_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sensing_macros, "MOST_RELEVANT", 1)
    world = many(tmp_path, 3)
    say = Verbaliser(world.task, world.pack.lexicon)
    episode = PlanningEpisode(world.environment, agent(world), world.belief, say, lambda event: None, list)
    assert episode.run(world.first, 100).status is Status.SOLVED
