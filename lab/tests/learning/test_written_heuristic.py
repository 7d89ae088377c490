"""A heuristic that a model wrote, as an object over the kernels' states."""

import math
from pathlib import Path

import numpy as np
import pytest

from commonsense_lab.learning.written_heuristic import GroundedHeuristic, WrittenHeuristic, on_lifted
from commonsense_planning.errors import HeuristicError, InputError
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.grounding.lifted_successors import LiftedTask
from commonsense_planning.kernels.compiled import make_state
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.first_better import FirstBetter
from commonsense_planning.task import Task, read_task
from lab.tests.learning.heuristics import COUNTING, FAILING, NONSENSE, UPDATING
from tests.towers import write_files

FILE = Path("heuristic.py")
RECORDING = """def make_heuristic(objects, static, goal, unwanted):
    told = (sorted(objects.items()), sorted(static), sorted(goal), sorted(unwanted))
    return lambda state: float("inf") if told == EXPECTED and sorted(state) == STATE else 0
"""


@pytest.fixture
def task(tmp_path: Path) -> Task:
    """Two blocks, the upper one to be the lower one."""
    domain, files = write_files(tmp_path, (2,))
    return read_task(domain, files[0])


def heuristic(task: Task, text: str) -> tuple[GroundedHeuristic, float]:
    """The heuristic, and its value at first."""
    ground, compiled = task.all_seen
    h = GroundedHeuristic(ground, compiled, text, FILE)
    return h, h(make_state(compiled, ground.init))


def test_it_is_told_objects_static_facts_goal_and_state(task: Task) -> None:
    text = RECORDING.replace(
        "EXPECTED", "([('object', ['b0', 'b1'])], [('heavier', 'b0', 'b1')], [('on', 'b1', 'b0')], [])"
    ).replace("STATE", "[('clear', 'b0'), ('hand-empty',), ('on', 'b0', 'b1'), ('on-table', 'b1')]")
    assert heuristic(task, text)[1] == math.inf


def test_best_first_search_takes_it(task: Task) -> None:
    ground, compiled = task.all_seen
    h, value = heuristic(task, COUNTING)
    assert value == 1
    found = BestFirst(compiled, h).gbfs(make_state(compiled, ground.init))
    assert [step.action for step in ground.plan(found.operators or ())] == ["unstack", "put-down", "pick-up", "stack"]


