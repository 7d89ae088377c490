"""What Debian's packages there are to be had before anything can be compiled here."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sysconfig


def lacking() -> list[str]:
    """The packages that a C compiler, its headers and Python's come with, of what is not there."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if not shutil.which(compiler):
        return ["gcc", "libc6-dev", "python3-dev"]
    headers = {"libc6-dev": "stdlib.h", "python3-dev": "Python.h"}
    return [package for package, header in headers.items() if not _reads(compiler, header)]


def _reads(compiler: str, header: str) -> bool:
    folders = [f"-I{sysconfig.get_path(name)}" for name in ("include", "platinclude")]
    command, text = [compiler, "-E", "-x", "c", *folders, "-"], f"#include <{header}>\n"
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False).returncode == 0
