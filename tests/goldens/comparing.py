"""Expected records: text files, and how what a run gives now differs from them."""

import difflib
from pathlib import Path

EXPECTED = Path(__file__).parent / "expected"
HELP = "help"
"""The name under which the help of all commands is kept."""
LINES = 40
"""Of a difference that are shown."""


def expected_file(name: str, folder: Path = EXPECTED) -> Path:
    """Where the record of that name is kept."""
    return folder / f"{name}.txt"


def difference(name: str, found: str, folder: Path = EXPECTED) -> str:
    """What is no longer as expected, as the first lines of a unified diff; empty if all is."""
    file = expected_file(name, folder)
    expected = file.read_text(encoding="utf-8") if file.exists() else ""
    if found == expected:
        return ""
    lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), f"expected/{name}", f"now/{name}", "", "")
    shown = [line.rstrip("\n") for line in lines]
    more = [f"… {len(shown) - LINES} more lines"] if len(shown) > LINES else []
    return "\n".join([*shown[:LINES], *more])


def write(file: Path, text: str) -> None:
    """Write a record."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
