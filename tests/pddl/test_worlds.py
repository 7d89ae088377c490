"""The worlds that a contingent :init leaves open: listed by clingo, compared with all assignments that are tried."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.errors import BudgetError, InputError
from commonsense_planning.pddl.problem import Alternative, ContingentInit, GroundLiteral
from commonsense_planning.pddl.worlds import parts_of

ATOMS = "pqrstu"
LITERALS = st.builds(GroundLiteral, st.sampled_from(ATOMS), st.booleans())
ALTERNATIVES = st.lists(LITERALS, min_size=1, max_size=2).map(tuple)
CONSTRAINTS = st.lists(st.lists(ALTERNATIVES, min_size=2, max_size=3).map(tuple), max_size=4).map(tuple)


def holds(alternative: Alternative, world: dict[str, bool]) -> bool:
    return all(world[atom] == positive for atom, positive in alternative)


def brute(init: ContingentInit) -> set[frozenset[str]]:
    atoms = sorted(set(init.atoms))
    found = set()
    for values in itertools.product((False, True), repeat=len(atoms)):
        world = dict(zip(atoms, values, strict=True))
        exact = all(sum(holds(a, world) for a in choices) == 1 for choices in init.oneof)
        if exact and all(any(holds(a, world) for a in clause) for clause in init.clauses):
            found.add(frozenset(atom for atom in atoms if world[atom]))
    return found


@given(CONSTRAINTS, CONSTRAINTS, st.lists(st.sampled_from(ATOMS)).map(tuple))
def test_the_parts_together_have_just_the_possible_worlds(
    oneof: tuple[tuple[Alternative, ...], ...], clauses: tuple[tuple[Alternative, ...], ...], unknown: tuple[str, ...]
) -> None:
    init = ContingentInit(oneof, clauses, unknown)
    expected = brute(init)
    if not expected:
        with pytest.raises(InputError, match="contradict each other"):
            parts_of(init)
        return
    parts = parts_of(init)
    found = []
    for rows in itertools.product(*(part.worlds for part in parts)):
        true = [np.array(part.atoms)[row] for part, row in zip(parts, rows, strict=True)]
        found.append(frozenset(str(atom) for some in true for atom in some))
    assert (len(found), set(found)) == (len(expected), expected)
    assert sorted(a for part in parts for a in part.atoms) == sorted(set(init.atoms))


def one_of(*atoms: str) -> tuple[Alternative, ...]:
    return tuple((GroundLiteral(atom, True),) for atom in atoms)


def test_what_is_plain() -> None:
    first, second, third = parts_of(
        ContingentInit((one_of("p", "q", "r"), one_of("s", "t"), one_of("t", "u")), (), "v")
    )
    assert (first.plain, first.atoms, first.choices) == (True, ("p", "q", "r"), ((0, 1, 2),))
    assert (first.worlds == np.eye(3)).all(), "in the order of the file"
    assert (second.plain, second.worlds.tolist()) == (False, [[True, False, True], [False, True, False]])
    assert (third.plain, len(third.worlds)) == (True, 2)


def test_too_many_worlds_are_said_to_be_too_many() -> None:
    atoms = [f"a{i}" for i in range(20)]
    with pytest.raises(BudgetError, match="more than 20000 ways"):
        parts_of(ContingentInit((), (one_of(*atoms),)))
