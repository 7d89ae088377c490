"""How large a task may be: a library with many rooms, places and wanted books, and nobody knows where the books are.

    python -m lab.benchmarks.many_goals [--goals 5,10,20] [--places 20,50,110] [--methods llm-mcts,…] [--svg FILE]

There is a room to every two places, doors make a tree of the rooms, and the books lie anywhere, with equal
probability; ``--closed`` is the share of places that are cupboards, which are to be opened. A row is about several
libraries: how many are solved, processor seconds on one core of the slowest first decision and of the slowest later
one, and steps together, beside those of gbfs, which sees the true world. A table in Markdown goes to standard output.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from commonsense_lab.report.document import Lines, LineSeries
from commonsense_lab.report.plots import save_as

from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.task import Task, read_task

DOMAIN = """
(define (domain library)
  (:requirements :strips :typing)
  (:types room place book - object shelf cupboard - place)
  (:predicates (at ?r - room) (door ?r ?s - room) (stands ?p - place ?r - room) (open ?c - cupboard)
    (on ?b - book ?s - shelf) (in ?b - book ?c - cupboard) (carried ?b - book) (free))
  (:action go :parameters (?r ?s - room)
    :precondition (and (at ?r) (door ?r ?s)) :effect (and (not (at ?r)) (at ?s)))
  (:action open-it :parameters (?c - cupboard ?r - room)
    :precondition (and (at ?r) (stands ?c ?r)) :effect (open ?c))
  (:action take :parameters (?b - book ?s - shelf ?r - room)
    :precondition (and (at ?r) (stands ?s ?r) (on ?b ?s) (free))
    :effect (and (not (on ?b ?s)) (not (free)) (carried ?b)))
  (:action take-out :parameters (?b - book ?c - cupboard ?r - room)
    :precondition (and (at ?r) (stands ?c ?r) (open ?c) (in ?b ?c) (free))
    :effect (and (not (in ?b ?c)) (not (free)) (carried ?b)))
  (:action lay :parameters (?b - book ?s - shelf ?r - room)
    :precondition (and (at ?r) (stands ?s ?r) (carried ?b))
    :effect (and (not (carried ?b)) (free) (on ?b ?s))))
"""
SENSORS = """
(define (sensors library)
  (:domain library)
  (:hidden (in ?b - book ?c - cupboard) (on ?b - book ?s - shelf))
  (:exactly-one ?b - book (in ?b ?c - cupboard) (on ?b ?s - shelf))
  (:sense (on ?b - book ?s - shelf) :when (exists (?r - room) (and (at ?r) (stands ?s ?r))))
  (:sense (in ?b - book ?c - cupboard) :when (and (open ?c) (exists (?r - room) (and (at ?r) (stands ?c ?r))))))
