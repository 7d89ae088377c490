"""The tables of lab/docs/rearrangement.md, each by one command: runs what is missing and writes the table's page.

    python -m lab.benchmarks.rearrangement_tables 1|2|2-ours|ours|scenes [VIRTUALHOME]

The page is ``lab/docs/rearrangement/table-NAME.md``, for the recorded scenes
``lab/docs/rearrangement/scenes/table-1.md``; its charts lie beside it in ``plots``. Results are kept in
``out/rearrangement``, where all tables share them. VIRTUALHOME is the folder of the scenes. The learned policy's row
is run where there is a folder ``policy`` that ``cplan train-policy`` wrote. Table 3 stands on the page of Table 1.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from commonsense_lab.report.document import ResultsReport
from commonsense_lab.report.pages import PLOTS, markdown
from commonsense_lab.report.plots import save_as
from commonsense_lab.report.study import report_of
from commonsense_lab.studies.rearrangement.experiment import layout

from commonsense_planning.cli.main import main as cplan
from tests.data import REPOSITORY, data_root

PAGES = REPOSITORY / "lab" / "docs" / "rearrangement"
OUT = Path("out") / "rearrangement"
SCENES = data_root() / "virtualhome"
TASKS = ("--tasks", "80", "--seeds", "1")
SCENES_NAME = "scenes"


def run(name: str, scenes: Path) -> Path:
    """Run what is missing of a table; the folder of its results."""
    folder = OUT / (SCENES_NAME if name == SCENES_NAME else "homes")
    command = ["bench", "rearrangement", *TASKS, "--quiet", "-o", str(folder)]
    table = name
    if name == SCENES_NAME:
        seen, unseen = (str(scenes / f"TestScene{number}_graph.json") for number in (4, 2))
        command += ["--scene", seen, "--unseen-scene", unseen]
        table = "1"
    if Path("policy").is_dir():
        command += ["--weights", "policy"]
    variants = [line.variant for line in layout().tables[table].lines]
    command += ["--methods", ",".join(v for v in variants if v != "learned" or Path("policy").is_dir())]
    code = cplan(command)
    if code:
        raise SystemExit(code)
    return folder


def write(name: str, folder: Path) -> Path:
    """Write the page of a table from a folder of results."""
    table = "1" if name == SCENES_NAME else name
    tables = ("1", "3") if table == "1" else (table,)
    wanted = {layout().tables[name].heading.partition(".")[0] for name in tables} | {"Causes of failures"}
    found = report_of(folder)
    sections = tuple(s for s in found.sections if re.split("[.:]", s.title)[0] in wanted)
    report = ResultsReport(found.errors, found.models, sections)
    pages = PAGES / SCENES_NAME if name == SCENES_NAME else PAGES
    (pages / PLOTS).mkdir(parents=True, exist_ok=True)
    for chart in report.charts:
        save_as(chart, pages / PLOTS / f"{chart.name}.svg")
    page = pages / f"table-{table}.md"
    page.write_text(markdown(report), encoding="utf-8")
    return page


if __name__ == "__main__":
    print(write(sys.argv[1], run(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else SCENES)))
