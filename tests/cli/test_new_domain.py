"""A new domain can be checked, solved and validated as it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run


def test_a_new_domain_is_solved(tmp_path: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = cplan("new-domain", "attic")
    assert made.code == 0, made.err
    assert made.out.endswith("next: cplan solve attic:first\n")
    checked = cplan("check", "attic:first", "--json")
    assert (checked.code, checked.json["files"][0]["hidden patterns"]) == (0, 1)
    solved = cplan("solve", "attic:first", "--plan", "plan")
    assert solved.code == 0, solved.err
    assert "walk" not in solved.out
    assert "take the milk" in solved.out
    assert cplan("validate", "attic:first", "plan").code == 0
    assert cplan("solve", "attic:first", "--method", "gbfs").code == 0
    readme = (tmp_path / "attic" / "README.md").read_text()
    assert "`cplan check attic:first`" in readme
    assert len(readme.splitlines()) <= 10


def test_a_path_may_come_before_the_name(tmp_path: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cplan("new-domain", "my/own/attic", "--json").json["folder"] == "my/own/attic"
    assert cplan("check", "my/own/attic:first").code == 0
    assert cplan("new-domain", "my/household").code == 0  # which is told from the pack by its path
