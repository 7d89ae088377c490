"""An engine of unified-planning, on what unified-planning's reader makes of the files.

python up_engine.py ENGINE DOMAIN PROBLEM PLAN
"""

import sys
import warnings

warnings.simplefilter("ignore")

import unified_planning.shortcuts as up  # noqa: E402
from unified_planning.io import PDDLReader, PDDLWriter  # noqa: E402

engine, domain, problem, plan = sys.argv[1:]
up.get_environment().credits_stream = None
task = PDDLReader().parse_problem(domain, problem)
with up.OneshotPlanner(name=engine) as planner:
    unsupported = task.kind.features - planner.supported_kind().features
    if unsupported:
        sys.exit(f"not supported: {', '.join(sorted(unsupported)).lower()}")
    result = planner.solve(task)
print(result.status.name)
if result.plan is not None:
    PDDLWriter(task).write_plan(result.plan, plan)
