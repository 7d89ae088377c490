"""The worlds that a contingent ``:init`` leaves open: all assignments to correlated atoms, part by part.

Atoms that a ``oneof`` or a clause mentions together are correlated. Parts without a common constraint are independent,
so their worlds are listed separately, by clingo, as models of their constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import BudgetError, InputError
from commonsense_planning.pddl.problem import Alternative, ContingentInit
from commonsense_planning.support.limits import grounded_program, models_of

Bits = npt.NDArray[np.bool_]
Key = Any

MOST_WORLDS = 20_000
"""The number of worlds of one part that can be listed."""


@dataclass(frozen=True)
class UnknownPart:
    """Correlated atoms, and the combinations that are possible.

    ``atoms``: their keys, in the order in which ``:init`` mentions them. ``worlds``: bool (worlds, atoms), without
    duplicates, those in which the first atom is true first. ``choices``: for each ``oneof`` of two or more atoms, their
    columns.
    """

    atoms: tuple[Key, ...]
    worlds: Bits
    choices: tuple[tuple[int, ...], ...] = ()

    @property
    def plain(self) -> bool:
        """Whether it is a single atom that may be true or false, or exactly one of several atoms is true."""
        count = len(self.atoms)
        if count == 1:
            return len(self.worlds) == 2
        return self.worlds.shape == (count, count) and bool((self.worlds.sum(axis=1) == 1).all())


def parts_of(contingent: ContingentInit, key: Callable[[Any], Key] = str) -> tuple[UnknownPart, ...]:
    """The parts, in the order in which ``:init`` mentions them; ``key``: the name of a Tarski atom.

    Raises InputError if no world is possible, BudgetError if a part has more than ``MOST_WORLDS``, MissingError
    (clingo).
    """
    oneofs = [_keyed(alternatives, key) for alternatives in contingent.oneof]
    clauses = [_keyed(alternatives, key) for alternatives in contingent.clauses]
    atoms = list(dict.fromkeys(map(key, contingent.atoms)))
    part_of = {atom: {atom} for atom in atoms}
    for constraint in (*oneofs, *clauses):
        whole = set[Key]().union(*(part_of[atom] for atom in _atoms_in(constraint)))
        part_of |= dict.fromkeys(whole, whole)
    parts = {id(part_of[atom]): part_of[atom] for atom in atoms}
    return tuple(
        _part(
            tuple(atom for atom in atoms if atom in part),
            [c for c in oneofs if _atoms_in(c)[0] in part],
            [c for c in clauses if _atoms_in(c)[0] in part],
        )
        for part in parts.values()
    )


_Keyed = tuple[tuple[tuple[Key, bool], ...], ...]


def _keyed(alternatives: Iterable[Alternative], key: Callable[[Any], Key]) -> _Keyed:
    return tuple(tuple((key(atom), positive) for atom, positive in literals) for literals in alternatives)


def _atoms_in(constraint: _Keyed) -> list[Key]:
    return [atom for alternative in constraint for atom, _ in alternative]


def _part(atoms: tuple[Key, ...], oneofs: Sequence[_Keyed], clauses: Sequence[_Keyed]) -> UnknownPart:
    number = {atom: i for i, atom in enumerate(atoms)}
    rules = [f"{{a({';'.join(map(str, range(len(atoms))))})}}."]
    for most, constraints in ((" <= 1", oneofs), ("", clauses)):
        for constraint in constraints:
            holding = []
            for i, alternative in enumerate(constraint):
                literals = (f"{'' if positive else 'not '}a({number[atom]})" for atom, positive in alternative)
                holding.append(f"{i} : {', '.join(literals)}")
            rules.append(f":- not 1 <= #count {{ {'; '.join(holding)} }}{most}.")
    worlds = _models("\n".join(rules), len(atoms))
    if not len(worlds):
        raise InputError(f"no world is as :init says: its oneof and or parts contradict each other about {atoms[0]}")
    single = [
        tuple(number[alternative[0][0]] for alternative in constraint)
        for constraint in oneofs
        if all(len(alternative) == 1 and alternative[0][1] for alternative in constraint)
    ]
    return UnknownPart(atoms, worlds, tuple(single))


def _models(program: str, atoms: int) -> Bits:
    """The models of a program about a(0) … a(atoms - 1), bool (models, atoms)."""
    found: list[list[int]] = []
    control = grounded_program(program, "--models=0")
    with closing(models_of(control)) as models:
        for model in models:
            if len(found) == MOST_WORLDS:
                raise BudgetError(
                    f":init correlates facts that may be so in more than {MOST_WORLDS} ways, too many to list"
                )
            found.append([symbol.arguments[0].number for symbol in model.symbols(atoms=True) if symbol.name == "a"])
    worlds = np.zeros((len(found), atoms), np.bool_)
    for row, true in zip(worlds, found, strict=True):
        row[true] = True
    return worlds[np.lexsort(~worlds.T[::-1])] if len(worlds) else worlds
