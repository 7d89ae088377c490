"""A planning task as a syntax tree, and its text in PDDL. Nothing here knows cplan.

A formula, an effect and a constraint are what PDDL has for them, as tuples: ``("and", ("p", "?x"), ("not", ("q",)))``.
Typed names are a tuple as well, three entries for each: ``("?x", "-", "t", "?y", "-", ("either", "u", "v"))``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

Tree = str | tuple["Tree", ...]
Formula = tuple[Tree, ...]
Atom = tuple[str, ...]
Scope = Mapping[str, Tree]
"""Name → type, a name or ``("either", …)``."""


@dataclass(frozen=True)
class Action:
    """``condition``: None where the action has no ``:precondition``; ``effects``: a conjunction."""

    name: str
    parameters: Scope
    condition: Formula | None
    effects: tuple[Formula, ...]


@dataclass(frozen=True)
class Rule:
    """What derives an atom of ``name`` with all ``parameters``. No condition negates what is derived on its own
    ``level`` or a later one, or mentions what is derived on a later one."""

    name: str
    parameters: Scope
    condition: Formula
    level: int


@dataclass(frozen=True)
class Task:
    """``types``: name → the type above it. ``prices``: of ``(price x)``, None where plans are judged by their length.
    ``lasting``: constraints that the domain's file has, the others are the problem's."""

    types: Mapping[str, str]
    constants: Scope
    objects: Scope
    predicates: Mapping[str, Scope]
    rules: tuple[Rule, ...]
    actions: tuple[Action, ...]
    init: frozenset[Atom]
    prices: Mapping[str, Decimal] | None
    goal: Formula
    lasting: tuple[Formula, ...] = ()
    constraints: tuple[Formula, ...] = ()
    capitals: bool = False

    def write(self, domain: Path, problem: Path) -> tuple[Path, Path]:
        """Write both files; with ``capitals`` the problem is in capitals, which means the same."""
        domain.write_text("\n".join(self._domain()), encoding="utf-8")
        text = "\n".join(self._problem())
        problem.write_text(text.upper() if self.capitals else text, encoding="utf-8")
        return domain, problem

    def _domain(self) -> Iterator[str]:
        needs = [":adl"]
        needs += [":derived-predicates"] * bool(self.rules) + [":constraints"] * bool(self.lasting + self.constraints)
        yield f"(define (domain d) (:requirements {' '.join(needs + [':action-costs'] * (self.prices is not None))})"
        yield text((":types", *typed(self.types)))
        yield from [text((":constants", *typed(self.constants)))] * bool(self.constants)
        yield text((":predicates", *((name, *typed(scope)) for name, scope in self.predicates.items())))
        if self.prices is not None:
            yield "(:functions (total-cost) - number (price ?x - object) - number)"
        for rule in self.rules:
            yield text((":derived", (rule.name, *typed(rule.parameters)), rule.condition))
        for action in self.actions:
            parts: list[Tree] = [":action", action.name, ":parameters", typed(action.parameters)]
            parts += [] if action.condition is None else [":precondition", action.condition]
            yield text((*parts, ":effect", ("and", *action.effects)))
        yield from [text((":constraints", ("and", *self.lasting)))] * bool(self.lasting)
        yield ")"

    def _problem(self) -> Iterator[str]:
        yield text(("define", ("problem", "p")))[:-1]
        yield "(:domain d)"
        yield text((":objects", *typed(self.objects)))
        values: list[Tree] = [("=", ("price", name), str(price)) for name, price in (self.prices or {}).items()]
        values += [("=", ("total-cost",), "0")] * (self.prices is not None)
        yield text((":init", *sorted(self.init), *values))
        yield text((":goal", self.goal))
        yield from [text((":constraints", ("and", *self.constraints)))] * bool(self.constraints)
        yield from ["(:metric minimize (total-cost))"] * (self.prices is not None)
        yield ")"


def typed(scope: Scope) -> tuple[Tree, ...]:
    """Names with their types."""
    return tuple(part for name, kind in scope.items() for part in (name, "-", kind))


def scope_of(names: Iterable[Tree]) -> dict[str, Tree]:
    """The other way round."""
    parts = list(names)
    return {str(name): kind for name, kind in zip(parts[::3], parts[2::3], strict=True)}


def text(tree: Tree) -> str:
    """A tree in PDDL."""
    return tree if isinstance(tree, str) else f"({' '.join(map(text, tree))})"
