"""Instructions become goals of the problem: names, counts, relations, and every way in which they cannot."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from commonsense_lab.studies.rearrangement.goal_reader import GoalReader
from commonsense_planning.errors import InputError
from commonsense_planning.instructions.translate import interpret, translate
from commonsense_planning.instructions.translated_goal import TranslatedGoal
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import Translation
from tests.cli.running import Run, cplan
from tests.data import REPOSITORY
from tests.scripted import HOUSEHOLD, ScriptedModel

__all__ = ["cplan"]  # a fixture

PROBLEM = """(define (problem home) (:domain household)
  (:objects kitchen - room fridge_1 kitchencabinet_1 kitchencabinet_2 stove_inside - container
    kitchentable_1 fridge_top stove - surface
    Apple_1 apple_2 apple_3 plate_1 wineglass_1 dishbowl_1 dishbowl_2 - movable apple plate - class)
  (:init (in-room kitchen) (hand-empty) (instance-of Apple_1 apple) (instance-of apple_2 apple)
    (instance-of apple_3 apple) (instance-of plate_1 plate))
  (:goal (and)))
"""


@pytest.fixture(scope="module")
def home() -> Problem:
    return read_problem(HOUSEHOLD / "domain.pddl", Text(PROBLEM))


@cache
def lexicon() -> Lexicon:
    return Lexicon.read(HOUSEHOLD / "lexicon.toml")


def answered(problem: Problem, *answers: str, words: Lexicon | None = None) -> TranslatedGoal:
    """The goal from the model's answers, the last of which it repeats."""
    left = list(answers)
    model = ScriptedModel(lambda _: [left.pop(0) if len(left) > 1 else left[0]])
    return translate("do it", GoalReader(problem, words or lexicon()), model, LexicalMatcher())


APPLES = "(instance-of ?x1 apple) (instance-of ?x2 apple)"
TWO_APPLES = f"(exists (?x1 ?x2 - movable) (and {APPLES} (not (= ?x1 ?x2))"


@pytest.mark.parametrize(("answer", "goal"), [
    ("(INSIDE, plate, fridge, 1)", "(inside plate_1 fridge_1)"),
    ("(inside, the plates, Fridge)", "(inside plate_1 fridge_1)"),
    ("(IN, plate, fridge, 1)", "(inside plate_1 fridge_1)"),
    ("(ON, plate, kitchentable, 1)", "(on plate_1 kitchentable_1)"),
    ("(ON, apple_2, kitchen table 1, 1)", "(on apple_2 kitchentable_1)"),
    ("(INSIDE, plate, the icebox, 1)", "(inside plate_1 fridge_1)"),
    ("(ON, plate, fridge, 1)", "(on plate_1 fridge_top)"),
    ("(ON, plate, stove, 1)", "(on plate_1 stove)"),
    ("(INSIDE, plate, stove, 1)", "(inside plate_1 stove_inside)"),
    ("(INSIDE, wine glass, kitchen cabinet_2, 1)", "(inside wineglass_1 kitchencabinet_2)"),
    ("(INSIDE, plate, kitchen cabinet, 1)", "(or (inside plate_1 kitchencabinet_1) (inside plate_1 kitchencabinet_2))"),
    ("(INSIDE, apple, fridge, 1)", "(exists (?x1 - movable) (and (instance-of ?x1 apple) (inside ?x1 fridge_1)))"),
    ("(INSIDE, apple, fridge, 2)", f"{TWO_APPLES} (inside ?x1 fridge_1) (inside ?x2 fridge_1)))"),
    ("(INSIDE, apple, kitchen cabinet, 2)",
     f"{TWO_APPLES} (or (and (inside ?x1 kitchencabinet_1) (inside ?x2 kitchencabinet_1)) "
     "(and (inside ?x1 kitchencabinet_2) (inside ?x2 kitchencabinet_2)))))"),
    ("(INSIDE, apple, fridge, 3)",
     "(and (inside Apple_1 fridge_1) (inside apple_2 fridge_1) (inside apple_3 fridge_1))"),
    ("(ON, dish bowl, stove, 1)", "(or (on dishbowl_1 stove) (on dishbowl_2 stove))"),
    ("(ON, plate, stove, 1)-(INSIDE, dish bowl, fridge, 2)",
     "(and (on plate_1 stove) (and (inside dishbowl_1 fridge_1) (inside dishbowl_2 fridge_1)))"),
])  # fmt: skip
def test_goals(home: Problem, answer: str, goal: str) -> None:
    assert answered(home, answer).pddl == goal


