"""The picture of a terminal in README.md, for wide and for narrow windows, light and dark: a run in which a plate and
a chicken are looked for.

    python -m website.pictures.terminal   # write docs/pictures/terminal.svg and docs/pictures/terminal-narrow.svg
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
TASK = "household:plate-chicken"
COLUMNS = {"terminal": 100, "terminal-narrow": 46}
"""File → columns; what goes beyond is cut off, which an ellipsis says."""


def theme(colours: str) -> TerminalTheme:
    """Background, text, and the eight colours that a terminal has names for, from black to white."""
    back, text, *normal = [tuple(bytes.fromhex(colour)) for colour in colours.split()]
    return TerminalTheme(back, text, normal)


LIGHT = theme("f6f8fa 24292f 24292f b00020 116329 7d4e00 0550ae 8250df 1b7c83 57606a")
DARK = theme("161b22 e6edf3 484f58 ff7b72 56d364 e3b341 79c0ff d2a8ff 56d4dd b1bac4")
FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" viewBox="0 0 {width} {height}">
<style>
text {{ font: {char_height}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }}
STYLES
</style>
<rect class="paper" width="{width}" height="{height}" rx="8"/>
<g transform="translate(9, 22)">
{matrix}
</g>
</svg>
"""


def main() -> None:
    """Write both pictures."""
    out = transcript()
    for name, columns in COLUMNS.items():
        (PICTURES / f"{name}.svg").write_text(picture(out, columns), encoding="utf-8")


def transcript() -> str:
    """The command, and what it prints in colours."""
    command = ["cplan", "solve", TASK]
    program = str(Path(sys.executable).with_name("cplan"))
    environment = {**os.environ, "FORCE_COLOR": "1"}
    ended = subprocess.run([program, *command[1:]], env=environment, capture_output=True, text=True, check=True)
    return f"\x1b[1m$ {' '.join(command)}\x1b[0m\n{ended.stdout}"


def picture(out: str, columns: int) -> str:
    """The SVG of a terminal with that many columns, in the colours that the reader's system prefers."""
    console = Console(record=True, width=columns, file=StringIO(), force_terminal=True, color_system="truecolor")
    for line in out.splitlines():
        console.print(Text.from_ansi(line), no_wrap=True, overflow="ellipsis")
    styles = [
        f".paper {{ fill: {colours.background_color.hex} }}\n"
        + console.export_svg(theme=colours, code_format="{styles}", unique_id="t", clear=False)
        for colours in (LIGHT, DARK)
    ]
    drawn = console.export_svg(theme=LIGHT, code_format=FORMAT, unique_id="t")
    drawn = re.sub(r"<text [^>]*>\n</text>", "\n", drawn)  # ends of lines
    drawn = re.sub(r' clip-path="[^"]*"', "", drawn)  # nothing is wider than the terminal
    return drawn.replace("STYLES", f"{styles[0]}\n@media (prefers-color-scheme: dark) {{\n{styles[1]}\n}}")


if __name__ == "__main__":
    main()
