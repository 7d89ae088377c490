"""What the rest of a plan needs: from every state in which that holds, it is a plan."""

from __future__ import annotations

from hypothesis import given

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import compile_task, make_state, unpack
from commonsense_planning.kernels.engine import failure_reached
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.windows import PlanWindows, needs, states_of
from tests.random_tasks import derived_tasks, task_of, tasks


@given(tasks() | derived_tasks())
def test_from_where_what_is_needed_holds_the_rest_is_a_plan(task: GroundTask) -> None:
    compiled = compile_task(task)
    state = make_state(compiled, task.init)
    operators = BestFirst(compiled).gbfs(state).operators
    if operators is None:
        return
    states = states_of(compiled, state, operators)
    assert states is not None
    wanted = needs(task, [unpack(passed, task.fact_count) for passed in states], operators)
    reachable, new = {state.tobytes(): state}, [state]
    while new and len(reachable) < 100:
        for _, after in TransitionModel(compiled).successors(new.pop()):
            if after.tobytes() not in reachable:
                reachable[after.tobytes()] = after
                new.append(after)
    for place in range(len(operators) + 1):
        for other in reachable.values():
            truths = unpack(other, task.fact_count)
            if truths[wanted.pos.row(place)].all() and not truths[wanted.neg.row(place)].any():
                rest = states_of(compiled, other, operators[place:])
                assert rest is not None or _fails(task, other, operators[place:])


def _fails(task: GroundTask, state: object, operators: tuple[int, ...]) -> bool:
    """Whether a constraint is violated on the way; what is needed says nothing about them."""
    compiled = compile_task(task)
    generator, here = TransitionModel(compiled), state
    for operator in operators:
        here = generator.successor(here, operator)
        if failure_reached(compiled.table, here):
            return True
    return False


def test_a_window_leaves_out_a_detour() -> None:
    """From 0 over 1, 2 and 3 to 4; straight on it is one step from 1 to 4."""
    around = [([f], [], [f + 1], [f], 1) for f in range(4)]
    task = task_of(6, [*around, ([1], [], [4], [1], 1), ([4], [], [5], [4], 1)], [5], [0])
    compiled = compile_task(task)
    operators = (0, 1, 2, 3, 5)
    states = states_of(compiled, make_state(compiled, task.init), operators)
    assert states is not None
    better = PlanWindows(task, compiled, operators, states).passed_through(4, 100, lambda evaluated: False)
    assert better == (0, 4, 5)
    assert states_of(compiled, states[0], (0, 4, 1)) is None
