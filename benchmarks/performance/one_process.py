"""Solve a list of problems in this one process, with our ``gbfs`` or with pyperplan, and say after each how it ended.

    python -m benchmarks.performance.one_process ours|pyperplan LIST LIMIT

LIST: a JSON file with [domain, problem] pairs; those of one domain stand together. LIMIT: seconds for each problem, of
processor time for pyperplan. One line of JSON a problem: its ``file`` and ``status``, "solved" if there is a plan.
"""

from __future__ import annotations

import itertools
import json
import signal
import sys
from contextlib import nullcontext, redirect_stdout
from io import StringIO
from pathlib import Path


def ours(problems: list[list[str]], limit: float) -> None:
    """``cplan solve`` with all problems of a domain at a time, VAL and the replay included."""
    from commonsense_planning.cli.main import main

    for domain, pairs in itertools.groupby(problems, key=lambda pair: pair[0]):
        files = [problem for _, problem in pairs]
        said = StringIO()
        with redirect_stdout(said) if len(files) == 1 else nullcontext():
            main(["solve", domain, *files, "--method", "gbfs", "--timeout", str(limit), "--quiet", "--json"])
        if len(files) == 1:  # its JSON goes over several lines
            print(json.dumps({"file": files[0], **json.loads(said.getvalue())}), flush=True)


def pyperplan(problems: list[list[str]], limit: float) -> None:
    """Its gbf with hff; nobody validates its plans."""
    from pyperplan.planner import HEURISTICS, SEARCHES, search_plan

    def too_late(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, too_late)
    for domain, problem in problems:
        signal.setitimer(signal.ITIMER_PROF, limit)
        try:
            plan = search_plan(domain, problem, SEARCHES["gbf"], HEURISTICS["hff"])
            status = "solved" if plan is not None else "unsolved"
        except TimeoutError:
            status = "out of time"
        except Exception as error:  # noqa: BLE001  # what its parser raises where it does not know a word of PDDL
            status = f"{type(error).__name__}: {error}"
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps({"file": problem, "status": status}), flush=True)


if __name__ == "__main__":
    planner = {"ours": ours, "pyperplan": pyperplan}[sys.argv[1]]
    planner(json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")), float(sys.argv[3]))
