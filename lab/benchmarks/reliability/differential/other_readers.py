"""Readers of PDDL that others wrote, each as a process that says what it read.

    python other_readers.py pddl|loki|unified-planning

takes a domain file and a problem file a line, with a tab between them, and answers with a line of JSON: what is in
them, or why they are refused. It needs only the reader, so that it runs on the reader's Python: the package
pddl wants an older Lark than we do.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Read = dict[str, Any]
"""``domain``, ``problem``: names; ``actions``, ``predicates``: name → number of arguments; ``objects``: name → type;
``init``: the atoms, sorted. All in lower case. ``refused`` alone where the files are."""


def pddl(domain_file: str, problem_file: str) -> Read:
    """By the package pddl."""
    from pddl import parse_domain, parse_problem

    domain, problem = parse_domain(domain_file), parse_problem(problem_file)
    problem.check(domain)
    facts = [fact for fact in problem.init if hasattr(fact, "terms")]
    return {
        "domain": str(domain.name),
        "problem": str(problem.name),
        "actions": {str(action.name): len(action.parameters) for action in domain.actions},
        "predicates": {str(p.name): p.arity for p in domain.predicates}
        | {str(d.predicate.name): d.predicate.arity for d in domain.derived_predicates},
        "objects": {str(thing.name): str(thing.type_tag or "object") for thing in domain.constants | problem.objects},
        "init": [_atom(fact.name, (term.name for term in fact.terms)) for fact in facts],
    }


def loki(domain_file: str, problem_file: str) -> Read:
    """By the package pypddl, which is Loki, Mimir's reader."""
    from pypddl.formalism import Parser, ParserOptions

    parser = Parser(Path(domain_file), ParserOptions())
    domain, problem = parser.domain(), parser.parse_task(Path(problem_file))
    things = [*domain.get_constants(), *problem.get_objects()]
    types = {thing.get_name(): "/".join(kind.get_name() for kind in thing.get_types()) for thing in things}
    atoms = [literal.get_atom() for literal in problem.get_initial_literals() if literal.get_polarity()]
    return {
        "domain": domain.get_name(),
        "problem": problem.get_name(),
        "actions": {action.get_name(): action.get_original_arity() for action in domain.get_actions()},
        "predicates": {p.get_name(): p.get_arity() for p in domain.get_predicates() if p.get_name() != "="},
        "objects": {name: kinds or "object" for name, kinds in types.items()},
        "init": [
            _atom(atom.get_predicate().get_name(), (term.get_variant().get_name() for term in atom.get_terms()))
            for atom in atoms
            if atom.get_predicate().get_name() != "="
        ],
    }


def unified_planning(domain_file: str, problem_file: str) -> Read:
    """By unified-planning's own reader, which keeps no name of the domain."""
    from unified_planning.environment import get_environment
    from unified_planning.io import PDDLReader

    get_environment().credits_stream = None
    get_environment().error_used_name = False
    problem = PDDLReader().parse_problem(domain_file, problem_file)
    facts = [fact for fact, value in problem.explicit_initial_values.items() if value.is_true()]
    return {
        "problem": problem.name,
        "actions": {action.name: len(action.parameters) for action in problem.actions},
        "predicates": {f.name: f.arity for f in problem.fluents if f.type.is_bool_type()},
        "objects": {thing.name: thing.type.name for thing in problem.all_objects},
        "init": [_atom(fact.fluent().name, (argument.object().name for argument in fact.args)) for fact in facts],
    }


READERS: dict[str, Callable[[str, str], Read]] = {"pddl": pddl, "loki": loki, "unified-planning": unified_planning}


def _atom(name: Any, arguments: Iterable[Any]) -> str:
    return " ".join(map(str, (name, *arguments)))


def _lower(read: Read) -> Read:
    """Returns all in lower case, the atoms sorted, each once."""
    found: Read = json.loads(json.dumps(read).lower())
    return found | {"init": sorted(set(found["init"]))}


def main() -> None:
    """Answers line after line. What the readers print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    reader = READERS[sys.argv[1]]
    for line in sys.stdin:
        try:
            read = _lower(reader(*line.rstrip("\n").split("\t")))
        except Exception as error:  # noqa: BLE001  # whatever another's reader raises
            said = re.sub(r"\s+", " ", str(error))[:200]
            read = {"refused": f"{type(error).__name__}: {said}"}
        print(json.dumps(read), file=answers, flush=True)


if __name__ == "__main__":
    main()
