"""How far methods are from the best that can be expected under chance.

    python -m lab.benchmarks.chance_regret [--kinds KIND,…] [--problems N] [--episodes N] [--agents AGENT,…]
        [--storm] [-o ROWS]

MDPs (``gathering``) and POMDPs (``searching``), N of each, all of them PDDL with ``probabilistic`` effects and, the
POMDPs, sensors that miss or give false alarms. The best is computed exactly, and compared with Storm's values where
``--storm`` asks for it. An agent is a registered method, ``NAME@N`` with N simulations a decision;
``pomcp``: pomdp-py's, with as many seconds a decision as the first agent took a step in the same problem;
``pomdp-planners``: that of POMDPPlanners, likewise; ``pomcp@MS``: with so many milliseconds; or ``random``. What has a
row in ROWS is not done again.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np

from commonsense_planning.support.statistics import difference
from commonsense_planning.task import Task
from lab.benchmarks.chance_regret.harness import KINDS, Case, Walk, by_method, cases, tasks
from lab.benchmarks.chance_regret.model import storm_values

AGENTS = "llm-mcts@1000,llm-replan,uct@1000,llm-mcts-paper@1000,pomcp,pomdp-planners,random"
OWN = {"llm-mcts-paper": {"policy": "uniform"}}
LEAST_SECONDS = 1e-3


def episodes(case: Case, given: list[Task], agent: str, count: int, seconds: float) -> list[Walk]:
    """So many of an agent's; ``seconds`` a decision for ``pomcp``."""
    name, _, number = agent.partition("@")
    if name in ("pomcp", "pomdp-planners", "random"):
        from lab.benchmarks.chance_regret import peers

        seconds = float(number) / 1000 if number else seconds
        if name == "random":
            return [peers.at_random(case, episode) for episode in range(count)]
        if name == "pomcp":
            play = peers.pomcp
        else:
            from lab.benchmarks.chance_regret.pomdp_planners import pomcp as play
        return [play(case, episode, max(seconds, LEAST_SECONDS)) for episode in range(count)]
    options = {**OWN.get(name, {}), **({"simulations": int(number)} if number else {})}
    return [by_method(case, given, name, options, episode) for episode in range(count)]


def row(case: Case, agent: str, walks: list[Walk]) -> dict[str, Any]:
    """What is kept of a problem and an agent."""
    least = case.mdp.least
    return {
        "kind": case.kind,
        "number": case.number,
        "states": case.size,
        "least": least,
        "agent": agent,
        "ratio": 1 + fmean(walk.regret for walk in walks) / least,
        "plain": fmean(walk.steps for walk in walks) / least,
        "missed": sum(not walk.solved for walk in walks),
        "seconds": sum(walk.seconds for walk in walks) / max(1, sum(walk.steps for walk in walks)),
    }


def show(rows: list[dict[str, Any]], agents: list[str]) -> None:
    """A table for each kind, and for both, of the problems that all agents have done."""
    done = Counter((r["kind"], r["number"]) for r in rows if r["agent"] in agents)
    rows = [r for r in rows if done[r["kind"], r["number"]] == len(agents)]
    print("| problems | agent | regret, mean | worst | at most 1.05 | steps / least | missed | ms a step |")
    print("|---|---|---|---|---|---|---|---|")
    for title, kinds in (*((kind, (kind,)) for kind in KINDS), ("all", tuple(KINDS))):
        for agent in agents:
            here = [r for r in rows if r["kind"] in kinds and r["agent"] == agent]
            if not here:
                continue
            ratios = np.array([r["ratio"] for r in here])
            share = difference(ratios.tolist())
            cells = (
                f"{len(here)} {title}",
                f"`{agent}`",
                f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]",
                f"{ratios.max():.2f}",
                f"{(ratios <= 1.05).sum()} of {len(here)}",
                f"{fmean(r['plain'] for r in here):.3f}",
                sum(r["missed"] for r in here),
                f"{1000 * fmean(r['seconds'] for r in here):.1f}",
            )
            print("|", " | ".join(map(str, cells)), "|")


@click.command()
@click.option("--kinds", default=",".join(KINDS), help="MDP, POMDP or both.")
@click.option("--problems", default=26, help="Of each kind.")
@click.option("--episodes", "count", default=12, help="Of each problem and agent.")
@click.option("--agents", default=AGENTS)
@click.option("--storm", is_flag=True, help="Have Storm solve all problems, too; needs the package stormpy.")
@click.option("-o", "--out", type=click.Path(path_type=Path))
def main(kinds: str, problems: int, count: int, agents: str, storm: bool, out: Path | None) -> None:
    """Run all and show the tables."""
    rows: list[dict[str, Any]] = []
    if out is not None and out.exists():
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    names = agents.split(",")
    began = time.monotonic()
    found = [case for kind in kinds.split(",") for case in cases(kind, problems)]
    sizes, least = [case.size for case in found], [case.mdp.least for case in found]
    beliefs = [len(case.mdp.numbers) for case in found]
    print(
        f"{len(found)} problems of {min(sizes)} to {max(sizes)} states, {min(beliefs)} to {max(beliefs)} with beliefs"
    )
    print(f"expected steps at best {min(least):.1f} to {max(least):.1f}; solved in {time.monotonic() - began:.0f} s")
    with TemporaryDirectory() as name:
        folder = Path(name)
        if storm:
            pairs = ((storm_values(case.mdp.choices, folder), case.mdp.values) for case in found)
            off = [float((np.abs(theirs - ours) / np.maximum(1, ours)).max()) for theirs, ours in pairs]
            print(f"Storm's values differ by {max(off):.1e} at most, relative, in any state")
        warm: set[str] = set()
        for case in sorted(found, key=lambda case: case.number):
            mine = [r for r in rows if (r["kind"], r["number"]) == (case.kind, case.number)]
            given: list[Task] = []
            for agent in names:
                if any(r["agent"] == agent for r in mine):
                    continue
                given = given or tasks(case, folder)
                seconds = next((r["seconds"] for r in mine if r["agent"] == names[0]), 0.0)
                if agent not in warm:  # what is compiled or imported is not counted
                    warm.add(agent)
                    episodes(case, given, agent, 1, seconds)
                mine.append(row(case, agent, episodes(case, given, agent, count, seconds)))
                rows.append(mine[-1])
                if out is not None:
                    with out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(rows[-1]) + "\n")
                print(".", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
    show(rows, names)


if __name__ == "__main__":
    main()
