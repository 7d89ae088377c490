"""Nodes in normal form → Tarski, through its API.

Tarski's own PDDL parser accepts the same text, but it takes half a second for the initial state of a large problem, and
its recursion overflows on deep conditions. A test compares the results.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from commonsense_planning.pddl.conditions import TOTAL_COST
from commonsense_planning.pddl.nodes import Group, Node, Symbol, by_head
from commonsense_planning.pddl.normalise import Normal, NormalConstraint
from commonsense_planning.pddl.problem import Derived
from commonsense_planning.pddl.trajectories import Constraint

Variables = Mapping[str, Any]  # a variable's normalised name → Tarski's Variable


def build_problem(normal: Normal) -> Any:
    """Tarski's ``fstrips.Problem`` for a task in normal form. Raises TarskiError if Tarski cannot represent it."""
    from tarski.fstrips import OptimizationMetric, OptimizationType, create_fstrips_problem, language

    sections = by_head(normal.domain)
    with_costs = ":functions" in sections
    lang = language(theories=["equality", "arithmetic"] if with_costs else ["equality"])
    copyreg.pickle(type(lang), _taken_apart)
    if with_costs:
        lang.interval("number", lang.Real, lang.Real.lower_bound, lang.Real.upper_bound)
    domain_name, problem_name = _text(normal.domain, 1), _text(normal.problem, 1)
    problem = create_fstrips_problem(lang, problem_name=problem_name, domain_name=domain_name)
    _add_objects(lang, sections[":types"][0], sections[":constants"][0])
    for group in sections[":predicates"][0].items[1:]:
        _declare(lang.predicate, group)
    for group in sections.get(":functions", [Group(())])[0].items[1:]:
        if isinstance(group, Group):
            _declare(lang.function, group, "number")
    for group in sections.get(":action", []):
        _add_action(problem, group)
    if any(action.cost for action in problem.actions.values()):
        for action in problem.actions.values():
            action.cost = action.cost or _cost(lang, Symbol("0"), {})
    sections = by_head(normal.problem)
    for group in sections[":init"][0].items[1:]:
        _add_initial(problem, group)
    problem.goal = build_formula(lang, sections[":goal"][0].items[1], {})
    if ":metric" in sections:
        total_cost = lang.get_function(TOTAL_COST)()
        problem.plan_metric = OptimizationMetric(total_cost, OptimizationType.MINIMIZE)
    return problem


def _taken_apart(lang: Any) -> tuple[Any, ...]:
    """A language for ``pickle``, which cannot store the closures of its operators."""
    return object.__new__, (type(lang),), {**vars(lang), "_operators": [*lang._operators]}, None, None, _put_together


def _put_together(lang: Any, state: dict[str, Any]) -> None:
    from tarski.syntax.builtins import BuiltinPredicateSymbol
    from tarski.theories import create_arithmetic_term, create_atom, create_casting_handler

    vars(lang).update(state)
    lang._operators = {
        key: create_casting_handler(
            lang, key[0], create_atom if isinstance(key[0], BuiltinPredicateSymbol) else create_arithmetic_term
        )
        for key in state["_operators"]
    }


def build_formula(lang: Any, node: Node, variables: Variables) -> Any:
    """Tarski's formula for a condition in normal form with these free variables."""
    from tarski.syntax import CompoundFormula, Connective, QuantifiedFormula, Quantifier, bot, implies, neg, top

    head, operands = _parts(node)
    if head in ("and", "or"):
        formulas = [build_formula(lang, operand, variables) for operand in operands]
        if not formulas:
            return top if head == "and" else bot
        return CompoundFormula(Connective.And if head == "and" else Connective.Or, formulas)
    if head == "not":
        return neg(build_formula(lang, operands[0], variables))
    if head == "imply":
        return implies(*(build_formula(lang, operand, variables) for operand in operands))
    if head in ("exists", "forall"):
        bound, inner = _bind(lang, operands[0], variables)
        quantifier = Quantifier.Exists if head == "exists" else Quantifier.Forall
        return QuantifiedFormula(quantifier, bound, build_formula(lang, operands[1], inner))
    return build_atom(lang, node, variables)


def build_constraint(lang: Any, constraint: NormalConstraint) -> Constraint:
    """A constraint in normal form as one over Tarski's formulas."""
    bound, variables = _bind(lang, constraint.variables, {})
    conditions = (build_formula(lang, condition, variables) for condition in constraint.conditions)
    return Constraint(constraint.operator, tuple(bound), tuple(conditions))


