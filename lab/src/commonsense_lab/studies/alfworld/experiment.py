"""ALFWorld's text games (Shridhar et al. 2021): its episodes, its rows, its sections of a report.

A player sees the engine's texts and nothing else. The judge asks whether the game is won, and compares with the maker's
walkthrough, who knows where everything is.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from commonsense_lab.report.document import NOTHING, Commands, Grid, Section
from commonsense_lab.report.study import Study
from commonsense_lab.runner.rows import PlanOutcome, PlanRow, VariantLabels
from commonsense_lab.runner.runner import own_models, spent
from commonsense_lab.studies.alfworld.engine import EngineGame
from commonsense_lab.studies.alfworld.player import Player
from commonsense_lab.studies.solve_study import SolveEpisode, SolveSetup
from commonsense_planning.errors import InputError, Status
from commonsense_planning.methods.registry import method_named
from commonsense_planning.support.reading import reading
from commonsense_planning.support.statistics import difference, mean, rate
from commonsense_planning.task import Task

GAME = "game.tw-pddl"
MAX_STEPS = 50  # commands of a game, as everybody has it
BASELINE = "look-nearest"


@dataclass(frozen=True, kw_only=True)
class AlfworldLabels(VariantLabels):
    """``kind``: of the task, such as pick_and_place_simple."""

    kind: str


@dataclass(frozen=True, kw_only=True)
class AlfworldOutcome(PlanOutcome):
    """``plan``: the commands, ``goal`` in PDDL. ``limit`` of commands; ``walkthrough``: how many the maker's has.
    ``step_seconds``: our own processor time until each command. ``noted``: sentences that were not understood."""

    goal: str
    limit: int
    walkthrough: int
    step_seconds: list[float]
    noted: list[str]


@dataclass(frozen=True, kw_only=True)
class AlfworldRow(AlfworldLabels, AlfworldOutcome, PlanRow):
    """What came of a game."""

    @property
    def taken(self) -> int:
        """The commands until the game was won; the limit where it was not."""
        return self.steps if self.solved and self.steps is not None else self.limit

    @property
    def extra(self) -> int:
        """The commands more than the walkthrough's."""
        return self.taken - self.walkthrough


@dataclass(frozen=True, kw_only=True)
class AlfworldSetup(SolveSetup):
    """``max_steps``: commands of a game at most."""

    domain_name = "alfworld"

    max_steps: int = MAX_STEPS

    @property
    def text(self) -> str:
        return f"{super().text}, at most {self.max_steps} commands"


@dataclass(frozen=True, kw_only=True)
class AlfworldEpisode(SolveEpisode[AlfworldSetup]):
    """A game with a method; ``folder`` is what the games' names are below."""

    suite = "alfworld"
    row = AlfworldLabels
    foreseen = False  # what it is about, the first text says

    folder: Path
    file: Path

    @property
    def name(self) -> str:
        return str(self.file.parent.relative_to(self.folder))

    @property
    def task(self) -> Task:
        raise NotImplementedError("what the task is, the game's first text says")

    @property
    def own_labels(self) -> Mapping[str, Any]:
        return {"kind": self.name.partition("-")[0]}

    def run(self) -> AlfworldOutcome:
        """Play the game. Raises BudgetError where a budget ended it that is for all episodes."""
        walkthrough = read_walkthrough(self.file)
        seed = zlib.crc32(f"{self.name} {self.seed}".encode())
        started = time.perf_counter()
        with own_models(self.setup.model, self.setup.limits, self.key, self.seed) as models:
            with Player(self.setup.file(), self.method.name, models, seed=seed) as player:
                played = play(self.file, player, self.setup.max_steps)
            return AlfworldOutcome(
                status=str(Status.SOLVED if played.won else Status.UNSOLVED),
                reason=played.reason,
                plan=played.commands,
                steps=len(played.commands),
                model_note=models.note,
                goal=player.goal,
                limit=self.setup.max_steps,
                walkthrough=len(walkthrough),
                step_seconds=[round(seconds, 4) for seconds in played.seconds],
                noted=player.notes,
                seconds=round(time.perf_counter() - started, 4),
                **spent(models.usage, models.cost),
            )


@dataclass(frozen=True)
class Played:
    """How a game went: the commands, the player's processor time for each, whether it was ``won`` and why not."""

    commands: list[str]
    seconds: list[float]
    won: bool
    reason: str


