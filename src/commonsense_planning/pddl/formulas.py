"""Formulas that are read after the task: goals, sensor conditions. Checked nodes → Tarski, in the task's
words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from commonsense_planning.pddl.build import build_atom, build_formula
from commonsense_planning.pddl.conditions import Checker, scope_of
from commonsense_planning.pddl.names import Renaming
from commonsense_planning.pddl.normalise import MissingMembership, Normaliser
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.syntax import Node, Source, parse
from commonsense_planning.pddl.vocabulary import Typed


@dataclass(frozen=True)
class Scope:
    """Free variables: as they were declared, and as Tarski's variables, in the same order."""

    declared: tuple[Typed, ...] = ()
    variables: tuple[Any, ...] = ()
    renaming: Renaming = field(default_factory=Renaming)


def formula_from_text(text: str, problem: Problem, name: str = "<formula>") -> Any:
    """Tarski's formula for the text of one ground condition, such as a goal; ``name`` stands for the file in
    errors.

    Raises PddlError where the text is wrong, UnsupportedFeature where the problem cannot express it.
    """
    source = parse(text, name, define=False)
    return formula_from_node(source.root, source, problem)


def formula_from_node(node: Node, source: Source, problem: Problem, scope: Scope | None = None) -> Any:
    """Tarski's formula for a condition whose free variables are the scope's. Raises PddlError,
    UnsupportedFeature.
    """
    scope = scope or Scope()
    words = _words(problem)
    Checker(source, words.vocabulary).condition(node, scope_of(scope.declared))
    try:
        normal = words.condition(node, scope.renaming)
    except MissingMembership as error:
        raise source.unsupported(node, f"{error} are") from error
    variables = {variable.symbol: variable for variable in scope.variables}
    return build_formula(problem.tarski.language, normal, variables)


def atom_from_node(node: Node, source: Source, problem: Problem, scope: Scope | None = None) -> Any:
    """Tarski's Atom for an atom whose free variables are the scope's. Raises PddlError."""
    scope = scope or Scope()
    words = _words(problem)
    atom = Checker(source, words.vocabulary).atom(node, scope_of(scope.declared))
    variables = {variable.symbol: variable for variable in scope.variables}
    return build_atom(problem.tarski.language, words.condition(atom, scope.renaming), variables)


def scope_from_variables(variables: Sequence[Typed], source: Source, problem: Problem) -> Scope:
    """The scope of variables with checked types. UnsupportedFeature if Tarski cannot have them."""
    words = _words(problem)
    for variable in variables:
        if not words.is_plain(variable.types):
            raise source.unsupported(
                variable.symbol, f"variables of type {variable.type_text} are", "another type"
            )
    renaming = words.rename(variables)
    lang = problem.tarski.language
    bound = (lang.variable(renaming.of(v.symbol), words.sort(v.types)) for v in variables)
    return Scope(tuple(variables), tuple(bound), renaming)


def _words(problem: Problem) -> Normaliser:
    if problem.normaliser is None:
        raise ValueError("the problem was not read from files, so nothing is known of its words")
    return problem.normaliser
