"""Heuristics on the decomposed task are those of the grounded one, and its relaxed plans begin with operators that are
applicable."""

import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonsense_planning import Problem, Status, Text, make_state, read_problem
from commonsense_planning.errors import TooLargeError
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.grounding.lifted_successors import Facts, LiftedTask
from commonsense_planning.heuristics.lifted_relaxation import Decomposition, LiftedRelaxation
from commonsense_planning.heuristics.registry import heuristic_named
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.first_better import FirstBetter
from tests.oracle.drawing import random_files
from tests.snacks import write_snacks

PREDICATES = {"p": 1, "q": 1, "r": 2, "s": 2, "t": 3, "u": 0}
VARIABLES = ("?v", "?w", "?x", "?y", "?z")
OBJECTS = ("a", "b", "c")
ATOM = st.binary(min_size=4, max_size=4)  # the places of its terms; a literal is negative where the last is even
LITERALS = st.lists(st.tuples(st.sampled_from("pqrsu"), ATOM), min_size=1, max_size=3)
ACTION = st.tuples(
    st.dictionaries(st.sampled_from("pqrst"), ATOM, min_size=2, max_size=4), LITERALS, st.booleans(), st.booleans()
)
INITIAL = st.lists(st.tuples(st.sampled_from("pqrrsstt"), ATOM), min_size=6, max_size=16)


def atom(name: str, code: bytes, terms: tuple[str, ...]) -> str:
    return f"({' '.join([name, *(terms[n % len(terms)] for n in code[: PREDICATES[name]])])})"


def literal(name: str, code: bytes, terms: tuple[str, ...] = VARIABLES) -> str:
    return f"(not {atom(name, code, terms)})" if code[-1] % 2 == 0 else atom(name, code, terms)


def action(number: int, wants: dict[str, bytes], effects: list[tuple[str, bytes]], either: bool, when: bool) -> str:
    """An action; ``either`` of its first two conditions is enough, and its first effect is conditional (``when``)."""
    first, second, *rest = (literal(*want) for want in wants.items())
    parts = [f"(or {first} {second})", *rest] if either else [first, second, *rest]
    effect, *others = (literal(*effect) for effect in effects)
    effect = f"(when {parts.pop()} {effect})" if when else effect
    return (
        f"(:action a{number} :parameters ({' '.join(VARIABLES)})"
        f" :precondition (and (not (= ?v ?w)) {' '.join(parts)}) :effect (and {effect} {' '.join(others)}))"
    )


def same_along_a_walk(problem: Problem, kinds: tuple[str, ...], seed: int) -> int:
    """Compare the heuristics of both tasks along a random walk; how many states were seen."""
    task, lifted, rng = ground(problem), LiftedTask(lift(problem)), random.Random(seed)
    compiled, spell = compile_task(task), problem.spell
    atoms = [(spell(p), *(spell(task.objects[o]) for o in terms)) for p, terms in task.facts]
    ours = {kind: LiftedRelaxation(lifted, heuristic_named(kind)) for kind in kinds}
    theirs = {kind: heuristic_named(kind).make(task, compiled, True) for kind in kinds}
    state = lifted.start
    for steps in range(8):
        lifted.go_to(state)
        truth = make_state(compiled, np.array([fact in state for fact in atoms], np.bool_))
        assert {kind: h(state) for kind, h in ours.items()} == {kind: h(truth) for kind, h in theirs.items()}
        operators = [o for schema in range(len(lifted.lifted.schemas)) for o in lifted.operators(schema)]
        for h in ours.values():
            assert {*h.helpful(state)} <= {*operators}
            assert not math.isfinite(h(state)) or h(state) == 0 or {*h.helpful(state)}
        if not operators:
            return steps
        added, deleted = lifted.effects(rng.choice(operators))
        after = (state - deleted) | added
        for h in ours.values():
            assert h.after(state, added, deleted) == h(after)
        state = after
    return 8


