"""Compiling kernels, once per version of their sources.

Numba keeps compiled code on disk, but looks only at the file of the kernel itself: a kernel that calls one of
another file would go on with the old one. Therefore all kernels are kept in a folder that is named after what
is in all files that have kernels; it lies in ``NUMBA_CACHE_DIR`` if that is set, else in the user's cache
folder.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar


@contextmanager
def absent(*packages: str) -> Iterator[None]:
    """Let imports of ``packages`` fail, of those that are not loaded yet. Afterwards they are as they were."""
    hidden = [name for name in packages if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None makes an import fail
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


# Numba loads SciPy's linear algebra to see whether kernels can multiply matrices, and cffi to see whether a value is a
# C function of it. No kernel of ours does such things, and loading both takes as long as Numba itself.
with absent("scipy", "cffi"):
    import numba
    import numba.core.typing.cffi_utils
    import numba.np.arraymath

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).parents[1]
SOURCES = (
    "task/kernels.py",
    "task/compiled.py",
    "task/engine.py",
    "task/relaxation.py",
    "task/relaxed.py",
    "world/sampling.py",
    "search/action_elimination.py",
    "search/best_first.py",
    "search/flat_tree.py",
    "search/outlook.py",
)


def cache_folder() -> Path:
    """Where the compiled kernels of this version lie."""
    content = b"".join((PACKAGE / name).read_bytes() for name in SOURCES)
    version = hashlib.sha256(content + numba.__version__.encode()).hexdigest()[:16]
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    base = os.environ.get("NUMBA_CACHE_DIR") or str(Path(home) / "cplan")
    return Path(base) / f"kernels-{version}"


numba.config.CACHE_DIR = str(cache_folder())


def kernel(function: Function) -> Function:
    """Compile a function with Numba when it is first called, or load it from the cache."""
    compiled: Function = numba.njit(cache=True)(function)
    return compiled


def long_kernel(function: Function) -> Function:
    """As ``kernel``, for what takes long: other threads go on meanwhile."""
    compiled: Function = numba.njit(cache=True, nogil=True)(function)
    return compiled


def inlined(function: Function) -> Function:
    """As ``kernel``, for small functions that kernels call often: their code is put in place of the call.

    Numba counts references to the arrays that a call passes, atomically; that costs more than a small function does.
    """
    compiled: Function = numba.njit(cache=True, inline="always")(function)
    return compiled
