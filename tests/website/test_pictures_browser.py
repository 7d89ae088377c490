"""Text stays within the canvas of every picture in docs/, as Chromium draws it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.data import REPOSITORY

if TYPE_CHECKING:
    from tests.view.browser import Browser

pytestmark = pytest.mark.browser
PICTURES = sorted((REPOSITORY / "docs").rglob("*.svg"))
OUTSIDE = """
const whole = document.documentElement.getBoundingClientRect();
return [...document.querySelectorAll("text")].filter(text => {
  const box = text.getBoundingClientRect();
  return box.left < whole.left || box.right > whole.right || box.top < whole.top || box.bottom > whole.bottom;
}).map(text => text.textContent);
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from tests.view.browser import chromium

    with chromium() as opened:
        yield opened


@pytest.mark.parametrize("path", PICTURES, ids=[path.name for path in PICTURES])
def test_text_is_within_the_canvas(browser: Browser, path: Path) -> None:
    browser.driver.get(path.as_uri())
    assert browser.run("return document.querySelectorAll('text').length") > 3
    assert browser.run(OUTSIDE) == []
