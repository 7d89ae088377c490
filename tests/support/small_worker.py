"""A worker for tests: says what it is asked about, or does what it is told."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from commonsense_planning.support.workers import serve


def prepare() -> None:
    """Load nothing, and say so on standard output, which must not disturb the answer."""
    print("ready", flush=True)


announced: list[dict[str, Any]] = []


def ahead(subject: dict[str, Any]) -> None:
    """Do what the subject's ``do`` says, and keep the subject in mind."""
    do(subject)
    announced.append(subject)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Do what the request's ``do`` says."""
    do(request)
    return {"size": len(str(request)), "pid": os.getpid(), "path": sys.path[0], "announced": announced}


def do(told: dict[str, Any]) -> None:
    """Fail or sleep, where that is what we are told."""
    if told.get("do") == "fail":
        raise ValueError("told to")
    if told.get("do") == "sleep":
        time.sleep(60)


if __name__ == "__main__":
    serve(answer, prepare, ahead)
