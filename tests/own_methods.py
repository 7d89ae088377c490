"""Methods that are nobody's but a test's, as a plug-in would bring them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint

import pytest

from commonsense_planning.config import Options, option
from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Estimate, Observability, Request, Solution
from commonsense_planning.methods.registry import GROUP
from commonsense_planning.support import registry
from commonsense_planning.task import Task


@dataclass(frozen=True)
class PausingOptions(Options):
    """Two that are the model's options, by name and by flag."""

    pause: float = option(1.0, "Seconds of doing nothing.")


@dataclass(frozen=True)
class SeedingOptions(Options):
    """One that all methods have."""

    own_seed: int = option(0, "Of its dice.", "--seed")


@dataclass(frozen=True)
class NeedyOptions(Options):
    """One that nobody gives it."""

    map: str | None = option(None, "Where all is.", needed=True)


@dataclass(frozen=True)
class OwnMethod:
    """Gives up at once, at a limit of its own; ``reason``: why it cannot take a task."""

    name: str
    reason: str | None = None
    Options: type[Options] = Options
    summary: str = "gives up"
    world: Observability = Observability.KNOWN

    def why_not(self, task: Task) -> str | None:
        return self.reason

    def solve(self, request: Request) -> Solution:
        return Solution(Status.BUDGET, None, "it has had enough")

    def estimate(self, request: Request) -> Estimate | None:
        return None


OWN = OwnMethod("own")
PICKY = OwnMethod("picky", "there is a home in it")
PAUSING = OwnMethod("pausing", Options=PausingOptions)
SEEDING = OwnMethod("seeding", Options=SeedingOptions)
NEEDY = OwnMethod("needy", Options=NeedyOptions)


@pytest.fixture
def own_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are registered."""
    names = ("own", "picky", "pausing", "seeding", "needy")
    ours = {name: EntryPoint(name, f"{__name__}:{name.upper()}", GROUP) for name in names}
    there = registry.plug_ins
    monkeypatch.setattr(registry, "plug_ins", lambda group: {**there(group), **ours})
