"""``sensors.pddl``: the facts that an agent does not know initially, and when it sees them. Also formulas that are read
after the task, such as a sensor's condition or a goal: checked nodes → Tarski, with the task's names.

    (define (sensors NAME)
      (:domain DOMAIN)
      (:unknown ?x - type …)                          the things of these types are not known initially
      (:hidden PATTERN … | PATTERN p …)               facts that are not known initially, and their probabilities
      (:exactly-one ?x - type … PATTERN …)            for each ?x, exactly one fact of these patterns holds
      (:sense PATTERN :when CONDITION ERROR …)        under the condition, facts of the pattern are seen
      ERROR …)                                        of rules without errors of their own

An ERROR is ``(:miss p)``: a true fact is read as false with probability p; ``(:false-alarm p)``: a false one as true;
or ``(:accuracy p)``: both with 1 - p. Given the state, readings are independent.

A pattern is an atom whose variables may have types, ``(on ?m - movable ?s - surface)``; a variable without a type has
that of the predicate's parameter. Either all hidden patterns have probabilities, or none. If two patterns share a fact,
the later one counts. In an ``:exactly-one``, probabilities are weights. The declared objects of an unknown type
represent as many things that must be somewhere, with names that an agent does not know (``agent``). ``:unknown``,
``:hidden``, ``:exactly-one`` and ``:sense`` may be repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from commonsense_planning.errors import Place
from commonsense_planning.pddl.build import build_atom, build_formula
from commonsense_planning.pddl.conditions import Checker, scope_of
from commonsense_planning.pddl.names import Renaming
from commonsense_planning.pddl.nodes import Group, Node, Symbol, render
from commonsense_planning.pddl.normalise import TRUE, MissingMembership
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.sections import check_domain_name, define, sections_of
from commonsense_planning.pddl.source import Source
from commonsense_planning.pddl.syntax import parse, read_source
from commonsense_planning.pddl.vocabulary import Typed, Vocabulary, probability, typed_terms, typed_variables
from commonsense_planning.support.english import near
from commonsense_planning.support.reading import Text


@dataclass(frozen=True)
class Scope:
    """Free variables: as declared, and as Tarski's variables, in the same order."""

    declared: tuple[Typed, ...] = ()
    variables: tuple[Any, ...] = ()
    renaming: Renaming = field(default_factory=Renaming)


def formula_from_text(text: str, problem: Problem, name: str = "<formula>") -> Any:
    """Tarski's formula for the text of one ground condition, such as a goal; ``name``: the name of the file in errors.

    Raises PddlError if the text is wrong, UnsupportedFeature if the problem cannot express it.
    """
    source = parse(text, name, define=False, strict=True)
    return formula_from_node(source.root, source, problem)


def formula_from_node(node: Node, source: Source, problem: Problem, scope: Scope | None = None) -> Any:
    """Tarski's formula for a condition with free variables in ``scope``. Raises PddlError, UnsupportedFeature."""
    scope = scope or Scope()
    words = problem.normaliser
    Checker(source, words.vocabulary).condition(node, scope_of(scope.declared))
    try:
        normal = words.condition(node, scope.renaming)
    except MissingMembership as error:
        raise source.unsupported(node, f"{error} are") from error
    variables = {variable.symbol: variable for variable in scope.variables}
    return build_formula(problem.tarski.language, normal, variables)


def scope_from_variables(variables: Sequence[Typed], source: Source, problem: Problem) -> Scope:
    """The scope of variables with checked types. Raises UnsupportedFeature if Tarski cannot represent them."""
    words = problem.normaliser
    for variable in variables:
        if not words.is_plain(variable.types):
            raise source.unsupported(variable.symbol, f"variables of type {variable.type_text} are", "another type")
    renaming = words.rename(variables)
    lang = problem.tarski.language
    bound = (lang.variable(renaming.of(v.symbol), words.sort(v.types)) for v in variables)
    return Scope(tuple(variables), tuple(bound), renaming)


ERRORS = (":miss", ":false-alarm", ":accuracy")
SECTIONS = (":domain", ":unknown", ":hidden", ":exactly-one", ":sense", *ERRORS)


@dataclass(frozen=True)
class Pattern:
    """A set of facts: a Tarski atom, its variables, which match any object of their type, and its place in the file."""

    atom: Any
    variables: tuple[Any, ...]
    place: Place


