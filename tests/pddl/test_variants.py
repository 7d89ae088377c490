"""Problems with another start or goal: worlds drawn from contingent problems, and the possible worlds themselves."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.errors import BudgetError, InputError, PddlError, Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pddl.problem import Alternative, ContingentInit, GroundLiteral
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.variants import draw_world, has_goal, with_goal, with_world
from commonsense_planning.pddl.worlds import parts_of
from commonsense_planning.task import read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from tests.data import APPLE

HOME, SMALL = APPLE
CHOICES = ("(inside apple_1 fridge)", "(inside apple_1 kitchencabinet)", "(on apple_1 kitchentable)")


@pytest.fixture
def contingent(tmp_path: Path) -> Path:
    """small-apple with the apple at one of three places; the goal is none of them."""
    text = SMALL.read_text().replace(CHOICES[0], f"(oneof {' '.join(CHOICES)})\n    (unknown (opened fridge))")
    path = tmp_path / "contingent.pddl"
    path.write_text(text.replace("(:goal (on apple_1 kitchentable))", "(:goal (on apple_1 bathroomcounter))"))
    return path


def test_one_of_each_oneof_is_true_and_the_rest_of_the_file_stays(contingent: Path) -> None:
    problem = read_problem(HOME, contingent)
    seen = set()
    for seed in range(30):
        world = with_world(problem, draw_world(problem, np.random.default_rng(seed)))
        held = [choice for choice in CHOICES if choice in world]
        assert len(held) == 1
        seen.add((held[0], "(opened fridge)" in world))
        assert "(inside plate_1 kitchencabinet) (on toothbrush_1 bathroomcounter))" in world
    assert len(seen) == 6


@pytest.mark.parametrize("seed", range(3))
def test_an_agent_acts_in_the_drawn_world(contingent: Path, tmp_path: Path, seed: int) -> None:
    world = tmp_path / "world.pddl"
    task = read_task(HOME, contingent, world=world, seed=seed)
    again = read_task(HOME, contingent, world=world, seed=seed + 1)  # the file is there: it is the world
    assert [str(a) for a in again.problem.tarski.init.as_atoms()] == [
        str(a) for a in task.problem.tarski.init.as_atoms()
    ]
    solution = solve(Request(task, method_named("llm-replan"), seed=seed))
    assert solution.status == Status.SOLVED
    assert replay(task.problem, solution.plan).verdict == Verdict.VALID


def test_without_a_file_the_world_is_drawn_by_the_seed(contingent: Path, tmp_path: Path) -> None:
    drawn = {seed: read_task(HOME, contingent, seed=seed) for seed in range(6)}
    assert len({task.drawn for task in drawn.values()}) > 1
    task = read_task(HOME, contingent, world=tmp_path / "world.pddl", seed=1)
    assert task.drawn == drawn[1].drawn
    solution = solve(Request(drawn[1], method_named("llm-mcts"), seed=1))
    assert replay(task.problem, solution.plan).verdict == Verdict.VALID


DOMAIN = """(define (domain d) (:requirements :strips) (:predicates (p ?x) (q ?x)) (:functions (total-cost))
  (:action a :parameters (?x) :precondition (p ?x) :effect (and (q ?x) (increase (total-cost) 1))))
