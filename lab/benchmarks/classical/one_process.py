"""Solve a list of problems in this one process with our ``gbfs``, and say after each how it ended.

    python -m lab.benchmarks.classical.one_process LIST LIMIT

LIST: a JSON file with [domain, problem] pairs; those of one domain stand together. LIMIT: seconds for each problem. One
line of JSON a problem: its ``file`` and ``status``, "solved" if there is a plan.
"""

from __future__ import annotations

import itertools
import json
import sys
from contextlib import nullcontext, redirect_stdout
from io import StringIO
from pathlib import Path

from commonsense_planning.cli.main import main


def solve(problems: list[list[str]], limit: str) -> None:
    """``cplan solve`` with all problems of a domain at a time, VAL and the replay included."""
    for domain, pairs in itertools.groupby(problems, key=lambda pair: pair[0]):
        files = [problem for _, problem in pairs]
        said = StringIO()
        with redirect_stdout(said) if len(files) == 1 else nullcontext():
            main(["solve", domain, *files, "--method", "gbfs", "--timeout", limit, "--quiet", "--json"])
        if len(files) == 1:  # its JSON goes over several lines
            print(json.dumps({"file": files[0], **json.loads(said.getvalue())}), flush=True)


if __name__ == "__main__":
    solve(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.argv[2])
