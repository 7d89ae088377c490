"""Ground conditions mean what the formula says in every state; bindings that are left out could not have mattered."""

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.errors import InputError
from commonsense_planning.grounding.instantiate import AtomIndex, Instantiator
from commonsense_planning.grounding.lifted import And, Equal, Formula, Literal, Or, Quantified

OBJECTS = 4
ARITIES = (1, 2, 2)
FLUENT = frozenset({0, 1})  # predicate 2 is static
MEMBERS = ((0, 1, 2, 3), (1, 3))  # of the types

terms = st.sampled_from((-4, -3, -4, -3, -1, -2, 0, 3))  # mostly variables 2 and 3, which are bound in between
literals = st.integers(0, 2).flatmap(
    lambda p: st.builds(Literal, st.just(p), st.tuples(*[terms] * ARITIES[p]), st.booleans())
)
atoms = st.one_of(literals, st.builds(Equal, terms, terms, st.booleans()))
parts = st.lists(atoms, max_size=4).map(tuple)
bodies = st.one_of(atoms, st.builds(And, parts), st.builds(Or, parts))
bound = st.permutations([2, 3]).flatmap(
    lambda numbers: st.tuples(*(st.tuples(st.just(v), st.integers(0, 1)) for v in numbers))
)
quantified = st.builds(Quantified, st.booleans(), bound, bodies)
formulas = st.one_of(bodies, quantified, st.builds(And, st.lists(st.one_of(quantified, bodies), max_size=3).map(tuple)))
reachable = st.tuples(*(st.sets(st.tuples(*[st.integers(0, OBJECTS - 1)] * n)) for n in ARITIES))


def instantiator(atoms: tuple[set[tuple[int, ...]], ...]) -> Instantiator:
    indices, first = [], 0
    for arity, rows in zip(ARITIES, atoms, strict=True):
        ordered = sorted(rows, key=lambda row: row[::-1])
        indices.append(AtomIndex(np.array(ordered, np.int32).reshape(-1, arity), first, OBJECTS))
        first += len(rows)
    lifted: Any = SimpleNamespace(members=MEMBERS, fluent=FLUENT, text="{} of {}".format)
    return Instantiator(lifted, indices)


def holds(formula: Formula, binding: dict[int, int], grounder: Instantiator, true: set[int]) -> bool:
    """The slow twin: the formula's value in a state, word for word."""

    def value(term: int) -> int:
        return term if term >= 0 else binding[-1 - term]

    if isinstance(formula, Literal):
        number = grounder.indices[formula.predicate].one(tuple(map(value, formula.terms)))
        return (number >= 0 and (formula.predicate not in FLUENT or number in true)) == formula.positive
    if isinstance(formula, Equal):
        return (value(formula.left) == value(formula.right)) == formula.positive
    if isinstance(formula, Quantified):
        numbers = [v for v, _ in formula.variables]
        choices = product(*(MEMBERS[kind] for _, kind in formula.variables))
        each = (
            holds(formula.body, {**binding, **dict(zip(numbers, choice, strict=True))}, grounder, true)
            for choice in choices
        )
        return all(each) if formula.universal else any(each)
    values = [holds(part, binding, grounder, true) for part in formula.parts]
    return all(values) if isinstance(formula, And) else any(values)


@given(reachable, formulas, st.tuples(*[st.integers(0, OBJECTS - 1)] * 4), st.sets(st.integers(0, 40)))
def test_dnf_means_the_formula(
    atoms: tuple[set[tuple[int, ...]], ...], formula: Formula, values: tuple[int, ...], true: set[int]
) -> None:
    grounder, binding = instantiator(atoms), dict(enumerate(values))
    found = grounder.dnf(formula, binding)
    said = any(all((code // 2 in true) == (code % 2 == 0) for code in conjunction) for conjunction in found)
    assert said == holds(formula, binding, grounder, true)


@given(reachable, formulas, st.tuples(*[st.integers(0, OBJECTS - 1)] * 4), st.integers(0, 2**32 - 1), st.data())
def test_a_condition_is_judged_where_what_was_left_out_does_not_matter(
    atoms: tuple[set[tuple[int, ...]], ...], formula: Formula, values: tuple[int, ...], true: int, data: st.DataObject
) -> None:
    whole, grounder, binding = instantiator(atoms), instantiator(atoms), dict(enumerate(values))
    facts = [(p, terms) for p in sorted(FLUENT) for terms in sorted(atoms[p])]
    for atom in data.draw(st.sets(st.sampled_from(facts))) if facts else ():
        grounder.left_out[atom] = -1 - len(grounder.left_out)
        del grounder.indices[atom[0]].by_terms[atom[1]]
    state = {number for number in range(32) if true >> number & 1}
    without = state - {whole.indices[p].one(terms) for p, terms in grounder.left_out}
    try:
        found = grounder.dnf(formula, binding)
    except InputError as error:
        assert "is derived, and was left out" in str(error) and grounder.left_out
        return
    for truth in (state, without):
        said = any(all((code // 2 in truth) == (code % 2 == 0) for code in way) for way in found)
        assert said == holds(formula, binding, whole, truth)


@given(reachable, bodies, bound, st.integers(0, OBJECTS - 1), st.integers(0, OBJECTS - 1))
def test_bindings_are_complete_and_in_order(
    atoms: tuple[set[tuple[int, ...]], ...], body: Formula, variables: Any, first: int, second: int
) -> None:
    grounder, binding = instantiator(atoms), {0: first, 1: second}
    numbers = [v for v, _ in variables]
    every = [
        {**binding, **dict(zip(numbers, choice, strict=True))}
        for choice in product(*(MEMBERS[kind] for _, kind in variables))
    ]
    for universal in (False, True):
        found = list(grounder.bindings(variables, binding, body, universal))
        assert found == [b for b in every if b in found]
        for left_out in (b for b in every if b not in found):
            assert grounder.dnf(body, left_out) == ((frozenset(),) if universal else ())
