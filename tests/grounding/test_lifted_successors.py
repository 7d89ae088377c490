"""Operators and successors of a lifted task are those of the grounded one."""

import random
from pathlib import Path

import pytest

from commonsense_planning import (
    InputError,
    Problem,
    StateView,
    Step,
    Text,
    TransitionModel,
    make_state,
    read_problem,
    read_task,
)
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.grounding.lifted_successors import LiftedTask
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.state import facts_in
from tests.derived_problems import read
from tests.oracle.drawing import random_files
from tests.towers import write_files


def same_along_a_walk(problem: Problem, steps: int, seed: int) -> int:
    """Compare both tasks along a random walk, from there back at once; how many states were seen."""
    rng = random.Random(seed)
    task = ground(problem)
    compiled = compile_task(task)
    transition, lifted = TransitionModel(compiled), LiftedTask(lift(problem))
    spell = problem.spell
    atoms = [(spell(p), *(spell(task.objects[o]) for o in terms)) for p, terms in task.facts]
    state, facts = make_state(compiled, task.init), lifted.start
    seen = [(state, facts)]
    constant = lifted.start - {atoms[f] for f in facts_in(StateView(compiled, state).true)}
    for _ in range(steps):
        lifted.go_to(facts)
        assert facts == constant | {atoms[f] for f in facts_in(StateView(compiled, state).true)}
        assert lifted.reached() == transition.reached(state)
        behind = {}
        for schema in range(len(lifted.lifted.schemas)):
            operators = list(lifted.operators(schema))
            assert len(set(operators)) == len(operators)
            for operator in operators:
                added, deleted = lifted.effects(operator)
                assert not added & facts and deleted <= facts
                behind[Step(operator.name, operator.arguments)] = (facts - deleted) | added
        successors = {task.step(operator): after for operator, after in transition.successors(state)}
        assert {step: constant | {atoms[f] for f in facts_in(StateView(compiled, after).true)}
                for step, after in successors.items()} == behind  # fmt: skip
        if not behind:
            break
        step = rng.choice(sorted(behind, key=str))
        state, facts = successors[step], behind[step]
        seen.append((state, facts))
        if rng.random() < 0.3:
            state, facts = rng.choice(seen)
    return len(seen)


def test_of_random_domains_with_all_features(tmp_path: Path) -> None:
    walked = 0
    for seed in range(60):
        files = random_files(random.Random(seed), tmp_path)
        walked += same_along_a_walk(read_problem(*files), 8, seed)
    assert walked > 100


@pytest.mark.parametrize("problem", ["small-apple", "plate-chicken"])
def test_of_a_household(problem: str) -> None:
    assert same_along_a_walk(read_task(f"household:{problem}").problem, 12, 0) > 10


def test_what_only_a_grounded_task_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="derived predicates"):
        LiftedTask(lift(read(tmp_path)))


def test_an_operator_is_listed_once_where_a_literal_repeats_a_variable() -> None:
    domain = Text(
        "(define (domain d) (:requirements :strips) (:predicates (r ?x ?y) (s ?x ?y ?z) (done ?x ?y))"
        " (:action go :parameters (?x) :precondition (r ?x ?x) :effect (done ?x ?x))"
        " (:action on :parameters (?x ?y) :precondition (and (s ?x ?y ?x) (r ?y ?y)) :effect (done ?x ?y)))"
    )
    problem = Text(
        "(define (problem p) (:domain d) (:objects a b c) (:init (r a a) (r b a) (r c a) (r b b) (s a b a) (s b b a)"
        " (s c a c) (s c c c)) (:goal (done a a)))"
    )
    task = LiftedTask(lift(read_problem(domain, problem)))
    assert sorted(o.arguments for o in task.operators(0)) == [("a",), ("b",)]
    assert sorted(o.arguments for o in task.operators(1)) == [("a", "b"), ("c", "a")]


def test_ways_to_a_goal(tmp_path: Path) -> None:
    domain, (file,) = write_files(tmp_path, (2,))
    domain.write_text(domain.read_text().replace(":strips", ":adl"))
    head = file.read_text().partition("(:goal")[0]
    file.write_text(f"{head}(:goal (or (forall (?a) (clear ?a)) (and (heavier b0 b1) (not (on b0 b1))))))")
    task = LiftedTask(lift(read_problem(domain, file)))
    assert task.ways(2) == [([("clear", "b0"), ("clear", "b1")], []), ([], [("on", "b0", "b1")])]
    with pytest.raises(InputError, match="2 ways, and a heuristic takes 1"):
        task.ways(1)
    assert task.wanted() == {("clear", "b0"), ("clear", "b1")}
