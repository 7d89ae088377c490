"""Effects by chance are read as the actions that their outcomes are, or refused at their place."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from commonsense_planning import PddlError, Problem, read_problem
from commonsense_planning.cli.main import main
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.pddl.sections import Feature
from tests.data import write_task

DOMAIN = """(define (domain d) (:requirements :strips :typing :negative-preconditions :conditional-effects
  :probabilistic-effects)
  (:types thing) (:predicates (p ?x - thing) (q ?x - thing) (r))
  (:action Act :parameters (?x - thing) :precondition (not (p ?x)) :effect EFFECT))"""
PROBLEM = "(define (problem one) (:domain d) (:objects a b - thing) (:init) (:goal (p a)))"


def read(folder: Path, effect: str) -> Problem:
    return read_problem(*write_task(folder, DOMAIN.replace("EFFECT", effect), PROBLEM))


@pytest.mark.parametrize(("effect", "expected"), [
    ("(probabilistic 0.7 (p ?x))", [(0.7, ["p"]), (0.3, [])]),
    ("(probabilistic 0.5 (p ?x) 0.5 (q ?x))", [(0.5, ["p"]), (0.5, ["q"])]),
    ("(probabilistic 3/4 (p ?x) 1/4 (q ?x))", [(0.75, ["p"]), (0.25, ["q"])]),
    ("(oneof (p ?x) (q ?x) (and))", [(1 / 3, ["p"]), (1 / 3, ["q"]), (1 / 3, [])]),
    ("(and (r) (probabilistic 0.9 (p ?x)))", [(0.9, ["p", "r"]), (0.1, ["r"])]),
    ("(and (probabilistic 0.5 (p ?x)) (oneof (q ?x) (r)))",
     [(0.25, ["p", "q"]), (0.25, ["p", "r"]), (0.25, ["q"]), (0.25, ["r"])]),
    ("(probabilistic 0.5 (probabilistic 0.5 (p ?x)) 0.5 (p ?x))", [(0.75, ["p"]), (0.25, [])]),
    ("(when (not (q ?x)) (probabilistic 0.4 (p ?x)))", [(0.4, ["p"]), (0.6, [])]),
    ("(forall (?y - thing) (probabilistic 0.5 (p ?y)))",
     [(0.25, []), (0.25, ["p"]), (0.25, ["p"]), (0.25, ["p", "p"])]),
    ("(forall (?y - thing) (probabilistic 0.5 (forall (?y - thing) (q ?y))))",
     [(0.25, []), (0.25, ["q", "q"]), (0.5, ["q", "q"])]),
    ("(probabilistic 1.0 (p ?x))", []),
    ("(probabilistic 0.0 (p ?x) 1.0 (q ?x))", []),
])  # fmt: skip
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


@pytest.mark.parametrize(("effect", "said"), [
    ("(probabilistic 1.5 (p ?x))", "the probability 1.5; expected a number from 0 to 1"),
    ("(probabilistic 3/2 (p ?x))", "the probability 3/2; expected a number from 0 to 1"),
    ("(probabilistic 1/0 (p ?x))", "no number where a probability belongs"),
    ("(probabilistic 0.7 (p ?x) 0.7 (q ?x))", "sum to more than 1"),
    ("(probabilistic 0.7)", "'probabilistic' without pairs"),
    ("(probabilistic (p ?x) 0.7)", "no number where a probability belongs"),
    ("(oneof)", "'oneof' without effects; expected two or more effects"),
    ("(oneof (p ?x) (s ?x))", "undeclared predicate 's'"),
    ("(forall (?y ?z - thing) (and (probabilistic 0.5 (p ?y)) (probabilistic 0.5 (q ?z))))",
     " outcomes; expected at most 64"),
    (f"(oneof {' '.join('(and ' + '(p ?x) ' * n + ')' for n in range(70))})", "outcomes; expected at most 64"),
    (f"(and {'(probabilistic 0.5 (p ?x) 0.4 (q ?x)) ' * 5})", "243 outcomes; expected at most 64"),
])  # fmt: skip
def test_what_is_no_chance_is_refused_at_its_place(effect: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(PddlError) as caught:
        read(tmp_path, effect)
    assert said in str(caught.value)
    assert caught.value.place.line == 4


def test_a_choice_of_one_outcome_has_no_chance(tmp_path: Path) -> None:
    problem = read(tmp_path, "(oneof (p ?x))")
    assert not problem.outcomes
    assert "'oneof' with 1 effect" in problem.warnings[0].problem


def test_actions_are_counted_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read(tmp_path, "(oneof (p ?x) (q ?x) (r))")
    assert main(["check", str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl")]) == 0
    assert "1 action," in capsys.readouterr().out


def with_rewards(folder: Path, effect: str, problem: str = "(:goal-reward 100) (:metric maximize (reward))") -> Problem:
    domain = DOMAIN.replace(":probabilistic-effects", ":probabilistic-effects :rewards").replace("EFFECT", effect)
    text = PROBLEM.replace("(:init)", "(:init (= (reward) 0))")
    return read_problem(*write_task(folder, domain, f"{text[:-1]} {problem})"))


def test_what_is_taken_off_the_reward_is_a_cost_and_what_is_added_is_counted(tmp_path: Path) -> None:
    effect = "(and (decrease (reward) 2) (probabilistic 0.5 (and (p ?x) (increase (reward) 3) (increase (reward) 4))))"
    problem = with_rewards(tmp_path, effect)
    assert problem.total_cost and problem.plain_text == problem.normal_text
    assert ground(problem).operators.cost.tolist() == [2] * 4
    plan = parse_plan("(act--2 a)\n(Act a)", Path("plan"))
    assert problem.reward(replace(plan, cost=4), reached=True) == 100 + 7 - 4
    assert problem.reward(replace(plan, cost=4), reached=False) == 7 - 4


@pytest.mark.parametrize(("effect", "problem", "expected"), [
    ("(p ?x)", "(:goal-reward 5)", 5),
    ("(p ?x)", "(:metric maximize (reward))", 0),
    ("(and (p ?x) (increase (reward) 1))", "", 1),
])  # fmt: skip
def test_rewards_alone_are_no_costs(effect: str, problem: str, expected: float, tmp_path: Path) -> None:
    read = with_rewards(tmp_path, effect, problem)
    assert not read.total_cost
    assert read.reward(parse_plan("(act a)", Path("plan")), reached=True) == expected


@pytest.mark.parametrize(("effect", "problem", "said"), [
    ("(and (p ?x) (decrease (reward) -1))", "", "a negative cost"),
    ("(and (p ?x) (increase (reward) (r)))", "", "a reward that is no number is not supported"),
    ("(when (q ?x) (decrease (reward) 1))", "", "rewards on a condition are not supported"),
    ("(and (decrease (reward) 1) (decrease (reward) 1))", "", "a second cost of one action"),
    ("(and (decrease (reward) 1) (increase (total-cost) 1))", "", "costs beside rewards are not supported"),
    ("(p ?x)", "(:goal-reward much)", "':goal-reward' without a number"),
    ("(p ?x)", "(:metric maximize (total-cost))", "metrics to maximize are not supported"),
])  # fmt: skip
def test_rewards_that_make_no_sense_are_refused(effect: str, problem: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(PddlError) as caught:
        with_rewards(tmp_path, effect, problem)
    assert said in str(caught.value)


def test_a_domain_without_rewards_has_none(tmp_path: Path) -> None:
    assert read(tmp_path, "(p ?x)").reward(parse_plan("(act a)", Path("plan")), reached=True) is None


def test_episodes_tell_the_mean_reward(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_rewards(tmp_path, "(and (decrease (reward) 2) (p ?x))")
    files = [str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl")]
    assert main(["solve", *files, "--episodes", "2", "--method", "gbfs", "--json"]) == 0
    told = capsys.readouterr()
    assert [json.loads(line)["reward"] for line in told.out.splitlines()] == [98, 98]
    assert "cost 2.0 ± 0.0 where solved; reward 98.0 ± 0.0" in told.err
