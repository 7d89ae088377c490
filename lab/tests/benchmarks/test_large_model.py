"""The page of the large models, and their lines on the front page, are what the rows say."""

from __future__ import annotations

from lab.benchmarks.large_model import PAGE, README, front, page


def test_the_page_is_what_the_rows_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
    assert f"\n\n{front()}\n\n" in README.read_text(encoding="utf-8")
