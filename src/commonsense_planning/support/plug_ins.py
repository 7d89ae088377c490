"""Plug-ins: what other packages, and our own studies, bring through entry points."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from commonsense_planning.errors import MissingError


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
