"""Derived predicates: what is wrong has its place, and what follows from a state is the same by three ways."""

from pathlib import Path

import numpy as np
import pytest

from commonsense_planning import GroundTask, InputError, PddlError, TransitionModel, make_state, read_problem
from commonsense_planning.errors import UnsupportedFeature
from commonsense_planning.grounding.ground_like import ground_like
from commonsense_planning.grounding.ground_task import closed
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.kernels.compiled import compile_task, unpack
from commonsense_planning.kernels.engine import progress
from commonsense_planning.pddl.derivation import Derivation
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.sensors import read_sensors
from commonsense_planning.validation.replay import initial_state
from tests.data import ipc_tasks
from tests.derived_problems import BROKEN_DOMAIN, BROKEN_PROBLEM, DOMAIN, PROBLEM, SENSORS, read


def test_it_is_read_and_written_in_normal_form(tmp_path: Path) -> None:
    problem = read(tmp_path)
    assert len(problem.derived) == 6
    assert Feature.DERIVED_PREDICATES in problem.features
    again = read(tmp_path, *problem.normal_text)
    assert [str(rule) for rule in again.derived] == [str(rule) for rule in problem.derived]


def test_a_parameter_without_a_type_has_the_predicates(tmp_path: Path) -> None:
    problem = read(tmp_path, DOMAIN.replace("(dark ?l - lamp) (not", "(dark ?l) (not"))
    (dark,) = (rule.atom for rule in problem.derived if rule.atom.predicate.symbol == "dark")
    assert [variable.sort.name for variable in dark.subterms] == ["lamp"]


@pytest.mark.parametrize(("old", "new", "place", "what"), [
    (":effect (on ?p))", ":effect (powered ?p))", "13:76", "'powered' is derived, by the rule on line 7"),
    (":effect (on ?p))", ":effect (not (powered ?p)))", "13:81", "'powered' is derived, by the rule on line 7"),
    ("(powered ?n) (exists (?p", "(powered ?n ?m) (exists (?p", "7:13", "'powered' has 2 arguments"),
    ("(dark ?l - lamp) (not", "(dark ?l - node) (not", "10:19", "'?l' is of type node; expected type lamp"),
    ("(dark ?l - lamp) (not", "(darc ?l - lamp) (not", "10:14", "undeclared predicate 'darc'"),
    ("(dark ?l - lamp) (not", "(dark l1) (not", "10:19", "'l1' is no variable"),
    ("(dark ?l - lamp) (not", "dark (not", "10:13", "no atom after ':derived'"),
    ("(dark ?l - lamp) (not (powered ?l))", "(dark ?l - lamp)", "10:3", "':derived' has 1 part"),
    ("(not (powered ?l))", "(not (powered ?x))", "10:44", "unknown variable '?x'"),
    ("(not (powered ?l))", "(not (dark ?l))", "10:36", "'dark' is derived from its own negation: dark - not dark;"),
    ("(exists (?p - plant) (and (= ?p ?n) (on ?p)))", "(imply (all-dark) (= ?n ?n))", "7:34",
     "'powered' is derived from its own negation: powered - not all-dark - dark - not powered;"),
])  # fmt: skip
def test_what_is_wrong_in_a_rule_has_its_place(tmp_path: Path, old: str, new: str, place: str, what: str) -> None:
    assert old in DOMAIN
    with pytest.raises(PddlError) as told:
        read(tmp_path, DOMAIN.replace(old, new))
    assert f"domain.pddl:{place}: " in str(told.value)
    assert what in str(told.value)


@pytest.mark.parametrize("fact", ["(powered p1)", "(not (powered p1))"])
def test_init_cannot_say_what_is_derived(tmp_path: Path, fact: str) -> None:
    with pytest.raises(PddlError, match=r"problem.pddl:4:.*'powered' is derived, by the rule on line 7 of the domain"):
        read(tmp_path, problem=PROBLEM.replace("(on p1)", fact))


@pytest.mark.parametrize("fact", ["(unknown (on p1))", "(oneof (on p1) (on p2))", "(or (on p1) (on p2))"])
def test_what_is_open_must_not_decide_what_is_derived(tmp_path: Path, fact: str) -> None:
    with pytest.raises(UnsupportedFeature, match=r"problem.pddl:4:\d+: open facts that derived facts"):
        read(tmp_path, problem=PROBLEM.replace("(on p1) (on p2)", fact))


@pytest.mark.parametrize(("hidden", "what"), [
    ("(on ?p - plant)", "hidden facts that derived facts, here of 'powered', depend on are not supported"),
    ("(powered ?n - node)", "hidden derived facts are not supported"),
])  # fmt: skip
def test_what_is_hidden_must_not_decide_what_is_derived(tmp_path: Path, hidden: str, what: str) -> None:
    problem = read(tmp_path)
    (tmp_path / "sensors.pddl").write_text(f"(define (sensors wires) (:domain wires)\n  (:hidden {hidden}))")
    with pytest.raises(UnsupportedFeature) as told:
        read_sensors(tmp_path / "sensors.pddl", problem)
    assert f"sensors.pddl:2:12: {what}" in str(told.value)


