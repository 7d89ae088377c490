"""Checked nodes → nodes in the one form that Tarski accepts.

1. Names are lower case, ``[a-z][a-z0-9_-]*``, and no name has two meanings; ``original_names`` maps them back.
2. Types form a tree in which every object has one type. Other types, as of a variable of ``(either a b)`` or of
   objects with several types, become a static predicate ``is-a-or-b`` and a condition on it.
3. Objects, constants and types are declared once, parents first; every variable has a type.
4. A quantifier's variable never hides another one: it is renamed.
5. Conditions that are always true or false are folded: an empty ``or``, a quantifier over a type without objects. A
   whole condition that is false becomes ``(never)``, a fact that no state has; a true one remains ``(and)`` as a goal
   or a precondition, and becomes ``(not (never))`` elsewhere.
6. An effect is a flat list of literals, each under at most one ``forall`` and one ``when``, and at most one cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from commonsense_planning.pddl.check import CheckedAction, CheckedTask
from commonsense_planning.pddl.conditions import TOTAL_COST, CheckedConstraint, head_of, is_cost
from commonsense_planning.pddl.derived import Rule
from commonsense_planning.pddl.initial import Alternative
from commonsense_planning.pddl.names import NO_VARIABLES, Renaming, SafeNames, no_variables
from commonsense_planning.pddl.nodes import Group, Node, Symbol, bracketed, render
from commonsense_planning.pddl.source import Source
from commonsense_planning.pddl.trajectories import Operator
from commonsense_planning.pddl.vocabulary import Typed, Vocabulary, typed_variables

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


_CONNECTIVES: Mapping[str, Callable[..., Group]] = {
    "and": conjunction,
    "or": disjunction,
    "not": negation,
    "imply": implication,
}
_NO_TYPES = bracketed(":types", "none", "-", "object")
_IDLE = bracketed(":action", "idle", ":parameters", Group(()), ":precondition", TRUE, ":effect", TRUE)


class MissingMembership(Exception):
    """A formula needs a membership predicate (see 2.) that its task does not have."""


@dataclass(frozen=True)
class NormalConstraint:
    """An operator with its conditions; ``variables``: the typed list of the single ``forall`` around it, possibly
    empty."""

    operator: Operator
    variables: Group
    conditions: tuple[Group, ...]

    def text(self) -> Group:
        """The constraint as written in a file."""
        constraint = bracketed(*self.operator.words, *self.conditions)
        return bracketed("forall", self.variables, constraint) if self.variables.items else constraint


@dataclass(frozen=True)
class Normal:
    """A task in normal form: two ``(define …)`` groups, and the contingent part, which is in neither.

    All objects are constants of the domain, which also has the rules ``derived``. ``constraints``, the domain's and
    then the problem's, are also in the problem's ``:constraints``. ``observes``: action → atoms over its parameters.
    """

    domain: Group
    problem: Group
    derived: tuple[Group, ...]
    constraints: tuple[NormalConstraint, ...]
    oneof: tuple[tuple[Alternative, ...], ...]
    clauses: tuple[tuple[Alternative, ...], ...]
    unknown: tuple[Group, ...]
    observes: Mapping[str, tuple[Group, ...]]

    @property
    def texts(self) -> tuple[str, str]:
        """The two files, with additions for other readers: an action that changes nothing, for VAL, if there is none,
        and a type without objects, for unified-planning, if there are none."""
        idle = [] if any(head_of(item) == ":action" for item in self.domain.items) else [_IDLE]
        sections = (_NO_TYPES if item == bracketed(":types") else item for item in self.domain.items)
        return render(Group((*sections, *idle))), render(self.problem)


class Normaliser:
    """Normalises the parts of one task; ``vocabulary``: its declarations, ``names``: their normalised names."""

    def __init__(self, task: CheckedTask) -> None:
        self.vocabulary = task.vocabulary
        self.names = SafeNames()
        self._task = task
        self._dissolved = _overlapping_types(task.vocabulary)
        self._memberships: dict[tuple[str, ...], str] = {}  # alternatives → the predicate's name
        self._complete = False  # whether the task is normalised: then no predicate can be added
        self._never: str | None = None  # the name of the predicate that never holds, if it is used
        self._name_all()
        functions = [name for (kind, _), name in self.names.assigned.items() if kind == "function"]
        self._outermost = no_variables(functions)
        self._inhabited = {
            kind
            for item in self.vocabulary.objects.values()
            for kind in self.vocabulary.ancestors(self._sort_key(item.types))
        }

    def task(self) -> Normal:
        """The whole task."""
        task = self._task
        costs = _cost_functions(task)
        actions = [self._action(action) for action in task.actions]
        derived = [self._derived(rule) for rule in task.derived]
        goal = self.condition(task.goal, self._outermost)
        constraints = tuple(found for c in task.constraints for found in self._constraint(c))
        if not self.vocabulary.predicates:
            self._never_true()  # VAL needs a predicate
        # Now all memberships that the actions, the goal and the constraints need are known.
        initial: list[Node] = [self._ground(atom) for atom in task.initial.atoms]
        initial += [
            bracketed("=", self._function(term), _decimal(value))
            for term, value in task.initial.values
            if term.head in costs
        ]
        requirements = [":strips", ":typing", ":equality", *[":action-costs"] * bool(costs)]
        requirements += [":constraints"] * bool(constraints) + [":derived-predicates"] * bool(derived)
        domain: list[Node] = [
            Symbol("define"),
            bracketed("domain", self.names.of("domain", task.domain.symbol)),
            bracketed(":requirements", *requirements),
            bracketed(":types", *self._types()),
            bracketed(":constants", *self._objects()),
            bracketed(":predicates", *self._predicates()),
            *([bracketed(":functions", *self._functions(costs))] if costs else []),
            *derived,
            *actions,
        ]
        problem: list[Node] = [
            Symbol("define"),
            bracketed("problem", self.names.of("problem", task.symbol)),
            bracketed(":domain", self.names.of("domain", task.domain.symbol)),
            bracketed(":init", *initial, *self._membership_facts()),
            bracketed(":goal", goal),
            *([bracketed(":constraints", bracketed("and", *(c.text() for c in constraints)))] if constraints else []),
            *([bracketed(":metric", "minimize", bracketed(TOTAL_COST))] if task.total_cost else []),
        ]
        oneof = tuple(tuple(map(self._alternative, a)) for a in task.initial.oneof)
        clauses = tuple(tuple(map(self._alternative, a)) for a in task.initial.clauses)
        unknown = tuple(map(self._ground, task.initial.unknown))
        observes = {
            self.names.of("action", a.symbol): tuple(self._atom(atom, self.rename(a.parameters)) for atom in a.observe)
            for a in task.actions
            if a.observe
        }
        self._complete = True
        texts = Group(tuple(domain)), Group(tuple(problem))
        return Normal(*texts, tuple(derived), constraints, oneof, clauses, unknown, observes)

    def condition(self, node: Node, renaming: Renaming) -> Group:
        """A checked condition whose free variables are in ``renaming``.

        Raises MissingMembership if the task is already normalised and lacks a predicate that the condition needs.
        """
        condition = self._formula(node, renaming)
        return condition if self._complete else self._precondition(condition)

    def rename(self, variables: Sequence[Typed]) -> Renaming:
        """The normalised names of checked variables."""
        return self._bind_all(variables, self._outermost).renaming

    def _precondition(self, condition: Group) -> Group:
        """A whole condition, which may be true; if it is false, it is ``(never)``."""
        return self._never_true() if condition == FALSE else condition

    def _literal(self, condition: Group) -> Group:
        """A whole condition that must not be empty: of a rule, of a constraint."""
        return bracketed("not", self._never_true()) if condition == TRUE else self._precondition(condition)

    def _never_true(self) -> Group:
        if self._never is None:
            self._never = self.names.add("membership", Symbol("never"))
        return bracketed(self._never)

    def _formula(self, node: Node, renaming: Renaming) -> Group:
        group = _asbracketed(node)
        head, operands = group.head, group.items[1:]
        if not group.items:
            return TRUE
        if head in _CONNECTIVES:
            return _CONNECTIVES[head](*(self._formula(operand, renaming) for operand in operands))
        if head in ("exists", "forall"):
            binding = self._bind(operands[0], renaming)
            body = self._formula(operands[1], binding.renaming)
            restricted = conjunction if head == "exists" else implication
            body = restricted(conjunction(*binding.members), body)
            return quantification(head, binding.variables, body, empty=binding.empty)
        if head == "=":
            return bracketed("=", *(self._term(operand, renaming) for operand in operands))
        return self._atom(group, renaming)

    def sort(self, types: Sequence[Symbol]) -> str:
        """The name of Tarski's type for things of any of these types."""
        return self.names.assigned["type", self._sort_key(types)]

    def _sort_key(self, types: Sequence[Symbol]) -> str:
        kind = self.vocabulary.common_ancestor([kind.key for kind in types])
        while kind in self._dissolved:
            kind = self.vocabulary.parents.get(kind, "object")
        return kind

    def is_plain(self, types: Sequence[Symbol]) -> bool:
        """Whether ``sort`` is enough, without a membership predicate."""
        return len(types) == 1 and types[0].key not in self._dissolved

    def _name_all(self) -> None:
        words, task = self.vocabulary, self._task
        self.names.assigned["type", "object"] = "object"
        if TOTAL_COST in words.functions:
            self.names.add("function", words.functions[TOTAL_COST].symbol)
        kinds: list[tuple[str, Iterable[Symbol]]] = [
            ("predicate", (signature.symbol for signature in words.predicates.values())),
            ("object", (item.symbol for item in words.objects.values())),
            ("type", (symbol for key, symbol in words.types.items() if key != "object")),
            ("function", (item.symbol for key, item in words.functions.items() if key != TOTAL_COST)),
            ("action", (action.symbol for action in task.actions)),
        ]
        for kind, symbols in kinds:
            for symbol in symbols:
                self.names.add(kind, symbol)
        self.names.add("domain", task.domain.symbol)
        self.names.add("problem", task.symbol)

    def _types(self) -> list[Symbol]:
        done: list[str] = ["object"]
        for kind in self.vocabulary.types:
            done += [key for key in reversed([*self.vocabulary.ancestors(kind)]) if key not in done]
        flat: list[Symbol] = []
        for kind in done[1:]:
            if kind not in self._dissolved:
                parent = Symbol(self.vocabulary.parents.get(kind, "object"))
                flat += _words(self.names.assigned["type", kind], "-", self.sort((parent,)))
        return flat

    def _objects(self) -> list[Symbol]:
        objects = self.vocabulary.objects.values()
        return [w for o in objects for w in _words(self.names.of("object", o.symbol), "-", self.sort(o.types))]

    def _predicates(self) -> list[Group]:
        declared = [
            bracketed(self.names.of("predicate", signature.symbol), *self._parameters(signature.parameters))
            for signature in self.vocabulary.predicates.values()
        ]
        members = []
        for kinds, name in self._memberships.items():
            types = tuple(map(Symbol, kinds))
            sort = "object" if self.is_plain(types) else self.sort(types)
            members.append(bracketed(name, "?x", "-", sort))
        never = [bracketed(self._never)] if self._never else []
        return declared + members + never

    def _functions(self, used: Iterable[str]) -> list[Node]:
        flat: list[Node] = []
        for key in used:
            signature = self.vocabulary.functions[key]
            name = self.names.of("function", signature.symbol)
            flat += [bracketed(name, *self._parameters(signature.parameters)), *_words("-", "number")]
        return flat

    def _parameters(self, parameters: Sequence[Typed]) -> list[Symbol]:
        return [w for i, p in enumerate(parameters, 1) for w in _words(f"?x{i}", "-", self.sort(p.types))]

    def _membership_facts(self) -> list[Node]:
        return [
            bracketed(name, self.names.of("object", item.symbol))
            for kinds, name in self._memberships.items()
            for item in self.vocabulary.objects.values()
            if self.vocabulary.fits(item, tuple(map(Symbol, kinds)))
        ]

    def _membership(self, types: Sequence[Symbol]) -> str:
        """The name of the predicate that holds for the objects of any of these types."""
        kinds = tuple(sorted({kind.key for kind in types}))
        if kinds not in self._memberships:
            if self._complete:
                raise MissingMembership(f"variables of type {' or '.join(kinds)}")
            self._memberships[kinds] = self.names.add("membership", Symbol(f"is-{'-or-'.join(kinds)}"))
        return self._memberships[kinds]

    def _action(self, action: CheckedAction) -> Group:
        binding = self._bind_all(action.parameters, self._outermost)
        precondition = conjunction(*binding.members, self._formula(action.precondition, binding.renaming))
        effects = self._effects(action.effect, binding.renaming) if action.effect.items else []
        return bracketed(
            *(":action", self.names.of("action", action.symbol), ":parameters", binding.variables),
            *(":precondition", self._precondition(precondition), ":effect", bracketed("and", *effects)),
        )

    def _constraint(self, constraint: CheckedConstraint) -> Iterator[NormalConstraint]:
        """The constraint under one ``forall``; none if it is about no objects."""
        renaming, variables, members = self._outermost, list[Node](), list[Group]()
        for forall in constraint.foralls:
            binding = self._bind(forall, renaming)
            if binding.empty:
                return
            renaming = binding.renaming
            variables += binding.variables.items
            members += binding.members
        first, *others = (self._formula(condition, renaming) for condition in constraint.conditions)
        restricted = implication if constraint.operator.in_vain else conjunction
        conditions = restricted(conjunction(*members), first), *others
        yield NormalConstraint(constraint.operator, Group(tuple(variables)), tuple(map(self._literal, conditions)))

    def _derived(self, rule: Rule) -> Group:
        binding = self._bind_all(rule.parameters, self._outermost)
        head = bracketed(self.names.of("predicate", rule.predicate), *binding.variables.items)
        declared = self.vocabulary.predicates[rule.predicate.key].parameters
        narrower = (  # VAL does not heed the types of a head
            bracketed(self._membership(own.types), binding.renaming.of(own.symbol))
            for own, item in zip(rule.parameters, declared, strict=True)
            if self.is_plain(own.types) and self._sort_key(own.types) != self._sort_key(item.types)
        )
        condition = conjunction(*binding.members, *narrower, self._formula(rule.condition, binding.renaming))
        return bracketed(":derived", head, self._literal(condition))

    def _effects(self, node: Node, renaming: Renaming) -> list[Group]:
        """The effect as a list of literals and costs, each possibly in a ``when``, and that in a ``forall``."""
        group = _asbracketed(node)
        head, operands = group.head, group.items[1:]
        if head == "and" or not group.items:
            return [effect for operand in operands for effect in self._effects(operand, renaming)]
        if head == "not":
            return [bracketed("not", self._atom(_asbracketed(operands[0]), renaming))]
        if head == "when":
            condition = self._formula(operands[0], renaming)
            return _under_condition(condition, self._effects(operands[1], renaming))
        if head == "forall":
            binding = self._bind(operands[0], renaming)
            effects = self._effects(operands[1], binding.renaming)
            effects = _under_condition(conjunction(*binding.members), effects)
            return [] if binding.empty else [_under_forall(binding.variables, effect) for effect in effects]
        if head in ("increase", "decrease"):
            cost = operands[1]
            amount = _decimal(cost) if isinstance(cost, Symbol) else self._function(cost, renaming)
            return [bracketed("increase", bracketed(TOTAL_COST), amount)] if is_cost(group) else []
        return [self._atom(group, renaming)]

    def _atom(self, group: Group, renaming: Renaming) -> Group:
        name = self.names.assigned["predicate", group.head]
        return bracketed(name, *(self._term(item, renaming) for item in group.items[1:]))

    def _ground(self, atom: Group) -> Group:
        return self._atom(atom, NO_VARIABLES)

    def _alternative(self, literals: Alternative) -> Alternative:
        return tuple((self._ground(atom), positive) for atom, positive in literals)

    def _function(self, group: Group, renaming: Renaming = NO_VARIABLES) -> Group:
        name = self.names.assigned["function", group.head]
        return bracketed(name, *(self._term(item, renaming) for item in group.items[1:]))

    def _term(self, node: Node, renaming: Renaming) -> str:
        assert isinstance(node, Symbol)  # as checked
        return renaming.of(node) if node.text.startswith("?") else self.names.of("object", node)

    def _bind(self, node: Node, renaming: Renaming) -> _Binding:
        return self._bind_all(typed_variables(_NOWHERE, node), renaming)  # checked: it cannot fail

    def _bind_all(self, variables: Sequence[Typed], renaming: Renaming) -> _Binding:
        inner = renaming.bind(variable.symbol for variable in variables)
        flat: list[Symbol] = []
        members: list[Group] = []
        sorts: list[str] = []
        for variable in variables:
            name = inner.of(variable.symbol)
            sorts.append(self._sort_key(variable.types))
            flat += _words(name, "-", self.sort(variable.types))
            if not self.is_plain(variable.types):
                members.append(bracketed(self._membership(variable.types), name))
        empty = not self._inhabited.issuperset(sorts)
        return _Binding(Group(tuple(flat)), inner, tuple(members), empty)


