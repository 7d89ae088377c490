"""What loading the kernels loads, and what it leaves alone."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from commonsense_planning.task.kernels import absent
from tests.data import REPOSITORY

HOUSEHOLD = REPOSITORY / "pddl" / "household"
SOLVE = ["solve", str(HOUSEHOLD / "domain.pddl"), str(HOUSEHOLD / "problems" / "small-apple.pddl"), "--quiet", "--json"]


def python(program: str, *args: str) -> Any:
    """What a program in a process of its own prints as JSON on its last line."""
    ended = subprocess.run([sys.executable, "-c", program, *args], capture_output=True, text=True, check=True)
    return json.loads(ended.stdout.splitlines()[-1])


def test_a_gbfs_solve_loads_what_it_needs() -> None:
    program = """if True:
        import json, sys
        from commonsense_planning.cli.main import main
        assert main(sys.argv[1:]) == 0
        print(json.dumps(list(sys.modules)))"""
    loaded = set(python(program, *SOLVE, "--method", "gbfs"))
    assert {"numba", "tarski"} <= loaded
    assert not {"scipy.linalg", "cffi", "asyncio", "openai", "jinja2", "matplotlib", "unified_planning"} & loaded
    ours = {name.removeprefix("commonsense_planning.") for name in loaded if name.startswith("commonsense_planning.")}
    assert not {"estimate", "solving", "language.embedded", "language.questions", "world.belief"} & ours


def test_kernels_work_and_scipy_is_whole_afterwards() -> None:
    program = """if True:
        import json, sys
        import numpy as np
        from commonsense_planning.task.kernels import kernel
        before = [name in sys.modules for name in ("scipy", "scipy.linalg", "cffi")]
        import cffi, numba, scipy, scipy.linalg.cython_blas
        @numba.njit
        def product(a, b):
            return np.dot(a, b)
        found = [float(product(np.eye(2), np.eye(2)).sum()), float(scipy.linalg.det(np.eye(2)))]
        print(json.dumps([before, found, cffi.FFI().sizeof("char")]))"""
    assert python(program) == [[False] * 3, [2.0, 1.0], 1]


def test_what_is_absent_comes_back() -> None:
    here, there = "json", "wave"
    sys.modules.pop(there, None)
    with pytest.raises(ZeroDivisionError), absent(here, there):
        __import__(here)  # loaded before, so it stays
        with pytest.raises(ImportError):
            __import__(there)
        raise ZeroDivisionError
    assert __import__(there).__name__ == there
