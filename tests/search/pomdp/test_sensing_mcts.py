"""The search among places to look at, and among places to look at again."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning import Belief, BestFirst, Environment, Status, Text, read_task
from commonsense_planning.config import PolicyAs
from commonsense_planning.errors import LateError
from commonsense_planning.methods.episode import Actor, PlanningEpisode
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp import sensing_macros
from commonsense_planning.search.pomdp.agents import MacroAgent, ReplanAgent
from commonsense_planning.search.pomdp.lower_bound import LowerBound
from commonsense_planning.search.pomdp.macro_mcts import HOPELESS, Branch, MacroMctsOptions
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.search.pomdp.sensing_mcts import SensingMcts, SensingNode, worlds_of
from commonsense_planning.search.pomdp.travel_cost_mcts import TravelCostMcts
from commonsense_planning.wording.verbalise import Verbaliser
from tests.scripted import HOUSEHOLD, World


def search(world: World, seed: int = 0, **options: int) -> SensingMcts:
    sensing = SensingMacros(world.task, world.compiled, world.belief)
    kind = SensingMcts if SensingMcts.suits(sensing) else TravelCostMcts
    return kind(sensing, world.belief, MacroMctsOptions(**options), np.random.default_rng(seed))


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
            assert np.isclose(node.values[choice], len(branch.operators) + below)
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


def test_a_policy_decides_where_nothing_was_tried() -> None:
    world = demo()
    sensing = SensingMacros(world.task, world.compiled, world.belief)
    given = MacroMctsOptions(simulations=1), np.random.default_rng(0)
    one = TravelCostMcts(sensing, world.belief, *given, policy_as=PolicyAs.PRIOR)

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
    root.counts[:], root.values[:], root.policy[:] = 10, 30.0, 1 / len(root.counts)
    root.values[2] = 15.0
    assert one.select(root) == one.best(root) == 2
    root.values[2], root.policy[3] = 30.0, 0.5
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


def test_where_the_models_policy_is_late_probability_by_cost_replaces_it() -> None:
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


def test_what_is_nowhere_is_looked_for_everywhere_once() -> None:
    world = World(HOUSEHOLD / "problems" / "missing-salmon.pddl")
    say, events = Verbaliser(world.task, world.pack.lexicon), []
    episode = PlanningEpisode(world.environment, Actor(agent(world), world.belief, say, events.append, list))
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
    episode = PlanningEpisode(world.environment, Actor(agent(world), world.belief, say, lambda event: None, list))
    assert episode.run(world.first, 100).status is Status.SOLVED


LIBRARY = """(define (domain library) (:requirements :typing :negative-preconditions)
 (:types cell book place hand)
 (:predicates (at ?c - cell) (way ?a ?b - cell) (stands ?p - place ?c - cell) (shut ?p - place)
   (in ?b - book ?p - place) (holding ?b - book ?h - hand) (free ?h - hand))
 (:action walk :parameters (?a ?b - cell) :precondition (and (at ?a) (way ?a ?b)) :effect (and (not (at ?a)) (at ?b)))
 (:action open :parameters (?p - place ?c - cell ?h - hand)
   :precondition (and (at ?c) (stands ?p ?c) (shut ?p) (free ?h)) :effect (not (shut ?p)))
 (:action take :parameters (?b - book ?p - place ?c - cell ?h - hand)
   :precondition (and (at ?c) (stands ?p ?c) (not (shut ?p)) (in ?b ?p) (free ?h))
   :effect (and (holding ?b ?h) (not (free ?h)) (not (in ?b ?p))))
 (:action put :parameters (?b - book ?p - place ?c - cell ?h - hand)
   :precondition (and (at ?c) (stands ?p ?c) (not (shut ?p)) (holding ?b ?h))
   :effect (and (in ?b ?p) (free ?h) (not (holding ?b ?h)))))
"""
LIBRARY_SENSORS = """(define (sensors library) (:domain library)
 (:hidden (in ?b - book ?p - place)) (:exactly-one ?b - book (in ?b ?p - place))
 (:sense (in ?b - book ?p - place) :when (exists (?c - cell) (and (at ?c) (stands ?p ?c) (not (shut ?p))))))
