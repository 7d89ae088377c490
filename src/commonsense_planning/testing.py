"""Conformance tests for plug-ins, to call from a pytest test (``docs/plugins.md``).

    from commonsense_planning.testing import check_method

    def test_it_is_a_method_of_cplan():
        check_method(MY_METHOD)

Each check runs the plug-in on small tasks that ship, and raises an AssertionError that tells what was expected if the
plug-in breaks a rule that cplan relies on. The plug-in's errors are not caught.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from commonsense_planning.config import ModelConfig, Options
from commonsense_planning.errors import Status, UsageError
from commonsense_planning.heuristics.heuristic import Heuristic
from commonsense_planning.heuristics.registry import HeuristicKind
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.methods.method import Estimate, Method, Observability, Request, Solution
from commonsense_planning.methods.registry import solve, why_not
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.state import State, make_state
from commonsense_planning.task import Task, read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.questions import Placement, Scene

TASKS = ("household:small-apple", "flights:short-oslo-athens", "wumpus:cave-3")
"""The default tasks: something to find, costs, a contingent problem."""
WALKS, STEPS = 5, 10  # random walks from the initial state, on whose states a heuristic is asked
ROUNDING = 1e-6


def check_method(
    method: Method, tasks: Sequence[str] = TASKS, options: Options | None = None, model: str = "embedded", seed: int = 0
) -> list[Solution]:
    """Checks a method's attributes, and its results on those of the ``tasks`` (names of packs' problems) that it can
    solve: a solved task has a plan that the replay accepts, and the same ``seed`` gives the same result. ``options``:
    None for the defaults; ``model``: the model that answers. Returns the solutions, for further checks."""
    _hold(isinstance(method, Method), f"{method!r} lacks something of a method, see commonsense_planning.Method")
    name = method.name
    _hold(name and not set(name) & set(" :,"), f"the name {name!r} is empty, or has a space, colon or comma in it")
    _check_summary(name, method.summary)
    _hold(isinstance(method.world, Observability), f"{name}: world is {method.world!r}, no World")
    _hold(issubclass(method.Options, Options), f"{name}: Options is no class of commonsense_planning.Options")
    method.Options()  # every one has a default
    read = {task: read_task(task) for task in tasks}
    reasons = {task: why_not(method, read[task]) for task in tasks}
    taken = [task for task, reason in reasons.items() if reason is None]
    _hold(taken, f"{name}: takes none of the tasks: {reasons}")
    return [_check_solution(method, read[task], options, ModelConfig(model), seed) for task in taken]


def check_heuristic(kind: HeuristicKind, tasks: Sequence[str] = TASKS) -> None:
    """Checks a heuristic: in each state it is a number, not negative; 0 at a goal; finite if there is a plan, and at
    most that plan's cost if it is ``admissible``; the same for the same state, which it does not change."""
    name = kind.forms[0]
    _check_summary(name, kind.summary)
    for task in tasks:
        ground, compiled = read_task(task).all_seen
        h, transition = kind.make(ground, compiled, False), TransitionModel(compiled)
        start = make_state(compiled, ground.init)
        states = [start, *_random_walks(transition, start)]
        first = [_value(name, h, state) for state in states]
        again = [_value(name, h, state) for state in states[::-1]]
        _hold(first == again[::-1], f"{name}: says another thing of the same state when it is asked again")
        plan = BestFirst(compiled).gbfs(start).operators or ()
        for done, state in enumerate(transition.trajectory(start, plan)):
            value, cost = _value(name, h, state), ground.plan(plan[done:]).cost or 0.0
            about = f"{name}: on {task}, {len(plan) - done} steps before the end of a plan, it is {value}"
            _hold(value < math.inf, f"{about}, which is for dead ends")
            _hold(value == 0 or not transition.reached(state), f"{about} where the goal holds")
            _hold(value <= cost + ROUNDING or not kind.admissible, f"{about}, more than the {cost} that they cost")


def check_model(spec: str, n: int = 3) -> None:
    """Checks a model by its name for ``--model``, so that its entry point is looked up, too: it gives at most ``n``
    texts to each question, counts its questions, and has a name and a note."""
    with ModelSession(ModelConfig(spec)) as models:
        _check_summary(spec, models.adapter.summary)
        model = models.open(Scene("household"), None, matcher_named("lexical"), np.random.default_rng(0))
        _hold(model.name and model.note, f"{spec}: has no name, or no note that says what kind of model it is")
        places = ("inside fridge", "on kitchen table", "inside kitchen cabinet")
        questions = [Placement(thing, places) for thing in ("apple", "plate")]
        answers = model.ask(questions, n)
        _hold(len(answers) == 2, f"{spec}: 2 questions were asked, and {len(answers)} answered")
        for texts in answers:
            fine = len(texts) <= n and all(isinstance(text, str) for text in texts)
            _hold(fine, f"{spec}: at most {n} texts were wanted, and {texts} came")
        counted, failed = model.usage, sum(not texts for texts in answers)
        fine = (counted.questions, counted.failures) == (2, failed)
        _hold(fine, f"{spec}: 2 questions, {failed} without an answer, are counted as {counted}")
        weighed = [weights.options for weights in model.weigh(questions, n)]
        _hold(weighed == [places, places], f"{spec}: other options are weighed than those asked about: {weighed}")


def _check_solution(method: Method, task: Task, options: Options | None, model: ModelConfig, seed: int) -> Solution:
    about = f"{method.name} on {task.problem.problem_name}"
    found: list[Solution] = []
    for _ in range(2):
        with ModelSession(model) as models:
            request = Request(task, method, options, models, seed)
            with suppress(UsageError):  # where that cannot be told
                estimate = method.estimate(request)
                _hold(estimate is None or isinstance(estimate, Estimate), f"{about}: {estimate!r} is no Estimate")
            found.append(solve(request))
            if found[-1].interrupted:
                raise KeyboardInterrupt
    solution, again = found
    _hold(isinstance(solution.status, Status), f"{about}: ends with {solution.status!r}, no Status")
    # who does not know the ways may err
    if solution.status is Status.SOLVED and method.world is not Observability.WAYS_UNTOLD:
        report = None if solution.plan is None else replay(task.problem, solution.plan)
        _hold(report and report.verdict is Verdict.VALID, f"{about}: the replay does not accept the plan: {report}")
    _hold((solution.status, solution.plan) == (again.status, again.plan), f"{about}: equal seeds give other plans")
    return solution


def _random_walks(transition: TransitionModel, start: State) -> Iterator[State]:
    rng = np.random.default_rng(0)
    for _ in range(WALKS):
        state = start
        for _ in range(STEPS):
            operators = transition.applicable(state)
            if len(operators):
                state = transition.successor(state, int(rng.choice(operators)))
                yield state


def _value(name: str, h: Heuristic, state: State) -> float:
    before = state.copy()
    value = float(h(state))
    _hold(value >= 0, f"{name}: {value} is not at least 0")  # nor is NaN
    _hold(np.array_equal(before, state), f"{name}: changes the state that it is asked about")
    return value


def _check_summary(name: str, summary: str) -> None:
    fine = bool(summary) and "\n" not in summary and not summary.endswith(".")
    _hold(fine, f"{name}: a summary is one line without a full stop, not {summary!r}")


def _hold(condition: object, otherwise: str) -> None:
    if not condition:
        raise AssertionError(otherwise)  # as assert does, but ``python -O`` leaves that out
