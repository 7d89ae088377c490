"""The page of the large models is what the rows say."""

from __future__ import annotations

from lab.benchmarks.large_model import PAGE, page


def test_the_page_is_what_the_rows_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
