"""Two PDDL files → a Problem: parse, check, normalise, build.

This is where Tarski comes in, and it is imported only when a problem is read.
"""

from __future__ import annotations

import re
from pathlib import Path

from commonsense_planning.errors import InputError
from commonsense_planning.pddl.build import build_atom, build_formula, build_problem
from commonsense_planning.pddl.check import Domain, check_domain, check_task
from commonsense_planning.pddl.normalise import Normaliser
from commonsense_planning.pddl.problem import ContingentInit, Problem
from commonsense_planning.pddl.syntax import Source, read_source, render

_DESCRIPTION = re.compile(r"^[^\S\n]*;+[^\S\n]*description:[^\S\n]*(\S.*?)\s*$", re.MULTILINE | re.IGNORECASE)


def read_problem(domain_path: str | Path, problem_path: str | Path) -> Problem:
    """Read a planning task.

    Raises PddlError, with its place, where a file is wrong, UnsupportedFeature where cplan cannot plan with
    it, and InputError where a file cannot be read.
    """
    return problem_of(check_domain(read_source(domain_path)), read_source(problem_path))


def problem_of(domain: Domain, problem: Source) -> Problem:
    """The task of a checked domain and of a problem that is not checked yet. Raises as ``read_problem``."""
    from tarski.errors import TarskiError

    task = check_task(domain, problem)
    normaliser = Normaliser(task)
    normal = normaliser.task()
    try:
        tarski = build_problem(normal)
        always = tuple(build_formula(tarski.language, condition, {}) for condition in normal.always)
        contingent = ContingentInit(
            tuple(tuple(build_atom(tarski.language, atom, {}) for atom in atoms) for atoms in normal.oneof),
            tuple(build_atom(tarski.language, atom, {}) for atom in normal.unknown),
        )
    except TarskiError as error:
        raise InputError(
            f"{domain.source.path}, {problem.path}: Tarski cannot represent this task: {error}"
        ) from error
    return Problem(
        domain_file=domain.source.path,
        problem_file=task.source.path,
        domain_name=domain.symbol.text,
        problem_name=task.symbol.text,
        tarski=tarski,
        spelling=normaliser.names.spelling,
        features=task.features,
        total_cost=task.total_cost,
        always=always,
        contingent=contingent,
        normaliser=normaliser,
        description=description_in(task.source.text),
        normal_text=(render(normal.domain), render(normal.problem)),
    )




def description_in(text: str) -> str:
    """What the first comment line such as ``;; description: microwave salmon`` says; empty if there is none."""
    found = _DESCRIPTION.search(text)
    return found[1] if found else ""
