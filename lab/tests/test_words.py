"""The words of the laboratory are the field's, as the core's are."""

from __future__ import annotations

from pathlib import Path

import commonsense_lab
from tests.data import REPOSITORY
from tests.test_words import classes_in, gone_in, gone_in_pages

SOURCE = Path(commonsense_lab.__file__).parent


def test_what_went_stays_away() -> None:
    assert gone_in(SOURCE) == []
    assert gone_in_pages((REPOSITORY / "lab" / "docs").rglob("*.md")) == []


def test_a_class_name_has_one_meaning() -> None:
    assert classes_in(SOURCE) == {}
