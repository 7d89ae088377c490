"""Which things of one name are equal by what is known of them.

Those of which the same is known form a kind, and one of them can represent all. What is known of a thing is what it has
to do with others of their kinds, and so on (colour refinement, as Weisfeiler and Leman 1968 refine graphs).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Colours = dict[int, int]


def alike(names: Mapping[int, str], facts: Iterable[tuple[str, Sequence[int]]]) -> Colours:
    """The kind of each object of ``names``, a number, by what is known: ``facts`` are what is said, such as "not
    inside", and of which objects it is."""
    known = [(what, args) for what, args in facts if all(a in names for a in args)]
    colours = _ranked({o: (name,) for o, name in names.items()})
    while len(set(colours.values())) < len(names):
        finer = _refined(colours, known)
        if len(set(finer.values())) == len(set(colours.values())):
            break
        colours = finer
    return colours


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
