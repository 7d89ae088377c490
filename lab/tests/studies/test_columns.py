"""The page about the columns of results: it has all of them, and no others, and its program runs."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from commonsense_lab.report.study import GROUP
from commonsense_lab.runner.rows import NAME, Asked, DecisionOutcome, Failed, Labels, PlanOutcome, VariantLabels
from commonsense_lab.studies.heuristics.tables import SolvingRow, WritingRow
from commonsense_lab.studies.multiplication.study import ProductsRow, TableRow
from commonsense_lab.studies.planbench.experiment import PlanbenchRow
from commonsense_lab.studies.solve_study import TaskStudy
from commonsense_planning.support.registry import load, plug_ins
from lab.tests.studies.rearrangement.rows import row
from tests.data import REPOSITORY

PAGE = (REPOSITORY / "lab" / "docs" / "results.md").read_text(encoding="utf-8")
SHARED: dict[str, tuple[type, ...]] = {
    "Every line": (Labels, Failed),
    "What was asked": (Asked,),
    "A variant of a method on a task": (VariantLabels, PlanOutcome),
    "Decisions": (DecisionOutcome,),
}
STUDIES = {name: load(entry) for name, entry in plug_ins(GROUP).items()}
ROWS: dict[str, tuple[type, ...]] = {
    **{name: (study.row,) for name, study in STUDIES.items() if isinstance(study, TaskStudy)},
    "multiplication": (TableRow, ProductsRow),
    "planbench": (PlanbenchRow,),
    "heuristics": (WritingRow, SolvingRow),
}


def names(*kinds: type) -> set[str]:
    return {field.name for kind in kinds for field in fields(kind)}


def told(heading: str) -> list[str]:
    """The columns of a section of the page."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^- `(\w+)`: ", section, re.MULTILINE)


@pytest.mark.parametrize("heading", [*SHARED, *ROWS])
def test_a_section_has_the_columns_that_it_adds(heading: str) -> None:
    if heading in ROWS:
        general = [kind for kinds in SHARED.values() for kind in kinds]
        own = [names(row) - names(*(kind for kind in general if issubclass(row, kind))) for row in ROWS[heading]]
        wanted = set.union(*own)
    else:
        wanted = names(*SHARED[heading])
        for kind in SHARED[heading]:
            wanted -= names(*(base for base in kind.__mro__[1:] if base in (Labels, Asked, PlanOutcome)))
    assert set(told(heading)) == wanted
    assert len(told(heading)) == len(wanted)


def test_every_experiment_has_its_section() -> None:
    assert set(ROWS) == set(STUDIES)
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    assert headings[: len(SHARED)] == [*SHARED] and sorted(headings[len(SHARED) :]) == sorted(ROWS)


def test_the_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    fine = [row("mcts", "seen", "simple", task, 0, status="solved", usd=0.5) for task in range(3)]
    failed = {"key": "x", "error": "ZeroDivisionError: by zero"}
    lines = [{**fine[0], "status": "unsolved"}, *fine, failed]
    (tmp_path / "results" / NAME).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    program = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert program is not None
    exec(program[1], {})
    assert re.search(r"^mcts +3 +1\.0 .* 1\.5$", capsys.readouterr().out, re.MULTILINE)
