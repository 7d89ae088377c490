"""Users' Jinja templates, filled in within Jinja's sandbox and within ``SECONDS``.

A template that produces too much runs into the memory limit of cplan's processes. Large powers are refused before they
are computed, since no signal interrupts that.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import jinja2.sandbox
from jinja2.loaders import split_template_path

from commonsense_planning.errors import BudgetError, InputError
from commonsense_planning.support.limits import within_seconds
from commonsense_planning.support.reading import WRONG, read_text, why, within

SECONDS = 5.0  # to fill in a template
MOST_CHARACTERS = 10_000_000  # of a prompt, and of a text that * repeats
MOST_BITS = 100_000  # of a power


class Templates(jinja2.sandbox.SandboxedEnvironment):
    """Finds templates in ``folders``, in order, and fills them in. ``mark`` maps the text of a file to the template
    that is used."""

    intercepted_binops = frozenset({"*", "**"})

    def __init__(
        self, folders: Sequence[Path], filters: Mapping[str, Callable[..., Any]], mark: Callable[[str], str]
    ) -> None:
        super().__init__(loader=jinja2.FunctionLoader(self._load), undefined=jinja2.StrictUndefined, optimized=False)
        self._folders, self._mark = folders, mark
        self.filters |= filters
        del self.filters["random"], self.globals["lipsum"]  # which are not repeatable
        self.globals["zip"] = zip

    def fill(self, name: str, given: Mapping[str, Any]) -> str:
        """Fills in the template ``name`` with the variables ``given``. Raises InputError, with file and line, if it is
        invalid, takes too long or produces too much."""
        started = time.monotonic()
        try:
            with within_seconds(SECONDS):
                text = self.get_template(name).render(given)
            if len(text) > MOST_CHARACTERS:
                raise jinja2.TemplateRuntimeError("it makes too much")
            if not text.strip():
                raise jinja2.TemplateRuntimeError("it makes nothing")
            return text
        except jinja2.TemplateSyntaxError as error:
            file = error.filename or error.name or name  # Jinja's lexer gives some errors the file for a name
            raise InputError(f"{file}:{error.lineno}:1: {error.message}") from error
        except (BudgetError, jinja2.TemplateError, SyntaxError, MemoryError, *WRONG) as error:
            # Jinja raises a TypeError if the time is up between two lines of a template
            alarm = next((one for one in (error, error.__context__) if isinstance(one, BudgetError)), None)
            if alarm and time.monotonic() - started < SECONDS:  # it was the caller's limit
                raise alarm from None
            reason = f"takes more than {SECONDS:g} s" if alarm else f"cannot be filled in: {why(error)}"
            raise InputError(f"{self._place(error, name)}: the template {reason}") from error

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        sizes = [len(value) if hasattr(value, "__len__") else value for value in (left, right)]
        if operator == "*" and sizes != [left, right] and sizes[0] * sizes[1] > MOST_CHARACTERS:
            raise jinja2.TemplateRuntimeError("* makes too much")
        if operator == "**" and isinstance(left, int) and left.bit_length() * abs(right) > MOST_BITS:
            raise jinja2.TemplateRuntimeError("** makes too large a number")
        return super().call_binop(context, operator, left, right)

    def _load(self, name: str) -> tuple[str, str, Callable[[], bool]] | None:
        path = self._path(name)
        return None if path is None else (self._mark(read_text(path, "a template")), str(path), lambda: True)

    def _path(self, name: str) -> Path | None:
        paths = ((folder, folder.joinpath(*split_template_path(name))) for folder in self._folders)
        return next((within(folder, path) for folder, path in paths if path.is_file()), None)

    def _place(self, error: BaseException, name: str) -> str:
        """Returns file, line and column of the template where the error happened."""
        frames = [(f.f_code.co_filename, line) for f, line in traceback.walk_tb(error.__traceback__)]
        places = [f"{file}:{line}:1" for file, line in frames if file.endswith(".jinja")]
        return places[-1] if places else f"{self._path(name) or name}:1:1"
