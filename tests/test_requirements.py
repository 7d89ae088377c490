"""What setup.cfg wants has a lower and an upper bound, and CI's versions lie between them."""

from __future__ import annotations

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.data import REPOSITORY
from website.licences import pinned
from website.wanted import wanted

REQUIREMENTS = [Requirement(line) for line in wanted()]


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_bounds_hold_what_ci_installs(requirement: Requirement) -> None:
    assert {specifier.operator for specifier in requirement.specifier} == {">=", "<"}
    name = canonicalize_name(requirement.name)
    pins = [str(specifier.version) for pin in pinned() if pin.name == name for specifier in pin.specifier]
    assert pins, f"requirements/ci.txt lacks {name}: make lock"
    assert all(requirement.specifier.contains(pin) for pin in pins), f"make lock: {requirement} and {pins}"


def test_extras_agree_about_bounds() -> None:
    bounds: dict[str, set[str]] = {}
    for requirement in REQUIREMENTS:
        bounds.setdefault(requirement.name, set()).add(str(requirement.specifier))
    assert {name: found for name, found in bounds.items() if len(found) > 1} == {}


def test_the_lock_file_names_no_place() -> None:
    text = (REPOSITORY / "requirements" / "ci.txt").read_text(encoding="utf-8")
    assert "://" not in text and "index" not in text
