"""The drawn figures of the pages: they are as their programs draw them, and their text is within the canvas."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.data import REPOSITORY
from website.pictures import data_flow, figure, run

PICTURES = REPOSITORY / "docs" / "pictures"
NAMES = ["belief", "data-flow", "tree"]
WIDE = 0.58  # the mean width of a letter, relative to the size of the font, with some room


def test_the_figures_are_as_they_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure, "PICTURES", tmp_path)
    run.main()
    data_flow.main()
    for name in NAMES:
        assert (tmp_path / f"{name}.svg").read_text("utf-8") == (PICTURES / f"{name}.svg").read_text("utf-8"), name


@pytest.mark.parametrize("name", NAMES)
def test_text_is_within_the_canvas(name: str) -> None:
    root = ElementTree.parse(PICTURES / f"{name}.svg").getroot()
    _, _, width, height = (float(number) for number in root.attrib["viewBox"].split())
    texts = [element for element in root.iter() if element.tag.endswith("}text")]
    assert texts
    for element in texts:
        kinds = element.attrib.get("class", "").split()
        long = WIDE * (12 if "small" in kinds else 14) * len(element.text or "")
        start = float(element.attrib["x"]) - long * (1 if "end" in kinds else 0.5 if "middle" in kinds else 0)
        assert start >= 0 and start + long <= width, element.text
        assert float(element.attrib["y"]) <= height - 8, element.text
