"""Kernels: functions that run as machine code, compiled once per version of their sources.

Numba compiles a kernel for each kind of arguments that it is called with. Its machine code is kept in a folder that is
named after what is in all files that have kernels, since a kernel that calls one of another file holds a copy of it;
the folder lies in ``NUMBA_CACHE_DIR`` if that is set, else in the user's cache folder. From there a kernel is loaded
without Numba (see ``machine_code``).
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar, cast

from commonsense_planning.kernels.machine_code import Loader, Store, loader

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).parents[1]
SOURCES = (
    "kernels/kernels.py",
    "kernels/compiling.py",
    "kernels/machine_code.py",
    "kernels/compiled.py",
    "kernels/engine.py",
    "kernels/relaxation.py",
    "kernels/relaxed.py",
    "pomdp/sampling.py",
    "search/action_elimination.py",
    "search/best_first.py",
    "search/flat_tree.py",
    "search/outlook.py",
)
_lock = RLock()  # loading and compiling are done by one thread at a time


def _version(package: str) -> bytes:
    """What tells a version of an installed package from others, without loading it."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"{package} is not installed")
    return Path(spec.origin).with_name("_version.py").read_bytes()


@cache
def cache_folder() -> Path:
    """Where the machine code of this version lies, for this kind of processor."""
    parts = [(PACKAGE / name).read_bytes() for name in SOURCES]
    parts += [_version("numba"), _version("llvmlite"), sys.version.encode()]
    found = loader()
    parts.append(found.machine.encode() if found else b"")
    version = hashlib.sha256(b"".join(parts)).hexdigest()[:16]
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    base = os.environ.get("NUMBA_CACHE_DIR") or str(Path(home) / "cplan")
    return Path(base) / f"kernels-{version}"


class Kernel:
    """A function that is called as machine code, with positional arguments. It gives numbers, or tuples of them; where
    Python calls it, arrays are written into.

    ``compilations`` counts for how many kinds of arguments Numba was asked in this process.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        update_wrapper(self, function)
        self.compilations = 0
        self._function = function
        self._options = options
        self._found: dict[bytes, Callable[..., Any]] = {}
        self._fingerprint: Callable[[tuple[Any, ...]], bytes] = self._first_fingerprint

    def __call__(self, *args: Any) -> Any:
        found = self._found.get(self._fingerprint(args))
        return found(*args) if found is not None else self._first_call(args)

    def _first_fingerprint(self, args: tuple[Any, ...]) -> bytes:
        """Tells kinds of arguments from each other."""
        found = loader()
        self._fingerprint = found.fingerprint if found is not None else _any_kind
        return self._fingerprint(args)

    def _first_call(self, args: tuple[Any, ...]) -> Any:
        """Answer to a new kind of arguments: load machine code for it, or compile it and keep it."""
        fingerprint = self._fingerprint(args)
        with _lock:
            if fingerprint not in self._found:
                found = loader()
                self._found[fingerprint] = self._load(found, fingerprint, args) if found else self.dispatcher
        return self._found[fingerprint](*args)

    def _load(self, loader: Loader, fingerprint: bytes, args: tuple[Any, ...]) -> Callable[..., Any]:
        store = Store(cache_folder())
        code = store.read(self._function, fingerprint)
        found = loader.load(code, self._function) if code is not None else None
        if found is None:
            from commonsense_planning.kernels.compiling import compiled_code

            self.compilations += 1
            code = compiled_code(self._compiler(), args)
            store.write(self._function, fingerprint, code)
            found = loader.load(code, self._function)
        return found if found is not None else self.dispatcher

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher for this kernel, for other kernels that call it."""
        return self._compiler(cache=True)

    def _compiler(self, **options: Any) -> Any:
        """A dispatcher for this kernel that compiles calls of other kernels as such."""
        from commonsense_planning.kernels.compiling import dispatcher

        known = self._function.__globals__
        names = self._function.__code__.co_names
        callees = {name: known[name].dispatcher for name in names if isinstance(known.get(name), Kernel)}
        return dispatcher(self._function, callees, cache_folder(), self._options | options)


def _any_kind(args: tuple[Any, ...]) -> bytes:
    """Where kinds are told from each other by Numba's dispatcher."""
    return b""


def kernel(function: Function) -> Function:
    """Compile a function with Numba when it is first called, or load its machine code."""
    return cast(Function, Kernel(function))


def long_kernel(function: Function) -> Function:
    """As ``kernel``, for what takes long: other threads go on meanwhile."""
    return cast(Function, Kernel(function, nogil=True))


def inlined(function: Function) -> Function:
    """As ``kernel``, for small functions that kernels call often: their code is put in place of the call.

    Numba counts references to the arrays that a call passes, atomically; that costs more than a small function does.
    """
    return cast(Function, Kernel(function, inline="always"))
