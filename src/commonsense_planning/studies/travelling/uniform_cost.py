"""Uniform-cost search over a world of which only a model knows what leads where (LLM-MCTS paper, section 4.1)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

Place = TypeVar("Place", bound=Hashable)


def uniform_cost(
    source: Place,
    destination: Place,
    successors: Callable[[Sequence[Place]], Sequence[Sequence[Place]]],
    depth: int,
    together: int = 1,
) -> tuple[Place, ...] | None:
    """A route with the fewest ways from source to destination, both included; None where ``depth`` ways do not reach
    it.

    Every way costs one, so the places that cost the same to get to are expanded one after the other, in the order in
    which they were found, ``together`` at a time: ``successors`` gives the places that each of these leads to. The
    search ends with the first that leads to the destination, so the route does not depend on ``together``.
    """
    parents: dict[Place, Place | None] = {source: None}
    frontier = [source]
    for _ in range(depth):
        if destination in parents:
            break
        reached: list[Place] = []
        for begin in range(0, len(frontier), together):
            expanded = frontier[begin : begin + together]
            for place, leads in zip(expanded, successors(expanded), strict=True):
                new = [end for end in dict.fromkeys(leads) if end not in parents]
                parents.update(dict.fromkeys(new, place))
                reached += new
            if destination in parents:
                break
        frontier = reached
    return _route(destination, parents) if destination in parents else None


def _route(end: Place, parents: dict[Place, Place | None]) -> tuple[Place, ...]:
    """The way back from the end to where it began, the right way round."""
    route = [end]
    while (before := parents[route[-1]]) is not None:
        route.append(before)
    return tuple(reversed(route))
