"""Which variants of methods a run of an experiment needs, and for which of its tables."""

from __future__ import annotations

from collections.abc import Collection

from commonsense_planning.errors import UsageError
from commonsense_planning.report.method_layout import MethodSuite


def wanted_variants(
    suite: MethodSuite, variants: Collection[str], tables: Collection[str], usual: Collection[str]
) -> dict[str, list[str]]:
    """Variant → the tables that it is run for.

    ``variants`` are named by their own names or by a method's; none named: those of ``tables``; none of these named
    either: those of the ``usual`` tables. Raises UsageError for names that there are not.
    """
    for name in tables:
        if name not in suite.tables:
            raise UsageError(f"there is no table {name}; there are {', '.join(suite.tables)}")
    of_method: dict[str, str] = {}
    for name, settings in suite.variants.items():
        of_method.setdefault(str(settings["method"]), name)
    chosen = [name if name in suite.variants else of_method.get(name, "") for name in variants]
    if "" in chosen:
        unknown = list(variants)[chosen.index("")]
        raise UsageError(f"there is no variant {unknown}; there are {', '.join(suite.variants)}, and their methods")
    found: dict[str, list[str]] = {name: [] for name in chosen}
    for table in suite.tables.values():
        needed = list(dict.fromkeys(line.variant for line in table.lines))
        if not chosen and table.name in (tables or usual):
            found |= {variant: found.get(variant, []) for variant in needed}
    for table in suite.tables.values():
        shown = [variant for variant in dict.fromkeys(line.variant for line in table.lines) if variant in found]
        # a table of one row says nothing, unless that is all there is
        if table.name in tables or len(shown) >= min(2, len(found)):
            for variant in shown:
                found[variant].append(table.name)
    return found
