"""Reports, and the page of ``cplan serve``, in a real Chromium: what strangers wrote is text there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commonsense_lab.report.document import Commands, Grid, ResultsReport, Section
from commonsense_lab.report.pages import write_pages
from commonsense_lab.report.plots import Points, line_chart
from commonsense_planning.interfaces.http_server import Service, application, page_of
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.registry import method_named
from tests.view.traces import HOSTILE

if TYPE_CHECKING:
    from tests.view.browser import Browser

pytestmark = pytest.mark.browser

LOADS = (
    "script, img, iframe, object, embed, link, base, form, [onload], [onerror], "
    "a:not([href^='#'], [href='openapi.json'])"
)
MORE = f"{HOSTILE}\"><svg onload=alert(3)><a href='javascript:alert(4)'>x</a>]]><style>*{{display:none}}</style>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from tests.view.browser import chromium

    with chromium() as started:
        yield started


def is_harmless(browser: Browser, page: Path) -> None:
    """Nothing runs in a page, nothing is fetched by it, and the text of strangers is there to be read."""
    browser.errors(), browser.requests()
    browser.driver.get(page.as_uri())
    assert browser.run("return document.querySelectorAll(arguments[0]).length", LOADS) == 0
    assert browser.run("return getComputedStyle(document.querySelector('h1')).display") == "block"
    assert "alert(1)" in browser.run("return document.body.innerText")
    assert browser.errors() == []
    assert [url for url in browser.requests() if not url.startswith(("file:", "about:"))] == []


def test_a_report_of_strangers_words(browser: Browser, tmp_path: Path) -> None:
    drawn = line_chart("drawn", MORE, MORE, MORE, [Points(MORE, 0, [(1.0, 1.0), (2.0, 2.0)])])
    parts = (MORE, Grid((MORE, MORE), ((MORE, MORE),)), Commands(((MORE, MORE),)), drawn)
    report = ResultsReport(((MORE, MORE),), ((MORE, MORE),), (Section(MORE, parts), Section(MORE, (), 3)))
    is_harmless(browser, write_pages(report, tmp_path / "page")[1])


def test_the_page_of_a_server_with_strangers_tasks(browser: Browser, tmp_path: Path) -> None:
    method = method_named("llm-replan")
    with ModelSession() as models:
        tasks: dict[str, object] = {MORE: None}
        app = application(Service(tasks, method, method.Options(), models, 60))  # type: ignore[arg-type]
        (tmp_path / "page.html").write_text(page_of(app), encoding="utf-8")
    is_harmless(browser, tmp_path / "page.html")
