"""True worlds of a contingent problem: one of each ``oneof``, and ``unknown`` atoms or not, by chance.

A contingent ``:init`` says what might be; an agent has to act in one world that is. That world is a problem file
like any other, which validators and classical planners can read.
"""

from __future__ import annotations

import numpy as np

from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.syntax import Group, Source, read_source, render


def draw_world(problem: Problem, rng: np.random.Generator) -> str:
    """The text of the problem file with its ``oneof`` and ``unknown`` replaced by what is true in a drawn world.

    Raises InputError if the file cannot be read any more.
    """
    source = read_source(problem.problem_file)
    text, done = "", 0
    for group in _open_parts(source):
        if group.head == "oneof":
            atom = group.items[1 + int(rng.integers(len(group.items) - 1))]
            drawn = render(atom)
        else:
            drawn = " ".join(render(atom) for atom in group.items[1:] if rng.random() < 0.5)
        start, end = source.span(group)
        text += source.text[done:start] + drawn
        done = end
    return text + source.text[done:]


def _open_parts(source: Source) -> list[Group]:
    """The ``oneof`` and ``unknown`` groups of the ``:init``, in the order of the file."""
    sections = [item for item in source.root.items if isinstance(item, Group) and item.head == ":init"]
    parts = [item for section in sections for item in section.items if isinstance(item, Group)]
    return [part for part in parts if part.head in ("oneof", "unknown")]