@dataclass(frozen=True)
class ExactlyOne:
    """For each binding of ``variables``, exactly one instance of the alternatives holds.

    ``variables`` occur in every alternative; the other variables of an alternative are those in its pattern.
    """

    variables: tuple[Any, ...]
    alternatives: tuple[Pattern, ...]


@dataclass(frozen=True)
class SenseRule:
    """Instances of the pattern are seen in every state in which the Tarski formula ``condition`` holds; its free
    variables are the pattern's. ``errors``: the probabilities that an instance is seen as true if it is false, and as
    false if it is true, in [0, 1]."""

    pattern: Pattern
    condition: Any
    errors: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Sensors:
    """The facts that an agent does not know initially, and when it sees them. ``unknown``: types, as PDDL symbols,
    whose things it does not know. ``chances``: the initial probability of the facts of each pattern in ``hidden``, in
    [0, 1]; empty if the file gives none. ``text``: that of the file; None without one."""

    hidden: tuple[Pattern, ...]
    groups: tuple[ExactlyOne, ...]
    rules: tuple[SenseRule, ...]
    unknown: tuple[Symbol, ...] = ()
    chances: tuple[float, ...] = ()
    text: str | None = field(default=None, repr=False, compare=False)


def read_sensors(file: str | Path | Text, problem: Problem) -> Sensors:
    """Reads a sensors file, or a text in its place, and checks it against the problem's domain.

    Raises PddlError if it is wrong, UnsupportedFeature for variables of a type that Tarski cannot represent, InputError
    if the file cannot be read.
    """
    warnings = list(problem.warnings)  # they may explain an error
    source = replace(read_source(file, True, "sensors"), warnings=warnings)
    return replace(SensorsReader(source, problem).read(), text=source.text)


@dataclass(frozen=True)
class _Parsed:
    """A pattern with its nodes. ``positions``: the variable or object at each argument."""

    node: Group
    pattern: Pattern
    scope: Scope
    positions: tuple[Typed, ...]

    @cached_property
    def key(self) -> tuple[str, ...]:
        """Equal for patterns with the same meaning."""
        arguments = (
            position.type_text.lower() if _is_variable(position) else position.symbol.key for position in self.positions
        )
        return (self.node.head, *arguments)


