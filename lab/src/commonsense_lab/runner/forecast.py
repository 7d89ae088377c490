"""Forecasts what the remaining episodes of an experiment would ask, cost and take.

A forecast is measured on finished episodes of the same variant and setup; without any, it is what the method estimates
for a few of the tasks. Anything else is unknown, and is not guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import mean
from typing import Any

from commonsense_lab.runner.rows import Labels
from commonsense_lab.runner.runner import Episode
from commonsense_lab.runner.variants import Solving
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.support.row_file import Line

MEASURES = ("questions", "calls", "tokens", "usd", "seconds")
TRIED = 10  # tasks of a variant for which its method estimates; the first ones are of all kinds
_TOLD_APART = ("variant", "skill", "solver", "model")  # labels of one study or another

Range = tuple[float, float]
Needs = Mapping[str, Range]
"""Measure → from a short episode to an upper bound; equal where it was measured. Unknown measures are left out."""


@dataclass(frozen=True)
class Forecast:
    """The episodes of one kind, a variant with its model: ``total`` are wanted, ``found`` are there. ``needs`` of all
    remaining ones together; ``known_from``: the source."""

    what: str
    total: int
    found: int
    needs: Needs = field(default_factory=dict)
    known_from: str = ""

    @property
    def left(self) -> int:
        """The number of episodes to run."""
        return self.total - self.found


def forecasts(
    episodes: Sequence[Episode], lines: Iterable[Line], models: ModelSession | None, again: bool = False
) -> list[Forecast]:
    """Returns a forecast for each kind of episodes; asks no model. ``lines`` of finished episodes. ``models``: None if
    the experiment asks none. ``again``: failed episodes are repeated."""
    kept = {line.key for line in lines if not (again and line.error)}
    measured: defaultdict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for line in lines:
        if not line.error:
            measured[_kind(line.data), str(line.data.get("setup"))].append(line.data)
    wanted = {labels.key: (episode, labels) for episode in episodes for labels in [episode.labels]}
    tried: defaultdict[str, list[Needs]] = defaultdict(list)
    counts: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for key, (episode, labels) in wanted.items():
        kind = _kind(asdict(labels)), labels.setup
        counts[kind][0] += 1
        counts[kind][1] += key in kept
        if key not in kept and kind not in measured and len(tried[kind[0]]) < TRIED:
            tried[kind[0]].append(_said(episode, labels, models))
    found = []
    for (what, setup), (total, there) in counts.items():
        rows = measured.get((what, setup), [])
        needs = _together([_measured(row) for row in rows] or tried[what], total - there)
        source = f"the {len(rows)} that are there" if rows else f"what {len(tried[what])} of them would ask"
        found.append(Forecast(what, total, there, needs, source if needs else ""))
    return found


def in_all(found: Sequence[Forecast]) -> Forecast:
    """Returns the sum; what is unknown of one is unknown of all."""
    needs = _together([each.needs for each in found], len(found))
    return Forecast("all", sum(each.total for each in found), sum(each.found for each in found), needs)


def _kind(labels: Mapping[str, Any]) -> str:
    return ", ".join(str(labels[name]) for name in _TOLD_APART if name in labels) or str(labels.get("suite"))


def _measured(row: Mapping[str, Any]) -> Needs:
    usd = row.get("usd") if row.get("calls") else 0.0  # without a call there is no price
    found = {name: value for name, value in {**row, "usd": usd}.items() if name in MEASURES and value is not None}
    return {name: (float(value), float(value)) for name, value in found.items()}


def _said(episode: Episode, labels: Labels, models: ModelSession | None) -> Needs:
    """Returns what an episode's method estimates, if it can."""
    nothing = dict.fromkeys(("calls", "tokens", "usd"), (0.0, 0.0))
    if models is None or not models.adapter.reads_prompts:
        asked = getattr(labels, "model", None)
        return nothing if models is None or asked == models.config.name else {}
    if not isinstance(episode, Solving) or not episode.foreseen:
        return {}
    request = episode.request(models)
    try:
        estimate = request.method.estimate(request)
    except UsageError:
        return {}
    if estimate is None:
        return nothing
    prompts, answers = estimate.prompt_tokens, estimate.completion_tokens
    free = not models.adapter.costs or models.config.replay is not None
    usd = (0.0, 0.0) if free else estimate.usd
    told = {"calls": estimate.calls, "tokens": (prompts[0] + answers[0], prompts[1] + answers[1])}
    return told if usd is None else {**told, "usd": usd}


def _together(each: Sequence[Needs], left: int) -> Needs:
    """Returns what is known of all of ``each``, for ``left`` episodes like them."""
    shared = [name for name in MEASURES if each and all(name in needs for needs in each)]
    return {
        name: (left * mean(needs[name][0] for needs in each), left * mean(needs[name][1] for needs in each))
        for name in shared
    }
