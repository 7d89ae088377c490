"""Orders and what cannot be at once, as PDDL3."""

from __future__ import annotations

import pytest

from commonsense_planning.errors import PddlError
from commonsense_planning.instructions.pddl_goal import PddlGoalReader
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.wording.lexicon import Lexicon
from tests.data import REPOSITORY
from tests.scripted import HOUSEHOLD

KNOWN = [("in-room", "livingroom"), ("on", "radio_1", "bookshelf_1"), ("instance-of", "radio_1", "radio")]


@pytest.fixture(scope="module")
def reader() -> PddlGoalReader:
    problem = read_problem(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "two-apples.pddl")
    return PddlGoalReader(problem, Lexicon.read(HOUSEHOLD / "lexicon.toml"), KNOWN)


@pytest.mark.parametrize(("answer", "goal", "constraints"), [
    ("(then (on milk desk) (on juice desk))", "(and (on milk_1 desk_1) (on juice_1 desk_1))",
     ("(sometime-before (on juice_1 desk_1) (on milk_1 desk_1))",)),
    (  # the second undoes the first
        "(then (on milk desk) (inside milk fridge))",
        "(inside milk_1 fridge_1)",
        ("(sometime-before (inside milk_1 fridge_1) (on milk_1 desk_1))",),
    ),
    (  # so at first
        "(then (opened oven) (not (opened oven)))",
        "(not (opened oven_1))",
        ("(sometime (and (opened oven_1) (opened oven_1)))",),
    ),
    (  # one may come through the kitchen before
        "(then (on milk desk) (in-room kitchen))",
        "(and (on milk_1 desk_1) (in-room kitchen))",
        ("(sometime (and (on milk_1 desk_1) (not (in-room kitchen))))",),
    ),
    ("(before (on milk desk) (in-room kitchen))", "(and (on milk_1 desk_1) (in-room kitchen))",
     ("(sometime-before (in-room kitchen) (on milk_1 desk_1))",)),
    (  # where the robot goes on its way is no goal
        "(then (in-room kitchen) (on milk desk))",
        "(on milk_1 desk_1)",
        ("(sometime-before (on milk_1 desk_1) (in-room kitchen))",),
    ),
    (  # the first of them has to wait
        "(then (on milk desk) (forall (?p - pillow) (on ?p sofa)))",
        "(and (on milk_1 desk_1) (forall (?p - movable) (imply (instance-of ?p pillow) (on ?p sofa_1))))",
        (
            "(sometime-before (exists (?p - movable) (and (instance-of ?p pillow) (on ?p sofa_1)))"
            " (on milk_1 desk_1))",
        ),
    ),
    ("(sometime (on milk desk))", "(and)", ("(sometime (on milk_1 desk_1))",)),
])  # fmt: skip
def test_an_order_is_pddl3(reader: PddlGoalReader, answer: str, goal: str, constraints: tuple[str, ...]) -> None:
    found = reader.read(answer, "scripted", LexicalMatcher())
    assert (found.pddl, found.constraints) == (goal, constraints)


def test_it_is_said_in_english(reader: PddlGoalReader) -> None:
    found = reader.read("(and (then (on milk desk) (in-room kitchen)) (sometime (opened oven)))", "x", LexicalMatcher())
    assert found.english == (
        "first the milk is on the desk, then the robot is in kitchen",
        "sometime: the oven is open",
    )


@pytest.mark.parametrize(("answer", "why"), [
    ("(and (on milk desk) (inside milk fridge))", "never so at once"),
    ("(and (forall (?a - apple) (on ?a desk)) (on apple_1 sofa))", "never so at once"),
    ("(and (in-room kitchen) (in-room bathroom))", "never so at once"),
    ("(and (on milk desk) (always (not (on milk desk))))", "cannot be so at once"),
    ("(and (holding milk) (holding juice))", "never so at once"),  # one hand
    ("(then (on milk desk))", "'then' has no order"),
    ("(then (on milk desk) (on milk desk))", "the same twice"),
    ("(then (on milk desk) (forall (?r - radio) (on ?r bookshelf)))", "is so at first"),
    ("(or (then (on milk desk) (on juice desk)) (opened oven))", "inside another condition"),
    ("(sometime-before (on milk desk))", "'sometime-before' has 1 operand"),
])  # fmt: skip
def test_what_cannot_be_is_refused_at_its_place(reader: PddlGoalReader, answer: str, why: str) -> None:
    with pytest.raises(PddlError, match=why):
        reader.read(answer, "scripted", LexicalMatcher())


def test_a_thing_may_be_in_two_relations_that_do_not_exclude_each_other() -> None:
    folder = REPOSITORY / "pddl" / "flights"
    problem = read_problem(folder / "domain.pddl", folder / "problems" / "short-oslo-athens.pddl")
    own = PddlGoalReader(problem, Lexicon.read(folder / "lexicon.toml"))
    assert own.read("(and (visited rome) (visited london))", "x", LexicalMatcher()).constraints == ()
