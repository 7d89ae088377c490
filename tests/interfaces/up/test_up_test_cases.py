"""``up_test_cases``, which ships with unified-planning: its report finds nothing wrong with our engines.

The report runs as its users run it, as a program, with our engines in a file ``up.ini``. Only those of its packages
that hold what we support; the others' files are not in the wheel, or they are about numbers, time and several agents.
"""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from commonsense_planning.interfaces.up import engines
from tests.data import REPOSITORY

pytestmark = pytest.mark.processes

PACKAGES = ["unified_planning.test", "builtin.classical.basic_problems", "builtin.classical.metric_problems"]
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def up_ini() -> str:
    """The file ``up.ini`` that the documentation gives."""
    text = (REPOSITORY / "docs" / "unified-planning.md").read_text(encoding="utf-8")
    return text.split("```ini\n")[1].split("```")[0]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the report says of our engines."""
    home = tmp_path_factory.mktemp("home")
    (home / "up.ini").write_text(up_ini(), encoding="utf-8")
    spec = find_spec("up_test_cases")
    assert spec is not None and spec.submodule_search_locations is not None
    program = Path(spec.submodule_search_locations[0]) / "report.py"
    arguments = [*engines.ENGINES, "--modes", "oneshot", "validation", "--timeout", "60", "--packages", *PACKAGES]
    ended = subprocess.run(
        [sys.executable, str(program), *arguments],
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return COLOURS.sub("", ended.stdout)


def test_all_of_it_passes(report: str) -> None:
    assert not re.search(r"Err\(|WARN\(|CRASH|TIMEOUT|UNSUPPORTED|UNKNOWN", report)
    for name in ("cplan-gbfs", "cplan-astar", "cplan-llm-replan"):
        ran = [line for line in report.splitlines() if line.startswith(f"|   {name} ")]
        assert len(ran) == 30
        assert all("OK(Valid)" in line or "OK(Invalid)" in line for line in ran)
    assert report.count("|   cplan-replay ") == 32


def test_the_file_names_all_engines() -> None:
    sections = re.findall(r"\[engine (\S+)\]\nmodule_name: (\S+)\nclass_name: (\S+)", up_ini())
    assert sections == [(name, *place) for name, place in engines.ENGINES.items()]
