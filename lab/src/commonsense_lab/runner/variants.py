"""The variants of methods that an experiment runs: those of its layout, by name, and any other registered method, under
its own name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

from commonsense_lab.runner.rows import VariantLabels
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import check_takes, method_named

Variants = Mapping[str, Mapping[str, Any]]
"""Variant → its method with its settings."""


def variants_named(known: Variants, names: Iterable[str]) -> list[str]:
    """Returns the variants of these names. The name of a method means its first variant, or, without one, the method
    itself. Raises UsageError for a name that is neither a variant's nor a method's."""
    of_method: dict[str, str] = {}
    for name, settings in known.items():
        of_method.setdefault(str(settings["method"]), name)
    found = [name if name in known else of_method.get(name, name) for name in names]
    for name in found:
        if name not in known:
            try:
                method_named(name)
            except UsageError as error:
                raise UsageError(f"there is no variant {name}; there are {', '.join(known)}; and {error}") from error
    return list(dict.fromkeys(found))


def own_tables(known: Collection[str], rows: Iterable[VariantLabels]) -> dict[str, set[str]]:
    """Returns variant that a layout does not know → the tables that its episodes were run for."""
    found: dict[str, set[str]] = {}
    for row in rows:
        if row.variant not in known:
            found.setdefault(row.variant, set()).update(row.tables)
    return found


@runtime_checkable
class Solving(Protocol):
    """An episode that has a method solve a task. ``foreseen``: whether its request is known before any question."""

    @property
    def foreseen(self) -> bool: ...

    @property
    def variant(self) -> str: ...

    def request(self, models: ModelSession) -> Request:
        """Returns the task, the method and its options."""


def check_own(known: Collection[str], episodes: Iterable[Solving]) -> None:
    """Checks the first episode of each variant that is not ``known``. Raises UsageError, with the reason, for a method
    that cannot take the task, or needs an option that the experiment lacks."""
    for episode in {episode.variant: episode for episode in reversed([*episodes])}.values():
        if episode.variant not in known:
            request = episode.request(ModelSession())
            check_takes(request.method, request.task)
            for setting in request.method.Options.settings():
                if setting.option.needed and getattr(request.options, setting.name) is None:
                    raise UsageError(f"{request.method.name} needs {setting.flag}, which this experiment has not")
