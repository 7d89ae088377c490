"""ALFWorld's text games (Shridhar et al. 2021): episodes, rows, and sections of a report.

A player sees only the engine's texts. The judge asks whether the game is won, and compares with the maker's
walkthrough, which is made with full knowledge."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from commonsense_lab.report.document import NOTHING, Grid, Section
from commonsense_lab.report.line_tables import (
    Line,
    TableColumn,
    average,
    averages,
    count,
    interval,
    lines_of,
    paired_difference,
    plain,
    table_sections,
)
from commonsense_lab.runner.rows import PlanOutcome, PlanRow
from commonsense_lab.runner.runner import spent
from commonsense_lab.studies.alfworld.engine_text import EngineGame
from commonsense_lab.studies.alfworld.player import Player
from commonsense_lab.studies.solve_study import SolveEpisode, SolveSetup, StudyTask, TaskStudy
from commonsense_planning.errors import InputError, Status
from commonsense_planning.llm.models import own_models
from commonsense_planning.methods.registry import method_named
from commonsense_planning.support.reading import reading

GAME = "game.tw-pddl"
MAX_STEPS = 50  # commands of a game, as in other work
BASELINE = "look-nearest"


@dataclass(frozen=True, kw_only=True)
class AlfworldOutcome(PlanOutcome):
    """``plan``: the commands; ``goal`` in PDDL; ``limit`` of commands; ``walkthrough``: the length of the maker's;
    ``step_seconds``: cplan's processor time until each command; ``noted``: sentences that were not understood."""

    goal: str
    limit: int
    walkthrough: int
    step_seconds: list[float]
    noted: list[str]


@dataclass(frozen=True, kw_only=True)
class AlfworldRow(AlfworldOutcome, PlanRow):
    """``kind``: of the task, such as pick_and_place_simple."""

    kind: str

    @property
    def taken(self) -> int:
        """The commands until the game was won, or the limit."""
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
class AlfworldEpisode(SolveEpisode):
    """A game with a method."""

    def run(self) -> AlfworldOutcome:
        """Plays the game. Raises BudgetError if a budget for all episodes ended it."""
        (file,) = self.of.arguments
        with reading(file, "a game of ALFWorld's"):
            walkthrough = json.loads(self.of.pose(file))["walkthrough"]
        started = time.perf_counter()
        with own_models(self.setup.model, self.setup.limits, self.key, self.seed) as models:
            with Player(self.setup.file(), self.method.name, models, seed=self.agent_seed) as player:
                played = play(file, player, self.setup.max_steps)
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
    """A game's commands, the player's processor time for each, whether it was ``won`` and the ``reason`` if not."""

    commands: list[str]
    seconds: list[float]
    won: bool
    reason: str


def play(
    file: Path, player: Player, most: int, tell: Callable[[str, str | None], None] = lambda text, command: None
) -> Played:
    """Plays a game with at most ``most`` commands; ``tell`` gets each text and the command after it. Raises what
    ``EngineGame`` and ``Player.reply`` raise; a game whose first text the player cannot use is not won."""
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


def alfworld_episodes(setup: AlfworldSetup, folder: Path, methods: Collection[str], seed: int) -> list[SolveEpisode]:
    """Returns all games below a folder with each method. Raises UsageError for unknown methods, InputError for no
    domain or game."""
    setup.file()
    games = sorted(folder.rglob(GAME))
    if not games:
        raise InputError(f"{folder}: there is no {GAME} below it")
    named = {str(file.parent.relative_to(folder)): file for file in games}
    tasks = [
        StudyTask(name, seed, {"kind": name.partition("-")[0]}, Path.read_bytes, (file,))
        for name, file in named.items()
    ]
    return STUDY.episodes(setup, tasks, [method_named(method).name for method in methods])


ALL = "all"


def _lines(rows: Sequence[AlfworldRow]) -> list[Line[AlfworldRow]]:
    """Groups all games, then kind by kind."""
    pooled = lines_of(rows, lambda row: (ALL, row.variant), lambda row: row.variant)
    return pooled + lines_of(rows, lambda row: (row.kind, row.variant), lambda row: (row.kind, row.variant))


def _more(rows: Sequence[AlfworldRow], name: str) -> Iterator[Section]:
    lost = tuple((row.task, row.variant, row.goal, row.reason) for row in rows if not row.solved)
    if lost:
        yield Section("Games that were not won", (Grid(("game", "method", "goal", "why"), lost),), 3)
    noted = tuple((row.task, row.variant, note) for row in rows for note in row.noted)
    if noted:
        yield Section("Sentences that were not understood", (Grid(("game", "method", "sentence"), noted),), 3)


def _ms(head: str, of: Callable[[list[float]], float]) -> TableColumn:
    def cell(rows: Sequence[AlfworldRow], _: Sequence[AlfworldRow]) -> str:
        times = [1000 * seconds for row in rows for seconds in row.step_seconds]
        return f"{of(times):.0f}" if times else NOTHING

    return TableColumn(head, cell)


STUDY = TaskStudy(
    name="alfworld",
    row=AlfworldRow,
    foreseen=False,  # what a game is about, its first text says
    episode=AlfworldEpisode,
    sections=table_sections(
        "ALFWorld, from its text alone",
        "Won: within the limit of commands, with the 95 % Wilson interval. Commands: mean; a game that was not won "
        "counts as the limit. × walkthrough: all commands over all of the maker's walkthroughs, who knows where "
        f"everything is; extra: commands more. Less half {BASELINE}'s: the mean over the same games of the extra "
        "commands less half of the baseline's, with its 95 % interval. ms: of our own processor time.",
        ("kind", "method"),
        _lines,
        (
            count("games"),
            average("won", lambda row: 100 * row.solved, lambda found: f"{found.value:.1f} %"),
            interval(lambda row: row.solved, digits=1),
            average("commands", lambda row: row.taken, plain(".2f")),
            TableColumn(
                "× walkthrough", lambda rows, _: f"{sum(r.taken for r in rows) / sum(r.walkthrough for r in rows):.3f}"
            ),
            average("extra", lambda row: row.extra, plain(".2f")),
            paired_difference(
                f"extra less half {BASELINE}'s",
                lambda row: row.variant == BASELINE,
                lambda row: (row.task, row.seed),
                lambda row: row.extra,
                digits=2,
                share=0.5,
            ),
            *averages("questions", "calls", "tokens"),
            _ms("ms a step: median", median),
            _ms("worst", max),
        ),
        _more,
    ),
)
