"""Variants of a problem file: with another goal, with other objects, or as one of the worlds of a contingent problem.

Everything else is unchanged, including comments and layout, so that validators and planners read it like the user's
own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from commonsense_planning.errors import InputError
from commonsense_planning.pddl.check import check_domain, check_task
from commonsense_planning.pddl.initial import unjoined
from commonsense_planning.pddl.nodes import Group, Node, Symbol, groups, render
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.sections import UNDECLARED
from commonsense_planning.pddl.source import Source, with_mends
from commonsense_planning.pddl.syntax import parse, read_source
from commonsense_planning.pddl.worlds import parts_of
from commonsense_planning.support.writing import write_text

AFTER_GOAL = (":constraints", ":metric", ":length")  # the sections after the goal


def with_goal(domain: Path, problem: Path, goal: str, out: Path, constraints: Sequence[str] = ()) -> None:
    """Writes ``problem`` to ``out`` with the formula ``goal`` (PDDL) as its goal, whether or not it had one;
    ``constraints``: PDDL3's, in addition to the problem's.

    Raises InputError, with its place if there is one, if a file cannot be read or written, ``out`` is ``problem``, or
    the goal is not a condition of this task; then nothing is written.
    """
    if out.resolve() == problem.resolve():
        raise InputError(f"{out}: the problem with the new goal must be another file than the problem itself")
    for formula in (goal, *constraints):
        parse(formula, "goal", define=False, strict=True)
    source = read_source(problem)
    text = goal_replaced(source, goal)
    if constraints:
        text = _constrained(parse(text, problem), constraints)
    written = parse(text, out)
    check_task(check_domain(read_source(domain, kind="domain")), written)
    undeclared = (w.problem.removeprefix(UNDECLARED) for w in written.warnings if w.problem.startswith(UNDECLARED))
    text = _requiring(written, " ".join(undeclared))
    ending = "\r\n" if b"\r\n" in problem.read_bytes() else "\n"
    write_text(out, text, "the problem", newline=ending)


def _requiring(source: Source, words: str) -> str:
    """The text of a problem that also declares these requirements."""
    if not words:
        return source.text
    section, name = section_of(source, (":requirements",)), section_of(source, (":domain",))
    if section is not None:
        at, added = source.span(section)[1] - 1, f" {words}"
    else:
        at, added = source.span(name)[1] if name else source.span(source.root)[1] - 1, f"\n  (:requirements {words})"
    return with_mends(source.text, [(at, at, added)])


def with_objects(
    source: Source, objects: Mapping[str, str], facts: Sequence[str], renamed: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The text of a problem with additional ``objects``, name → type, and additional initial ``facts``; ``renamed``:
    old name of an object, in lower case → its new one. Raises InputError for anything that is not a name, a type or a
    fact."""
    for name, kind in (*objects.items(), *((new, "object") for new in renamed.values())):
        words = tuple(map(Symbol, (name, "-", kind)))
        if parse(f"({name} - {kind})", "an object", define=False, strict=True).root.items != words:
            raise InputError(f"there can be no object {name!r} of the type {kind!r}; expected two names")
    for fact in facts:
        parse(fact, "a fact", define=False, strict=True)
    if renamed:
        source = parse(_renamed(source, renamed), source.path)
    if not objects:
        return source.text
    declared = " ".join(f"{name} - {kind}" for name, kind in objects.items())
    section, init = section_of(source, (":objects",)), section_of(source, (":init",))
    assert init is not None
    start, end = source.span(init)
    if section is None:
        at, added = start, f"(:objects {declared})\n  "
    else:  # before the other objects, where no type of theirs follows
        at, added = source.span(section)[0] + len("(:objects"), f" {declared}"
    return with_mends(source.text, [(end - 1, end - 1, "".join(f" {fact}" for fact in facts)), (at, at, added)])


