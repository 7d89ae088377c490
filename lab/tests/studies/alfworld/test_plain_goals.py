"""Plain sentences of which the embedded model makes goals in PDDL, which are reached, and those that it refuses."""

from functools import cache
from pathlib import Path

import pytest

from commonsense_lab.studies.alfworld.plain_goals import plain_goal
from commonsense_planning.errors import Status
from commonsense_planning.instructions.pddl_goal import PddlGoalReader
from commonsense_planning.instructions.translate import known_at_first
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.task import read_lexicon, read_sensors_of, read_task
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.lexicon import Lexicon
from tests.cli.running import Run
from tests.data import REPOSITORY
from tests.instructions.test_translate import HOUSEHOLD, interpreted
from tests.shelves import warehouse


@cache
def reader(pack: str, problem: str) -> PddlGoalReader:
    domain = REPOSITORY / "pddl" / pack / "domain.pddl"
    file = domain.parent / "problems" / f"{problem}.pddl"
    read = read_problem(domain, file)
    return PddlGoalReader(read, read_lexicon(domain, file), known_at_first(read, read_sensors_of(read, domain)))


def understood(sentence: str, pack: str = "household", problem: str = "two-apples") -> str:
    return plain_goal(reader(pack, problem).question(sentence))


@pytest.mark.parametrize(("sentence", "goal"), [
    ("Put all plates in the dishwasher!", "(forall (?x1 - plate) (inside ?x1 dishwasher))"),
    ("put the plates in the dishwasher", "(forall (?x1 - plate) (inside ?x1 dishwasher))"),
    ("put an apple in the icebox", "(exists (?x1 - apple) (inside ?x1 icebox))"),
    ("two apples in the fridge and the milk in the oven",
     "(and (at-least 2 (?x1 - apple) (inside ?x1 fridge)) (inside milk oven))"),
    ("put an apple in the fridge and another apple in the fridge", "(at-least 2 (?x1 - apple) (inside ?x1 fridge))"),
    ("put two apples in the kitchen cabinet",
     "(exists (?x1 - kitchen-cabinet) (at-least 2 (?x2 - apple) (inside ?x2 ?x1)))"),
    ("put all apples in the kitchen cabinets",
     "(forall (?x1 - apple) (exists (?x2 - kitchen-cabinet) (inside ?x1 ?x2)))"),
    ("at most one apple in the fridge", "(at-most 1 (?x1 - apple) (inside ?x1 fridge))"),
    ("put all but one of the apples in the fridge", "(exactly 3 (?x1 - apple) (inside ?x1 fridge))"),
    ("put a book on each nightstand", "(forall (?x1 - nightstand) (exists (?x2 - book) (on ?x2 ?x1)))"),
    ("no apple should be on the sofa", "(not (exists (?x1 - apple) (on ?x1 sofa)))"),
    ("the milk must not end up on the sofa", "(not (on milk sofa))"),
    ("the milk must never be on the sofa", "(always (not (on milk sofa)))"),
    ("never put a book on the stove", "(always (not (exists (?x1 - book) (on ?x1 stove))))"),
    ("clear the desk", "(forall (?x1 - movable) (not (on ?x1 desk)))"),
    ("leave the radio where it is", "(always (on radio_1 bookshelf_1))"),
    ("two apples in the fridge, but leave the one on the coffee table",
     "(and (always (on apple_3 coffeetable_1)) (at-least 2 (?x1 - apple) (inside ?x1 fridge)))"),
    ("leave the milk on the stove", "(always (on milk stove))"),
    ("close the fridge", "(not (opened fridge))"),
    ("the fridge should be open and the milk must be on the stove", "(and (opened fridge) (on milk stove))"),
    ("go to the kitchen", "(in-room kitchen)"),
    ("put the milk in the fridge or on the stove", "(or (inside milk fridge) (on milk stove))"),
    ("(inside milk_1 fridge_1)", "(inside milk_1 fridge_1)"),
    ("first put the milk on the desk, then the milk in the fridge", "(then (on milk desk) (inside milk fridge))"),
    ("put the milk on the desk and then in the fridge", "(then (on milk desk) (inside milk fridge))"),
    ("put the radio on the bed, and finally close the fridge", "(then (on radio bed) (not (opened fridge)))"),
    ("put the milk in the fridge before the juice", "(before (inside milk fridge) (inside juice fridge))"),
    ("before you open the oven, close the fridge", "(before (not (opened fridge)) (opened oven))"),
    ("put the milk on the bed after closing the fridge", "(then (not (opened fridge)) (on milk bed))"),
    ("put the radio on the bed, then the milk on the desk, but never open the oven",
     "(and (then (on radio bed) (on milk desk)) (always (not (opened oven))))"),
    ("take the milk out of the fridge and put it on the stove", "(on milk stove)"),
    ("take the milk out of the fridge", "(not (inside milk fridge))"),
    ("take the milk from the fridge to the sofa", "(on milk sofa)"),
    ("open the microwave and put the milk in it", "(and (opened microwave) (inside milk microwave))"),
    ("put the book that is on the bookshelf on the bed", "(on book_1 bed)"),
    ("bring me the towel", "(holding towel)"),
    ("put the milk on the stove without opening the oven", "(and (always (not (opened oven))) (on milk stove))"),
])  # fmt: skip
def test_sentences(sentence: str, goal: str) -> None:
    assert understood(sentence) == goal


