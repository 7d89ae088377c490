"""Classical planners, real ones, on small tasks; what is compiled away for those that need it."""

import itertools
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from commonsense_planning import MissingError, Plan, Problem, Status, Step, Text, UsageError, Verdict, read_problem
from commonsense_planning.methods.registry import method_named
from commonsense_planning.planners import fast_downward
from commonsense_planning.planners.planner import FILES, NORMAL_FORM, Planner
from commonsense_planning.planners.unconstrained import without_constraints
from commonsense_planning.planners.up_engine import PYPERPLAN, UpEngine
from commonsense_planning.planners.up_engine_worker import answer
from commonsense_planning.planners.up_task import to_up
from commonsense_planning.support.processes import Finished, Limit, run_limited, temporary_folder
from commonsense_planning.task import Task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.val import find_val, validate_with_val
from commonsense_planning.wording.lexicon import Lexicon
from tests import derived_problems, towers
from tests.oracle.drawing import random_files
from tests.pddl.test_constraints import walk
from tests.scripted import HOUSEHOLD
from tests.support.children import processes
from tests.validation.test_constructs import DECLARATIONS, EFFECTS, task, written

# add-after-delete and a negative condition: what compiling negative conditions away gets wrong most easily
PLANNERS: dict[str, Planner] = {
    "fast-downward": fast_downward,
    "pyperplan": PYPERPLAN,
    "up:fast-downward": UpEngine("up:fast-downward", "fast-downward"),
}
SHUFFLE = """(define (domain shuffle) (:requirements :adl)
  (:predicates (at ?x) (clean ?x) (Move))
  (:action Move :parameters (?x ?y) :precondition (and (at ?x) (not (clean ?y)))
    :effect (and (not (at ?x)) (at ?y) (forall (?z) (when (at ?z) (clean ?z)))))
  (:action leave :parameters (?x) :precondition (not (at ?x)) :effect (Move)))"""