"""


def library(tmp_path: Path, hands: int) -> World:
    """A row of four cells. An atlas, seen at the robot's end, is wanted at the other; a map is wanted at the robot's
    end, and is in one of the two drawers between."""
    ways = "".join(f"(way c{a} c{b}) (way c{b} c{a}) " for a, b in ((0, 1), (1, 2), (2, 3)))
    stands = " ".join(f"(stands p{c} c{c})" for c in range(4))
    free = " ".join(f"(free h{hand})" for hand in range(hands))
    (tmp_path / "problems").mkdir()
    (tmp_path / "domain.pddl").write_text(LIBRARY)
    (tmp_path / "sensors.pddl").write_text(LIBRARY_SENSORS)
    problem = tmp_path / "problems" / "books.pddl"
    problem.write_text(
        f"""(define (problem books) (:domain library)
        (:objects c0 c1 c2 c3 - cell atlas map - book p0 p1 p2 p3 - place h0 h1 - hand)
        (:init (at c0) {ways} {stands} (shut p1) (shut p2) {free} (in atlas p0) (in map p2))
        (:goal (and (in atlas p3) (in map p0))))"""
    )
    return World(problem, lambda group, count: np.array([float(f in (1, 2)) for f in range(count)]))


def test_what_is_put_down_on_the_way_is_where_it_is_put(tmp_path: Path) -> None:
    world = library(tmp_path, hands=1)
    world.do("take atlas p0 c0 h0")  # a drawer cannot be opened with it in the hand
    assert max(node.rollout for node in nodes(search(world).search())) < 40


def test_with_two_hands_a_thing_is_taken_along_while_looking(tmp_path: Path) -> None:
    world = library(tmp_path, hands=2)
    mcts = search(world)
    root = mcts.search()
    best = said(world, root.open_branches[mcts.best(root)])
    assert len(best) == 1 and best[0].startswith("take atlas p0 c0")
    assert root.cost == pytest.approx(11)  # 10 or 12, as the map is in the one drawer or the other
    bound, settled = LowerBound(world.task, HOPELESS).of(possible := mcts.possible(root))
    assert possible.complete and settled and bound is not None and 0 < bound <= root.cost


MISS = 0.3
LOOKS = 6  # at a table, of which the dynamic program keeps count
FOLDER = Path(__file__).parent / "search_regret"


def least_steps(near: float, distance: int) -> tuple[float, float]:
    """Expected steps from a table where a look showed nothing, and the thing was there with probability
    ``near`` before that look: if it is tried to take it at once, and if one goes to the other table first. Value
    iteration over (table, looks that showed nothing at the one and at the other)."""
    weights = np.array([near, 1 - near])
    least = np.full((2, LOOKS + 1, LOOKS + 1), 1000.0)
    for _ in range(200):
        for at in (0, 1):
            for looks in np.ndindex(LOOKS + 1, LOOKS + 1):
                least[(at, *looks)] = min(_steps(weights, distance, least, at, looks))
    return _steps(weights, distance, least, 0, (1, 0))


def _steps(
    weights: np.ndarray, distance: int, least: np.ndarray, at: int, looks: tuple[int, ...]
) -> tuple[float, float]:
    left = weights * MISS ** np.array(looks)
    there = left[1 - at] / left.sum()
    again = list(looks)
    again[1 - at] = min(LOOKS, again[1 - at] + 1)
    seen = there * (1 - MISS)
    return 1 + there * (distance + 1), distance + seen * 1 + (1 - seen) * float(least[(1 - at, *again)])


def second_look_search(folder: Path, near: float, distance: int, start: str) -> tuple[str, float]:
    """The first action of the search among sensing macros after a look that shows nothing, and what it expects."""
    cells = ["hub", *(f"cell_{i}" for i in range(distance + 1))]
    ways = "".join(f"(way {a} {b}) (way {b} {a}) " for a, b in zip(cells, cells[1:], strict=False))
    tables = "".join(f"(stands {t} {c}) (in-view {t} {c}) " for t, c in (("near", cells[1]), ("far", cells[-1])))
    file = folder / "problem.pddl"
    file.write_text(
        f"(define (problem two) (:domain search) (:objects thing - item near far - table {' '.join(cells)} - cell)"
        f" (:init (at {start}) {ways} {tables} (on thing far)) (:goal (holding thing)))",
        encoding="utf-8",
    )
    sensors = folder / "sensors.pddl"
    text = (FOLDER / "sensors.pddl").read_text(encoding="utf-8").rstrip().removesuffix(")")
    sensors.write_text(f"{text} (:miss {MISS}) (:false-alarm 0))", encoding="utf-8")
    task, compiled = read_task(FOLDER / "domain.pddl", file, sensors).seen_in_part
    members = [str(task.fact_step(int(fact))) for fact in compiled.sensors.groups.row(0)]
    belief = Belief(compiled, [np.array([near if "near" in member else 1 - near for member in members])])
    belief.update(None, Environment(compiled, task.init).look())
    macros = SensingMacros(task, compiled, belief)
    root = TravelCostMcts(
        macros, belief, MacroMctsOptions(simulations=300, worlds=500), np.random.default_rng(0)
    ).search()
    best = int(np.argmin(np.where(root.counts > 0, root.values, np.inf)))
    return str(task.step(root.open_branches[best].operators[0])).strip("()"), float(root.values[best])


@pytest.mark.parametrize(("near", "distance"), [(0.2, 1), (0.2, 3), (0.5, 2), (0.5, 4), (0.8, 1), (0.8, 4), (0.9, 2)])
def test_a_second_look_is_taken_when_it_is_best(tmp_path: Path, near: float, distance: int) -> None:
    again, elsewhere = least_steps(near, distance)
    action, expected = second_look_search(tmp_path, near, distance, "cell_0")
    if near <= 0.5:  # what is likelier than not, after that look, counts as known, and then costs nothing to find out
        assert expected == pytest.approx(min(again, elsewhere), rel=0.06)
    assert action == ("take-from-table thing near cell_0" if again < elsewhere else "walk cell_0 cell_1")


def test_nothing_is_tried_before_the_first_look(tmp_path: Path) -> None:
    assert second_look_search(tmp_path, 0.9, 4, "hub")[0] == "walk hub cell_0"


TWO_ALIKE = """(define (domain alike) (:requirements :adl) (:types pillow place)
  (:predicates (in ?t - pillow ?p - place) (at ?p - place) (held ?t - pillow) (free))
  (:action go :parameters (?a ?b - place) :precondition (at ?a) :effect (and (not (at ?a)) (at ?b)))
  (:action take :parameters (?t - pillow ?p - place) :precondition (and (at ?p) (in ?t ?p) (free))
    :effect (and (not (in ?t ?p)) (not (free)) (held ?t)))
  (:action put :parameters (?t - pillow ?p - place) :precondition (and (at ?p) (held ?t))
    :effect (and (not (held ?t)) (free) (in ?t ?p))))"""
TWO_ALIKE_SEEN = """(define (sensors alike) (:domain alike) (:hidden (in ?t - pillow ?p - place))
  (:exactly-one ?t - pillow (in ?t ?p - place)) (:sense (in ?t - pillow ?p - place) :when (at ?p)))"""


def test_any_two_of_a_kind_are_looked_for_where_they_are_likely() -> None:
    shelves = " ".join(f"shelf{i}" for i in range(9)) + " - place"
    problem = f"""(define (problem p) (:domain alike) (:objects one two - pillow door chair stool sofa {shelves})
      (:init (at door) (free) (in one sofa) (in two sofa)) (:goal (exists (?t ?u - pillow ?p - place)
        (and (not (= ?t ?u)) (or (= ?p chair) (= ?p stool)) (in ?t ?p) (in ?u ?p)))))"""
    task = read_task(Text(TWO_ALIKE), Text(problem), Text(TWO_ALIKE_SEEN))
    likely = World(task)
    rows = [likely.believed(g) for g in (0, 1)]
    world = World(task, lambda g, n: np.array([0.9 if "sofa" in name else 0.01 for name in rows[g]]))
    mcts = search(world)
    root = mcts.search()
    assert said(world, root.open_branches[mcts.best(root)]) == ["go door sofa"]
