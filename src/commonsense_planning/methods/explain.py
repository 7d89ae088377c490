"""Why a task has no plan, and repairs of its files that would help, each tried by solving the task again."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from commonsense_planning.errors import BudgetError, InputError, Status, UsageError
from commonsense_planning.grounding.causes import Why
from commonsense_planning.grounding.unreachable import exhausted, unreachable
from commonsense_planning.methods.classical import why_unsolvable
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.reader import with_text
from commonsense_planning.pddl.repair import Repair, RepairKind, goals, repaired
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.lazy import alternating_search
from commonsense_planning.state import make_state
from commonsense_planning.support.english import counted
from commonsense_planning.support.limits import within_memory, within_seconds
from commonsense_planning.support.processes import Limit
from commonsense_planning.task import Task
from commonsense_planning.validation.validate import validate
from commonsense_planning.validation.verdict import Verdict

SECONDS = 30.0  # by default, for all of it
MOST_SUGGESTED = 5
MOST_REPAIRS = 4  # that are made together
MOST_TRIED = 12  # repairs of a kind, for one task
MOST_OF_A_KIND = 2  # suggestions
MOST_FACTS = 20  # about a further object
EACH = 4.0  # seconds for a task that is tried
STATES = 20_000  # evaluated at most for it

_ORDER = (
    (RepairKind.FACT, True),
    (RepairKind.EFFECT, True),
    (RepairKind.CONDITION, True),
    (RepairKind.OBJECT, True),
    (RepairKind.EFFECT, False),
    (RepairKind.OBJECT, False),
    (RepairKind.FACT, False),
    (RepairKind.GOAL, True),
)
"""The kinds of repairs, the likeliest first, and whether the task looks as if it lacked them."""

Report = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Suggestion:
    """Repairs that together make a plan possible. ``texts``: each in words, with its place in the files; ``cost`` and
    number of ``steps`` of the plan that was found, and was validated."""

    repairs: tuple[Repair, ...]
    texts: tuple[str, ...]
    cost: float
    steps: int

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        kinds = [str(repair.kind) for repair in self.repairs]
        return {"kinds": kinds, "changes": list(self.texts), "cost": self.cost, "steps": self.steps}


@dataclass(frozen=True)
class Explanation:
    """Why a task has no plan. ``status``: SOLVED if it has one, UNSOLVABLE, or BUDGET if the limit allowed neither
    proof; ``reason`` in a sentence; ``chains``: the causes, each as the lines from the goal to it.
    ``suggestions``: what would help, the least change first; ``tried``: the number of changes that were tried, and
    ``late``: whether the time was up before all were."""

    status: Status
    reason: str
    chains: tuple[tuple[str, ...], ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    tried: int = 0
    late: bool = False

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        suggestions = [suggestion.as_json() for suggestion in self.suggestions]
        chains = [list(lines) for lines in self.chains]
        return {**vars(self), "status": str(self.status), "chains": chains, "suggestions": suggestions}


def explain(task: Task, seconds: float = SECONDS, report: Report = lambda what, count, total: None) -> Explanation:
    """Explains why the true world has no plan, and tries what would help, for at most ``seconds``. Raises InputError if
    the task cannot be grounded, UsageError if it has no single true world."""
    if task.no_world is not None:
        raise UsageError(task.no_world)
    limit = Limit(seconds)
    found = _Trial(task, limit.left / 2)
    if found.status is not Status.UNSOLVABLE:
        unknown = "the limit was reached before it was known whether there is a plan"
        said = unknown if found.plan is None else f"there is a plan: {counted(len(found.plan), 'step')}"
        return Explanation(found.status, said)
    search = _RepairSearch(limit, report)
    suggestions = tuple(search.run(found))
    return Explanation(found.status, found.reason, found.why.chains, suggestions, search.tried, limit.left <= 0)


class _Trial:
    """A task that is solved: ``status``, ``plan``; or else ``why`` there is none, as a ``reason`` in words."""

    def __init__(self, task: Task, seconds: float, repairs: Sequence[Repair] = (), texts: Sequence[str] = ()) -> None:
        self.task, self.repairs, self.texts = task, tuple(repairs), tuple(texts)
        self.status, self.why, self.reason = Status.BUDGET, Why(), ""
        self.plan: Plan | None = None
        with suppress(BudgetError), within_seconds(seconds), within_memory():
            self._solve(Limits(seconds, STATES if repairs else None))

    def _solve(self, limits: Limits) -> None:
        ground, compiled = self.task.relevant
        found = alternating_search(compiled, make_state(compiled, ground.init), limits)
        plan = None if found.operators is None else ground.plan(found.operators)
        if plan is not None and validate(self.task.problem, plan).verdict is Verdict.INVALID:
            return
        if found.status is Status.UNSOLVABLE:
            self.why = unreachable(self.task.grounded) if self.repairs else why_unsolvable(self.task)
            self.reason = self.why.said or exhausted(self.task.problem, found.expanded)
        self.plan, self.status = plan, found.status

    def helps(self, before: _Trial) -> bool:
        """Whether there is a plan, or a cause of ``before`` is gone."""
        first, now = ({cause.text for cause in trial.why.causes} or {trial.why.said} for trial in (before, self))
        return self.plan is not None or (self.status is Status.UNSOLVABLE and not first <= now)


class _RepairSearch:
    """The search for repairs: single ones first, in turns by their kind; then, where one has removed a cause, further
    ones."""

    def __init__(self, limit: Limit, report: Report) -> None:
        self._limit, self._report = limit, report
        self._solved: list[_Trial] = []
        self.tried = 0

    def run(self, start: _Trial) -> list[Suggestion]:
        """The suggestions, the least change first, and those without a part of the goal last."""
        with suppress(BudgetError), within_seconds(self._limit.left):
            level = [start]
            for _ in range(MOST_REPAIRS):
                level = [after for trial in level for after in self._tries(trial)]
                if self._solved:
                    break
        seen, ranked = Counter[int](), []
        for trial in self._solved:
            turn = _turn(trial.repairs[0])
            ranked.append(((turn == len(_ORDER) - 1, seen[turn], turn), trial))
            seen[turn] += 1
        ranked.sort(key=lambda pair: pair[0])
        return [_suggestion(trial) for _, trial in ranked[:MOST_SUGGESTED]]

    def _tries(self, trial: _Trial) -> Iterator[_Trial]:
        """The tasks after each repair that still have no plan, but lack a cause of before. Those that have a plan are
        kept: one of a kind and subject."""
        solved: Counter[object] = Counter()
        for repair in _in_turns(itertools.chain(goals(trial.task.problem), trial.why.repairs())):
            if self._limit.left <= 0 or len(self._solved) >= MOST_SUGGESTED:
                return
            turn, about = _turn(repair), (repair.kind, repair.action or repair.text.split()[0])
            if solved[turn] >= MOST_OF_A_KIND or solved[about]:
                continue
            after = self._tried(trial, repair)
            if after is not None and after.plan is None and repair.kind is RepairKind.OBJECT:
                after = self._completed(after)
            if after is not None and after.plan is not None:
                solved.update((turn, about))
                self._solved.append(after)
            elif after is not None and after.helps(trial):
                yield after

    def _completed(self, trial: _Trial) -> _Trial:
        """The task with further facts about the object that was added last, as long as they remove causes."""
        name = trial.repairs[-1].text.split()[0]
        while trial.plan is None and len(trial.repairs) < MOST_FACTS:
            facts = (r for r in trial.why.repairs() if r.kind is RepairKind.FACT and name in r.text.strip("()").split())
            tried = (self._tried(trial, fact) for fact in dict.fromkeys(itertools.islice(facts, MOST_TRIED)))
            better = next((after for after in tried if after is not None and after.helps(trial)), None)
            if better is None:
                break
            trial = better
        return trial

    def _tried(self, trial: _Trial, repair: Repair) -> _Trial | None:
        """The task with a further repair; None if that is not a task."""
        problem = trial.task.problem
        made = repaired(problem, repair)
        if made is None:
            return None
        self.tried += 1
        self._report("changes tried", self.tried, None)
        with suppress(InputError):
            task = replace(trial.task, problem=with_text(replace(problem, texts=made[0]), made[0][1]), like=None)
            seconds = min(EACH, self._limit.left)
            return _Trial(task, seconds, (*trial.repairs, repair), (*trial.texts, made[1]))
        return None


def _suggestion(trial: _Trial) -> Suggestion:
    assert trial.plan is not None
    return Suggestion(trial.repairs, trial.texts, trial.plan.cost or 0.0, len(trial.plan))


def _turn(repair: Repair) -> int:
    """The place of a repair's kind in ``_ORDER``."""
    return _ORDER.index((repair.kind, repair.likely))


def _in_turns(repairs: Iterator[Repair]) -> Iterator[Repair]:
    """The repairs, of each kind in turn."""
    kinds: list[dict[Repair, None]] = [{} for _ in _ORDER]
    for repair in repairs:
        if len(kinds[_turn(repair)]) < MOST_TRIED:
            kinds[_turn(repair)][repair] = None
    for row in itertools.zip_longest(*kinds):
        yield from filter(None, row)
