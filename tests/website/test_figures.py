"""The drawn figures of the pages are as their programs draw them."""

from __future__ import annotations

from pathlib import Path

import pytest

from website.pictures import data_flow, figure, run


def test_the_figures_are_as_they_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = figure.PICTURES
    monkeypatch.setattr(figure, "PICTURES", tmp_path)
    run.main()
    data_flow.main()
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert drawn.keys() == {"belief.svg", "data-flow.svg", "tree.svg"}
    assert {name: (kept / name).read_text(encoding="utf-8") for name in drawn} == drawn, "make pictures"
