"""The forecast of episodes before they are run."""

from argparse import Namespace
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest

from commonsense_lab.runner.forecast import TRIED, Forecast, forecasts, in_all
from commonsense_lab.runner.rows import EpisodeOutcome, VariantLabels
from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Estimate, Request
from commonsense_planning.support.row_file import Line

ESTIMATE = Estimate(1, (2, 10), (100, 1000), (10, 200), (0.5, 1.5))
OPENAI = ModelConfig("openai:gpt-4o-mini")
MADE = {"suite": "s", "setup": "usual", "command": "", "version": "", "tables": (), "method": "m", "model": OPENAI.name}
LABELS = VariantLabels(key="", task="t", variant="a", seed=0, **MADE)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Told:
    """An episode whose method says what it asks; None: nothing, a text: why that cannot be told."""

    labels: VariantLabels
    says: Estimate | str | None = None

    foreseen = True

    @property
    def variant(self) -> str:
        return self.labels.variant

    def run(self) -> EpisodeOutcome:
        raise AssertionError

    def request(self, models: ModelSession) -> Request:
        def estimate(request: Request) -> Estimate | None:
            if isinstance(self.says, str):
                raise UsageError(self.says)
            return self.says

        return cast(Request, Namespace(method=Namespace(estimate=estimate)))


def episodes(variant: str, number: int, says: Estimate | str | None = None) -> list[Told]:
    return [Told(replace(LABELS, key=f"{variant}{i}", variant=variant), says) for i in range(number)]


def line(key: str, **others: Any) -> Line:
    row = {"key": key, "variant": key[0], "model": OPENAI.name, "setup": "usual", "suite": "s", **others}
    return Line(Path("x"), 1, b"", row)


def test_a_forecast_asks_the_method_about_a_few_tasks() -> None:
    (found,) = forecasts(episodes("a", 100, ESTIMATE), [], ModelSession(OPENAI))
    assert (found.what, found.total, found.found, found.left) == ("a, openai:gpt-4o-mini", 100, 0, 100)
    assert found.needs == {"calls": (200, 1000), "tokens": (11_000, 120_000), "usd": (50, 150)}
    assert found.known_from == f"what {TRIED} of them would ask"


def test_a_forecast_is_measured_on_the_episodes_that_are_there() -> None:
    spent = {"questions": 4, "calls": 3, "tokens": 70, "usd": 0.25, "seconds": 2.0}
    lines = [line("a0", **spent), line("a1", **{**spent, "seconds": 4.0}), line("a2", error="ZeroDivisionError")]
    lines += [line("a9", **{**spent, "seconds": 99.0}, **{"setup": "another"})]
    (found,) = forecasts(episodes("a", 10, ESTIMATE), lines, ModelSession(OPENAI))
    assert (found.found, found.left) == (4, 6)
    assert found.needs == {name: (6 * value, 6 * value) for name, value in {**spent, "seconds": 3.0}.items()}
    assert found.known_from == "the 2 that are there"
    (again,) = forecasts(episodes("a", 10, ESTIMATE), lines, ModelSession(OPENAI), again=True)
    assert again.found == 3


def test_costs_that_cannot_be_foreseen_are_unknown() -> None:
    found = forecasts([*episodes("a", 2, "no estimate"), *episodes("b", 2)], [], ModelSession(OPENAI))
    assert [dict(each.needs) for each in found] == [{}, {"calls": (0, 0), "tokens": (0, 0), "usd": (0, 0)}]
    assert found[0].known_from == ""
    assert in_all(found) == Forecast("all", 4, 0, {})
    unpriced = replace(ESTIMATE, usd=None)
    assert "usd" not in forecasts(episodes("a", 2, unpriced), [], ModelSession(OPENAI))[0].needs


@pytest.mark.parametrize("models", [None, ModelSession(ModelConfig("embedded"))])
def test_where_no_endpoint_is_asked_nothing_is_paid(models: ModelSession | None) -> None:
    free = [replace(each, labels=replace(each.labels, model="embedded")) for each in episodes("a", 2, ESTIMATE)]
    (found,) = forecasts(free, [], models)
    assert found.needs == {"calls": (0, 0), "tokens": (0, 0), "usd": (0, 0)}


def test_a_replay_costs_nothing(tmp_path: Path) -> None:
    replayed = replace(OPENAI, replay=tmp_path / "r.jsonl")
    (found,) = forecasts(episodes("a", 2, ESTIMATE), [], ModelSession(replayed))
    assert found.needs == {"calls": (4, 20), "tokens": (220, 2400), "usd": (0, 0)}


def test_all_together() -> None:
    two = [Forecast("a", 5, 1, {"calls": (1, 2)}), Forecast("b", 7, 2, {"calls": (3, 5), "usd": (1, 1)})]
    assert in_all(two) == Forecast("all", 12, 3, {"calls": (4, 7)})
