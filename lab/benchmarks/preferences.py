"""How many unseen objects are placed as their people would, told where others go (TidyBot, Wu et al. 2023, table I).

    python -m lab.benchmarks.preferences SCENARIOS [MODEL] [EVERY]

SCENARIOS: ``benchmark/scenarios.yml`` of the authors' repository, 96 scenarios of 4 to 10 objects seen and as many
unseen; it is not part of the project. Reading it needs PyYAML. MODEL (embedded): who is asked; EVERY (1): only each
so-manieth scenario. Printed: the share of unseen objects placed right, the mean over scenarios as in the paper, of the
model with the seen objects as preferences; of the model without; of the preference whose object has the most similar
name, by the lexical matcher; of the place that is most frequent among the seen objects.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_planning.config import ModelConfig
from commonsense_planning.llm.models import Models
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.support.statistics import difference, mean
from commonsense_planning.wording.questions import Placement, Scene

SAMPLES = 10


@dataclass(frozen=True)
class Scenario:
    """Places, and where which object goes: those seen and those unseen."""

    places: tuple[str, ...]
    seen: tuple[tuple[str, str], ...]
    unseen: tuple[tuple[str, str], ...]


Place = Callable[[Scenario], Sequence[str]]
"""Where each of the unseen objects goes."""


def read_scenarios(path: Path) -> list[Scenario]:
    """Read the authors' file."""
    import yaml

    def pairs(placements: Any) -> tuple[tuple[str, str], ...]:
        return tuple((str(thing), str(place)) for thing, place in placements)

    return [
        Scenario(tuple(map(str, s["receptacles"])), pairs(s["seen_placements"]), pairs(s["unseen_placements"]))
        for s in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]


def asked(config: ModelConfig, told: bool) -> Place:
    """By a model, told where the seen objects go or not; of equal weights the first place."""

    def place(scenario: Scenario) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            lines = Path(folder) / "preferences.txt"
            lines.write_text("".join(f"{thing} goes to {place}\n" for thing, place in scenario.seen))
            own = ModelConfig(config.name, preferences=lines if told else None)
            with Models(own) as models:
                model = models.open(Scene(), None, LexicalMatcher(), np.random.default_rng(0))
                questions = [Placement(thing, scenario.places) for thing, _ in scenario.unseen]
                weights = model.weigh(questions, SAMPLES)
        return [scenario.places[int(w.shares.argmax())] for w in weights]

    return place


def most_similar(scenario: Scenario) -> list[str]:
    """Where the seen object of the most similar name goes."""
    things = [thing for thing, _ in scenario.seen]
    similar = (LexicalMatcher().similarities(thing, things) for thing, _ in scenario.unseen)
    return [scenario.seen[int(s.argmax())][1] for s in similar]


def most_frequent(scenario: Scenario) -> list[str]:
    """Where most seen objects go, of equals the first."""
    place = Counter(place for _, place in scenario.seen).most_common(1)[0][0]
    return [place] * len(scenario.unseen)


def accuracy(scenario: Scenario, place: Place) -> float:
    """The share of the unseen objects, in %, that are placed right."""
    right = [given == wanted for given, (_, wanted) in zip(place(scenario), scenario.unseen, strict=True)]
    return 100 * sum(right) / len(right)


def main(path: Path, model: str, every: int) -> None:
    """Print a line per way to place."""
    scenarios = read_scenarios(path)[::every]
    count = sum(len(s.unseen) for s in scenarios)
    print(f"{len(scenarios)} scenarios, {count} unseen objects")
    config = ModelConfig(model)
    ways: dict[str, Place] = {
        "most frequent": most_frequent,
        "most similar name": most_similar,
        f"{model}, untold": asked(config, False),
        f"{model}, preferences": asked(config, True),
    }
    base: list[float] = []
    for name, place in ways.items():
        found = [accuracy(scenario, place) for scenario in scenarios]
        base = base or found
        gain = difference([one - other for one, other in zip(found, base, strict=True)])
        told = "" if found is base else f"  {gain.value:+.1f} [{gain.low:+.1f}, {gain.high:+.1f}] against the first"
        print(f"{name:24} {mean(found).value:5.1f} %{told}", flush=True)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(Path(given[0]), given[1] if len(given) > 1 else "embedded", int(given[2]) if len(given) > 2 else 1)
