"""Checks conditions, effects and constraints against a vocabulary, and records which PDDL features they use.

Supported are PDDL3's trajectory operators without times (``trajectories``), alone, joined by ``and`` and under
``forall``. Those with times, and preferences, are not supported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from commonsense_planning.errors import PddlError, collected
from commonsense_planning.pddl.nodes import Group, Node, Symbol
from commonsense_planning.pddl.outcomes import CHANCES, branches
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.source import Source
from commonsense_planning.pddl.trajectories import OPERATORS, Operator
from commonsense_planning.pddl.vocabulary import (
    CONNECTIVES,
    Scope,
    Typed,
    Vocabulary,
    is_number,
    typed_variables,
    value_of,
)
from commonsense_planning.support.english import counted, near

TOTAL_COST = "total-cost"
REWARD = "reward"  # PPDDL's fluent, which is not declared

_COMPARISONS = frozenset(("<", ">", "<=", ">="))
_ARITHMETIC = frozenset({"+", "-", "*", "/"})
_NUMERIC_EFFECTS = frozenset({"decrease", "assign", "scale-up", "scale-down"})
_TIMED = ("within", "hold-during", "hold-after", "always-within")
_TRAJECTORIES = {*_TIMED, *(str(operator) for operator in OPERATORS.values())}
_CONSTRAINT = ", ".join(f"'({operator} …)'" for operator in OPERATORS.values()) + ", or 'and' or 'forall' of such"


@dataclass
class Checker:
    """Checks the formulas of one file, and adds their ``features``. ``derived``: the derived predicates, each with its
    name in its first rule."""

    source: Source
    vocabulary: Vocabulary
    features: set[Feature] = field(default_factory=set)
    derived: Mapping[str, Symbol] = field(default_factory=dict)
    negates_facts: bool = False  # and not only equalities, as in '(not (= ?x ?y))'
    errors: list[PddlError] | None = None  # those of the parts of a file, if each is to be found

    @property
    def required(self) -> set[Feature]:
        """The features that the file has to declare as requirements."""
        return self.features - (set() if self.negates_facts else {Feature.NEGATIVE_CONDITIONS})

    def condition(self, node: Node, scope: Scope, *, lenient: bool = False) -> None:
        """Checks a condition whose free variables are in ``scope``; ``lenient``: below ``or``. Raises PddlError."""
        if isinstance(node, Group) and not node.items:
            self._warn_of_nothing(node, "a condition", "which always holds")
            return
        group = self._group(node, "a condition")
        head = group.head
        operands = group.items[1:]
        if head in ("and", "or"):
            if head == "or":
                self.features.add(Feature.DISJUNCTIVE_CONDITIONS)
            for operand in operands:
                with collected(self.errors):
                    self.condition(operand, scope, lenient=lenient or head == "or")
        elif head == "not":
            self.require(group, 1, "one condition")
            self.features.add(Feature.NEGATIVE_CONDITIONS)
            self.condition(operands[0], scope)
            self.negates_facts |= head_of(operands[0]) != "="
        elif head == "imply":
            self.require(group, 2, "two conditions")
            self.features.add(Feature.DISJUNCTIVE_CONDITIONS)
            for operand in operands:
                self.condition(operand, scope)
        elif head in ("exists", "forall"):
            self.require(group, 2, "a list of variables and one condition")
            some = head == "exists"
            self.features.add(Feature.EXISTENTIAL_CONDITIONS if some else Feature.UNIVERSAL_CONDITIONS)
            self.condition(operands[1], self.bound(operands[0], scope), lenient=lenient)
        elif head == "=":
            self._equality(group, scope)
        else:
            self.atom(group, scope, lenient=lenient)

    def effect(self, node: Node, scope: Scope, *, top: bool = True) -> None:
        """Checks an effect; ``top``: false below ``when`` and ``forall``, where costs are not allowed. Raises
        PddlError."""
        if isinstance(node, Group) and not node.items:
            self._warn_of_nothing(node, "an effect", "which changes nothing")
            return
        group = self._group(node, "an effect")
        head = group.head
        operands = group.items[1:]
        if head == "and":
            for operand in operands:
                with collected(self.errors):
                    self.effect(operand, scope, top=top)
        elif head == "not":
            self.require(group, 1, "one atom")
            inner = self._group(operands[0], "an atom")
            if inner.head in (*CONNECTIVES, "when"):
                raise self.source.error(inner, f"'{inner.head}' under 'not' in an effect", "an atom")
            self.basic_atom(inner, scope)
        elif head == "when":
            self.require(group, 2, "a condition and an effect")
            self.features.add(Feature.CONDITIONAL_EFFECTS)
            self.condition(operands[0], scope)
            self.effect(operands[1], scope, top=False)
        elif head == "forall":
            self.require(group, 2, "a list of variables and an effect")
            self.features.add(Feature.UNIVERSAL_EFFECTS)
            self.effect(operands[1], self.bound(operands[0], scope), top=False)
        elif head in ("or", "exists", "imply", "="):
            raise self.source.error(group, f"'{head}' in an effect", "and, not, when, forall or an atom")
        elif head in ("increase", "decrease") and len(operands) == 2 and head_of(operands[0]) == REWARD:
            self._reward(group, scope, top)
        elif head == "increase":
            self._increase(group, scope, top)
        elif head in _NUMERIC_EFFECTS:
            raise self.source.unsupported(group, f"numeric fluents ('{head}') are", "'(increase (total-cost) …)'")
        elif head in CHANCES:
            self.features.add(Feature.CHANCE)
            for _, branch in branches(self.source, group):
                self.effect(branch, scope, top=top)
        else:
            self.basic_atom(group, scope)

    def _warn_of_nothing(self, group: Group, what: str, meaning: str) -> None:
        mend = (*self.source.span(group), "(and)")
        self.source.warn(group, f"'()' where {what} belongs", "'(and …)'", f"as '(and)', {meaning}", mend)

    def basic_atom(self, node: Node, scope: Scope) -> Group:
        """Checks an atom of an effect or of ``:init``, which must not be derived, and returns it. Raises PddlError."""
        group = self.atom(node, scope, lenient=True)
        rule = self.derived.get(group.head)
        if rule is not None:
            problem = f"'{self._head(group).text}' is derived, by the rule on line {rule.line} of the domain"
            raise self.source.error(group, problem, "a predicate that no rule derives")
        return group

    def atom(self, node: Node, scope: Scope, *, lenient: bool = False) -> Group:
        """Checks an atom ``(predicate term …)`` and returns it; ``lenient``: as in ``check_arguments``, for facts, and
        for conditions with alternatives, which may have other types than declared. Raises PddlError."""
        group = self._group(node, "an atom")
        symbol = self._head(group)
        head = symbol.key
        if head in _COMPARISONS or head in _ARITHMETIC:
            raise self.source.unsupported(symbol, f"numeric fluents ('{head}') are", "a condition without numbers")
        if head == "preference" and head not in self.vocabulary.predicates:
            raise self.source.unsupported(symbol, "preferences are")
        if head in _TRAJECTORIES and head not in self.vocabulary.predicates:
            raise self.source.unsupported(symbol, f"trajectory constraints ('{head}') are")
        if head == "when" or head in CONNECTIVES or head == "=":
            raise self.source.error(symbol, f"'{symbol.text}' where an atom belongs", "'(predicate …)'")
        if head in self.vocabulary.functions and head not in self.vocabulary.predicates:
            raise self.source.error(symbol, f"'{symbol.text}' is a function", "a predicate")
        if head not in self.vocabulary.predicates:
            hint = near(head, (*(p.symbol.text for p in self.vocabulary.predicates.values()), *CONNECTIVES))
            problem = f"undeclared predicate {self.vocabulary.quoted(symbol)}"
            raise self.source.error(symbol, problem, "a declared predicate", hint)
        signature = self.vocabulary.predicates[head]
        self.vocabulary.check_arguments(self.source, signature, group, scope, lenient=lenient)
        return group

    def function_term(self, node: Node, scope: Scope) -> Group:
        """Checks a function term ``(function term …)`` and returns it. Raises PddlError."""
        group = self._group(node, "a function")
        signature = self.vocabulary.function(self.source, self._head(group))
        self.vocabulary.check_arguments(self.source, signature, group, scope)
        return group

    def _equality(self, group: Group, scope: Scope) -> None:
        self.require(group, 2, "two terms")
        for operand in group.items[1:]:
            if isinstance(operand, Group) or is_number(operand):
                feature = "numbers and functions in conditions are"
                raise self.source.unsupported(operand, feature, "a variable or an object")
            self.vocabulary.term(self.source, operand, scope)
        self.features.add(Feature.EQUALITY)

    def _increase(self, group: Group, scope: Scope, top: bool) -> None:
        self.require(group, 2, "'(total-cost)' and a cost")
        function, amount = group.items[1:]
        if self.function_term(function, scope).head != TOTAL_COST:
            raise self.source.unsupported(function, "numeric fluents other than total-cost are", "'(total-cost)'")
        self._amount(group, amount, scope, top, Feature.ACTION_COSTS)

    def _reward(self, group: Group, scope: Scope, top: bool) -> None:
        """Checks the amount, a number, that an action adds to the reward or subtracts."""
        amount = group.items[2]
        if group.head == "increase" and not is_number(amount):
            raise self.source.unsupported(amount, "a reward that is no number is", "a number from 0")
        self._amount(group, amount, scope, top, Feature.REWARDS)

    def _amount(self, group: Group, amount: Node, scope: Scope, top: bool, feature: Feature) -> None:
        """Checks the amount by which a cost or a reward changes."""
        self.features.add(feature)
        if self.features >= {Feature.ACTION_COSTS, Feature.REWARDS}:
            raise self.source.unsupported(group, "costs beside rewards are", "one of them")
        if not top:
            what = "conditional action costs" if feature is Feature.ACTION_COSTS else "rewards on a condition"
            raise self.source.unsupported(group, f"{what} are", f"'{group.head}' in the effect's 'and'")
        if isinstance(amount, Group):
            if amount.head in _ARITHMETIC:
                raise self.source.unsupported(amount, "arithmetic in costs is", "a number or a function")
            if self.function_term(amount, scope).head == TOTAL_COST:
                raise self.source.unsupported(amount, "a cost that depends on total-cost is", "a number or a function")
        elif not is_number(amount):
            raise self.source.error(amount, f"'{amount.text}' is no cost", "a number or '(function …)'")
        elif value_of(self.source, amount) < 0:
            raise self.source.error(amount, "a negative cost", "a number from 0")

    def bound(self, node: Node, scope: Scope) -> Scope:
        """The scope inside a quantifier with this list of variables. Raises PddlError."""
        variables = typed_variables(self.source, node)
        if not variables:
            raise self.source.error(node, "an empty list of variables", "'(?x - type …)'")
        self.vocabulary.check_types(self.source, variables)
        return {**scope, **scope_of(variables)}

    def _group(self, node: Node, what: str) -> Group:
        if isinstance(node, Group):
            if not node.items:
                raise self.source.error(node, f"'()' where {what} belongs", what)
            return node
        signature = self.vocabulary.predicates.get(node.key)
        hint = f"'{signature}'" if signature and not signature.parameters else ""
        raise self.source.error(node, f"'{node.text}' where {what} belongs", f"{what} in brackets", hint)

    def _head(self, group: Group) -> Symbol:
        head = group.items[0] if group.items else group
        if isinstance(head, Group):
            raise self.source.error(head, "a bracket where a name belongs", "a predicate's or function's name")
        return head

    def require(self, group: Group, number: int, expected: str) -> None:
        """Raises a PddlError unless the group has this number of operands."""
        if len(group.items) - 1 != number:
            problem = f"'{group.head}' has {counted(len(group.items) - 1, 'operand')}"
            raise self.source.error(group, problem, expected)


def is_cost(effect: Group) -> bool:
    """Whether a checked effect is a cost: an increase of ``total-cost`` or a decrease of the reward."""
    return effect.head == "decrease" or (effect.head == "increase" and head_of(effect.items[1]) == TOTAL_COST)


def head_of(node: Node) -> str:
    """The head of a group, or the word itself."""
    return node.head if isinstance(node, Group) else node.key


def conjuncts(condition: Node) -> Iterator[Node]:
    """The operands of ``and``, recursively; any other condition is its own single conjunct."""
    if isinstance(condition, Group) and condition.head == "and":
        for operand in condition.items[1:]:
            yield from conjuncts(operand)
    else:
        yield condition


def scope_of(variables: list[Typed] | tuple[Typed, ...]) -> dict[str, Typed]:
    """The scope with only these variables."""
    return {variable.symbol.key: variable for variable in variables}


@dataclass(frozen=True)
class CheckedConstraint:
    """One of PDDL3's operators with its conditions, for each value of the variables of the surrounding ``foralls``:
    their lists of variables, the outermost first."""

    operator: Operator
    foralls: tuple[Node, ...]
    conditions: tuple[Node, ...]


def check_constraints(checker: Checker, sections: Sequence[Group]) -> tuple[CheckedConstraint, ...]:
    """The constraints in the ``:constraints`` of a file, in their order. Raises PddlError."""
    found: list[CheckedConstraint] = []
    for section in sections:
        if len(section.items) != 2:
            problem = f"':constraints' has {counted(len(section.items) - 1, 'constraint')}"
            raise checker.source.error(section, problem, "one; join several by '(and …)'")
        with collected(checker.errors):
            found.extend(_constraints(checker, section.items[1], (), {}))
    if found:
        checker.features.add(Feature.CONSTRAINTS)
    return tuple(found)


def _constraints(checker: Checker, node: Node, foralls: tuple[Node, ...], scope: Scope) -> Iterator[CheckedConstraint]:
    source = checker.source
    head = node.head if isinstance(node, Group) else node.key
    if not isinstance(node, Group) or not head:
        raise source.error(node, f"'{head or '('}' where a constraint belongs", _CONSTRAINT)
    operands = node.items[1:]
    if head == "and":
        for operand in operands:
            yield from _constraints(checker, operand, foralls, scope)
    elif head == "forall":
        checker.require(node, 2, "a list of variables and one constraint")
        inner = checker.bound(operands[0], scope)
        yield from _constraints(checker, operands[1], (*foralls, operands[0]), inner)
    elif head in OPERATORS:
        yield _constraint(checker, node, OPERATORS[head], foralls, scope)
    elif head == "preference":
        raise source.unsupported(node.items[0], "preferences are")
    elif head in _TIMED:
        raise source.unsupported(node.items[0], f"trajectory constraints ('{head}') are", _CONSTRAINT)
    else:
        hint = near(head, (*OPERATORS, *_TIMED))
        raise source.error(node.items[0], f"'{head}' where a constraint belongs", _CONSTRAINT, hint)


def _constraint(
    checker: Checker, node: Group, operator: Operator, foralls: tuple[Node, ...], scope: Scope
) -> CheckedConstraint:
    words, size = [item.key for item in node.items if isinstance(item, Symbol)], len(operator.words)
    if tuple(words[:size]) != operator.words:
        raise checker.source.error(node, f"'{words[0]}' where a constraint belongs", f"'({operator} …)'")
    conditions = node.items[size:]
    if len(conditions) != operator.operands:
        problem = f"'{operator}' has {counted(len(conditions), 'operand')}"
        raise checker.source.error(node, problem, "one condition" if operator.operands == 1 else "two conditions")
    for condition in conditions:
        checker.condition(condition, scope)
    return CheckedConstraint(operator, foralls, conditions)
