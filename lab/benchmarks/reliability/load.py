"""Minutes of episodes against an endpoint in trouble: does every one end with a verdict, and do the counts add up?

    python -m lab.benchmarks.reliability.load [--seconds 600] [--seed 0]

A server on this machine meets a twentieth of the calls with each of the faults below, all others with a sensible
answer. Methods that ask act in a household, in VirtualHome and on flights, one episode after the other, as in one run
of ``cplan solve``: one client, which tries a call again up to five times and waits 2 s for an answer, and 20 s for each
episode. A verdict is a status or, as exit code 3 says it, an endpoint that cannot be used. Then server and client are
compared: calls that came and calls that were made; answers that were good and questions that got one; faults, and calls
that were tried again or given up. Lost is an episode without a verdict, and each by which two of these differ.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import click
import numpy as np

from commonsense_planning.config import AskBy, ModelConfig
from commonsense_planning.errors import MissingError
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.models import Models
from commonsense_planning.methods.method import Request as Wanted
from commonsense_planning.methods.registry import METHODS, solve
from commonsense_planning.pddl.packs import packs_folder
from commonsense_planning.task import Task, read_task
from tests import chat_troubles as troubles
from tests.chat_server import Behaviour, ChatServer, Messages, Reply, Request, offered, wanted
from tests.data import REPOSITORY

SHARE = 0.05
FAULTS: Mapping[str, Behaviour] = {
    "429": troubles.status(429),
    "429 with Retry-After": troubles.status(429, retry_after=0.05),
    "500": troubles.status(500),
    "503": troubles.status(503),
    "time-out": troubles.too_slow,
    "dripping": troubles.dripping,
    "dropped before the headers": troubles.dropped_before_headers,
    "dropped in the body": troubles.dropped_in_body,
    "garbage for gzip": troubles.garbage,
    "truncated JSON": troubles.truncated,
    "HTML": troubles.html,
    "no choices": troubles.no_choices,
    "403": troubles.status(403),
    "400": troubles.status(400),
    "an endless body": troubles.endless(200, troubles.LINE),
    "an empty answer": troubles.null_content,
}
HOUSEHOLD = ("household", "small-apple", "demo", "plate-chicken")
FLIGHTS = ("flights", "short-oslo-athens", "large-wellington-nuuk")
TASKS = {
    **dict.fromkeys(("llm-mcts", "llm-mcts-paper", "llm-replan", "llm-policy"), HOUSEHOLD),
    **dict.fromkeys(("llm-hill-climb", "llm-guide", "llm-program"), ("virtualhome", "small-salmon")),
    **dict.fromkeys(("llm-model", "llm-route"), FLIGHTS),
}
OPTIONS = {"simulations": 10, "max_steps": 15, "prior_samples": 5, "samples": 5}
MODEL = ModelConfig("openai:m", ask_by=AskBy.SAMPLES, parallel=8, call_seconds=2.0, retries=5, pause=0.01)
EPISODE_SECONDS = 20.0


class TroubledServer(ChatServer):
    """Draws what it does to each call; ``drawn`` counts faults, and good answers under the empty name."""

    def __init__(self, seed: int) -> None:
        super().__init__(self._sensible)
        self._rng = np.random.default_rng(seed)
        self._names = [*FAULTS, ""]
        self._shares = [*[SHARE] * len(FAULTS), 1 - SHARE * len(FAULTS)]
        self.drawn: Counter[str] = Counter()
        self.always(self._meet)

    def _meet(self, request: Request, server: ChatServer) -> Reply | None:
        with self._lock:
            name = str(self._rng.choice(self._names, p=self._shares))
            self.drawn[name] += 1
        return FAULTS[name](request, server) if name else None

    def _sensible(self, messages: Messages) -> str:
        """One of what is offered; else what any question may be answered with."""
        prompt = messages[-1]["content"]
        options = offered(prompt)
        if options:
            with self._lock:
                return str(self._rng.choice(options))
        return "\n".join(f"{thing}: kitchen table" for thing in wanted(prompt)) or "in the fridge, in the kitchen"


def task_of(pack: str, problem: str) -> Task:
    """A problem of a pack, or of the goldens."""
    own = REPOSITORY / "tests" / "goldens" / "problems" / f"{problem}.pddl"
    folder = packs_folder() / pack
    return read_task(folder / "domain.pddl", own if own.exists() else folder / "problems" / f"{problem}.pddl")


def episode(method: str, task: Task, models: Models, seed: int) -> str:
    """How it ended."""
    chosen = METHODS[method]
    known = chosen.Options.__dataclass_fields__
    options = chosen.Options.of({name: value for name, value in OPTIONS.items() if name in known})
    try:
        return str(solve(Wanted(task, chosen, options, models, seed, EPISODE_SECONDS)).status)
    except MissingError:
        return "endpoint cannot be used"


@click.command()
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), default=600.0, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of faults and episodes.")
def main(seconds: float, seed: int) -> None:
    """Run episodes until the time is up."""
    end, verdicts, client = time.monotonic() + seconds, Counter[str](), Counter[str]()
    pairs = [(method, pack, problem) for method, (pack, *problems) in TASKS.items() for problem in problems]
    tasks = {(pack, problem): task_of(pack, problem) for _, pack, problem in pairs}
    lost = number = 0
    with TroubledServer(seed) as server, Models(replace(MODEL, base_url=server.base_url)) as models:
        while time.monotonic() < end:
            method, pack, problem = pairs[number % len(pairs)]
            number += 1
            before, models.usage = len(server.requests), Usage()
            try:
                verdicts[episode(method, tasks[pack, problem], models, seed + number)] += 1
            except Exception as error:  # noqa: BLE001  # what has no verdict
                lost += 1
                print(f"{method} on {problem}, seed {seed + number}: {type(error).__name__}: {error}", flush=True)
            counted = {name: getattr(models.usage, name) for name in ("calls", "retries", "failures", "questions")}
            client.update(counted)
            if models.usage.calls != len(server.requests) - before:
                came = len(server.requests) - before
                print(f"{method} on {problem}, seed {seed + number}: {came} calls came, {counted}", flush=True)
        drawn, came = server.drawn, len(server.requests)
    faults = drawn.total() - drawn[""]
    print("| of the server | | of the clients | |\n|---|---|---|---|")
    sums = (
        ("calls that came", came, "calls made", client["calls"]),
        ("good answers", drawn[""], "questions answered", client["questions"] - client["failures"]),
        ("faults", faults, "tried again or given up", client["retries"] + client["failures"]),
    )
    for here, count, there, other in sums:
        print(f"| {here} | {count:,} | {there} | {other:,} |")
        lost += abs(count - other)
    told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    print(f"{faults / max(1, came):.0%} of the calls met a fault: {dict(sorted(drawn.items()))}")
    print(f"{client['retries']:,} calls were tried again, {client['failures']:,} questions given up")
    print(f"tried {number} episodes: {told}; lost {lost}")
    sys.exit(lost > 0)


if __name__ == "__main__":
    main()
