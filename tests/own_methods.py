"""Methods for tests alone, as a plug-in would bring them."""

from dataclasses import dataclass
from importlib.metadata import EntryPoint

import pytest

from commonsense_planning import Estimate, Observability, Options, Request, Solution, Status, Task, option
from commonsense_planning.methods.registry import GROUP
from commonsense_planning.support import registry


@dataclass(frozen=True)
class PausingOptions(Options):
    """Two that clash with the model's options, by name and by flag."""

    pause: float = option(1.0, "Seconds of doing nothing.")


@dataclass(frozen=True)
class SeedingOptions(Options):
    """One that all methods have."""

    own_seed: int = option(0, "Of its dice.", "--seed")


@dataclass(frozen=True)
class NeedyOptions(Options):
    """One that is never given."""

    map: str | None = option(None, "Where all is.", needed=True)


@dataclass(frozen=True)
class OwnMethod:
    """Gives up at once, at its own limit; ``reason``: why it cannot take a task."""

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
