"""ALFWorld's games in TextWorld: a player gets texts, and whether a game is won is for the judge alone."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from commonsense_planning.errors import InputError, MissingError

INSTALL = "in an environment of its own, pip install commonsense-planning alfworld==0.4.2 'up-fast-downward<1'"


class EngineGame:
    """A game of ``game.tw-pddl``, opened without facts, walkthrough and admissible commands. ``first``: its first text.
    ``wrappers``: TextWorld's, around ALFWorld's own, which gives things their names.

    Raises MissingError without the package alfworld, InputError for a file that is no game.
    """

    def __init__(self, file: Path, wrappers: Sequence[Any] = ()) -> None:
        try:
            import textworld
            from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
        except ImportError as error:
            raise MissingError(f"ALFWorld's games need ALFWorld: {INSTALL}") from error
        if any(metadata.distributions(name="fast-downward.translate")):
            raise MissingError(f"fast-downward.translate stands where TextWorld's fast_downward was: {INSTALL}")
        if not file.is_file():
            raise InputError(f"{file}: there is no such file")
        infos = textworld.EnvInfos(feedback=True, won=True)
        try:
            self._engine = textworld.start(str(file), infos, [AlfredDemangler(shuffle=False), *wrappers])
            state = self._engine.reset()
        except (ValueError, KeyError, OSError) as error:
            raise InputError(f"{file}: it is no game of ALFWorld's: {error}") from error
        self.first = str(state.feedback)
        self.won = False

    def step(self, command: str) -> str:
        """What the engine says to a command; ``won`` is brought up to date."""
        state, _, _ = self._engine.step(command)
        self.won = bool(state.won)
        return str(state.feedback)

    def close(self) -> None:
        """Let go of the engine."""
        self._engine.close()
