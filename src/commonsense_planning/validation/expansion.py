"""The normal form of a task with its large quantifiers expanded, for validators that try all combinations of objects.

The static conjuncts of an ``exists``, whose predicates no action changes, allow only the instances that the facts of
``:init`` give. The join of these facts, mostly a few rows, replaces the quantifier by a disjunction; a ``forall`` is
treated as its dual. A variable of an outer scope that a row binds becomes an equality. A variable that no static
conjunct binds stays quantified.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache

from commonsense_planning.pddl.conditions import conjuncts
from commonsense_planning.pddl.nodes import Group, Node, Symbol, bracketed, render, words
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.syntax import parse

MOST_COMBINATIONS = 100_000  # of objects, that a validator may try for a quantifier
MOST_ROWS = 2_000  # of a join that is written out

Row = Mapping[str, str]  # variable → object


def expanded(problem: Problem, most: int = MOST_COMBINATIONS) -> tuple[str, str] | None:
    """The texts of the task in normal form, with the quantifiers over more than ``most`` combinations of objects
    expanded; None if nothing is expanded."""
    if problem.normal_text is None:
        return None
    domain, task = (parse(text, define=False).root for text in problem.normal_text)
    changed = {word for group in _parts(domain) for word in _changed(group)}
    facts: dict[str, list[tuple[str, ...]]] = {}
    for atom in next((part.items[1:] for part in _parts(task) if part.head == ":init"), ()):
        if isinstance(atom, Group) and all(isinstance(item, Symbol) for item in atom.items):
            facts.setdefault(atom.head, []).append(tuple(words(bracketed(*atom.items[1:]))))
    predicates = next((part.items[1:] for part in _parts(domain) if part.head == ":predicates"), ())
    static = {p.head: facts.get(p.head, []) for p in predicates if isinstance(p, Group) and p.head not in changed}
    language = problem.tarski.language
    objects = cache(lambda kind: {constant.symbol for constant in language.get_sort(kind).domain()})
    writer = _Expansion(objects, static, most)
    texts = render(writer.expand(domain)), render(writer.expand(task))
    return texts if writer.used else None


def _parts(root: Node) -> Iterator[Group]:
    return (item for item in root.items if isinstance(item, Group)) if isinstance(root, Group) else iter(())


def _changed(part: Group) -> Iterator[str]:
    """The words of an action's effect or of a rule's head, the predicates that it changes among them."""
    if part.head == ":derived":
        yield from words(part.items[1])
    elif part.head == ":action":
        keys = [item.key if isinstance(item, Symbol) else "" for item in part.items]
        if ":effect" in keys:
            yield from words(part.items[keys.index(":effect") + 1])


@dataclass
class _Expansion:
    objects: Callable[[str], Set[str]]
    static: Mapping[str, list[tuple[str, ...]]]
    most: int
    used: bool = False

    def expand(self, node: Node) -> Node:
        if isinstance(node, Symbol):
            return node
        inner = Group(tuple(map(self.expand, node.items)))
        return self._written_out(inner) if inner.head in ("exists", "forall") else inner

    def _written_out(self, quantified: Group) -> Group:
        head, (variables, body) = quantified.head, quantified.items[1:]
        names = [word for word in words(variables) if word != "-"]
        kinds = dict(zip(names[::2], names[1::2], strict=True))
        if math.prod(len(self.objects(kind)) for kind in kinds.values()) <= self.most:
            return quantified
        positive = head == "exists"
        parts = list(conjuncts(body)) if positive else list(_disjuncts(body))
        atoms = [atom for part in parts if (atom := part if positive else _negated(part)) and self._is_static(atom)]
        rows = self._join([atom for atom in atoms if isinstance(atom, Group)], kinds)
        if not atoms or rows is None:
            return quantified
        self.used = True
        rest = [part for part in parts if (part if positive else _negated(part)) not in atoms]
        written = list(dict.fromkeys(self._instance(head, row, rest, kinds) for row in rows))
        return bracketed("or" if positive else "and", *written) if written else self._constant(not positive)

    def _is_static(self, atom: Node) -> bool:
        return isinstance(atom, Group) and atom.head in self.static

    def _join(self, atoms: list[Group], kinds: Row) -> list[Row] | None:
        """The bindings under which all atoms are facts; None if they are more than MOST_ROWS on the way."""
        rows: list[Row] = [{}]
        left, bound = list(atoms), set[str]()
        while left:
            atom = min(left, key=lambda a: (not bound & {*words(a)}, len(self.static[a.head])))
            left.remove(atom)
            terms = [*words(bracketed(*atom.items[1:]))]
            bound |= {term for term in terms if term.startswith("?")}
            pairs = ((row, fact) for row in rows for fact in self.static[atom.head])
            rows = [new for row, fact in pairs if (new := self._unified(row, terms, fact, kinds)) is not None]
            if len(rows) > MOST_ROWS:
                return None
        return rows

    def _unified(self, row: Row, terms: list[str], fact: tuple[str, ...], kinds: Row) -> Row | None:
        new = dict(row)
        for term, value in zip(terms, fact, strict=True):
            if not term.startswith("?"):
                if term != value:
                    return None
            elif new.setdefault(term, value) != value or (term in kinds and value not in self.objects(kinds[term])):
                return None
        return new

    def _instance(self, head: str, row: Row, rest: Iterable[Node], kinds: Row) -> Group:
        positive = head == "exists"
        outer = (bracketed("=", name, value) for name, value in row.items() if name not in kinds)
        same = [one if positive else bracketed("not", one) for one in outer]
        parts = [*same, *(_replaced(part, {name: row[name] for name in kinds if name in row}) for part in rest)]
        body = bracketed("and" if positive else "or", *parts) if parts else self._constant(positive)
        free = [name for name in kinds if name not in row]
        typed = bracketed(*(word for name in free for word in (name, "-", kinds[name])))
        return bracketed(head, typed, body) if free else body

    def _constant(self, value: bool) -> Group:
        """A condition that is always true, or never."""
        some = min(self.objects("object"))
        same = bracketed("=", some, some)
        return same if value else bracketed("not", same)


def _disjuncts(condition: Node) -> Iterator[Node]:
    if isinstance(condition, Group) and condition.head == "or":
        for operand in condition.items[1:]:
            yield from _disjuncts(operand)
    elif isinstance(condition, Group) and condition.head == "imply":
        yield from (bracketed("not", one) for one in conjuncts(condition.items[1]))
        yield from _disjuncts(condition.items[2])
    else:
        yield condition


def _negated(part: Node) -> Node | None:
    """The operand of a negation; None for any other condition."""
    return part.items[1] if isinstance(part, Group) and part.head == "not" else None


def _replaced(node: Node, row: Row) -> Node:
    if isinstance(node, Symbol):
        return Symbol(row.get(node.key, node.text))
    if node.head in ("exists", "forall"):
        own = {*words(node.items[1])}
        row = {name: value for name, value in row.items() if name not in own}
    return Group(tuple(_replaced(item, row) for item in node.items))
