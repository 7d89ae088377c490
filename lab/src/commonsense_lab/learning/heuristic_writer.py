"""Has a model write a heuristic for a domain, once: candidates, trials on training problems, repairs by counterexample.

The candidates and the choice among them are those of Corrêa, Pereira and Seipp (NeurIPS 2025, arXiv 2503.18809,
section 3); the repairs follow their later paper (arXiv 2605.16142). Every trial runs in a child process.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from commonsense_lab.learning.guarded_python import check
from commonsense_lab.learning.heuristic_questions import MendHeuristic, WriteHeuristic, program_in
from commonsense_lab.learning.heuristic_trial import Counterexample
from commonsense_planning.config import MAX_OPERATORS
from commonsense_planning.errors import BudgetError, HeuristicError, LateError, Status
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.processes import temporary_folder
from commonsense_planning.support.workers import WorkerError, ask

_WORKER = "commonsense_lab.learning.heuristic_worker"
KEPT = ("LANG", "LC_ALL", "HOME", "XDG_CACHE_HOME", "LD_LIBRARY_PATH", "TMPDIR")
"""The environment variables that a child gets: no keys, no addresses of endpoints."""
MEGABYTES = 4000
LATE = 30.0  # further seconds for the start of a child

Report = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class HeuristicOutcome:
    """The outcome of a heuristic on a problem. ``failure``: the error that refused or ended the program; ``climbed``:
    whether hill climbing alone reaches the goal. ``expanded`` and ``evaluated`` states are those of the search;
    ``operators`` and ``facts`` are known of a grounded task. ``untried``: the limit that ended the trial early."""

    problem: str
    status: Status
    reason: str = ""
    plan: Plan | None = None
    failure: str = ""
    expanded: int = 0
    evaluated: int = 0
    operators: int = 0
    facts: int = 0
    climbed: bool = False
    counterexample: Counterexample | None = None
    untried: str = ""

    @property
    def why(self) -> str:
        """The failure, or else the reason."""
        return self.failure or self.reason


def search_with(
    program: str,
    called: Path,
    problem: Problem,
    seconds: float,
    climb: bool = False,
    max_operators: int = MAX_OPERATORS,
    seed: int = 0,
    report: Report = lambda what, count, total: None,
) -> HeuristicOutcome:
    """Searches with a program's heuristic, by hill climbing and greedy best-first search, in a child process, for at
    most ``seconds``, reading included; with ``climb`` also by strict hill climbing alone. An error of the program is
    the outcome's ``failure``. ``report`` gets the number of evaluated states from time to time. Raises BudgetError if
    cplan itself runs out of time or memory."""
    request: dict[str, Any] = {
        "program": program,
        "called": str(called),
        "seconds": seconds,
        "megabytes": MEGABYTES,
        "climb": climb,
        "max_operators": max_operators,
        "seed": seed,
    }
    name = problem.problem_name
    with problem.plain_files() as (domain, file), temporary_folder("heuristic") as folder:
        progress, calling = Path(folder) / "evaluated", Path(folder) / "calling"
        request.update(domain=str(domain), problem=str(file), progress=str(progress), calling=str(calling))

        def watch() -> None:
            said = progress.read_text(encoding="utf-8") if progress.exists() else ""
            if said:  # not just being written
                report("states evaluated", int(said), None)

        try:
            told = ask(_WORKER, request, seconds * (3 if climb else 1) + LATE, KEPT, watch)
        except (LateError, WorkerError) as error:
            if not calling.exists() or calling.read_bytes() != b"\1":  # not a call of the program
                raise
            what = "a call did not end: it " if isinstance(error, LateError) else ""
            return HeuristicOutcome(name, Status.UNSOLVED, str(error), failure=f"{called}: {what}{error}")
    steps = told.pop("plan", None)
    plan = None if steps is None else Plan(tuple(Step(action, tuple(arguments)) for action, *arguments in steps))
    return replace(TypeAdapter(HeuristicOutcome).validate_python({"problem": name, **told}), plan=plan)


@dataclass(frozen=True)
class Candidate:
    """A program and its outcomes on the training problems; a program that is ``refused``, with place and reason, has no
    ``outcomes``."""

    name: str
    program: str
    outcomes: tuple[HeuristicOutcome, ...] = ()
    refused: str = ""

    @property
    def solved(self) -> int:
        """The number of training problems that greedy search solves with it."""
        return sum(outcome.status is Status.SOLVED for outcome in self.outcomes)

    @property
    def climbed(self) -> int:
        """The number of training problems that hill climbing alone solves."""
        return sum(outcome.climbed for outcome in self.outcomes)

    @property
    def failure(self) -> str:
        """Why it was refused, or its first failure; empty if neither."""
        return self.refused or next((o.failure for o in self.outcomes if o.failure), "")

    @property
    def untried(self) -> str:
        """The first limit or error of cplan that ended a trial, and its problem; empty if none."""
        return next((f"on {o.problem}, {o.untried}" for o in self.outcomes if o.untried), "")

    @property
    def score(self) -> tuple[int, int, float]:
        """The key of comparison: problems solved, solved by hill climbing alone, and less the sum of the logarithms of
        the expanded states."""
        expanded = sum(math.log1p(o.expanded) for o in self.outcomes if o.status is Status.SOLVED)
        return self.solved, self.climbed, -expanded

    def as_json(self) -> dict[str, Any]:
        """Returns the candidate as an event of the trace."""
        return {
            "candidate": self.name,
            "solved": self.solved,
            "climbed": self.climbed,
            "of": len(self.outcomes),
            "expanded": [o.expanded for o in self.outcomes],
            "failure": self.failure,
            **({"untried": self.untried} if self.untried else {}),
        }


@dataclass
class HeuristicWriter:
    """Has a ``model`` write heuristics for the domain of ``training`` problems, the first and the last of which are in
    the prompt; ``seconds`` for a search on each of them. ``emit`` gets an event for every candidate and every repair;
    ``report`` the number of trials so far."""

    model: LanguageModel
    training: Sequence[Problem]
    seconds: float
    emit: Callable[[dict[str, Any]], None] = lambda event: None
    report: Report = lambda what, count, total: None

    def __post_init__(self) -> None:
        self._trials = 0
        self._shown = self.training[0].texts[0], tuple(dict.fromkeys(self.training[i].texts[1] for i in (0, -1)))

    def write(self, candidates: int, repairs: int) -> tuple[Candidate, ...]:
        """Returns ``candidates`` heuristics and at most ``repairs`` of the best one, the best first. Raises BudgetError
        if a limit is reached before there is any candidate; a later limit ends the repairs."""
        answers = self.model.ask([WriteHeuristic(*self._shown)], candidates)[0]
        tried = [self.tried(f"candidate {i}", program_in(text)) for i, text in enumerate(answers, start=1)]
        if not tried:
            return ()
        best = max(tried, key=lambda candidate: candidate.score)
        for round in range(1, repairs + 1):
            complaint = self._complaint(best)
            is_direct = best.outcomes and best.climbed == len(best.outcomes)
            if is_direct or (best.untried and not complaint.failure and complaint.counterexample is None):
                break
            self.emit({"event": "repair", "round": round, "of": best.name, **_told(complaint)})
            try:
                answers = self.model.ask([complaint], 1)[0]
            except BudgetError as error:
                self.emit({"event": "repair", "round": round, "of": best.name, "ended": str(error)})
                break
            if not answers:
                break
            mended = self.tried(f"repair {round} of {best.name}", program_in(answers[0]))
            tried.append(mended)
            best = max(mended, best, key=lambda candidate: candidate.score)  # of equals the later one
        return tuple(sorted(tried, key=lambda candidate: (candidate is not best, [-part for part in candidate.score])))

    def tried(self, name: str, program: str) -> Candidate:
        """Returns a candidate, checked and tried on all training problems."""
        called = Path(f"{name.replace(' ', '-')}.py")
        try:
            check(program, called)
        except HeuristicError as error:
            candidate = Candidate(name, program, refused=str(error))
        else:
            outcomes = []
            for problem in self.training:
                outcomes.append(self._outcome(program, called, problem))
                self._trials += 1
                self.report("trials on training problems", self._trials, None)
            candidate = Candidate(name, program, tuple(outcomes))
        self.emit({"event": "candidate", **candidate.as_json()})
        return candidate

    def _outcome(self, program: str, called: Path, problem: Problem) -> HeuristicOutcome:
        """Tries a program on a problem. A limit or an error of cplan is no fault of the program."""
        try:
            return search_with(program, called, problem, self.seconds, climb=True)
        except LateError as error:
            return HeuristicOutcome(problem.problem_name, Status.BUDGET, untried=f"the trial {error}")
        except WorkerError as error:
            untried = f"the trial failed, by no error of it: {error}"
            return HeuristicOutcome(problem.problem_name, Status.UNSOLVED, untried=untried)

    def _complaint(self, candidate: Candidate) -> MendHeuristic:
        example = next((o.counterexample for o in candidate.outcomes if o.counterexample is not None), None)
        failure = candidate.failure
        if not failure and example is None:
            unsolved = (o for o in candidate.outcomes if o.status is not Status.SOLVED and not o.untried)
            slow = next(unsolved, None)
            failure = "" if slow is None else f"on the problem {slow.problem}: {slow.reason or slow.status}"
        return MendHeuristic(
            *self._shown,
            program=candidate.program,
            failure=failure,
            counterexample=None if failure else example,
            tried=len(candidate.outcomes),
            solved=candidate.solved,
            climbed=candidate.climbed,
        )


def _told(complaint: MendHeuristic) -> dict[str, Any]:
    """Returns a complaint as an event: the failure, or the counterexample as text of the prompt."""
    example = complaint.counterexample
    if example is None:
        return {"failure": complaint.failure}
    steps = {look.action: look.shown for look in example.steps}
    return {
        "problem": example.problem,
        "after": example.after,
        "on_plan": example.on_plan,
        "state": list(example.state),
        "value": example.shown,
        "steps": steps,
        "progress": example.progress.action,
        "dead_end": example.dead_end,
    }
