"""Mimir's lazy greedy best-first search with h_FF, whose open lists prefer preferred operators 64 to 1, as it comes.

python mimir.py DOMAIN PROBLEM PLAN
"""

import sys
from pathlib import Path

import pymimir

domain, problem, plan = sys.argv[1:]
task = pymimir.Problem(pymimir.Domain(domain), problem, mode="grounded")
result = pymimir.gbfs_lazy(task, task.get_initial_state(), pymimir.FFHeuristic(task))
print(result.status)
if result.solution is not None:
    Path(plan).write_text("".join(f"{action}\n" for action in result.solution), encoding="utf-8")
