"""The page of the keys of a result, made of their table."""

from __future__ import annotations

from types import GenericAlias, UnionType
from typing import Any

from commonsense_planning.methods.result import KEYS, ResultView

SHOWN = {
    ResultView.TRACE: "trace",
    ResultView.END: "trace's `end`",
    ResultView.TOOL: "MCP",
    ResultView.ENGINE: "unified-planning",
    ResultView.AGENT: "robot's loop",
}
HEAD = """# The keys of a result

The object that `cplan solve --json` prints has these keys; optional ones are left out if they are empty.
Several problems add `file`. An error is an object with only `status` and `reason`.
`commonsense_planning.result_schema()` is the JSON schema.

| key | type | meaning | also in |
|---|---|---|---|
"""


def keys_page() -> str:
    """Returns the page: a row for each key, with its type, its meaning, and the outputs besides `--json`."""
    rows = []
    for key in KEYS.values():
        also = ", ".join(said for view, said in SHOWN.items() if view in key.views)
        rows.append(f"| `{key.name}`{' (optional)' * key.optional} | {kind(key.kind)} | {key.says} | {also} |\n")
    return "".join((HEAD, *rows))


def kind(of: Any) -> str:
    """Returns a type in Python's notation, which Markdown takes for no column."""
    text = str(of) if isinstance(of, UnionType | GenericAlias) else of.__name__
    text = text.replace("commonsense_planning.validation.verdict.", "").replace("typing.", "")
    return f"`{text}`".replace(" | ", " or ")
