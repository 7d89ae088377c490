"""Things of one name: when they get numbers, when they are interchangeable, and what kinds they have."""

from commonsense_planning import Text, read_problem
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.wording.instances import Instances
from commonsense_planning.wording.kinds import alike
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.verbalise import Verbaliser

DOMAIN = """(define (domain shelf) (:requirements :strips :typing)
  (:types cup board - object)
  (:predicates (on ?c - cup ?b - board) (held ?c - cup) (washed ?c - cup) (red ?c - cup))
  (:action take :parameters (?c - cup ?b - board) :precondition (on ?c ?b) :effect (and (held ?c) (not (on ?c ?b))))
  (:action wash :parameters (?c - cup) :precondition (held ?c) :effect (washed ?c)))
"""
PROBLEM = """(define (problem cups) (:domain shelf)
  (:objects cup_10 cup_2 cup_3 cup_4 cup_5 - cup board_1 board_2 - board)
  (:init (on cup_10 board_1) (on cup_2 board_1) (on cup_3 board_2) (on cup_4 board_1) (on cup_5 board_1) (red cup_4))
  (:goal (washed cup_5)))
"""


def test_things_are_equal_where_the_same_holds_of_them_now_permanently_and_in_the_goal() -> None:
    task = ground(read_problem(Text(DOMAIN), Text(PROBLEM)))
    instances = Instances(task, Verbaliser(task, Lexicon(classes={"cup": "cup"}, numbers={"object": "dropped"})))
    index = {name: o for o, name in enumerate(task.objects)}
    cups = [index[f"cup_{i}"] for i in (10, 2, 3, 4, 5)]
    alike = instances.alike(cups, task.init)
    ten, two, three, four, five = cups
    assert alike == {ten: ten, two: ten, three: three, four: four, five: five}  # elsewhere, red, and wanted
    after = task.init.copy()
    after[next(f for f in range(task.fact_count) if str(task.fact_step(f)) == "(on cup_2 board_1)")] = False
    assert instances.alike(cups, after)[two] == two
    assert instances.named([ten, three]) == {ten: "cup 1", three: "cup 3"}  # in the order of the problem
    assert instances.named([three, index["board_1"]]) == {three: "cup", index["board_1"]: "board"}


PILLOWS = {0: "robot", 1: "pillow", 2: "pillow", 3: "pillow", 4: "bed", 5: "bed"}


def test_things_of_which_the_same_is_known_are_one_kind() -> None:
    kind = alike(PILLOWS, [("on", (1, 4)), ("on", (2, 4)), ("on", (3, 4)), ("near", (0, 5))])
    assert len({kind[o] for o in (1, 2, 3)}) == 1
    assert kind[4] != kind[5]


def test_what_differs_in_others_of_its_kind_differs() -> None:
    kind = alike(PILLOWS, [("on", (1, 4)), ("on", (2, 5)), ("on", (3, 5)), ("near", (0, 5))])
    assert kind[2] == kind[3] != kind[1]


def test_kinds_do_not_depend_on_which_of_two_it_is() -> None:
    one = alike({1: "cabinet", 2: "cabinet"}, [("open", (1,))])
    other = alike({1: "cabinet", 2: "cabinet"}, [("open", (2,))])
    assert one[1] == other[2] != one[2] == other[1]
