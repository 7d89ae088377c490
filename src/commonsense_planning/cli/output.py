"""How commands print: lines, coloured on a terminal and never wrapped; one JSON object where wanted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import click
from rich.console import Console
from rich.text import Text


class Printer:
    """Prints lines of text on stdout, or on stderr where stdout is kept for JSON."""

    def __init__(self, as_json: bool = False) -> None:
        self.console = Console(stderr=as_json, highlight=False, soft_wrap=True)

    def line(self, text: str = "", style: str = "") -> None:
        """One line, as it stands: brackets are no markup, nothing is wrapped."""
        self.console.print(Text(text, style))

    def rows(
        self, rows: Iterable[tuple[str, ...]], indent: str = "", styles: Mapping[str, str] | None = None
    ) -> None:
        """Rows in aligned columns; ``styles`` colours cells by their text."""
        rows = list(rows)
        if not rows:
            return
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        for row in rows:
            line = Text(indent)
            for cell, width in zip(row, widths, strict=True):
                line.append(cell, (styles or {}).get(cell, ""))
                line.append(" " * (width - len(cell) + 2))
            line.rstrip()
            self.console.print(line)


def print_json(data: Mapping[str, Any]) -> None:
    """The one object on stdout."""
    click.echo(json.dumps(data, indent=2))
