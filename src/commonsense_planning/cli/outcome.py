"""The outcome as it is printed and traced: nothing counts as solved that no validator has accepted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from commonsense_planning.cli.options import STANDARD
from commonsense_planning.cli.output import Printer
from commonsense_planning.errors import EXIT_MISSING, EXIT_SOLVED, Status
from commonsense_planning.llm.model import Usage
from commonsense_planning.methods.method import Observability, Request, Solution
from commonsense_planning.methods.provenance import as_comments, provenance
from commonsense_planning.pddl.plan import cost_text
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.english import counted
from commonsense_planning.support.json_lines import check_there, write_whole
from commonsense_planning.support.writing import cannot_write
from commonsense_planning.validation.validate import validate
from commonsense_planning.validation.verdict import Report, Validation, Verdict, what_valid_means

STYLES = {Verdict.VALID: "green", Verdict.INVALID: "bold red", Verdict.UNAVAILABLE: "yellow"}


@dataclass(frozen=True)
class JudgedSolution:
    """A solution and its validation. ``status`` is solved only if a validator accepts the plan and none rejects it;
    ``validation`` has no reports unless the method claims to have solved the task. ``prompts``: the version of the
    templates, empty if none were filled in. ``needs_model``: a run without a usable answer of its model has failed."""

    request: Request
    solution: Solution
    validation: Validation
    status: Status
    prompts: str = ""
    needs_model: bool = False

    @property
    def exit_code(self) -> int:
        """The exit code of the status, unless an answer of the model was required and there was none."""
        usage, code = self.solution.usage, self.status.exit_code
        return code if usage is None or code > EXIT_MISSING else max(code, unheard_code(usage, self.needs_model))

    def as_json(self) -> dict[str, Any]:
        """The object that ``cplan solve --json`` prints."""
        solution, request = self.solution, self.request
        plan = None if solution.plan is None else [str(step) for step in solution.plan]
        return {
            "status": str(self.status),
            "reason": solution.reason,
            "domain": request.task.problem.domain_name,
            "problem": request.task.problem.problem_name,
            "method": request.method.name,
            "version": solution.version,
            **({"given": solution.given} if solution.given else {}),
            "model": solution.model,
            "model_note": solution.model_note,
            "seed": request.seed,
            **({} if request.task.drawn is None else {"world": list(request.task.drawn)}),
            "plan": plan,
            "steps": None if plan is None else len(plan),
            "cost": None if solution.plan is None else solution.plan.cost,
            **({} if self.reward is None else {"reward": self.reward}),
            "seconds": round(solution.seconds, 3),
            **({"improvements": solution.improvements} if solution.improvements else {}),
            "validators": verdicts(self.validation),
            **what_valid_means(request.task.problem),
            "disagreement": self.validation.disagreement,
            **request.task.problem.warnings_as_json(),
            "usage": None if solution.usage is None else solution.usage.as_json(),
            "heard": None if solution.usage is None else solution.usage.was_heard,
            **({"unheard": solution.usage.unheard_words} if solution.usage and solution.usage.unheard_words else {}),
            "usd": solution.usd,
            "unmatched": solution.unmatched,
            "operators": solution.operators,
            "facts": solution.facts,
            "expanded": solution.expanded,
            "made_with": {**provenance(self.request), "prompts": self.prompts},
        }

    @property
    def reward(self) -> float | None:
        """The reward earned; None if the task has no rewards or there is no plan."""
        plan = self.solution.plan
        return None if plan is None else self.request.task.problem.reward(plan, self.status is Status.SOLVED)

    @property
    def comments(self) -> Iterator[str]:
        """The comments of a plan file."""
        made = provenance(self.request) | ({} if self.solution.model else {"model": ""})
        said = {r.validator: r.verdict.worded(self.request.task.problem) for r in self.validation.reports}
        return as_comments(made, self.prompts, said)


def judge(request: Request, solution: Solution, everyone: bool = False) -> JudgedSolution:
    """Asks the validators about a solution that claims to solve the task; ``everyone``: as for ``validate``."""
    if solution.status != Status.SOLVED or solution.plan is None:
        return JudgedSolution(request, solution, Validation(()), solution.status)
    validation = validate(request.task.problem, solution.plan, everyone=everyone)
    status = {Verdict.VALID: Status.SOLVED, Verdict.INVALID: Status.INVALID, Verdict.UNAVAILABLE: Status.UNVALIDATED}[
        validation.verdict
    ]
    return JudgedSolution(request, solution, validation, status)


def verdicts(validation: Validation) -> dict[str, str]:
    """The verdict of each validator: name → verdict."""
    return {report.validator: str(report.verdict) for report in validation.reports}


def print_plan(printer: Printer, outcome: JudgedSolution) -> None:
    """Prints the steps of a plan, unless they were reported as they happened."""
    if outcome.solution.plan is not None and not outcome.solution.reported:
        for number, step in enumerate(outcome.solution.plan, start=1):
            printer.line(f"step {number:>2}  {step}")


def print_outcome(printer: Printer, outcome: JudgedSolution) -> None:
    """Prints how the run ended, which model answered, and the validators' verdicts."""
    request, solution, status = outcome.request, outcome.solution, outcome.status
    _print_end(printer, outcome)
    version = f" ({solution.version})" if solution.version else ""
    rows = [
        ("plan", f"{_length(outcome)}, {solution.seconds:.1f} s"),
        ("method", f"{request.method.name} {request.options.changed}".rstrip() + version),
        *([("given", solution.given)] if solution.given else []),
        *_model(solution),
    ]
    printer.rows(rows, "  ")
    print_validation(printer, outcome.validation, request.task.problem)
    if status is Status.UNVALIDATED:
        printer.line("No validator could check the plan that was found: see cplan doctor.", "red")
    task = request.task
    if request.world is Observability.KNOWN and (task.sensors is not None or task.contingent.atoms):
        printer.line(f"{request.method.name} was given the true world, so it had nothing to find out.")
    if task.problem.outcomes:
        printer.line("Actions have random outcomes: these occurred, or a planner chose them; another run may differ.")
        printer.line("--episodes N measures how often it succeeds.")


