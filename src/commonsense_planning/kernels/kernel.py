"""The decorators of kernels, and the types of their arrays; every file of kernels takes them from here.

Cython compiles a kernel when cplan is built (``building/``), with the types of its annotations. If it is not compiled,
it is the Python function in the file, some 200 times slower.

Types that begin with ``Const`` are arrays that a kernel only reads, and that may be read-only; it writes to the others.
All are contiguous. Flags are bytes, 0 or 1.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Function = TypeVar("Function", bound=Callable[..., Any])

Int32 = npt.NDArray[np.int32]
Int32Rows = Int32  # int32 with two axes
Int32Planes = Int32
Table = Int32  # only read
Int64 = npt.NDArray[np.int64]
Entries = Int64  # with two axes
State = npt.NDArray[np.uint64]
ConstState = State
Sets = State  # with two axes
ConstSets = State
Floats = npt.NDArray[np.float64]
FloatRows = Floats
Flags = npt.NDArray[np.uint8]
Bytes = npt.NDArray[np.int8]
ByteRows = Bytes
BytePlanes = Bytes

NOT_COMPILED = (
    "the kernels are not compiled, so everything takes some 200 times as long: install gcc, libc6-dev and python3-dev, "
    "then cplan again"
)
STALE = "kernels were edited since they were built: make kernels"


def kernel(function: Function) -> Function:
    """Marks a function as a kernel. One that allocates arrays holds the GIL."""
    return function


def inline(function: Function) -> Function:
    """Marks a kernel that is inlined in its callers, also in other files."""
    return function


def check_signals() -> None:
    """Runs the handlers of pending signals (alarms, Ctrl-C), which may raise. A compiled kernel notices signals only
    here, so every loop that may take long calls it. It costs some 10 ns."""


def tell(room: Path = Path(__file__).parent) -> None:
    """Logs a warning if the kernels run as Python, or were edited in a checkout since they were built."""
    built = room / "built"
    if not any((room / f"engine{suffix}").exists() for suffix in EXTENSION_SUFFIXES):
        warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)  # hashes wrap around
        logging.getLogger(__package__).warning(NOT_COMPILED)
    elif built.exists() and max(file.stat().st_mtime for file in room.glob("*.py")) > built.stat().st_mtime:
        logging.getLogger(__package__).warning(STALE)


tell()
