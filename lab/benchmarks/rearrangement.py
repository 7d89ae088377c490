"""The tasks of the rearrangement experiment: how far apart its two homes and the embedded model's beliefs are, and how
long the expert's plans are.

    python -m lab.benchmarks.rearrangement [SEEN_GRAPH.json UNSEEN_GRAPH.json]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.homes.task_homes import Homes, TaskHome, TaskSetting, own_homes, scene_homes
from commonsense_lab.studies.rearrangement.expert import Expert
from commonsense_lab.studies.rearrangement.tasks import evaluation_task, evaluation_tasks
from commonsense_planning.embedded.answers import TABLE, CommonsenseTable
from commonsense_planning.wording.lexicon import Lexicon

HOUSEHOLD = Path(__file__).parents[2] / "pddl" / "household"
TASKS = 800
LIMIT = 30  # steps of an episode in the paper

Distribution = dict[str, float]


def by_class(home: TaskHome, kind: str) -> Distribution:
    """Class of furniture with its relation → probability that a thing of the kind is there."""
    relations = {piece.name: piece.relation for piece in home.furniture}
    weights = home.likely(kind)
    found: Distribution = {}
    for name, weight in weights.items():
        place = f"{relations[name]} {name.split('_')[0]}"
        found[place] = found.get(place, 0.0) + weight / sum(weights.values())
    return found


def believed(home: TaskHome, kind: str) -> Distribution:
    """Returns what the embedded model's table says of the kind in that home."""
    lexicon = Lexicon.read(HOUSEHOLD / "lexicon.toml")
    places = sorted({(str(piece.relation), piece.name.split("_")[0]) for piece in home.furniture})
    phrases = [f"{relation} {lexicon.noun(place)}" for relation, place in places]
    weights = CommonsenseTable.read(TABLE).weights(lexicon.noun(kind), phrases)
    return {f"{relation} {place}": float(w) for (relation, place), w in zip(places, weights, strict=True)}


def distance(first: Distribution, second: Distribution) -> float:
    """Returns total variation: 0 where they are the same, 1 where they have nothing in common."""
    return sum(abs(first.get(p, 0.0) - second.get(p, 0.0)) for p in first.keys() | second.keys()) / 2


def between_homes(homes: Homes) -> list[float]:
    """Returns the distance between the homes for each class of things that both have."""
    both = [kind for kind in homes.seen.instances if kind in homes.unseen.instances]
    return [distance(by_class(homes.seen, kind), by_class(homes.unseen, kind)) for kind in both]


def from_beliefs(home: TaskHome) -> list[float]:
    """Returns the distance between a home and the embedded model's beliefs for each class of things."""
    return [distance(by_class(home, kind), believed(home, kind)) for kind in home.instances]


def main(graphs: list[str]) -> None:
    """Prints the distances of cplan's homes, and the lengths of the expert's plans."""
    homes = scene_homes(*(load_graph(Path(graph)) for graph in graphs)) if graphs else own_homes()
    if not graphs:
        print("| | distance |\n|---|---|")
        print(f"| seen table, unseen table | {np.mean(between_homes(homes)):.2f} |")
        for name in ("seen", "unseen"):
            print(f"| {name} table, embedded model | {np.mean(from_beliefs(homes.named(name))):.2f} |")
    tasks = evaluation_tasks(homes, TASKS, 0)
    print(f"\nsteps of the expert, mean and longest, and how many of {TASKS // 10} need at most {LIMIT}")
    print("| setting | seen | unseen |\n|---|---|---|")
    firsts = [evaluation_task(homes, home, TaskSetting.SIMPLE, 0, 0) for home in ("seen", "unseen")]
    experts = {first.home: Expert(HOUSEHOLD, first) for first in firsts}
    for setting in TaskSetting:
        row = []
        for home, expert in experts.items():
            steps = [len(expert.plan(task)) for task in tasks if (task.home, task.setting) == (home, setting)]
            row.append(f"{np.mean(steps):.1f}, {max(steps)}, {sum(n <= LIMIT for n in steps)}")
        print(f"| `{setting}` | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