DEEP = """def make_heuristic(o, s, g, u):
    h = lambda state: VALUE
    def reduce_():
        d = {}
        return d[deep()]
    def deep():
        t = ()
        for i in range(5000):
            t = (t,)
        return t
    return h
"""
WRONG = [  # the program, the line that is at fault, what is said
    (FAILING, 3, "ZeroDivisionError: division by zero"),
    (NONSENSE, 1, "the heuristic's value is no number: 'three'"),
    ("x = 1", 1, "there is no function make_heuristic"),
    ("def make_heuristic(o, s, g, u):\n    return 3", 1, "TypeError: 'int' object is not callable"),
    *((DEEP.replace("VALUE", value), line, said) for value, line, said in (
        ("{}[10**5000]", 2, "KeyError"),
        ("{}[10**10]", 2, "KeyError: 10000000000"),
        ("reduce_()", 5, "KeyError"),
        ("-float('inf')", 1, "the heuristic's value is no number: -inf"),
        ("float('nan')", 1, "the heuristic's value is no number: nan"),
        ("10**400", 1, "the heuristic's value is no number: 1000"),
        ("-10**5000", 1, "the heuristic's value is no number: one too large to be written"),
        ("deep()", 1, "the heuristic's value is no number: "),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("program", "line", "said"), WRONG)
def test_any_failure_has_a_place_and_a_message(task: Task, program: str, line: int, said: str) -> None:
    with pytest.raises(HeuristicError) as failed:
        heuristic(task, program)
    assert (failed.value.place.line, failed.value.problem[: len(said)]) == (line, said)


def test_numbers_of_costs_are_no_objects(tmp_path: Path) -> None:
    """Tarski has them as a separate type, an interval."""
    domain, (file,) = write_files(tmp_path, (2,))
    costs = "(:functions (total-cost) - number (weight ?a) - number)\n  (:action"
    domain.write_text(domain.read_text().replace("(:action", costs, 1).replace(":strips", ":strips :action-costs"))
    file.write_text(file.read_text().replace("(:init", "(:init (= (total-cost) 0) (= (weight b0) 2)"))
    text = "def make_heuristic(objects, s, g, u):\n    return lambda state: len(objects) * 10 + len(objects['object'])"
    assert heuristic(read_task(domain, file), text)[1] == 12


def test_negative_goals_and_several_ways(tmp_path: Path) -> None:
    domain, (file,) = write_files(tmp_path, (2,))
    domain.write_text(domain.read_text().replace(":strips", ":adl"))
    file.write_text(file.read_text().replace("(and (on b1 b0)", "(and (or (on b1 b0) (not (on b0 b1)))"))
    counting = "def make_heuristic(o, s, g, u):\n    return lambda state: len(g) + 10 * len(u)"
    assert heuristic(read_task(domain, file), counting)[1] == 1  # the least of 1 and 10


def test_a_goal_of_too_many_ways_is_refused(tmp_path: Path) -> None:
    domain, (file,) = write_files(tmp_path, (6,))
    domain.write_text(domain.read_text().replace(":strips", ":adl"))
    head = file.read_text().partition("(:goal")[0]
    file.write_text(f"{head}(:goal (exists (?a ?b) (on ?a ?b))))")
    with pytest.raises(InputError, match="ways"):
        heuristic(read_task(domain, file), COUNTING)


def lifted(folder: Path, text: str) -> tuple[LiftedTask, WrittenHeuristic]:
    """A tower of three blocks, not grounded."""
    domain, (file,) = write_files(folder, (3,))
    task = LiftedTask(lift(read_task(domain, file).problem))
    return task, on_lifted(task, text, FILE)


def test_a_second_function_is_told_the_difference(tmp_path: Path) -> None:
    task, h = lifted(tmp_path, UPDATING.replace("ERROR", "0"))
    (unstack,) = task.operators(3)
    added, deleted = task.effects(unstack)
    assert (h(task.start), h.after(task.start, added, deleted)) == (2, 2)
    assert h.after(task.start, frozenset({("on", "b2", "b1")}), frozenset()) == 1
    found = FirstBetter(task, h, np.random.default_rng(0)).run(Limits(60))
    assert found.plan is not None


def test_a_second_function_that_contradicts_the_first_or_fails_is_refused(tmp_path: Path) -> None:
    task, h = lifted(tmp_path, UPDATING.replace("ERROR", "1"))
    with pytest.raises(HeuristicError, match="update gives 3 for a state of which the heuristic gives 2"):
        h.after(task.start, frozenset(), frozenset())
    late = UPDATING.replace("ERROR", "(('clear', 'b0') in deleted)")  # not on the first sample
    task, h = lifted(tmp_path, late)
    assert h.after(task.start, frozenset(), frozenset()) == 2
    with pytest.raises(HeuristicError, match="update gives"):
        h.after(task.start, frozenset(), frozenset({("clear", "b0")}))
    task, h = lifted(tmp_path, UPDATING.replace("ERROR", "goal[9]"))
    with pytest.raises(HeuristicError, match="IndexError") as failed:
        h.after(task.start, frozenset(), frozenset())
    assert failed.value.place.line == 8


def test_the_first_state_is_given_on_request(tmp_path: Path) -> None:
    text = "def make_heuristic(o, s, g, u, initial):\n    return lambda state: len(initial - state)"
    task, h = lifted(tmp_path, text)
    assert (h(task.start), h(frozenset())) == (0, len(task.start))
    domain, (file,) = write_files(tmp_path, (3,))
    assert heuristic(read_task(domain, file), text)[1] == 0