"""
HEAD = "; a comment (:goal (q b))\n(define (problem n) (:domain d)\n\t(:objects A b) ; names\n  (:init (p A) (p b))\n"
TAIL = "  (:metric minimize (total-cost)))\n; the end\n"


@pytest.fixture
def domain(tmp_path: Path) -> Path:
    path = tmp_path / "domain.pddl"
    path.write_text(DOMAIN)
    return path


def rewritten(domain: Path, text: str, goal: str) -> str:
    problem, out = domain.with_name("problem.pddl"), domain.with_name("out.pddl")
    problem.write_bytes(text.encode())
    with_goal(domain, problem, goal, out)
    read_problem(domain, out)
    assert problem.read_bytes() == text.encode()
    return out.read_bytes().decode()


def test_all_but_the_goal_stays(domain: Path) -> None:
    text = HEAD + "  (:goal (and ; why)\n     (q A) (q b))) ; after\n" + TAIL
    assert rewritten(domain, text, "(q b)") == HEAD + "  (:goal (q b)) ; after\n" + TAIL


def test_a_problem_without_a_goal_gets_one(domain: Path) -> None:
    assert rewritten(domain, HEAD + TAIL, "(q b)") == HEAD + "  (:goal (q b))\n" + TAIL
    bare = HEAD.rstrip() + ")\n"
    assert rewritten(domain, bare, "(q b)") == HEAD.rstrip() + "\n  (:goal (q b)))\n"
    assert not has_goal(domain.with_name("problem.pddl"))
    assert has_goal(domain.with_name("out.pddl"))


def test_constraints_are_added_to_those_that_are_there(domain: Path) -> None:
    problem, out = domain.with_name("problem.pddl"), domain.with_name("out.pddl")
    for before, after in (
        ("", "(:goal (q b))\n  (:constraints (and (always (p A)) (always (p b))))"),
        ("(:constraints (always (p A)))", "(:constraints (and (always (p A)) (always (p A)) (always (p b))))"),
    ):
        problem.write_text(f"{HEAD}(:goal (q A)) {before}{TAIL}")
        with_goal(domain, problem, "(q b)", out, ["(always (p A))", "(always (p b))"])
        assert after in out.read_text()
        assert len(read_problem(domain, out).constraints) == 2 + bool(before)
    with pytest.raises(PddlError):
        with_goal(domain, problem, "(q b)", out, ["(always (p nobody))"])


def test_line_ends_stay(domain: Path) -> None:
    text = (HEAD + "  (:goal (q A))\n" + TAIL).replace("\n", "\r\n")
    assert rewritten(domain, text, "(q b)") == text.replace("(:goal (q A))", "(:goal (q b))")


@pytest.mark.parametrize("goal", ["(q c)", "(q ?x)", "(q b", "(q b))", "q", "(r b)", "(q b) (q A)", ""])
def test_what_is_not_a_goal_is_refused_and_nothing_is_written(domain: Path, goal: str) -> None:
    with pytest.raises(PddlError):
        rewritten(domain, HEAD + "(:goal (q A))" + TAIL, goal)
    assert not domain.with_name("out.pddl").exists()


def test_the_users_file_is_never_overwritten(domain: Path) -> None:
    problem = domain.with_name("problem.pddl")
    problem.write_text(HEAD + "(:goal (q A))" + TAIL)
    with pytest.raises(InputError, match="another file"):
        with_goal(domain, problem, "(q b)", problem)
    with pytest.raises(InputError, match="cannot write"):
        with_goal(domain, problem, "(q b)", domain.parent / "no" / "out.pddl")


ATOMS = "pqrstu"
LITERALS = st.builds(GroundLiteral, st.sampled_from(ATOMS), st.booleans())
ALTERNATIVES = st.lists(LITERALS, min_size=1, max_size=2).map(tuple)
CONSTRAINTS = st.lists(st.lists(ALTERNATIVES, min_size=2, max_size=3).map(tuple), max_size=4).map(tuple)


def holds(alternative: Alternative, world: dict[str, bool]) -> bool:
    return all(world[atom] == positive for atom, positive in alternative)


def brute(init: ContingentInit) -> set[frozenset[str]]:
    atoms = sorted(set(init.atoms))
    found = set()
    for values in itertools.product((False, True), repeat=len(atoms)):
        world = dict(zip(atoms, values, strict=True))
        exact = all(sum(holds(a, world) for a in choices) == 1 for choices in init.oneof)
        if exact and all(any(holds(a, world) for a in clause) for clause in init.clauses):
            found.add(frozenset(atom for atom in atoms if world[atom]))
    return found


@given(CONSTRAINTS, CONSTRAINTS, st.lists(st.sampled_from(ATOMS)).map(tuple))
def test_the_parts_together_have_just_the_possible_worlds(
    oneof: tuple[tuple[Alternative, ...], ...], clauses: tuple[tuple[Alternative, ...], ...], unknown: tuple[str, ...]
) -> None:
    init = ContingentInit(oneof, clauses, unknown)
    expected = brute(init)
    if not expected:
        with pytest.raises(InputError, match="contradict each other"):
            parts_of(init)
        return
    parts = parts_of(init)
    found = []
    for rows in itertools.product(*(part.worlds for part in parts)):
        true = [np.array(part.atoms)[row] for part, row in zip(parts, rows, strict=True)]
        found.append(frozenset(str(atom) for some in true for atom in some))
    assert (len(found), set(found)) == (len(expected), expected)
    assert sorted(a for part in parts for a in part.atoms) == sorted(set(init.atoms))


def one_of(*atoms: str) -> tuple[Alternative, ...]:
    return tuple((GroundLiteral(atom, True),) for atom in atoms)


def test_what_is_plain() -> None:
    first, second, third = parts_of(
        ContingentInit((one_of("p", "q", "r"), one_of("s", "t"), one_of("t", "u")), (), "v")
    )
    assert (first.plain, first.atoms, first.choices) == (True, ("p", "q", "r"), ((0, 1, 2),))
    assert (first.worlds == np.eye(3)).all(), "in the order of the file"
    assert (second.plain, second.worlds.tolist()) == (False, [[True, False, True], [False, True, False]])
    assert (third.plain, len(third.worlds)) == (True, 2)


def test_too_many_worlds_are_said_to_be_too_many() -> None:
    atoms = [f"a{i}" for i in range(20)]
    with pytest.raises(BudgetError, match="more than 20000 ways"):
        parts_of(ContingentInit((), (one_of(*atoms),)))
