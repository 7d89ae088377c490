"""A library with many rooms, places and wanted books, whose places are unknown."""

import tempfile
from pathlib import Path

import numpy as np

from commonsense_planning.task import Task, read_task
from tests.data import write_task

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
DOORS = 8  # a room has a door to one of this many before it


def problem(goals: int, places: int, closed: float, rng: np.random.Generator) -> str:
    """A library in which ``goals`` books must be laid on the desk of the first room."""
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
    """The task, read from temporary files."""
    with tempfile.TemporaryDirectory() as name:
        drawn = problem(goals, places, closed, np.random.default_rng(seed))
        return read_task(*write_task(Path(name), DOMAIN, drawn, sensors=SENSORS))
