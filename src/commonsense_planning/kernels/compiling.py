"""Numba's ``njit``, told where to keep what it compiles; every file of kernels takes it from here.

With ``cache=True`` Numba keeps the machine code of a function, and compiles it anew when the file that it stands in has
changed. It does not notice a change in a function of another file that is called from there, and goes on with the old
copy. So the folder that it keeps them in (its public ``NUMBA_CACHE_DIR``) is named by a hash of all files of this room,
and of the versions of what compiles them: another version of any kernel begins an empty folder. It lies in the user's
cache folder, or in the folder that ``NUMBA_CACHE_DIR`` names.

Numba takes what is in a file for what it wrote, and lets all processes that begin at once compile the same. So the
folder is a ``SealedFolder``: Numba's public events say when a kernel is about to be loaded or compiled, and when it is
there. Where the disk has no room, what is not kept already is compiled for the process alone.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
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

from commonsense_planning.support.limits import hold_alarm, release_alarm
from commonsense_planning.support.processes import guarded_folder
from commonsense_planning.support.sealed_folder import SealedFolder
from commonsense_planning.support.writing import user_cache

Function = TypeVar("Function", bound=Callable[..., Any])

PREFIX = "kernels-"
ROOM = 64 * 2**20  # bytes that are to be free for kernels, which are 10 MB in all
KEPT_DAYS = 14  # a folder that no process has used for so long is removed: versions may live side by side


def folder_name(room: Path = Path(__file__).parent) -> str:
    """The name of the folder for the sources in ``room`` and the compiler and Python that are installed. Numba keeps
    those of each room apart."""
    made_with = [str(room.resolve()), version("numba"), version("llvmlite"), sys.version]
    found = hashlib.sha256("\n".join(made_with).encode())
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
        folder = Path(guarded_folder()) / name
        folder.mkdir(exist_ok=True)
        return folder
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
    _FOLDER = cache_folder(folder_name())
    _HAS_ROOM = shutil.disk_usage(_FOLDER).free >= ROOM
    os.environ["NUMBA_CACHE_DIR"] = str(_FOLDER)

    import numba
    from numba.core import event

    def njit(*, cache, **options):
        def decorate(function):
            kept = f"*/{Path(inspect.getfile(function)).stem}.{function.__qualname__}-*.nbi"
            return numba.njit(cache=cache and (_HAS_ROOM or any(_FOLDER.glob(kept))), **options)(function)

        return decorate

    numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]  # where Numba was imported before

    def _tell(what: str) -> None:
        logging.getLogger(__package__).warning("%s …", what)

    _KEPT = SealedFolder(_FOLDER, lambda: _tell("waiting for kernels that another process compiles"))

    class _Turn(event.Listener):
        """Numba's lock is taken before a kernel is looked for, and given back when it is loaded, or compiled and
        kept. LLVM calls back meanwhile: no alarm is to ring there."""

        def on_start(self, event: event.Event) -> None:
            _KEPT.take()
            hold_alarm()

        def on_end(self, event: event.Event) -> None:
            release_alarm()
            _KEPT.give()

    class _Announcement(event.Listener):
        """Say once that kernels are being compiled, when the first one is: nothing else takes so long unasked."""

        said = False

        def on_start(self, event: event.Event) -> None:
            _KEPT.writes()
            ours = event.data["dispatcher"].py_func.__module__.startswith(__package__)
            if ours and not self.said:
                self.said = True
                how = "compiling kernels, once per version"
                if not _HAS_ROOM:
                    how = f"no room for kernels in {_FOLDER}: compiling them for this run alone"
                elif _KEPT.damaged:
                    how = "the kept kernels are damaged: compiling them anew"
                _tell(f"{how}: up to a minute in all")

        def on_end(self, event: event.Event) -> None:
            """Nothing to say."""

    numba.njit(lambda: None)  # sets up what takes Numba's lock while files are imported: no limit on time holds there
    event.register("numba:compile", _Announcement())
    event.register("numba:compiler_lock", _Turn())
