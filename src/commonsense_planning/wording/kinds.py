"""Telling things of one name apart by what is known of them, whatever numbers their names have.

Things of which the same is known are alike: they form a kind, and one of them stands for all. Where a name has several
kinds, these are numbered. What is known of a thing is what it has to do with others of their kinds, and so on (colour
refinement, as Weisfeiler and Leman 1968 refine graphs), so that equal situations are told equally whichever of two
cabinets was opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Colours = dict[int, int]


@dataclass(frozen=True)
class Kinds:
    """``labels``: object → its name, with the number of its kind where the name has several; ``alike``: object → of how
    many that are alike it is one."""

    labels: Mapping[int, str]
    alike: Mapping[int, int]


def tell_apart(names: Mapping[int, str], facts: Iterable[tuple[str, Sequence[int]]]) -> Kinds:
    """Label the objects of ``names`` by what is known: ``facts`` are what is said, such as "not inside", and of which
    objects it is."""
    known = [(what, args) for what, args in facts if all(a in names for a in args)]
    colours = _ranked({o: (name,) for o, name in names.items()})
    while len(set(colours.values())) < len(names):
        finer = _refined(colours, known)
        if len(set(finer.values())) == len(set(colours.values())):
            break
        colours = finer
    kinds: dict[str, dict[int, list[int]]] = {}
    for o in sorted(names, key=lambda o: (colours[o], o)):
        kinds.setdefault(names[o], {}).setdefault(colours[o], []).append(o)
    labels, alike = {}, {}
    for name, several in kinds.items():
        for number, members in enumerate(several.values(), start=1):
            for o in members:
                labels[o] = f"{name} {number}" if len(several) > 1 else name
                alike[o] = len(members)
    return Kinds(labels, alike)


def _refined(colours: Colours, facts: Sequence[tuple[str, Sequence[int]]]) -> Colours:
    seen: dict[int, list[tuple[str, int, tuple[int, ...]]]] = {o: [] for o in colours}
    for what, args in facts:
        told = tuple(colours[a] for a in args)
        for position, o in enumerate(args):
            seen[o].append((what, position, told))
    return _ranked({o: (colour, *sorted(seen[o])) for o, colour in colours.items()})


def _ranked(signs: Mapping[int, tuple[object, ...]]) -> Colours:
    """The rank of each object's sign among all signs, which are of one kind and so can be compared."""
    order = {sign: rank for rank, sign in enumerate(sorted(set(signs.values())))}  # type: ignore[type-var]
    return {o: order[sign] for o, sign in signs.items()}
