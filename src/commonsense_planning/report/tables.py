"""Results as a report: tables in the layout of the publications, and what belongs to them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from commonsense_planning.errors import InputError
from commonsense_planning.report.document import Report, Section
from commonsense_planning.report.method_layout import read_method_suite
from commonsense_planning.report.method_tables import method_sections
from commonsense_planning.report.task_tables import read_suite, task_sections
from commonsense_planning.runner.rows import Row
from commonsense_planning.studies.multiplication.multiplication_tables import multiplication_sections
from commonsense_planning.studies.travelling.learner_tables import learner_sections

Sections = Callable[[str, Sequence[Row], str], Iterator[Section]]
"""Gets what the episodes of one experiment have in common, in words, their rows, and how its charts' names begin."""


def _household(setup: str, rows: Sequence[Row], name: str) -> Iterator[Section]:
    return task_sections(read_suite("household"), setup, rows)


def _rearrangement(setup: str, rows: Sequence[Row], name: str) -> Iterator[Section]:
    return method_sections(read_method_suite("rearrangement"), setup, rows, name)


def _flights(setup: str, rows: Sequence[Row], name: str) -> Iterator[Section]:
    return method_sections(read_method_suite("flights"), setup, rows, name)


SUITES: Mapping[str, Sections] = {
    "flights": _flights,
    "household": _household,
    "learner": learner_sections,
    "rearrangement": _rearrangement,
    "multiplication": multiplication_sections,
}
"""Experiment → what its part of a report is made by."""


def build(rows: Sequence[Row]) -> Report:
    """The tables that ``rows`` have at least one cell of, for each experiment and setup. Raises InputError for rows of
    an unknown experiment."""
    errors = tuple((row["key"], row["error"]) for row in rows if row.get("error"))
    good = [row for row in rows if not row.get("error")]
    models = dict.fromkeys((row["model"], row["model_note"]) for row in good if row.get("model_note"))
    return Report(errors, tuple(models), tuple(_sections(good)))


def _sections(rows: Sequence[Row]) -> Iterator[Section]:
    groups: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["suite"], row["setup"]].append(row)
    setups: Counter[str] = Counter()
    for (suite, setup), group in groups.items():
        if suite not in SUITES:
            raise InputError(f"there is no experiment {suite!r}; there is {', '.join(SUITES)}")
        setups[suite] += 1
        yield from SUITES[suite](setup, group, suite if setups[suite] == 1 else f"{suite}-{setups[suite]}")
