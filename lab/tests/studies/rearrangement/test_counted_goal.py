"""The PDDL of "at least n of these things": it holds in exactly the right states."""

import itertools
from collections.abc import Sequence

import pytest

from commonsense_lab.studies.rearrangement.goal_reader import CountedGoal, formula
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.instructions.goal_formula import MOST_BINDINGS, relations_of
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text

DOMAIN = """(define (domain d) (:requirements :typing :equality :disjunctive-preconditions :existential-preconditions)
  (:types ball box - object) (:predicates (in ?x - ball ?y - box) (red ?x - ball))
  (:action put :parameters (?x - ball ?y - box) :effect (in ?x ?y)))"""
BALLS, BOXES = ("B1", "b2", "b3", "b4"), ("box1", "box2")


def problem(balls: Sequence[str], red: Sequence[str], goal: str = "(and)", boxes: Sequence[str] = BOXES) -> Problem:
    objects, init = f"{' '.join(balls)} - ball {' '.join(boxes)} - box", " ".join(f"(red {ball})" for ball in red)
    text = f"(define (problem p) (:domain d) (:objects {objects}) (:init {init}) (:goal {goal}))"
    return read_problem(Text(DOMAIN), Text(text))


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("told_apart", [True, False])
@pytest.mark.parametrize("boxes", [("box1",), BOXES])
def test_it_holds_where_that_many_are_in_one_box(count: int, told_apart: bool, boxes: tuple[str, ...]) -> None:
    wanted_ones = BALLS[:3]
    red = wanted_ones if told_apart else BALLS
    lifted = lift(problem(BALLS, red))
    number = {lifted.problem.spell(name): i for i, name in enumerate(lifted.objects)}
    there = {number[box]: tuple(number[ball] for ball in wanted_ones) for box in boxes}
    wish = CountedGoal(relations_of(lifted)[0], there, count)
    text = formula(wish, lifted)
    assert ("exists" in text) == (told_apart and count < 3)
    task = ground(problem(BALLS, red, text))
    facts = {task.facts[f]: f for f in range(task.fact_count)}
    wanted = [set(task.goal.pos.row(d).tolist()) for d in range(len(task.goal.pos))]
    assert len(wanted) == wish.choices
    for state in itertools.chain.from_iterable(itertools.combinations(sorted(facts), n) for n in range(5)):
        inside = [sum(("in", (ball, box)) in state for ball in balls) for box, balls in there.items()]
        true = {facts[atom] for atom in state}
        assert any(goal <= true for goal in wanted) == (max(inside) >= count), state


def test_a_count_with_very_much_choice_is_written_out() -> None:
    balls = [f"b{i}" for i in range(9)]
    lifted = lift(problem(balls, balls, boxes=("box1",)))
    relation = relations_of(lifted)[0]
    wishes = [CountedGoal(relation, relation.pairs, count) for count in (2, 3)]
    assert 9 * 8 <= MOST_BINDINGS < 9 * 8 * 7
    assert ["exists" in formula(wish, lifted) for wish in wishes] == [True, False]
    assert formula(wishes[1], lifted).count("(and") == wishes[1].choices == 84
