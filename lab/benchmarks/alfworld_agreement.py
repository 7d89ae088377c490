"""Whether ALFWorld's games are the same in our engine as in TextWorld's, and how fast both are.

    pip install alfworld==0.4.2 && pip install --force-reinstall --no-deps fast_downward_textworld
    python -m lab.benchmarks.alfworld_agreement FOLDER [--games N] [--steps N] [--seed N]
    python -m lab.benchmarks.alfworld_agreement FOLDER --plans [--games N] [--method NAME]
    python -m lab.benchmarks.alfworld_agreement FOLDER --pace [--runs N]

Both walk through games of ``FOLDER`` with the same commands: a kind of command is drawn, then one of the kind; in one
step of eight, one of all the commands of the game, most of which do nothing. At each step are compared: the facts, what
is said, the commands that do something, the reward, and whether the game is over. TextWorld's own list of facts forgets
that an effect has a condition: whether a lamp is on (``isOn``) is asked of its engine, Fast Downward's.

``--plans`` solves the games' own PDDL, in which everything is known, has the validators judge the plan, and plays it in
TextWorld: it must win there with its last step, and no step may do nothing.

``--pace`` measures steps a second on one game, the rows in turns, each drawing its commands from those that do
something.

alfworld brings a package ``fast_downward`` that takes the place of ``up-fast-downward``'s: give it an environment of
its own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import textworld
from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
from textworld.envs.pddl.logic import Atom

import commonsense_planning as cplan

COPIES = 256
SHOWN = textworld.EnvInfos(feedback=True, facts=True, admissible_commands=True, won=True)


def theirs(game: Path) -> Any:
    """TextWorld's environment, with the names that everybody plays with."""
    return textworld.start(str(game), SHOWN, wrappers=[AlfredDemangler(shuffle=False)])


def their_facts(env: Any, state: Any) -> set[str]:
    facts = {f"{f.name}({', '.join(v.name for v in f.arguments)})" for f in state["_facts"] if f.name[:4] != "not_"}
    engine = env.unwrapped._pddl_state.downward_lib
    atoms = (Atom * engine.get_state_size())()
    engine.get_state(atoms)
    lit = {name for kind, name in (atom.name.split(" ", 1) for atom in atoms) if kind == "Atom" and "ison(" in name}
    return {fact.replace("()", "") for fact in facts if not fact.startswith("ison(")} | lit


def our_facts(env: Any) -> set[str]:
    words, batch = env.words, env.world._batch
    true = {atom for atom, fact in words._facts.items() if batch.observations[0][0][fact]}
    static = {atom for atom in words._init if atom not in words._facts}
    return {f"{name}({', '.join(things)})" for name, *things in true | static}


def drawn(commands: list[str], everything: list[str], rng: random.Random) -> str:
    if rng.random() < 1 / 8:
        return rng.choice(everything)
    kinds = defaultdict(list)
    for command in commands:
        kinds[command.split()[0]].append(command)
    return rng.choice(kinds[rng.choice(sorted(kinds))])


def walk(game: Path, steps: int, rng: random.Random, met: Counter[str]) -> None:
    """Raises AssertionError where the two differ."""
    env, ours = theirs(game), gymnasium.make("cplan/ALFWorld-v0", game=game, max_episode_steps=steps + 1).unwrapped
    state = env.reset()
    said, info = ours.reset(seed=0)
    everything = sorted(ours.words.operators)
    reward, over, command = 0, False, ""
    for step in range(steps + 1):
        pair = f"{game}, step {step}, {command!r}"
        assert said == state.feedback, f"{pair}: {said!r} and {state.feedback!r}"
        assert info["admissible_commands"] == state["admissible_commands"], pair
        differing = our_facts(ours) ^ their_facts(env, state)
        assert not differing, f"{pair}: {sorted(differing)}"
        assert (reward, over) == (int(state["won"]), state["won"]), pair
        met["states"] += 1
        met["nothing happens"] += said == "Nothing happens."
        met["won"] += over
        met[command.split()[0] if command else "first"] += 1
        if over or step == steps:
            break
        command = drawn(info["admissible_commands"], everything, rng)
        said, reward, over, _, info = ours.step(command)
        state, _, _ = env.step(command)
    env.close()