def _renamed(source: Source, renamed: Mapping[str, str]) -> str:
    """The text with other names of these objects, wherever they occur: not as the first word of a group, nor as a
    type."""
    mends = [
        (*source.span(node), renamed[node.key])
        for group in groups(source.root)
        for before, node in pairwise(group.items)
        if isinstance(node, Symbol) and node.key in renamed and before != Symbol("-")
    ]
    return with_mends(source.text, mends)


def has_goal(problem: Path) -> bool:
    """Whether the problem file has a ``:goal`` section. Raises InputError if it cannot be read."""
    return section_of(read_source(problem), (":goal",)) is not None


def goal_replaced(source: Source, goal: str) -> str:
    """The text with this goal."""
    old, following = section_of(source, (":goal",)), section_of(source, AFTER_GOAL)
    if old is not None:
        mend = (*source.span(old), f"(:goal {goal})")
    elif following is not None:
        at = source.span(following)[0]
        mend = at, at, f"(:goal {goal})\n  "
    else:
        at = source.span(source.root)[1] - 1
        mend = at, at, f"\n  (:goal {goal})"
    return with_mends(source.text, [mend])


def _constrained(source: Source, constraints: Sequence[str]) -> str:
    """The text with additional constraints, after those of the problem."""
    added = " ".join(constraints)
    old = section_of(source, (":constraints",))
    if old is not None and len(old.items) == 2:
        mend = (*source.span(old), f"(:constraints (and {render(old.items[1])} {added}))")
    else:
        goal = section_of(source, (":goal",))
        assert goal is not None
        at = source.span(goal)[1]
        mend = at, at, f"\n  (:constraints (and {added}))"
    return with_mends(source.text, [mend])


def section_of(source: Source, heads: tuple[str, ...]) -> Group | None:
    """The first section with one of the keywords."""
    groups = (item for item in source.root.items if isinstance(item, Group))
    return next((group for group in groups if group.head in heads), None)


def draw_world(problem: Problem, rng: np.random.Generator) -> tuple[str, ...]:
    """The open facts that are true in a world of a contingent problem, as PDDL in the user's spelling. Each part's
    worlds are equally probable.

    Raises InputError if no world is possible, BudgetError and MissingError as ``parts_of``.
    """
    true: list[str] = []
    for part in parts_of(problem.contingent, lambda atom: spelt(problem, atom)):
        world = part.worlds[int(rng.integers(len(part.worlds)))]
        true += [str(atom) for atom, holds in zip(part.atoms, world, strict=True) if holds]
    return tuple(true)


def with_world(problem: Problem, true: Sequence[str]) -> str:
    """The text of a contingent problem's file in which, of the open facts, exactly those in ``true`` hold; they are
    PDDL in the user's spelling."""
    source = parse(problem.texts[1], problem.problem_file)
    mends = [(*source.span(group), "" if i else " ".join(true)) for i, group in enumerate(_open_parts(source))]
    init = section_of(source, (":init",))
    joined = [item for item in init.items if isinstance(item, Group) and item.head == "and"] if init else []
    while joined:
        mends += unjoined(source, node := joined.pop())
        joined += [item for item in node.items if isinstance(item, Group) and item.head == "and"]
    return with_mends(source.text, mends)


def spelt(problem: Problem, atom: Any) -> str:
    """A ground Tarski atom as PDDL in the user's spelling."""
    return problem.text(atom.predicate.symbol, *(term.symbol for term in atom.subterms))


def _open_parts(source: Source) -> list[Group]:
    """The ``oneof``, ``or`` and ``unknown`` groups of the ``:init``, in the order of the file."""
    parts: list[Group] = []
    waiting: list[Node] = [item for item in source.root.items if isinstance(item, Group) and item.head == ":init"]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, Group) and node.head in (":init", "and"):
            waiting[:0] = node.items
        elif isinstance(node, Group) and node.head in ("oneof", "or", "unknown"):
            parts.append(node)
    return parts
