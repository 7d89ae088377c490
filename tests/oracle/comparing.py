"""Random tasks, and an oracle that shares no code with cplan (``tests.oracle``): plans, costs, "no", and verdicts.

Each of the methods solves each task that it takes. A plan has to be one by the oracle, a cheapest one has to cost what
the oracle's costs, and where there is none by one there is none by the other. Plans that were found, the oracle's, and
some that were spoilt are judged by the replay, and some of them by VAL.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from commonsense_planning.config import Options
from commonsense_planning.errors import CplanError, Status
from commonsense_planning.methods.classical import ASTAR, GBFS, CheapestOptions, GreedyOptions
from commonsense_planning.methods.method import Method, Request, Solution
from commonsense_planning.methods.registry import solve
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.processes import Limit
from commonsense_planning.task import Task as Read
from commonsense_planning.task import read_task
from commonsense_planning.validation.replay import malformed, run
from commonsense_planning.validation.val import NAME as VAL
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Report, Verdict
from tests.oracle.meaning import Meaning, Move, UnknownError
from tests.oracle.task import Task, Tree

STATES = 1000
"""That the oracle looks at to know the cost of a cheapest plan, or that there is none."""
SECONDS = 20.0
"""For one search, and for one verdict of VAL's."""
SPOILT = 8
"""Plans of each task."""
ASKED = 2
"""Plans of each task that VAL judges, of those that were found and of those that were spoilt."""

RUNS: dict[str, tuple[Method, Options]] = {
    "gbfs": (GBFS, GreedyOptions()),
    "gbfs --anytime": (GBFS, GreedyOptions(anytime=True)),
    "gbfs --lifted": (GBFS, GreedyOptions(lifted=True)),
    "gbfs --heuristic landmarks": (GBFS, GreedyOptions(heuristic="landmarks")),
    "astar": (ASTAR, CheapestOptions()),
    "astar --heuristic max": (ASTAR, CheapestOptions(heuristic="max")),
}
Judge = Callable[[Problem, Plan], Report]


@dataclass
class Found:
    """How often each thing was ``tried``; each difference that is ``explained``, by its reason; where there was no
    answer, ``silent``, by what was said; what is ``lost``, which is all else, with its plan."""

    tried: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    silent: Counter[str] = field(default_factory=Counter)
    lost: list[tuple[str, Plan | None]] = field(default_factory=list)


def by_val(problem: Problem, plan: Plan) -> Report:
    """What VAL says of a plan."""
    return validate_with_val(problem, plan, Limit(SECONDS))


def compare(tree: Task, files: tuple[Path, Path], seed: int, found: Found, val: Judge | None = None) -> None:
    """Compare all on a random task, which was written to files."""
    meaning, rng = Meaning(tree), random.Random(seed)
    found.tried["tasks"] += 1
    try:
        task = read_task(*files)
    except CplanError as error:
        found.lost.append((f"it is refused: {error}", None))
        return
    plans = [*_solved(task, meaning, found)]
    plans += [_spoilt(rng.choice(plans) if plans else (), meaning, rng) for _ in range(SPOILT)]
    for plan in dict.fromkeys(plans):
        asked = plan in (*plans[:ASKED], *plans[-ASKED:])
        _judged(task.problem, plan, meaning, found, val if asked else None)


def _solved(task: Read, meaning: Meaning, compared: Found) -> Iterator[tuple[Move, ...]]:
    """Let the methods solve the task; their plans, and the oracle's."""
    known, least = True, None
    try:
        least = meaning.cheapest(STATES)
        compared.tried["of them with a plan" if least else "without one"] += 1
    except UnknownError:
        known = False
        compared.silent[f"no proof within {STATES:,} states by the oracle"] += 1
    if least:
        yield least[1]
    for name, (method, options) in RUNS.items():
        if name == "gbfs --lifted" and (meaning.task.rules or meaning.task.lasting or meaning.task.constraints):
            continue  # those are known of a grounded task only
        compared.tried["runs"] += 1
        try:
            found = solve(Request(task, method, options, seconds=SECONDS))
        except Exception as error:  # noqa: BLE001  # any is a finding
            compared.lost.append((f"{name}: {type(error).__name__}: {error}", None))
            continue
        wrong = _wrong(found, meaning, known, least and least[0])
        if found.status is Status.BUDGET:
            compared.silent[f"{name}: {found.reason}"] += 1
        elif wrong:
            compared.lost.append((f"{name}: {wrong}", found.plan))
        else:
            proof = known or found.status is Status.SOLVED
            compared.tried[f"{found.status} {'rightly' if proof else 'for all that is known'}"] += 1
        if found.plan is not None:
            yield tuple((step.action, *step.arguments) for step in found.plan)


