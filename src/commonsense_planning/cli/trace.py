"""Trace files: one JSON object a line, written as things happen, so that an interrupt keeps them."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from commonsense_planning.errors import InputError


class Trace:
    """Writes events to a file, or nowhere if ``path`` is None. Raises InputError if it cannot be written."""

    def __init__(self, path: Path | None) -> None:
        self._file = None
        if path is not None:
            try:
                self._file = path.open("w", encoding="utf-8")
            except OSError as error:
                raise InputError(f"{path}: cannot write the trace: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def emit(self, event: dict[str, Any]) -> None:
        """Write one event."""
        if self._file is not None:
            self._file.write(json.dumps(event) + "\n")
            self._file.flush()
