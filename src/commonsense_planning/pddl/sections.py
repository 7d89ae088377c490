"""The frame of a PDDL file: its definition, its sections, and its requirements."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from commonsense_planning.pddl.nodes import Group, Node, Symbol
from commonsense_planning.pddl.source import Source
from commonsense_planning.pddl.syntax import SECTIONS
from commonsense_planning.pddl.vocabulary import check_name
from commonsense_planning.support.english import counted, did_you_mean, near


class Feature(StrEnum):
    """A PDDL feature that a task uses, whether or not its requirements declare it."""

    TYPING = "typing"
    EQUALITY = "equality"
    NEGATIVE_CONDITIONS = "negative conditions"
    DISJUNCTIVE_CONDITIONS = "disjunctive conditions"  # or, imply
    EXISTENTIAL_CONDITIONS = "existential conditions"
    UNIVERSAL_CONDITIONS = "universal conditions"
    CONDITIONAL_EFFECTS = "conditional effects"
    UNIVERSAL_EFFECTS = "universal effects"
    ACTION_COSTS = "action costs"
    CONSTRAINTS = "constraints"  # on trajectories
    DERIVED_PREDICATES = "derived predicates"
    CONTINGENT = "contingent init"  # unknown, oneof, or
    OBSERVATIONS = "observations"  # observe
    CHANCE = "effects by chance"  # probabilistic, oneof
    REWARDS = "rewards"


_ADL = (":adl", ":ucpop")
REQUIRED: Mapping[Feature, tuple[str, ...]] = {
    Feature.TYPING: (":typing", *_ADL),
    Feature.EQUALITY: (":equality", *_ADL),
    Feature.NEGATIVE_CONDITIONS: (":negative-preconditions", *_ADL),
    Feature.DISJUNCTIVE_CONDITIONS: (":disjunctive-preconditions", *_ADL),
    Feature.EXISTENTIAL_CONDITIONS: (":existential-preconditions", ":quantified-preconditions", *_ADL),
    Feature.UNIVERSAL_CONDITIONS: (":universal-preconditions", ":quantified-preconditions", *_ADL),
    Feature.CONDITIONAL_EFFECTS: (":conditional-effects", *_ADL),
    Feature.UNIVERSAL_EFFECTS: (":conditional-effects", ":universal-preconditions", ":quantified-preconditions", *_ADL),
    Feature.ACTION_COSTS: (":action-costs", ":numeric-fluents", ":fluents"),
    Feature.CONSTRAINTS: (":constraints",),
    Feature.CHANCE: (":probabilistic-effects", ":non-deterministic", ":mdp"),
    Feature.REWARDS: (":rewards", ":mdp", ":fluents", ":numeric-fluents"),
    Feature.DERIVED_PREDICATES: (":derived-predicates", ":domain-axioms"),
}
"""The requirements of a feature: one of these is enough, preferably the first. For contingent PDDL, planners differ."""

REQUIREMENTS = {requirement for enough in REQUIRED.values() for requirement in enough} | {
    ":strips", ":object-fluents", ":goal-utilities", ":durative-actions", ":duration-inequalities",
    ":continuous-effects", ":time", ":timed-initial-literals", ":timed-initial-fluents", ":preferences", ":contingent",
    ":partial-observability", ":open-world", ":true-negation", ":action-expansions", ":foreach-expansions",
    ":safety-constraints", ":expression-evaluation", ":hierarchy", ":htn", ":method-preconditions",
}  # fmt: skip
"""All requirements of PDDL and its dialects."""

UNDECLARED = "used, but not declared as required: "  # then the requirements
UNSUPPORTED = {
    ":axiom": "axioms in the notation of PDDL 1.2 are",
    ":durative-action": "durative actions are",
    ":process": "processes are",
    ":event": "events are",
    ":task": "hierarchical tasks are",
    ":method": "hierarchical tasks are",
    ":htn": "hierarchical tasks are",
    ":sense": "sensing rules of actions are",
    ":sensing-model": "sensing models of actions are",
    ":duration": "durative actions are",
    ":condition": "durative actions are",
    ":vars": "variables of actions outside of ':parameters' are",
    ":timeless": "timeless facts are",
    ":situation": "situations are",
    ":extends": "domains that extend others are",
}
OF_PO_PDDL = (":observables", ":observation", ":init-belief")
"""Sections of PO-PDDL only."""


def define(source: Source, kind: str) -> tuple[Symbol, tuple[Node, ...]]:
    """The name and the sections of ``(define (kind name) …)``. Raises PddlError for a file of another kind."""
    items = source.root.items
    if len(items) < 2 or not isinstance(items[1], Group) or not items[1].items:
        raise source.error(items[1] if len(items) > 1 else source.root, "no name follows 'define'", f"'({kind} name)'")
    header = items[1]
    if header.head != kind:
        raise source.error(header, f"the file defines a '{header.head or '('}'", f"'({kind} name)'")
    if len(header.items) != 2:
        raise source.error(header, f"'{kind}' has {counted(len(header.items) - 1, 'name')}", f"'({kind} name)'")
    return check_name(source, header.items[1], f"a {kind}"), items[2:]


def check_domain_name(source: Source, sections: Sequence[Group], name: Symbol, *, must: bool = True) -> None:
    """Checks that the file has ``(:domain name)`` with this name. Another name is an error, or a warning if ``must`` is
    false. Raises PddlError."""
    if not sections:
        raise source.error(source.root, "no ':domain' section", f"'(:domain {name.text})'")
    section = sections[0]
    if len(section.items) != 2 or not isinstance(section.items[1], Symbol):
        raise source.error(section, "':domain' without a single name", f"'(:domain {name.text})'")
    given = section.items[1]
    if given.key == name.key:
        return
    problem, expected = f"this file is for the domain '{given.text}'", f"'{name.text}'"
    if must:
        raise source.error(given, problem, expected)
    source.warn(given, problem, expected, f"for '{name.text}'", (*source.span(given), name.text))


def sections_of(
    source: Source, groups: Iterable[Node], known: Sequence[str], repeated: Sequence[str] = ()
) -> dict[str, list[Group]]:
    """The sections by keyword; each at most once, except for keywords in ``repeated``. Raises PddlError."""
    found: dict[str, list[Group]] = {}
    for group in groups:
        if isinstance(group, Symbol):
            raise source.error(group, f"'{group.text}' where a section belongs", f"a section such as '({known[0]} …)'")
        head = group.head
        if head not in known:
            keyword = group.items[0] if group.items else group
            if head in UNSUPPORTED:
                raise source.unsupported(keyword, UNSUPPORTED[head])
            if head in OF_PO_PDDL:
                raise source.unsupported(keyword, f"PO-PDDL's '{head}' is")
            if head in (*SECTIONS["domain"], *SECTIONS["problem"]):
                raise source.error(keyword, f"'{head}' does not belong here", " ".join(known))
            name = keyword.text if isinstance(keyword, Symbol) else "("
            raise source.error(keyword, f"unknown section '{name}'", " ".join(known), near(name, known))
        if head in found and head not in repeated:
            line = found[head][0].line
            raise source.error(group.items[0], f"'{head}' again; it is already on line {line}", f"one '{head}'")
        found.setdefault(head, []).append(group)
    return found


def fields_of(source: Source, items: Sequence[Node], known: Sequence[str], what: str) -> dict[str, Node]:
    """The values by keyword of ``what``, such as an action. Raises PddlError."""
    fields: dict[str, Node] = {}
    rest = iter(items)
    for keyword in rest:
        if isinstance(keyword, Group) or not keyword.text.startswith(":"):
            found = "a bracket" if isinstance(keyword, Group) else f"'{keyword.text}'"
            raise source.error(keyword, f"{found} where a keyword of the {what} belongs", " ".join(known))
        if keyword.key not in known:
            if keyword.key in UNSUPPORTED:
                raise source.unsupported(keyword, UNSUPPORTED[keyword.key])
            hint = near(keyword.text, known)
            raise source.error(keyword, f"unknown keyword '{keyword.text}'", " ".join(known), hint)
        if keyword.key in fields:
            raise source.error(keyword, f"'{keyword.text}' twice in one {what}", f"one '{keyword.key}'")
        value = next(rest, None)
        if value is None:
            raise source.error(keyword, f"nothing follows '{keyword.text}'", "a bracket")
        fields[keyword.key] = value
    return fields


def items_of(sections: Mapping[str, Sequence[Group]], keyword: str) -> tuple[Node, ...]:
    """The items of all sections with this keyword."""
    return tuple(item for group in sections.get(keyword, ()) for item in group.items[1:])


def required(source: Source, sections: Mapping[str, Sequence[Group]], keyword: str) -> Group:
    """The first section with this keyword. Raises PddlError if there is none."""
    if keyword not in sections:
        raise source.error(source.root, f"no '{keyword}' section", f"'({keyword} …)'")
    return sections[keyword][0]


@dataclass(frozen=True)
class Requirements:
    """The requirements that a file and its domain declare, and the place of the file's declaration, actual or
    possible."""

    declared: frozenset[str]
    place: Node

    def check(self, source: Source, used: Container[Feature]) -> None:
        """Warns of features that the file uses without declaring them. Raises PddlError where warnings are errors."""
        missing = [
            enough[0]
            for feature, enough in REQUIRED.items()
            if feature in used and not self.declared.intersection(enough)
        ]
        if missing:
            words = " ".join(dict.fromkeys(missing))
            problem = f"{UNDECLARED}{words}"
            source.warn(self.place, problem, f"'(:requirements {words} …)'", "as declared")


def requirements_of(
    source: Source, sections: Mapping[str, Sequence[Group]], others: Iterable[str] = ()
) -> Requirements:
    """The requirements that the file declares, and the ``others``. Raises PddlError."""
    found = set(others)
    for node in items_of(sections, ":requirements"):
        if isinstance(node, Group):
            raise source.error(node, "a bracket where a requirement belongs", "a requirement such as ':typing'")
        if node.key not in REQUIREMENTS:
            problem = f"unknown requirement '{node.text}'{did_you_mean(node.text, REQUIREMENTS)}"
            source.warn(node, problem, "a requirement of PDDL", "as if it were not there", (*source.span(node), ""))
        found.add(node.key)
    return Requirements(frozenset(found), sections.get(":requirements", [source.root])[0])
