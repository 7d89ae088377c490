"""A belief as action costs: the real Fast Downward solves the task, and an agent can carry the plan out in any world in
which its assumptions hold."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from commonsense_lab.planners.assumptions import Assumption
from commonsense_lab.planners.cost_task import CostTask, cost_task
from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.errors import UsageError
from commonsense_planning.kernels.engine import is_applicable
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.replan import REPLAN
from commonsense_planning.methods.simulated import SimulatedEpisode
from commonsense_planning.pddl.plan import Plan, Step, read_plan
from commonsense_planning.planners.fast_downward import driver
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.support.processes import Limit, run_limited, temporary_folder
from commonsense_planning.task import HIDDEN_ROOMS, Task, read_task
from tests import derived_problems
from tests.data import REPOSITORY

HOUSEHOLD = REPOSITORY / "pddl" / "household"
SEARCHES = ("astar(lmcut())", "astar(blind())")  # the second takes axioms, which quantified goals become


def exported(task: Task, step_cost: float = 0.1, samples: int = 100) -> tuple[CostTask, SimulatedEpisode]:
    acting = SimulatedEpisode(Request(task, REPLAN))
    acting.believe(samples)
    return cost_task(acting.task, acting.compiled, acting.belief, step_cost), acting


def cheapest_plan(made: CostTask) -> Plan | None:
    """Fast Downward's cheapest plan of an exported task; None if there is none."""
    script = driver()
    assert script is not None, "pip install up-fast-downward"
    with temporary_folder("costs") as name:
        folder = Path(name)
        (folder / "domain.pddl").write_text(made.domain)
        (folder / "problem.pddl").write_text(made.problem)
        for search in SEARCHES:
            words = ["--plan-file", "plan", "domain.pddl", "problem.pddl", "--search", search]
            ended = run_limited([sys.executable, script, *words], Limit(60.0), cwd=folder)
            if (folder / "plan").is_file():
                return read_plan(folder / "plan")
            if ended.returncode in (10, 11, 12):
                return None
    pytest.fail(f"Fast Downward: {ended.returncode}: {ended.stdout[-500:]}{ended.stderr[-500:]}")


def solved(made: CostTask) -> list[Step | Assumption]:
    plan = cheapest_plan(made)
    assert plan is not None
    return made.way_back.split(plan)


def carried_out(acting: SimulatedEpisode, parts: list[Step | Assumption]) -> bool:
    """Whether an agent that sees only what the sensors show can do the steps and reaches the goal, in a world in which
    all assumptions are true."""
    task, compiled = acting.task, acting.compiled
    facts = {str(task.fact_step(f)): f for f in range(task.fact_count)}
    assumed = {facts[part.fact]: part.holds for part in parts if isinstance(part, Assumption)}
    truth = np.where(acting.belief.known[: task.fact_count], acting.belief.truth[: task.fact_count], False)
    for group in range(len(compiled.sensors.groups)):
        members = compiled.sensors.groups.row(group)
        if not truth[members].any() and not any(assumed.get(int(f)) for f in members):
            open_ones = [f for f in members if not acting.belief.known[f] and assumed.get(int(f)) is not False]
            truth[open_ones[-1:]] = True  # somewhere else
    for fact, value in assumed.items():
        truth[fact] = value
    world = Environment(compiled, truth)
    belief = Belief(compiled, uniform_prior(compiled.sensors))
    belief.update(None, world.look())
    for part in parts:
        if isinstance(part, Assumption):
            assert belief.known[facts[part.fact]], f"{part} is not seen where it is assumed"
            continue
        able = [
            o
            for o in range(task.operator_count)
            if task.step(o) == part and is_applicable(compiled.table, belief.state(), o)
        ]
        assert able, f"{part} cannot be done"
        belief.update(able[0], world.step(able[0]))
    return belief.knows_goal


@pytest.mark.parametrize(
    "name", ["small-apple", "demo", "set-table", "two-apples", "tidy-toys", "demo in hidden rooms"]
)
def test_an_agent_can_carry_out_the_plan_where_the_assumptions_hold(name: str) -> None:
    problem, _, rooms = name.partition(" ")
    made, acting = exported(read_task(f"household:{problem}", sensors=HOUSEHOLD / HIDDEN_ROOMS if rooms else None))
    parts = solved(made)
    assert any(isinstance(part, Assumption) for part in parts)
    assert carried_out(acting, parts)


def test_the_cost_is_that_of_the_steps_and_of_what_is_assumed() -> None:
    made, acting = exported(read_task("household:small-apple"))
    plan = cheapest_plan(made)
    assert plan is not None
    parts = solved(made)
    (assumption,) = (part for part in parts if isinstance(part, Assumption))
    steps = sum(isinstance(part, Step) for part in parts)
    assert plan.cost == 100 * steps + round(-1000 * math.log(assumption.probability))
    assert (assumption.fact, assumption.probability) == ("(on apple_1 kitchentable)", pytest.approx(0.81))
    assert steps == 1  # if it lies there, nothing is left to do


def test_a_dear_step_goes_to_what_is_near_and_a_cheap_one_to_what_is_likely() -> None:
    task = read_task("household:demo")
    likely, near = (solved(exported(task, cost)[0]) for cost in (0.001, 3.0))

    def sure(parts: list[Step | Assumption]) -> float:
        return math.prod(part.probability for part in parts if isinstance(part, Assumption))

    assert sum(isinstance(part, Step) for part in near) < sum(isinstance(part, Step) for part in likely)
    assert sure(near) < sure(likely)


