"""The laboratory as a distribution: its version is the core's, and what it has is in its wheel."""

from __future__ import annotations

from configparser import ConfigParser
from pathlib import Path

import commonsense_lab
import commonsense_planning
from tests.data import REPOSITORY

PACKAGE = Path(commonsense_lab.__file__).parent
SETUP = ConfigParser()
SETUP.read(REPOSITORY / "lab" / "setup.cfg", encoding="utf-8")


def test_both_versions_are_equal() -> None:
    assert commonsense_lab.__version__ == commonsense_planning.__version__
    wanted = SETUP["options"]["install_requires"].strip().splitlines()
    assert f"commonsense-planning == {commonsense_planning.__version__}" in wanted


def test_every_package_is_in_the_wheel() -> None:
    found = {".".join(init.parent.relative_to(PACKAGE.parent).parts) for init in PACKAGE.rglob("__init__.py")}
    assert {*SETUP["options"]["packages"].split()} == found
