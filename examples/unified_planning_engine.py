"""cplan's planners in unified-planning, beside another: a problem built in code, and each plan validated by ours."""

from __future__ import annotations

from unified_planning.shortcuts import (
    And,
    BoolType,
    Fluent,
    InstantaneousAction,
    Int,
    MinimizeActionCosts,
    Object,
    OneshotPlanner,
    PlanValidator,
    Problem,
    UserType,
    get_environment,
)

import commonsense_planning as cplan

cplan.register_engines()
get_environment().credits_stream = None

place = UserType("place")
robot_at, way = Fluent("robot-at", BoolType(), at=place), Fluent("way", BoolType(), start=place, end=place)
dock, hall, lift, lab = places = [Object(name, place) for name in ("dock", "hall", "lift", "lab")]

drive = InstantaneousAction("drive", start=place, end=place)
drive.add_precondition(And(robot_at(drive.start), way(drive.start, drive.end)))
drive.add_effect(robot_at(drive.start), False)
drive.add_effect(robot_at(drive.end), True)

problem = Problem("to the lab", initial_defaults={BoolType(): False})
problem.add_fluents([robot_at, way])
problem.add_objects(places)
problem.add_action(drive)
for start, end in ((dock, hall), (hall, lift), (lift, lab)):
    problem.set_initial_value(way(start, end), True)
    problem.set_initial_value(way(end, start), True)
problem.set_initial_value(robot_at(dock), True)
problem.add_goal(robot_at(lab))
problem.add_quality_metric(MinimizeActionCosts({drive: Int(5)}))

for engine in ("cplan-astar", "cplan-gbfs", "fast-downward"):
    with OneshotPlanner(name=engine) as planner:
        result = planner.solve(problem)
    with PlanValidator(name="cplan-replay") as validator:
        verdict = validator.validate(problem, result.plan)
    print(engine, result.status.name, verdict.status.name, *result.plan.actions)
