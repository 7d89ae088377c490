"""unified-planning's validator as a child process: what it loads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MODULE = "commonsense_planning.pddl.up_validator"


def test_it_loads_little_and_starts_no_program(tmp_path: Path) -> None:
    git = tmp_path / "git"
    git.write_text(f"#!/bin/sh\ntouch {tmp_path / 'asked'}\n")
    git.chmod(0o755)
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", MODULE],
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines() if line.startswith("import time:")}
    assert {"unified_planning.io.pddl_reader", "unified_planning.engines.plan_validator"} <= loaded
    assert not {"ConfigSpace", "networkx", "asyncio", "multiprocessing"} & loaded
    assert not {"numpy", "tarski", "up_fast_downward", "up_pyperplan", "unified_planning.engines.replanner"} & loaded
    assert not (tmp_path / "asked").exists()
