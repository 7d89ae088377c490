"""A task with expanded quantifiers means the same, by the replay on random tasks."""

import itertools
import random
from pathlib import Path

import pytest

from commonsense_planning import Plan, Problem, Verdict, read_problem
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.support.reading import Text
from commonsense_planning.validation.expansion import expanded
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.val import validate_with_val
from tests.oracle.drawing import draw
from tests.oracle.meaning import Meaning

DOMAIN = """(define (domain chain) (:requirements :adl :derived-predicates)
 (:predicates (edge ?a ?b) (mark ?a) (lit ?a) (linked ?a) (dark ?a) (done))
 (:derived (linked ?a) (exists (?b ?c ?d ?e)
   (and (edge ?a ?b) (edge ?b ?c) (lit ?c) (edge ?c ?d) (edge ?d ?e) (mark ?e))))
 (:derived (dark ?a) (forall (?b ?c ?d ?e)
   (imply (and (edge ?a ?b) (edge ?b ?c) (edge ?c ?d) (edge ?d ?e)) (not (lit ?c)))))
 (:action light :parameters (?a) :effect (lit ?a))
 (:action end :parameters (?a ?b) :precondition (and (linked ?a) (dark ?b)) :effect (done)))"""


def chain(places: int) -> Problem:
    """A chain of six places among more; a quantifier over four of them has ``places ** 4`` combinations."""
    names = [f"p{i}" for i in range(places)]
    edges = " ".join(f"(edge {a} {b})" for a, b in itertools.pairwise(names[:6]))
    objects = " ".join(names)
    text = f"(define (problem p) (:domain chain) (:objects {objects}) (:init {edges} (mark p4)) (:goal (done)))"
    return read_problem(Text(DOMAIN), Text(text))


@pytest.mark.parametrize(("lit", "verdict"), [("p2", Verdict.VALID), ("p3", Verdict.INVALID)])
def test_val_judges_what_would_take_it_forever(lit: str, verdict: Verdict) -> None:
    plan = plan_of(f"(light {lit})", "(end p0 p3)")
    found = validate_with_val(chain(80), plan)
    assert (found.verdict, replay(chain(6), plan).verdict) == (verdict, verdict), found
    assert "asked about the task in normal form" in found.reason
    assert expanded(chain(80), most=80**4) is None


def plan_of(*lines: str) -> Plan:
    return parse_plan("\n".join(lines), Path("plan"))


@pytest.mark.parametrize("first", range(0, 80, 40))
def test_random_tasks_mean_the_same(first: int, tmp_path: Path) -> None:
    written = 0
    for seed in range(first, first + 40):
        rng = random.Random(seed)
        tree = draw(rng)
        task = read_problem(*tree.write(tmp_path / "domain.pddl", tmp_path / "problem.pddl"))
        texts = expanded(task, most=0)
        if texts is None:
            continue
        written += 1
        other, meaning = read_problem(Text(texts[0]), Text(texts[1])), Meaning(tree)
        facts, plan = tree.init, []
        for _ in range(6):
            moves = meaning.moves(facts)
            if not moves:
                break
            move, _, facts = moves[rng.randrange(len(moves))]
            plan.append(" ".join(move))
            steps = plan_of(*(f"({step})" for step in plan))
            before, after = replay(task, steps), replay(other, task.in_normal_form(steps))
            assert (before.verdict, before.step) == (after.verdict, after.step), (seed, plan)
    assert written > 3
