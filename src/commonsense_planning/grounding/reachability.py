"""The facts and operators that are reachable if deletes are ignored: a logic program, grounded by gringo.

A small program is grounded in this process. One that may be large is grounded by a child process, since nothing can
interrupt gringo; so the limits on time and memory hold, and operators are counted as they come.

The program follows Helmert (2009), section 6, as Tarski's ``ReachabilityLPCompiler`` does. Unlike there, objects are
numbers, so that the answer is read as arrays, and an existential condition keeps its free variables.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from commonsense_planning.config import MAX_OPERATORS
from commonsense_planning.errors import BudgetError, TooLargeError
from commonsense_planning.grounding import lifted as logic
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.grounding.lifted import Lifted, NumberedAtom
from commonsense_planning.support.limits import grounded_program, not_loaded
from commonsense_planning.support.processes import lines_of, python_module, temporary_folder

SMALL = 300_000  # instances of rules that this process grounds: it takes less than a second and 100 MB
_VARIABLE = re.compile(r"V\d+")
_COUNTED = {"a": "operators", "p": "facts", "d": "ground rules of derived predicates"}


@dataclass(frozen=True)
class Reachable:
    """Reachable atoms and bindings, without duplicates. ``atoms[p]`` int32 (count, arity of p), sorted by the last
    argument, then the one before: facts about one place are then neighbours in a state. ``bindings[s]`` int32 (count,
    parameters of schema s), sorted; None if the schema is not reachable. ``rule_bindings``: the same for the rules."""

    atoms: tuple[Int32, ...]
    bindings: tuple[Int32 | None, ...]
    rule_bindings: tuple[Int32 | None, ...]


def reachable(lifted: Lifted, possible: Iterable[NumberedAtom] = (), max_operators: int = MAX_OPERATORS) -> Reachable:
    """The atoms and bindings reachable from the initial state together with the ``possible`` atoms (facts that an agent
    does not see, and has to consider).

    Raises:
        MissingError: clingo cannot be loaded.
        BudgetError: more than ``max_operators`` operators, facts or ground rules, or no memory is left.
    """
    program = _Program(lifted)
    text = "\n".join(program.rules(possible))
    rows: dict[str, list[str]] = {}
    left = dict.fromkeys(_COUNTED, max_operators)
    try:
        if program.certain > max_operators:
            raise TooLargeError(f"the task has more than {max_operators} operators (--max-operators)")
        with closing(_atoms(text, program.instances <= SMALL)) as found:
            for atom in found:
                name, _, arguments = atom.partition("(")
                if name[0] not in left:  # an auxiliary atom, or a type
                    continue
                left[name[0]] -= 1
                if left[name[0]] < 0:
                    what = _COUNTED[name[0]]
                    raise TooLargeError(f"the task has more than {max_operators} {what} (--max-operators)")
                rows.setdefault(name, []).append(arguments[:-1])
    except (BudgetError, MemoryError) as error:
        rows.clear()  # frees memory for the message
        reason = "out of memory (--max-memory)" if isinstance(error, MemoryError) else str(error)
        kind = TooLargeError if isinstance(error, MemoryError | TooLargeError) else BudgetError
        raise kind(f"{reason} in grounding: {program.largest()}") from error
    atoms = tuple(_table(rows.get(f"p{i}", []), arity, -1) for i, arity in enumerate(lifted.arities))
    bindings, rule_bindings = (
        tuple(_table(rows[f"{letter}{i}"], len(s.parameters)) if f"{letter}{i}" in rows else None for i, s in numbered)
        for letter, numbered in (("a", [*enumerate(lifted.schemas)]), ("d", [*enumerate(lifted.rules)]))
    )
    return Reachable(atoms, bindings, rule_bindings)


def _table(rows: list[str], arity: int, step: int = 1) -> Int32:
    """The rows without duplicates, sorted by the first column first, or with ``step`` -1 by the last."""
    if arity == 0:
        return np.zeros((min(len(rows), 1), 0), np.int32)
    flat = np.fromstring(",".join(rows), np.int32, sep=",") if rows else np.zeros(0, np.int32)
    table = flat.reshape(-1, arity)
    table = table[np.lexsort(table.T[::-step])]
    once: Int32 = table[np.append(True, (table[1:] != table[:-1]).any(axis=1))[: len(table)]]
    return once


def _atoms(program: str, here: bool) -> Generator[str, None, None]:
    """The atoms that follow from the program, found here or in a child process, which can be ended at any time."""
    if here:
        control = grounded_program(program)  # its atoms live as long as it
        yield from (str(atom.symbol) for atom in control.symbolic_atoms)
        return
    command, environment = python_module("clingo")
    with temporary_folder("grounding") as name:
        file = Path(name) / "program.lp"
        file.write_text(program, encoding="utf-8")
        try:
            with lines_of([*command, "--text", "--warn=none", file], environment) as lines:
                for line in lines:
                    yield line.rstrip()[:-1]  # "a1(2,3)." is a fact
        except ChildProcessError as error:
            raise not_loaded("clingo", error) from error


class _Program:
    """The rules, as text. Variable ``v`` is ``V<v>``, object ``o`` is ``<o>``, type ``t`` is ``t<t>``.

    ``instances``: an upper bound on the ground rules. ``sizes``: upper bounds on the atoms of each name, except for
    fluents, which may depend on themselves. ``certain``: a lower bound on the operators.
    """

    def __init__(self, lifted: Lifted) -> None:
        self.lifted = lifted
        self.fresh = itertools.count()
        self.extra: list[str] = []
        self.instances = self.certain = 0
        self.sizes = {f"t{t}": len(members) for t, members in enumerate(lifted.members)}
        for predicate in set(range(len(lifted.predicates))) - lifted.fluent - lifted.strata.keys():
            self.sizes[f"p{predicate}"] = sum(p == predicate for p, _ in lifted.init)

    def largest(self) -> str:
        """The message about the action with the most operators: how many at most, and how to reduce them."""
        most, schema = max((self.sizes.get(f"a{s}", 0), s) for s in range(len(self.lifted.schemas)))
        action = self.lifted.problem.spell(self.lifted.schemas[schema].name)
        return (
            f"{action} alone may have {most:,} operators; types and static preconditions of its parameters make them "
            "fewer"
        )

    def rules(self, possible: Iterable[NumberedAtom]) -> list[str]:
        lifted = self.lifted
        out = [f"t{t}({o})." for t, members in enumerate(lifted.members) for o in members]
        out += sorted(f"{self.atom(p, terms)}." for p, terms in itertools.chain(lifted.init, possible))
        named = [(f"a{i}", schema) for i, schema in enumerate(lifted.schemas)]
        named += [(f"d{i}", rule) for i, rule in enumerate(lifted.rules)]
        for name, schema in named:
            types = dict(enumerate(schema.parameters))
            head = name + (f"({','.join(f'V{v}' for v in types)})" if types else "")
            body = [f"t{t}(V{v})" for v, t in types.items()]
            conditions = self.body(schema.precondition, types)
            out.append(self.rule(head, body + conditions))
            self.certain += 0 if conditions or name[0] == "d" else self.sizes[name]
            for effect in schema.effects:
                if effect.literal.positive:
                    inner = types | dict(effect.variables)
                    names = [f"t{t}(V{v})" for v, t in effect.variables]
                    condition = self.body(effect.condition, inner)
                    target = self.atom(effect.literal.predicate, effect.literal.terms)
                    out.append(self.rule(target, [head, *names, *condition]))
        return out + self.extra

    def atom(self, predicate: int, terms: tuple[int, ...]) -> str:
        return f"p{predicate}" + (f"({','.join(map(self.term, terms))})" if terms else "")

    @staticmethod
    def term(term: int) -> str:
        return str(term) if term >= 0 else f"V{-1 - term}"

    def rule(self, head: str, body: list[str]) -> str:
        most, name = self.at_most(body), head.partition("(")[0]
        self.instances += most
        if name[0] != "p":
            self.sizes[name] = self.sizes.get(name, 0) + most
        return f"{head} :- {', '.join(body)}." if body else f"{head}."

    def at_most(self, body: list[str]) -> int:
        """An upper bound on the instances of a body: the product of the sizes of atoms that contain all its variables,
        chosen greedily by their cost per additional variable."""
        names = {part: part.partition("(")[0] for part in body}
        known = [(self.sizes[n], set(_VARIABLE.findall(part))) for part, n in names.items() if n in self.sizes]
        most, unbound = 1, set(_VARIABLE.findall(",".join(body)))
        while unbound:
            size, bound = min(
                ((size, variables & unbound) for size, variables in known if variables & unbound),
                key=lambda atom: (math.log(atom[0]) if atom[0] else 0.0) / len(atom[1]),
            )
            most, unbound = most * size, unbound - bound
        return most

    def body(self, formula: logic.Formula, types: dict[int, int]) -> list[str]:
        """Body literals that hold wherever the formula is reachable."""
        relaxed = logic.simplify(self.relax(formula))
        return [part for f in logic.conjuncts(relaxed) for part in self.part(f, types)]

    def relax(self, formula: logic.Formula) -> logic.Formula:
        """A negated fluent can always become true; ``forall`` becomes the conjunction of its instances."""
        if isinstance(formula, logic.Literal):
            return formula if formula.positive or formula.predicate not in self.lifted.fluent else logic.TRUE
        if isinstance(formula, logic.Equal):
            return formula
        if isinstance(formula, logic.Quantified):
            body = logic.simplify(self.relax(formula.body))
            if body == logic.TRUE:  # ``exists`` needs an object of each type
                met = formula.universal or all(self.lifted.members[t] for _, t in formula.variables)
                return logic.TRUE if met else logic.FALSE
            if not formula.universal:
                return logic.Quantified(False, formula.variables, body)
            return logic.And(tuple(logic.substitute(body, choice) for choice in self.lifted.choices(formula.variables)))
        return type(formula)(tuple(self.relax(p) for p in formula.parts))

    def part(self, formula: logic.Formula, types: dict[int, int]) -> list[str]:
        if isinstance(formula, logic.Literal):
            text = self.atom(formula.predicate, formula.terms)
            return [text if formula.positive else f"not {text}"]
        if isinstance(formula, logic.Equal):
            return [f"{self.term(formula.left)} {'=' if formula.positive else '!='} {self.term(formula.right)}"]
        if isinstance(formula, logic.Quantified):
            return [self.auxiliary(formula, [(formula.body, dict(formula.variables))], types)]
        if formula == logic.TRUE:
            return []
        if formula == logic.FALSE:
            return ["1 = 0"]
        return [self.auxiliary(formula, [(part, {}) for part in formula.parts], types)]

    def auxiliary(
        self, formula: logic.Formula, bodies: list[tuple[logic.Formula, dict[int, int]]], types: dict[int, int]
    ) -> str:
        """A new atom over the free variables of ``formula`` that each of the ``bodies`` makes true."""
        free = sorted(logic.free_variables(formula))
        name = f"x{next(self.fresh)}" + (f"({','.join(f'V{v}' for v in free)})" if free else "")
        for body, bound in bodies:
            inner = types | bound
            typed = [f"t{inner[v]}(V{v})" for v in [*free, *bound]]
            self.extra.append(self.rule(name, typed + self.body(body, inner)))
        return name
