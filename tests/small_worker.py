"""A worker for tests: says what it is asked about, or does what it is told."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from commonsense_planning.workers import serve


def prepare() -> None:
    """Load nothing, and say so on standard output, which must not disturb the answer."""
    print("ready", flush=True)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Do what the request's ``do`` says."""
    if request.get("do") == "fail":
        raise ValueError("told to")
    if request.get("do") == "sleep":
        time.sleep(60)
    return {"size": len(str(request)), "pid": os.getpid(), "path": sys.path[0]}


if __name__ == "__main__":
    serve(answer, prepare)
