"""Small random tasks in PDDL, over all features that a classical planner knows."""

from __future__ import annotations

import random
from pathlib import Path

PREDICATES = {"p": "t", "q": "u", "r": "tu", "s": "t", "on": ""}
"""Name → the types of the arguments: every ``u`` is a ``t``."""
DERIVED = {"d": "t", "e": "u", "off": ""}
CONSTANT = {"c": "u"}
OBJECTS = {"a": "t", "b": "u"} | CONSTANT
PARAMETERS = {"?x": "t", "?y": "u"}

Terms = dict[str, str]
"""Name → type."""


class RandomDomains:
    """Random domains of four actions, with problems of three objects. ``costs``: actions have costs, some of them 0;
    ``derived``: there are derived predicates, in circles and in strata."""

    def __init__(self, seed: int, costs: bool = False, derived: bool = False) -> None:
        self.random = random.Random(seed)
        self.costs, self.derived = costs, derived
        self.readable = PREDICATES | (DERIVED if derived else {})

    def write(self, domain: Path, problem: Path) -> None:
        """The next one."""
        domain.write_text(self._domain())
        problem.write_text(self._problem())

    def _domain(self) -> str:
        actions = "\n".join(
            f"(:action a{number} :parameters (?x - t ?y - u)"
            f" :precondition (and {self.condition(PARAMETERS)}{self._not_always()})"
            f" :effect (and {' '.join(self.effect(PARAMETERS) for _ in range(self.random.randint(2, 4)))}"
            f"{self._cost()}))"
            for number in range(4)
        )
        listed = (
            f"({' '.join([name, *(f'?{place} - {kind}' for place, kind in zip('ab', kinds, strict=False))])})"
            for name, kinds in self.readable.items()
        )
        functions = " (:functions (total-cost) - number (price ?x - t) - number)" if self.costs else ""
        rules = "\n".join(self._rules()) if self.derived else ""
        requirements = ":typing :adl" + " :action-costs" * self.costs + " :derived-predicates" * self.derived
        return (
            f"(define (domain d) (:requirements {requirements}) (:types t - object u - t) (:constants c - u)\n"
            f"(:predicates {' '.join(listed)}){functions}\n{rules}\n{actions})\n"
        )

    def _problem(self) -> str:
        init = sorted({self.atom(OBJECTS) for _ in range(self.random.randint(2, 6))})
        wanted = {self.atom(OBJECTS, self.readable) for _ in range(self.random.randint(1, 3))}
        goal = " ".join(f"(not {atom})" if atom in init else atom for atom in sorted(wanted))
        if self.costs:
            init += ["(= (total-cost) 0)", *(f"(= (price {name}) {self.random.randrange(4)})" for name in OBJECTS)]
        metric = " (:metric minimize (total-cost))" if self.costs else ""
        return (
            f"(define (problem p) (:domain d) (:objects a - t b - u)\n(:init {' '.join(init)})\n"
            f"(:goal (and {goal})){metric})\n"
        )

    def atom(self, terms: Terms, predicates: dict[str, str] = PREDICATES) -> str:
        """An atom over terms of fitting types, among them the constant where nothing else fits."""
        name = self.random.choice(sorted(predicates))
        fitting = {"t": [*terms], "u": [term for term, kind in terms.items() if kind == "u"] or [*CONSTANT]}
        return f"({' '.join([name, *(self.random.choice(fitting[kind]) for kind in predicates[name])])})"

    def literal(self, terms: Terms, predicates: dict[str, str] = PREDICATES) -> str:
        """An atom or its negation."""
        atom = self.atom(terms, predicates)
        return atom if self.random.random() < 0.6 else f"(not {atom})"

    def condition(self, terms: Terms, depth: int = 0) -> str:
        """A formula with everything in it that PDDL has for one."""
        match self.random.randrange(10) if depth < 2 else 0:
            case 5:
                return f"(or {self.condition(terms, depth + 1)} {self.condition(terms, depth + 1)})"
            case 6:
                kind = self.random.choice("tu")
                return f"(exists (?z - {kind}) {self.condition(terms | {'?z': kind}, depth + 1)})"
            case 7:
                own = terms | {"?w": self.random.choice("tu")}
                parts = self.literal(own, self.readable), self.literal(own, self.readable)
                return f"(forall (?w - {own['?w']}) (imply {' '.join(parts)}))"
            case 8:
                return f"(not (= {' '.join(self.random.choices([*terms, *CONSTANT], k=2))}))"
            case 9:
                return f"(not (and {self.condition(terms, depth + 1)} {self.literal(terms, self.readable)}))"
        return self.literal(terms | CONSTANT, self.readable)

    def effect(self, terms: Terms) -> str:
        """A literal, for all objects, or under a condition."""
        match self.random.randrange(8):
            case 5:
                return f"(forall (?v - t) {self.literal(terms | {'?v': 't'})})"
            case 6:
                return f"(when {self.condition(terms, 1)} {self.literal(terms)})"
            case 7:
                own = terms | {"?v": "u"}
                return f"(forall (?v - u) (when {self.literal(own, self.readable)} {self.literal(own)}))"
        return self.literal(terms)

    def _not_always(self) -> str:
        return f" {self.literal(PARAMETERS, self.readable)}" if self.random.random() < 0.5 else ""

    def _cost(self) -> str:
        if not self.costs or self.random.random() < 0.2:
            return ""
        amount = self.random.choice([str(self.random.randrange(4)), "(price ?x)", "(price ?y)"])
        return f" (increase (total-cost) {amount})"

    def _rules(self) -> list[str]:
        """Rules: ``d`` hangs on itself, ``e`` on what is no ``d``, ``off`` on what is no ``e``."""
        x, some = {"?x": "t"}, {"?z": "t"}
        return [
            f"(:derived (d ?x - t) (and {self.literal(x)} {self.literal(x)}))",
            f"(:derived (d ?x - t) (exists (?z - t) (and (d ?z) {self.literal(x | some)})))",
            f"(:derived (e ?x - u) (or (not (d ?x)) {self.literal({'?x': 'u'})}))",
            f"(:derived (off) (forall (?z - u) (and (not (e ?z)) {self.literal(some)})))",
        ]