@dataclass(frozen=True)
class _Binding:
    """Variables with normalised names: the typed list, the inner renaming, the required memberships, and whether some
    variable has no objects."""

    variables: Group
    renaming: Renaming
    members: tuple[Group, ...]
    empty: bool


_NOWHERE = Source(Path(), "", Group(()))


def _under_condition(condition: Group, effects: Iterable[Group]) -> list[Group]:
    """``(when condition effect)`` for each effect, kept in normal form."""
    return [] if condition == FALSE else [_when(condition, effect) for effect in effects]


def _when(condition: Group, effect: Group) -> Group:
    if effect.head == "forall":
        return Group((*effect.items[:2], _when(condition, _asbracketed(effect.items[2]))))
    if effect.head == "when":
        return _when(conjunction(condition, _asbracketed(effect.items[1])), _asbracketed(effect.items[2]))
    return effect if condition == TRUE else bracketed("when", condition, effect)


def _under_forall(variables: Group, effect: Group) -> Group:
    """``(forall variables effect)``, kept in normal form."""
    if effect.head == "forall":
        return bracketed("forall", Group((*variables.items, *_asbracketed(effect.items[1]).items)), effect.items[2])
    return bracketed("forall", variables, effect)


def _overlapping_types(words: Vocabulary) -> set[str]:
    """The types that cannot be in a tree, since one of their objects also has other types."""
    found: set[str] = set()
    for item in words.objects.values():
        if len(item.types) > 1:
            keys = [kind.key for kind in item.types]
            above = set(words.ancestors(words.common_ancestor(keys)))
            found |= {kind for key in keys for kind in words.ancestors(key)} - above
    return found


def _cost_functions(task: CheckedTask) -> list[str]:
    """The keys of the functions that action costs need, ``total-cost`` first."""
    found = [TOTAL_COST] if task.total_cost else []
    stack: list[Node] = [action.effect for action in task.actions]
    while stack:
        node = stack.pop()
        if isinstance(node, Group):
            if is_cost(node):
                functions = [TOTAL_COST, *(item.head for item in node.items[2:] if isinstance(item, Group))]
                found += [key for key in functions if key not in found]
            stack.extend(node.items)
    return list(dict.fromkeys(found))


def _decimal(number: Symbol) -> str:
    """A number without sign, exponent and redundant digits: ``10`` for ``+1e1``."""
    value = Decimal(number.text)
    return str(int(value)) if value == value.to_integral_value() else f"{value.normalize():f}"


def _asbracketed(node: Node) -> Group:
    assert isinstance(node, Group)  # as checked
    return node


def _words(*words: str) -> list[Symbol]:
    return [Symbol(word) for word in words]
