"""Counts in ALFWorld's split train where things of each kind are at first, for ``pddl/alfworld/prompts/kept.toml``.

    python benchmarks/count_alfworld.py ../shared/data/alfworld > pddl/alfworld/prompts/kept.toml
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from collections import Counter
from pathlib import Path

from commonsense_planning import read_task
from commonsense_planning.pddl.packs import pack_named

UNSEEN = 3


def main(folder: Path) -> None:
    """Print the table of the games below ``folder/train``."""
    pack = pack_named("alfworld")
    task = read_task(pack.domain, next(iter(pack.problems.values())))
    words = task.problem.normaliser.vocabulary
    counts: dict[str, Counter[str]] = {}  # thing → place → things there
    rooms: dict[str, Counter[str]] = {}  # thing → place → places in rooms with such a thing
    games = sorted((folder / "train").glob("*/*/game.tw-pddl"))
    for game in games:
        problem = json.loads(game.read_text(encoding="utf-8"))["pddl_problem"]
        init = problem[problem.index("(:init") : problem.index("(:goal")]
        typed = re.findall(r"\((?:object|receptacle)Type (\S+) (\w+)Type\)", init)
        kinds = {name: kind.lower() for name, kind in typed}
        receptacles = Counter(kinds[name] for name in re.findall(r"\(receptacleType (\S+) ", init))
        for thing in {kinds[name] for name, _ in re.findall(r"\(inReceptacle (\S+) (\S+)\)", init) if name in kinds}:
            rooms.setdefault(thing, Counter()).update(receptacles)
        for thing, place in re.findall(r"\(inReceptacle (\S+) (\S+)\)", init):
            if kinds.get(thing) in words.parents and kinds.get(place) in words.parents:
                counts.setdefault(kinds[thing], Counter())[kinds[place]] += 1
    print("# Where things of each kind are at first, counted in ALFWorld's split train: thing → place → things per")
    print(f"# hundred such places, in rooms that have such a thing; {UNSEEN} empty places are added to each count.")
    print(f"# {len(games)} games, each twelfth of the split; {datetime.date.today()}, benchmarks/count_alfworld.py.")
    print("# The embedded model goes by it in this domain. No game of another split was counted.\n\n[kept]")
    noun = task.lexicon.noun
    for thing, places in sorted(counts.items()):
        rates = {place: round(100 * n / (rooms[thing][place] + UNSEEN), 1) for place, n in places.items()}
        likeliest = sorted(rates.items(), key=lambda item: (-item[1], item[0]))
        there = ", ".join(f'"{noun(place)}" = {rate}' for place, rate in likeliest)
        print(f'"{noun(thing)}" = {{ {there} }}')


if __name__ == "__main__":
    main(Path(sys.argv[1]))
