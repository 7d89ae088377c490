"""The prior that a language model gives, at first and when it is asked again, and the initial belief that is shown."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning import Task, Text, read_task
from commonsense_planning.config import ModelConfig
from commonsense_planning.elicitation.initial_belief import InitialBelief, initial_belief
from commonsense_planning.elicitation.prior import (
    AskedPrior,
    already_there,
    model_prior,
    not_yet,
    placement_questions,
    uniform_prior,
)
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.simulated import SimulatedEpisode
from commonsense_planning.pomdp.belief import FLOOR
from commonsense_planning.pomdp.relevance import Relevance
from commonsense_planning.wording.questions import Alternatives, Placement, PlacementAgain, Question
from tests.scripted import HIDDEN_ROOMS, HOUSEHOLD, ScriptedModel, World, small_apple
from tests.shelves import warehouse

SMALL = HOUSEHOLD / "problems" / "small-apple.pddl"
WANTED = "(on apple_1 kitchentable)"


def priors(world: World, model: ScriptedModel, samples: int) -> list[dict[str, float]]:
    weights = model_prior(world.compiled.sensors, world.say, model, samples)
    return [dict(zip(world.believed(g), w.tolist(), strict=True)) for g, w in enumerate(weights)]


def test_answers_are_counted_and_what_was_never_said_gets_the_floor() -> None:
    def script(question: Question) -> list[str]:
        assert isinstance(question, Placement)
        if question.thing != "apple":
            return []
        return ["Inside the fridge."] * 6 + ["on the kitchen table"] * 2 + ["who could say", "???"]

    apple, plate, _ = priors(small_apple(), ScriptedModel(script), 10)
    total = 0.75 + 0.25 + 2 * FLOOR
    assert apple == pytest.approx(
        {
            "inside apple_1 fridge": 0.75 / total,
            "inside apple_1 kitchencabinet": FLOOR / total,
            "on apple_1 bathroomcounter": FLOOR / total,
            "on apple_1 kitchentable": 0.25 / total,
        }
    )
    assert set(plate.values()) == {0.25}  # no answer at all: uniform


def test_places_that_numbers_tell_apart_are_answers_of_their_own(tmp_path: Path) -> None:
    world = World(read_task(*warehouse(tmp_path)))
    asked = placement_questions(world.compiled.sensors, world.say, [0, 1])
    assert [q.thing for q in asked] == ["drill 1", "drill 2"]
    assert set(asked[0].places) == {"stored s1", "stored s-1", "stored s2", "stored s3"}
    model = ScriptedModel(lambda q: ["stored s3"] * 10)
    assert priors(world, model, 10)[0]["stored drill_1 s3"] > 0.99


def test_at_most_the_asked_number_of_samples_counts() -> None:
    asked: list[int] = []

    class Counting(ScriptedModel):
        def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
            asked.append(n)
            return super().ask(questions, n)

    priors(small_apple(), Counting(lambda q: []), 17)
    assert set(asked) == {17}


@pytest.fixture
def twins(tmp_path: Path) -> World:
    """Two apples; two cabinets of one name."""
    text = SMALL.read_text()
    for old, new in (
        ("fridge kitchencabinet - container", "fridge kitchencabinet_1 kitchencabinet_2 - container"),
        ("(located kitchencabinet kitchen)", "(located kitchencabinet_1 kitchen) (located kitchencabinet_2 kitchen)"),
        ("(openable kitchencabinet)", "(openable kitchencabinet_1) (openable kitchencabinet_2)"),
        ("(inside plate_1 kitchencabinet)", "(inside plate_1 kitchencabinet_1) (inside apple_2 fridge)"),
        ("apple_1 plate_1 toothbrush_1 - movable", "apple_1 apple_2 plate_1 toothbrush_1 - movable"),
    ):
        assert old in text
        text = text.replace(old, new)
    problem = tmp_path / "twins.pddl"
    problem.write_text(text)
    return World(read_task(HOUSEHOLD / "domain.pddl", problem))


def test_places_of_one_name_share_the_mass_and_things_of_one_name_one_question(twins: World) -> None:
    model = ScriptedModel(lambda q: ["inside kitchen cabinet"] * 3 + ["inside fridge"])
    apple, second, *_ = priors(twins, model, 4)
    questions = [q for q in model.asked if isinstance(q, Placement)]
    assert sorted(q.thing for q in questions) == ["apple", "plate", "toothbrush"]
    assert all(len(set(q.places)) == len(q.places) == 4 for q in questions)
    total = 1 + 2 * FLOOR
    assert apple["inside apple_1 kitchencabinet_1"] == apple["inside apple_1 kitchencabinet_2"]
    assert apple["inside apple_1 kitchencabinet_1"] == pytest.approx(0.375 / total)
    assert apple["inside apple_1 fridge"] == pytest.approx(0.25 / total)
    assert list(second.values()) == list(apple.values())


def test_a_uniform_prior_is_uniform() -> None:
    sensors = small_apple().compiled.sensors
    assert all(len(np.unique(w)) == 1 for w in uniform_prior(sensors))
    assert [len(w) for w in uniform_prior(sensors)] == [4, 4, 4]


def test_the_alternatives_of_what_hangs_together_are_weighed() -> None:
    domain = Text(
        "(define (domain d) (:predicates (ill ?x) (spots) (well))"
        "(:action look :observe (spots)) (:action treat :parameters (?x) :precondition (ill ?x) :effect (well)))"
    )
    problem = Text(
        "(define (problem p) (:domain d) (:objects flu pox) (:goal (well))"
        "(:init (oneof (ill flu) (ill pox)) (or (not (spots)) (ill pox)) (or (spots) (not (ill pox)))))"
    )
    world = World(read_task(domain, problem))
    model = ScriptedModel(lambda question: [question.options[0]] * 3 + [question.options[1]])
    attentive(world, model, again=False, samples=4).update(world.belief)
    assert model.asked == [Alternatives(("ill flu", "ill pox"))], "once"
    chances = world.belief.probabilities()
    assert chances[world.facts["ill pox"]] == chances[world.facts["spots"]] == pytest.approx(0.25)


def attentive(
    world: World,
    model: ScriptedModel,
    again: bool = True,
    note: Callable[[str], object] = str,
    samples: int = 10,
    most: float = 1.0,
) -> AskedPrior:
    """Whose initial belief the model has given."""
    there = already_there(world.task, world.compiled.sensors, world.say) & (most < 1)
    prior = AskedPrior(Relevance(world.task, world.compiled), world.say, model, samples, again, there, most, note)
    prior.update(world.belief)
    return prior


def test_the_model_is_asked_about_what_matters_and_once() -> None:
    world, model = small_apple(), ScriptedModel(lambda q: ["inside fridge"] * 10)
    prior = attentive(world, model)
    assert [q.about for q in model.asked] == ["where the apple may be"]  # not the plate, nor the toothbrush
    assert world.believed(0)["inside apple_1 fridge"] > 0.99
    world.do("walk-to-room kitchen")
    prior.update(world.belief)
    assert len(model.asked) == 1  # it is not on the table, which was not expected


def test_without_asking_again_there_is_one_question() -> None:
    world, model = small_apple(), ScriptedModel(lambda q: ["on kitchen table"])
    prior = attentive(world, model, again=False)
    world.do("walk-to-room kitchen")
    prior.update(world.belief)
    assert [type(q) for q in model.asked] == [Placement]


def test_the_second_question_says_what_was_seen_where() -> None:
    world, notes = small_apple(), list[str]()
    model = ScriptedModel(lambda q: ["on bathroom counter", "on kitchen table"])
    prior = attentive(world, model, note=notes.append)
    world.do("walk-to-room kitchen")  # and it is neither there nor where the agent woke up
    prior.update(world.belief)
    question = model.asked[-1]
    assert isinstance(question, PlacementAgain)
    assert question.thing == "apple"
    assert question.places == ("inside fridge", "inside kitchen cabinet")
    assert dict(question.seen)["on bathroom counter"] == ("toothbrush",)
    assert notes == [
        "apple: not found where it is likely; the model is asked again",
        "no usable answer to where else the apple may be: all places are taken as equally likely",
    ]
    prior.update(world.belief)
    assert len(model.asked) == 2  # not again before anything is new


def test_its_second_answer_counts_for_places_not_yet_looked_at() -> None:
    world = small_apple()
    answers = {Placement: "on kitchen table", PlacementAgain: "inside kitchen cabinet"}
    prior = attentive(world, ScriptedModel(lambda q: [answers[type(q)]]))
    world.do("walk-to-room kitchen")
    assert world.believed(0)["inside apple_1 fridge"] == pytest.approx(0.5)
    revisions = world.belief.revisions
    prior.update(world.belief)
    assert world.belief.revisions == revisions + 1
    assert world.believed(0)["inside apple_1 fridge"] == pytest.approx(FLOOR / (1 + FLOOR))
    assert world.believed(0)["on apple_1 kitchentable"] == 0


@pytest.mark.parametrize(("elsewhere", "asked"), [(1, 2), (2, 1)])
def test_it_is_asked_again_where_less_than_a_tenth_of_the_weight_is_left(elsewhere: int, asked: int) -> None:
    """So many answers of 20 name the fridge, the others the table, which is seen to be empty."""
    world = small_apple()
    model = ScriptedModel(lambda q: ["on kitchen table"] * (20 - elsewhere) + ["inside fridge"] * elsewhere)
    prior = attentive(world, model, samples=20)
    world.do("walk-to-room kitchen")
    prior.update(world.belief)
    assert len(model.asked) == asked


def test_a_prior_that_comes_later_is_as_good_as_one_that_was_there() -> None:
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    early, late = small_apple(lambda g, n: weights), small_apple()
    for world in (early, late):
        world.do("walk-to-room kitchen")
    late.belief.revise(0, weights)
    assert late.believed(0) == pytest.approx(early.believed(0))
    assert late.belief.weight_left()[0] == pytest.approx(early.belief.weight_left()[0])


def test_of_the_rooms_of_furniture_those_are_asked_for_that_matter_next() -> None:
    world = World(HOUSEHOLD / "problems" / "demo.pddl", sensors=HIDDEN_ROOMS)
    places = {"apple": "inside fridge", "toothbrush": "on bathroom counter"}
    model = ScriptedModel(lambda q: [places.get(q.thing, "inside bedroom")] if isinstance(q, Placement) else [])
    attentive(world, model)
    asked = [q.thing for q in model.asked if isinstance(q, Placement)]
    assert set(asked[:4]) == {"fridge", "bathroom cabinet", "apple", "toothbrush"}  # of the goal
    assert asked[4:] == ["bathroom counter"]  # where else one of them may be
    bedroom, *others = (question for question in model.asked if question.about == "where the fridge may be")
    assert isinstance(bedroom, Placement) and not others
    assert bedroom.places == ("inside bathroom", "inside bedroom", "inside kitchen", "inside living room")


def fridge_twice_in_three(question: Question) -> Sequence[str]:
    assert isinstance(question, Placement)
    return ["fridge", "fridge", "bathroom counter"] if question.thing == "apple" else []


def look(problem: Path, sensors: Text | None = None) -> InitialBelief:
    task = read_task(HOUSEHOLD / "domain.pddl", problem, sensors)
    model = ScriptedModel(fridge_twice_in_three)
    return initial_belief(task.problem, task.sensors, task.contingent, task.lexicon, lambda scene: model, 3)


def test_what_is_in_sight_is_settled_and_what_is_not_there_ruled_out() -> None:
    seen = look(SMALL)
    assert [thing.name for thing in seen.things] == ["apple", "plate"]
    assert (seen.known, seen.unplaced, seen.independent) == (1, 0, 0)  # the toothbrush is in the initial observation
    apple = seen.things[0]
    assert apple.objects == ("apple_1",)
    assert apple.places == ("inside fridge", "inside kitchen cabinet", "on kitchen table")
    assert apple.facts[apple.truth] == "(inside apple_1 fridge)"
    # The bathroom counter is in sight and empty: its third of the answers is gone.
    total = 2 / 3 + 2 * FLOOR
    assert apple.believed == pytest.approx([2 / 3 / total, FLOOR / total, FLOOR / total])
    assert any("where the plate may be" in note for note in seen.notes)


def test_a_thing_in_no_place_is_left_out(tmp_path: Path) -> None:
    problem = tmp_path / "problem.pddl"
    problem.write_text(SMALL.read_text().replace("(inside plate_1 kitchencabinet)", ""))
    seen = look(problem)
    assert [thing.name for thing in seen.things] == ["apple"]
    assert (seen.known, seen.unplaced) == (1, 1)


def test_hidden_facts_outside_of_groups_are_counted() -> None:
    text = (HOUSEHOLD / "sensors.pddl").read_text()
    start, end = text.index("(:exactly-one"), text.index("(:sense")
    seen = look(SMALL, Text(text[:start] + text[end:]))
    assert (seen.things, seen.known, seen.unplaced, seen.independent) == ((), 0, 0, 12)


KEEPING = """(define (domain keeping)
  (:requirements :adl) (:types thing place)
  (:predicates (in ?t - thing ?p - place) (at ?p - place) (hot ?t - thing) (clean ?t - thing))
  (:constants box fridge table - place)
  (:action go :parameters (?a ?b - place) :precondition (at ?a) :effect (and (not (at ?a)) (at ?b)))
  (:action heat :parameters (?t - thing) :effect (hot ?t))
  (:action move :parameters (?t - thing ?a ?b - place) :precondition (and (at ?a) (in ?t ?a))
    :effect (and (not (in ?t ?a)) (in ?t ?b))))"""
KEEPING_SEEN = """(define (sensors keeping) (:domain keeping) (:hidden (in ?t - thing ?p - place))
  (:exactly-one ?t - thing (in ?t ?p - place)) (:sense (in ?t - thing ?p - place) :when (at ?p)))"""


def keeping(goal: str) -> Task:
    """An apple and a pear are in the box, the fridge or on the table, and the pear is clean."""
    problem = f"""(define (problem p) (:domain keeping) (:objects apple pear - thing)
      (:init (at table) (in apple box) (in pear fridge) (clean pear)) (:goal {goal}))"""
    return read_task(Text(KEEPING), Text(problem), Text(KEEPING_SEEN))


@pytest.mark.parametrize(
    ("goal", "there"),
    [
        ("(in apple fridge)", ["apple fridge"]),
        ("(and (in apple fridge) (in pear box))", ["apple fridge", "pear box"]),
        ("(or (in apple fridge) (in apple table))", ["apple fridge", "apple table"]),
        ("(exists (?t - thing) (in ?t fridge))", ["apple fridge", "pear fridge"]),
        ("(not (in apple fridge))", []),
        ("(and (hot apple) (in apple fridge))", []),  # it may be there, and cold
        ("(and (hot pear) (in apple fridge))", ["apple fridge"]),
        ("(and (clean pear) (in pear fridge))", ["pear fridge"]),
        ("(and (not (clean pear)) (in pear fridge))", []),
    ],
)
def test_what_the_goal_wants_is_hardly_there_yet(goal: str, there: list[str]) -> None:
    world = World(keeping(goal))
    found = already_there(world.task, world.compiled.sensors, world.say)
    assert sorted(name for name, fact in world.facts.items() if found[fact]) == [f"in {name}" for name in there]


@pytest.mark.parametrize(
    ("goal", "fridge"),
    [
        ("(in apple fridge)", 0.02),
        ("(or (in apple fridge) (in apple box))", 0.01),  # both together
        ("(forall (?p - place) (imply (in apple ?p) (in pear ?p)))", 1 / 3),
        ("(hot apple)", 1 / 3),
    ],
)
def test_places_where_the_goal_wants_a_thing_share_a_little(goal: str, fridge: float) -> None:
    world = World(keeping(goal))
    sensors = world.compiled.sensors
    prior = not_yet(sensors, uniform_prior(sensors), already_there(world.task, sensors, world.say), 0.02)
    apple = next(g for g, name in enumerate(("apple", "pear")) if f"in {name} fridge" in world.believed(g))
    chances = dict(zip(world.believed(apple), prior[apple] / prior[apple].sum(), strict=True))
    assert chances["in apple fridge"] == pytest.approx(fridge)


@pytest.mark.parametrize(
    ("method", "options", "prompts", "most"),
    [
        ("llm-replan", {}, None, 0.05),
        ("llm-mcts", {"prior": "uniform"}, None, 0.05),
        ("llm-mcts", {"already_there": 0.1}, None, 0.1),
        ("llm-mcts", {"already_there": 1}, None, 1),
        ("llm-mcts", {}, "paper", 1),
        ("llm-mcts-paper", {}, None, 1),
    ],
)
def test_the_papers_beliefs_are_as_the_model_says(
    method: str, options: dict[str, object], prompts: str | None, most: float
) -> None:
    """The embedded model says kitchen table, where the goal wants the apple."""
    models = ModelSession(ModelConfig(prompts=Path(prompts) if prompts else None))
    acting = SimulatedEpisode(Request(read_task(HOUSEHOLD / "domain.pddl", SMALL), method, options, models))
    belief = acting.believe_as_chosen()
    table = next(f for f in range(acting.task.fact_count) if str(acting.task.fact_step(f)) == WANTED)
    if most < 1:
        assert belief.probabilities()[table] == pytest.approx(most, rel=0.5)
    else:
        assert belief.probabilities()[table] > 0.3
    given = [np.ones(len(belief.groups.row(g))) for g in range(len(belief.groups))]
    stated = SimulatedEpisode(replace(acting.request, prior=given)).believe_as_chosen()
    assert stated.probabilities()[table] > 0.2, "a prior that is given is taken as it is"


def test_a_model_that_names_the_wanted_place_alone_leaves_the_others_alike() -> None:
    world, model = World(keeping("(in apple fridge)")), ScriptedModel(lambda q: ["in fridge"])
    attentive(world, model, most=0.02)
    chances = {name: chance for g in (0, 1) for name, chance in world.believed(g).items()}
    assert chances["in apple fridge"] == pytest.approx(0.02 / (0.02 + 0.98 / 2)), "the table is in sight"
    assert [type(q) for q in model.asked] == [Placement]


def test_the_second_question_leaves_out_where_the_goal_wants_the_thing() -> None:
    """A model that says again that the apple is on the table, where it is wanted, says nothing of the other places."""
    world, answers = small_apple(), {Placement: "on bathroom counter", PlacementAgain: "inside kitchen cabinet"}
    model = ScriptedModel(lambda q: [answers[type(q)]])
    attentive(world, model, most=0.02)  # the counter is in sight
    again = model.asked[-1]
    assert isinstance(again, PlacementAgain) and again.places == ("inside fridge", "inside kitchen cabinet")
    assert world.believed(0)["on apple_1 kitchentable"] == pytest.approx(0.02)
    assert world.believed(0)["inside apple_1 kitchencabinet"] == pytest.approx(0.98, rel=0.01)
