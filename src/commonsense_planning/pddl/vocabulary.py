"""A task's vocabulary: its types, objects, predicates and functions, looked up in any case, as PDDL requires.

Every lookup takes the symbol as written in the user's file, so that an error has its place and a similar name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

from commonsense_planning.pddl.nodes import Group, Node, Symbol
from commonsense_planning.pddl.source import Source
from commonsense_planning.support.english import counted, near
from commonsense_planning.support.reading import number

OBJECT = Symbol("object")

CONNECTIVES = ("and", "or", "not", "imply", "exists", "forall")
# Words of PDDL; no predicate, function or action can have such a name.
RESERVED = frozenset({*CONNECTIVES, "when", "either", "increase", "decrease", "assign", "oneof", "unknown", "="})

_NAME = re.compile(r"(?=.*[^\W\d])\w[^?:=,\"'`\[\]{}]*")
_FRACTION = re.compile(r"\d{1,9}/0*[1-9]\d{0,8}")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Typed:
    """A variable or an object with its types.

    A variable has one type, or the alternatives of ``either``. An object has all its types: usually one, but some IPC
    files declare an object again with another one.
    """

    symbol: Symbol
    types: tuple[Symbol, ...] = (OBJECT,)

    @property
    def type_text(self) -> str:
        """The types as written in PDDL."""
        if len(self.types) == 1:
            return self.types[0].text
        return f"(either {' '.join(kind.text for kind in self.types)})"


@dataclass(frozen=True, slots=True)
class Signature:
    """A predicate or a function: its name and its parameters."""

    symbol: Symbol
    parameters: tuple[Typed, ...] = ()

    def __str__(self) -> str:
        parameters = (f"{parameter.symbol.text} - {parameter.type_text}" for parameter in self.parameters)
        return f"({' '.join((self.symbol.text, *parameters))})"


Scope = Mapping[str, Typed]  # a variable's key, ``?x``, → the variable


@dataclass(frozen=True)
class Vocabulary:
    """The declared names, by key (lower case). ``parents``: the key of a type → that of its parent. ``later``: for a
    domain, the objects that only the problem declares; the first use of each causes a warning."""

    types: Mapping[str, Symbol] = field(default_factory=lambda: {"object": OBJECT})
    parents: Mapping[str, str] = field(default_factory=dict)
    objects: Mapping[str, Typed] = field(default_factory=dict)
    predicates: dict[str, Signature] = field(default_factory=dict)
    functions: Mapping[str, Signature] = field(default_factory=dict)
    later: set[str] = field(default_factory=set)

    def ancestors(self, kind: str) -> Iterator[str]:
        """The type itself, its parent, and so on, up to ``object``."""
        yield kind
        while kind != "object":
            kind = self.parents.get(kind, "object")
            yield kind

    def fits(self, term: Typed, expected: Sequence[Symbol]) -> bool:
        """Whether the variable or object always has one of the ``expected`` types."""
        allowed = {kind.key for kind in expected}
        fitting = (any(kind in allowed for kind in self.ancestors(kind.key)) for kind in term.types)
        return all(fitting) if term.symbol.text.startswith("?") else any(fitting)

    def common_ancestor(self, kinds: Sequence[str]) -> str:
        """The most specific common ancestor of the types (keys)."""
        shared = set.intersection(*(set(self.ancestors(kind)) for kind in kinds))
        return next(kind for kind in self.ancestors(kinds[0]) if kind in shared)

    def check_types(self, source: Source, typed: Iterable[Typed]) -> None:
        """Raises a PddlError at the first type that is not declared."""
        for item in typed:
            for kind in item.types:
                if kind.key not in self.types:
                    hint = near(kind.text, (symbol.text for symbol in self.types.values()))
                    raise source.error(kind, f"undeclared type {self.quoted(kind)}", "a declared type", hint)

    def fitting(self, variable: Typed) -> list[Symbol]:
        """The objects with a type of the variable."""
        return [item.symbol for item in self.objects.values() if self.fits(item, variable.types)]

    def predicate(self, source: Source, symbol: Symbol) -> Signature:
        """The predicate with this name. Raises PddlError if there is none."""
        return self._declared(source, symbol, "predicate", self.predicates)

    def function(self, source: Source, symbol: Symbol) -> Signature:
        """The function with this name. Raises PddlError if there is none."""
        return self._declared(source, symbol, "function", self.functions)

    def _declared(self, source: Source, symbol: Symbol, what: str, known: Mapping[str, Signature]) -> Signature:
        found = known.get(symbol.key)
        if found is None:
            hint = near(symbol.text, (signature.symbol.text for signature in known.values()))
            raise source.error(symbol, f"undeclared {what} {self.quoted(symbol)}", f"a declared {what}", hint)
        return found

    def quoted(self, symbol: Symbol) -> str:
        """The name, with the kind of thing that it declares, for the error that another kind is expected."""
        kinds = {"type": self.types, "object": self.objects, "predicate": self.predicates, "function": self.functions}
        what = next((what for what in kinds if symbol.key in kinds[what]), "")
        return f"'{symbol.text}'" + (f", which is {'an' if what == 'object' else 'a'} {what}" if what else "")

    def term(self, source: Source, node: Node, scope: Scope) -> Typed:
        """The variable in scope or the object with the node's name. Raises PddlError if there is none."""
        if isinstance(node, Group):
            raise source.error(node, "a bracket where a variable or an object belongs", "a variable or an object")
        if node.text.startswith("?"):
            found = scope.get(node.key)
            if found is None:
                hint = near(node.text, (variable.symbol.text for variable in scope.values()))
                known = " or ".join(variable.symbol.text for variable in scope.values()) or "no variable here"
                raise source.error(node, f"unknown variable '{node.text}'", known, hint)
            return found
        found = self.objects.get(node.key)
        if found is None:
            hint = near(node.text, (thing.symbol.text for thing in self.objects.values()))
            if not hint and f"?{node.key}" in scope:
                hint = f"'?{node.text}'"
            raise source.error(node, f"unknown object {self.quoted(node)}", "a declared object or constant", hint)
        if node.key in self.later:
            problem = f"'{node.text}' is not among the domain's constants"
            source.warn(node, problem, "a constant in ':constants'", "as the problem's object")
            self.later.discard(node.key)
        return found

    def check_arguments(
        self, source: Source, signature: Signature, group: Group, scope: Scope, *, lenient: bool = False
    ) -> None:
        """Checks the arguments of an atom or a function term against the signature: their number, declarations and
        types. If ``lenient``, a predicate accepts other types from then on, with a warning, unless two arguments are
        exchanged. Raises PddlError."""
        arguments = group.items[1:]
        if len(arguments) != len(signature.parameters):
            problem = f"'{signature.symbol.text}' has {counted(len(arguments), 'argument')}"
            raise source.error(group, problem, f"{len(signature.parameters)}: {signature}")
        terms = [self.term(source, node, scope) for node in arguments]
        misfits = [i for i, p in enumerate(signature.parameters) if not self.fits(terms[i], p.types)]
        if not misfits:
            return
        term, parameter = terms[misfits[0]], signature.parameters[misfits[0]]
        problem = f"'{term.symbol.text}' is of type {term.type_text}"
        expected = f"type {parameter.type_text} as in {signature}"
        if not lenient or self._swapped(signature, terms):
            raise source.error(arguments[misfits[0]], problem, expected)
        wider = list(signature.parameters)
        for i in misfits:
            kinds = [kind.key for kind in (*wider[i].types, *terms[i].types)]
            wider[i] = Typed(wider[i].symbol, (self.types[self.common_ancestor(kinds)],))
        taken = Signature(signature.symbol, tuple(wider))
        source.warn(arguments[misfits[0]], problem, expected, f"as if declared {taken}")
        self.predicates[signature.symbol.key] = taken

    def _swapped(self, signature: Signature, terms: Sequence[Typed]) -> bool:
        """Whether the terms fit after an exchange of two of them."""
        for i, j in combinations(range(len(terms)), 2):
            order = list(terms)
            order[i], order[j] = order[j], order[i]
            if all(self.fits(term, p.types) for term, p in zip(order, signature.parameters, strict=True)):
                return True
        return False


