"""Connectives that fold true and false operands, so that neither is left below the top of a condition."""

from __future__ import annotations

from commonsense_planning.pddl.nodes import Group, Node, Symbol

TRUE = Group((Symbol("and"),))
FALSE = Group((Symbol("or"),))


def conjunction(*operands: Group) -> Group:
    """``(and operand …)``."""
    kept = [operand for operand in operands if operand != TRUE]
    return FALSE if FALSE in kept else _nest("and", kept)


def disjunction(*operands: Group) -> Group:
    """``(or operand …)``."""
    kept = [operand for operand in operands if operand != FALSE]
    return TRUE if TRUE in kept else _nest("or", kept)


def negation(operand: Group) -> Group:
    """``(not operand)``."""
    if operand in (TRUE, FALSE):
        return FALSE if operand == TRUE else TRUE
    return Group((Symbol("not"), operand))


def implication(premise: Group, conclusion: Group) -> Group:
    """``(imply premise conclusion)``."""
    if premise == FALSE or conclusion == TRUE:
        return TRUE
    if premise == TRUE:
        return conclusion
    return negation(premise) if conclusion == FALSE else Group((Symbol("imply"), premise, conclusion))


def quantification(head: str, variables: Node, body: Group, *, empty: bool) -> Group:
    """``(exists variables body)`` or ``(forall variables body)``; ``empty``: whether some variable has no objects."""
    if empty:
        return FALSE if head == "exists" else TRUE
    return body if body in (TRUE, FALSE) else Group((Symbol(head), variables, body))


def _nest(head: str, operands: list[Group]) -> Group:
    return operands[0] if len(operands) == 1 else Group((Symbol(head), *operands))
