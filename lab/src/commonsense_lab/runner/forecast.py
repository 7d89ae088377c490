"""What the episodes of an experiment that are still to run would ask, cost and take, before any of them is run.

What is known comes from the episodes that are there already, of the same variant and setup; where there are none, from
what the method says of itself on a few of the tasks. All else is not known, and is not guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import mean
from typing import Any

from commonsense_lab.runner.rows import Labels, Line
from commonsense_lab.runner.runner import Episode
from commonsense_lab.runner.variants import Solving
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Estimate

MEASURES = ("questions", "calls", "tokens", "usd", "seconds")
TRIED = 10  # tasks of a variant on which its method says what it would ask; the first ones are of all kinds
_TOLD_APART = ("variant", "skill", "solver", "model")  # labels of one study or another

Range = tuple[float, float]
Needs = Mapping[str, Range]
"""Measure → from a short episode to what is never exceeded; the two are equal where it was measured. One that is not
known is not in it."""


@dataclass(frozen=True)
class Forecast:
    """Of the episodes of one kind, a variant with its model: ``total`` are wanted, ``found`` are there. ``needs``: of
    all that are still to run together; ``known_from``: who says so."""

    what: str
    total: int
    found: int
    needs: Needs = field(default_factory=dict)
    known_from: str = ""

    @property
    def left(self) -> int:
        """How many are to run."""
        return self.total - self.found


def forecasts(
    episodes: Sequence[Episode], lines: Iterable[Line], models: ModelSession | None, again: bool = False
) -> list[Forecast]:
    """A forecast for each kind of episodes. ``lines``: of those that are there. ``models``: who answers their
    questions, None where nobody is asked; nobody is asked now. ``again``: those that failed are run once more."""
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
    """All of them together; what is not known of one is not known of all."""
    needs = _together([each.needs for each in found], len(found))
    return Forecast("all", sum(each.total for each in found), sum(each.found for each in found), needs)


def _kind(labels: Mapping[str, Any]) -> str:
    return ", ".join(str(labels[name]) for name in _TOLD_APART if name in labels) or str(labels.get("suite"))


def _measured(row: Mapping[str, Any]) -> Needs:
    usd = row.get("usd") if row.get("calls") else 0.0  # where nobody was called there is no price
    found = {name: value for name, value in {**row, "usd": usd}.items() if name in MEASURES and value is not None}
    return {name: (float(value), float(value)) for name, value in found.items()}


def _said(episode: Episode, labels: Labels, models: ModelSession | None) -> Needs:
    """What an episode's method says of itself, where it has one that can tell."""
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
    return nothing if estimate is None else _estimated(estimate, models)


def _estimated(estimate: Estimate, models: ModelSession) -> Needs:
    prompts, answers = estimate.prompt_tokens, estimate.completion_tokens
    free = not models.adapter.costs or models.config.replay is not None
    usd = (0.0, 0.0) if free else estimate.usd
    told = {"calls": estimate.calls, "tokens": (prompts[0] + answers[0], prompts[1] + answers[1])}
    return told if usd is None else {**told, "usd": usd}


def _together(each: Sequence[Needs], left: int) -> Needs:
    """Of so many of the kind of these: what is known of each of them."""
    shared = [name for name in MEASURES if each and all(name in needs for needs in each)]
    return {
        name: (left * mean(needs[name][0] for needs in each), left * mean(needs[name][1] for needs in each))
        for name in shared
    }