def check_name(source: Source, node: Node, what: str) -> Symbol:
    """The node as a name for ``what`` (a type, an action, …). Raises PddlError if it cannot be one."""
    if not isinstance(node, Symbol):
        raise source.error(node, f"a bracket where the name of {what} belongs", "a name")
    if node.key in RESERVED and what != "an object":
        raise source.error(node, f"'{node.text}' cannot name {what}: it is a word of PDDL", "another name")
    if not _NAME.fullmatch(node.text):
        wanted = "a name that has a letter, and begins with one or a digit"
        raise source.error(node, f"'{node.text}' cannot name {what}", wanted)
    return node


def is_number(node: Node) -> bool:
    """Whether the node is a number."""
    return isinstance(node, Symbol) and _NUMBER.fullmatch(node.text) is not None


def value_of(source: Source, symbol: Symbol) -> float:
    """The value of a number. Raises PddlError if it is out of range."""
    try:
        return number(symbol.text)
    except ValueError as error:
        raise source.error(symbol, str(error), "a smaller number") from error


def probability(source: Source, node: Node, most: float = 1.0) -> float:
    """The value of a number or a fraction, such as ``1/4``, from 0 to ``most``. Raises PddlError for anything else."""
    wanted = "a number from 0 to 1" if most == 1.0 else "a number from 0"
    if isinstance(node, Symbol) and _FRACTION.fullmatch(node.text):
        value = float(Fraction(node.text))
    elif isinstance(node, Symbol) and is_number(node):
        value = value_of(source, node)
    else:
        raise source.error(node, "no number where a probability belongs", wanted)
    if not 0 <= value <= most:
        raise source.error(node, f"the probability {node.text}", wanted)
    return value


