"""A report as a Markdown page and as a self-contained HTML page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from commonsense_lab.report.document import Chart, Commands, Grid, Part, ResultsReport
from commonsense_lab.report.plots import ELSEWHERE, INK, PAPER, save
from commonsense_planning.support.english import counted
from commonsense_planning.support.writing import make_folder, write_text

PLOTS = "plots"
"""The folder of the plots, next to the pages."""

_TEMPLATES = Path(__file__).with_name("templates")
_SYNTAX = re.compile(r"[\\|<`]|(?<=\])\(|(?<=!)\[|\[(?=[^\]]*\]:)")
_TICKS = re.compile("`+")
_REFERENCE = re.compile(r'\b(id="|href="#|url\(#)')


def write_pages(report: ResultsReport, page: Path) -> tuple[Path, Path]:
    """Writes the report as Markdown and as HTML, both named like ``page``, and its plots to a folder next to them, and
    makes folders. Returns the paths of the two pages. Raises InputError if that cannot be done."""
    name = page.stem if page.suffix in (".md", ".html") else page.name
    markdown_page, html_page = page.with_name(f"{name}.md"), page.with_name(f"{name}.html")
    make_folder(page.parent, "the report", ELSEWHERE)
    drawings = save(report.charts, page.parent / PLOTS) if report.charts else {}
    write_text(markdown_page, markdown(report), "the report", hint=ELSEWHERE)
    write_text(html_page, html(report, drawings), "the report", hint=ELSEWHERE)
    return markdown_page, html_page


def markdown(report: ResultsReport) -> str:
    """Returns the report as a Markdown page: errors first, and with each table its commands."""
    parts = ["# Results", *(f"Model {_code(name)}: {_plain(note)}." for name, note in report.models)]
    parts += [_plain(report.made)] if report.made else []
    if report.errors:
        parts.append(f"## Unexplained errors: {counted(len(report.errors), 'episode')}, counted in no table")
        parts.append("\n".join(f"- {_code(key)}: {_plain(error)}" for key, error in report.errors))
    for section in report.sections:
        parts += [f"{'#' * section.level} {_plain(section.title)}", *map(_markdown, section.parts)]
    return "\n\n".join(parts) + "\n"


def html(report: ResultsReport, drawings: Mapping[str, str]) -> str:
    """Returns the report as an HTML page. ``drawings``: name of a chart → its SVG file's text."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    inline = {name: _inline(name, drawing) for name, drawing in drawings.items()}
    return environment.get_template("report.html.jinja").render(
        report=report, drawings=inline, kind_of=lambda part: type(part).__name__, script=script
    )


def script(commands: Commands) -> str:
    """Returns the commands for a shell, one per line, below comments with what they give."""
    lines: list[str] = []
    above = ""
    for label, command in commands.lines:
        if label != above:
            lines.append(f"# {_one_line(label)}")
        lines.append(_one_line(command))
        above = label
    return "\n".join(lines)


def _markdown(part: Part) -> str:
    match part:
        case Grid():
            lines = [part.head, tuple("---" for _ in part.head), *part.rows]
            return "\n".join(f"| {' | '.join(_plain(cell, '<br>') for cell in line)} |" for line in lines)
        case Commands():
            text = script(part)
            fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
            return f"{fence}sh\n{text}\n{fence}"
        case Chart():
            return f"![{_plain(part.title)}]({PLOTS}/{part.name}.svg)"
    return _plain(part)


def _plain(text: str, between: str = " ") -> str:
    """Returns a text, possibly a model's, for Markdown: without cells, tags, code and links, on one line, with
    ``between`` instead of its line ends."""
    return between.join(_SYNTAX.sub(r"\\\g<0>", line) for line in text.splitlines())


def _code(text: str) -> str:
    """Returns a text as Markdown's code."""
    return f"`{_one_line(text).replace('`', chr(39))}`"


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())


def _inline(name: str, drawing: str) -> str:
    """Returns an SVG file's text as a part of a page: in the colours of the page, with unique names."""
    drawing = drawing[drawing.index("<svg") :].replace(INK, "currentColor").replace(PAPER, "none")
    return _REFERENCE.sub(rf"\g<1>{name}-", drawing)