class SensorsReader:
    """Reads the sections of a sensors file for a problem. ``hidden``: the patterns of ``:hidden`` so far."""

    def __init__(self, source: Source, problem: Problem) -> None:
        self.source = source
        self.problem = problem
        self.words: Vocabulary = problem.normaliser.vocabulary
        self.hidden: list[_Parsed] = []
        self.chances: list[float | None] = []  # of the hidden patterns

    def read(self) -> Sensors:
        _, groups = define(self.source, "sensors")
        sections = sections_of(self.source, groups, SECTIONS, repeated=SECTIONS[1:5])
        if self.problem.domain_name:  # a problem that was not read from a file may have none
            check_domain_name(self.source, sections.get(":domain", ()), Symbol(self.problem.domain_name))
        unknown = [v for section in sections.get(":unknown", ()) for v in self._unknown(section)]
        for section in sections.get(":hidden", ()):
            self._read_hidden(section)
        claimed: list[_Parsed] = []
        exactly_one = [self._exactly_one(section, claimed) for section in sections.get(":exactly-one", ())]
        errors = self._errors([node for name in ERRORS for node in sections.get(name, ())])
        rules: dict[str, SenseRule] = {}
        patterns: list[tuple[_Parsed, SenseRule]] = []
        for section in sections.get(":sense", ()):
            if render(section).lower() in rules:
                raise self.source.error(section, "the same ':sense' rule again", "one of them")
            parsed = self._seen(section)
            rule = self._sense(section, parsed, errors)
            for other, earlier in patterns:
                if rule.errors != earlier.errors and self._overlap(other, parsed):
                    problem = f"other errors than on line {other.node.line}, where the same facts are seen"
                    raise self.source.error(section, problem, "equal errors for equal facts")
            rules[render(section).lower()] = rule
            patterns.append((parsed, rule))
        return Sensors(
            tuple(parsed.pattern for parsed in self.hidden),
            tuple(exactly_one),
            tuple(rules.values()),
            tuple(unknown),
            self._stated(),
        )

    def _read_hidden(self, section: Group) -> None:
        """Reads the patterns of one ``:hidden``, each with the probability after it, if any."""
        for before, node in pairwise(section.items):
            if isinstance(node, Symbol) and isinstance(before, Group):
                self.chances[-1] = probability(self.source, node)
                continue
            self.hidden.append(self._new(self._pattern(node), self.hidden, "pattern"))
            self.chances.append(None)
            self._check_basic(self.hidden[-1])

    def _stated(self) -> tuple[float, ...]:
        """The probabilities of all hidden patterns; empty if none has one."""
        stated = tuple(chance for chance in self.chances if chance is not None)
        if stated and len(stated) < len(self.chances):
            lacking = self.hidden[self.chances.index(None)].node
            raise self.source.error(lacking, "a pattern without a probability", "one, as behind other patterns")
        return stated

    def _unknown(self, section: Group) -> tuple[Symbol, ...]:
        """The types of one ``:unknown``."""
        variables = typed_variables(self.source, Group(section.items[1:], section.line, section.column))
        self.words.check_types(self.source, variables)
        return tuple(kind for variable in variables for kind in variable.types)

    def _check_basic(self, hidden: _Parsed) -> None:
        """Raises UnsupportedFeature for derived facts, and for facts that derived facts depend on."""
        from commonsense_planning.pddl.evaluation import atoms

        name = hidden.pattern.atom.predicate.symbol
        for head, condition in self.problem.derived:
            derived = head.predicate.symbol
            if name == derived or name in {atom.predicate.symbol for atom in atoms(condition)}:
                hanging = f"facts that derived facts, here of '{self.problem.spell(derived)}', depend on"
                what = "derived facts" if name == derived else hanging
                raise self.source.unsupported(hidden.node, f"hidden {what} are", "a predicate that no rule mentions")

    def _exactly_one(self, section: Group, claimed: list[_Parsed]) -> ExactlyOne:
        """Reads one ``:exactly-one``, and adds its alternatives to ``claimed``; none may be repeated."""
        count = next((i for i, item in enumerate(section.items) if isinstance(item, Group)), len(section.items))
        shared = typed_variables(self.source, Group(section.items[1:count], section.line, section.column))
        self.words.check_types(self.source, shared)
        if count == len(section.items):
            raise self.source.error(section, "':exactly-one' without an alternative", "'(predicate …)'")
        alternatives: list[Pattern] = []
        known = {hidden.key for hidden in self.hidden}
        for node in section.items[count:]:
            parsed = self._pattern(node, shared)
            for variable in shared:
                if variable.symbol.key not in {term.symbol.key for term in parsed.positions}:
                    problem = f"'{variable.symbol.text}' does not occur in this alternative"
                    raise self.source.error(node, problem, "every shared variable in every alternative")
            if parsed.key not in known and not any(self._covers(hidden, parsed) for hidden in self.hidden):
                raise self.source.error(node, "an alternative that is not hidden", "a fact that is in ':hidden'")
            claimed.append(self._new(parsed, claimed, "alternative"))
            alternatives.append(replace(parsed.pattern, variables=parsed.scope.variables[len(shared) :]))
        return ExactlyOne(scope_from_variables(shared, self.source, self.problem).variables, tuple(alternatives))

    def _errors(self, nodes: Sequence[Node], usual: tuple[float, float] = (0.0, 0.0)) -> tuple[float, float]:
        """The error probabilities of a false fact and of a true one; ``usual`` without nodes."""
        given: dict[str, float] = {}
        for node in nodes:
            if not isinstance(node, Group) or node.head not in ERRORS or len(node.items) != 2:
                wanted = "'(:miss p)', '(:false-alarm p)' or '(:accuracy p)'"
                raise self.source.error(node, "no error of a sensor", wanted)
            if node.head in given or (given and ":accuracy" in (node.head, *given)):
                problem = "an error that is said twice"
                raise self.source.error(node, problem, "one ':miss' and one ':false-alarm', or one ':accuracy'")
            given[node.head] = probability(self.source, node.items[1])
        if ":accuracy" in given:
            return 1 - given[":accuracy"], 1 - given[":accuracy"]
        return (given.get(":false-alarm", 0.0), given.get(":miss", 0.0)) if given else usual

    def _seen(self, section: Group) -> _Parsed:
        given, rest = len(section.items) > 1, section.items[2:]
        if not given or (len(rest) == 1 and not (isinstance(rest[0], Group) and rest[0].head in ERRORS)):
            raise self.source.error(section, "':sense' without a pattern and a condition", "'(:sense (…) :when (…))'")
        parsed = self._pattern(section.items[1])
        if not any(self._overlap(hidden, parsed) for hidden in self.hidden):
            problem = f"':sense' of '{parsed.node.head}', which is not hidden"
            hint = near(parsed.node.head, (hidden.node.head for hidden in self.hidden))
            raise self.source.error(parsed.node, problem, "a predicate that is in ':hidden'", hint)
        return parsed

    def _sense(self, section: Group, parsed: _Parsed, usual: tuple[float, float]) -> SenseRule:
        condition: Node = TRUE
        rest = section.items[2:]
        if rest and isinstance(rest[0], Symbol):
            if rest[0].key != ":when":
                raise self.source.error(rest[0], "no ':when' after the pattern", "':when (condition)'")
            condition, rest = rest[1], rest[2:]
        formula = formula_from_node(condition, self.source, self.problem, parsed.scope)
        return SenseRule(parsed.pattern, formula, self._errors(rest, usual))

    def _pattern(self, node: Node, shared: Sequence[Typed] = ()) -> _Parsed:
        """A pattern; ``shared``: variables whose types are declared outside."""
        if not isinstance(node, Group) or not node.items or not isinstance(node.items[0], Symbol):
            raise self.source.error(node, "no pattern", "'(predicate ?x - type …)'")
        signature = self.words.predicate(self.source, node.items[0])
        terms = typed_terms(self.source, node.items[1:])
        bare = Group((node.items[0], *(term.symbol for term in terms)), node.line, node.column)
        known = {variable.symbol.key: variable for variable in shared}
        own: dict[str, Typed] = {}
        for index, term in enumerate(terms):
            if not _is_variable(term) or term.symbol.key in known:
                continue
            if term.symbol.key in own:
                raise self.source.error(
                    term.symbol, f"variable '{term.symbol.text}' twice in one pattern", "another name"
                )
            if not term.types[0].line and index < len(signature.parameters):
                term = Typed(term.symbol, signature.parameters[index].types)
            own[term.symbol.key] = term
        self.words.check_types(self.source, own.values())
        scope_types = {**known, **own}
        self.words.check_arguments(self.source, signature, bare, scope_types)
        scope = scope_from_variables(tuple(scope_types.values()), self.source, self.problem)
        normal = self.problem.normaliser.condition(bare, scope.renaming)
        atom = build_atom(self.problem.tarski.language, normal, {v.symbol: v for v in scope.variables})
        positions = tuple(self.words.term(self.source, item, scope_types) for item in bare.items[1:])
        place = self.source.place(node.line, node.column)
        return _Parsed(bare, Pattern(atom, scope.variables, place), scope, positions)

    def _new(self, parsed: _Parsed, earlier: Sequence[_Parsed], what: str) -> _Parsed:
        for other in earlier:
            if other.key == parsed.key:
                problem = f"the same {what} again; it is already on line {other.node.line}"
                raise self.source.error(parsed.node, problem, "one of them")
        return parsed

    def _covers(self, general: _Parsed, special: _Parsed) -> bool:
        """Whether every instance of ``special`` is an instance of ``general``."""
        pairs = zip(general.positions, special.positions, strict=False)
        return general.node.head == special.node.head and all(self._contains(g, s) for g, s in pairs)

    def _overlap(self, one: _Parsed, other: _Parsed) -> bool:
        """Whether the patterns may have a common instance, by the type tree."""
        pairs = zip(one.positions, other.positions, strict=False)
        return one.node.head == other.node.head and all(self._contains(a, b) or self._contains(b, a) for a, b in pairs)

    def _contains(self, general: Typed, special: Typed) -> bool:
        same = general.symbol.key == special.symbol.key
        return self.words.fits(special, general.types) if _is_variable(general) else same


def _is_variable(term: Typed) -> bool:
    return term.symbol.text.startswith("?")
