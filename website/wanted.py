"""``python -m website.wanted [EXTRA … | --all]``: what the core, and the laboratory where it is here, want, a line
each; with extras, what those want, too. The two themselves are left out."""

from __future__ import annotations

import sys
from collections.abc import Collection
from configparser import ConfigParser
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
OWN = "commonsense-planning"


def wanted(extras: Collection[str] | None = None) -> list[str]:
    """Returns the requirements of both; those of all extras, or of the named ones alone. Raises KeyError for one of
    neither."""
    found, known = list[str](), set[str]()
    for path in (REPOSITORY / "setup.cfg", REPOSITORY / "lab" / "setup.cfg"):
        setup = ConfigParser()
        setup.read(path, encoding="utf-8")
        if setup.has_section("options"):
            found += setup["options"]["install_requires"].split("\n")
            of_extras = setup["options.extras_require"]
            known |= {*of_extras}
            for extra in of_extras if extras is None else [name for name in extras if name in of_extras]:
                found += of_extras[extra].split("\n")
    if extras is not None and not {*extras} <= known:
        raise KeyError(f"no extra {', '.join({*extras} - known)}")
    return [line for line in dict.fromkeys(found) if line and not line.startswith(OWN)]


if __name__ == "__main__":
    print(*wanted(None if sys.argv[1:] == ["--all"] else sys.argv[1:]), sep="\n")
