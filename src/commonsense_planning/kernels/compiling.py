"""Compiling kernels with Numba. Loading Numba takes long: what was compiled once is loaded without it, see
``machine_code``. Numba's own cache, in the same folder, keeps the kernels that are called by others."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from types import FunctionType
from typing import Any

from commonsense_planning.kernels.absence import absent
from commonsense_planning.kernels.machine_code import Code, Symbols

# Numba loads SciPy's linear algebra to see whether kernels can multiply matrices, and cffi to see whether a value is a
# C function of it. No kernel of ours does such things, and loading both takes as long as Numba itself.
with absent("scipy", "cffi"):
    import numba
    import numba.core.typing.cffi_utils
    import numba.np.arraymath

Dispatcher = Any


def dispatcher(
    function: Callable[..., Any], callees: dict[str, Dispatcher], folder: Path, options: dict[str, Any]
) -> Dispatcher:
    """What compiles ``function`` for the kinds of arguments that it is called with; ``callees`` take the places of
    globals, and Numba's cache lies in ``folder``."""
    assert isinstance(function, FunctionType)
    numba.config.CACHE_DIR = str(folder)
    linked = FunctionType(function.__code__, function.__globals__ | callees, function.__name__, function.__defaults__)
    return numba.njit(**options)(update_wrapper(linked, function))


def compiled_code(dispatcher: Dispatcher, args: tuple[Any, ...]) -> Code:
    """Compile for arguments of the kind of ``args``; the machine code.

    Raises TypeError for a function that gives more than numbers, since making an array needs Numba.
    """
    kinds = tuple(dispatcher.typeof_pyval(arg) for arg in args)
    dispatcher.compile(kinds)
    result = dispatcher.overloads[kinds]
    if result.environment.consts:
        name = dispatcher.__qualname__
        raise TypeError(f"the kernel {name} gives a {result.signature.return_type}: let it write into an argument")
    library = result.library
    module = library._final_module
    declared = [f.name for f in module.functions if f.is_declaration]
    variables = list(module.global_variables)
    symbols = Symbols(
        result.fndesc.llvm_cpython_wrapper_name,
        tuple(v.name for v in variables if v.name.startswith("_ZN08NumbaEnv")),
        tuple(
            name
            for name in [*declared, *(v.name for v in variables if v.is_declaration)]
            if not name.startswith("llvm.")
        ),
    )
    return Code(symbols, library._get_compiled_object())
