"""The Pythons that setup.cfg declares, and which of them this machine has."""

import os
import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

from tests.data import REPOSITORY


def declared() -> list[str]:
    """The Pythons that setup.cfg declares, such as 3.12."""
    setup = ConfigParser()
    setup.read(REPOSITORY / "setup.cfg", encoding="utf-8")
    return re.findall(r"Python :: (3\.\d+)", setup["metadata"]["classifiers"])


def python_of(version: str) -> str | None:
    """A Python of this version: the one that runs the tests, one on the path, or one of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    others = sorted(pyenv.glob(f"{version}.*/bin/python"))
    found = [sys.executable, shutil.which(f"python{version}"), *map(str, others)]
    for python in filter(None, found):
        code = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
        ended = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
        if ended.returncode == 0 and ended.stdout.strip() == version:
            return python
    return None
