"""The pictures of README.md, but for the page's, are what their commands make of what is here."""

from __future__ import annotations

import importlib
import re
from collections import defaultdict
from html import unescape
from types import ModuleType

import pytest

from commonsense_planning.cli.main import main
from commonsense_planning.support.statistics import difference
from tests.data import REPOSITORY
from tests.test_docs import LAB, README, below

of_the_laboratory = pytest.mark.skipif(not LAB.is_dir(), reason="its rows are the laboratory's")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> ModuleType:
    """The module that makes a picture."""
    monkeypatch.syspath_prepend(REPOSITORY)
    return importlib.import_module(f"website.pictures.{request.param}")


def lines(svg: str) -> list[str]:
    """The lines of text in a picture, from the top."""
    found: defaultdict[float, str] = defaultdict(str)
    for y, text in re.findall(r'<text [^>]*y="([\d.]+)"[^>]*>([^<]*)</text>', svg):
        found[float(y)] += unescape(text).replace("\xa0", " ")
    return [found[y] for y in sorted(found)]


def timeless(line: str) -> str:
    return re.sub(r"[\d.]+ s$", "… s", line)


@pytest.mark.parametrize("made", ["terminal"], indirect=True)
def test_the_terminal_shows_what_one_sees(made: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", made.TASK]) == 0
    printed = [f"$ cplan solve {made.TASK}", *capsys.readouterr().out.splitlines()]
    for name, columns in made.COLUMNS.items():
        cut = [line if len(line) <= columns else f"{line[: columns - 1]}…" for line in printed]
        drawn = lines((made.PICTURES / f"{name}.svg").read_text(encoding="utf-8"))
        assert [*map(timeless, drawn)] == [*map(timeless, cut)], "python -m website.pictures.terminal"


@of_the_laboratory
@pytest.mark.parametrize("made", ["chart"], indirect=True)
def test_the_chart_and_the_numbers_of_the_readme_are_what_the_rows_say(made: ModuleType) -> None:
    assert made.drawn() == (made.PICTURES / "chart.svg").read_text(encoding="utf-8"), "python -m website.pictures.chart"
    assert "Answers not independent." in made.drawn()
    calls = {method: f"{made.over(made.rows(method), 'calls').value:.1f}" for method in made.METHODS}
    solved = {method: len(made.solved(method)) for method in made.METHODS}
    steps = [{row["task"]: row["steps"] for row in made.solved(method)} for method in ("llm-mcts", "llm-policy")]
    more = difference([steps[0][task] - steps[1][task] for task in sorted({*steps[0]} & {*steps[1]})])
    why = " ".join(below(README, "Why").split()).replace("−", "-")
    assert (
        f"{calls['llm-mcts']} and {calls['llm-replan']} calls to the model a task, the baseline {calls['llm-policy']}"
        in why
    )
    assert f"{solved['llm-mcts']} and {solved['llm-replan']} of 50, the baseline {solved['llm-policy']}" in why
    assert f"{more.value:.2f} more a task (95 % interval {more.low:.2f} to {more.high:.2f})" in why
