"""The cost of a decision: LLM-MCTS with the embedded model, and simulations per second of it and pomdp-py's POMCP."""

from __future__ import annotations

import itertools
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.homes.scene_import import import_scene
from commonsense_planning.config import Options
from commonsense_planning.methods.llm_mcts import LlmMctsOptions
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.methods.tree_search import UctOptions
from commonsense_planning.search.pomdp.uct import Uct
from commonsense_planning.task import Task, read_task
from lab.benchmarks.performance.homes import DOMAIN, errand, home, write_home
from lab.benchmarks.performance.table import Row, at_least, figure, release

WANTED_MS = 50.0
WANTED_RATIO = 50
SIMULATIONS = 2000  # per decision, of cplan and pomdp-py
PEER_SIMULATIONS = 500
DEPTH = 20
SEEDS = 3


SCENES = {1: "(and (inside salmon microwave) (inside toothbrush bathroomcabinet))", 4: "(inside apple fridge)"}
"""Recorded apartment of VirtualHome → the goal there, as in lab/docs/measured.md."""


def decision(scenes: Path, folder: Path) -> list[Row]:
    """Steps of ``llm-mcts`` with the default 100 simulations a decision, over seeds: on the demo, and on recorded
    apartments where ``scenes`` has them."""
    problems = {"household demo": DOMAIN.parent / "problems" / "demo.pddl"}
    for number, goal in SCENES.items():
        graph = scenes / f"TestScene{number}_graph.json"
        if graph.is_file():
            problem = folder / f"scene-{number}.pddl"
            problem.write_text(import_scene(load_graph(graph), goal).text, encoding="utf-8")
            problems[f"VirtualHome's TestScene{number}"] = problem
        else:
            print(f"{graph} is not there; left out", file=sys.stderr)
    return [_decision(name, read_task(DOMAIN, problem)) for name, problem in problems.items()]


def _decision(name: str, task: Task) -> Row:
    solve(Request(task, method_named("llm-mcts"), LlmMctsOptions(max_steps=1)))  # kernels
    taken = [seconds_of_decisions(task, "llm-mcts", LlmMctsOptions(max_steps=16), seed) for seed in range(SEEDS)]
    every = list(itertools.chain.from_iterable(taken))
    middle = statistics.median(every)
    operators = task.seen_in_part[0].operator_count
    return Row(
        f"one step of llm-mcts, 100 simulations a decision, {name}, {operators:,} operators",
        f"{figure(1000 * middle)} ms",
        "–",
        "–",
        f"under {WANTED_MS:g} ms",
        1000 * middle < WANTED_MS,
        f"median of {len(every)} steps of {SEEDS} runs, {figure(1000 * min(every))} to {figure(1000 * max(every))} ms, "
        "mean {:s}; most steps carry out an option, the others search".format(figure(1000 * statistics.fmean(every))),
    )


def seconds_of_decisions(task: Task, method: str, options: Options, seed: int) -> list[float]:
    """Returns processor seconds of each decision of an episode: from one step's event to the next, carrying it out
    included."""
    times: list[float] = []

    def emit(event: dict[str, Any]) -> None:
        if event["event"] in ("start", "step"):
            times.append(time.process_time())

    solve(Request(task, method_named(method), options, seed=seed, emit=emit))
    return [after - before for before, after in itertools.pairwise(times)]


def simulations(folder: Path) -> list[Row]:
    """Compares the first decision of ``uct`` with POMCP, at equal depth, discount and c of UCB1."""
    from lab.benchmarks.performance.pomcp import planner

    task = read_task(DOMAIN, write_home(10_000, folder))
    options = UctOptions(simulations=SIMULATIONS, depth=DEPTH, max_steps=1)
    seconds_of_decisions(task, "uct", options, 0)
    ours = statistics.median(SIMULATIONS / seconds_of_decisions(task, "uct", options, seed)[0] for seed in range(SEEDS))
    apartment = home(10_000)
    paces = []
    for seed in range(SEEDS):
        search, agent = planner(
            apartment, errand(apartment), PEER_SIMULATIONS, DEPTH, options.discount, Uct.usual_exploration, seed
        )
        started = time.process_time()
        search.plan(agent)
        paces.append(search.last_num_sims / (time.process_time() - started))
    theirs = statistics.median(paces)
    counts = f"{SIMULATIONS} and {PEER_SIMULATIONS} simulations of depth {DEPTH}"
    note = f"{release('pomdp-py')}; method uct, {counts}, median of {SEEDS}"
    what = "POMCP-style simulations, household of about 10,000 operators: pomdp-py"
    return [at_least(what, ours, theirs, WANTED_RATIO, note, "/s")]
