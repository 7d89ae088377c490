"""ALFWorld's games in TextWorld, and a reader of what their engine says.

Each sentence of a text is read alone, and one that is not understood is noted and skipped. Objects have a kind and a
number, "mug 1"; in PDDL that is ``mug_1``. Only the judge asks whether a game is won."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput

from commonsense_planning.errors import InputError, MissingError

_SENTENCE = re.compile(r"(?<=[.\-])\s+(?=[A-Z])|\n+")
_OF_PLACES = ("at", "closed", "opened")


@dataclass(frozen=True)
class EngineText:
    """The content of a text: ``around``, all places of the room, and ``wanted``, the task's sentence, where it has
    them; ``closed``, ``opened``: places; ``found``: place → everything in or on it; ``nothing``: "Nothing happens.";
    ``unread``: unknown sentences."""

    around: tuple[str, ...] = ()
    wanted: str = ""
    closed: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    found: tuple[tuple[str, tuple[str, ...]], ...] = ()
    nothing: bool = False
    unread: tuple[str, ...] = ()


def read_text(text: str) -> EngineText:
    """Reads what the engine says."""
    said: dict[str, Any] = {"closed": (), "opened": (), "found": (), "unread": ()}
    at = None
    for what, values in _sentences(text):
        if what == "unread":
            said["unread"] += values
        elif what in _OF_PLACES:
            at = values[0]
            if what != "at":
                said[what] += (at,)
        elif what == "on":
            said["found"] += ((values[0], values[1]),)
        elif what == "inside" and at is not None:
            said["found"] += ((at, values[0]),)
        elif what in ("around", "wanted"):
            said[what] = values[0]
        elif what == "nothing":
            said[what] = True
    return EngineText(**said)


def kind_of(name: str) -> str:
    """Returns the kind of an object: "mug" for ``mug_1``."""
    return name.rpartition("_")[0]


def _sentences(text: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for sentence in _SENTENCE.split(text.strip()):
        try:
            if sentence:
                tree = _grammar().parse(sentence.removesuffix("."))
                read = _Values().transform(tree)
                yield read.data, tuple(read.children)
        except UnexpectedInput:
            yield "unread", (sentence,)


class _Values(Transformer[Token, Any]):
    def thing(self, words: list[Token]) -> str:
        return "_".join(words)

    def listed(self, names: list[str]) -> tuple[str, ...]:
        return tuple(names)

    things = listed

    def TASK(self, words: Token) -> str:  # noqa: N802  the name of the terminal
        return words.strip()


@cache
def _grammar() -> Lark:
    return Lark.open("engine.lark", rel_to=__file__, parser="earley")


INSTALL = "in a separate environment, pip install commonsense-planning alfworld==0.4.2 'up-fast-downward<1'"


class EngineGame:
    """A game of ``game.tw-pddl``, opened without facts, walkthrough and admissible commands. ``first``: its first text.
    ``wrappers``: TextWorld's, around ALFWorld's own, which gives things their names. Raises MissingError without the
    package alfworld, InputError for a file that is no game."""

    def __init__(self, file: Path, wrappers: Sequence[Any] = ()) -> None:
        try:
            import textworld
            from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
        except ImportError as error:
            raise MissingError(f"ALFWorld's games need ALFWorld: {INSTALL}") from error
        if any(metadata.distributions(name="fast-downward.translate")):
            raise MissingError(f"fast-downward.translate replaced TextWorld's fast_downward: {INSTALL}")
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
        """Carries out a command and returns the engine's text; updates ``won``."""
        state, _, _ = self._engine.step(command)
        self.won = bool(state.won)
        return str(state.feedback)

    def close(self) -> None:
        """Closes the engine."""
        self._engine.close()
