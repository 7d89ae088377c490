"""The pages of a report against files that were looked at.

``python -m lab.tests.report.test_pages`` writes them again.
"""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from commonsense_lab.report.document import Commands, Grid, ResultsReport, Section
from commonsense_lab.report.pages import html, markdown, script, write_pages
from commonsense_lab.report.plots import INK, PAPER
from commonsense_lab.report.study import build
from commonsense_lab.report.terminal import terminal_rows
from lab.tests.report.lines import Row, lines
from lab.tests.studies.rearrangement.rows import row, table_rows

GOLDEN = Path(__file__).with_name("golden")
DRAWING = f'<?xml version="1.0"?>\n<svg><path id="a" style="fill: {INK}"/><use href="#a"/><g fill="{PAPER}"/></svg>'


def rows() -> list[Row]:
    """A part of table 1, one task of the household, and an episode that failed of an error."""
    failed = {
        **row("uct", "seen", "simple", 9, 0),
        "key": "rearrangement: <b>bad</b>",
        "error": "ZeroDivisionError: 1 < 2 & 3",
    }
    household = {
        **row("mcts", "seen", "simple", 0, 0, tables=["4"], setup="model embedded, at most 20 steps"),
        "suite": "household",
        "task": "brush-teeth",
        "variant": "low",
        "executability": 1.0,
        "command": "cplan bench household -o results",
    }
    return [*table_rows("1", tasks=2, without=("learned",)), failed, household]


@cache
def report_of_rows() -> ResultsReport:
    return build(lines(rows()))


def golden() -> dict[str, str]:
    """Name of a file → what it should hold."""
    report = report_of_rows()
    drawings = {chart.name: DRAWING for chart in report.charts}
    return {"report.md": markdown(report), "report.html": html(report, drawings)}


@pytest.mark.parametrize("name", ["report.md", "report.html"])
def test_a_page_is_as_it_was(name: str) -> None:
    assert golden()[name] == (GOLDEN / name).read_text(encoding="utf-8")


def test_the_html_page_is_one_whole_file(tmp_path: Path) -> None:
    """With real drawings: no name twice, every reference within the page, everything escaped."""
    markdown_page, html_page = write_pages(report_of_rows(), tmp_path / "new" / "page.md")
    text = html_page.read_text(encoding="utf-8")
    names, references = (re.findall(rf'\b{attribute}="(.*?)"', text) for attribute in ("id", "href"))
    assert len(set(names)) == len(names)
    assert {f"#{name}" for name in names} >= {*references} != set()
    assert "<b>bad" not in text and " src=" not in text
    assert text.count("<svg") == 3
    assert INK not in text.replace(f"--text: {INK}", "")
    for line in markdown_page.read_text(encoding="utf-8").splitlines():
        if line.startswith("!["):
            assert (markdown_page.parent / line[line.index("(") + 1 : -1]).is_file()


@pytest.mark.parametrize("name", ["page", "page.md", "page.html", "page.v2"])
def test_both_pages_share_a_name(tmp_path: Path, name: str) -> None:
    stem = name if name == "page.v2" else "page"
    written = write_pages(ResultsReport((), (), ()), tmp_path / name)
    assert written == (tmp_path / f"{stem}.md", tmp_path / f"{stem}.html")


def test_commands_follow_the_rows_they_produce_each_on_one_line() -> None:
    assert script(Commands((("", "one"), ("", "two")))) == "one\ntwo"
    assert script(Commands((("a", "one"), ("a", "two"), ("b", "three")))) == "# a\none\ntwo\n# b\nthree"
    assert script(Commands((("a\nrm -r .", "one\ntwo"),))) == "# a rm -r .\none two"


HOSTILE = "[x]: javascript:alert(1)\n[x] a|b <script>alert(1)</script> `c` \\| ![x](//h) [y](//h)\n| z |\n\n# d\n```"


def test_a_models_text_is_text_in_markdown() -> None:
    """Read by a Markdown reader: as many rows and cells as the table has, and neither tags nor links nor code."""
    parts = (HOSTILE, Grid((HOSTILE, "b"), ((HOSTILE, HOSTILE),)), Commands((("", HOSTILE),)))
    page = markdown(ResultsReport(((HOSTILE, HOSTILE),), ((HOSTILE, HOSTILE),), (Section(HOSTILE, parts),)))
    read = MarkdownIt("commonmark").enable("table").parse(page)
    counts = Counter(part.type for token in read for part in (token, *(token.children or ())))
    assert (counts["tr_open"], counts["th_open"] + counts["td_open"], counts["fence"]) == (2, 4, 1)
    assert counts["heading_open"] == 3, "title, errors, section"
    assert counts["code_inline"] == 2, "the key of the error, the name of the model"
    assert counts["link_open"] + counts["image"] == 0
    tags = [part.content for token in read for part in token.children or () if part.type == "html_inline"]
    assert set(tags) == {"<br>"}
    assert counts["html_block"] == 0
    said = "".join(part.content for token in read for part in token.children or () if part.type.startswith("text"))
    assert said.count(HOSTILE.splitlines()[0]) == 7, "note, error, heading, paragraph, three cells"


def test_a_grid_that_is_too_wide_continues_below_with_its_first_column() -> None:
    grid = Grid(("a", "b", "c"), (("1", "2", "3"),))
    assert list(terminal_rows(grid, 7)) == [[("a", "b", "c"), ("1", "2", "3")]]
    assert list(terminal_rows(grid, 6)) == [[("a", "b"), ("1", "2")], [("a", "c"), ("1", "3")]]
    assert len(list(terminal_rows(grid, 1))) == 2  # one column at least
    lines = Grid(("a", "b"), (("1", "x\ny"), ("2", "z")))
    assert list(terminal_rows(lines, 9)) == [[("a", "b"), ("1", "x"), ("", "y"), ("2", "z")]]


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for file, text in golden().items():
        (GOLDEN / file).write_text(text, encoding="utf-8")
