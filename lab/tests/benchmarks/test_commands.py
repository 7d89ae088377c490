"""The commands that pages of the laboratory cite are here, or at the tag that keeps what was measured once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.data import REPOSITORY

TAG = "measured-2026-11"
PAGES = sorted((REPOSITORY / "lab" / "docs").rglob("*.md"))
MEASURED = (REPOSITORY / "lab" / "docs" / "measured.md").read_text(encoding="utf-8")
KEPT = re.findall(r"`(benchmarks\.[\w.]+)`", MEASURED.partition("\n## At the tag\n")[2])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_is_run_is_here_or_at_the_tag(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for lab, name in re.findall(r"python -m (lab\.)?(benchmarks[\w.]*)", text):
        module = REPOSITORY.joinpath("lab", *name.split("."))
        here = module.with_suffix(".py").is_file() or (module / "__main__.py").is_file()
        assert here if lab else name in KEPT and f"`{TAG}`" in text, f"{lab}{name}"
