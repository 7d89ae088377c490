"""Does the most probable route beat the one with the fewest flights, with a model that errs by known rates?

    python -m lab.benchmarks.flight_errors AIRPORTS ROUTES [PAIRS] [FIGURE]

A server on this machine, which the real client of ``openai`` talks to, knows the flights of OpenFlights' files and
errs. Of the cities that it lists, a share p has no flight; of those that have one, it leaves out a share q; at most 50,
busy ones rather first. To "is there a flight?" it gives the wrong answer with the same rate, drawn anew, or, stubborn,
it repeats what it listed for either end. PAIRS (40) pairs of mid-size cities, the ones that come after the 400 of the
table in lab/docs/flights.md; the same for every row. FIGURE: an .svg of the shares of right routes.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from commonsense_lab.studies.travelling.experiment import FlightsEpisode, FlightsSetup, flights_episodes
from commonsense_lab.studies.travelling.network import FlightNetwork, bare
from commonsense_lab.studies.travelling.openflights import read_openflights

from commonsense_planning.config import ModelConfig
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.support.statistics import mean, paired
from commonsense_planning.wording.lexicon import split_name
from tests.chat_server import ChatServer, Messages

VARIANTS = ("fewest", "probable", "rechecked")
RATES = (0.05, 0.15, 0.3)
SEED = 12
TABLE = 400
MOST = 50
_ASKED = re.compile(r"direct flight from (.+) to (.+)\?\s+Answer:\s*$")


class ErringServer:
    """Answers with the flights of a network, but for errors: ``rate`` is p and q."""

    def __init__(self, network: FlightNetwork, rate: float, stubborn: bool) -> None:
        self.network, self.rate, self.stubborn = network, rate, stubborn
        self.cities = {bare(name): city for city, name in enumerate(network.names)}
        self.cities |= {bare(split_name(name)): city for city, name in enumerate(network.ids)}
        self.cities |= {
            bare(f"{network.names[network.ids.index(name)].partition(',')[0]}, {country}"): network.ids.index(name)
            for name, country in network.countries.items()
        }
        busy = np.array([len(ends) for ends in network.flights], float)
        self.busy, self.weights = busy, busy / busy.sum()
        self.lists: dict[int, list[int]] = {}

    def listed(self, city: int) -> list[int]:
        """The cities that are named from one, the same each time."""
        if city not in self.lists:
            rng = np.random.default_rng([SEED, city])
            true = [end for end in self.network.flights[city] if rng.random() >= self.rate]
            true = sorted(true, key=lambda end: -self.busy[end])[:MOST]
            drawn = rng.choice(len(self.busy), size=200, replace=False, p=self.weights).tolist()
            others = [end for end in drawn if end != city and end not in self.network.flights[city]]
            false = others[: rng.binomial(max(1, len(true)), self.rate / (1 - self.rate))]
            rank = {end: -np.log(self.busy[end] + 1) + 0.5 * rng.normal() for end in (*true, *false)}
            self.lists[city] = sorted(rank, key=rank.__getitem__)[:MOST]
        return self.lists[city]

    def is_flight(self, start: int, end: int) -> bool:
        """What is said of one flight, the same each time."""
        if self.stubborn:
            return end in self.listed(start) or start in self.listed(end)
        return (end in self.network.flights[start]) != (np.random.default_rng([SEED, start, end]).random() < self.rate)

    def answer(self, messages: Messages) -> str:
        """The answer to a question, by its last line."""
        asked = _ASKED.search(messages[-1]["content"])
        assert asked is not None, messages
        names = ((bare(name), bare(name.partition(",")[0])) for name in asked.groups())
        start, end = (self.cities.get(name, self.cities.get(short)) for name, short in names)
        assert start is not None, messages
        if asked[2] == "X":
            return "\n".join(self.network.ids[city].replace("-", " ") for city in self.listed(start))
        assert end is not None, messages
        return "Yes" if self.is_flight(start, end) else "No"


def episodes(setup: FlightsSetup, pairs: int) -> Iterator[tuple[str, FlightsEpisode]]:
    """All episodes, each with its variant."""
    for episode in flights_episodes(setup, TABLE + pairs, 1, VARIANTS, ["mid-size"])[len(VARIANTS) * TABLE :]:
        yield episode.variant, episode


def main(airports: Path, routes: Path, pairs: int, figure: Path | None) -> None:
    """Print a line per rate and variant; draw the figure."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    network = read_openflights(airports, routes).network
    right: dict[tuple[bool, str], list[float]] = {}
    for stubborn in (False, True):
        for rate in RATES:
            server = ErringServer(network, rate, stubborn)
            solved: dict[str, list[bool]] = {variant: [] for variant in VARIANTS}
            calls: dict[str, list[float]] = {variant: [] for variant in VARIANTS}
            with ChatServer(server.answer) as chat, tempfile.TemporaryDirectory() as folder:
                model = ModelConfig("openai:erring", base_url=chat.base_url, cache=Path(folder) / "answers.jsonl")
                pack = pack_named("flights").folder
                setup = FlightsSetup(pack=pack, airports=airports, routes=routes, model=model)
                for variant, episode in episodes(setup, pairs):
                    row = episode.run()
                    solved[variant].append(row.status == "solved")
                    calls[variant].append(row.questions)
            kind = "stubborn" if stubborn else "drawn anew"
            for variant in VARIANTS:
                share = mean([100.0 * one for one in solved[variant]]).value
                right.setdefault((stubborn, variant), []).append(share)
                gain = paired(list(zip(solved[variant], solved["fewest"], strict=True)))
                points = f"{100 * gain.value:+.1f} [{100 * gain.low:+.1f}, {100 * gain.high:+.1f}]"
                asked = f"{mean(calls[variant]).value:.1f} questions"
                print(f"{kind:10} p = q = {rate:.2f}  {variant:9}  {share:5.1f} %  {points:22}  {asked}", flush=True)
    if figure is not None:
        draw(right, figure)


def draw(right: dict[tuple[bool, str], list[float]], figure: Path) -> None:
    """A panel for answers drawn anew and one for stubborn ones."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "flights"
    import matplotlib.pyplot as plt

    chart, panels = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
    marks = {"fewest": "o--", "probable": "s-.", "rechecked": "^-"}
    labels = {"fewest": "fewest flights", "probable": "most probable", "rechecked": "most probable, asked again"}
    for panel, stubborn in zip(panels, (False, True), strict=True):
        for variant in VARIANTS:
            panel.plot(RATES, right[stubborn, variant], marks[variant], label=labels[variant])
        panel.set(xlabel="rate of errors", ylim=(0, 100), title="repeats its errors" if stubborn else "errs anew")
    panels[0].set_ylabel("right routes in %")
    panels[0].legend()
    chart.savefig(figure, metadata={"Date": None})


if __name__ == "__main__":
    given = sys.argv[1:]
    main(
        Path(given[0]),
        Path(given[1]),
        int(given[2]) if len(given) > 2 else 40,
        Path(given[3]) if len(given) > 3 else None,
    )