def build_derived(lang: Any, node: Node) -> Derived:
    """A rule for a derived predicate, ``(:derived (p ?x - t …) condition)`` in normal form."""
    head, condition = _parts(node)[1]
    name, parameters = _parts(head)
    bound, variables = _bind(lang, Group(parameters), {})
    atom = build_atom(lang, Group((Symbol(name), *(Symbol(v.symbol) for v in bound))), variables)
    return Derived(atom, build_formula(lang, condition, variables))


def build_atom(lang: Any, node: Node, variables: Variables) -> Any:
    """Tarski's Atom for an atom in normal form, including ``=``."""
    from tarski.syntax import Atom
    from tarski.syntax.builtins import BuiltinPredicateSymbol

    head, operands = _parts(node)
    predicate = lang.get_predicate(BuiltinPredicateSymbol.EQ if head == "=" else head)
    return Atom(predicate, [_term(lang, operand, variables) for operand in operands])


def _add_objects(lang: Any, types: Group, objects: Group) -> None:
    """Declares types and objects.

    A new constant makes Tarski extend each ancestor of its type, and recursively each of theirs: 2^depth steps. So the
    tree of types is built last, and each object is added to its types before.
    """
    parents = dict(_typed(types.items[1:]))
    sorts = {"object": lang.Object, **{name: lang.sort(name) for name in parents}}
    for name, kind in _typed(objects.items[1:]):
        constant = lang.constant(name, kind)
        while (kind := parents.get(kind, "object")) != "object":
            sorts[kind].extend(constant)
    for name, parent in parents.items():
        lang.set_parent(sorts[name], sorts[parent], overwrite=True)


def _add_action(problem: Any, group: Group) -> None:
    from tarski.syntax.formulas import VariableBinding

    lang = problem.language
    _, name, _, parameters, _, precondition, _, effect = group.items
    bound, variables = _bind(lang, parameters, {})
    effects, cost = [], None
    for item in _parts(effect)[1]:
        head, operands = _parts(item)
        if head == "increase":
            cost = _cost(lang, operands[1], variables)
        else:
            effects.append(_effect(lang, item, variables))
    formula = build_formula(lang, precondition, variables)
    problem.action(_word(name), VariableBinding(bound), formula, effects, cost)


def _effect(lang: Any, node: Node, variables: Variables) -> Any:
    from tarski.fstrips import AddEffect, DelEffect, UniversalEffect

    head, operands = _parts(node)
    if head == "forall":
        bound, inner = _bind(lang, operands[0], variables)
        return UniversalEffect(bound, [_effect(lang, operands[1], inner)])
    if head == "when":
        effect = _effect(lang, operands[1], variables)
        effect.condition = build_formula(lang, operands[0], variables)
        return effect
    if head == "not":
        return DelEffect(build_atom(lang, operands[0], variables))
    return AddEffect(build_atom(lang, node, variables))


def _cost(lang: Any, node: Node, variables: Variables) -> Any:
    from tarski.fstrips.action import AdditiveActionCost
    from tarski.syntax import Constant

    if isinstance(node, Symbol):
        return AdditiveActionCost(Constant(float(node.text), lang.get_sort("number")))
    head, operands = _parts(node)
    return AdditiveActionCost(lang.get_function(head)(*(_term(lang, operand, variables) for operand in operands)))


def _add_initial(problem: Any, node: Node) -> None:
    lang = problem.language
    head, operands = _parts(node)
    if head == "=":
        function, arguments = _parts(operands[0])
        term = lang.get_function(function)(*(_term(lang, argument, {}) for argument in arguments))
        problem.init.set(term, float(_word(operands[1])))
    else:
        problem.init.add(lang.get_predicate(head), *(_term(lang, operand, {}) for operand in operands))


def _term(lang: Any, node: Node, variables: Variables) -> Any:
    word = _word(node)
    return variables[word] if word.startswith("?") else lang.get_constant(word)


def _bind(lang: Any, node: Node, variables: Variables) -> tuple[list[Any], Variables]:
    items = node.items if isinstance(node, Group) else ()
    bound = {name: lang.variable(name, sort) for name, sort in _typed(items)}
    return list(bound.values()), {**variables, **bound}


def _declare(declare: Any, node: Node, *result: str) -> None:
    head, parameters = _parts(node)
    declare(head, *(sort for _, sort in _typed(parameters)), *result)


def _typed(items: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """The pairs of name and type in a normalised list ``name - type name - type``."""
    words = [_word(item) for item in items]
    return zip(words[::3], words[2::3], strict=True)


def _parts(node: Node) -> tuple[str, tuple[Node, ...]]:
    assert isinstance(node, Group)  # as in normal form
    return _word(node.items[0]), node.items[1:]


def _word(node: Node) -> str:
    assert isinstance(node, Symbol)  # as in normal form
    return node.text


def _text(define: Group, index: int) -> str:
    return _word(_parts(define.items[index])[1][0])