@pytest.fixture(scope="module")
def household() -> Problem:
    return read_problem(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")


def shuffle(goal: str) -> Problem:
    problem = Text(f"(define (problem p) (:domain shuffle) (:objects A B C) (:init (at A)) (:goal {goal}))")
    return read_problem(Text(SHUFFLE), problem)


@pytest.mark.processes
@pytest.mark.parametrize("planner", PLANNERS)
def test_a_household_plan_is_found_and_is_valid(household: Problem, planner: str) -> None:
    result = PLANNERS[planner].solve(household, 60)
    assert result.status is Status.SOLVED
    assert replay(household, result.plan).verdict is Verdict.VALID
    assert PLANNERS[planner].version()


@pytest.mark.processes
@pytest.mark.parametrize("planner", ["fast-downward", "pyperplan"])
def test_plans_come_back_in_the_user_spelling(planner: str) -> None:
    problem = shuffle("(and (at C) (clean A) (clean B))")
    result = PLANNERS[planner].solve(problem, 60)
    assert [str(step) for step in result.plan][-1] == "(Move B C)"
    assert replay(problem, result.plan).verdict is Verdict.VALID


@pytest.mark.processes
@pytest.mark.parametrize("planner", ["fast-downward", "pyperplan"])
def test_unsolvable_is_said_where_it_is_proven(planner: str) -> None:
    # where add-after-delete is lost, moving A to A makes (at A) and its complement true
    problem = shuffle("(and (at A) (at B))")
    assert PLANNERS[planner].solve(problem, 60).status is Status.UNSOLVABLE


@pytest.mark.processes
@pytest.mark.parametrize("feared", ["", "(:constraints (always (not (all-dark))))"])
def test_fast_downward_derives(tmp_path: Path, feared: str) -> None:
    problem = derived_problems.read(tmp_path, problem=derived_problems.PROBLEM.replace("(:goal", f"{feared} (:goal"))
    result = fast_downward.solve(problem, 60)
    assert replay(problem, result.plan).verdict is Verdict.VALID


@pytest.mark.processes
@pytest.mark.parametrize("planner", ["pyperplan", "up:fast-downward"])
def test_unified_planning_does_not_derive_and_the_method_says_so(tmp_path: Path, planner: str) -> None:
    problem = derived_problems.read(tmp_path)
    with pytest.raises(UsageError, match="unified-planning does not know derived predicates"):
        PLANNERS[planner].solve(problem, 60)
    task = Task(problem, None, Lexicon())
    assert method_named(planner).why_not(task) == "unified-planning does not know derived predicates"
    assert method_named("fast-downward").why_not(task) is None


Ends = Callable[..., None]


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Ends:
    """Has Fast Downward end with a code, and something printed."""
    fast_downward.version()  # remembered before the program is replaced

    def end(code: int | None, printed: str) -> None:
        monkeypatch.setattr(fast_downward, "run_limited", lambda *_, **__: Finished(code, printed, "", 0.1))

    return end


@pytest.mark.processes
@pytest.mark.parametrize(("code", "status"), [
    (10, Status.UNSOLVABLE),
    (11, Status.UNSOLVABLE),
    (12, Status.UNSOLVED),
    (22, Status.BUDGET),
    (23, Status.BUDGET),
    (35, Status.UNSOLVED),
    (-11, Status.UNSOLVED),
    (None, Status.BUDGET),
])  # fmt: skip
def test_fast_downward_exit_codes(household: Problem, ends: Ends, code: int | None, status: Status) -> None:
    ends(code, "Parsing...\nSomething is wrong\ntranslate exit code: 31")
    result = fast_downward.solve(household, 1.0)
    assert (result.status, result.plan) == (status, None)
    assert result.reason


NOT_READ = {
    **{name: DECLARATIONS[name] for name in (
        "no effect", "nothing but a name", "sections in another order", "a constant as an object, too",
        "an object of two types", "either, of a predicate", "letters beyond ASCII",
        "fluents, declared", "no constraints", "a cost of another writing",
    )},
    **{name: task(effect=EFFECTS[name]) for name in ("forall and in when and", "either")},
}  # fmt: skip


@pytest.mark.processes
@pytest.mark.parametrize("name", NOT_READ)
def test_fast_downward_gets_the_normal_form_where_it_does_not_read_the_files(name: str, tmp_path: Path) -> None:
    problem = read_problem(*written(NOT_READ[name], tmp_path))
    result = fast_downward.solve(problem, 60)
    assert result.given.startswith(f"{NORMAL_FORM}, since Fast Downward does not read the files: ")
    assert "b'" not in result.given and "\n" not in result.given
    assert replay(problem, result.plan).verdict is Verdict.VALID


@pytest.mark.processes
def test_the_outcome_says_what_was_given(household: Problem) -> None:
    assert fast_downward.solve(household, 60).given == FILES
    assert PYPERPLAN.solve(household, 60).given == NORMAL_FORM


@pytest.mark.processes
@pytest.mark.parametrize(("printed", "told"), [
    ("Parsing...\nSomething is wrong\n", ": Something is wrong"),
    ("Parsing...\nSomething is wrong\ntranslate exit code: 31", ": Something is wrong"),
    ("b'Traceback (most recent call last):\\n  File \"x\"\\nValueError: caf\\xc3\\xa9\\n'\n", ": ValueError: café"),
    ("Traceback (most recent call last):\n  File x\nKeyError: 3\ntranslate exit code: 30", ": KeyError: 3"),
    ("b'no literal", ": b'no literal"),
    ("", ""),
])  # fmt: skip
def test_what_it_printed_is_shown_as_text(printed: str, told: str, household: Problem, ends: Ends) -> None:
    ends(31, printed)
    with pytest.raises(UsageError) as error:
        fast_downward.solve(household, 1.0)
    assert str(error.value) == f"fast-downward cannot solve this task: the translator refuses the files{told}"


PRICED = """(define (domain priced) (:requirements :typing :action-costs) (:types lamp) (:predicates (lit ?l - lamp))
  (:functions (total-cost) (price ?l - lamp) - number)
  (:action light :parameters (?l - lamp) :precondition (not (lit ?l))
    :effect (and (lit ?l) (increase (total-cost) (price ?l)))))"""


def priced(one: str, other: str) -> Problem:
    """Two lamps to light, at their prices."""
    init = f"(= (price a) {one}) (= (price b) {other}) (= (total-cost) 0)"
    rest = "(:goal (and (lit a) (lit b))) (:metric minimize (total-cost))"
    problem = Text(f"(define (problem p) (:domain priced) (:objects a b - lamp) (:init {init}) {rest})")
    return read_problem(Text(PRICED), problem)


@pytest.mark.parametrize(("one", "other", "why"), [
    ("2147483647", "1", None),
    ("2147483648", "1", "it counts costs in 32 bits, and a cost here is 2147483648"),
    ("3000000.001", "1", "it counts costs in 32 bits, here as multiples of 1/1000, and a cost here is 3000000.001"),
    ("0.0000001", "2000", "it counts costs in 32 bits, here as multiples of 1/10000000, and a cost here is 2000"),
    ("0.0000001", "200", None),
])  # fmt: skip
def test_fast_downward_says_which_costs_it_cannot_count(one: str, other: str, why: str | None) -> None:
    problem = priced(one, other)
    assert fast_downward.why_not(problem) == why
    if why is not None:
        with pytest.raises(UsageError, match=re.escape(f"fast-downward cannot solve this task: {why}")):
            fast_downward.solve(problem, 60)


@pytest.mark.processes
@pytest.mark.parametrize(("one", "other", "status", "cost"), [
    ("0.1", "0.25", Status.SOLVED, 0.35),
    ("0", "0", Status.SOLVED, 0),
    ("2147483647", "2147483647", Status.UNSOLVED, None),  # there is a plan, of a cost beyond 32 bits
    ("1500000000", "1500000000", Status.SOLVED, None),  # its sum of the costs is negative, and no cost
])  # fmt: skip
def test_fast_downward_takes_no_cost_beyond_its_bits_for_a_proof(
    one: str, other: str, status: Status, cost: float | None
) -> None:
    found = fast_downward.solve(priced(one, other), 60)
    assert (found.status, found.plan and found.plan.cost) == (status, cost)
    if status is Status.UNSOLVED:
        assert re.fullmatch("it found no plan that costs less than 2147483647, the most .*", found.reason)


LAMPS = """(define (domain lamps) (:requirements :adl :constraints) (:predicates (lit ?l))
  (:action light :parameters (?l) :precondition (not (lit ?l)) :effect (lit ?l)))"""


@pytest.mark.processes
@pytest.mark.parametrize(("planner", "constraint", "steps"), [
    ("fast-downward", "(sometime-before (lit a) (lit b))", ["(light b)", "(light a)"]),
    ("fast-downward", "(always (not (and (lit a) (lit b))))", None),
    ("pyperplan", "(always (not (and (lit a) (lit b))))", None),
    ("up:fast-downward", "(sometime-before (lit b) (lit a))", ["(light a)", "(light b)"]),
])  # fmt: skip
def test_every_planner_keeps_constraints(planner: str, constraint: str, steps: list[str] | None) -> None:
    rest = f"(:objects a b) (:init) (:goal (and (lit a) (lit b))) (:constraints {constraint})"
    found = PLANNERS[planner].solve(read_problem(Text(LAMPS), Text(f"(define (problem p) (:domain lamps) {rest})")), 60)
    assert (found.plan and [str(step) for step in found.plan]) == steps
    assert found.status in ({Status.SOLVED} if steps else {Status.UNSOLVED, Status.UNSOLVABLE})


@pytest.mark.processes
def test_an_unknown_engine_is_a_usage_error_with_a_hint(household: Problem) -> None:
    with pytest.raises(UsageError, match="did you mean up:pyperplan"):
        UpEngine("up:pyperplann", "pyperplann").solve(household, 60)


@pytest.mark.processes
def test_a_planner_that_is_not_installed(household: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    fast_downward.version.cache_clear()
    monkeypatch.setattr(fast_downward, "driver", lambda: None)
    with pytest.raises(MissingError, match=fast_downward.INSTALL):
        fast_downward.version()
    with pytest.raises(MissingError):
        fast_downward.solve(household)


@pytest.mark.processes
@pytest.mark.parametrize("planner", PLANNERS)
def test_a_planner_that_outlives_its_time_leaves_no_process(
    planner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task too large for anyone."""
    monkeypatch.setenv("CPLAN_TEST_MARK", str(tmp_path))
    problem = read_problem(Text(towers.DOMAIN), Text(towers.problem("high", 600)))
    result = PLANNERS[planner].solve(problem, 5.0)
    assert result.status is Status.BUDGET
    assert not any(str(tmp_path) in process.environment for process in processes().values())


@pytest.mark.processes
def test_descendants_that_left_the_group_are_ended_too() -> None:
    marker = f"import time; time.sleep(61) # {time.time_ns()}"
    child = f"[sys.executable, '-c', {marker!r}]"
    program = f"import subprocess, sys; subprocess.Popen({child}, start_new_session=True).wait()"
    ended = run_limited([sys.executable, "-c", program], Limit(1.0))
    assert ended.timed_out
    assert not any(marker in process.command for process in processes().values())


def test_a_condition_that_is_written_out_is_flat_and_has_each_part_once() -> None:
    """Otherwise the disjunctive normal form of nested quantifiers grows beyond what unified-planning can compile."""
    some = "(exists (?y) (or (at ?y) (clean ?y)))"
    problem = shuffle(f"(forall (?x) (and (or {some} (at ?x)) (exists (?x) (clean ?x))))")
    goals = to_up(problem, frozenset()).problem.goals
    written = [part for goal in goals for part in (goal.args if goal.is_and() else (goal,))]
    assert [len(part.args) for part in written] == [6, 3]  # the first is the same for each ?x


def test_pyperplan_and_fast_downward_agree_on_random_tasks(tmp_path: Path) -> None:
    domain, problem_file = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    seen = set()
    for seed in range(10):
        random_files(random.Random(seed), tmp_path, odd=False)
        task_text = domain.read_text() + problem_file.read_text()
        problem = read_problem(domain, problem_file)
        files = {"domain": str(domain), "problem": str(problem_file)}
        parameters = {"search": "gbf", "heuristic": "hff"}
        compiled = answer({**files, "engine": "pyperplan", "parameters": parameters, "complete": True})
        found = fast_downward.solve(problem, 60).status
        assert (compiled["status"] == Status.SOLVED) == (found == Status.SOLVED), task_text
        assert found in (compiled["status"], Status.UNSOLVED), task_text  # an older Fast Downward calls nothing proven
        if compiled["status"] == Status.SOLVED:
            plan = Plan(tuple(Step(name, tuple(arguments)) for name, *arguments in compiled["steps"]))
            assert replay(problem, plan).verdict is Verdict.VALID, task_text
        seen.add(compiled["status"])
    assert seen == {Status.SOLVED, Status.UNSOLVABLE}


BACK = "(way d a) (way e a)"
ROUND = {  # constraints, and the length of a shortest plan from a to d
    "(sometime (at e))": 3,
    "(sometime (at pit))": 3,
    "(forall (?l - lava) (at end (not (at ?l))))": 2,
    "(and (sometime (at b)) (sometime (at c)) (at-most-once (at d)))": 5,
    "(sometime-before (at d) (at c))": 3,
    "(sometime-before (at d) (at d))": None,
    "(sometime-after (at a) (at e))": 3,
    "(sometime-after (at d) (at e))": None,
    "(and (sometime-after (at c) (at b)) (sometime (at c)))": 5,
    "(forall (?s - spot) (sometime-before (at ?s) (or (at a) (at ?s))))": None,
    "(forall (?s - spot) (at-most-once (at ?s)))": 2,
    "(and (always (not (at b))) (forall (?l - lava) (at-most-once (at ?l))))": 3,
}


def around(folder: Path, constraints: str) -> Problem:
    """The task with these constraints and with ways back to the start."""
    walk(folder, f"(:constraints {constraints})")
    file = folder / "problem.pddl"
    file.write_text(file.read_text().replace("(at a) (way", f"(at a) {BACK} (way", 1))
    return read_problem(folder / "domain.pddl", file)


@pytest.mark.skipif(fast_downward.driver() is None, reason="Fast Downward is not installed")
@pytest.mark.parametrize("constraints", ROUND)
def test_fast_downwards_cheapest_plan_mapped_back_is_valid_and_as_long_as_must_be(
    constraints: str, tmp_path: Path
) -> None:
    problem = around(tmp_path, constraints)
    found = fast_downward.solve(problem, 60, "astar(blind())")
    if ROUND[constraints] is None:
        assert found.status in (Status.UNSOLVABLE, Status.UNSOLVED)  # an older Fast Downward calls nothing proven
        return
    assert (len(found.plan), found.plan.cost) == (ROUND[constraints], ROUND[constraints])
    assert replay(problem, found.plan).verdict is Verdict.VALID
    if find_val() is not None:
        assert validate_with_val(problem, found.plan).verdict is Verdict.VALID


def test_another_planner_gets_the_same_task(tmp_path: Path) -> None:
    problem = around(tmp_path, "(and (sometime (at b)) (sometime-after (at b) (at c)))")
    plan = PYPERPLAN.solve(problem, 120).plan
    assert plan is not None and replay(problem, plan).verdict is Verdict.VALID


@pytest.mark.parametrize("constraints", ROUND)
def test_the_texts_have_the_same_plans(constraints: str, tmp_path: Path) -> None:
    """All walks of up to four steps: with ``finish`` behind it, one is a plan of the texts if and only if it is one of
    the task."""
    problem = around(tmp_path, constraints)
    compiled = without_constraints(problem)
    read = compiled.read()
    ways = ("ab", "bd", "ac", "ce", "ed", "da", "ea")
    last = [Step(compiled.finish, ())] if compiled.finish else []
    for length in range(5):
        for walked in itertools.product(ways, repeat=length):
            if all(one[1] == other[0] for one, other in itertools.pairwise(walked)):
                plan = Plan(tuple(Step("go", tuple(way)) for way in walked))
                longer = Plan((*plan, *last))
                assert replay(read, longer).verdict is replay(problem, plan).verdict
                assert [str(step).lower() for step in compiled.back(longer)] == [str(step) for step in plan]


def test_names_that_are_taken_are_left_alone(tmp_path: Path) -> None:
    domain = (tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    walk(tmp_path, "(:constraints (sometime (at c)))")
    for file in domain:
        file.write_text(file.read_text().replace("pit", "finish").replace("Spot", "finished"))
    text = domain[0].read_text().replace("?s - spot", "?s - finished").replace("?a ?b - spot", "?a ?b - finished")
    domain[0].write_text(text.replace("- spot", "- finished"))
    domain[1].write_text(domain[1].read_text().replace("- spot", "- finished"))
    assert without_constraints(read_problem(*domain)).finish == "finish-2"


@pytest.mark.processes
def test_fast_downward_gets_whole_costs_and_the_plan_its_own() -> None:
    domain = """(define (domain d) (:requirements :action-costs) (:predicates (on ?x))
      (:functions (far ?x) (total-cost))
      (:action go :parameters (?x) :effect (and (on ?x) (increase (total-cost) (far ?x))))
      (:action stay :parameters (?x) :effect (and (on ?x) (increase (total-cost) 1.125))))"""
    problem = """(define (problem p) (:domain d) (:objects a b) (:init (= (far a) 1.5) (= (far b) 1) (= (total-cost) 0))
      (:goal (and (on a) (on b))) (:metric minimize (total-cost)))"""
    result = fast_downward.solve(read_problem(Text(domain), Text(problem)), 60, "astar(lmcut())")
    assert result.plan is not None and {*map(str, result.plan)} == {"(stay a)", "(go b)"}
    assert result.plan.cost == 2.125


def test_what_a_program_prints_has_no_path_of_ours() -> None:
    with temporary_folder("val") as folder:
        ended = run_limited([sys.executable, "-c", f"print('cannot read {folder}/domain.pddl: line 2')"], Limit(60))
    assert ended.stdout == "cannot read domain.pddl: line 2\n"


@pytest.mark.parametrize(("cost", "said"), [
    ("2147483647", None), ("2147483648", "it counts costs in 32 bits, and a cost here is 2147483648")
])  # fmt: skip
def test_fast_downward_is_not_given_a_cost_that_its_32_bits_do_not_hold(cost: str, said: str | None) -> None:
    costly = "(:functions (total-cost) - number) (:action a :effect (and (p) (increase (total-cost) COST)))"
    domain = Text(f"(define (domain d) (:predicates (p)) {costly.replace('COST', cost)})", "domain")
    init = "(:init (= (total-cost) 0)) (:goal (p)) (:metric minimize (total-cost))"
    problem = Text(f"(define (problem p) (:domain d) {init})", "problem")
    assert fast_downward.why_not(read_problem(domain, problem)) == said
