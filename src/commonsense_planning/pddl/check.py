"""Checks the sections of a domain and of a problem: nodes → declarations that later steps can rely on.

Every error has its place. Unsupported PDDL raises UnsupportedFeature where it is used; an unused requirement is no
error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from commonsense_planning.errors import PddlError, collected
from commonsense_planning.pddl.conditions import (
    REWARD,
    TOTAL_COST,
    CheckedConstraint,
    Checker,
    check_constraints,
    head_of,
    is_cost,
    scope_of,
)
from commonsense_planning.pddl.derived import Rule, check_certain, check_rules, derived_names
from commonsense_planning.pddl.implicit_declarations import add_types, declare_wider, move_to_constants, with_total_cost
from commonsense_planning.pddl.initial import InitialState, check_init
from commonsense_planning.pddl.nodes import Group, Node, Symbol, groups, render
from commonsense_planning.pddl.outcomes import outcomes
from commonsense_planning.pddl.sections import (
    Feature,
    Requirements,
    check_domain_name,
    define,
    fields_of,
    items_of,
    required,
    requirements_of,
    sections_of,
)
from commonsense_planning.pddl.source import Source
from commonsense_planning.pddl.syntax import SECTIONS
from commonsense_planning.pddl.vocabulary import (
    OBJECT,
    Scope,
    Signature,
    Typed,
    Vocabulary,
    check_name,
    is_number,
    typed_names,
    typed_parameters,
    typed_variables,
    value_of,
)
from commonsense_planning.support.english import counted

ACTION_FIELDS = (":parameters", ":precondition", ":effect", ":observe")


@dataclass(frozen=True)
class CheckedAction:
    """A checked action; a missing precondition or effect is ``()``. ``observe``: the atoms that it shows.
    ``outcome_of``, ``chance``: as in ``Problem.outcomes``."""

    symbol: Symbol
    parameters: tuple[Typed, ...] = ()
    precondition: Group = Group(())
    effect: Group = Group(())
    observe: tuple[Group, ...] = ()
    outcome_of: Symbol | None = None
    chance: float = 1.0


@dataclass(frozen=True)
class Domain:
    """A domain with checked declarations; ``vocabulary.objects`` has the constants.

    The actions, the rules of derived predicates and the constraints are checked with a problem: some IPC domains
    mention objects that only the problem declares.
    """

    source: Source
    symbol: Symbol
    vocabulary: Vocabulary
    actions: tuple[Group, ...]
    derived: tuple[Group, ...]
    constraints: tuple[Group, ...]
    requirements: Requirements
    types: Group | None

    @property
    def typed(self) -> bool:
        """Whether the domain has types; otherwise those of objects are ignored."""
        return self.types is not None


@dataclass(frozen=True)
class CheckedTask:
    """A checked domain with a checked problem; ``vocabulary``: the domain's, with the problem's objects."""

    domain: Domain
    source: Source
    symbol: Symbol
    vocabulary: Vocabulary
    actions: tuple[CheckedAction, ...]
    derived: tuple[Rule, ...]
    initial: InitialState
    goal: Node
    constraints: tuple[CheckedConstraint, ...]
    total_cost: bool
    goal_reward: float | None
    features: frozenset[Feature]


def check_domain(source: Source) -> Domain:
    """Checks a domain, except for its actions, rules and constraints. Raises PddlError at the first error."""
    symbol, body = define(source, "domain")
    sections = sections_of(source, body, SECTIONS["domain"], repeated=(":action", ":derived"))
    requirements = requirements_of(source, sections)
    section = sections.get(":types", [None])[0]
    types, parents = _types(source, section)
    if section is not None:
        for keyword in (":constants", ":predicates", ":functions"):
            add_types(types, source, items_of(sections, keyword), source, section)
    vocabulary = Vocabulary(types, parents)
    vocabulary = replace(vocabulary, objects=objects_of(source, items_of(sections, ":constants"), vocabulary))
    vocabulary = replace(
        vocabulary,
        predicates=check_signatures(source, items_of(sections, ":predicates"), vocabulary),
        functions=_functions(source, items_of(sections, ":functions"), vocabulary),
    )
    kept = (":action", ":derived", ":constraints")
    actions, derived, constraints = (tuple(sections.get(keyword, ())) for keyword in kept)
    return Domain(source, symbol, vocabulary, actions, derived, constraints, requirements, section)


def check_task(domain: Domain, source: Source) -> CheckedTask:
    """Checks the domain's actions, rules and constraints, and a problem. Raises the first PddlError, with the others;
    checking ends at an error in a declaration."""
    errors: list[PddlError] = []
    try:
        task = _check_task(domain, source, errors)
    except PddlError as last:
        errors.append(last)
    if errors:
        errors[0].others = tuple({str(error): error for error in errors[1:]}.values())
        raise errors[0]
    return task


def _check_task(domain: Domain, source: Source, errors: list[PddlError]) -> CheckedTask:
    symbol, body = define(source, "problem")
    sections = sections_of(source, body, SECTIONS["problem"])
    check_domain_name(source, sections.get(":domain", ()), domain.symbol, must=False)
    requirements = requirements_of(source, sections, domain.requirements.declared)
    items, types = items_of(sections, ":objects"), dict(domain.vocabulary.types)
    if domain.types is not None:
        add_types(types, source, items, domain.source, domain.types)
    vocabulary = replace(domain.vocabulary, types=types, predicates=dict(domain.vocabulary.predicates))
    objects = objects_of(source, items, vocabulary, typed=domain.typed)
    metric = sections.get(":metric", ())
    functions = with_total_cost(domain.vocabulary.functions, domain.source, domain.actions, source, metric)
    goal_reward = _goal_reward(source, sections)
    mentions = (group.head for node in (*domain.actions, *sections.get(":init", ()), *metric) for group in groups(node))
    if goal_reward is not None or REWARD in mentions:
        functions = {**{name: Signature(Symbol(name)) for name in (TOTAL_COST, REWARD)}, **functions}
    vocabulary = replace(vocabulary, objects={**vocabulary.objects, **objects}, functions=functions)
    derived = derived_names(domain.source, domain.derived)
    later = set(objects)
    domain_checker = Checker(
        domain.source, replace(vocabulary, later=later), {Feature.TYPING} if domain.typed else set(), derived
    )
    domain_checker.errors = errors
    rules = check_rules(domain_checker, domain.derived)
    actions = _actions(domain_checker, domain.actions)
    constraints = check_constraints(domain_checker, domain.constraints)
    if len(later) < len(objects):
        move_to_constants(domain.source, source, objects, later)
    checker = Checker(source, vocabulary, derived=derived, errors=errors)
    initial = check_init(checker, required(source, sections, ":init").items[1:])
    if not errors:
        check_certain(source, rules, initial)
    goal = required(source, sections, ":goal")
    if len(goal.items) != 2:
        problem = f"':goal' has {counted(len(goal.items) - 1, 'condition')}"
        raise source.error(goal, problem, "one; join several by '(and …)'")
    with collected(errors):
        checker.condition(goal.items[1], {})
    declare_wider(domain.source, domain.vocabulary.predicates, vocabulary.predicates)
    constraints += check_constraints(checker, sections.get(":constraints", ()))
    total_cost = _total_cost(checker, metric)
    if errors:
        raise errors.pop()
    features = frozenset(domain_checker.features | checker.features)
    costly = Feature.REWARDS in features and any(is_cost(c) for action in actions for c in changes(action.effect))
    domain.requirements.check(domain.source, domain_checker.required)
    requirements.check(source, checker.required - domain_checker.required)
    return CheckedTask(
        domain=domain,
        source=source,
        symbol=symbol,
        vocabulary=vocabulary,
        actions=actions,
        derived=rules,
        initial=initial,
        goal=goal.items[1],
        constraints=constraints,
        total_cost=total_cost or costly,
        goal_reward=goal_reward,
        features=features,
    )


def _goal_reward(source: Source, sections: Mapping[str, Sequence[Group]]) -> float | None:
    """The reward of the goal in ``:goal-reward``; None without one."""
    for section in sections.get(":goal-reward", ()):
        value = section.items[-1]
        if len(section.items) != 2 or not isinstance(value, Symbol) or not is_number(value):
            raise source.error(section, "':goal-reward' without a number", "'(:goal-reward number)'")
        return value_of(source, value)
    return None


def _check_new(source: Source, symbol: Symbol, what: str, known: Mapping[str, Signature | CheckedAction]) -> None:
    if symbol.key in known:
        line = known[symbol.key].symbol.line
        raise source.error(symbol, f"{what} '{symbol.text}' again; it is already on line {line}", "another name")


def _types(source: Source, section: Group | None) -> tuple[dict[str, Symbol], dict[str, str]]:
    """The types and their parents. A type may be declared again if its parent is the same or more specific."""
    types = {"object": OBJECT}
    parents: dict[str, str] = {}
    declared = [] if section is None else typed_names(source, section.items[1:], "a type")
    for item in declared:
        if len(item.types) > 1:
            raise source.unsupported(item.types[0], "types with several parents are", "one parent type")
        symbol, parent = item.symbol, item.types[0].key
        known = parents.get(symbol.key, "object")
        if symbol.key in types and symbol.key != "object":
            source.warn(symbol, f"type '{symbol.text}' again, as on line {types[symbol.key].line}", "it once", "as one")
        if symbol.key == "object":
            if parent != "object":
                raise source.error(item.types[0], "'object' has no parent", "'object' as the root of all types")
            continue
        if "object" not in (known, parent) and known != parent:
            problem = f"type '{symbol.text}' again, with the parent '{parent}'"
            raise source.error(symbol, problem, f"the parent '{known}' as on line {types[symbol.key].line}")
        types.setdefault(symbol.key, symbol)
        parents[symbol.key] = known if parent == "object" else parent
    if section is not None:
        add_types(types, source, section.items[1:], source, section, parents=True)
    Vocabulary(types).check_types(source, declared)
    _check_acyclic(source, types, parents)
    return types, parents


def _check_acyclic(source: Source, types: Mapping[str, Symbol], parents: Mapping[str, str]) -> None:
    for kind, symbol in types.items():
        path = [kind]
        while (parent := parents.get(path[-1], "object")) != "object":
            if parent == kind:
                problem = f"type '{symbol.text}' is its own ancestor: {' - '.join([*path, kind])}"
                raise source.error(symbol, problem, "types without a circle")
            if parent in path:
                break  # a cycle further up, which has its own turn
            path.append(parent)


def objects_of(source: Source, items: Sequence[Node], known: Vocabulary, typed: bool = True) -> dict[str, Typed]:
    """New objects. A constant may be declared again with its type, and an object with another type that has a common
    ancestor.

    If the domain has no types (``typed`` is false), those in the list are ignored.
    """
    found: dict[str, Typed] = {}
    declared = typed_names(source, items, "an object")
    if typed:
        known.check_types(source, declared)
    else:
        types = [item.types[0] for item in declared if item.types[0].line]
        if types:
            named = next((kind for kind in types if kind.key != "object"), types[0])
            problem = f"a type, '{named.text}', in a domain without ':types'"
            harmless = named.key == "object"  # the type of an object without one
            source.warn(named, problem, "no type", "as if no object had a type", harmless=harmless)
        declared = [Typed(item.symbol) for item in declared]
    for item in declared:
        constant = known.objects.get(item.symbol.key)
        earlier = found.get(item.symbol.key)
        if constant is None:
            found[item.symbol.key] = _one_more_type(source, earlier, item, known) if earlier else item
        elif {kind.key for kind in constant.types} != {kind.key for kind in item.types}:
            problem = f"object '{item.symbol.text}' of type {item.type_text} is also a constant of the domain"
            raise source.error(item.symbol, problem, f"the constant's type {constant.type_text}, or another name")
    return found


def _one_more_type(source: Source, earlier: Typed, item: Typed, known: Vocabulary) -> Typed:
    """The object with the types of both declarations, which must differ and have a common ancestor below ``object``."""
    types = (*earlier.types, *item.types)
    keys = [kind.key for kind in types]
    if len(set(keys)) < len(keys) or known.common_ancestor(keys) == "object":
        problem = f"object '{item.symbol.text}' again; it is already on line {earlier.symbol.line}"
        raise source.error(item.symbol, problem, "another name")
    return Typed(earlier.symbol, types)


def _signature(source: Source, node: Node, what: str, vocabulary: Vocabulary) -> Signature:
    if isinstance(node, Symbol):
        raise source.error(node, f"'{node.text}' where {what} belongs", f"{what} in brackets", f"'({node.text})'")
    if not node.items:
        raise source.error(node, f"'()' where {what} belongs", "'(name ?x - type …)'")
    symbol = check_name(source, node.items[0], what)
    parameters = typed_parameters(source, node.items[1:])
    vocabulary.check_types(source, parameters)
    return Signature(symbol, tuple(parameters))


def check_signatures(
    source: Source, items: Sequence[Node], vocabulary: Vocabulary, what: str = "predicate"
) -> dict[str, Signature]:
    found: dict[str, Signature] = {}
    for node in items:
        if isinstance(node, Group) and node.head == "=":
            continue  # some domains declare equality, which PDDL defines
        signature = _signature(source, node, f"{'an' if what == 'observable' else 'a'} {what}", vocabulary)
        earlier = found.get(signature.symbol.key)
        if isinstance(node, Group) and earlier is not None and _typing(earlier) == _typing(signature):
            problem = f"{what} '{earlier.symbol.text}' again, as on line {earlier.symbol.line}"
            source.warn(signature.symbol, problem, "it once", "as one", (*source.span(node), ""))
            continue
        _check_new(source, signature.symbol, what, found)
        found[signature.symbol.key] = signature
    return found


def _typing(signature: Signature) -> list[tuple[str, ...]]:
    return [tuple(kind.key for kind in parameter.types) for parameter in signature.parameters]


def _functions(source: Source, items: Sequence[Node], vocabulary: Vocabulary) -> dict[str, Signature]:
    found: dict[str, Signature] = {}
    rest = iter(items)
    for node in rest:
        if isinstance(node, Symbol) and node.text == "-":
            kind = next(rest, None)
            if kind is None or not found:
                problem = "'-' without a function before it and a type after it"
                raise source.error(node, problem, "'(function …) - number'")
            if not isinstance(kind, Symbol) or kind.key != "number":
                raise source.unsupported(kind, "functions to objects are", "'number'")
            continue
        signature = _signature(source, node, "a function", vocabulary)
        _check_new(source, signature.symbol, "function", found)
        if signature.symbol.key == TOTAL_COST and signature.parameters:
            raise source.error(node, "'total-cost' with parameters", "'(total-cost)'")
        found[signature.symbol.key] = signature
    return found


def _actions(checker: Checker, sections: Iterable[Group]) -> tuple[CheckedAction, ...]:
    actions: dict[str, CheckedAction] = {}
    for group in sections:
        with collected(checker.errors):
            known = len(checker.errors or ())
            action = _action(checker, group)
            for outcome in _outcomes(checker, action) if len(checker.errors or ()) == known else ():
                _check_new(checker.source, outcome.symbol, "action", actions)
                actions[outcome.symbol.key] = outcome
    return tuple(actions.values())


def _outcomes(checker: Checker, action: CheckedAction) -> list[CheckedAction]:
    """The action itself, or one action for each outcome by chance. Raises PddlError for an outcome with more than one
    cost."""
    found = outcomes(checker.source, action.effect, checker.vocabulary.fitting)
    for _, outcome in found:
        costs = [change for change in changes(outcome) if is_cost(change)]
        if len(costs) > 1:
            wanted = "one '(increase (total-cost) …)'"
            if costs[1].head == "decrease":
                raise checker.source.error(costs[1], "a second cost of one action", wanted)
            raise checker.source.unsupported(costs[1], "several costs of one action are", wanted)
    if len(found) == 1:
        return [replace(action, effect=found[0][1])]
    name = action.symbol
    symbols = (name, *(replace(name, text=f"{name.text}--{i}") for i in range(2, len(found) + 1)))
    return [
        replace(action, symbol=symbol, effect=effect, outcome_of=name, chance=chance)
        for symbol, (chance, effect) in zip(symbols, found, strict=True)
    ]


def _action(checker: Checker, group: Group) -> CheckedAction:
    source = checker.source
    if len(group.items) < 2:
        raise source.error(group, "an action without a name", "'(:action name :parameters (…) …)'")
    symbol = check_name(source, group.items[1], "an action")
    fields = fields_of(source, group.items[2:], ACTION_FIELDS, "action")
    parameters: list[Typed] = []
    if ":parameters" in fields:
        parameters = typed_variables(source, fields[":parameters"])
        checker.vocabulary.check_types(source, parameters)
    scope = scope_of(parameters)
    precondition = _field_group(source, fields, ":precondition")
    if precondition.items:
        with collected(checker.errors):
            checker.condition(precondition, scope)
    effect = _field_group(source, fields, ":effect")
    if effect.items:
        with collected(checker.errors):
            checker.effect(effect, scope)
    elif ":effect" in fields:  # valid PDDL, but VAL ignores the rest of the file
        source.mends.append((*source.span(effect), "(and)"))
    observe = _field_group(source, fields, ":observe")
    observed = tuple(_observed(checker, observe, scope)) if observe.items else ()
    return CheckedAction(symbol, tuple(parameters), precondition, effect, observed)


def _observed(checker: Checker, node: Node, scope: Scope) -> Iterator[Group]:
    """The atoms that an action shows: an atom, a negated one (which is observed as well), or an ``and`` of these."""
    head = node.head if isinstance(node, Group) else ""
    if isinstance(node, Group) and head == "and":
        for operand in node.items[1:]:
            yield from _observed(checker, operand, scope)
    elif isinstance(node, Group) and head == "not" and len(node.items) == 2:
        yield from _observed(checker, node.items[1], scope)
    elif head in ("or", "oneof", "not", "imply", "forall", "exists", "when"):
        raise checker.source.unsupported(node, f"'{head}' under ':observe' is", "an atom, or 'and' of atoms")
    else:
        checker.features.add(Feature.OBSERVATIONS)
        yield checker.atom(node, scope)


def _field_group(source: Source, fields: Mapping[str, Node], keyword: str) -> Group:
    node = fields.get(keyword, Group(()))
    if isinstance(node, Symbol):
        raise source.error(node, f"'{node.text}' where the value of '{keyword}' belongs", "a bracket")
    return node


def changes(effect: Group) -> Iterator[Group]:
    """The changes of cost and reward in an action's outcome, as written there."""
    if effect.head in ("increase", "decrease"):
        yield effect
    elif effect.head == "and":
        for operand in effect.items[1:]:
            if isinstance(operand, Group):
                yield from changes(operand)


def _total_cost(checker: Checker, sections: Sequence[Group]) -> bool:
    """Whether costs are minimized. The metric, if there is one, is ``minimize (total-cost)`` or, with rewards,
    ``maximize (reward)``."""
    if not sections:
        return False
    source, section = checker.source, sections[0]
    checker.require(section, 2, "'minimize (total-cost)'")
    direction, expression = section.items[1:]
    if head_of(direction) not in ("minimize", "maximize"):
        raise source.error(direction, "no direction of the metric", "'minimize (total-cost)'")
    if head_of(direction) == "maximize" and head_of(expression) == REWARD:
        checker.function_term(expression, {})
        checker.features.add(Feature.REWARDS)
        return False
    if head_of(direction) == "maximize":
        raise source.unsupported(direction, "metrics to maximize are", "'minimize (total-cost)'")
    if head_of(expression) != TOTAL_COST:
        raise source.unsupported(expression, "metrics other than total-cost are", "'minimize (total-cost)'")
    if isinstance(expression, Symbol):
        mended = Group((expression,))
        mend = (*source.span(expression), render(mended))
        source.warn(expression, "'total-cost' without brackets", "'(total-cost)'", "as '(total-cost)'", mend)
        expression = mended
    checker.function_term(expression, {})
    return True
