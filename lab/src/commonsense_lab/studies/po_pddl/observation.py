"""``:observation`` rules of PO-PDDL (arXiv 2606.15654) → ``:sense`` sections of a sensors file, as far as these say it.

    (:observables (obs ?x - type …) …)                                  names for reports
    (:observation NAME :parameters (…) :condition C :distribution D)     in a state where C holds, a report is drawn

Two rules of which one wants ``(and C (p ?x))`` and the other ``(and C (not (p ?x)))`` are one sensing rule for the fact
under C, with the errors that their distributions say; a rule without the other one, if its report is certain, is a
sensor that does not err. What else the language can say is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from commonsense_lab.studies.po_pddl.dialect import plain, shares
from commonsense_planning.pddl.conditions import Checker, conjuncts, scope_of
from commonsense_planning.pddl.initial import key_of
from commonsense_planning.pddl.nodes import Group, Node, Symbol, bracketed, render, words
from commonsense_planning.pddl.outcomes import substituted
from commonsense_planning.pddl.sections import fields_of
from commonsense_planning.pddl.vocabulary import Scope, Signature, Typed, check_name, typed_variables
from commonsense_planning.support.english import near

RULE_FIELDS = (":parameters", ":condition", ":distribution")
NOTHING = "obs-nothing"


@dataclass(frozen=True)
class _Rule:
    """An observation rule. ``report``: its observable; ``so`` and ``not_so``: how probable either report is; ``parts``:
    the conjuncts of its condition by what they mean, with the observable's variables numbered; ``key``: equal for rules
    about the same observable with the same types."""

    node: Group
    scope: Scope
    report: Group
    so: float
    not_so: float
    parts: dict[str, Group]
    key: tuple[str, ...]


class ObservationRules:
    """Reads ``:observation`` rules; those about facts none of which is ``hidden`` say nothing that matters."""

    def __init__(self, checker: Checker, observables: Mapping[str, Signature], hidden: Sequence[Group]) -> None:
        self.checker, self.source, self.words = checker, checker.source, checker.vocabulary
        self.observables = observables
        self.hidden = hidden
        self.reported: dict[str, tuple[Group, object]] = {}  # by the predicate, and by the observable

    def read(self, observation: Sequence[Group]) -> list[Group]:
        """Returns the ``:sense`` sections that are equal to the rules. Raises PddlError."""
        left, found = [self._rule(group) for group in observation], list[Group]()
        while left:
            rule = left.pop(0)
            other = next((other for other in left if self._fact(rule, other) or self._fact(other, rule)), None)
            if other is None:
                found += self._sense(rule, self._sole(rule), 0.0, 0.0)
                continue
            left.remove(other)
            true, false = (rule, other) if self._fact(rule, other) else (other, rule)
            fact = self._fact(true, false)
            assert fact is not None
            found += self._sense(true, fact, true.not_so, false.so)
        return found

    def _rule(self, group: Group) -> _Rule:
        source = self.source
        if len(group.items) < 2:
            raise source.error(group, "an observation without a name", "'(:observation name :parameters (…) …)'")
        check_name(source, group.items[1], "an observation")
        fields = fields_of(source, group.items[2:], RULE_FIELDS, "observation")
        for keyword in RULE_FIELDS[1:]:
            if not isinstance(fields.get(keyword), Group):
                raise source.error(group, f"an observation without '{keyword}'", f"'{keyword} (…)'")
        parameters = typed_variables(source, fields.get(":parameters", Group(())))
        self.words.check_types(source, parameters)
        scope = scope_of(parameters)
        condition = plain(source, _group(fields[":condition"]))
        self.checker.condition(condition, scope)
        chances = {True: 0.0, False: 0.0}
        report: Group | None = None
        for share, atom, so in self._reports(fields[":distribution"], 1.0, scope):
            if report is not None and key_of(report) != key_of(atom):
                what = "distributions over several observables are"
                raise source.unsupported(atom, what, f"'{render(report)}' alone, and rules of their own for others")
            report, chances[so] = atom, chances[so] + share
        assert report is not None
        order = dict.fromkeys((*_variables(report), *scope))
        numbered = {key: Symbol(f"?{number}") for number, key in enumerate(order)}
        parts = {render(substituted(part, numbered)).lower(): _group(part) for part in conjuncts(condition)}
        types = (scope[key].type_text.lower() for key in order)
        key = (render(substituted(report, numbered)).lower(), *types)
        return _Rule(group, scope, report, chances[True], chances[False], parts, key)

    def _reports(self, node: Node, share: float, scope: Scope) -> Iterator[tuple[float, Group, bool]]:
        """Yields what a distribution may report: probability, observable, whether as true."""
        source, head = self.source, node.head if isinstance(node, Group) else ""
        if not isinstance(node, Group) or not node.items:
            raise source.error(node, "no distribution", "an observable, 'not', or 'probabilistic'")
        operands = node.items[1:]
        if head == "probabilistic":
            for part, branch in shares(source, node):
                if part:
                    yield from self._reports(branch, share * part, scope)
        elif head == "and":
            if len(operands) != 1:
                what = "reports of several observables at once" if operands else "observables that go unreported"
                raise source.unsupported(node, f"{what} are", "one observable, as so or as 'not' so, in each branch")
            yield from self._reports(operands[0], share, scope)
        elif head == "not" and len(operands) == 1:
            yield share, self._observable(operands[0], scope), False
        else:
            yield share, self._observable(node, scope), True

    def _observable(self, node: Node, scope: Scope) -> Group:
        source = self.source
        if not isinstance(node, Group) or not node.items or not isinstance(node.items[0], Symbol):
            raise source.error(node, "no observable", "'(observable …)'")
        name = node.items[0]
        if name.key == NOTHING:
            raise source.unsupported(node, f"'{NOTHING}' is", "rules that report an observable as so or as 'not' so")
        if name.key not in self.observables:
            hint = near(name.text, (signature.symbol.text for signature in self.observables.values()))
            raise source.error(name, f"undeclared observable '{name.text}'", "one that ':observables' declares", hint)
        self.words.check_arguments(source, self.observables[name.key], node, scope)
        return node

    def _fact(self, true: _Rule, false: _Rule) -> Group | None:
        """Returns the fact that two otherwise equal rules report, one where it is true and one where it is false."""
        wanted, unwanted = true.parts.keys() - false.parts.keys(), false.parts.keys() - true.parts.keys()
        if true.key != false.key or len(wanted) != 1 or unwanted != {f"(not {next(iter(wanted))})"}:
            return None
        return true.parts[wanted.pop()]

    def _sole(self, rule: _Rule) -> Group:
        """Returns the fact that a rule without a second one reports, with certainty."""
        source, name, shown = self.source, rule.node.items[1], render(rule.report)
        asked = [part if rule.so else _negated(part) for part in rule.parts.values()]
        facts = [fact for fact in asked if fact is not None and self._about(fact, rule.report)]
        if not facts or (rule.so and rule.not_so):
            problem = f"a rule for '{shown}' without a second one, or about no fact with its variables"
            wanted = "two rules for an observable, under '(and C (fact))' and '(and C (not (fact)))'"
            raise source.error(name, problem, wanted)
        facts = [fact for fact in facts if self._matters(fact, rule.scope)] or facts[:1]
        if len(facts) > 1:
            problem = f"'{shown}' may be about {' or '.join(map(render, facts))}"
            raise source.error(name, problem, "a second rule, under '(not (fact))' of the one that it is about")
        return facts[0]

    def _about(self, fact: Group, report: Group) -> bool:
        """Tells whether the report determines which fact it is about, and says nothing more."""
        known, said = {*key_of(fact)[1:]}, {*key_of(report)[1:]}
        return fact.head in self.words.predicates and known >= said and {*_variables(fact)} == {*_variables(report)}

    def _sense(self, rule: _Rule, fact: Group, miss: float, false_alarm: float) -> list[Group]:
        """Returns the section for a fact, if any such fact is hidden."""
        source, report, scope = self.source, rule.report, rule.scope
        if not self._about(fact, report):
            problem = f"'{render(report)}' does not say which '{render(fact)}' it is about, or more than that"
            raise source.error(report, problem, "an atom and an observable with the same variables and objects")
        if not self._matters(fact, scope):
            if not {atom.head for atom in self.hidden}.isdisjoint(w for p in rule.parts.values() for w in words(p)):
                what = f"reports of what is known, as '{render(fact)}', that tell of what is hidden are"
                raise source.unsupported(rule.node.items[1], what, "a rule whose observable names the hidden fact")
            return []
        said = key_of(report)[1:]
        means = (fact.head, *(said.index(word) if word in said else word for word in key_of(fact)[1:]))
        for name, other in ((f"fact {fact.head}", report.head), (f"report {report.head}", means)):
            earlier, known = self.reported.setdefault(name, (report, other))
            if known != other:
                what = "several observables for one fact, or several facts for one observable, are"
                raise source.unsupported(report, what, f"other words than on line {earlier.line}")
        rest: Node = bracketed("and", *(p for p in rule.parts.values() if fact not in (p, _negated(p))))
        others = [word for key, v in scope.items() if key not in _variables(fact) for word in _declared(v)]
        if others:
            rest = bracketed("exists", Group(tuple(others)), rest)
        terms = [_declared(scope[word]) if word in scope else (Symbol(word),) for word in key_of(fact)[1:]]
        pattern = replace(fact, items=(fact.items[0], *(word for term in terms for word in term)))
        errors = bracketed(":miss", repr(miss)), bracketed(":false-alarm", repr(false_alarm))
        section = bracketed(":sense", pattern, ":when", rest, *errors)
        return [replace(section, line=rule.node.line, column=rule.node.column)]

    def _matters(self, fact: Group, scope: Scope) -> bool:
        """Tells whether an instance of the fact is hidden."""
        fits, objects = self.words.fits, self.words.objects
        return any(
            atom.head == fact.head
            and all(
                fits(objects[item], scope[term].types) if term in scope else item == term
                for item, term in zip(key_of(atom)[1:], key_of(fact)[1:], strict=True)
            )
            for atom in self.hidden
        )


def _negated(part: Group) -> Group | None:
    """Returns the atom of which a literal is the negation."""
    return _group(part.items[1]) if part.head == "not" else None


def _group(node: Node) -> Group:
    assert isinstance(node, Group)
    return node


def _variables(atom: Group) -> list[str]:
    return [word for word in key_of(atom)[1:] if word.startswith("?")]


def _declared(variable: Typed) -> tuple[Node, ...]:
    kind = variable.types[0] if len(variable.types) == 1 else bracketed("either", *variable.types)
    return variable.symbol, Symbol("-"), kind