def test_one_more_of_the_same_is_another_one_but_of_a_single_thing_it_is_the_same(home: Problem) -> None:
    twice = answered(home, "(INSIDE, apple, fridge, 1)-(INSIDE, apples, fridge, 1)")
    assert twice.pddl == answered(home, "(INSIDE, apple, fridge, 2)").pddl
    assert answered(home, "(ON, plate, stove)-(ON, plate, stove)").pddl == "(on plate_1 stove)"


def test_matched_names_are_reported(home: Problem) -> None:
    goal = answered(home, "(INSIDE, Apples, cold fridge, 2)-(INSIDE, plate, cold fridge, 1)")
    assert [(m.said, m.name, m.objects, m.exact) for m in goal.matched] == [
        ("Apples", "apple", ("Apple_1", "apple_2", "apple_3"), False),
        ("cold fridge", "fridge", ("fridge_1",), False),
        ("plate", "plate", ("plate_1",), True),
    ]
    assert [str(term) for term in goal.terms] == ["(INSIDE, Apples, cold fridge, 2)", "(INSIDE, plate, cold fridge, 1)"]


def test_the_question_lists_names_and_places_by_relation(home: Problem) -> None:
    model = ScriptedModel(lambda _: ["(ON, plate, stove)"])
    translate("do it", GoalReader(home, lexicon()), model, LexicalMatcher())
    inside = ("fridge", "kitchen cabinet", "stove")
    on = ("kitchen table", "top of the fridge", "stove")
    things = ("apple", "plate", "wineglass", "dish bowl")
    places = ("fridge", "kitchen cabinet", "stove", "kitchen table", "top of the fridge")
    assert model.asked == [Translation("do it", ("INSIDE", "ON"), things, places, (inside, on))]


def test_without_a_lexicon_objects_are_listed_one_by_one_and_classes_understood(home: Problem) -> None:
    assert answered(home, "(INSIDE, apple, fridge_1, 2)", words=Lexicon()).pddl.startswith("(exists (?x1 ?x2 - mov")
    assert answered(home, "(INSIDE, Apple 1, fridge, 1)", words=Lexicon()).pddl == "(inside Apple_1 fridge_1)"