def _wrong(found: Solution, meaning: Meaning, known: bool, least: Decimal | None) -> str:
    """What is wrong with a solution; empty if nothing is. ``known``: that a cheapest plan costs ``least``, or that
    there is none."""
    if found.plan is None:
        return (
            f"{found.status}, and a plan costs {least}"
            if found.status is Status.UNSOLVABLE and least is not None
            else ""
        )
    moves = [(step.action, *step.arguments) for step in found.plan]
    if not meaning.valid(moves):
        return "its plan is none"
    trajectory = meaning.trajectory(moves)
    cost = trajectory and trajectory[0]
    if cost is not None and found.plan.cost not in (None, cost, float(cost)):
        return f"its plan costs {cost}, not {found.plan.cost}"
    if found.status is Status.SOLVED and found.bound is not None and known and cost != least:
        return f"its plan costs {cost}, and a cheapest one {least}"
    return ""


def _judged(problem: Problem, moves: tuple[Move, ...], meaning: Meaning, compared: Found, val: Judge | None) -> None:
    """Have a plan judged by the replay and VAL."""
    plan, right = Plan(tuple(Step(name, tuple(arguments)) for name, *arguments in moves)), meaning.valid(moves)
    wrong = malformed(problem, plan)
    carried_out = run(problem, plan)
    reports = [wrong or carried_out.report]
    if val is not None and wrong is None:
        reports.append(val(problem, plan))
    for report in reports:
        compared.tried[f"verdicts of {report.validator}"] += 1
        if report.verdict is Verdict.UNAVAILABLE:
            compared.silent[f"{report.validator}: {report.reason.partition(';')[0]}"] += 1
        elif (report.verdict is Verdict.VALID) != right and report.validator == VAL and _on_derived(meaning):
            compared.explained["VAL is wrong about some constraints on derived facts"] += 1
        elif (report.verdict is Verdict.VALID) != right:
            said = f"{report.verdict} by {report.validator} ({report.reason})"
            compared.lost.append((f"{said}, {'valid' if right else 'invalid'} by the oracle", plan))
    trajectory = meaning.trajectory(moves)
    if right and trajectory and carried_out.cost != float(trajectory[0]):
        compared.lost.append((f"the replay's cost is {carried_out.cost}, the oracle's {trajectory[0]}", plan))


def _on_derived(meaning: Meaning) -> bool:
    """Whether a constraint is about a derived predicate."""
    derived = {rule.name for rule in meaning.task.rules}

    def mentions(tree: Tree) -> bool:
        return isinstance(tree, tuple) and bool(tree) and (tree[0] in derived or any(map(mentions, tree)))

    return any(mentions(condition) for one in meaning.watched for condition in one.conditions)


def _spoilt(plan: tuple[Move, ...], meaning: Meaning, rng: random.Random) -> tuple[Move, ...]:
    """A plan with one to three changes: steps dropped, doubled, swapped, cut off, put in; arguments and names replaced,
    too many, too few."""
    steps, things = [*plan], [*meaning.things, "nobody"]
    names = [action.name for action in meaning.task.actions]
    for _ in range(rng.randint(1, 3)):
        at, change = rng.randrange(len(steps) + 1), rng.randrange(9)
        if change < 3:
            trajectory = meaning.trajectory(steps[:at])
            moves = meaning.moves(trajectory[1][-1]) if trajectory else []
            steps[at:at] = [rng.choice(moves)[0]] if moves else []
        elif at == len(steps):
            continue
        elif change == 3:
            del steps[at]
        elif change == 4:
            steps.insert(at, rng.choice(steps))
        elif change == 5:
            del steps[at:]
        elif change == 6:
            steps[at] = (rng.choice(names), *steps[at][1:])
        elif change == 7 and len(steps[at]) > 1:
            place = rng.randrange(1, len(steps[at]))
            steps[at] = (*steps[at][:place], rng.choice(things), *steps[at][place + 1 :])
        else:
            steps[at] = rng.choice(
                [steps[at][:-1] if len(steps[at]) > 1 else steps[at], (*steps[at], rng.choice(things))]
            )
    return tuple(steps)
