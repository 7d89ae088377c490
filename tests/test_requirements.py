"""setup.cfg bounds what it needs on both sides; CI's versions lie between the bounds, and both resolve."""

import json
import os
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.resolutions
@pytest.mark.parametrize(("extra", "pinned", "starts"), [("engines", "up-fast-downward", "0.5.")])
def test_pip_resolves_cplan_with(tmp_path: Path, extra: str, pinned: str, starts: str) -> None:
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    command += ["--report", str(report), str(REPOSITORY), f"unified-planning[{extra}]"]
    unpinned = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    ended = subprocess.run(command, env=unpinned, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    chosen = [package["metadata"] for package in json.loads(report.read_text(encoding="utf-8"))["install"]]
    versions = {package["name"].lower().replace("_", "-"): package["version"] for package in chosen}
    assert versions["commonsense-planning"]
    assert versions[pinned].startswith(starts)
