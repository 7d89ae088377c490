"""Translates plans of a task whose costs are a belief (``cost_task``) to the user's task, with assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.support.reading import json_value, read_text, reading


@dataclass(frozen=True)
class Assumption:
    """A fact, in the user's spelling, that ``holds`` or not, and its probability when the task was made."""

    fact: str
    holds: bool
    probability: float

    def __str__(self) -> str:
        return self.fact if self.holds else f"(not {self.fact})"


@dataclass(frozen=True)
class WayBack:
    """The way from a plan of the exported task to one of the user's. ``assumptions`` by the name of their action;
    ``original_names``: the task's names → the user's if they differ; ``finish``: the action that reaches the goal."""

    assumptions: Mapping[str, Assumption]
    original_names: Mapping[str, str]
    finish: str | None = None

    def split(self, plan: Plan) -> list[Step | Assumption]:
        """Returns the steps in the user's spelling, with the assumptions at their places."""
        return [
            self.assumptions.get(step.action.lower())
            or Step(self._spelt(step.action), tuple(map(self._spelt, step.arguments)))
            for step in plan
            if step.action.lower() != self.finish
        ]

    def as_json(self) -> dict[str, Any]:
        """Returns plain data."""
        actions = {name: asdict(assumption) for name, assumption in self.assumptions.items()}
        return {"assumptions": actions, "spelling": dict(self.original_names), "finish": self.finish}

    def _spelt(self, name: str) -> str:
        return self.original_names.get(name.lower(), name)


def read_way_back(path: Path) -> WayBack:
    """Reads what ``WayBack.as_json`` returned. Raises InputError for a file that is unreadable or something else."""
    text = read_text(path, "a file of assumptions")
    with reading(path, "a file of assumptions"):
        found = json_value(text)
        assumptions = {
            str(name): Assumption(str(said["fact"]), bool(said["holds"]), float(said["probability"]))
            for name, said in found["assumptions"].items()
        }
        finish = found["finish"]
        spelling = {str(name): str(spelt) for name, spelt in found["spelling"].items()}
        return WayBack(assumptions, spelling, None if finish is None else str(finish))


def render_way_back(parts: Iterable[Step | Assumption]) -> str:
    """Returns the text of a plan file with the assumptions as comments."""
    return "".join(
        f"; assumes {part}, p = {part.probability:.3g}\n" if isinstance(part, Assumption) else f"{part}\n"
        for part in parts
    )