def play(
    file: Path, player: Player, most: int, tell: Callable[[str, str | None], None] = lambda text, command: None
) -> Played:
    """Play a game with at most so many commands; ``tell`` gets each text and the command after it. Raises what
    ``EngineGame`` and ``Player.reply`` raise; a first text that the player cannot use is a game that is not won."""
    game = EngineGame(file)
    commands: list[str] = []
    seconds: list[float] = []
    text, reason = game.first, ""
    try:
        while not game.won and not reason:
            started = time.process_time()
            try:
                command = player.reply(text) if len(commands) < most else None
                reason = "" if command else player.reason or f"the limit of {most} commands is reached"
            except InputError as error:
                if player.agent is not None:
                    raise
                command, reason = None, str(error)
            tell(text, command)
            if command is not None:
                seconds.append(time.process_time() - started)
                commands.append(command)
                text = game.step(command)
    finally:
        game.close()
    if game.won:
        player.end(text)
        tell(text, None)
    return Played(commands, seconds, game.won, reason)


def read_walkthrough(file: Path) -> list[str]:
    """The maker's commands, which know where everything is. Raises InputError if the file is no game."""
    with reading(file, "a game of ALFWorld's"):
        return list(map(str, json.loads(file.read_text(encoding="utf-8"))["walkthrough"]))


def alfworld_episodes(
    setup: AlfworldSetup, folder: Path, methods: Collection[str], seed: int
) -> list[AlfworldEpisode]:
    """All games below a folder with each of the methods. Raises UsageError for methods that there are not, InputError
    if there is no domain or no game."""
    setup.file()
    games = sorted(folder.rglob(GAME))
    if not games:
        raise InputError(f"{folder}: there is no {GAME} below it")
    chosen = [method_named(method).name for method in methods]
    return [
        AlfworldEpisode(setup=setup, folder=folder, file=file, seed=seed, variant=method)
        for file in games
        for method in chosen
    ]


HEAD = (
    *("kind", "method", "games", "won", "95 %", "commands", "× walkthrough", "extra", f"extra less half {BASELINE}'s"),
    *("questions", "calls", "tokens", "ms a step: median", "worst"),
)
ALL = "all"


def _sections(setup: str, rows: Sequence[AlfworldRow], name: str) -> Iterator[Section]:
    methods = list(dict.fromkeys(row.variant for row in sorted(rows, key=lambda row: row.variant)))
    lines = []
    for kind in (ALL, *sorted({row.kind for row in rows})):
        for method in methods:
            cell = [row for row in rows if row.variant == method and kind in (ALL, row.kind)]
            if cell:
                lines.append((kind, method, *_cells(cell, rows)))
    legend = (
        f"Setup: {setup}. Won: within the limit of commands, with the 95 % Wilson interval. Commands: mean; a game "
        "that was not won counts as the limit. × walkthrough: all commands over all of the maker's walkthroughs, who "
        f"knows where everything is; extra: commands more. Less half {BASELINE}'s: the mean over the same games of "
        "the extra commands less half of the baseline's, with its 95 % interval. ms: of our own processor time."
    )
    commands = tuple(("", command) for command in dict.fromkeys(row.command for row in rows))
    yield Section("ALFWorld, from its text alone", (legend, Grid(HEAD, tuple(lines)), Commands(commands)))
    lost = tuple((row.task, row.variant, row.goal, row.reason) for row in rows if not row.solved)
    if lost:
        yield Section("Games that were not won", (Grid(("game", "method", "goal", "why"), lost),), 3)
    noted = tuple((row.task, row.variant, note) for row in rows for note in row.noted)
    if noted:
        yield Section("Sentences that were not understood", (Grid(("game", "method", "sentence"), noted),), 3)


def _cells(cell: Sequence[AlfworldRow], rows: Sequence[AlfworldRow]) -> Iterator[str]:
    won = rate(sum(row.solved for row in cell), len(cell))
    yield str(len(cell))
    yield f"{100 * won.value:.1f} %"
    yield f"{100 * won.low:.1f} to {100 * won.high:.1f}"
    yield f"{mean([row.taken for row in cell]).value:.2f}"
    yield f"{sum(row.taken for row in cell) / sum(row.walkthrough for row in cell):.3f}"
    yield f"{mean([row.extra for row in cell]).value:.2f}"
    half = {(row.task, row.seed): row.extra / 2 for row in rows if row.variant == BASELINE}
    less = [row.extra - half[key] for row in cell if row.variant != BASELINE and (key := (row.task, row.seed)) in half]
    found = difference(less) if len(less) > 1 else None
    yield NOTHING if found is None else f"{found.value:+.2f} [{found.low:+.2f}, {found.high:+.2f}]"
    for numbers in ([row.questions for row in cell], [row.calls for row in cell], [row.tokens for row in cell]):
        yield f"{mean(numbers).value:,.1f}"
    times = [1000 * seconds for row in cell for seconds in row.step_seconds]
    yield f"{median(times):.0f}" if times else NOTHING
    yield f"{max(times):.0f}" if times else NOTHING


STUDY = Study(lambda line: line.row(AlfworldRow), _sections)
