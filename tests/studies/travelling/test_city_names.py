"""Names of cities without accents and punctuation."""

from __future__ import annotations

import pytest

from commonsense_planning.studies.travelling.city_names import bare


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("São Paulo", "sao paulo"),
        ("Tel-Aviv", "tel aviv"),
        ("Sana'a", "sanaa"),
        ("St. John's", "st johns"),
        ("  Ho  Chi Minh\tCity ", "ho chi minh city"),
        ("Køge, Łódź; Straße", "koge lodz strasse"),
        ("İzmir", "izmir"),
        ("北京", ""),
    ],
)
def test_bare(name: str, expected: str) -> None:
    assert bare(name) == expected