def walked(task: GroundTask, steps: int) -> list[np.ndarray]:  # type: ignore[type-arg]
    """States of a random walk, by the kernels."""
    compiled, rng = compile_task(task), np.random.default_rng(1)
    generator = TransitionModel(compiled)
    state = make_state(compiled, task.init)
    found = [task.init]
    for _ in range(steps):
        operators = generator.applicable(state)
        if not len(operators):
            state = make_state(compiled, task.init)
            continue
        progress(compiled.table, state, int(rng.choice(operators)))
        found.append(unpack(state, task.fact_count))
    return found


def assert_follows(task: GroundTask, steps: int) -> None:
    """In states of a random walk, what is derived is what follows on the lifted task, and by the plain fixed point."""
    problem = task.problem
    derivation = Derivation(problem)
    names = [(name, *(task.objects[term] for term in terms)) for name, terms in task.facts]
    fixed = initial_state(problem) - set(names)
    derived = {name for name in names if name[0] in derivation.predicates}
    kinds = {len({atom for atom in derived if truth[names.index(atom)]}) for truth in walked(task, steps)}
    assert len(kinds) > 1  # the walk changes what is derived
    for truth in walked(task, steps):
        true = {name for name, holds in zip(names, truth.tolist(), strict=True) if holds}
        assert derivation.closed(fixed | true) & derived == true & derived
        assert (closed(task.rules, truth) == truth).all()


def test_what_is_derived_is_what_follows(tmp_path: Path) -> None:
    task = ground(read(tmp_path))
    assert_follows(task, 60)
    mentioned = {task.facts[f][0] for f in [*task.rules.pos.items, *task.rules.neg.items]}
    assert "linked" not in mentioned | {name for name, _ in task.facts}  # is static


@pytest.mark.data
def test_what_is_derived_in_a_network_is_what_follows() -> None:
    assert_follows(ground(read_problem(*next(task for task in ipc_tasks() if task[0].parent.name == "psr-middle"))), 15)


def test_what_nothing_needs_is_left_out(tmp_path: Path) -> None:
    shorter = DOMAIN.replace(" :precondition (all-dark)", "").replace("(:precondition (not (lonely ?p)))", "")
    task = ground(read(tmp_path, shorter, PROBLEM.replace(" (dark l1)", "")))
    assert {name for name, _ in task.facts} == {"on", "cut", "powered", "repaired", "dark", "lonely"}
    assert len([1 for name, _ in task.facts if name == "dark"]) == 1
    with pytest.raises(InputError, match=r"\(dark l1\) is derived, and was left out"):
        ground_like(task, read(tmp_path, shorter, PROBLEM))


@pytest.mark.parametrize("goal", [
    "(imply (dark l1) (linked p1 l1))",
    "(or (and (dark l1) (powered l1)) (wire p1 l1))",
    "(exists (?l - lamp) (or (not (dark ?l)) (wire p1 ?l)))",
    "(forall (?l - lamp) (or (dark ?l) (not (= ?l p1))))",
])  # fmt: skip
def test_what_a_static_fact_makes_irrelevant_in_a_goal_is_never_asked_for(tmp_path: Path, goal: str) -> None:
    """It is left out: also where constraints are added to the goal, and in a task of the same world."""
    shorter = DOMAIN.replace(" :precondition (all-dark)", "").replace(":adl", ":adl :constraints")
    plain = PROBLEM.replace(" (dark l1)", "").replace(" (not (dark l3))", "")
    told = plain.replace("(repaired)", f"(repaired) {goal}")
    constraint = "(:constraints (sometime (cut l1 p1)))\n)\n"
    task = ground(read(tmp_path, shorter, told.rstrip()[:-1] + constraint))
    assert "dark" not in {name for name, _ in task.facts}
    there = ground_like(ground(read(tmp_path, shorter, plain)), read(tmp_path, shorter, told))
    assert {str(there.fact_step(fact)) for fact in there.goal.pos.items} == {"(powered l2)", "(repaired)"}


def test_a_task_of_the_same_world_begins_with_what_follows_there(tmp_path: Path) -> None:
    task = ground(read(tmp_path))
    other = read(tmp_path, problem=PROBLEM.replace("(on p1)", ""))
    there = ground_like(task, other)
    assert (there.init == ground(other).init).all()
    assert there.init.sum() != task.init.sum()
    reworded = DOMAIN.replace("(not (powered ?l))", "(not (on ?l))").replace("(on ?p - plant)", "(on ?p - node)")
    with pytest.raises(InputError, match="derived predicates"):
        ground_like(task, read(tmp_path, reworded))


def test_sensing_goes_by_what_is_derived(tmp_path: Path) -> None:
    problem = read(tmp_path, BROKEN_DOMAIN, BROKEN_PROBLEM)
    (tmp_path / "sensors.pddl").write_text(SENSORS)
    task, sensors = ground_pomdp(problem, read_sensors(tmp_path / "sensors.pddl", problem))
    compiled, names = compile_task(task, sensors), [str(task.fact_step(f)) for f in range(task.fact_count)]
    state = make_state(compiled, task.init)
    mend = next(o for o in range(task.operator_count) if str(task.step(o)) == "(mend l2 p2)")
    knows = lambda lamp: unpack(state[compiled.half :], task.fact_count)[names.index(f"(broken {lamp})")]  # noqa: E731
    assert not knows("l2")
    progress(compiled.table, state, mend)
    assert knows("l2")