def replay(game: Path, method: str) -> tuple[float, int, int]:
    """Seconds, steps, and those of the maker's. Raises AssertionError where a plan is not valid or does not win."""
    started = time.perf_counter()
    task = cplan.read_task(game)
    plan = cplan.solve(cplan.Request(task, cplan.METHODS[method])).plan
    seconds = time.perf_counter() - started
    assert plan is not None, game
    assert cplan.validate(task.problem, plan).verdict is cplan.Verdict.VALID, game
    env, ours = theirs(game), gymnasium.make("cplan/ALFWorld-v0", game=game).unwrapped
    ground = ours.world.ground
    commands = {str(ground.step(operator)): command for operator, command in ours.words.commands.items()}
    env.reset()
    for number, step in enumerate(plan, 1):
        state, _, over = env.step(commands[str(step)])
        assert state.feedback != "Nothing happens." and over == (number == len(plan)), f"{game}: {step}"
    env.close()
    return seconds, len(plan), len(json.loads(game.read_text(encoding="utf-8"))["walkthrough"])


def pace(game: Path, runs: int) -> None:
    """Print a table."""

    def textworlds() -> Callable[[], int]:
        env, rng = theirs(game), random.Random(0)
        state = env.reset()

        def step() -> int:
            nonlocal state
            state, _, over = env.step(rng.choice(state["admissible_commands"]))
            state = env.reset() if over else state
            return 1

        return step

    def single(text: bool) -> Callable[[], int]:
        env = gymnasium.make("cplan/ALFWorld-v0", game=game, text=text)
        world, rng = env.unwrapped, random.Random(0)
        _, info = env.reset(seed=0)

        def step() -> int:
            nonlocal info
            possible = info["admissible_commands"] if text else world.applicable()
            *_, over, cut, info = env.step(possible[int(rng.random() * len(possible))])
            if over or cut:
                _, info = env.reset()
            return 1

        return step

    def copies(**kwargs: Any) -> Callable[[], int]:
        env = gymnasium.make_vec("cplan/ALFWorld-v0", COPIES, game=game, **kwargs)
        rng = np.random.default_rng(0)
        env.reset(seed=0)

        def step() -> int:
            env.step(env.unwrapped.draw_actions(rng))
            return COPIES

        return step

    loops = {
        "TextWorld": textworlds(),
        "ours, one, with text and admissible commands": single(True),
        "ours, one, no text": single(False),
        f"ours, {COPIES} copies, with mask and new arrays": copies(),
        f"ours, {COPIES} copies, no mask, copy=False": copies(action_mask=False, copy=False),
    }
    paces = defaultdict(list)
    for _ in range(runs):
        for name, loop in loops.items():
            steps, calls, started = 0, 0, time.perf_counter()
            while calls < 3 or time.perf_counter() < started + 2:
                steps, calls = steps + loop(), calls + 1
            paces[name].append(steps / (time.perf_counter() - started))
    print(f"steps a second, median (least – most) of {runs} runs in turns, {os.cpu_count()} cores, ", end="")
    print(f"load average {os.getloadavg()[0]:.1f} at the end; {game.parts[-3]}")
    for name, found in paces.items():
        print(f"{name}: {statistics.median(found):,.1f} ({min(found):,.1f} – {max(found):,.1f})")


def main() -> None:
    """Compare, or measure."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.alfworld_agreement")
    parser.add_argument("folder", type=Path, help="with game.tw-pddl files below it")
    parser.add_argument("--games", type=int, default=100, help="evenly drawn from all [100]")
    parser.add_argument("--steps", type=int, default=30, help="of each walk [30]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plans", action="store_true", help="solve, and play the plans in TextWorld")
    parser.add_argument("--method", default="gbfs", help="that solves [gbfs]")
    parser.add_argument("--pace", action="store_true", help="measure how fast both are")
    parser.add_argument("--runs", type=int, default=5, help="of each row [5]")
    given = parser.parse_args()
    cplan.register_envs()
    games = sorted(given.folder.rglob("game.tw-pddl"))
    if given.pace:
        pace(games[len(games) // 2], given.runs)
        return
    chosen = [games[i * len(games) // given.games] for i in range(given.games)]
    if given.plans:
        replay(chosen[0], given.method)  # after which all is compiled
        seconds, steps, makers = zip(*(replay(game, given.method) for game in chosen), strict=True)
        print(f"{len(chosen)} plans of {given.method} are valid and win in TextWorld: {sum(steps)} steps, ", end="")
        print(f"the makers' {sum(makers)}; median {statistics.median(seconds):.2f} s, at most {max(seconds):.2f} s")
        return
    met: Counter[str] = Counter()
    for number, game in enumerate(chosen):
        walk(game, given.steps, random.Random(given.seed + number), met)
    print(f"equal in {met.pop('states')} states of {len(chosen)} games: {dict(met.most_common())}")


if __name__ == "__main__":
    main()