"""
DOORS = 8  # a room has a door to one of so many before it


def problem(goals: int, places: int, closed: float, rng: np.random.Generator) -> str:
    """A library in which so many books are to be laid on the desk of the first room."""
    rooms = max(1, places // 2)
    shut = rng.random(places) < closed
    names = [f"cupboard{i}" if shut[i] else f"shelf{i}" for i in range(places)]
    doors = [(i, int(rng.integers(max(0, i - DOORS), i))) for i in range(1, rooms)]
    lying = rng.integers(places, size=goals)
    objects = {
        "room": [f"room{i}" for i in range(rooms)],
        "shelf": ["desk", *(name for name in names if name.startswith("shelf"))],
        "cupboard": [name for name in names if name.startswith("cupboard")],
        "book": [f"book{i}" for i in range(goals)],
    }
    init = ["(at room0) (free) (stands desk room0)"]
    init += [f"(door room{a} room{b}) (door room{b} room{a})" for a, b in doors]
    init += [f"(stands {name} room{i % rooms})" for i, name in enumerate(names)]
    init += [f"({'in' if shut[place] else 'on'} book{i} {names[place]})" for i, place in enumerate(lying)]
    typed = " ".join(f"{' '.join(names)} - {kind}" for kind, names in objects.items() if names)
    goal = " ".join(f"(on book{i} desk)" for i in range(goals))
    return (
        f"(define (problem books) (:domain library) (:objects {typed})\n"
        f"  (:init {' '.join(init)})\n  (:goal (and {goal})))\n"
    )


def library(goals: int, places: int, closed: float, seed: int) -> Task:
    """The task, read from files of its own."""
    with tempfile.TemporaryDirectory() as name:
        domain, instance, sensors = (Path(name) / part for part in ("domain.pddl", "problem.pddl", "sensors.pddl"))
        domain.write_text(DOMAIN, encoding="utf-8")
        instance.write_text(problem(goals, places, closed, np.random.default_rng(seed)), encoding="utf-8")
        sensors.write_text(SENSORS, encoding="utf-8")
        return read_task(domain, instance, sensors)


@dataclass(frozen=True)
class Measured:
    """``first``, ``later``: processor seconds of the first decision, with all that is prepared, and of the slowest
    later one. ``known``: steps of gbfs in the true world."""

    solved: bool
    steps: int
    first: float
    later: float
    known: int


def measured(task: Task, name: str, seconds: float, known: int = 0) -> Measured:
    """One run of a method, from the task as it is read."""
    method, times = method_named(name), [time.process_time()]

    def step(event: dict[str, Any]) -> None:
        if event["event"] == "step":
            times.append(time.process_time())

    solution = solve(Request(task, method, seconds=seconds, emit=step))
    gaps, solved = np.diff(times), solution.status is Status.SOLVED
    return Measured(solved, len(solution.plan or ()), float(gaps[0]), float(gaps[1:].max(initial=0.0)), known)


def numbers(text: str) -> list[int]:
    """The numbers of a list such as 5,10."""
    return [int(number) for number in text.split(",")]


def rows(arguments: argparse.Namespace) -> Iterator[tuple[int, int, str, list[Measured]]]:
    """Goals, places, method, and what was measured, by library."""
    for goals in numbers(arguments.goals):
        for places in numbers(arguments.places):
            tasks = [library(goals, places, arguments.closed, seed) for seed in range(arguments.libraries)]
            best = [solve(Request(task, method_named("gbfs"), seconds=arguments.seconds)) for task in tasks]
            known = [len(solution.plan or ()) for solution in best]
            for name in arguments.methods.split(","):
                runs = zip(tasks, known, strict=True)
                yield goals, places, name, [measured(task, name, arguments.seconds, k) for task, k in runs]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--goals", default="5,10,20")
    parser.add_argument("--places", default="20,50,110")
    parser.add_argument("--methods", default="llm-mcts,llm-replan,look-nearest")
    parser.add_argument("--closed", type=float, default=0.0)
    parser.add_argument("--libraries", type=int, default=5, help="per row; their seeds are 0, 1, …")
    parser.add_argument("--seconds", type=float, default=120.0, help="limit of a run")
    parser.add_argument("--svg", type=Path, help="a chart of the slowest decisions of the first method")
    arguments = parser.parse_args()
    measured(library(2, 4, 0.5, 0), arguments.methods.split(",")[0], 60.0)  # kernels are loaded
    print("| goals | places | method | solved | first decision, s | slowest later, s | steps | gbfs, all seen |")
    print("|---|---|---|---|---|---|---|---|")
    slowest: dict[int, list[tuple[int, float]]] = {}
    for goals, places, name, runs in rows(arguments):
        solved, steps, known = sum(r.solved for r in runs), sum(r.steps for r in runs), sum(r.known for r in runs)
        first, later = max(r.first for r in runs), max(r.later for r in runs)
        cells = goals, places, f"`{name}`", f"{solved} of {len(runs)}", f"{first:.2f}", f"{later:.2f}", steps, known
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
        if name == arguments.methods.split(",")[0]:
            slowest.setdefault(goals, []).append((places, max(first, later)))
    if arguments.svg is not None:
        lines = [
            LineSeries(f"{goals} goals", i, *(tuple(map(float, column)) for column in zip(*points, strict=True)))
            for i, (goals, points) in enumerate(slowest.items())
        ]
        chart = Lines("many-goals", "The slowest decision", "places", "processor seconds", False, True, tuple(lines))
        save_as(chart, arguments.svg)


if __name__ == "__main__":
    main()
