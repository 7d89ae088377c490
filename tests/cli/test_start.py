"""An interrupt while cplan starts, before there is anything to be reported."""

from __future__ import annotations

import configparser
import subprocess
import sys

import pytest

from tests.data import REPOSITORY

INTERRUPTED = """
import sys

class Interrupts:
    def find_spec(self, name, *_):
        if name == {name!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupts())
from commonsense_planning.cli import start
sys.exit(start())
"""


def test_the_command_starts_where_interrupts_are_heard() -> None:
    setup = configparser.ConfigParser()
    setup.read(REPOSITORY / "setup.cfg")
    assert setup["options.entry_points"]["console_scripts"].strip() == "cplan = commonsense_planning.cli:start"


@pytest.mark.processes
@pytest.mark.parametrize("name", ["commonsense_planning.cli.main", "click", "commonsense_planning.errors"])
def test_an_interrupt_while_the_rest_is_imported(name: str) -> None:
    program = INTERRUPTED.format(name=name)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
