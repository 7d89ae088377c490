"""The PDDL of "at least n of these things": it holds in exactly the right states."""

import itertools
from pathlib import Path

import pytest

from commonsense_lab.studies.rearrangement.goal_reader import CountedGoal, formula
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.instructions.goal_formula import MOST_BINDINGS, relations_of
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.variants import with_goal

DOMAIN = """(define (domain d) (:requirements :typing :equality :disjunctive-preconditions :existential-preconditions)
  (:types ball box - object) (:predicates (in ?x - ball ?y - box) (red ?x - ball))
  (:action put :parameters (?x - ball ?y - box) :effect (in ?x ?y)))"""
BALLS, BOXES = ("B1", "b2", "b3", "b4"), ("box1", "box2")


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("told_apart", [True, False])
@pytest.mark.parametrize("boxes", [("box1",), BOXES])
def test_it_holds_where_that_many_are_in_one_box(
    tmp_path: Path, count: int, told_apart: bool, boxes: tuple[str, ...]
) -> None:
    red = BALLS[:3]
    domain, plain, out = (tmp_path / name for name in ("d.pddl", "p.pddl", "q.pddl"))
    domain.write_text(DOMAIN)
    init = " ".join(f"(red {ball})" for ball in (red if told_apart else BALLS))
    objects = f"{' '.join(BALLS)} - ball {' '.join(BOXES)} - box"
    plain.write_text(f"(define (problem p) (:domain d) (:objects {objects}) (:init {init}) (:goal (and)))")
    lifted = lift(read_problem(domain, plain))
    number = {lifted.problem.spell(name): i for i, name in enumerate(lifted.objects)}
    wish = CountedGoal(relations_of(lifted)[0], {number[b]: tuple(number[r] for r in red) for b in boxes}, count)
    text = formula(wish, lifted)
    assert ("exists" in text) == (told_apart and count < 3)
    with_goal(domain, plain, text, out)
    task = ground(read_problem(domain, out))
    facts = {task.facts[f]: f for f in range(task.fact_count)}
    wanted = [set(task.goal.pos.row(d).tolist()) for d in range(len(task.goal.pos))]
    assert len(wanted) == wish.choices
    for state in itertools.chain.from_iterable(itertools.combinations(sorted(facts), n) for n in range(5)):
        inside = {box: sum(("in", (number[r], number[box])) in state for r in red) for box in boxes}
        true = {facts[atom] for atom in state}
        assert any(goal <= true for goal in wanted) == (max(inside.values()) >= count), state


def test_a_count_with_very_much_choice_is_written_out(tmp_path: Path) -> None:
    balls = [f"b{i}" for i in range(9)]
    (tmp_path / "d.pddl").write_text(DOMAIN)
    (tmp_path / "p.pddl").write_text(
        f"(define (problem p) (:domain d) (:objects {' '.join(balls)} - ball x - box)"
        f"(:init {' '.join(f'(red {ball})' for ball in balls)}) (:goal (and)))"
    )
    lifted = lift(read_problem(tmp_path / "d.pddl", tmp_path / "p.pddl"))
    relation = relations_of(lifted)[0]
    wishes = [CountedGoal(relation, relation.pairs, count) for count in (2, 3)]
    assert 9 * 8 <= MOST_BINDINGS < 9 * 8 * 7
    assert ["exists" in formula(wish, lifted) for wish in wishes] == [True, False]
    assert formula(wishes[1], lifted).count("(and") == wishes[1].choices == 84