def test_the_true_world_is_not_in_the_exported_task(tmp_path: Path) -> None:
    """A world that is another one where it is hidden gives the same files, byte for byte."""
    text = (HOUSEHOLD / "problems" / "small-apple.pddl").read_text()
    other = text.replace("(inside apple_1 fridge)", "(inside apple_1 kitchencabinet)").replace(
        "(inside plate_1 kitchencabinet)", "(inside plate_1 fridge)"
    )
    assert text != other
    files = tmp_path / "0.pddl", tmp_path / "1.pddl"
    for file, content in zip(files, (text, other), strict=True):
        file.write_text(content)
    one, another = (exported(read_task(HOUSEHOLD / "domain.pddl", file))[0] for file in files)
    assert one == another


LAMPS = """(define (domain lamps) (:requirements :typing :negative-preconditions :action-costs)
  (:types lamp)
  (:predicates (lit ?l - lamp) (near ?l - lamp) (safe ?l - lamp) (done))
  (:functions (way ?l - lamp) - number (total-cost) - number)
  (:action go :parameters (?l - lamp)
    :effect (and (forall (?o - lamp) (not (near ?o))) (near ?l) (increase (total-cost) (way ?l))))
  (:action unscrew :parameters (?l - lamp) :precondition (and (near ?l) (not (lit ?l)))
    :effect (and (safe ?l) (increase (total-cost) 1)))
  (:action turn-off :parameters (?l - lamp) :precondition (and (near ?l) (lit ?l))
    :effect (and (not (lit ?l)) (increase (total-cost) 7))))"""
LAMPS_PROBLEM = """(define (problem two) (:domain lamps) (:objects a b - lamp)
  (:init (lit a) (= (total-cost) 0) (= (way a) 3) (= (way b) 2)) (:goal (and (safe a) (safe b)))
  (:metric minimize (total-cost)))"""
LAMPS_SENSORS = """(define (sensors eye) (:domain lamps) (:hidden (lit ?l - lamp))
  (:sense (lit ?l - lamp) :when (near ?l)))"""


def lamps(folder: Path, domain: str = LAMPS, problem: str = LAMPS_PROBLEM) -> Task:
    for name, text in (("domain", domain), ("problem", problem), ("sensors", LAMPS_SENSORS)):
        (folder / f"{name}.pddl").write_text(text)
    return read_task(folder / "domain.pddl", folder / "problem.pddl")


def test_facts_that_must_be_false_have_to_be_observed(tmp_path: Path) -> None:
    """A fact in no group, believed with one half; costs of the task's own count by their unit."""
    made, acting = exported(lamps(tmp_path))
    assert "(undecided--lit" in made.domain
    parts = solved(made)
    assumed = {part for part in parts if isinstance(part, Assumption)}
    assert assumed == {Assumption("(lit a)", False, 0.5), Assumption("(lit b)", False, 0.5)}
    assert [str(part) for part in parts if isinstance(part, Step)] in (
        [["(go a)", "(unscrew a)", "(go b)", "(unscrew b)"], ["(go b)", "(unscrew b)", "(go a)", "(unscrew a)"]]
    )
    plan = cheapest_plan(made)
    assert plan is not None and plan.cost == 100 * (3 + 1 + 2 + 1) + 2 * round(1000 * math.log(2))
    assert carried_out(acting, parts)


def test_an_effect_under_a_hidden_condition_wants_it_known(tmp_path: Path) -> None:
    """Blowing puts out a lamp that is lit; who does not know whether it is has to look before."""
    domain = LAMPS.replace(
        "(:action turn-off",
        "(:action blow :parameters (?l - lamp) :effect (and (done) (when (lit ?l) (not (lit ?l))) "
        "(increase (total-cost) 1)))\n  (:action turn-off",
    )
    problem = LAMPS_PROBLEM.replace("(and (safe a) (safe b))", "(and (done) (not (lit a)) (not (lit b)))")
    made, acting = exported(lamps(tmp_path, domain, problem))
    parts = solved(made)
    assert {part.fact for part in parts if isinstance(part, Assumption)} == {"(lit a)", "(lit b)"}
    assert any(str(part).startswith("(blow ") for part in parts)
    assert carried_out(acting, parts)


def test_constraints_hold_in_the_exported_task(tmp_path: Path) -> None:
    problem = LAMPS_PROBLEM.replace("(:metric", "(:constraints (always (not (near b)))) (:metric")
    made, _ = exported(lamps(tmp_path, problem=problem))
    assert ":constraints" not in made.problem
    assert cheapest_plan(made) is None


def test_derived_facts_are_derived_in_the_exported_task(tmp_path: Path) -> None:
    files = derived_problems.write(tmp_path, derived_problems.BROKEN_DOMAIN, derived_problems.BROKEN_PROBLEM)
    (tmp_path / "sensors.pddl").write_text(derived_problems.SENSORS)
    made, acting = exported(read_task(*files))
    assert "(powered " not in made.problem.split("(:goal")[0]
    assert carried_out(acting, solved(made))


def test_nothing_hidden_leaves_the_task_with_the_costs_of_its_steps() -> None:
    made, _ = exported(read_task("household:open-fridge", sensors=None))
    plan = cheapest_plan(made)
    assert plan is not None and plan.cost == 100 * 5


def test_correlated_facts_are_not_exported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="are correlated"):
        exported(lamps(tmp_path, problem=LAMPS_PROBLEM.replace("(lit a) (=", "(or (lit a) (lit b)) (=")))
