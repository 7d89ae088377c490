"""The question what to do next: what is relevant to the goal, and nothing else."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning import Text, read_task
from commonsense_planning.config import Actions
from commonsense_planning.elicitation.next_question import NextActionChoice, NextQuestions, Situation
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.wording.questions import Missing
from tests.data import REPOSITORY
from tests.scripted import HOUSEHOLD, World, small_apple


def two_apples() -> World:
    return World(HOUSEHOLD / "problems" / "two-apples.pddl")


def asked(
    world: World, done: tuple[int, ...] = (), actions: Actions = Actions.RELEVANT, lately: int = 0
) -> NextActionChoice:
    here = Situation(world.belief.truth, world.belief.known, world.possible(), done)
    return NextQuestions(world.task, world.compiled, world.say, "", actions).choice(here, lately)


def test_it_lists_places_not_yet_looked_at_and_offers_ways_there() -> None:
    world = small_apple()
    world.do("walk-to-room kitchen")
    question = asked(world).question
    assert question.goal == "an apple is on the kitchen table"
    closed = "the fridge (kitchen) and the kitchen cabinet are closed"
    assert question.facts == ("the robot is in the kitchen", closed, "the robot's hand is empty")
    assert question.fixed == ("the fridge and the kitchen cabinet can be opened",)
    assert question.effects[0] == "walk to the <place>: the robot is close to the <place>"
    assert question.missing == (Missing(("apple",), (("kitchen", ("fridge", "kitchen cabinet")),)),)
    assert question.actions == (
        "walk to the fridge (kitchen)",
        "walk to the kitchen cabinet",
        "walk to the kitchen table",
    )
    grab = next(rule for rule in question.rules if rule.startswith("grab the <movable>: "))
    assert "is on the <surface>" in grab and "; or a <movable> is inside the <container>" in grab


def test_what_was_found_is_no_longer_missing_and_all_else_is_left_out() -> None:
    world = small_apple()
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    choice = asked(world)
    assert choice.question.actions == ("walk to the kitchen table", "grab the apple")
    assert not choice.question.missing
    assert "an apple is inside the fridge" in choice.question.facts
    assert sum(choice.action >= 0) == 2 < len(choice.action)


def test_the_way_there_and_irrelevant_facts_do_not_change_the_question() -> None:
    world, other = small_apple(), small_apple()
    world.do("walk-to-room kitchen")
    other.do("walk-to-room kitchen", "walk-to-room bathroom", "walk-to-room kitchen")
    assert asked(world).question == asked(other, (0, 1)).question


def test_a_thing_keeps_its_number_and_one_of_several_equal_options_is_listed() -> None:
    world = two_apples()
    question = asked(world).question
    assert question.goal == "an apple is inside the fridge (kitchen) (2 times)", "as the papers' templates tell it"
    assert question.wanted == "an apple is inside the fridge (kitchen) (2 of them)"
    assert "apple 3 is on the coffee table (living room)" in question.facts
    assert [missing.things for missing in question.missing] == [("apple 1, 2, 4",)]
    assert "kitchen cabinet 1, 2" in dict(question.missing[0].places)["kitchen"]
    walk, grab = "walk-to-place coffeetable_1 livingroom", "grab-from-surface apple_3 coffeetable_1"
    world.do(walk, grab)
    question = asked(world, (world.operators[walk], world.operators[grab]), lately=3).question
    assert "the robot is holding apple 3" in question.facts
    assert question.lately == ("walk to the coffee table", "grab apple 3"), "fewer than could be told"
    world.do("walk-to-room kitchen")
    here = asked(world).question.actions
    assert "walk to kitchen cabinet 1" in here and "walk to kitchen cabinet 2" not in here
    world.do("walk-to-place kitchencabinet_2 kitchen")
    question = asked(world).question
    assert "the robot is close to kitchen cabinet 2" in question.facts
    assert {"open kitchen cabinet 2", "walk to kitchen cabinet 1"} <= set(question.actions)


def test_the_first_of_several_equal_options_is_named() -> None:
    world = two_apples()
    world.do("walk-to-room kitchen")
    question, action = asked(world)
    named = int(np.flatnonzero(action == question.actions.index("walk to kitchen cabinet 1"))[0])
    assert world.possible()[named] == world.operators["walk-to-place kitchencabinet_1 kitchen"]


def test_a_place_without_the_thing_is_still_listed_with_its_contents() -> None:
    world = two_apples()
    steps = ("walk-to-room kitchen", "walk-to-place kitchencabinet_2 kitchen", "open-container kitchencabinet_2")
    world.do(*steps)
    done = tuple(world.operators[step] for step in steps)
    ((owner, places),) = asked(world, done).question.seen
    assert owner == "kitchen"
    assert places == ("kitchen cabinet 2 (cereal, wineglass)",)
    assert "stove" in dict(asked(world, done).question.passed)["kitchen"][-1], "seen without going there"
    passed = dict(asked(world).question.passed)["kitchen"]
    assert not asked(world).question.seen and "kitchen cabinet 2" in passed


def test_no_option_undoes_a_part_of_the_goal() -> None:
    world = two_apples()
    taking = ("walk-to-place coffeetable_1 livingroom", "grab-from-surface apple_3 coffeetable_1")
    there = ("walk-to-room kitchen", "walk-to-place fridge_1 kitchen", "open-container fridge_1")
    world.do(*taking, *there, "put-in apple_3 fridge_1")
    question = asked(world, actions=Actions.ALL).question
    assert question.done == ("apple 3 is inside the fridge (kitchen)",)
    assert question.to_do == ("an apple is inside the fridge (kitchen)",)
    assert "grab apple 3" not in question.actions
    assert "close the fridge (kitchen)" in question.actions


def written(domain: str, objects: str, init: str, goal: str, sensors: str = "", lexicon: str = "") -> World:
    """A task of a domain ``shed``."""
    domain = f"(define (domain shed) (:requirements :adl :constraints) {domain})"
    problem = f"(define (problem p) (:domain shed) (:objects {objects}) (:init {init}) {goal})"
    sensed = Text(f"(define (sensors s) (:domain shed) {sensors})") if sensors else None
    return World(read_task(Text(domain), Text(problem), sensed, Text(lexicon) if lexicon else None))


def test_parts_that_differ_in_a_number_are_listed_together() -> None:
    domain = """(:types box) (:predicates (opened ?b - box) (locked ?b - box))
        (:action unlock :parameters (?b - box) :precondition (locked ?b) :effect (not (locked ?b)))
        (:action open :parameters (?b - box) :precondition (not (opened ?b)) :effect (opened ?b))"""
    goal = "(:goal (and (opened box_1) (opened box_2) (opened box_3) (not (locked box_3))))"
    question = asked(written(domain, "box_1 box_2 box_3 - box", "(locked box_3)", goal)).question
    assert question.goal == "opened box 1, 2 and 3 and not locked box 3"


EGGS = """(:types egg place) (:predicates (hot ?e - egg) (in ?e - egg ?p - place))
    (:action heat :parameters (?e - egg) :precondition (not (hot ?e)) :effect (hot ?e))
    (:action put :parameters (?e - egg ?p - place) :precondition (not (in ?e ?p)) :effect (in ?e ?p))"""


@pytest.mark.parametrize(("init", "done", "to_do"), [
    ("(in egg_2 bin)", ("in egg 2 bin",), ("either hot egg 2, or else an egg is hot and that egg is in the bin",)),
    ("(in egg_2 bin) (hot egg_1)", ("hot egg 1", "in egg 2 bin"), ("either in egg 1 bin, or else hot egg 2",)),
    ("", (), ("an egg is hot", "that egg is in the bin")),
])  # fmt: skip
def test_done_and_to_do_are_about_the_same_things(init: str, done: tuple[str, ...], to_do: tuple[str, ...]) -> None:
    goal, things = "(:goal (exists (?e - egg) (and (hot ?e) (in ?e bin))))", "egg_1 egg_2 - egg bin - place"
    question = asked(written(EGGS, things, init, goal, lexicon='numbers = "dropped"\n')).question
    assert question.goal == "an egg is hot and that egg is in the bin"
    assert (question.done, question.to_do) == (done, to_do)


@pytest.mark.parametrize(("goal", "said"), [
    ("(:goal (or (hot a) (in b bin)))", "either hot a, or else in b bin"),
    ("(:goal (and (hot a) (or (hot b) (in b bin))))", "hot a, and either hot b, or else in b bin"),
    ("(:constraints (sometime (in a bin))) (:goal (hot b))", "hot b and (in a bin) at some time"),
])  # fmt: skip
def test_a_goal_tells_each_way_to_reach_it_and_what_has_to_have_been(goal: str, said: str) -> None:
    assert asked(written(EGGS, "a b - egg bin - place", "", goal)).question.goal == said


def test_the_place_of_a_fixed_thing_is_given_once_it_was_seen() -> None:
    domain = """(:types lamp place) (:predicates (here ?p - place) (in ?l - lamp ?p - place) (lit ?l - lamp))
        (:action go :parameters (?a ?b - place) :precondition (here ?a) :effect (and (here ?b) (not (here ?a))))
        (:action light :parameters (?l - lamp ?p - place) :precondition (and (here ?p) (in ?l ?p)) :effect (lit ?l))"""
    sensors = """(:hidden (in ?l - lamp ?p - place)) (:exactly-one ?l - lamp (in ?l ?p - place))
        (:sense (in ?l - lamp ?p - place) :when (here ?p))"""
    init, goal = "(here hall) (in lamp den)", "(:goal (lit lamp))"
    world = written(domain, "lamp - lamp hall den attic - place", init, goal, sensors)
    assert [missing.things for missing in asked(world).question.missing] == [("lamp",)]
    world.do("go hall den", "go den hall")
    assert "in lamp den" in asked(world).question.facts


def test_an_option_says_what_is_done_on_the_way_and_what_it_takes() -> None:
    world = two_apples()
    walk = (world.operators["walk-to-room kitchen"],)
    taking = ("walk-to-place coffeetable_1 livingroom", "grab-from-surface apple_3 coffeetable_1")
    plans = (walk, (*(world.operators[name] for name in taking), *walk))
    ends = np.array([plan[-1] for plan in plans], np.int32)
    here = Situation(world.belief.truth, world.belief.known, ends, (), plans)
    question, action = NextQuestions(world.task, world.compiled, world.say, "").choice(here)
    assert question.actions == ("walk to the kitchen", "walk to the kitchen (on the way: grab apple 3)")
    assert action.tolist() == [0, 1]
    assert question.steps == (1, 3)


@pytest.mark.parametrize(("actions", "asked_about"), [(Actions.ALL, 15), (Actions.RELEVANT, 5)])
def test_all_possible_actions_may_be_named_or_the_relevant_ones(actions: Actions, asked_about: int) -> None:
    choice = asked(two_apples(), actions=actions)
    assert len(choice.question.actions) == np.sum(choice.action >= 0) == asked_about
    assert len(choice.action) == 15
    assert ("walk to apple 3" in choice.question.actions) == (actions is Actions.ALL)


def test_what_may_be_named_changes_nothing_else_of_the_question() -> None:
    world = two_apples()
    every, relevant = (asked(world, actions=actions).question for actions in Actions)
    assert replace(every, actions=relevant.actions, effects=relevant.effects) == relevant


CELLAR = """(:types room jar door tool) (:constants hatch - door)
    (:predicates (me ?r - room) (leads ?a ?b - room) (locked ?d - door) (opens ?t - tool ?d - door)
        (behind ?j - jar ?d - door)
        (stands ?d - door ?r - room) (with ?x - object) (full) (kept ?j - jar))
    (:action go :parameters (?a ?b - room) :precondition (and (me ?a) (leads ?a ?b))
        :effect (and (me ?b) (not (me ?a))))
    (:action unlock :parameters (?d - door ?t - tool ?r - room)
        :precondition (and (me ?r) (stands ?d ?r) (locked ?d) (opens ?t ?d) (with ?t)) :effect (not (locked ?d)))
    (:action take :parameters (?j - jar ?d - door ?r - room)
        :precondition (and (me ?r) (stands ?d ?r) (not (locked ?d)) (behind ?j ?d))
        :effect (and (with ?j) (not (behind ?j ?d))))
    (:action use :parameters (?j - jar) :precondition (with ?j) :effect (and (kept ?j) (when (full) (not (full)))))"""


def cellar(goal: str) -> World:
    objects = "hall den attic - room jar_1 jar_2 - jar crate - door key fork - tool"
    init = """(me hall) (leads hall den) (leads hall attic) (leads den hall) (leads attic hall) (with key) (with fork)
        (stands hatch den) (stands crate attic) (locked hatch) (opens key hatch) (behind jar_1 hatch)
        (behind jar_2 crate)"""
    sensors = """(:hidden (behind ?j - jar ?d - door)) (:exactly-one ?j - jar (behind ?j ?d - door))
        (:sense (behind ?j - jar ?d - door) :when (and (not (locked ?d))
            (exists (?r - room) (and (me ?r) (stands ?d ?r)))))"""
    return written(CELLAR, objects, init, f"(:goal {goal})", sensors)


def test_what_never_changes_is_told_once_in_lists_and_what_names_do_not_tell() -> None:
    question = asked(cellar("(or (kept jar_1) (kept jar_2))")).question
    assert "leads hall attic, den" in question.fixed and "opens key hatch" in question.fixed
    assert {"stands hatch den", "stands crate attic"} <= {*question.fixed}
    assert "locked hatch" in question.facts
    assert "unlock <door> <tool> <room>: not locked <door>" in question.effects
    assert any(rule.startswith("use <jar>") for rule in question.rules)
    assert "use <jar>: kept <jar>" in question.effects


def test_what_is_not_known_and_is_no_place_is_told_by_its_alternatives_and_what_a_look_shows() -> None:
    question = asked(World(REPOSITORY / "pddl" / "medical" / "problems" / "ward-3.pddl")).question
    assert question.unknown == (tuple(f"the patient has {illness}" for illness in ("flu", "measles", "mumps")),)
    assert any(text.startswith("give <medicine>: the patient is cured if") for text in question.effects)
    assert any("shows whether the sample" in text for text in question.effects)
    question = asked(World(REPOSITORY / "pddl" / "colour-balls" / "problems" / "yard-2.pddl")).question
    assert question.unknown == (("football is blue", "football is red"),), "no places"


def test_to_do_is_every_way_that_is_left() -> None:
    world = cellar("(and (kept jar_2) (or (kept jar_1) (with fork) (not (with key))))")
    question = asked(world).question
    assert question.done == ("with fork",)
    assert question.to_do == ("kept jar 2",), "another part is done in one of its ways"
    world = cellar("(exists (?j - jar) (kept ?j))")
    assert asked(world).question.to_do == ("either kept jar 1, or else kept jar 2",)


def test_an_opened_place_is_told_with_what_is_there() -> None:
    world = cellar("(kept jar_1)")
    steps = ("go hall attic", "go attic hall")
    world.do(*steps)
    ((_, places),) = asked(
        world, tuple(world.operators[step] for step in (*steps, "take jar_2 crate attic"))
    ).question.seen
    assert places == ("crate (jar 2)",)


def test_the_relevant_actions_are_asked_about_as_in_the_golden_file() -> None:
    world = two_apples()
    (message,) = Prompts([], world.say.scene()).messages(asked(world).question)
    golden = Path(__file__).with_name("golden") / "two-apples-relevant.txt"
    assert f"{message['content']}\n" == golden.read_text(encoding="utf-8")
