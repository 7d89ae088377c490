"""``cplan bench alfworld``, and ``cplan play``: ALFWorld's text games, from text alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_lab.cli.options import names_option, pack_option
from commonsense_lab.studies.bench_command import Bench, bench_command
from commonsense_planning import __version__
from commonsense_planning.cli.method_options import DEFAULT_METHOD, METHOD
from commonsense_planning.cli.model_options import AskingCommand, model_options, take_model
from commonsense_planning.cli.options import FILE, OUT, count_option, names, seed_option
from commonsense_planning.errors import EXIT_SOLVED, EXIT_UNSOLVED

EPILOG = """\b
Examples:
  cplan bench alfworld --data alfworld/valid_seen -o results
  cplan bench alfworld --data alfworld/valid_seen --methods llm-mcts --model local -o results

\b
The games of ALFWorld (Shridhar et al. 2021) in TextWorld. A player gets the text of a game and nothing else;
lab/docs/alfworld.md says what that is compared with, and what to install.
"""
PLAY_EPILOG = """\b
Examples:
  cplan play game.tw-pddl
  cplan play game.tw-pddl --trace trace.jsonl
  cplan view trace.jsonl
"""
LIKELY = 3  # places that are told of a belief


@bench_command(
    "alfworld",
    "ALFWorld's text games, from text alone.",
    EPILOG,
    click.option("--data", type=FILE, required=True, help="The folder of the games (game.tw-pddl), or one above it."),
    names_option("--methods", "Which methods.", "llm-mcts,llm-replan,llm-policy,look-nearest"),
    count_option("--max-steps", 50, "Commands of a game."),
    seed_option("Of the agents."),
    pack_option("alfworld"),
)
def bench(given: Bench, /, data: Path, methods: str, max_steps: int, seed: int, pack: Path) -> int:
    """Play text games of a household; write the report to the folder of the results."""
    from commonsense_lab.studies.alfworld.experiment import AlfworldSetup, alfworld_episodes

    setup = AlfworldSetup(**given.shared, pack=pack.resolve(), max_steps=max_steps)
    return given.run([alfworld_episodes(setup, data.resolve(), names(methods), seed)], pack)


@click.command(name="play", cls=AskingCommand, short_help="Play a text game of ALFWorld's.", epilog=PLAY_EPILOG)
@click.argument("game", type=FILE)
@click.option(METHOD, default=DEFAULT_METHOD, show_default=True, help="Who plays.")
@count_option("--max-steps", 50, "Commands.")
@seed_option("Of the agent.")
@model_options
@pack_option("alfworld")
@click.option("--trace", type=OUT, help="Write what happens to this file, as JSON lines, for cplan view.")
def play(game: Path, method: str, max_steps: int, seed: int, pack: Path, trace: Path | None, **values: Any) -> int:
    """Play a game from its text alone, and print what is read, believed and done."""
    from commonsense_lab.studies.alfworld import experiment
    from commonsense_lab.studies.alfworld.player import Player
    from commonsense_planning.cli.outcome import Trace
    from commonsense_planning.cli.output import Printer
    from commonsense_planning.llm.models import ModelSession
    from commonsense_planning.methods.registry import method_named
    from commonsense_planning.view.recorder import Recorder

    printer = Printer(False)
    model, limits = take_model(values)

    def tell(text: str, command: str | None) -> None:
        printer.line(text.strip())
        belief = player.agent.belief if player.agent is not None else {}
        open_facts = [(fact, chance) for fact, chance in belief.items() if chance < 1]
        likeliest = sorted(open_facts, key=lambda item: -item[1])[:LIKELY]
        if likeliest:
            printer.line(", ".join(f"{fact} {chance:.2f}" for fact, chance in likeliest), "dim")
        if command is not None:
            printer.line(f"> {command}", "bold")

    made = {"cplan": __version__, "game": str(game)}
    domain = pack / "domain.pddl"
    with (
        ModelSession(model, limits) as models,
        Trace(trace, made) as told,
        Player(
            domain,
            method,
            models,
            seed=seed,
            emit=told.emit,
            observing=lambda task: Recorder(task, method_named(method), models),
        ) as player,
    ):
        played = experiment.play(game, player, max_steps, tell)
    for note in player.notes:
        printer.line(note, "yellow")
    printer.line("won" if played.won else f"not won: {played.reason}", "bold")
    return EXIT_SOLVED if played.won else EXIT_UNSOLVED