def test_actions_of_many_parameters() -> None:
    """No predicate occurs twice in a precondition: then h_add is the same, too."""

    @settings(max_examples=40)
    @given(st.lists(ACTION, min_size=2, max_size=3), INITIAL, LITERALS)
    def same(
        actions: list[tuple[dict[str, bytes], list[tuple[str, bytes]], bool, bool]],
        true: list[tuple[str, bytes]],
        goal: list[tuple[str, bytes]],
    ) -> None:
        texts = [action(number, *parts) for number, parts in enumerate(actions)]
        wanted = " ".join(literal(*want, OBJECTS) for want in goal)
        listed = " ".join(f"({' '.join([n, *VARIABLES[:count]])})" for n, count in PREDICATES.items())
        init = " ".join(sorted({atom(name, at, OBJECTS) for name, at in true}))
        domain = Text(f"(define (domain d) (:requirements :adl) (:predicates {listed}) {' '.join(texts)})")
        problem = Text(
            f"(define (problem p) (:domain d) (:objects {' '.join(OBJECTS)}) (:init {init})"
            f" (:goal (or (and {wanted}) (and (p a) (not (q b)) (not (s a b))))))"
        )
        same_along_a_walk(read_problem(domain, problem), ("add", "max"), 0)

    same()


def test_of_random_domains_with_all_features(tmp_path: Path) -> None:
    walked = 0
    for seed in range(40):
        files = random_files(random.Random(seed), tmp_path)
        walked += same_along_a_walk(read_problem(*files), ("max",), seed)
    assert walked > 50


def test_operators_of_which_only_what_they_make_false_counts() -> None:
    """Two rules without an added fact, the last ones; one of them is behind a projection."""
    domain = Text(
        "(define (domain d) (:requirements :adl) (:predicates (dry ?x) (lamp) (near ?x ?y))"
        " (:action soak :parameters (?x) :precondition (dry ?x) :effect (not (dry ?x)))"
        " (:action short :parameters (?x ?y) :precondition (and (not (dry ?x)) (near ?x ?y)) :effect (not (lamp))))"
    )
    problem = Text(
        "(define (problem p) (:domain d) (:objects a b) (:init (dry a) (dry b) (lamp) (near a b)) (:goal (not (lamp))))"
    )
    task = LiftedTask(lift(read_problem(domain, problem)))
    h = LiftedRelaxation(task, heuristic_named("add"))
    assert h(task.start) == 2
    assert [(o.name, o.arguments) for o in h.helpful(task.start)] == [("soak", ("a",))]


@pytest.mark.parametrize(("goal", "value"), [("c", 1), ("b", math.inf)])
def test_a_projection_joins_what_it_replaces(goal: str, value: float) -> None:
    domain = Text(
        "(define (domain d) (:requirements :strips) (:predicates (r ?x ?y) (s ?x ?y) (t ?x ?y) (ready))"
        " (:action go :parameters (?x ?y ?z) :precondition (and (r ?x ?y) (s ?y ?z) (ready)) :effect (t ?x ?z)))"
    )
    problem = Text(
        "(define (problem p) (:domain d) (:objects a b c) (:init (ready) (r a b) (r b a) (s b c) (s c b))"
        f" (:goal (t a {goal})))"
    )
    task = LiftedTask(lift(read_problem(domain, problem)))
    h = LiftedRelaxation(task, heuristic_named("add"))
    assert h(task.start) == value
    assert [o.arguments for o in h.helpful(task.start)] == [("a", "b", "c")] * math.isfinite(value)


def snacks(folder: Path, count: int) -> LiftedTask:
    return LiftedTask(lift(read_problem(*write_snacks(folder, count))))


def test_an_instance_for_each_thing_and_not_for_all_combinations(tmp_path: Path) -> None:
    task = snacks(tmp_path, 200)  # 8,000,000 operators
    assert LiftedRelaxation(task, heuristic_named("add"), 802)(task.start) == 200
    with pytest.raises(TooLargeError, match="make alone may have"):
        LiftedRelaxation(task, heuristic_named("add"), 801)


def test_what_a_projection_replaces(tmp_path: Path) -> None:
    task = Decomposition(snacks(tmp_path, 2).lifted).task()
    assert [(schema.cost, len(schema.parameters)) for schema in task.schemas] == [(0, 1), (0, 1), (1, 1)]
    assert task.arities[-2:] == (0, 0) and task.predicates[-1] == "projection 5"


@pytest.mark.parametrize("kind", ["ff", "add"])
def test_search_by_helpful_operators(kind: str, tmp_path: Path) -> None:
    task = snacks(tmp_path, 6)
    h = LiftedRelaxation(task, heuristic_named(kind))
    found = FirstBetter(task, h, np.random.default_rng(0), h.helpful).run(Limits(60))
    assert found.status is Status.SOLVED and found.evaluated < 40  # 216 operators in the first state alone
    assert found.plan is not None and len(found.plan) == 6
    lost = frozenset(fact for fact in task.start if fact[0] == "bread")
    assert h.after(task.start, Facts(), lost) == math.inf
