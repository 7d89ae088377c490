"""Plain sentences become goals without a language model, or are refused as a whole."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.embedded.plain_sentences import NUMBERS, Term, plain_sentence, short_goal
from commonsense_planning.wording.questions import Translation, WriteGoal

CONTAINERS = ("fridge", "kitchen cabinet", "bathroom cabinet", "dishwasher", "microwave", "stove", "knife block")
SURFACES = ("kitchen table", "coffee table", "nightstand", "bookshelf", "stove", "top of the fridge", "kitchen counter")
THINGS = ("apple", "banana", "toothbrush", "plate", "book", "salmon", "milk", "cereal", "glasses", "box", "peach")
THINGS += ("cherry", "knife", "bananas", "orange", "remote control", "water glass", "cutlery knife", "dish bowl")
LOGISTICS = Translation("", ("AT", "IN"), ("obj11", "obj12", "tru1", "apn1"), ("pos1", "apt1", "tru1", "apn1"))
BLOCKS = Translation("", ("ON",), ("a", "b", "c"), ("a", "b", "c"))


def read(question: Translation) -> str:
    return plain_sentence(question, written)


def written(terms: Iterable[Term]) -> str:
    return "-".join(f"({', '.join(map(str, term))})" for term in terms)


def asked(instruction: str) -> Translation:
    places = tuple(dict.fromkeys((*CONTAINERS, *SURFACES)))
    return Translation(instruction, ("INSIDE", "ON"), THINGS, places, (CONTAINERS, SURFACES))


@pytest.mark.parametrize(("sentence", "goal"), [
    ("put two apples in the fridge and the toothbrush in the bathroom cabinet",
     "(INSIDE, apple, fridge, 2)-(INSIDE, toothbrush, bathroom cabinet, 1)"),
    ("Place one plate inside the dishwasher, and one apple on the kitchen table.",
     "(INSIDE, plate, dishwasher, 1)-(ON, apple, kitchen table, 1)"),
    ("move the remote control to the coffee table", "(ON, remote control, coffee table, 1)"),
    ("I want the salmon inside the microwave", "(INSIDE, salmon, microwave, 1)"),
    ("I want the salmon to be inside the microwave.", "(INSIDE, salmon, microwave, 1)"),
    ("there should be 2 books on the nightstand", "(ON, book, nightstand, 2)"),
    ("put the apple and the banana in the fridge", "(INSIDE, apple, fridge, 1)-(INSIDE, banana, fridge, 1)"),
    ("put the milk into the fridge, then the cereal into the kitchen cabinet",
     "(INSIDE, milk, fridge, 1)-(INSIDE, cereal, kitchen cabinet, 1)"),
    ("put 1 toothbrush inside the bathroomcabinet", "(INSIDE, toothbrush, bathroom cabinet, 1)"),
    ("put 1 toothbrush inside the bathroomcabinet, put 1 apple on the kitchentable.",
     "(INSIDE, toothbrush, bathroom cabinet, 1)-(ON, apple, kitchen table, 1)"),
    ("put an apple into the fridge", "(INSIDE, apple, fridge, 1)"),
    ("put some milk in the fridge", "(INSIDE, milk, fridge, 1)"),
    ("put twelve apples in the fridge", "(INSIDE, apple, fridge, 12)"),
    ("Put 13 apples in the fridge!", "(INSIDE, apple, fridge, 13)"),
    ("put the two apples in the fridge", "(INSIDE, apple, fridge, 2)"),
    ("put two of the apples in the fridge", "(INSIDE, apple, fridge, 2)"),
    ("put one of my books on the bookshelf", "(ON, book, bookshelf, 1)"),
    ("please put the apple in the fridge", "(INSIDE, apple, fridge, 1)"),
    ("Could you put the apple in the fridge, please?", "(INSIDE, apple, fridge, 1)"),
    ("I would like you to place the plate in the dishwasher now", "(INSIDE, plate, dishwasher, 1)"),
    ("Robot, bring the book to the nightstand", "(ON, book, nightstand, 1)"),
    ("make sure that the milk is in the fridge", "(INSIDE, milk, fridge, 1)"),
    ("make sure there are two plates on the kitchen table", "(ON, plate, kitchen table, 2)"),
    ("the milk should be in the fridge", "(INSIDE, milk, fridge, 1)"),
    ("the milk must be put in the fridge", "(INSIDE, milk, fridge, 1)"),
    ("put the book back on the bookshelf", "(ON, book, bookshelf, 1)"),
    ("put the book onto the bookshelf", "(ON, book, bookshelf, 1)"),
    ("put the box on top of the fridge", "(ON, box, fridge, 1)"),
    ("put the box to the top of the fridge", "(ON, box, top of the fridge, 1)"),
    ("place three cherries within the fridge", "(INSIDE, cherry, fridge, 3)"),
    ("put 2 peaches and 3 knives in the kitchen cabinet",
     "(INSIDE, peach, kitchen cabinet, 2)-(INSIDE, knife, kitchen cabinet, 3)"),
    ("put 2 boxes on the bookshelf", "(ON, box, bookshelf, 2)"),
    ("put the bananas in the fridge", "(INSIDE, bananas, fridge, 1)"),
    ("put the glasses on the nightstand", "(ON, glasses, nightstand, 1)"),
    ("put two water glasses on the kitchen table", "(ON, water glass, kitchen table, 2)"),
    (
        "put the apple, the orange and a plate on the kitchen table and the milk in the fridge",
        "(ON, apple, kitchen table, 1)-(ON, orange, kitchen table, 1)-(ON, plate, kitchen table, 1)"
        "-(INSIDE, milk, fridge, 1)",
    ),
    ("put the apple in the fridge. Put a book on the nightstand.",
     "(INSIDE, apple, fridge, 1)-(ON, book, nightstand, 1)"),
    ("put the apple in the fridge; then put the plate in the dishwasher; finally, put the book on the bookshelf",
     "(INSIDE, apple, fridge, 1)-(INSIDE, plate, dishwasher, 1)-(ON, book, bookshelf, 1)"),
    ("put an apple in the fridge and another apple in the fridge",
     "(INSIDE, apple, fridge, 1)-(INSIDE, apple, fridge, 1)"),
    ("put the red wagon in the icebox", "(INSIDE, red wagon, icebox, 1)"),
    ("PUT  THE APPLE\nIN THE FRIDGE", "(INSIDE, apple, fridge, 1)"),
    ('"put the apple in the fridge"', "(INSIDE, apple, fridge, 1)"),
    ("put apple_2 in fridge_1", "(INSIDE, apple_2, fridge_1, 1)"),
    ("(INSIDE, apple, fridge, 2)-(ON, plate, kitchen table)", "(INSIDE, apple, fridge, 2)-(ON, plate, kitchen table)"),
    ("see to it that the milk is in the fridge", "(INSIDE, milk, fridge, 1)"),
    ("I want to have the milk in the fridge", "(INSIDE, milk, fridge, 1)"),
    ("put the go board into the microwave, and the goal is to have a book on the nightstand",
     "(INSIDE, go board, microwave, 1)-(ON, book, nightstand, 1)"),
])  # fmt: skip
def test_sentences(sentence: str, goal: str) -> None:
    assert read(asked(sentence)) == goal


@pytest.mark.parametrize("sentence", [
    "",
    "tidy up",
    "bring all apples",
    "bring all apples to the kitchen table",
    "put every plate in the dishwasher",
    "don't put the apple in the fridge",
    "never put the apple in the fridge",
    "put the apple in the fridge or the microwave",
    "put the apple in the fridge, not the microwave",
    "put the apple in the fridge but not on the kitchen table",
    "put the apple in the fridge and close it",
    "put the apple in the fridge and switch on the light",
    "take the apple from the fridge to the kitchen table",
    "take the apple and put it in the fridge",
    "put the apple next to the fridge",
    "put the apple in front of the fridge",
    "put the book on the kitchen table in the fridge",
    "put thirteen apples in the fridge",
    "put twenty-one apples in the fridge",
    "put 0 apples in the fridge",
    "put 99999999999999999999 apples in the fridge",
    "put a couple of apples in the fridge",
    "put the apple, and in the fridge",
    "throw the apple in the fridge",
    "where is the apple in the fridge?",
    "put the box to the stove",
    "put in the fridge the apple",
    "put in the fridge apple on the table",
    "put the apple at the icebox",
    "pon la manzana en la nevera",
    "把苹果放进冰箱",
])  # fmt: skip
def test_what_is_not_of_the_form_is_refused_and_told_the_form(sentence: str) -> None:
    answer = read(asked(sentence))
    assert answer.startswith("I do not understand")
    assert "It understands sentences such as" in answer


@pytest.mark.parametrize(("question", "sentence", "goal"), [
    (LOGISTICS, "put package obj11 at apt1", "(AT, package obj11, apt1, 1)"),
    (LOGISTICS, "load obj11 and obj12 into tru1", "(IN, obj11, tru1, 1)-(IN, obj12, tru1, 1)"),
    (LOGISTICS, "deliver obj11 to pos1 and fly apn1 to apt1", "(AT, obj11, pos1, 1)-(AT, apn1, apt1, 1)"),
    (BLOCKS, "put a on b and b on c", "(ON, a, b, 1)-(ON, b, c, 1)"),
    (BLOCKS, "stack the block a on the block b", "(ON, block a, block b, 1)"),
    (Translation("", ("on-shelf",), ("x",), ("y",)), "put x on shelf y", "(on-shelf, x, y, 1)"),
])  # fmt: skip
def test_other_domains(question: Translation, sentence: str, goal: str) -> None:
    relations, things, places = question.relations, question.things, question.places
    assert read(Translation(sentence, relations, things, places)) == goal


def test_a_relation_that_the_domain_lacks_is_refused() -> None:
    answer = read(Translation("put obj11 on pos1", ("AT", "IN"), ("obj11",), ("pos1",)))
    assert "'on' before 'pos1', where there is AT, IN" in answer


FRIDGE = ("inside", ("fridge", "kitchen cabinet"), ("apple_1", "apple_2", "milk_1"))
KINDS = (("apple", ("apple_1", "apple_2")), ("milk", ("milk_1",)), ("kitchen-cabinet", ("c_1", "c_2")), ("r2", ("r2",)))


@pytest.mark.parametrize(("sentence", "goal"), [
    ("put an apple in the fridge", "(exists (?x1 - apple) (inside ?x1 fridge))"),
    ("the milk should be in the fridge", "(inside milk fridge)"),
    ("put an apple and another apple in the fridge", "(at-least 2 (?x1 - apple) (inside ?x1 fridge))"),
    ("put two milk in the fridge", "(at-least 2 (?x - milk) (inside ?x fridge))"),
    ("put two apples in the kitchen cabinet and the milk in the fridge",
     "(and (exists (?x1 - kitchen-cabinet) (at-least 2 (?x2 - apple) (inside ?x2 ?x1))) (inside milk fridge))"),
    ("bring r2 to the fridge", "(at r2 fridge)"),
    ("bring the milk to the fridge", "(inside milk fridge)"),
    ("bring the milk to r2", "I do not understand 'to r2' of 'milk'"),
    ("put r2 in the fridge", "I do not understand 'in fridge' of 'r2'"),
    ("put apple_2 in the fridge", "(inside apple_2 fridge)"),
    ("put the milk in the icebox", "(inside milk icebox)"),
    ("(inside milk_1 fridge_1)", "(inside milk_1 fridge_1)"),
    ("put the milk in the fridge, then the apple", "I do not understand"),
    ("put the milk in the fridge, then the apple in the fridge", "I do not understand 'then' as an order"),
    ("all apples in the fridge", "I do not understand 'all apples'"),
])  # fmt: skip
def test_short_goals_in_pddl(sentence: str, goal: str) -> None:
    relations, fitting, held = zip(FRIDGE, ("at", ("fridge",), ("r2",)), strict=True)
    things, places = ("apple", "milk", "r2"), FRIDGE[1]
    question = WriteGoal(sentence, relations, things, places, fitting, kinds=(("thing", KINDS),), held=held)
    assert short_goal(question).startswith(goal)


PLACED = st.lists(
    st.tuples(
        st.lists(st.tuples(st.integers(1, 14), st.sampled_from(THINGS)), min_size=1, max_size=3),
        st.sampled_from(["in", "into", "inside", "within"]),
        st.sampled_from([place for place in CONTAINERS if place not in SURFACES]),
    ),
    min_size=1,
    max_size=3,
)
NUMBERED = {number: word for word, number in NUMBERS.items()}


BETWEEN = st.sampled_from([", ", " and ", "; then ", ". "])
AFTER = st.sampled_from(["", " back", " to be put"])


@given(PLACED, st.sampled_from(["please put ", "robot, I want ", "there should be "]), BETWEEN, AFTER, st.booleans())
def test_what_is_said_is_read_back(
    placed: list[tuple[list[tuple[int, str]], str, str]], verb: str, between: str, after: str, digits: bool
) -> None:
    def many(count: int, thing: str) -> str:
        return f"{count if digits else NUMBERED.get(count, count)} {thing}" if count > 1 else f"the {thing}"

    parts = [
        f"{verb}{' and '.join(many(*counted) for counted in things)}{after} {preposition} the {place}"
        for things, preposition, place in placed
    ]
    terms = [Term("INSIDE", thing, place, count) for things, _, place in placed for count, thing in things]
    assert read(asked(f"{between.join(parts)}, please")) == written(terms)


WORDS = (
    "put",
    "the",
    "a",
    "two",
    "of",
    "apple",
    "fridge",
    "in",
    "on",
    "top",
    "to",
    "and",
    "then",
    "should",
    "be",
    "all",
)
MARKS = (",", ".", ";", ":", "'", "(", ")", "?")


@given(st.lists(st.sampled_from(WORDS + MARKS), max_size=12), st.sampled_from(["", " "]))
def test_any_text_is_understood_or_refused(words: list[str], between: str) -> None:
    answer = read(asked(between.join(words)))
    assert answer.startswith(("(", "I do not understand "))
