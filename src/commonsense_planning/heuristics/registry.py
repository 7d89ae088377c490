"""The registry of heuristics, for searches that take any: cplan's own, and those of plug-ins (entry points
``commonsense_planning.heuristics``).

A plug-in is a module with an ``h(state) -> cost``, a :class:`HeuristicKind` that makes it, and an entry point with the
kind's name for that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.heuristics.delete_relaxation import FF, HAdd, HMax
from commonsense_planning.heuristics.heuristic import Blind, Heuristic
from commonsense_planning.heuristics.landmarks import LandmarkCount
from commonsense_planning.heuristics.lm_cut import LMCut
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.support.registry import Registry


@dataclass(frozen=True)
class HeuristicKind:
    """A heuristic and how it is requested. ``make`` gets a ground task and the compiled one, in which nothing is
    hidden, and whether every operator counts 1. ``admissible``: whether it never exceeds the cost of a cheapest
    plan."""

    forms: tuple[str, ...]
    summary: str
    make: Callable[[GroundTask, Compiled, bool], Heuristic]
    admissible: bool = False


HEURISTICS = Registry(
    "heuristic",
    "commonsense_planning.heuristics",
    HeuristicKind,
    (
        HeuristicKind(("ff",), "h_FF, the cost of a relaxed plan", lambda _, task, unit: FF(task, unit)),
        HeuristicKind(("add",), "h_add, conditions cost their sum", lambda _, task, unit: HAdd(task, unit)),
        HeuristicKind(("max",), "h_max, conditions cost their maximum", lambda _, task, unit: HMax(task, unit), True),
        HeuristicKind(("lmcut",), "LM-cut, disjoint landmarks", lambda _, task, unit: LMCut(task, unit), True),
        HeuristicKind(("landmarks",), "how many landmarks are missing", lambda _, task, unit: LandmarkCount(task)),
        HeuristicKind(("blind",), "0: uniform-cost search", lambda _, task, unit: Blind(task), True),
    ),
)


def heuristic_named(name: str) -> HeuristicKind:
    """The heuristic with this name. Raises UsageError for an unknown name, MissingError for a plug-in that cannot be
    loaded."""
    return HEURISTICS.find(name)[0]
