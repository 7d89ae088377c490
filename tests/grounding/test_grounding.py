"""Grounding against brute force: every binding of every schema, and what is reachable."""

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from commonsense_planning import GroundTask, InputError, PddlError, Plan, Problem, Step, Text, make_state, read_problem
from commonsense_planning.grounding import reachability
from commonsense_planning.grounding.grounding import MOST_COST, ground, may_lack_costs
from commonsense_planning.grounding.instantiate import AtomIndex
from commonsense_planning.grounding.lifted import Lifted, lift
from commonsense_planning.kernels.compiled import compile_task, unpack
from commonsense_planning.kernels.engine import applicable, goal_reached, progress
from commonsense_planning.pddl.evaluation import Formulas, GroundAtom
from commonsense_planning.validation.replay import run
from tests.data import REPOSITORY, ipc_task
from tests.random_tasks import compiled_at

PACKS = REPOSITORY / "pddl"
REQUIREMENTS = "(:requirements :adl :action-costs)"


def write(domain: str, problem: str) -> Problem:
    return read_problem(Text(domain), Text(problem))


class BruteForce:
    """The lifted task, every binding tried."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.formulas = Formulas(problem)

    def steps(self, state: frozenset[GroundAtom]) -> Iterator[Step]:
        """The actions that are applicable."""
        spell = self.problem.spell
        for name, action in self.problem.tarski.actions.items():
            for values in itertools.product(*(self.formulas.objects(p.sort) for p in action.parameters)):
                binding = {p.symbol: v for p, v in zip(action.parameters, values, strict=True)}
                if self.formulas.holds(action.precondition, state, binding):
                    yield Step(spell(name), tuple(spell(v) for v in values))

    def goal(self, state: frozenset[GroundAtom]) -> bool:
        return self.formulas.holds(self.problem.tarski.goal, state, {})


def compare(problem: Problem, length: int, seed: int = 0) -> GroundTask:
    """Walk at random and compare applicable actions, states, goal and cost at every step."""
    task, brute, rng = ground(problem), BruteForce(problem), random.Random(seed)
    compiled, state = compiled_at(task)
    buffer = np.empty(max(1, compiled.operator_count), np.int32)
    fluents = {name for name, _ in task.facts}
    steps: list[Step] = []
    cost = 0.0
    for _ in range(length):
        outcome = run(problem, Plan(tuple(steps)))
        true = {a for a in outcome.state if a[0] in fluents}
        reached = {
            (task.facts[f][0], *(task.objects[a] for a in task.facts[f][1]))
            for f in np.flatnonzero(unpack(state, task.fact_count))
        }
        assert reached == true, steps
        assert outcome.cost == cost, steps
        assert goal_reached(compiled.table, state) == brute.goal(outcome.state), steps
        operators = sorted(buffer[: applicable(compiled.table, state, buffer)].tolist())
        found = {task.step(o) for o in operators}
        assert found == set(brute.steps(outcome.state)), steps
        if not operators:
            break
        operator = rng.choice(operators)
        progress(compiled.table, state, operator)
        steps.append(task.step(operator))
        cost += int(task.operators.cost[operator])
    return task


@pytest.mark.parametrize(
    "name", ["household/problems/small-apple", "household/problems/any-mug", "flights/problems/short-oslo-athens"]
)
def test_shipped_problems_are_grounded_like_brute_force(name: str) -> None:
    problem = PACKS / f"{name}.pddl"
    compare(read_problem(problem.parents[1] / "domain.pddl", problem), 8)


SMALL = {
    "gripper/prob01": 10,
    "blocks/probBLOCKS-4-0": 15,
    "miconic-fulladl/f1-0": 10,
    "miconic/s1-0": 10,
    "storage/p01": 10,
    "tyreworld/pfile1": 10,
    "elevators-00-full/f1-0": 10,
}


@pytest.mark.data
@pytest.mark.parametrize("name", SMALL)
def test_ipc_tasks_are_grounded_like_brute_force(name: str) -> None:
    compare(read_problem(*ipc_task(name)), SMALL[name])


def simple(actions: str, goal: str, init: str = "(p m)", objects: str = "m n - t") -> Problem:
    return write(
        f"(define (domain d) {REQUIREMENTS} (:types t) (:predicates (p ?x - t) (s ?x - t) (z)) {actions})",
        f"(define (problem p) (:domain d) (:objects {objects}) (:init {init}) (:goal {goal}))",
    )


FLIP = "(:action flip :parameters (?x - t) :effect (and (z) (not (p ?x))))"


@pytest.mark.parametrize(("goal", "disjuncts"), [
    ("(s m)", 0),
    ("(not (s m))", 1),
    ("(and (z) (not (s n)))", 1),
    ("(or (z) (s n))", 1),
    ("(or (z) (p m))", 2),
    ("(and (p n) (z))", 0),
    ("(and (z) (not (z)))", 0),  # it contradicts itself
    ("(and)", 1),
])  # fmt: skip
def test_static_parts_of_the_goal_are_evaluated(goal: str, disjuncts: int) -> None:
    task = ground(simple(FLIP, goal))
    assert len(task.goal.pos) == len(task.goal.neg) == disjuncts
    compiled = compile_task(task)
    always = goal in ("(not (s m))", "(or (z) (p m))", "(and)")
    assert goal_reached(compiled.table, make_state(compiled, task.init)) == always


def test_actions_that_can_never_be_carried_out_are_left_out() -> None:
    actions = FLIP + "(:action never :parameters (?x - t) :precondition (s ?x) :effect (z))"
    actions += "(:action once :parameters () :precondition (z) :effect (not (z)))"
    task = ground(simple(actions, "(z)"))
    assert [str(task.step(o)) for o in range(task.operator_count)] == ["(flip m)", "(flip n)", "(once)"]
    assert task.facts == (("p", (0,)), ("z", ()))


def test_a_task_without_applicable_actions_is_grounded() -> None:
    task = ground(simple("(:action n :parameters (?x - t) :precondition (s ?x) :effect (p ?x))", "(p n)"))
    assert task.operator_count == 0
    compiled = compile_task(task)
    assert applicable(compiled.table, make_state(compiled, task.init), np.empty(1, np.int32)) == 0


def test_too_many_disjuncts_are_refused() -> None:
    objects = " ".join(f"o{i}" for i in range(16)) + " - t"
    actions = """(:action x :parameters (?x - t) :effect (and (p ?x) (s ?x)))
        (:action y :parameters (?x - t) :effect (and (not (p ?x)) (not (s ?x))))
        (:action big :parameters () :precondition (forall (?x - t) (or (p ?x) (s ?x))) :effect (z))"""
    with pytest.raises(InputError, match="disjuncts"):
        ground(simple(actions, "(z)", init="(p o1)", objects=objects))


def costly(values: str, increase: str = "(far ?x ?y)", metric: str = "(minimize (total-cost))") -> Problem:
    return write(
        f"""(define (domain d) {REQUIREMENTS} (:types t) (:predicates (at ?x - t) (road ?x ?y - t) (free ?x -
        t))
          (:functions (far ?x ?y - t) - number (total-cost) - number)
          (:action go :parameters (?x ?y - t) :precondition (and (at ?x) (road ?x ?y))
            :effect (and (not (at ?x)) (at ?y) (increase (total-cost) {increase})))
          (:action rest :parameters (?x - t) :precondition (or (at ?x) (free ?x)) :effect (free ?x)))""",
        f"""(define (problem p) (:domain d) (:objects m n - t)
          (:init (at m) (road m n) (road n m) (= (total-cost) 0) {values}) (:goal (at n)) (:metric
          {metric[1:-1]}))""",
    )


def costs(task: GroundTask) -> dict[str, int]:
    return {str(task.step(o)): int(task.operators.cost[o]) for o in range(task.operator_count)}


def test_costs_come_from_the_initial_state() -> None:
    problem = costly("(= (far m n) 7) (= (far n m) 2)")
    assert costs(compare(problem, 6)) == {"(go m n)": 7, "(go n m)": 2, "(rest m)": 0, "(rest n)": 0}


def test_a_number_is_a_cost() -> None:
    assert costs(ground(costly("", increase="3")))["(go m n)"] == 3


@pytest.mark.parametrize(("values", "complaint"), [
    ("(= (far m n) 7)", r"\(far n m\) has no value in the problem, so the cost of go is unknown"),
    ("(= (far m n) 7) (= (far n m) -1)", r"the cost of go, \(far n m\), is -1"),
    (f"(= (far m n) 7) (= (far n m) {10 * MOST_COST})", r"is 10000000000000000; cplan plans with costs from 0 to"),
    (f"(= (far m n) 0.5) (= (far n m) {MOST_COST})", "each of them times 2, so that none has a fraction"),
])  # fmt: skip
def test_a_cost_that_is_missing_or_too_large_is_refused_at_its_place(values: str, complaint: str) -> None:
    problem = costly(values)
    with pytest.raises(PddlError, match=complaint) as caught:
        ground(problem)
    _, source, caret = str(caught.value).split("\n")
    assert source[caret.index("^") :].startswith("(increase (total-cost) (far")
    assert may_lack_costs(lift(problem))


def test_costs_with_fractions_are_scaled() -> None:
    problem = costly("(= (far m n) 0.7) (= (far n m) 0.25)")
    task = ground(problem)
    assert task.scale == 20
    assert costs(task) == {"(go m n)": 14, "(go n m)": 5, "(rest m)": 0, "(rest n)": 0}
    by_name = {str(task.step(o)): o for o in range(task.operator_count)}
    assert task.cost([by_name["(go m n)"], by_name["(go n m)"]]) == 0.95
    assert not may_lack_costs(lift(costly("(= (far m n) 7) (= (far n m) 1) (= (far m m) 1) (= (far n n) 0)")))


def test_atoms_that_do_not_pack_into_63_bits_are_found_all_the_same() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 200, (50, 9)).astype(np.int32)
    rows = rows[np.lexsort(rows.T)]  # by the last column first
    short = rows[np.lexsort(rows[:, :8].T), :8]
    packed, wide = AtomIndex(short, 5, 200), AtomIndex(rows, 5, 200)
    assert packed.keys is not None
    assert wide.keys is None
    absent = rows.copy()
    absent[:, 8] = (absent[:, 8] + 1) % 200
    for rows_, index in ((rows, wide), (short, packed)):
        expected = [index.one(tuple(r)) for r in rows_.tolist()]
        assert index.many(rows_).tolist() == expected == list(range(5, 5 + len(rows_)))
    assert wide.many(absent).tolist() == [wide.one(tuple(r)) for r in absent.tolist()]
    assert set(wide.many(absent).tolist()) == {-1}


PROBLEMS = sorted((REPOSITORY / "pddl" / "household" / "problems").glob("*.pddl"))[:3]


@pytest.fixture(params=PROBLEMS, ids=lambda path: path.stem)
def lifted(request: pytest.FixtureRequest) -> Lifted:
    return lift(read_problem(REPOSITORY / "pddl" / "household" / "domain.pddl", request.param))


def test_a_child_gives_the_same(lifted: Lifted, monkeypatch: pytest.MonkeyPatch) -> None:
    here = reachability.reachable(lifted)
    monkeypatch.setattr(reachability, "SMALL", -1)
    there = reachability.reachable(lifted)
    for ours, its in zip((*here.atoms, *here.bindings), (*there.atoms, *there.bindings), strict=True):
        assert (ours is None and its is None) or np.array_equal(ours, its)


def test_no_estimate_is_too_low(lifted: Lifted) -> None:
    program = reachability._Program(lifted)
    program.rules(())
    found = reachability.reachable(lifted)
    sizes = {f"a{s}": len(rows) for s, rows in enumerate(found.bindings) if rows is not None}
    assert all(program.sizes[name] >= count for name, count in sizes.items())
    assert program.instances >= sum(sizes.values()) >= program.certain
