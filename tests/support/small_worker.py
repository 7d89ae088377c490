"""A worker for tests: gives the size of its request, or does what the request says."""

import time
from typing import Any

from commonsense_planning.support.workers import serve


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Print on standard output, which must not disturb the answer, and do what the request's ``do`` says."""
    print("ready", flush=True)
    if request.get("do") == "fail":
        raise ValueError("told to")
    if request.get("do") == "sleep":
        time.sleep(60)
    return {"size": len(str(request))}


if __name__ == "__main__":
    serve(answer)