def print_briefly(printer: Printer, outcome: JudgedSolution, job: str) -> None:
    """Prints how one of many jobs ended in one line, or all where the validators disagree."""
    if outcome.validation.disagreement:
        print_outcome(printer, outcome)
    else:
        _print_end(printer, outcome, f"{job}: ", f"; plan: {_length(outcome)}")


def _print_end(printer: Printer, outcome: JudgedSolution, before: str = "", after: str = "") -> None:
    solution, status = outcome.solution, outcome.status
    reason = f": {solution.reason}" if solution.reason else ""
    unheard = "" if solution.usage is None else solution.usage.unheard_words
    fine = status is Status.SOLVED and not unheard
    said = f"{before}{status}{reason}{'; ' if unheard else ''}{unheard}{after}"
    printer.line(said, "bold green" if fine else "bold red")


def unheard_code(usage: Usage, needs_model: bool) -> int:
    """The exit code of a run with respect to its model: EXIT_MISSING if there was no answer at all, and, if the model
    is required, if no answer could be used."""
    missing = usage.was_heard is False and (needs_model or not usage.was_reached)
    return EXIT_MISSING if missing else EXIT_SOLVED


def where_the_plan_is(outcome: JudgedSolution, path: Path) -> str:
    """A message about the plan file that was written."""
    if outcome.solution.plan is None:
        return f"no plan was found, so {path} was not written"
    if outcome.status is Status.SOLVED:
        return f"plan written to {path}"
    return f"steps written to {path}; they are not known to solve the task"


