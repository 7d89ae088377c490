"""Running command lines in this process and in others."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning.cli.main import main

CPLAN = [sys.executable, "-c", "import sys; from commonsense_planning.cli.main import main; sys.exit(main())"]
LEFT = "CPLAN_TEST_OF"  # in the environment of everything that a test starts


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    def says(self, code: int, *words: str) -> None:
        """Fails unless it ended with this code and said this on standard error."""
        assert (self.code, [said for said in words if said not in self.err]) == (code, []), self.err

    @property
    def json(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.out)
        return data


Run = Callable[..., Ended]


@pytest.fixture
def cplan(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in this process."""

    def run(*args: str | Path) -> Ended:
        code = main([str(arg) for arg in args])
        out, err = capsys.readouterr()
        return Ended(code, out, err)

    return run


def cplan_process(*args: str | Path, timeout: float = 120) -> Ended:
    """Runs a command line as a separate process, with pipes for its outputs."""
    ended = subprocess.run([*CPLAN, *map(str, args)], capture_output=True, text=True, timeout=timeout, check=False)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def living(folder: Path, command: str = "") -> list[int]:
    """The processes that were started with ``LEFT`` for this folder, with ``command`` in their command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            ours = f"{LEFT}={folder}".encode() in (process / "environ").read_bytes().split(b"\0")
            if ours and command.encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:  # it has ended meanwhile, or is another user's
            continue
    return found
