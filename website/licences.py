"""``python -m website.licences``: docs/licences.md, the licences of everything that cplan may be installed with.

pip chooses the packages, for this Python, in the versions of requirements/ci.txt, and tells what each says of itself.
Nothing is installed. A licence of a kind that is not known here is an error: somebody has to read it first.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from configparser import ConfigParser
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from website.wanted import wanted

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "licences.md"
LOCK = REPOSITORY / "requirements" / "ci.txt"
BESIDE = REPOSITORY / "requirements" / "beside.in"

Metadata = Mapping[str, Any]

KINDS = {
    "GPL": r"\bL?GPL|General Public License",
    "for its own files": r"\bMPL|Mozilla",
    "not free": r"Educational Use|NVIDIA|Proprietary",
    "permissive": r"\b(MIT|BSD|Apache|ISC|PSF|Python|HPND|Zlib|0BSD|Unlicense|Files: \*|CMU|CNRI)\b|APACHE",
    "not stated": r"^not stated$",
}
"""Kind of licence → how one is recognised; the first that fits counts."""

_WITH_CUDA = re.compile(r"nvidia-|cuda-|triton$")

HEAD = """\
# Licences of what cplan needs

cplan has the MIT licence ([LICENSE](../LICENSE)). It contains none of the packages below: pip installs them beside it.
What each says of itself, in the versions of [requirements/ci.txt](../requirements/ci.txt); `make lock` makes this page.

- *permissive*: keep their notices where you pass them on.
- *for its own files* (MPL): who changes files of theirs passes these changes on under the same licence.
- *GPL*: Fast Downward and pyperplan are programs of their own to cplan: it starts them in child processes, gives them
  files, and reads what they write. The MIT licence is compatible with the GPL; who passes on a bundle of cplan with
  them keeps to the GPL for the bundle.
- *not free*, *not stated*: in extras alone, of which cplan itself needs none. Read their terms before you use them. So
  are NVIDIA's libraries, which some builds of torch bring; the one that the Makefile installs has none.
"""


def pinned() -> list[Requirement]:
    """Returns what the lock file holds, for every Python and system, but for what a torch with CUDA brings."""
    lines = [line for line in LOCK.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return [each for each in map(Requirement, lines) if not _WITH_CUDA.match(each.name)]


def kind_of(licence: str) -> str:
    """Returns the kind of a licence. Raises ValueError for an unknown one."""
    for kind, pattern in KINDS.items():
        if re.search(pattern, licence):
            return kind
    raise ValueError(f"a licence of no known kind: {licence}")


def licence_of(package: Metadata) -> str:
    """Returns what a package says that its licence is, on one line."""
    classifiers = [text.rpartition(" :: ")[2] for text in package.get("classifier", ()) if text.startswith("License :")]
    said = str(package.get("license", "")).strip().splitlines()[:1]
    named = [text for text in said if text != "UNKNOWN" and len(text) < 40 and not re.search(r"[#=]|Copyright", text)]
    licence = package.get("license_expression") or ", ".join(classifiers) or "".join(named) or "not stated"
    return str(licence).replace("|", "\\|")


def needed(packages: Mapping[str, Metadata], names: Collection[str]) -> set[str]:
    """Returns ``names`` and what they need in turn, among ``packages``."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in packages and name not in found:
            found.add(name)
            wants = map(Requirement, packages[name].get("requires_dist") or ())
            here = (each for each in wants if each.marker is None or each.marker.evaluate({"extra": ""}))
            waiting += [canonicalize_name(each.name) for each in here]
    return found


def page(packages: Mapping[str, Metadata]) -> str:
    """Returns the page, of canonical name → metadata."""
    setup = ConfigParser()
    setup.read(REPOSITORY / "setup.cfg", encoding="utf-8")
    own = map(Requirement, filter(None, setup["options"]["install_requires"].splitlines()))
    core = needed(packages, [canonicalize_name(each.name) for each in own])
    parts = [HEAD, _table("What `pip install .` brings", packages, core)]
    parts.append(_table("What extras and the laboratory bring", packages, packages.keys() - core))
    return "\n".join(parts)


def _table(title: str, packages: Mapping[str, Metadata], names: Collection[str]) -> str:
    rows = [(name, licence_of(packages[name])) for name in sorted(names)]
    return "\n".join(_table_lines(title, rows)) + "\n"


def _table_lines(title: str, rows: Collection[tuple[str, str]]) -> Iterator[str]:
    yield from (f"## {title}", "", "| package | licence | kind |", "|---|---|---|")
    for name, licence in rows:
        yield f"| {name} | {licence} | {kind_of(licence)} |"


def ask_pip() -> dict[str, Metadata]:
    """Returns the metadata of the packages that both distributions, their extras and the Makefile install."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        command += ["--report", str(report), "-c", str(LOCK), "-r", str(BESIDE), *wanted()]
        subprocess.run(command, check=True)
        found = [each["metadata"] for each in json.loads(report.read_text(encoding="utf-8"))["install"]]
    return {canonicalize_name(each["name"]): each for each in found}


if __name__ == "__main__":
    PAGE.write_text(page(ask_pip()), encoding="utf-8")
