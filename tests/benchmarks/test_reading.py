"""Reading every problem of a folder: what is refused is named with its place, what is warned of is counted."""

from __future__ import annotations

from pathlib import Path

from benchmarks.classical.problems import collection
from benchmarks.classical.reading import read_all, report

DOMAIN = "(define (domain d) (:predicates (p)) (:action a :effect (p)))"
PROBLEM = "(define (problem q) (:domain d) (:init) (:goal (p)))"


def test_what_is_read_and_refused(tmp_path: Path) -> None:
    for name, problem in {
        "fine": PROBLEM,
        "warned": PROBLEM.replace("domain d", "domain e"),
        "refused": PROBLEM.replace("(p)", "(< 1 2)"),
    }.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "domain.pddl").write_text(DOMAIN)
        (folder / "p1.pddl").write_text(problem)
    tasks = collection(tmp_path).smallest()
    *told, total = report(read_all(tasks, and_ground=True), "read and ground")
    refused, warned = told
    assert refused.startswith("refused: refused/p1.pddl: ") and ".pddl:1:49: numeric fluents" in refused
    assert warned == "warned of in 1 problems: this file is for the domain 'e'"
    assert total.startswith("read and ground: 2 of 3; ")
