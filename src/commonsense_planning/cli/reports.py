"""Validators' reports as a table, the same for ``solve`` and ``validate``."""

from __future__ import annotations

from commonsense_planning.cli.output import Printer
from commonsense_planning.pddl.verdict import Report, Validation, Verdict

STYLES = {Verdict.VALID: "green", Verdict.INVALID: "bold red", Verdict.UNAVAILABLE: "yellow"}


def print_validation(printer: Printer, validation: Validation) -> None:
    """One line per validator, and loud words if they disagree."""
    styles = {str(verdict): style for verdict, style in STYLES.items()}
    printer.rows(((r.validator, str(r.verdict), _why(r)) for r in validation.reports), "  ", styles)
    if validation.disagreement:
        said = ", ".join(f"{r.validator} says {r.verdict}" for r in validation.reports)
        printer.line(f"THE VALIDATORS DISAGREE: {said}.", "bold white on red")
        printer.line("The plan counts as invalid. One of the validators has a bug, or the task is ambiguous PDDL.", "red")


def _why(report: Report) -> str:
    parts = []
    if report.step is not None:
        parts.append(f"step {report.step} {report.action}:")
    if report.reason:
        parts.append(report.reason)
    if report.advice:
        parts.append(f"— advice: {report.advice}")
    return " ".join(parts)
