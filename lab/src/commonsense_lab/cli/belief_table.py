"""Shows a belief: bars for the likeliest places of each thing, and a table of scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from commonsense_lab.report.belief_scores import BeliefScores, Bin, Comparison
from commonsense_planning.cli.output import Printer, padded, width
from commonsense_planning.elicitation.initial_belief import HiddenThing
from commonsense_planning.llm.model import LanguageModel

EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
NARROWEST, WIDEST = 8, 40  # a bar, in columns
BESIDE = 32  # columns of a row without its label and its bar


@dataclass(frozen=True)
class Row:
    """Places of one name: ``count``, joint ``probability``, and how many of the things are there (``true``)."""

    place: str
    count: int
    probability: float
    true: int

    @property
    def label(self) -> str:
        """The place, with the number of places of its name."""
        return self.place if self.count == 1 else f"{self.place} ({self.count})"


@dataclass(frozen=True)
class Block:
    """Things of one name and one belief, their scores, and their places, the likeliest first."""

    things: tuple[HiddenThing, ...]
    judged: Comparison
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """The name, with the number of things of this name."""
        name = self.things[0].name
        return name if len(self.things) == 1 else f"{name} ({len(self.things)})"

    def shown(self, top: int) -> list[Row]:
        """Returns the first ``top`` rows, and after them those where one of the things is."""
        return [row for i, row in enumerate(self.rows) if i < top or row.true]

    def as_json(self, top: int) -> dict[str, Any]:
        """Returns what is shown, and the score of each thing."""
        each = zip(self.things, self.judged.model.each, self.judged.uniform.each, strict=True)
        return {
            "name": self.things[0].name,
            "things": [
                {
                    "objects": list(thing.objects),
                    "true": thing.facts[thing.truth],
                    "candidates": len(thing.facts),
                    "model": model._asdict(),
                    "uniform": uniform._asdict(),
                }
                for thing, model, uniform in each
            ],
            "places": [
                {"place": row.place, "count": row.count, "probability": row.probability, "true": row.true}
                for row in self.shown(top)
            ],
        }


def blocks_of(things: Sequence[HiddenThing], judged: Comparison) -> list[Block]:
    """Groups the things by name and belief, in the order of the task."""
    together: dict[tuple[str, tuple[str, ...], bytes], list[int]] = {}
    for i, thing in enumerate(things):
        together.setdefault((thing.name, thing.places, thing.believed.tobytes()), []).append(i)
    return [
        Block(
            tuple(things[i] for i in members),
            Comparison(*(BeliefScores(tuple(scores.each[i] for i in members)) for scores in judged)),
            tuple(_rows([things[i] for i in members])),
        )
        for members in together.values()
    ]


def _rows(things: Sequence[HiddenThing]) -> list[Row]:
    first = things[0]
    counts, probabilities, true = Counter(first.places), Counter[str](), Counter[str]()
    for place, probability in zip(first.places, first.believed.tolist(), strict=True):
        probabilities[place] += probability
    for thing in things:
        true[thing.places[thing.truth]] += 1
    rows = [Row(place, count, float(probabilities[place]), true[place]) for place, count in counts.items()]
    return sorted(rows, key=lambda row: -row.probability)


def print_blocks(printer: Printer, blocks: Sequence[Block], top: int) -> None:
    """Prints a block for each name: mean scores, those of the uniform prior in brackets, and a bar for each place. True
    places that are not among the first ``top`` follow, marked with an ellipsis."""
    if blocks:
        printer.line("in brackets: the same for a uniform prior", "dim")
    label = max((width(row.label) for block in blocks for row in block.shown(top)), default=0)
    bar = min(max(printer.console.width - label - BESIDE, NARROWEST), WIDEST)
    for block in blocks:
        printer.line()
        printer.line(block.title, "bold")
        model, uniform = block.judged.model.mean, block.judged.uniform.mean
        printer.line(
            f"  log loss {model.log_loss:.2f} ({uniform.log_loss:.2f})  Brier {model.brier:.2f} ({uniform.brier:.2f})"
            f"  rank {model.rank:.1f} ({uniform.rank:.1f})"
        )
        shown = block.shown(top)
        for i, row in enumerate(shown):
            mark = "" if not row.true else "true" if len(block.things) == 1 else f"true for {row.true}"
            printer.parts(
                ("  " if i < top else "… ", ""),
                (f"{padded(row.label, label)}  ", "green" if mark else ""),
                (f"{_bar(row.probability, bar):<{bar}}", "green" if mark else "cyan"),
                (f"  {row.probability:>6.1%}", ""),
                (f"  {mark}" if mark else "", "bold green"),
            )
        rest = [row for row in block.rows if row not in shown]
        if rest:
            what = f"{sum(row.count for row in rest)} more"
            share = sum(row.probability for row in rest)
            printer.line(f"  {what:<{label}}  {'':<{bar}}  {share:>6.1%}", "dim")


def print_summary(printer: Printer, judged: Comparison, model: LanguageModel, how: str) -> None:
    """Prints means over all things, of the model and of the uniform prior; ``how``: how the model was asked."""
    names = (model.name, "uniform")
    first = max(len(name) for name in names)
    heads = ("things", "log loss", "Brier", "mean rank", "first guess right")
    printer.line()
    printer.line("  ".join((" " * first, *heads)), "bold")
    for name, scores in zip(names, judged, strict=True):
        mean = scores.mean
        cells = (
            str(len(scores.each)),
            f"{mean.log_loss:.2f}",
            f"{mean.brier:.2f}",
            f"{mean.rank:.1f}",
            f"{mean.first_guess:.0%}",
        )
        aligned = (cell.rjust(len(head)) for cell, head in zip(cells, heads, strict=True))
        printer.line("  ".join((name.ljust(first), *aligned)))
    printer.line(how)
    printer.line(f"{model.name}: {model.note}")


def print_calibration(printer: Printer, bins: Sequence[Bin], fitted: tuple[float, float]) -> None:
    """Prints how often places are true by their believed probability, and the best temperature."""
    printer.line()
    printer.line("believed    places  on average    true", "bold")
    for low, high, members, believed, true in bins:
        printer.line(f"{max(low, 0):.2f}-{high:.2f} {members:8d}  {believed:10.3f}  {true:6.3f}")
    temperature, loss = fitted
    printer.line(f"with --weight-temperature {temperature:g} more, the log loss here would be {loss:.2f}")


def _bar(share: float, width: int) -> str:
    """Returns a bar of up to ``width`` columns in steps of an eighth; the smallest share is visible."""
    eighths = max(1, round(share * width * 8))
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8]
