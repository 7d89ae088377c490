"""A domain of blocks, and towers in it that are to be turned upside down."""

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
    """A tower must be turned upside down."""
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
