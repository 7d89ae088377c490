"""What a problem file says in English about its task."""

from __future__ import annotations

import re

_LINE = re.compile(r"^[^\S\n]*;+[^\S\n]*description:[^\S\n]*(\S.*?)\s*$", re.MULTILINE | re.IGNORECASE)


def description_in(text: str) -> str:
    """What the first comment line such as ``;; description: microwave salmon`` says; empty if there is none."""
    found = _LINE.search(text)
    return found[1] if found else ""
