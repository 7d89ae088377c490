"""Problems made from one that is there: with another goal, with other facts at first, as one true world of many.

Another goal, and a world that is drawn, are problem files in which everything else is unchanged, comments and layout
too, so that validators and planners read them as they read the user's own. Other facts at first are another problem in
memory only: reading a large one takes seconds, this nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from commonsense_planning.errors import InputError
from commonsense_planning.pddl.check import check_domain, check_task
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.sections import UNDECLARED
from commonsense_planning.pddl.syntax import Group, Node, Source, Symbol, parse, read_source, render
from commonsense_planning.pddl.worlds import parts_of
from commonsense_planning.support.writing import write_text

NamedAtom = tuple[str, ...]
"""A predicate and its arguments, all normalised names."""

AFTER_GOAL = (":constraints", ":metric", ":length")  # the sections after the goal


def with_goal(domain: Path, problem: Path, goal: str, out: Path, constraints: Sequence[str] = ()) -> None:
    """Write ``problem`` to ``out`` with the formula ``goal`` (PDDL) for a goal, whether it had one or not;
    ``constraints``: PDDL3's, in addition to the problem's.

    Raises InputError, with the place where there is one, if a file cannot be read or written, ``out`` is ``problem``,
    or the goal is no condition of this task; nothing is written then.
    """
    if out.resolve() == problem.resolve():
        raise InputError(f"{out}: the problem with the new goal must be another file than the problem itself")
    for formula in (goal, *constraints):
        parse(formula, "goal", define=False, strict=True)
    source = read_source(problem)
    text = _replaced(source, goal)
    if constraints:
        text = _constrained(parse(text, problem), constraints)
    written = parse(text, out)
    check_task(check_domain(read_source(domain, kind="domain")), written)
    undeclared = (w.problem.removeprefix(UNDECLARED) for w in written.warnings if w.problem.startswith(UNDECLARED))
    text = _requiring(written, " ".join(undeclared))
    ending = "\r\n" if b"\r\n" in problem.read_bytes() else "\n"
    write_text(out, text, "the problem", newline=ending)


def _requiring(source: Source, words: str) -> str:
    """The text of a problem, with these requirements declared, too."""
    if not words:
        return source.text
    section, name = _section(source, (":requirements",)), _section(source, (":domain",))
    if section is not None:
        at, added = source.span(section)[1] - 1, f" {words}"
    else:
        at, added = source.span(name)[1] if name else source.span(source.root)[1] - 1, f"\n  (:requirements {words})"
    return source.text[:at] + added + source.text[at:]


def with_objects(
    source: Source, objects: Mapping[str, str], facts: Sequence[str], renamed: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The text of a problem with further ``objects``, name → type, and further ``facts`` at first; ``renamed``: objects
    that are called otherwise, old name (in lower case) → new one. Raises InputError for what would be more in it than a
    name, a type or a fact."""
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
    section, init = _section(source, (":objects",)), _section(source, (":init",))
    assert init is not None
    added = {source.span(init)[1] - 1: "".join(f" {fact}" for fact in facts)}
    if section is None:
        added[source.span(init)[0]] = f"(:objects {declared})\n  "
    else:  # in front, where no type follows that is the others'
        added[source.span(section)[0] + len("(:objects")] = f" {declared}"
    text = source.text
    for place in sorted(added, reverse=True):
        text = text[:place] + added[place] + text[place:]
    return text


def _renamed(source: Source, renamed: Mapping[str, str]) -> str:
    """The text with other names in place of these objects, wherever they occur: not first in a group, nor for a
    type."""
    places: dict[int, Symbol] = {}
    waiting = [item for item in source.root.items if isinstance(item, Group)]
    while waiting:
        group = waiting.pop()
        waiting += [item for item in group.items if isinstance(item, Group)]
        for before, node in pairwise(group.items):
            if isinstance(node, Symbol) and node.key in renamed and before != Symbol("-"):
                places[source.offset(node)] = node
    text = source.text
    for place in sorted(places, reverse=True):
        text = f"{text[:place]}{renamed[places[place].key]}{text[place + len(places[place].text) :]}"
    return text


def has_goal(problem: Path) -> bool:
    """Whether the problem file has a ``:goal`` section. Raises InputError if it cannot be read."""
    return _section(read_source(problem), (":goal",)) is not None


