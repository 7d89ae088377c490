"""Goals and conditions that want a conclusion from an exactly-one group: nothing leaks any more, the rest is safe."""

import pytest

from commonsense_planning import Request, Status, Text, method_named, read_task, solve
from commonsense_planning.task import Task

DOMAIN = """(define (domain leaks) (:requirements :adl) (:types room pipe)
  (:predicates (at ?r - room) (way ?a ?b - room) (leak ?p - pipe ?r - room) (opened))
  (:action go :parameters (?a ?b - room) :precondition (and (at ?a) (way ?a ?b)) :effect (and (not (at ?a)) (at ?b)))
  (:action seal :parameters (?p - pipe ?r - room) :precondition (and (at ?r) (leak ?p ?r)) :effect (not (leak ?p ?r)))
  (:action open :precondition {} :effect (opened)))"""
SENSORS = """(define (sensors s) (:domain leaks) (:hidden (leak ?p - pipe ?r - room))
  (:exactly-one ?p - pipe (leak ?p ?r - room)) (:sense (leak ?p - pipe ?r - room) :when (at ?r)))"""
DRY = "(not (exists (?p - pipe ?r - room) (leak ?p ?r)))"
METHODS = ("llm-mcts", "llm-replan")


def house(leaks: str, rooms: int, goal: str = DRY, oneof: bool = False, shut: str = "") -> Task:
    """Rooms around a hall, of which the one that is ``shut`` cannot be entered; the pipes leak in these rooms."""
    names = [f"r{i}" for i in range(rooms)]
    ways = " ".join(f"(way hall {r}) (way {r} hall)" for r in names if r != shut)
    pipes = "ab"[: len(leaks)]
    where = [f"(leak {pipe} r{room})" for pipe, room in zip(pipes, leaks, strict=True)]
    problem = f"""(define (problem p) (:domain leaks) (:objects hall {" ".join(names)} - room {" ".join(pipes)} - pipe)
      (:init (at hall) {ways} {" ".join(where)}) (:goal {goal}))"""
    read = read_task(Text(DOMAIN.format(DRY)), Text(problem), Text(SENSORS))
    if not oneof:
        return read
    groups = [f"(oneof {' '.join(f'(leak {pipe} {r})' for r in names)})" for pipe in pipes]
    left = problem.replace(" ".join(where), " ".join(groups))
    for seed in range(50):
        task = read_task(Text(DOMAIN.format(DRY)), Text(left), Text(SENSORS), seed=seed)
        if task.drawn is not None and sorted(task.drawn) == sorted(where):
            return task
    raise AssertionError("no seed draws this world")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("task", "most"), [
    (house("1", 3, shut="r2"), 5), (house("0", 12), 24), (house("1", 4, "(opened)", shut="r3"), 10),
    (house("10", 3, shut="r2"), 8), (house("1", 3, oneof=True, shut="r2"), 5), (house("11", 3, "(opened)"), 8),
    (house("02", 9), 30), (house("20", 9, shut="r8"), 30), (house("3", 20, shut="r19"), 40),
])  # fmt: skip
def test_what_is_found_settles_the_rest_of_its_group(task: Task, most: int, method: str) -> None:
    """Neither a room that cannot be entered nor the rooms after the find have to be looked into."""
    solution = solve(Request(task, method_named(method)))
    assert solution.status is Status.SOLVED and solution.plan is not None, solution.reason
    assert len(solution.plan) <= most, str(solution.plan)
    last = [step for step in solution.plan if step.action != "open"][-1]
    assert last.action == "seal", "nothing is looked at after the last find"
