"""Atomic writing of result files: to a temporary file in the same folder, which is then renamed. A reader finds the
whole new file or the old one, never an empty or incomplete one, even if the disk is full or the process is killed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from commonsense_planning.errors import InputError

_NUMBERS = count()


@contextmanager
def replacing(path: Path, what: str, hint: str = "") -> Iterator[Path]:
    """A context with a path to write to, with the ending of ``path``; when the block is left, the file replaces
    ``path``, unless there was an exception. An existing ``path`` that is not a regular file (a pipe, a device) is
    written to directly.

    Raises InputError for any OSError: that ``path`` cannot be written as ``what``, why, and the ``hint``.
    """
    try:
        if path.exists() and not path.is_file():
            yield path
            return
        target = Path(os.path.realpath(path))  # a link stays a link
        unfinished = target.with_name(f".cplan-{os.getpid()}-{next(_NUMBERS)}{target.suffix}")
        try:
            yield unfinished
            if target.exists():
                unfinished.chmod(target.stat().st_mode)
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, what, error, hint) from error


@contextmanager
def filling(folder: Path, what: str, hint: str = "") -> Iterator[Path]:
    """A context with an empty folder to write to; when the block is left, the files move to ``folder``, which is made
    if it is missing: all of them, or none if there was an exception. Raises as ``replacing``."""
    try:
        target = Path(os.path.realpath(folder))
        new = not target.exists()
        unfinished = (target.parent if new else target) / f".cplan-{os.getpid()}-{next(_NUMBERS)}"
        unfinished.mkdir(parents=True)
        try:
            yield unfinished
            if new:
                unfinished.rename(target)
            for file in (each for each in unfinished.rglob("*") if each.is_file()):
                place = target / file.relative_to(unfinished)
                place.parent.mkdir(parents=True, exist_ok=True)
                file.replace(place)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except OSError as error:
        raise cannot_write(folder, what, error, hint) from error


def write_text(path: Path, text: str, what: str, *, newline: str | None = None, hint: str = "") -> None:
    """Writes a whole text file in UTF-8, see ``replacing``."""
    with replacing(path, what, hint) as file:
        file.write_text(text, encoding="utf-8", newline=newline)


def make_folder(path: Path, what: str, hint: str = "") -> None:
    """Creates a folder for ``what``, unless it exists. Raises InputError, with the ``hint``, if it cannot be
    created."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, what, error, hint) from error


def cannot_write(path: Path, what: str, error: OSError, hint: str = "") -> InputError:
    """The error for a file that cannot be written."""
    return InputError(f"{path}: cannot write {what}: {error.strerror or error}{hint and f'; {hint}'}")
