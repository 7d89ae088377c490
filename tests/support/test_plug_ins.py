"""Plug-ins: found by name without being loaded; a broken one is named with its cause."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from commonsense_planning.errors import MissingError
from commonsense_planning.support.registry import load, plug_ins


def test_names_are_known_without_loading() -> None:
    found = plug_ins("console_scripts")
    assert list(found) == sorted(found)
    assert "cplan" in found
    assert plug_ins("commonsense_planning.nothing") == {}


@pytest.mark.parametrize(("source", "cause"), [
    ("import a_module_that_nobody_has", "ModuleNotFoundError: No module named 'a_module_that_nobody_has'"),
    ("1 / 0", "ZeroDivisionError: division by zero"),
    ("other = 1", "AttributeError: module 'visiting' has no attribute 'command'"),
])  # fmt: skip
def test_a_broken_one_is_named_with_its_cause(
    source: str, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "visiting.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "visiting", raising=False)
    with pytest.raises(MissingError) as raised:
        load(EntryPoint("visit", "visiting:command", "group"))
    assert str(raised.value) == f"the plug-in visit (visiting:command) cannot be loaded: {cause}"
    assert raised.value.__cause__ is not None
