"""The site's search, in a real Chromium, from a page that is opened as a file: no server, nothing fetched."""

import time
from pathlib import Path

import pytest

from tests.website.test_site import REPOSITORY, build

pytestmark = pytest.mark.browser


def test_it_finds_a_command_from_a_file(tmp_path: Path) -> None:
    from tests.view.browser import chromium

    ended = build(REPOSITORY, tmp_path)
    assert ended.returncode == 0, ended.stderr
    with chromium() as browser:
        browser.driver.get(f"{(tmp_path / 'index.html').as_uri()}?q=obfuscate")
        end = time.monotonic() + 30
        while not (found := browser.texts(".md-search-result__link h1")) and time.monotonic() < end:
            time.sleep(0.1)
        browser.screenshot("search")
        assert "cplan obfuscate" in found
        assert [url for url in browser.requests() if url.startswith("http")] == []
        assert browser.errors() == []