def print_validation(printer: Printer, validation: Validation, problem: Problem) -> None:
    """Prints one line per validator, and a warning if they disagree."""
    words = {verdict: verdict.worded(problem) for verdict in Verdict}
    styles = {words[verdict]: style for verdict, style in STYLES.items()}
    printer.rows(((r.validator, words[r.verdict], _why(r)) for r in validation.reports), "  ", styles)
    if validation.disagreement:
        said = ", ".join(f"{r.validator} says {r.verdict}" for r in validation.reports)
        printer.line(f"THE VALIDATORS DISAGREE: {said}.", "bold white on red")
        printer.line("The plan counts as invalid. A validator has a bug, or the task is ambiguous.", "red")


def _why(report: Report) -> str:
    parts = []
    if report.step is not None:
        parts.append(f"step {report.step} {report.action}:")
    if report.reason:
        parts.append(report.reason)
    if report.advice:
        parts.append(f"— advice: {report.advice}")
    return " ".join(parts)


def _length(outcome: JudgedSolution) -> str:
    plan = outcome.solution.plan
    if plan is None:
        return "none"
    length = counted(len(plan), "step")
    if not outcome.validation.reports and outcome.status is not Status.INVALID:  # the plan was not carried out
        length += " carried out"
    if plan.cost is not None and outcome.request.task.problem.total_cost:
        length += f", cost {cost_text(plan.cost)}"
    if outcome.reward is not None:
        length += f", reward {outcome.reward:g}"
    return length


def _model(solution: Solution) -> Iterator[tuple[str, str]]:
    """The model that answered, its questions, their cost and the time."""
    usage = solution.usage
    if usage is None:
        yield "model", "none was asked"
        return
    yield "model", f"{solution.model}: {solution.model_note}"
    asked = _many(usage.questions, "question")
    if usage.calls:
        steps = len(solution.plan or ())
        details = [
            f"{usage.calls / steps:.1f} a step" if steps else "",
            f"{usage.recorded} answered from a file" if usage.recorded else "",
            f"{usage.retries} repeated" if usage.retries else "",
            f"{usage.failures} without a usable answer" if usage.failures else "",
            f"{_many(solution.unmatched, 'phrase')} matched nothing" if solution.unmatched else "",
        ]
        asked = ", ".join([f"{asked}, {_many(usage.calls, 'call')}", *filter(None, details)])
    yield "asked", asked
    if usage.calls:
        about = "about " if usage.estimated else ""
        money = "price not known" if solution.usd is None else f"{solution.usd:.4f} US dollars in this run"
        thoughts = f" (of these {usage.thinking_tokens} thoughts)" if usage.thinking_tokens else ""
        tokens = f"{about}{usage.prompt_tokens} tokens of prompts, {usage.completion_tokens} of answers{thoughts}"
        yield "cost", f"{tokens}; {money}"
        yield "time", f"{usage.waiting:.1f} s waiting, {max(0.0, solution.seconds - usage.waiting):.1f} s thinking"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


class Trace:
    """A trace with one JSON object per line, written as things happen, so that an interrupt keeps it; discarded if
    ``path`` is None, on standard output if it is ``-``. Its first event contains ``made_with``. Raises InputError if it
    cannot be written."""

    def __init__(self, path: Path | None, made: Mapping[str, Any]) -> None:
        self._file: BinaryIO | None = None
        if path is not None and path != STANDARD:
            with self._writable(path):
                self._file = path.open("wb", buffering=0)
        self._path = path
        self._head = {"made_with": made}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def emit(self, event: dict[str, Any]) -> None:
        """Writes one event. Raises InputError if that fails; earlier events are kept, whole."""
        if self._path is None or (self._file is None and self._path != STANDARD):
            return
        line = json.dumps({**event, **self._head}) + "\n"
        with self._writable(self._path):
            if self._file is None:
                print(line, end="", flush=True)
            else:
                check_there(self._path, self._file.fileno())
                write_whole(self._file.fileno(), line.encode())
            self._head = {}

    @contextmanager
    def _writable(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if self._file is not None:
                self._file.close()
            self._path = self._file = None
            raise cannot_write(path, "the trace", error) from error
