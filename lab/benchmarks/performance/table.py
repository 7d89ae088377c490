"""The table of measured ratios, and the machine that they were measured on."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One comparison. ``ours``, ``peer`` and ``ratio`` are texts with units; ``wanted`` is the ratio aimed at;
    ``reached`` None: there is nothing to compare. ``note``: versions, counts and sizes."""

    what: str
    ours: str
    peer: str
    ratio: str
    wanted: str
    reached: bool | None = None
    note: str = ""


HEADING = ("what", "ours", "peer", "ratio", "wanted", "reached", "note")


def head(*cells: str) -> str:
    """Returns the first two lines of a Markdown table."""
    return f"{line(*cells)}\n{'|---' * len(cells)}|"


def line(*cells: object) -> str:
    """Returns a row of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |"


def markdown(row: Row) -> str:
    """Returns a row of the table of ratios."""
    reached = {True: "yes", False: "no", None: "–"}[row.reached]
    return line(row.what, row.ours, row.peer, row.ratio, row.wanted, reached, row.note)


def at_least(what: str, ours: float, peer: float, wanted: float, note: str, unit: str) -> Row:
    """Returns the row of two speeds whose ratio should be ``wanted`` at least."""
    cells = f"{figure(ours)} {unit}", f"{figure(peer)} {unit}", f"{figure(ours / peer)} ×", f"{wanted:,} ×"
    return Row(what, *cells, ours / peer >= wanted, note)


def figure(value: float) -> str:
    """Returns a number with three figures: 1,230,000; 45.6; 0.00789."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:g}"


def release(package: str) -> str:
    """Returns a package's name and version, for the notes."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} (not installed)"


def machine() -> str:
    """Returns the processor, cores, memory, operating system and Python that this runs on."""
    processor = _field("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()
    kilobytes = _field("/proc/meminfo", "MemTotal").split()
    memory = f"{int(kilobytes[0]) / 2**20:.0f} GiB memory, " if kilobytes else ""
    return (
        f"{processor}, {os.cpu_count()} cores, {memory}{platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}"
    )


def _field(file: str, name: str) -> str:
    """Returns the first value of a ``name: value`` file of the kernel; empty where there is none."""
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")
