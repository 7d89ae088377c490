"""The outcome as it is printed and traced: nothing counts as solved that no validator has accepted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from commonsense_planning.cli.options import STANDARD
from commonsense_planning.cli.output import Printer
from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Observability, Solution
from commonsense_planning.methods.provenance import as_comments, provenance
from commonsense_planning.methods.result import Result
from commonsense_planning.pddl.plan import cost_text
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.english import counted
from commonsense_planning.support.json_lines import check_there, write_whole
from commonsense_planning.support.writing import cannot_write
from commonsense_planning.validation.verdict import Report, Validation, Verdict

STYLES = {Verdict.VALID: "green", Verdict.INVALID: "bold red", Verdict.UNAVAILABLE: "yellow"}


def print_plan(printer: Printer, outcome: Result) -> None:
    """Prints the steps of a plan, unless they were reported as they happened."""
    if outcome.solution.plan is not None and not outcome.solution.reported:
        plan = outcome.solution.plan
        for number, line in enumerate(plan.lines, start=1):
            beside = f"   beside {', '.join(map(str, plan.beside(number)))}" if plan.beside(number) else ""
            printer.line(f"step {number:>2}  {line}{beside}")
        for line in plan.decomposition.splitlines():
            printer.line(f"  {line}", "dim")


def print_outcome(printer: Printer, outcome: Result) -> None:
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


def print_briefly(printer: Printer, outcome: Result, job: str) -> None:
    """Prints how one of many jobs ended in one line, or all where the validators disagree."""
    if outcome.validation.disagreement:
        print_outcome(printer, outcome)
    else:
        _print_end(printer, outcome, f"{job}: ", f"; plan: {_length(outcome)}")


def _print_end(printer: Printer, outcome: Result, before: str = "", after: str = "") -> None:
    fine = outcome.status is Status.SOLVED and not outcome.unheard
    printer.line(f"{before}{outcome.headline}{after}", "bold green" if fine else "bold red")


def plan_comments(outcome: Result) -> Iterator[str]:
    """The comments of a plan file."""
    made = provenance(outcome.request) | ({} if outcome.solution.model else {"model": ""})
    said = {r.validator: r.verdict.worded(outcome.request.task.problem) for r in outcome.validation.reports}
    return as_comments(made, outcome.prompts, said)


def where_the_plan_is(outcome: Result, path: Path) -> str:
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


def _length(outcome: Result) -> str:
    plan = outcome.solution.plan
    if plan is None:
        return "none"
    length = counted(len(plan), "step") + (f", done at {plan.makespan:g}" if plan.times else "")
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
