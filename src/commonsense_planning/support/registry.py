"""Registries: values by name, those that are built in and those that plug-ins bring through entry points. Plug-ins are
other packages, and our own studies."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, Protocol, TypeVar

from commonsense_planning.errors import MissingError, UsageError

LABORATORY = "pip install 'commonsense-planning[lab]'"
"""What installs the laboratory: the papers' experiments and the methods that only they use."""


@cache
def plug_ins(group: str) -> Mapping[str, EntryPoint]:
    """Name → entry point of a group, in alphabetical order; none is loaded."""
    return {entry.name: entry for entry in sorted(entry_points(group=group), key=lambda entry: entry.name)}


def load(entry: EntryPoint) -> Any:
    """The object of an entry point. Raises MissingError that names the plug-in and the cause where it is broken."""
    try:
        return entry.load()
    except Exception as error:
        raise MissingError(
            f"the plug-in {entry.name} ({entry.value}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error


def in_the_laboratory(what: str) -> MissingError:
    """The error for those who ask for something that the laboratory registers, where it is not installed."""
    return MissingError(f"{what} is part of cplan's laboratory, which is not installed: {LABORATORY}")


class Named(Protocol):
    """What a registry holds: ``forms`` say how it is asked for, such as ("embeddings", "embeddings:MODEL"); the name
    stands before the colon."""

    @property
    def forms(self) -> tuple[str, ...]: ...


Value = TypeVar("Value", bound=Named)


class Registry(Generic[Value]):
    """Values of one ``kind``, called ``what`` in messages.

    Others than the built-in ones come from the entry points of ``group``; the entry point has the name of its value. A
    plug-in is loaded when it is asked for. One that cannot be loaded is an error for those who ask for it, and for
    nobody else. ``laboratory``: names that the laboratory brings.
    """

    def __init__(
        self, what: str, group: str, kind: type[Value], built_in: Iterable[Value], laboratory: Collection[str] = ()
    ) -> None:
        self.what = what
        self.group = group
        self._kind = kind
        self._laboratory = laboratory
        self._built_in = {_name(value): value for value in built_in}

    def values(self) -> list[Value]:
        """All that can be loaded, the built-in ones first."""
        return [value for value in map(self._loaded, self._names()) if not isinstance(value, MissingError)]

    def broken(self) -> list[MissingError]:
        """What is wrong with the plug-ins that cannot be loaded."""
        return [value for value in map(self._loaded, self._names()) if isinstance(value, MissingError)]

    def find(self, spec: str) -> tuple[Value, str]:
        """The value that ``NAME`` or ``NAME:WHICH`` asks for, and WHICH, which may be empty.

        Raises UsageError, with what there is, for what is of no value's forms; MissingError, with the cause, for a
        plug-in that cannot be loaded.
        """
        name, colon, which = spec.partition(":")
        if name not in self._built_in and name not in plug_ins(self.group):
            if name in self._laboratory:
                raise in_the_laboratory(f"the {self.what} {name}")
            close = difflib.get_close_matches(name, self._names(), n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            forms = [form for value in self.values() for form in value.forms]
            broken = "".join(f"\n{error}" for error in self.broken())
            raise UsageError(f"no {self.what} is called {spec}{hint}; there are {_listed(forms)}{broken}")
        value = self._loaded(name)
        if isinstance(value, MissingError):
            raise value
        if bool(which) != bool(colon) or bool(which) not in {":" in form for form in value.forms}:
            raise UsageError(f"the {self.what} {name} is asked for as {_listed(value.forms)}, not as {spec}")
        return value, which

    def _names(self) -> list[str]:
        return [*self._built_in, *(name for name in plug_ins(self.group) if name not in self._built_in)]

    def _loaded(self, name: str) -> Value | MissingError:
        if name in self._built_in:
            return self._built_in[name]
        entry = plug_ins(self.group)[name]
        try:
            value = load(entry)
        except MissingError as error:
            return error
        if not isinstance(value, self._kind) or _name(value) != name:
            return MissingError(f"the plug-in {name} ({entry.value}) is no {self._kind.__name__} of that name")
        return value


def _name(value: Named) -> str:
    return value.forms[0].partition(":")[0]


def _listed(forms: Iterable[str]) -> str:
    *most, last = forms
    return f"{', '.join(most)} and {last}" if most else last
