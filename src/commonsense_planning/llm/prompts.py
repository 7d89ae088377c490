"""Questions as chat messages, from templates: one file per kind of question.

A template is looked for in the user's folder, in the folder ``prompts`` beside the domain, and among the built-in ones,
which serve any domain. Templates are Jinja. They get the fields of the question and ``scene``; for an action also
``shots``, ``observation`` (all statements), ``known`` and ``denied`` (those that hold and those that do not, by
predicate). What stands in a template is sent as the user's message, and a line that is only ``[system]``, ``[user]`` or
``[assistant]`` begins a message of that role.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jinja2
import jinja2.sandbox

from commonsense_planning.errors import InputError
from commonsense_planning.llm.completion import Message
from commonsense_planning.llm.examples import Shots
from commonsense_planning.llm.questions import (
    ChooseAction,
    Neighbours,
    NextAction,
    Placement,
    Product,
    Question,
    Scene,
    Statement,
    Translation,
    WriteGuide,
    WriteProgram,
    WriteRoute,
)

BUILT_IN = Path(__file__).with_name("templates")
TEMPLATES = {
    Placement: "placement.jinja",
    NextAction: "next_action.jinja",
    Translation: "translation.jinja",
    ChooseAction: "choose_action.jinja",
    WriteGuide: "write_guide.jinja",
    WriteProgram: "write_program.jinja",
    Neighbours: "neighbours.jinja",
    WriteRoute: "write_route.jinja",
    Product: "product.jinja",
}
_ROLE = re.compile(r"^\[(system|user|assistant)\]\s*$", re.MULTILINE)


class Prompts:
    """Renders questions. ``folders`` are looked through in order, the built-in templates last.

    Raises InputError for a folder without a single template, and for a template that is wrong, with file and line.
    """

    def __init__(self, folders: Sequence[Path], scene: Scene, shots: Shots | None = None) -> None:
        for folder in folders:
            if not any((folder / name).is_file() for name in TEMPLATES.values()):
                raise InputError(f"{folder}: no prompt templates here; expected one of {', '.join(TEMPLATES.values())}")
        self._scene = scene
        self._shots = shots
        self._environment = jinja2.sandbox.SandboxedEnvironment(
            loader=jinja2.FileSystemLoader([*folders, BUILT_IN]),
            undefined=jinja2.StrictUndefined,
            keep_trailing_newline=False,
            trim_blocks=False,
        )
        self._environment.filters["truncated"] = _truncated
        self._environment.filters["identifier"] = _identifier
        self._environment.globals["zip"] = zip

    def messages(self, question: Question) -> tuple[Message, ...]:
        """The messages that put a question to a model."""
        name = TEMPLATES[type(question)]
        try:
            template = self._environment.get_template(name)
            text = template.render(self._context(question))
        except jinja2.TemplateSyntaxError as error:
            raise InputError(f"{error.filename or name}:{error.lineno}:1: {error.message}") from error
        except (jinja2.TemplateError, TypeError, LookupError) as error:
            raise InputError(f"{self._place(name)}: the template cannot be filled in: {error}") from error
        return tuple(_split_roles(text.strip()))

    def _context(self, question: Question) -> dict[str, Any]:
        context: dict[str, Any] = {f.name: getattr(question, f.name) for f in dataclasses.fields(question)}
        context["scene"] = self._scene
        if isinstance(question, NextAction):
            observation = context["observation"] = list(question.observe())
            context["known"], context["denied"] = (
                _ByPredicate(s for s in observation if s.holds is holds) for holds in (True, False)
            )
            context["shots"] = self._shots.for_goal(question.goal) if self._shots is not None else ()
        return context

    def _place(self, name: str) -> str:
        source = self._environment.get_template(name).filename
        return source or name


class _ByPredicate(dict[str, list[Statement]]):
    """Statements by their predicate; none for one of which nothing is said."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            self.setdefault(statement.predicate, []).append(statement)

    def __missing__(self, predicate: str) -> list[Statement]:
        return []


def _split_roles(text: str) -> Iterator[Message]:
    parts = _ROLE.split(text)
    if parts[0].strip():
        yield {"role": "user", "content": parts[0].strip()}
    for role, content in zip(parts[1::2], parts[2::2], strict=True):
        yield {"role": role, "content": content.strip()}


def _truncated(items: Sequence[str], most: int) -> str:
    """A filter: the items with commas between them, at most so many."""
    return ", ".join(items[:most]) + (", …" if len(items) > most else "")


def _identifier(text: str) -> str:
    """A filter: a text as the name of a function, "wash the plate!" as wash_the_plate."""
    return re.sub(r"\W+", "_", text.lower().replace("'", "")).strip("_")
