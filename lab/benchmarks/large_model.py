"""Makes the page of tables from the rows of large models' recorded answers (``benchmarks.recordings``).

python -m lab.benchmarks.large_model    # write lab/docs/large-model.md, and its figure
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from commonsense_lab.report.document import Chart
from commonsense_lab.report.plots import INK, PAPER, colour, panels, save_as
from commonsense_lab.studies.rearrangement.experiment import layout
from commonsense_planning.support.statistics import difference, mean, paired, rate
from lab.benchmarks.recordings import FIRST, RECORDINGS, ROWS, SECOND, listed
from lab.benchmarks.written_heuristics import COLLECTION
from tests.data import REPOSITORY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = REPOSITORY / "lab" / "docs" / "large-model.md"
EPISODES = "n, answers not independent"
OURS = {FIRST: "cplan's, 23 Nov", SECOND: "cplan's, 26 Nov"}
PAPERS = "paper's, 26 Nov"
RECENT = tuple(name.file for name in RECORDINGS.values() if name.date == SECOND and name.file != "heuristics")
HILL_CLIMBING = {"none": "0.41", "low": "0.69", "high": "0.65"}
"""Variant → the published success rate."""
LIMIT = 30
"""Steps of an episode of rearrangement, at most."""

_task, _place, _problem = itemgetter("task"), itemgetter("home", "task"), itemgetter("domain", "problem")
Row = dict[str, Any]
Rows = list[Row]


def rows(name: str, date: str = FIRST) -> Rows:
    """Returns the rows of an experiment."""
    return [json.loads(line) for line in (ROWS[date] / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def page() -> str:
    """Returns the text of the page."""
    template = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    recent = [row for name in RECENT for row in rows(name, SECOND)]
    parts = {
        "version": ", ".join(sorted({str(row["version"]) for row in recent})),
        "questions": f"{sum(row['questions'] for row in recent):,}",
        "replayed": "{:,} of {:,}".format(
            *(sum(one[n] for one in listed().values()) for n in ("replayed", "episodes"))
        ),
        "household": household(),
        "more": _difference(
            _of(rows("rearrangement-no-model", SECOND), "replan"), _of(rows("rearrangement", SECOND), "mcts"), _task
        ),
        "rearrangement": rearrangement(),
        "misplaced": misplaced(),
        "planbench": planbench(rows("planbench-mystery", SECOND)),
        "collection": collection(rows("heuristics", SECOND)),
        "flights": flights(rows("flights")),
    }
    for name, part in parts.items():
        template = template.replace(f"<!-- {name} -->", part)
    return template


def household() -> str:
    """Returns a line for each variant, set of tasks, and prompts."""
    published = {
        **{("2", variant): number for variant, number in HILL_CLIMBING.items()},
        ("2", "guide"): "0.29",
        **{("3", "low"): "0.66", ("3", "guide"): "0.00", ("programs", "program"): "0.34"},
    }
    labels = {
        "none": "no guide",
        "low": "low-level guide",
        "high": "high-level guide",
        "guide": "the guide alone",
        "program": "a program",
    }
    lines = []
    for found, asked in ((rows("household-paper", SECOND), "paper's"), (rows("household"), "cplan's")):
        for (table, variant), number in published.items():
            here = [row for row in found if table in row["tables"]]
            if table == "3":
                here = [row for row in here if str(row["task"]).endswith("-adversarial")]
            cell = _of(here, variant)
            if cell:
                plain = [row for row in _of(found, "none") if "2" in row["tables"]]
                more = "–" if variant == "none" or table == "3" else _more(cell, plain, _task)
                label = labels[variant] + (", adversarial" if table == "3" else "")
                told = str(len(cell)), _solved(cell), number, more
                lines.append((label, asked, *told, _mean(cell, "calls"), _mean(cell, "tokens", 0)))
    head = f"hill climbing|prompts|{EPISODES}|success|published|less no guide"
    return table_of(f"{head}|calls|tokens", lines)


def rearrangement() -> str:
    """Returns a line for each method, date and prompts, with what was published where they are the paper's; then those
    that ask no language model."""
    papers = [*rows("rearrangement-mcts-paper", SECOND), *rows("rearrangement-policy-paper", SECOND)]
    then, recent = [*rows("rearrangement"), *rows("rearrangement-paper")], rows("rearrangement", SECOND)
    none = rows("rearrangement-no-model", SECOND)
    ways = (
        (papers, papers, PAPERS, ("paper", "policy")),
        (recent, recent, OURS[SECOND], ("mcts", "replan", "policy")),
        (none, recent, "no language model: `embedded`", ("replan",)),
        (none, recent, "no model", ("look-nearest",)),
        (then, then, OURS[FIRST], ("mcts", "replan", "policy", "paper")),
    )
    lines = []
    for found, among, asked, variants in ways:
        base = _of(among, "policy")
        for variant in variants:
            cell = _of(found, variant)
            more = "–" if variant == "policy" else _difference(cell, base, _task)
            rates = published_rearrangement()[variant] if asked == PAPERS else []
            theirs = f"{fmean(rates):.2f} ({min(rates):.2f} to {max(rates):.2f})" if rates else "–"
            told = str(len(cell)), _solved(cell), theirs, _steps(cell), more
            lines.append((f"`{cell[0]['method']}`", asked, *told, _mean(cell, "calls"), _mean(cell, "tokens", 0)))
    head = f"method|prompts|{EPISODES}|success|published|steps"
    return table_of(f"{head}|steps less `llm-policy`'s, same tasks|calls|tokens", lines)


def published_rearrangement() -> dict[str, list[float]]:
    """Returns variant → success rates of the paper's method that asks GPT-3.5 in the ten cells of its table 1, each of
    which has as many of our tasks."""
    lines = {line.variant: line.published for line in layout().tables["1"].lines if line.published is not None}
    return {name: [cell.value / 100 for cell in lines[name].rates.values()] for name in ("paper", "policy")}


def misplaced() -> str:
    """Returns a line for each method where all is misplaced: what it took, compared with the cheapest plan and the
    first."""
    lines = []
    here = [row for row in rows("misplaced", SECOND) if row["share"] == "1"]
    for method in ("llm-mcts", "llm-replan", "llm-policy", "look-nearest"):
        cell = _of(here, method)
        ratio = sum(map(_taken, cell)) / sum(row["cheapest"] for row in cell)
        more = "–" if method == "llm-mcts" else _difference(_of(here, "llm-mcts"), cell, _place)
        told = str(len(cell)), _solved(cell), _steps(cell), f"{ratio:.2f}", more
        lines.append((f"`{method}`", *told, _mean(cell, "calls")))
    head = f"method|{EPISODES}|success|steps|× the cheapest plan"
    return table_of(f"{head}|steps of `llm-mcts` less its|calls", lines)


def planbench(found: Rows) -> str:
    """Returns a line for each kind, with what PlanBench keeps of other models: right of all, and of the same twelve."""
    kept = {"generation": ("18 of 500; 1 of 12", "180 of 500; 5 of 12"), "verification": ("368 of 500; 10 of 12", "–")}
    lines = []
    for kind in ("generation", "optimality", "verification", "execution"):
        cell = [row | {"status": "solved" if row["right"] else ""} for row in found if row["kind"] == kind]
        told = str(len(cell)), str(sum(row["right"] for row in cell)), _solved(cell)
        lines.append((kind, *told, *kept.get(kind, ("–", "–"))))
    return table_of(f"kind|{EPISODES}|right|rate|GPT-4, published; same tasks|o1-preview, published; same tasks", lines)


def collection(found: Rows) -> str:
    """Returns a line for each domain in which the two differ, and for all, with and without the one whose program is a
    solver."""
    groups = {domain: [row for row in found if row["domain"] == domain] for domain in COLLECTION}
    groups = {d: here for d, here in groups.items() if _count(_of(here, "gbfs")) != _count(_of(here, "written"))}
    groups |= {"all twelve": found, "without freecell": [row for row in found if row["domain"] != "freecell"]}
    lines = []
    for label, here in groups.items():
        plain, written = _of(here, "gbfs"), _of(here, "written")
        told = [f"{_count(cell)} of {len(cell)}" for cell in (plain, written)]
        more = "–"
        if label not in COLLECTION:
            told = [f"{count}: {_solved(cell)}" for count, cell in zip(told, (plain, written), strict=True)]
            more = _more(written, plain, _problem)
        lines.append((label, *told, more))
    return table_of("domain|`gbfs`|`gbfs` by the recorded program|difference, same problems", lines)


def flights(found: Rows) -> str:
    """Returns a line for each method."""
    labels = {
        "fewest": "`llm-model --route fewest`",
        "probable": "`llm-model --recheck 0`",
        "rechecked": "`llm-model`",
        "policy": "`llm-route`",
    }
    lines = []
    for variant, label in labels.items():
        cell = _of(found, variant)
        lines.append((label, str(len(cell)), _solved(cell), _mean(cell, "calls"), _mean(cell, "tokens", 0)))
    return table_of(f"method|{EPISODES}|right|calls|tokens", lines)


def table_of(head: str, lines: Iterable[Sequence[str]]) -> str:
    """Returns a table in Markdown."""
    cells = [head.split("|"), ["---"] * len(head.split("|")), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _count(cell: Rows) -> int:
    return sum(row["status"] == "solved" for row in cell)


def _solved(cell: Rows) -> str:
    found = rate(_count(cell), len(cell))
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _mean(cell: Rows, name: str, digits: int = 1) -> str:
    return f"{mean([row[name] for row in cell]).value:,.{digits}f}"


def _of(found: Rows, variant: str) -> Rows:
    return [row for row in found if row["variant"] == variant]


def _more(ones: Rows, others: Rows, key: Callable[[Row], object]) -> str:
    """Returns the success rate of ``ones`` less that of ``others`` on the same tasks."""
    one, other = ({key(row): row["status"] == "solved" for row in found} for found in (ones, others))
    got = paired([(one[task], other[task]) for task in one.keys() & other.keys()])
    return f"{got.value:+.2f} [{got.low:+.2f}, {got.high:+.2f}]"


def _taken(row: Row) -> int:
    """Returns the steps of the plan, or the limit without one."""
    return int(row["steps"] if row["status"] == "solved" else row.get("limit", LIMIT))


def _steps(cell: Rows) -> str:
    return f"{mean([*map(_taken, cell)]).value:.1f}"


def _difference(ones: Rows, others: Rows, key: Callable[[Row], object]) -> str:
    """Returns the mean of the steps of ``ones`` less those of ``others`` on the tasks that both have; where these are
    not all, how many they are, and the mean of the others there."""
    one, other = ({key(row): row for row in found} for found in (ones, others))
    shared = sorted(one.keys() & other.keys(), key=str)
    got = difference([_taken(one[task]) - _taken(other[task]) for task in shared])
    there = (
        ""
        if len(shared) == len(one) == len(other)
        else f"; {_steps([other[t] for t in shared])} on these {len(shared)}"
    )
    return f"{got.value:+.2f} [{got.low:+.2f}, {got.high:+.2f}]{there}"


def figure() -> Chart:
    """Success with the papers' prompts and with ours, and what was published."""
    groups = {
        "none": "hill climbing,\nno guide",
        "low": "hill climbing,\nlow-level guide",
        "high": "hill climbing,\nhigh-level guide",
        "paper": "rearrangement,\nllm-mcts-paper",
        "policy": "rearrangement,\nllm-policy",
    }
    papers = [row for name in RECENT if name.endswith("-paper") for row in rows(name, SECOND)]
    ours = [row for row in rows("household") if "2" in row["tables"]] + rows("rearrangement-paper")
    ours += _of(rows("rearrangement", SECOND), "policy")
    theirs = {variant: float(number) for variant, number in HILL_CLIMBING.items()}
    theirs |= {variant: fmean(rates) for variant, rates in published_rearrangement().items()}
    title = "grey lines: 95 % intervals; the answers are not independent\npublished: gpt-4o-mini, GPT-3.5, other homes"

    def draw(figure: Figure) -> None:
        (axis,) = panels(figure, 1, 1, 2.6)
        width = 0.84 / 2
        for offset, label, number, found in ((-0.5, "the papers'", 1, papers), (0.5, "cplan's", 0, ours)):
            cells = [_of(found, variant) for variant in groups]
            rates = [rate(_count(cell), len(cell)) for cell in cells]
            places = [place + offset * width for place in range(len(groups))]
            label = f"recorded answers, {label} prompts"
            axis.bar(places, [100 * got.value for got in rates], 0.9 * width, color=colour(number), label=label)
            ends = [100 * got.low for got in rates], [100 * got.high for got in rates]
            axis.vlines(places, *ends, color="#808080", lw=1.2)
        known = {place - 0.5 * width: 100 * theirs[v] for place, v in enumerate(groups) if v in theirs}
        look: dict[str, Any] = {"markersize": 4, "color": INK, "markerfacecolor": PAPER, "elinewidth": 0.8}
        axis.errorbar([*known], [*known.values()], [0.0] * len(known), fmt="D", label="published", **look)
        counts = {v: f"n = {len(_of(papers, v))} and {len(_of(ours, v))}" for v in groups}
        axis.set(title=title, ylabel="solved, %", ylim=(0, 104))
        axis.set_xticks(range(len(groups)), [f"{name}\n{counts[v]}" for v, name in groups.items()])
        axis.tick_params(axis="x", length=0, labelbottom=True)
        axis.grid(axis="y", alpha=0.3)

    return Chart("large-model", "Tasks solved", draw)


def main() -> None:
    """Writes the page, and its figure."""
    PAGE.write_text(page(), encoding="utf-8")
    save_as(figure(), PAGE.with_suffix(".svg"))


if __name__ == "__main__":
    main()
