"""The pictures of README.md, but for the page's, are what their commands make of what is here."""

from __future__ import annotations

import re
from collections import defaultdict
from html import unescape

import pytest

from commonsense_planning.cli.main import main
from commonsense_planning.support.statistics import difference
from tests.test_docs import LAB, README, below
from website.pictures import chart, terminal


def test_the_terminal_shows_what_one_sees(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", terminal.TASK]) == 0
    printed = [f"$ cplan solve {terminal.TASK}", *capsys.readouterr().out.splitlines()]
    for name, columns in terminal.COLUMNS.items():
        drawn: defaultdict[float, str] = defaultdict(str)
        svg = (terminal.PICTURES / f"{name}.svg").read_text(encoding="utf-8")
        for y, text in re.findall(r'<text [^>]*y="([\d.]+)"[^>]*>([^<]*)</text>', svg):
            drawn[float(y)] += unescape(text).replace("\xa0", " ")
        cut = [line if len(line) <= columns else f"{line[: columns - 1]}…" for line in printed]
        shown, wanted = (re.sub(r"[\d.]+ s\n", "… s\n", "\n".join(lines)) for lines in (drawn.values(), cut))
        assert shown == wanted, "python -m website.pictures.terminal"


@pytest.mark.skipif(not LAB.is_dir(), reason="its rows are the laboratory's")
def test_the_chart_and_the_numbers_of_the_readme_are_what_the_rows_say() -> None:
    kept = (chart.PICTURES / "chart.svg").read_text(encoding="utf-8")
    assert chart.drawn() == kept and "Answers not independent." in kept, "python -m website.pictures.chart"
    cells = [chart.rows(label) for label in chart.METHODS]
    calls = [f"{chart.over(cell, 'calls').value:.1f}" for cell in cells[:3]]
    steps = [f"{chart.over(cell, 'taken').value:.1f}" for cell in cells]
    solved = [sum(map(chart.solved, cell)) for cell in cells]
    taken = [{row["task"]: row["taken"] for row in cell} for cell in cells]
    assert all(found.keys() == taken[0].keys() for found in taken) and len(taken[0]) == 50
    more = difference([taken[0][task] - taken[2][task] for task in taken[0]])
    why = " ".join(below(README, "Why").split()).replace("−", "-")
    assert "{} and {} calls to the model a task, the baseline {}".format(*calls) in why
    assert "{} and {} of 50, the baseline {}".format(*solved) in why
    assert f"the search took {steps[0]}, `llm-replan` with the built-in table {steps[3]} ({solved[3]} solved;" in why
    assert f"solved {solved[4]} in {steps[4]}" in why
    assert f"{more.value:.2f} more a task (95 % interval {more.low:.2f} to {more.high:.2f})" in why
