"""The rows of an experiment as a table of one's own: cplan writes a line of JSON per episode, and any program reads it.

cplan bench misplaced --tasks 1 --shares 0,1 --methods look-greedy,look-nearest -o results
python lab/examples/read_results.py results
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

rows = [json.loads(line) for line in (Path(sys.argv[1]) / "episodes.jsonl").read_text(encoding="utf-8").splitlines()]

groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
for row in rows:
    groups[row["method"], row["share"]].append(row)

print("method        misplaced  solved  steps over the cheapest")
for (method, share), episodes in sorted(groups.items()):
    solved = [row for row in episodes if row["status"] == "solved"]
    extra = mean(row["steps"] / row["cheapest"] for row in solved) if solved else float("nan")
    print(f"{method:12}  {float(share):9.0%}  {len(solved)} of {len(episodes)}  {extra:.2f}")