@pytest.mark.parametrize(("answer", "parts"), [
    ("Put it there.", ["answers 'Put it there.'", "a formal goal such as (INSIDE, apple, fridge, 2)"]),
    ("", ["the model scripted gives no answer"]),
    ("(INSIDE, apple", ["formal goal:1:15: unexpected the end; expected ',' in", "^"]),
    ("Pon dos manzanas en la nevera", ["answers 'Pon dos manzanas"]),
    ("x" * 100_000, ["answers 'xxxx", "x…'"]),
    ("(INSIDE, apple, fridge, 1)-" * 4000, ["unexpected"]),
    ("(BESIDE, apple, fridge, 1)", ["there is no relation BESIDE; there are INSIDE, ON"]),
    ("(DENTRO, manzana, nevera, 1)", ["there is no relation DENTRO"]),
    ("(INSIDE, zzz, fridge, 1)", ["nothing that can be moved is called 'zzz'; the nearest names: "]),
    ("(INSIDE, kitchen, fridge, 1)", ["nothing that can be moved is called 'kitchen'"]),
    ("(INSIDE, apple, the moon, 1)", ["no place is called 'the moon'; the nearest names: ", "fridge"]),
    ("(INSIDE, apple_7, fridge, 1)", ["nothing that can be moved is called 'apple_7'; the nearest names: apple"]),
    ("(INSIDE, apple, fridge, 4)", ["asks for 4, but only 3 objects are called 'apple'"]),
    ("(INSIDE, apple, fridge, 2)-(INSIDE, apple, fridge, 2)", ["asks for 4, but only 3 objects"]),
    ("(INSIDE, plate, fridge, 2)", ["asks for 2, but only 1 object is called 'plate'"]),
    ("(INSIDE, apple_2, fridge, 2)", ["only 1 object is called 'apple_2'"]),
    ("(INSIDE, apple, kitchen table, 1)", ["kitchen table has no INSIDE; with apple it has ON"]),
    ("(ON, apple, kitchen cabinet, 1)", ["kitchen cabinet has no ON; with apple it has INSIDE"]),
])  # fmt: skip
def test_errors_name_what_was_understood_and_what_to_do(home: Problem, answer: str, parts: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        answered(home, answer)
    message = str(caught.value)
    assert message.startswith("the instruction 'do it' cannot be put into a goal: ")
    assert all(part in message for part in parts), message
    assert len(message) < 1500


def test_the_model_is_asked_a_second_time(home: Problem) -> None:
    assert answered(home, "Well…", "(ON, plate, stove)").pddl == "(on plate_1 stove)"
    assert answered(home, "(BY, plate, stove)", "(ON, plate, stove)").pddl == "(on plate_1 stove)"
    with pytest.raises(InputError, match="Hm"):
        answered(home, "Well…", "Hm…", "(ON, plate, stove)")


def test_the_embedded_model_lists_sentences_that_it_understands(home: Problem) -> None:
    model = EmbeddedModel(np.random.default_rng(0))
    with pytest.raises(InputError, match="'tidy up' cannot .* It understands sentences such as"):
        translate("tidy up", GoalReader(home, lexicon()), model, LexicalMatcher())


def test_a_domain_without_relations_is_refused() -> None:
    flights = REPOSITORY / "pddl" / "flights"
    problem = read_problem(flights / "domain.pddl", flights / "problems" / "short-oslo-athens.pddl")
    with pytest.raises(InputError, match="no action of the domain flights brings two objects into a relation"):
        answered(problem, "(AT, oslo, athens, 1)")


def test_too_many_ways_are_refused() -> None:
    balls = [f"ball{i}" for i in range(30)]
    domain = """(define (domain d) (:predicates (in ?x ?y) (ball ?x) (box ?x))
      (:action put :parameters (?x ?y) :precondition (and (ball ?x) (box ?y)) :effect (in ?x ?y)))"""
    init = f"(:init (box crate) {' '.join(f'(ball {ball})' for ball in balls)})"
    objects = f"(define (problem p) (:domain d) (:objects {' '.join(balls)} crate)"
    problem = read_problem(Text(domain), Text(f"{objects} {init} (:goal (and)))"))
    with pytest.raises(InputError, match="there are 142506 ways to choose"):
        answered(problem, "(IN, ball, crate, 5)", words=Lexicon())
    one = answered(problem, "(IN, ball, crate, 1)", words=Lexicon()).pddl
    assert one == "(exists (?x1) (and (ball ?x1) (in ?x1 crate)))"
    assert answered(problem, "(IN, ball ball3, box crate, 1)", words=Lexicon()).pddl == "(in ball3 crate)"


def test_nothing_can_be_on_itself() -> None:
    domain = "(define (domain d) (:predicates (on ?x ?y)) (:action put :parameters (?x ?y) :effect (on ?x ?y)))"
    problem = read_problem(Text(domain), Text("(define (problem p) (:domain d) (:objects a b) (:init) (:goal (and)))"))
    assert answered(problem, "(ON, a, b)-(ON, b, a)", words=Lexicon()).pddl == "(and (on a b) (on b a))"
    with pytest.raises(InputError, match="nothing can bring a to be ON with a; it can be ON with b"):
        answered(problem, "(ON, a, a)", words=Lexicon())


def test_it_is_asked_for_by_the_papers_prompts(tmp_path: Path, cplan: Run) -> None:
    domain, problem, out = HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "two-apples.pddl", tmp_path / "p.pddl"
    model = ScriptedModel(lambda _: ["(ON, milk, sofa, 1)"])
    made = interpret("the milk on the sofa", domain, problem, model, LexicalMatcher(), out, tuples=True)
    assert (made.goal.pddl, made.goal.english) == ("(on milk_1 sofa_1)", ("the milk is on the sofa",))
    assert [type(question) for question in model.asked] == [Translation]
    cannot_say = "clear all plates into the dishwasher, but never open the oven"
    assert cplan("solve", domain, problem, "--instruction", cannot_say, "--prompts", "paper").code == 2


def test_a_goal_without_order_is_reported(home: Problem) -> None:
    model = ScriptedModel(lambda _: ["(INSIDE, plate, fridge, 1)-(INSIDE, wineglass, fridge, 1)"])
    reader = GoalReader(home, lexicon())
    goal = translate("the plate into the fridge, then the wineglass", reader, model, LexicalMatcher())
    assert goal.doubt == "the instruction says 'then', and the goal has no order"
    assert len(model.asked) == 1, "it cannot be said in tuples"
