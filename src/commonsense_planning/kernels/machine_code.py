"""Machine code that Numba made, kept on disk and called without loading Numba.

Numba's own cache needs Numba: its import and what it registers before it loads a first kernel take half of the time of
a short run. But what is called in the end is a C function that takes Python objects, and all that it needs are a few
helpers in C. So here llvmlite, on which Numba stands too, loads the machine code, and Numba's extension modules are
loaded by themselves.

Invariant: a function is called only with arguments whose fingerprint, Numba's own, is that of the arguments it was
compiled for. Machine code is loaded only if all that it calls is there; otherwise, and with a Numba that is built
another way, the caller has to ask Numba.
"""

from __future__ import annotations

import builtins
import ctypes
import hashlib
import importlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

Function = Callable[..., Any]

FUNCTIONS, MEMORY = "numba._dynfunc", "numba.core.runtime._nrt_python"
HELPERS = {FUNCTIONS: "numba_", "numba._helperlib": "numba_", MEMORY: "NRT_"}
"""Extension module → how the names of its helpers begin in machine code."""

NUMBERED = tuple(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64))
NUMBERED += ("float32", "float64", "complex64", "complex128")
CHECKSUM = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Symbols:
    """Names in machine code: the function to call, the variables that hold its environment (Numba's word for what a
    function has of Python), and all that it calls from outside."""

    function: str
    environments: tuple[str, ...]
    needed: tuple[str, ...]


@dataclass(frozen=True)
class Code:
    """Machine code for one function and one kind of arguments."""

    symbols: Symbols
    content: bytes


class Loader:
    """llvmlite and Numba's extension modules, ready to load machine code."""

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        with _without_numba():
            modules = {name: importlib.import_module(name) for name in HELPERS}
            self.fingerprint = _fingerprint_function()
        for name, prefix in HELPERS.items():
            for helper, address in modules[name].c_helpers.items():
                # what the memory manager calls internally has its whole name already
                whole = name == MEMORY and helper.startswith("_")
                llvm.add_symbol(helper if whole else prefix + helper, address)
        modules[MEMORY].memsys_use_cpython_allocator()
        self._functions = modules[FUNCTIONS]
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.add_symbol("_Py_NoneStruct", id(None))
        for name, value in vars(builtins).items():
            if isinstance(value, type) and issubclass(value, BaseException):
                llvm.add_symbol(f"PyExc_{name}", id(value))
        self._llvm = llvm
        self.machine = f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
        target = llvm.Target.from_triple(llvm.get_process_triple())
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target.create_target_machine(jit=True))

    def load(self, code: Code, function: Function) -> Function | None:
        """``function`` as machine code; None if something is not there that it calls."""
        symbols = code.symbols
        if any(self._llvm.address_of_symbol(name) is None for name in symbols.needed):
            return None
        self._engine.add_object_file(self._llvm.ObjectFileRef.from_data(code.content))
        self._engine.finalize_object()
        environment = self._functions.Environment(function.__globals__)
        for name in symbols.environments:
            place = self._engine.get_global_value_address(name)
            ctypes.c_void_p.from_address(place).value = id(environment)
        address = self._engine.get_function_address(symbols.function)
        loaded: Function = self._functions.make_function(
            sys.modules[function.__module__], function.__name__, function.__doc__ or "", address, environment, (self,)
        )
        return loaded


def _fingerprint_function() -> Callable[[tuple[Any, ...]], bytes]:
    """Numba's function that tells kinds of arguments from each other.

    Its module has to be given the numbers of types before, though fingerprints are made without them. Where Numba has
    done that, it must stay so, and it will do it when it is loaded later.
    """
    module = importlib.import_module("numba._dispatcher")
    if "numba.core.dispatcher" not in sys.modules:
        module.typeof_init(object, dict.fromkeys(NUMBERED, -1))
    found: Callable[[tuple[Any, ...]], bytes] = module.compute_fingerprint
    return found


@contextmanager
def _without_numba() -> Iterator[None]:
    """Let modules of Numba be imported without the packages that they lie in, which would load all of it. If it is
    loaded, nothing has to be done."""
    packages = ("numba", "numba.core", "numba.core.runtime")
    hollow = [name for name in packages if name not in sys.modules]
    try:
        path: list[str] | None = None
        for name in packages:
            spec = PathFinder.find_spec(name, path)
            if spec is None or spec.submodule_search_locations is None:
                raise ImportError(f"no package {name}")
            path = list(spec.submodule_search_locations)
            if name in hollow:
                sys.modules[name] = ModuleType(name)
                sys.modules[name].__path__ = path
        yield
    finally:
        for name in hollow:
            sys.modules.pop(name, None)


@cache
def loader() -> Loader | None:
    """The loader of this process; None if Numba or llvmlite are not built as this module knows them, or if Numba is
    told to leave kernels as they are (NUMBA_DISABLE_JIT, to debug them)."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return None
    try:
        return Loader()
    except (ImportError, AttributeError, TypeError):
        return None


class Store:
    """Machine code in a folder: of each function and fingerprint one file, a checksum and what follows it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _file(self, function: Function, fingerprint: bytes) -> Path:
        key = hashlib.sha256(fingerprint).hexdigest()[:16]
        return self.folder / f"{function.__module__}.{function.__qualname__}-{key}.o"

    def read(self, function: Function, fingerprint: bytes) -> Code | None:
        """The code; None if there is none, or not whole."""
        try:
            whole = self._file(function, fingerprint).read_bytes()
        except OSError:
            return None
        checksum, content = whole[:CHECKSUM], whole[CHECKSUM:]
        if checksum != hashlib.sha256(content).digest():
            return None
        code: Code = pickle.loads(content)
        return code

    def write(self, function: Function, fingerprint: bytes, code: Code) -> None:
        """Keep the code. Where nothing can be written, nothing is kept, and the next process compiles again."""
        content = pickle.dumps(code)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.folder) as own:
                part = Path(own) / "code"
                part.write_bytes(hashlib.sha256(content).digest() + content)
                part.replace(self._file(function, fingerprint))
        except OSError:
            return