def typed_names(source: Source, items: Sequence[Node], what: str) -> list[Typed]:
    """A typed list of names, ``a b - t c``; types are not looked up. Raises PddlError for any other list.

    A type without a name before it, as in some IPC files, is ignored.
    """
    return _typed_list(source, items, lambda node: check_name(source, node, what))


def typed_parameters(source: Source, items: Sequence[Node]) -> list[Typed]:
    """A typed list of a predicate's or function's parameters, ``?x ?y - t``. Raises PddlError for any other list.

    A parameter's name has no meaning, and may be repeated.
    """
    return _typed_list(source, items, lambda item: check_variable(source, item))


def typed_variables(source: Source, node: Node) -> list[Typed]:
    """A typed list of distinct variables in brackets, ``(?x ?y - t)``. Raises PddlError for any other node."""
    if not isinstance(node, Group):
        raise source.error(node, f"'{node.text}' where a list of variables belongs", "'(?x - type …)'")
    variables = typed_parameters(source, node.items)
    seen: dict[str, Symbol] = {}
    for variable in variables:
        if variable.symbol.key in seen:
            raise source.error(variable.symbol, f"variable '{variable.symbol.text}' twice in one list", "another name")
        seen[variable.symbol.key] = variable.symbol
    return variables


def check_variable(source: Source, node: Node) -> Symbol:
    """The node as a variable, ``?x``. Raises PddlError if it is none."""
    if not isinstance(node, Symbol):
        raise source.error(node, "a bracket where a variable belongs", "a variable such as '?x'")
    if not (node.text.startswith("?") and len(node.text) > 1):
        wanted = f"a variable such as '?{node.text.lstrip('?') or 'x'}'"
        raise source.error(node, f"'{node.text}' is no variable", wanted)
    return node


def typed_terms(source: Source, items: Sequence[Node]) -> list[Typed]:
    """A list of variables, possibly with types, and objects, without types: ``?x - t a ?y``. Raises PddlError for any
    other list.

    A variable without a type has OBJECT, which has no line. Objects and types are not looked up.
    """

    def symbol_of(node: Node) -> Symbol:
        if isinstance(node, Symbol) and node.text.startswith("?"):
            return check_variable(source, node)
        return check_name(source, node, "an object")

    terms = _typed_list(source, items, symbol_of)
    for term in terms:
        if term.types[0].line and not term.symbol.text.startswith("?"):
            raise source.error(term.types[0], f"a type for '{term.symbol.text}', which is no variable", "no type")
    return terms


def _typed_list(source: Source, items: Sequence[Node], check: Callable[[Node], Symbol]) -> list[Typed]:
    done: list[Typed] = []
    waiting: list[Symbol] = []  # names before their type
    rest = iter(items)
    for node in rest:
        if isinstance(node, Symbol) and node.text == "-":
            kind = next(rest, None)
            if kind is None:
                raise source.error(node, "'-' without a type after it", "a type")
            types = _types(source, kind)
            done.extend(Typed(symbol, types) for symbol in waiting)
            waiting = []
        else:
            waiting.append(check(node))
    return done + [Typed(symbol) for symbol in waiting]


def _types(source: Source, node: Node) -> tuple[Symbol, ...]:
    if isinstance(node, Symbol):
        return (check_name(source, node, "a type"),)
    if node.head != "either" or len(node.items) < 2:
        raise source.error(node, "a bracket where a type belongs", "a type or '(either type …)'")
    return tuple(check_name(source, item, "a type") for item in node.items[1:])
