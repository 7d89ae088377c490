"""VirtualHome's own executor on cplan's plans: ``pytest -m virtualhome``."""

from collections.abc import Mapping
from importlib.util import find_spec

import pytest

from commonsense_lab.studies.homes.scene_graph import SceneGraph, load_graph
from commonsense_lab.studies.virtualhome.home import import_home
from commonsense_lab.studies.virtualhome.judge import Judgement, graph_at_first, judge
from commonsense_lab.studies.virtualhome.script import ScriptRun, execute, to_script, version
from commonsense_lab.studies.virtualhome.tasks import TASKS, HouseholdTask
from commonsense_planning.errors import InputError
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.validation.verdict import Verdict
from lab.tests.studies.virtualhome.homes import SALMON_IN_FRIDGE, SCENE, problem_with
from lab.tests.studies.virtualhome.plans import plan_of, problem_in
from tests.data import shared_data

pytestmark = [
    pytest.mark.virtualhome,
    pytest.mark.data,
    pytest.mark.skipif(find_spec("virtualhome") is None, reason="virtualhome is not installed: make virtualhome"),
]

NOT_COMPARED = {
    "watch-tv": {"watched"},
    "make-toast": {"heated"},
    "eat-chips-on-the-sofa": {"eaten"},
    "brush-teeth": {"used"},
    "microwave-salmon": {"heated"},
}


@pytest.fixture(scope="module")
def scene() -> SceneGraph:
    return load_graph(shared_data("virtualhome") / "TestScene1_graph.json")


@pytest.fixture(scope="module")
def judged(scene: SceneGraph) -> Mapping[str, Judgement]:
    """VirtualHome's judgement of a plan for each of the ten tasks for which the scene has the things."""
    found = {}
    for task in TASKS:
        try:
            problem = problem_in(import_home(scene)[0], task)
        except InputError:  # the scene has no salmon, say
            continue
        grounded = ground(problem)
        compiled = compile_task(grounded)
        plan = BestFirst(compiled).gbfs(make_state(compiled, grounded.init)).operators
        assert plan is not None, task.name
        found[task.name] = judge(problem, Plan(tuple(map(grounded.step, plan))), scene)
    return found


@pytest.mark.parametrize("name", [task.name for task in TASKS])
def test_plans_for_the_ten_tasks_are_accepted(name: str, judged: Mapping[str, Judgement]) -> None:
    judgement = judged[name]
    assert judgement.report.verdict is Verdict.VALID, judgement.report.reason
    assert any(judgement.compared.values()), "something that was compared holds"
    assert {atom.strip("()").split()[0] for atom in judgement.not_compared} == NOT_COMPARED.get(name, set())


def test_every_movable_is_within_reach_where_the_domain_puts_it(scene: SceneGraph) -> None:
    """Walk to where it lies, open that if it is closed, grab: our domain says that this can be done."""
    home = import_home(scene)[0]
    problem = problem_in(home, HouseholdTask("nothing", "nothing", "(exists (?l - lightswitch) (switched-on ?l))"))
    items = {item.name: item for item in home.items}
    plans = {}
    for item in items.values():
        if item.movable and item.place is not None:
            place = items[item.place[1]]
            opening = [Step("open", (place.name,))] * (item.place[0] == "inside" and not place.opened)
            plans[item.name] = Plan((Step("walk-to-fixture", (place.name,)), *opening, Step("grab", (item.name,))))
    scripts = [[line.text for line in to_script(problem, plan).lines] for plan in plans.values()]
    ended = execute(graph_at_first(problem, scene)[0], scripts)
    assert len(ended) > 100
    assert [(name, end.reason) for name, end in zip(plans, ended, strict=True) if end.reason] == []


def run(*steps: str) -> ScriptRun:
    problem = problem_with()
    script = to_script(problem, plan_of(*steps))
    return execute(graph_at_first(problem, SCENE)[0], [[line.text for line in script.lines]])[0]


def test_a_goal_that_is_reached() -> None:
    report = judge(problem_with(), plan_of(*SALMON_IN_FRIDGE), SCENE).report
    assert (report.verdict, report.reason) == (Verdict.VALID, "compared: inside")
    assert version() == "2.3.0"


def test_a_closed_fridge_is_reported_with_its_line() -> None:
    steps = [step for step in SALMON_IN_FRIDGE if not step.startswith("open")]
    report = judge(problem_with(), plan_of(*steps), SCENE).report
    assert (report.verdict, report.step) == (Verdict.INVALID, 3)
    assert "in line 3 of the script: <fridge> (10) is not open" in report.reason


def test_a_goal_that_is_not_reached() -> None:
    report = judge(problem_with(), plan_of(*SALMON_IN_FRIDGE[:3]), SCENE).report
    assert report.verdict is Verdict.INVALID
    assert "for lack of (inside salmon_30 fridge_10)" in report.reason


BRUSHING = ("open toothpaste_46", "grab toothbrush_47", "pour toothpaste_46 toothbrush_47", "use toothbrush_47")


@pytest.mark.parametrize(("steps", "done", "reason"), [
    (("walk-to-fixture sofa_15", "sit sofa_15", "standup", "walk-to-room kitchen_1"), 4, ""),
    (("walk-to-fixture sofa_15", "sit sofa_15", "walk-to-room kitchen_1"), 2, "<character> (3) is sitting"),
    (("walk-to-fixture tv_48", "switchon tv_48", "watch tv_48"), 4, ""),  # the character turns to it
    (("walk-to-fixture kitchentable_11", "grab toothpaste_46", *BRUSHING), 5, ""),
])  # fmt: skip
def test_steps(steps: tuple[str, ...], done: int, reason: str) -> None:
    ended = run(*steps)
    assert (ended.done, ended.reason) == (done, reason)
    if BRUSHING[0] in steps:  # the importer made the toothpaste openable
        assert (46, "INSIDE", 47) in ended.edges and "OPEN" in ended.states[46]


def test_poured_is_not_compared() -> None:
    steps = ("walk-to-fixture kitchentable_11", "grab toothpaste_46", "open toothpaste_46")
    goal = "(and (poured toothpaste_46 toothbrush_47) (held toothpaste_46))"
    plan = plan_of(*steps, "pour toothpaste_46 toothbrush_47", "walk-to-room livingroom_2")
    judgement = judge(problem_with(goal), plan, SCENE)
    assert judgement.report.verdict is Verdict.VALID
    assert judgement.not_compared == ("(poured toothpaste_46 toothbrush_47)",)


def test_unknown_words_are_left_out() -> None:
    given = {
        "nodes": [
            {"id": 1, "class_name": "kitchen", "category": "Rooms", "properties": [], "states": []},
            {"id": 2, "class_name": "character", "category": "Characters", "properties": [], "states": ["HAPPY"]},
            {"id": 3, "class_name": "apple", "category": "Food", "properties": ["TASTY"], "states": []},
        ],
        "edges": [{"from_id": i, "relation_type": "INSIDE", "to_id": 1} for i in (2, 3)]
        + [{"from_id": 2, "relation_type": "LIKES", "to_id": 3}],
    }
    assert execute(given, [["[WALK] <apple> (3)"]])[0].reason == ""
