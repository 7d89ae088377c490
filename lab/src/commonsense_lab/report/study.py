"""Studies as a report sees them: each reads its rows and makes sections of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from commonsense_lab.report.document import ResultsReport, Section
from commonsense_lab.report.model_tables import model_sections
from commonsense_lab.runner.rows import Labels, PlanRow, read_lines
from commonsense_planning.errors import InputError
from commonsense_planning.support.registry import load, plug_ins
from commonsense_planning.support.row_file import Line

GROUP = "commonsense_planning.studies"
"""The group of entry points whose objects are a ``Study`` each, under the name of its experiment."""

Row = TypeVar("Row", bound=Labels)


@dataclass(frozen=True)
class Study(Generic[Row]):
    """An experiment: ``read`` makes a row of a line; ``sections`` gets the setup that episodes share, as text, their
    rows, and the beginning of its charts' names."""

    read: Callable[[Line], Row]
    sections: Callable[[str, Sequence[Row], str], Iterator[Section]]


def study_of(line: Line) -> Study[Any]:
    """Returns the study of a line. Raises InputError, with the line, if there is none, MissingError if it cannot be
    loaded."""
    known, suite = plug_ins(GROUP), line.row(Labels).suite
    if suite not in known:
        where = f"{line.path}:{line.number}:1"
        raise InputError(f"{where}: there is no experiment {suite!r}; there is {', '.join(known)}")
    study: Study[Any] = load(known[suite])
    return study


def report_of(*folders: Path) -> ResultsReport:
    """Returns the report of all ``folders``, in any order. Raises InputError if there are no results, a row is damaged,
    or two folders have different results of an episode."""
    return build(sorted(_merged(folders), key=lambda line: line.key))


def _merged(folders: Iterable[Path]) -> Iterable[Line]:
    """Returns one line for each episode; a failure in one folder yields to a result in another."""
    found: dict[str, Line] = {}
    for line in (line for folder in folders for line in read_lines(folder)):
        there = found.setdefault(line.key, line)
        if there.error and not line.error:
            found[line.key] = line
        elif there.data != line.data and not line.error:
            raise InputError(
                f"{line.path}:{line.number}:1: {there.path}:{there.number} has another result of this episode; leave "
                f"one of the folders out, or remove one of the lines: {line.key}"
            )
    return found.values()


def build(lines: Sequence[Line]) -> ResultsReport:
    """Returns the tables with at least one cell from ``lines``, for each experiment and setup. Raises InputError for
    rows of an unknown experiment, and for damaged ones."""
    errors = tuple((line.key, line.error) for line in lines if line.error)
    good = [line.data for line in lines if not line.error]
    models = dict.fromkeys((str(row.get("model")), str(row["model_note"])) for row in good if row.get("model_note"))
    sections = tuple(_sections([line for line in lines if not line.error]))
    return ResultsReport(errors, tuple(models), sections, _made(good))


def _made(rows: Sequence[Mapping[str, Any]]) -> str:
    """Returns versions, seeds, prompts and validators of the rows as text; empty without rows."""
    told = {
        "cplan": [str(row["version"]) for row in rows if row.get("version")],
        "seeds": [str(seed) for seed in sorted({row["seed"] for row in rows if isinstance(row.get("seed"), int)})],
        "prompts": [prompts for row in rows for prompts in str(row.get("prompts") or "").split()],
        "judged by": [" ".join(judge) for row in rows for judge in dict(row.get("validators") or {}).items()],
    }
    parts = [f"{what} {', '.join(dict.fromkeys(values))}" for what, values in told.items() if values]
    return f"Made with {'; '.join(parts)}." if parts else ""


def _sections(lines: Sequence[Line]) -> Iterator[Section]:
    groups: defaultdict[tuple[str, str], list[Line]] = defaultdict(list)
    for line in lines:
        labels = line.row(Labels)
        groups[labels.suite, labels.setup].append(line)
    found: defaultdict[str, dict[str, list[Any]]] = defaultdict(dict)
    for (suite, setup), group in groups.items():
        study = study_of(group[0])
        rows = found[suite][setup] = [study.read(line) for line in group]
        name = suite if len(found[suite]) == 1 else f"{suite}-{len(found[suite])}"
        yield from study.sections(setup, rows, name)
    for suite, setups in found.items():
        plans = {setup: [row for row in rows if isinstance(row, PlanRow)] for setup, rows in setups.items()}
        yield from model_sections(suite, {setup: rows for setup, rows in plans.items() if rows})
