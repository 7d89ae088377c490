"""Tasks that only other planners solve: with numbers, durations, preferences, hierarchies and the like.

cplan does not represent them. It finds out what they ``need``, each with its first place, and checks at their places
what it knows of PDDL: brackets, declarations, and the number and types of arguments. The rest is up to the reader of
the planner that gets the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

from commonsense_planning.errors import PddlError, UnsupportedFeature, collected
from commonsense_planning.pddl.check import check_domain, objects_of
from commonsense_planning.pddl.conditions import TOTAL_COST, head_of, scope_of
from commonsense_planning.pddl.nodes import Group, Node, Symbol
from commonsense_planning.pddl.problem import Declarations, Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.sections import check_domain_name, define, fields_of, items_of, required, sections_of
from commonsense_planning.pddl.source import Need, Source
from commonsense_planning.pddl.syntax import SECTIONS, read_source
from commonsense_planning.pddl.vocabulary import Scope, Signature, Vocabulary, check_name, is_number, typed_variables
from commonsense_planning.support.english import near
from commonsense_planning.support.reading import Text

_SECTIONS = {
    ":durative-action": Need.DURATIONS,
    **dict.fromkeys((":process", ":event"), Need.PROCESSES),
    **dict.fromkeys((":task", ":method", ":htn"), Need.HIERARCHY),
}
_OF_ACTIONS = (":parameters", ":precondition", ":effect")
_OF_METHODS = (":parameters", ":task", ":precondition", ":subtasks", ":tasks", ":ordered-subtasks", ":ordered-tasks")
_FIELDS = {
    ":action": (*_OF_ACTIONS, ":observe"),
    ":durative-action": (":parameters", ":duration", ":condition", ":effect"),
    **dict.fromkeys((":method", ":htn"), (*_OF_METHODS, ":ordering", ":constraints")),
}
_NUMERIC = frozenset(("<", ">", "<=", ">=", "+", "-", "*", "/", "decrease", "assign", "scale-up", "scale-down"))
_TIMED = ("within", "hold-during", "hold-after", "always-within")
_CONSTRAINTS = ("always", "sometime", "at-most-once", "sometime-after", "sometime-before")
_JOINING = frozenset(("and", "or", "not", "imply", "when", "=", "increase", *_CONSTRAINTS))
_MOMENTS = {"at": ("start", "end"), "over": ("all",)}
_GIVEN = ("?duration", "#t", "total-time", TOTAL_COST)  # they need no declaration
_UNCERTAIN = ("oneof", "unknown", "probabilistic")


class NotRead:
    """Stands for the parts of a task that cplan does not represent; any use of it raises the error that says why."""

    def __init__(self, error: UnsupportedFeature) -> None:
        self._error = error

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(name) if name.startswith("__") else self._error  # pickle asks for what is not there

    def __iter__(self) -> NoReturn:
        raise self._error


def read_any(domain: str | Path | Text, problem: str | Path | Text, *, strict: bool = False) -> Problem:
    """Reads a task as ``read_problem`` does; or, if only other planners solve it, what it ``needs`` and declares.

    Raises like ``read_problem``, and UnsupportedFeature only for what no planner is known to read.
    """
    try:
        return read_problem(domain, problem, strict=strict)
    except PddlError as error:
        found = (error, *error.others)
    needs = [one for one in found if isinstance(one, UnsupportedFeature) and one.need]
    wrong = [one for one in found if one not in needs]
    if wrong:
        wrong[0].others = tuple(wrong[1:])
        raise wrong[0]
    return _Reader(read_source(domain, strict, "domain"), read_source(problem, strict), needs).read()


@dataclass
class _Reader:
    """Reads a task whose needs were ``refused``. ``called``: the actions, and the tasks of methods."""

    source: Source  # the domain, later the problem
    problem: Source
    refused: list[UnsupportedFeature]
    needs: list[UnsupportedFeature] = field(default_factory=list)
    errors: list[PddlError] = field(default_factory=list)
    called: dict[str, Signature] = field(default_factory=dict)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)

    def read(self) -> Problem:
        """The task. Raises PddlError."""
        domain, problem = self.source, self.problem
        others = [*_SECTIONS, ":action", ":derived"]
        bodies = [item for item in domain.root.items if isinstance(item, Group) and item.head in others]
        kept = tuple(item for item in domain.root.items if item not in bodies)
        known = check_domain(replace(domain, root=replace(domain.root, items=kept)))
        symbol, body = define(problem, "problem")
        networks = [item for item in body if isinstance(item, Group) and item.head == ":htn"]
        sections = sections_of(problem, [item for item in body if item not in networks], SECTIONS["problem"])
        check_domain_name(problem, sections.get(":domain", ()), known.symbol, must=False)
        objects = objects_of(problem, items_of(sections, ":objects"), known.vocabulary, typed=known.typed)
        self.vocabulary = replace(known.vocabulary, objects={**known.vocabulary.objects, **objects}, later=set(objects))
        actions = {s.symbol.key: s for group in bodies if (s := self._signature(group)) and "action" in group.head}
        self._each(self._body, bodies)
        self._each(self._formula, [item for group in known.constraints for item in group.items[1:]])
        self.vocabulary.later.clear()
        self.source = problem
        self._each(self._fact, required(problem, sections, ":init").items[1:])
        self._each(self._body, networks)
        _ = networks or required(problem, sections, ":goal")
        last = [item for keyword in (":goal", ":constraints", ":metric") for item in items_of(sections, keyword)]
        self._each(self._formula, [item for item in last if isinstance(item, Group)])
        if self.errors:
            self.errors[0].others = tuple(self.errors[1:])
            raise self.errors[0]
        needs: dict[str, UnsupportedFeature] = {}
        for one in (*self.needs, *self.refused):
            needs.setdefault(one.need, one)
        absent = NotRead(next(iter(needs.values())))
        return Problem(
            *(domain.path, problem.path, known.symbol.text, symbol.text, absent, {}, absent, absent),  # type: ignore
            texts=(domain.text, problem.text),
            plain_text=(domain.mended, problem.mended),
            folders=(domain.folder, problem.folder),
            warnings=(*domain.warnings, *problem.warnings),
            mended=bool(domain.mends or problem.mends),
            needs=tuple(needs.values()),
            declared=Declarations(self.vocabulary, actions),
        )

    def _each(self, check: Callable[[Node], None], nodes: Iterable[Node]) -> None:
        for node in nodes:
            with collected(self.errors):
                check(node)

    def _need(self, need: Need, node: Node) -> None:
        self.needs.append(self.source.unsupported(node, f"{need} are"))

    def _signature(self, group: Group) -> Signature | None:
        """The name and the parameters of an action or a task; None for anything else."""
        if group.head not in (":action", ":durative-action", ":task"):
            return None
        symbol = check_name(self.source, group.items[1] if len(group.items) > 1 else group, "an action")
        self.called[symbol.key] = Signature(symbol, tuple(self._fields(group)[1].values()))
        return self.called[symbol.key]

    def _fields(self, group: Group) -> tuple[dict[str, Node], Scope]:
        """The fields of an action and the like, and its parameters."""
        source, head, start = self.source, group.head, 1 if group.head == ":htn" else 2
        found = fields_of(source, group.items[start:], _FIELDS.get(head, _OF_ACTIONS), head.removeprefix(":"))
        parameters = typed_variables(source, found.pop(":parameters", Group(())))
        self.vocabulary.check_types(source, parameters)
        return found, scope_of(parameters)

    def _body(self, group: Node) -> None:
        """Checks an action, a rule, a process, a method or a task network."""
        assert isinstance(group, Group)
        if group.head in _SECTIONS:
            self._need(_SECTIONS[group.head], group.items[0])
        if group.head == ":derived":
            head = group.items[1]
            variables = typed_variables(self.source, Group(head.items[1:] if isinstance(head, Group) else ()))
            self._formula(group.items[2], scope_of(variables))
            return
        fields, scope = self._fields(group)
        if ":observe" in fields:
            raise self._uncertain(fields[":observe"], ":observe")
        fields.pop(":ordering", None)
        for keyword, value in fields.items():
            with collected(self.errors):
                self._formula(value, scope, lenient=keyword == ":effect")

    def _fact(self, node: Node) -> None:
        if head_of(node) in (*_UNCERTAIN, "or"):
            raise self._uncertain(node)
        operands = node.items[1:] if isinstance(node, Group) and node.head == "=" else (node,)
        self._each(lambda part: self._formula(part, lenient=True), operands)

    def _uncertain(self, node: Node, word: str = "") -> PddlError:
        what = f"'{word or head_of(node)}' in a task with {self.refused[0].need}"
        return self.source.error(node, what, "neither hidden facts nor chance beside them: no planner has both")

    def _formula(self, node: Node, scope: Scope = MappingProxyType({}), lenient: bool = False) -> None:
        """Checks a condition, an effect, a duration, an expression, or subtasks."""
        source, known = self.source, self.vocabulary
        if isinstance(node, Symbol):
            if not is_number(node) and node.key not in _GIVEN and node.key not in known.functions:
                known.term(source, node, scope)
            return
        head, operands = node.head, node.items[1:]
        declared = known.predicates.get(head) or known.functions.get(head) or self.called.get(head)
        first = head_of(operands[0]) if operands else ""
        at_time = head == "at" and len(operands) == 2 and is_number(operands[0])
        if at_time or (first in _MOMENTS.get(head, ()) and isinstance(operands[-1], Group)):
            if at_time:
                self._need(Need.TIMED, node)
            operands = operands[1:]
        elif declared is not None:
            known.check_arguments(source, declared, node, scope, lenient=lenient and head in known.predicates)
            return
        elif head in ("exists", "forall"):
            variables = typed_variables(source, operands[0]) if operands else []
            known.check_types(source, variables)
            scope, operands = {**scope, **scope_of(variables)}, operands[1:]
        elif head in ("preference", "is-violated"):
            self._need(Need.PREFERENCES, node)
            operands = tuple(operand for operand in operands if isinstance(operand, Group))
        elif head in _UNCERTAIN:
            raise self._uncertain(node)
        elif head in _TIMED:
            raise source.unsupported(node.items[0], f"trajectory constraints ('{head}') are")
        elif node.items and head not in (*_NUMERIC, *_JOINING, *_GIVEN) and (not operands or first not in self.called):
            name = node.items[0]  # of no subtask
            problem = f"undeclared predicate '{name.text if isinstance(name, Symbol) else '('}'"
            raise source.error(name, problem, "a declared predicate", near(head, known.predicates))
        numeric = head in _NUMERIC or head == "increase" or head == "=" and any(isinstance(o, Group) for o in operands)
        if numeric and first not in ("?duration", TOTAL_COST if head == "increase" else ""):
            self._need(Need.NUMBERS, node)
        self._each(lambda part: self._formula(part, scope, lenient or head == "or"), operands)
