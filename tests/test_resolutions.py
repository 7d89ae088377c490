"""cplan is installed beside other packages of planning: pip finds versions that suit both.

unified-planning's extra ``engines`` pins an old version, up-fast-downward 0.5. (Its extra ``plot`` wants NumPy before
2, and goes with no cplan that has compiled kernels.) The test asks the package index and installs nothing: ``make
test-resolutions``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.data import REPOSITORY

pytestmark = pytest.mark.resolutions


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
