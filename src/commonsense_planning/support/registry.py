"""Registries: values by name, built in and from plug-ins (entry points), which are other packages."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from commonsense_planning.errors import CplanError, MissingError, UsageError
from commonsense_planning.support.english import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@cache
def plug_ins(group: str) -> Mapping[str, EntryPoint]:
    """Name → entry point of a group, in alphabetical order; none is loaded."""
    from importlib.metadata import entry_points  # slow to import

    return {entry.name: entry for entry in sorted(entry_points(group=group), key=lambda entry: entry.name)}


def load(entry: EntryPoint) -> Any:
    """The object of an entry point. Raises MissingError, with the plug-in and the cause, if it cannot be loaded."""
    return _loaded(entry.name, entry.value, entry.load)


def object_at(place: str) -> Any:
    """The object at ``module:OBJECT``."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _loaded(name: str, place: str, load_it: Callable[[], Any]) -> Any:
    try:
        return load_it()
    except Exception as error:
        raise MissingError(f"the plug-in {name} ({place}) cannot be loaded: {type(error).__name__}: {error}") from error


@cache
def known_plug_ins() -> Mapping[str, Any]:
    """Packages whose plug-ins are known by name, installed or not: see ``known_plug_ins.toml``."""
    return tomllib.loads(Path(__file__).with_name("known_plug_ins.toml").read_text(encoding="utf-8"))


def not_installed(group: str, name: str, what: str) -> MissingError | None:
    """The error for a known plug-in of that name, called ``what``, that is not installed; None if none is known."""
    for known in known_plug_ins().values():
        if name in known["groups"].get(group, ()):
            beside = Path(sys.prefix, known["beside"])
            how = f"not installed here, but in {beside}" if beside.exists() else f"not installed: {known['install']}"
            return MissingError(f"{what} is part of {known['package']}, which is {how}")
    return None


def plug_in(group: str, name: str, what: str) -> Any:
    """The object of the plug-in of that name, called ``what`` in messages. Raises MissingError."""
    entry = plug_ins(group).get(name)
    if entry is None:
        raise not_installed(group, name, what) or MissingError(f"{what} is in no plug-in that is installed")
    return load(entry)


Value = TypeVar("Value")


class Registry(Mapping[str, Value]):
    """Name → value of one ``kind``, called ``what`` in messages: the built-in values in their order, then those of
    plug-ins, by the names of the entry points of ``group``. A plug-in cannot replace a built-in name.

    ``built_in``: values, or name → "module:OBJECT", which is loaded when it is requested, like a plug-in. ``forms`` of
    a value: how it is requested, such as ("embeddings", "embeddings:MODEL"), with its name before the colon; a value
    without forms is requested by its name. For a plug-in that cannot be loaded, MissingError is raised at its request,
    or its value is what ``stand_in`` makes of its name and that error.
    """

    def __init__(
        self,
        what: str,
        group: str,
        kind: type[Value],
        built_in: Iterable[Value] | Mapping[str, str],
        stand_in: Callable[[str, MissingError], Value] | None = None,
    ) -> None:
        self.what = what
        self.group = group
        self._kind = kind
        self._built_in: dict[str, Value | str]
        if isinstance(built_in, Mapping):
            self._built_in = {**built_in}
        else:
            self._built_in = {_forms(value, "")[0].partition(":")[0]: value for value in built_in}
        self._stand_in = stand_in

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._built_in, *plug_ins(self.group))))

    def __contains__(self, name: object) -> bool:
        return name in self._built_in or name in plug_ins(self.group)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> Value:
        found = self._loaded(name)
        if isinstance(found, MissingError):
            raise found
        return found

    @property
    def built_in(self) -> tuple[str, ...]:
        """The names of the built-in values; none is loaded."""
        return tuple(self._built_in)

    def usable(self) -> list[Value]:
        """All values that can be loaded, the built-in ones first."""
        return [value for value in map(self._loaded, self) if not isinstance(value, MissingError)]

    def broken(self) -> list[MissingError]:
        """The errors of plug-ins that cannot be loaded and have no replacement."""
        return [value for value in map(self._loaded, self) if isinstance(value, MissingError)]

    def find(self, spec: str) -> tuple[Value, str]:
        """The value that ``NAME`` or ``NAME:WHICH`` requests, and WHICH, which may be empty.

        Raises UsageError, with all forms, for what matches none of them; MissingError for a plug-in that cannot be
        loaded, with the cause, and for one that is known but not installed (``not_installed``).
        """
        name, colon, which = spec.partition(":")
        if name not in self:
            raise self.unknown(spec)
        value = self[name]
        forms = _forms(value, name)
        if bool(which) != bool(colon) or bool(which) not in {":" in form for form in forms}:
            raise UsageError(f"the {self.what} {name} is asked for as {_listed(forms)}, not as {spec}")
        return value, which

    def unknown(self, spec: str, others: Iterable[str] = ()) -> CplanError:
        """The error that ``spec`` does not exist here, with those that do, and the ``others``."""
        name = spec.partition(":")[0]
        known = not_installed(self.group, name, f"the {self.what} {name}")
        if known is not None:
            return known
        loaded = [(name, self._loaded(name)) for name in self]
        forms = [form for name, it in loaded if not isinstance(it, MissingError) for form in _forms(it, name)]
        broken = "".join(f"\n{error}" for error in self.broken())
        return UsageError(
            f"no {self.what} is called {spec}{did_you_mean(name, self)}; there are {_listed((*forms, *others))}{broken}"
        )

    def _loaded(self, name: str) -> Value | MissingError:
        """The value, or the error of a plug-in that cannot be loaded. Raises KeyError for an unknown name."""
        found = self._built_in.get(name)
        if found is not None and not isinstance(found, str):
            return found
        try:
            if found is None:
                entry = plug_ins(self.group)[name]
                found, value = entry.value, load(entry)
            else:
                value = _loaded(name, found, partial(object_at, found))
            if not isinstance(value, self._kind) or _forms(value, name)[0].partition(":")[0] != name:
                raise MissingError(f"the plug-in {name} ({found}) is no {self._kind.__name__} of that name")
        except MissingError as error:
            return error if self._stand_in is None else self._stand_in(name, error)
        return value


def _forms(value: object, name: str) -> tuple[str, ...]:
    forms: tuple[str, ...] = getattr(value, "forms", (name,))
    return forms


def _listed(forms: Iterable[str]) -> str:
    *most, last = forms
    return f"{', '.join(most)} and {last}" if most else last
