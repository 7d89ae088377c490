"""Numba's ``njit``, told where to keep what it compiles; every file of kernels takes it from here.

With ``cache=True`` Numba keeps the machine code of a function, and compiles it anew when the file that it stands in has
changed. It does not notice a change in a function of another file that is called from there, and goes on with the old
copy. So the folder that it keeps them in (its public ``NUMBA_CACHE_DIR``) is named by a hash of all files of this room,
and of the versions of what compiles them: another version of any kernel begins an empty folder. It lies in the user's
cache folder, or in the folder that ``NUMBA_CACHE_DIR`` names.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from commonsense_planning.support.processes import guarded_folder
from commonsense_planning.support.writing import user_cache

Function = TypeVar("Function", bound=Callable[..., Any])

PREFIX = "kernels-"
KEPT_DAYS = 14  # a folder that no process has used for so long is removed: versions may live side by side


def folder_name(room: Path = Path(__file__).parent) -> str:
    """The name of the folder for the sources in ``room`` and the compiler and Python that are installed."""
    found = hashlib.sha256("\n".join([version("numba"), version("llvmlite"), sys.version]).encode())
    for source in sorted(room.glob("*.py")):
        found.update(f"\n{source.name}\n".encode() + source.read_bytes())
    return PREFIX + found.hexdigest()[:16]


def cache_folder(name: str) -> Path:
    """The folder of that name, which this process may write into; if need be one that goes when the process ends."""
    base = Path(os.environ.get("NUMBA_CACHE_DIR") or user_cache())
    if base.name.startswith(PREFIX):  # set by a parent process
        base = base.parent
    folder = base / name
    try:
        new = not folder.is_dir()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)  # in use
    except OSError:
        return Path(guarded_folder()) / name
    if new:
        _remove_old(base)
    return folder


def _remove_old(base: Path) -> None:
    """Remove the folders that nobody has used for long; another process may be doing the same."""
    latest = time.time() - KEPT_DAYS * 24 * 3600
    for folder in base.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if folder.stat().st_mtime < latest:
                shutil.rmtree(folder, ignore_errors=True)


if TYPE_CHECKING:

    def njit(
        *, cache: bool, inline: Literal["always", "never"] = "never", nogil: bool = False
    ) -> Callable[[Function], Function]:
        """Compile a function when it is first called with arguments of a kind, see Numba's manual."""

else:
    os.environ["NUMBA_CACHE_DIR"] = str(cache_folder(folder_name()))

    import numba
    from numba.core import event

    njit = numba.njit
    numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]  # where Numba was imported before

    class _Announcement(event.Listener):
        """Say once that kernels are being compiled, when the first one is: nothing else takes so long unasked."""

        said = False

        def on_start(self, event: event.Event) -> None:
            ours = event.data["dispatcher"].py_func.__module__.startswith(__package__)
            if ours and not self.said:
                self.said = True
                print("cplan: compiling kernels, once per version: about 20 s in all …", file=sys.stderr, flush=True)

        def on_end(self, event: event.Event) -> None:
            """Nothing to say."""

    event.register("numba:compile", _Announcement())