def _replaced(source: Source, goal: str) -> str:
    old = _section(source, (":goal",))
    if old is not None:
        start, end = source.span(old)
        return f"{source.text[:start]}(:goal {goal}){source.text[end:]}"
    following = _section(source, AFTER_GOAL)
    if following is not None:
        at = source.span(following)[0]
        return f"{source.text[:at]}(:goal {goal})\n  {source.text[at:]}"
    at = source.span(source.root)[1] - 1
    return f"{source.text[:at]}\n  (:goal {goal}){source.text[at:]}"


def _constrained(source: Source, constraints: Sequence[str]) -> str:
    """The text with further constraints, behind those that the problem has."""
    added = " ".join(constraints)
    old = _section(source, (":constraints",))
    if old is not None and len(old.items) == 2:
        start, end = source.span(old)
        return f"{source.text[:start]}(:constraints (and {render(old.items[1])} {added})){source.text[end:]}"
    goal = _section(source, (":goal",))
    assert goal is not None
    at = source.span(goal)[1]
    return f"{source.text[:at]}\n  (:constraints (and {added})){source.text[at:]}"


def _section(source: Source, heads: tuple[str, ...]) -> Group | None:
    """The first section with one of the keywords."""
    groups = (item for item in source.root.items if isinstance(item, Group))
    return next((group for group in groups if group.head in heads), None)


def rewritten(problem: Problem, state: Collection[NamedAtom] | None = None, goal: str = "") -> str:
    """The text of a problem's file in which just the facts of ``state`` hold at first, and the formula ``goal`` (PDDL)
    is the goal, each where it is given; functions keep their values."""
    source = parse(problem.texts[1], problem.problem_file)
    init = _section(source, (":init",))
    if state is not None and init is not None:
        derived = {rule.atom.predicate.symbol for rule in problem.derived}
        known = [f"({' '.join(map(problem.spell, atom))})" for atom in sorted(state) if atom[0] not in derived]
        known += [render(item) for item in init.items if isinstance(item, Group) and item.head == "="]
        start, end = source.span(init)
        source = parse(f"{source.text[:start]}(:init {' '.join(known)}){source.text[end:]}", source.path)
    return _replaced(source, goal) if goal else source.text


def with_start(problem: Problem, name: str, facts: Collection[NamedAtom], goal: NamedAtom) -> Problem:
    """The problem called ``name`` in which, of the predicates that ``facts`` mention, just these facts hold at first,
    and ``goal`` is the new goal. The description, which was about the old goal, is left out.

    Validators that read files still read the old problem, so the plan of the new one is judged by replay.
    """
    task = copy.copy(problem.tarski)
    language = task.language
    task.init = copy.copy(task.init)
    changed = {language.get_predicate(predicate).signature for predicate, *_ in facts}
    old = task.init.predicate_extensions
    task.init.predicate_extensions = {key: points for key, points in old.items() if key not in changed}
    for predicate, *arguments in facts:
        task.init.add(language.get_predicate(predicate), *map(language.get_constant, arguments))
    predicate, *arguments = goal
    task.goal = language.get_predicate(predicate)(*map(language.get_constant, arguments))
    return replace(problem, tarski=task, problem_name=name, description="", normal_text=None)


def draw_world(problem: Problem, rng: np.random.Generator) -> tuple[str, ...]:
    """What is true, of what a contingent problem leaves open, in a drawn world: of each part that hangs together one of
    its worlds, all alike. Facts in PDDL, in the user's spelling.

    Raises InputError where no world is possible, BudgetError and MissingError as ``parts_of``.
    """
    true: list[str] = []
    for part in parts_of(problem.contingent, lambda atom: spelt(problem, atom)):
        world = part.worlds[int(rng.integers(len(part.worlds)))]
        true += [str(atom) for atom, holds in zip(part.atoms, world, strict=True) if holds]
    return tuple(true)


def with_world(problem: Problem, true: Sequence[str]) -> str:
    """The text of a contingent problem's file in which, of what ``:init`` leaves open, just the facts ``true`` hold,
    PDDL in the user's spelling."""
    source = parse(problem.texts[1], problem.problem_file)
    text, done, facts = "", 0, " ".join(true)
    for group in _open_parts(source):
        start, end = source.span(group)
        text, done, facts = text + source.text[done:start] + facts, end, ""
    return text + source.text[done:]


def spelt(problem: Problem, atom: Any) -> str:
    """A ground Tarski atom as PDDL in the user's spelling."""
    names = (atom.predicate.symbol, *(term.symbol for term in atom.subterms))
    return f"({' '.join(map(problem.spell, names))})"


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
