"""The graph that VirtualHome gets, and the verdicts from its answers; its executor is not needed here."""

from collections.abc import Sequence
from typing import Any

import pytest

from commonsense_lab.studies.virtualhome import judge as judge_module
from commonsense_lab.studies.virtualhome.judge import graph_at_first, judge
from commonsense_lab.studies.virtualhome.script import ScriptRun
from commonsense_planning.errors import BudgetError, InputError
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text
from commonsense_planning.support.workers import WorkerError
from commonsense_planning.validation.verdict import Verdict
from lab.tests.studies.homes.test_scene_import import FLAT, graph
from lab.tests.studies.virtualhome.homes import GOAL, SALMON_IN_FRIDGE, SCENE, problem_text, problem_with
from lab.tests.studies.virtualhome.plans import DOMAIN, plan_of

PLAN = plan_of(*SALMON_IN_FRIDGE)
CHARACTER = 3


def answers(monkeypatch: pytest.MonkeyPatch, ended: ScriptRun | Exception) -> None:
    def execute(graph: object, scripts: Sequence[Sequence[str]], timeout: float | None) -> list[ScriptRun]:
        if isinstance(ended, Exception):
            raise ended
        return [ended]

    monkeypatch.setattr(judge_module, "execute", execute)


def last(*edges: tuple[int, str, int], states: dict[int, frozenset[str]] | None = None) -> ScriptRun:
    return ScriptRun(len(PLAN), "", states or {}, frozenset(edges))


def node(given: dict[str, Any], i: int) -> dict[str, Any]:
    found: dict[str, Any] = next(node for node in given["nodes"] if node["id"] == i)
    return found


def test_the_graph_gets_the_facts_of_the_problem() -> None:
    given, character = graph_at_first(problem_with(), SCENE)
    assert character == CHARACTER
    assert node(given, 46)["properties"] == ["CAN_OPEN", "CREAM", "GRABBABLE", "POURABLE"]
    assert node(given, 46)["states"] == ["CLOSED"], "what can be opened is closed, and must be, to be opened"
    assert node(given, 25)["states"] == ["OFF"], "the faucet"
    assert node(given, 48)["states"] == ["OFF", "PLUGGED_IN"]
    assert "EATABLE" in node(given, 30)["properties"]
    assert len(given["edges"]) == len(SCENE.edges)


def test_the_graph_gets_the_states_of_the_task() -> None:
    text = problem_text().replace("(opened sink_13)", "(opened fridge_10)")
    assert node(graph_at_first(read_problem(DOMAIN, Text(text)), SCENE)[0], 10)["states"] == ["OPEN"]


def test_the_character_starts_where_the_problem_says() -> None:
    def places(given: dict[str, Any]) -> list[int]:
        return [e["to_id"] for e in given["edges"] if e["from_id"] == CHARACTER and e["relation_type"] == "INSIDE"]

    assert places(graph_at_first(problem_with(), SCENE)[0]) == [2]
    assert places(graph_at_first(problem_with(room="kitchen"), SCENE)[0]) == [1]


def test_another_graph_is_refused() -> None:
    problem = problem_with()
    other = graph([row if row[0] != 30 else (30, "cutlets", *row[2:]) for row in FLAT])
    with pytest.raises(InputError, match="salmon_30 is no node of the scene: the problem was not imported from"):
        graph_at_first(problem, other)
    with pytest.raises(InputError, match="no character"):
        nobody = graph([row for row in FLAT if row[1] != "character"])
        graph_at_first(problem_with(scene=nobody), nobody)


@pytest.mark.parametrize(("goal", "verdict", "told"), [
    ("(inside salmon_30 fridge_10)", Verdict.VALID, "compared: inside"),
    ("(on salmon_30 desk_22)", Verdict.INVALID, "for lack of (on salmon_30 desk_22)"),
    ("(and (inside salmon_30 fridge_10) (heated salmon_30))", Verdict.VALID, "compared: inside; not compared: heated"),
    ("(and (on salmon_30 desk_22) (heated salmon_30))", Verdict.INVALID, "for lack of (on salmon_30 desk_22)"),
    ("(or (on salmon_30 desk_22) (heated salmon_30))", Verdict.VALID, "compared: on; not compared: heated"),
    ("(or (not (on salmon_30 desk_22)) (heated salmon_30))", Verdict.VALID, "compared: on; not"),
    ("(heated salmon_30)", Verdict.UNAVAILABLE, "keeps no record of heated"),
    ("(not (heated salmon_30))", Verdict.UNAVAILABLE, "keeps no record of heated"),
    ("(opened fridge_10)", Verdict.VALID, "compared: opened"),
    ("(and (sitting) (sitting-on sofa_15))", Verdict.VALID, "compared: sitting, sitting-on"),
    ("(held apple_31)", Verdict.VALID, "compared: held"),
    ("(poured toothpaste_46 toothbrush_47)", Verdict.UNAVAILABLE, "no record of poured"),
    ("(exists (?x - movable) (inside ?x fridge_10))", Verdict.VALID, "compared: inside"),
    ("(forall (?x - movable) (inside ?x fridge_10))", Verdict.INVALID, "for lack of"),
])  # fmt: skip
def test_the_goal_is_compared_as_far_as_it_is_recorded(
    goal: str, verdict: Verdict, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = {10: frozenset({"OPEN"}), CHARACTER: frozenset({"SITTING"})}
    edges = ((30, "INSIDE", 10), (CHARACTER, "ON", 15), (CHARACTER, "HOLDS_LH", 31))
    answers(monkeypatch, last(*edges, states=states))
    text = problem_text().replace(GOAL, goal)
    report = judge(read_problem(DOMAIN, Text(text)), PLAN, SCENE).report
    assert report.verdict is verdict
    assert told in report.reason
    assert report.step is None


def test_atoms_are_reported_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, last((30, "INSIDE", 10)))
    goal = "(or (on salmon_30 desk_22) (and (inside salmon_30 fridge_10) (heated salmon_30)))"
    judged = judge(problem_with(goal), PLAN, SCENE)
    assert judged.compared == {"(on salmon_30 desk_22)": False, "(inside salmon_30 fridge_10)": True}
    assert judged.not_compared == ("(heated salmon_30)",)


def test_a_plan_that_is_no_script_is_invalid() -> None:
    report = judge(problem_with(), plan_of("fly salmon_30"), SCENE).report
    assert report.verdict is Verdict.INVALID
    assert "no action fly" in report.reason


@pytest.mark.parametrize("trouble", [WorkerError("AssertionError"), BudgetError("took longer than 60 s")])
def test_trouble_is_no_objection(trouble: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, trouble)
    report = judge(problem_with(), PLAN, SCENE).report
    assert (report.verdict, report.reason) == (Verdict.UNAVAILABLE, str(trouble))
