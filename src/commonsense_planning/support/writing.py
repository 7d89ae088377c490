"""Atomic writing of result files: to a temporary file beside, which is then renamed. A reader finds all of it, or what
was there before: never an empty file or a half, whether the disk is full or the process is killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from commonsense_planning.errors import InputError

_NUMBERS = count()


def user_cache() -> Path:
    """The user's folder for what can be fetched or made again; it need not be there."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cplan"


@contextmanager
def replacing(path: Path, what: str, hint: str = "") -> Iterator[Path]:
    """A path to write to, with the ending of ``path``; when the block is left the file takes the place of ``path``,
    unless by an exception. What is there and is no regular file (a pipe, a device) is written to directly.

    Raises InputError for any OSError on the way: that ``path`` cannot be written as ``what``, why, and ``hint``.
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


def write_text(path: Path, text: str, what: str, *, newline: str | None = None, hint: str = "") -> None:
    """Write a file of text in UTF-8 as a whole, see ``replacing``."""
    with replacing(path, what, hint) as file:
        file.write_text(text, encoding="utf-8", newline=newline)


def make_folder(path: Path, what: str, hint: str = "") -> None:
    """Make a folder for ``what``, unless it is there. Raises InputError, with the ``hint``, if it cannot be made."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, what, error, hint) from error


def cannot_write(path: Path, what: str, error: OSError, hint: str = "") -> InputError:
    """What to raise where a file cannot be written."""
    return InputError(f"{path}: cannot write {what}: {error.strerror or error}{hint and f'; {hint}'}")
