"""Facts and actions in English, with a lexicon and without."""

from pathlib import Path

import numpy as np
import pytest

from commonsense_planning import Belief, Environment, Text, read_problem, read_task
from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.verbalise import News, Verbaliser
from tests.scripted import HOUSEHOLD, World, small_apple


@pytest.mark.parametrize(("sentence", "place"), [
    ("a {m} is inside the {c}", "inside fridge"),
    ("the {m} is kept in a {C}", "kept in fridge"),
    ("the {m} lies in the {c}", "lies in fridge"),
    ("the {c} holds the {m}", "inside fridge"),  # no such sentence: the predicate's name
    ("the {m} is hidden", "inside fridge"),
])  # fmt: skip
def test_the_lexicon_says_what_a_relation_is_called(sentence: str, place: str) -> None:
    world = small_apple()
    say = Verbaliser(world.task, Lexicon(classes={"fridge": "fridge"}, facts={"inside": sentence}))
    fact = world.facts["inside apple_1 fridge"]
    assert say.place(fact, say.subject(world.belief.groups.row(0))) == place


def test_without_a_lexicon_names_are_split() -> None:
    world = small_apple()
    say = Verbaliser(world.task, Lexicon())
    assert say.action(world.operators["grab-from-container apple_1 fridge"]) == "grab from container apple 1 fridge"
    assert say.fact(world.facts["hand-empty"]) == "hand empty"
    assert say.fact(world.facts["opened fridge"], False) == "not opened fridge"


@pytest.mark.parametrize(("said", "denied"), [
    ("a {m} is inside the {c}", "an apple is not inside the fridge"),
    ("the {c} can hold the {m}", "the fridge cannot hold the apple"),
    ("the {c} has a {m}", "the fridge has no apple"),
    ("the {m} has been in the {c}", "the apple has not been in the fridge"),
    ("the {c} cools the {m}", "it is not so that (the fridge cools the apple)"),
])  # fmt: skip
def test_a_sentence_without_a_negated_one_is_negated(said: str, denied: str) -> None:
    world = small_apple()
    words = Lexicon(facts={"inside": said}, numbers={"object": "dropped"}, classes={"apple": "apple"})
    say = Verbaliser(world.task, words)
    assert say.fact(world.facts["inside apple_1 fridge"], False) == denied


def test_no_two_things_have_one_label() -> None:
    domain = Text("(define (domain d) (:predicates (p ?x)) (:action a :parameters (?x) :effect (p ?x)))")
    problem = Text("(define (problem p) (:domain d) (:objects red-box blue-box box1) (:init) (:goal (p red-box)))")
    classes = {"red-box": "box", "blue-box": "box", "box1": "box 1"}
    task = ground(read_problem(domain, problem))
    labels = [*map(Verbaliser(task, Lexicon(classes=classes)).label, range(len(task.objects)))]
    assert sorted(labels) == ["box 2", "box1", "red-box"]


def test_the_users_spelling_is_kept_and_article_names_stay_whole() -> None:
    domain = Text("""(define (domain D) (:requirements :typing) (:types Block) (:predicates (On-Top ?X ?Y - Block))
        (:action Stack :parameters (?X ?Y - Block) :effect (On-Top ?X ?Y)))""")
    problem = Text("(define (problem p) (:domain D) (:objects a Egg - Block) (:init) (:goal (On-Top a Egg)))")
    task = ground(read_problem(domain, problem))
    operators = {str(task.step(o)): o for o in range(task.operator_count)}
    facts = {str(task.fact_step(f)): f for f in range(task.fact_count)}
    lexicon = Lexicon(actions={"Stack": "put {X} onto a {Y}"}, facts={"On-Top": "{X} is on {Y}"})
    say = Verbaliser(task, lexicon)
    assert say.action(operators["(Stack Egg a)"]) == "put egg onto an a"
    assert say.action(operators["(Stack a Egg)"]) == "put a onto an egg"
    assert say.fact(facts["(On-Top a Egg)"]) == "a is on egg"


def test_costs_are_no_statements() -> None:
    domain = Text("""(define (domain d) (:requirements :typing :action-costs) (:types t)
        (:predicates (p ?x - t) (q ?x - t))
        (:functions (total-cost) - number (price ?x - t) - number)
        (:action a :parameters (?x - t) :precondition (q ?x)
          :effect (and (p ?x) (increase (total-cost) (price ?x)))))""")
    problem = Text("""(define (problem p) (:domain d) (:objects o - t) (:init (q o) (= (price o) 3) (= (total-cost) 0))
        (:goal (p o)) (:metric minimize (total-cost)))""")
    task = ground(read_problem(domain, problem))
    say = Verbaliser(task, Lexicon())
    nothing = np.zeros(task.fact_count, np.bool_)
    assert [s.text for s in say.statements(nothing, nothing, nothing)] == ["q o"]


def test_places_of_one_name_are_called_by_their_rooms(tmp_path: Path) -> None:
    text = (HOUSEHOLD / "problems" / "small-apple.pddl").read_text()
    text = text.replace("bathroomcounter - surface", "bathroomcounter sink_1 sink_2 - surface")
    text = text.replace("(:init", "(:init (located sink_1 kitchen) (located sink_2 bathroom)")
    for file in ("domain.pddl", "sensors.pddl", "lexicon.toml"):
        (tmp_path / file).write_text((HOUSEHOLD / file).read_text())
    (tmp_path / "problems").mkdir()
    (tmp_path / "problems" / "p.pddl").write_text(text)
    world = World(tmp_path / "problems" / "p.pddl")
    say = Verbaliser(world.task, world.pack.lexicon)
    called = {say.called(o) for o in range(len(world.task.objects))}
    assert {"kitchen sink", "bathroom sink", "fridge", "apple"} <= called
    assert "sink" not in called


def test_only_changes_are_repeated() -> None:
    task = read_task("household:any-mug")
    grounded, compiled = task.seen_in_part
    environment = Environment(compiled, grounded.init)
    belief = Belief(compiled, uniform_prior(compiled.sensors))
    belief.update(None, environment.look())
    say = Verbaliser(grounded, task.lexicon)
    news = News(say, compiled.hidden)
    first = news.take(belief.truth, belief.known)
    assert {"a mug is on the desk", "the fridge is closed", "a desk is inside the bedroom"} <= set(first)
    assert news.take(belief.truth, belief.known) == []
    walk = next(o for o in range(grounded.operator_count) if str(grounded.step(o)) == "(walk-to-room livingroom)")
    belief.update(walk, environment.step(walk))
    then = news.take(belief.truth, belief.known)
    assert "a radio is on the bookshelf" in then
    assert "the robot is not in the bedroom" in then
    assert "a mug is on the desk" not in then
    assert not any("fridge" in sentence for sentence in then)
