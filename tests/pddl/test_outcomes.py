"""Effects by chance are read as the actions that their outcomes are, or refused at their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.cli.main import main
from commonsense_planning.errors import PddlError
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.sections import Feature

DOMAIN = """(define (domain d) (:requirements :strips :typing :negative-preconditions :conditional-effects
  :probabilistic-effects)
  (:types thing) (:predicates (p ?x - thing) (q ?x - thing) (r))
  (:action Act :parameters (?x - thing) :precondition (not (p ?x)) :effect EFFECT))"""
PROBLEM = "(define (problem one) (:domain d) (:objects a b - thing) (:init) (:goal (p a)))"


def read(folder: Path, effect: str) -> Problem:
    (folder / "domain.pddl").write_text(DOMAIN.replace("EFFECT", effect))
    (folder / "problem.pddl").write_text(PROBLEM)
    return read_problem(folder / "domain.pddl", folder / "problem.pddl")


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        ("(probabilistic 0.7 (p ?x))", [(0.7, ["p"]), (0.3, [])]),
        ("(probabilistic 0.5 (p ?x) 0.5 (q ?x))", [(0.5, ["p"]), (0.5, ["q"])]),
        ("(oneof (p ?x) (q ?x) (and))", [(1 / 3, ["p"]), (1 / 3, ["q"]), (1 / 3, [])]),
        ("(and (r) (probabilistic 0.9 (p ?x)))", [(0.9, ["p", "r"]), (0.1, ["r"])]),
        (
            "(and (probabilistic 0.5 (p ?x)) (oneof (q ?x) (r)))",
            [(0.25, ["p", "q"]), (0.25, ["p", "r"]), (0.25, ["q"]), (0.25, ["r"])],
        ),
        ("(probabilistic 0.5 (probabilistic 0.5 (p ?x)) 0.5 (p ?x))", [(0.75, ["p"]), (0.25, [])]),
        ("(when (not (q ?x)) (probabilistic 0.4 (p ?x)))", [(0.4, ["p"]), (0.6, [])]),
        ("(probabilistic 1.0 (p ?x))", []),
        ("(probabilistic 0.0 (p ?x) 1.0 (q ?x))", []),
    ],
)
def test_an_action_is_read_as_its_outcomes(
    effect: str, expected: list[tuple[float, list[str]]], tmp_path: Path
) -> None:
    problem = read(tmp_path, effect)
    assert Feature.CHANCE in problem.features
    task = ground(problem)
    found = []
    for operator in range(task.operator_count):
        if str(task.step(operator)).endswith(" a)") and problem.outcomes:
            rows = [task.operators.add.row(operator)]
            span = range(task.operators.effect_start[operator], task.operators.effect_end[operator])
            rows += [task.operators.cond_add.row(e) for e in span]
            added = sorted(task.facts[f][0] for row in rows for f in row.tolist())
            found.append((pytest.approx(task.outcomes.chance[operator]), added))
    assert sorted(found, key=lambda o: o[1]) == sorted(expected, key=lambda o: o[1])
    assert all(first == "act" for first, _ in problem.outcomes.values())


def test_outcomes_of_one_action_are_linked(tmp_path: Path) -> None:
    task = ground(read(tmp_path, "(oneof (p ?x) (q ?x) (r))"))
    names = [str(task.step(operator)) for operator in range(task.operator_count)]
    first, following, chance = task.outcomes
    for thing in "ab":
        chain, here = [], names.index(f"(Act {thing})")
        assert first[here] == here
        while here >= 0:
            chain.append(names[here])
            here = int(following[here])
        assert chain == [f"(Act {thing})", f"(Act--2 {thing})", f"(Act--3 {thing})"]
    assert chance.tolist() == pytest.approx([1 / 3] * 6)


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        ("(probabilistic 1.5 (p ?x))", "the probability 1.5; expected numbers from 0 to 1"),
        ("(probabilistic 0.7 (p ?x) 0.7 (q ?x))", "sum to more than 1"),
        ("(probabilistic 0.7)", "'probabilistic' without pairs"),
        ("(probabilistic (p ?x) 0.7)", "no number where a probability belongs"),
        ("(oneof (p ?x))", "'oneof' with 1 effect; expected two or more effects"),
        ("(oneof (p ?x) (s ?x))", "undeclared predicate 's'"),
        ("(forall (?y - thing) (probabilistic 0.5 (p ?y)))", "under 'forall' is not supported"),
        (f"(oneof {' '.join('(and ' + '(p ?x) ' * n + ')' for n in range(70))})", "too many outcomes"),
        (f"(and {'(probabilistic 0.5 (p ?x) 0.4 (q ?x)) ' * 5})", "too many outcomes; expected at most 64"),
    ],
)
def test_what_is_no_chance_is_refused_at_its_place(effect: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(PddlError) as caught:
        read(tmp_path, effect)
    assert said in str(caught.value)
    assert caught.value.place.line == 4


def test_actions_are_counted_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read(tmp_path, "(oneof (p ?x) (q ?x) (r))")
    assert main(["check", str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl")]) == 0
    assert "1 action," in capsys.readouterr().out