@pytest.mark.parametrize(("sentence", "goal"), [
    ("fly to Athens via Rome and Dublin", "(and (at athens) (visited rome) (visited dublin))"),
    ("get to Athens without flying through Frankfurt or London",
     "(and (at athens) (always (not (at frankfurt))) (always (not (at london))))"),
    ("visit all cities and come back to Oslo", "(and (forall (?x1 - city) (visited ?x1)) (at oslo))"),
    ("fly from Oslo to Rome, then to Athens", "(then (at rome) (at athens))"),
    ("visit every city and finish in Rome", "(and (forall (?x1 - city) (visited ?x1)) (at rome))"),
    ("visit Rome and Dublin in this order", "(then (visited rome) (visited dublin))"),
    ("go to Rome, but avoid London", "(and (at rome) (always (not (at london))))"),
])  # fmt: skip
def test_travellers(sentence: str, goal: str) -> None:
    assert understood(sentence, "flights", "short-oslo-athens") == goal


@pytest.mark.parametrize("sentence", [
    "",
    "tidy up",
    "bring me something to drink to the sofa",
    "put everything in the fridge",
    "put apples in the fridge",
    "put both apples in the fridge",
    "put all apples in the fridge if they are ripe",
    "put the apple and the plate or the milk on the sofa",
    "never put all apples in the fridge",
    "never put two apples in the fridge",
    "leave all apples on the table",
    "leave the milk where it is",
    "put the milk in the fridge, but not the juice",
    "put it in the fridge",
    "leave the one on the sofa",
    "put the milk in the fridge and paint the wall",
    "put the milk next to the juice",
    "paint the fridge",
    "put the milk in the fridge first",
    "put the milk in the fridge quickly",
    "put the milk in the fridge again",
    "first put the milk in the fridge",
    "don't open the oven until the milk is in the fridge",
    "never open the oven before the milk is in the fridge",
    "first never open the oven, then put the milk in the fridge",
    "first put an apple on the desk, then put the apple in the fridge",
    "put the milk and the juice on the desk, then put it in the fridge",
    "take an apple out of the fridge and put it on the stove",
    "fly from Rome to Athens",
])  # fmt: skip
def test_sentences_that_are_not_understood_are_refused_with_examples(sentence: str) -> None:
    answer = understood(sentence)
    assert answer.startswith("I do not understand")
    assert "It understands sentences such as" in answer
    assert "(" not in answer


GREENHOUSE = Path(__file__).with_name("greenhouse")


@pytest.mark.parametrize(("sentence", "goal"), [
    ("put the fern on the front shelf", "(standing fern front-shelf)"),
    ("water the fern, then prune it", "(then (watered fern) (pruned fern))"),
    ("put the shears back on the potting bench after cleaning them",
     "(then (clean shears) (standing shears potting-bench))"),
])  # fmt: skip
def test_a_users_domain_may_have_names_with_words_of_the_grammar(sentence: str, goal: str) -> None:
    problem = read_problem(GREENHOUSE / "domain.pddl", GREENHOUSE / "spring.pddl")
    own = PddlGoalReader(problem, Lexicon.read(GREENHOUSE / "lexicon.toml"), known_at_first(problem, None))
    assert plain_goal(own.question(sentence)) == goal
    refusal = plain_goal(own.question("paint the fern"))
    assert '"put tomato_1 on the potting bench"' in refusal
    assert "fridge" not in refusal


@pytest.mark.parametrize(("instruction", "constraints"), [
    ("clear all plates into the dishwasher, but leave the radio where it is", ("(always (on radio_1 bookshelf_1))",)),
    ("clear the kitchen table, and never open the microwave", ("(always (not (opened microwave_1)))",)),
    ("exactly two apples on the kitchen counter and no apple on the sofa", ()),
])  # fmt: skip
@pytest.mark.parametrize("method", ["llm-replan", "llm-mcts"])
def test_goals_with_quantifiers_over_hidden_things_are_reached(
    instruction: str, constraints: tuple[str, ...], method: str, tmp_path: Path
) -> None:
    problem = HOUSEHOLD / "problems" / "two-apples.pddl"
    made = interpreted(instruction, HOUSEHOLD / "domain.pddl", problem, tmp_path / "out.pddl")
    assert made.goal.constraints == constraints
    task = read_task(HOUSEHOLD / "domain.pddl", made.problem)
    solution = solve(Request(task, method_named(method)))
    assert solution.status is Status.SOLVED
    assert solution.plan is not None and len(solution.plan.steps) > 0
    assert validate_with_val(task.problem, solution.plan).verdict is Verdict.VALID


def test_a_goal_is_shown_in_pddl_and_in_english(cplan: Run, tmp_path: Path) -> None:
    kept = tmp_path / "instructed.pddl"
    text = "clear all plates into the dishwasher, but never open the oven"
    options = ("--method", "gbfs", "--save-problem", kept, "--json")
    ended = cplan("solve", "household:demo", "--instruction", text, *options)
    assert ended.code == 0
    assert set(ended.json["validators"].values()) == {"valid"}
    said = ("- every plate is inside the dishwasher", "- always: the oven is closed")
    for shown in ("(always (not (opened oven_1)))", *said):
        assert shown in ended.err
    assert "(:constraints (and (always (not (opened oven_1)))))" in kept.read_text()


def test_one_of_two_places(cplan: Run, tmp_path: Path) -> None:
    said = ("--instruction", "put drill_1 at s2 or s3", "--save-problem", tmp_path / "saved.pddl")
    ended = cplan("solve", *warehouse(tmp_path), "--method", "gbfs", "--strict", *said)
    assert "(or (stored drill_1 s2) (stored drill_1 s3))" in ended.out
    assert "not declared" not in ended.err
