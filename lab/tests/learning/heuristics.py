"""Heuristics for the tests: a domain of blocks, and programs as models write them, good ones and bad ones."""

from __future__ import annotations

from pathlib import Path

DOMAIN = """(define (domain blocks)
  (:requirements :strips)
  (:predicates (on ?a ?b) (on-table ?a) (clear ?a) (holding ?a) (hand-empty) (heavier ?a ?b))
  (:action pick-up :parameters (?a) :precondition (and (clear ?a) (on-table ?a) (hand-empty))
    :effect (and (holding ?a) (not (clear ?a)) (not (on-table ?a)) (not (hand-empty))))
  (:action put-down :parameters (?a) :precondition (holding ?a)
    :effect (and (clear ?a) (on-table ?a) (hand-empty) (not (holding ?a))))
  (:action stack :parameters (?a ?b) :precondition (and (holding ?a) (clear ?b))
    :effect (and (on ?a ?b) (clear ?a) (hand-empty) (not (holding ?a)) (not (clear ?b))))
  (:action unstack :parameters (?a ?b) :precondition (and (on ?a ?b) (clear ?a) (hand-empty))
    :effect (and (holding ?a) (clear ?b) (not (on ?a ?b)) (not (clear ?a)) (not (hand-empty)))))
"""


def problem(name: str, blocks: int) -> str:
    """A tower is to be turned upside down."""
    names = [f"b{i}" for i in range(blocks)]
    tower = " ".join(f"(on {a} {b})" for a, b in zip(names, names[1:], strict=False))
    wanted = " ".join(f"(on {b} {a})" for a, b in zip(names, names[1:], strict=False))
    return (
        f"(define (problem {name}) (:domain blocks) (:objects {' '.join(names)})\n"
        f"  (:init (hand-empty) (clear {names[0]}) {tower} (on-table {names[-1]}) (heavier b0 b1))\n"
        f"  (:goal (and {wanted})))\n"
    )


def write_files(folder: Path, sizes: tuple[int, ...] = (2, 3, 4)) -> tuple[Path, list[Path]]:
    """The domain's file, and those of problems of these sizes."""
    domain = folder / "domain.pddl"
    domain.write_text(DOMAIN)
    files = []
    for size in sizes:
        files.append(folder / f"p{size}.pddl")
        files[-1].write_text(problem(f"tower-{size}", size))
    return domain, files


GOOD = """def make_heuristic(objects, static, goal, unwanted):
    below = {fact[1]: fact[2] for fact in goal if fact[0] == "on"}

    def heuristic(state):
        under = {fact[1]: fact[2] for fact in state if fact[0] == "on"}
        tables = {fact[1] for fact in state if fact[0] == "on-table"}

        def right(block):
            if block in tables:
                return block not in below
            return block in under and under[block] == below.get(block) and right(under[block])

        value = 0
        for block in objects["object"]:
            if right(block):
                continue
            if block in tables:
                value += 2
            elif block in under:
                value += 4 if block in below else 2
            else:  # it is held
                support = below.get(block)
                ready = support is None or (right(support) and ("clear", support) in state)
                value += 1 if ready else 3
        return value

    return heuristic
"""
COUNTING = """def make_heuristic(objects, static, goal, unwanted):
    return lambda state: sum(fact not in state for fact in goal)
"""
UPDATING = """def make_heuristic(objects, static, goal, unwanted):
    wanted = set(goal)

    def heuristic(state):
        return sum(fact not in state for fact in wanted)

    def update(state, added, deleted):
        return heuristic(state) - len(wanted & added) + len(wanted & deleted) + ERROR

    return heuristic, update
"""
FAILING = """def make_heuristic(objects, static, goal, unwanted):
    def heuristic(state):
        return 1 / (len(state) - len(state))
    return heuristic
"""
SLOW = """def make_heuristic(objects, static, goal, unwanted):
    def heuristic(state):
        total = 0
        for i in range(3_000_000):
            total += i
        return 1

    return heuristic
"""
HANGING = """def make_heuristic(objects, static, goal, unwanted):
    def heuristic(state):
        while True:
            pass
    return heuristic
"""
DEAF = """def make_heuristic(objects, static, goal, unwanted):
    return lambda state: sum(range(10 ** 12))
"""
NONSENSE = "def make_heuristic(objects, static, goal, unwanted):\n    return lambda state: 'three'\n"
LEAVING = "import os\n\ndef make_heuristic(objects, static, goal, unwanted):\n    return lambda state: os.getpid()\n"
EATING = """def make_heuristic(objects, static, goal, unwanted):
    return lambda state: len([0] * 10 ** 11)
"""
