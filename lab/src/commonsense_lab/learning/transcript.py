"""An episode as the sequence of tokens that a policy reads, both in training and in action.

The policy reads only some of the hundreds of sentences about a home, since its context is short.

    goal: put one apple inside the fridge
    seen: the robot is in the kitchen; a fridge is inside the kitchen; the fridge is closed;
    do: walk to the fridge
    do: open the fridge
    seen: the fridge is open; an apple is inside the fridge;
    do: …
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from commonsense_planning.errors import InputError
from commonsense_planning.wording.naming import PLURALS

Tokens = list[int]
Encode = Callable[[str], Sequence[int]]

GOAL, SEEN, DO, END = "goal:", "seen:", "do:", "\n"


@dataclass(frozen=True)
class TranscriptStep:
    """The tokens of observations and action; the last ``learned`` of them are the action."""

    tokens: Tokens
    learned: int


class Transcript:
    """The tokens of an episode, at most ``positions``.

    The instruction takes at most a quarter of them (InputError if it is longer), the observations of a step at most a
    quarter (further sentences are left out), and an eighth is free for the action. If a step finds no room, the older
    half of the steps is forgotten. Actions are never cut.
    """

    def __init__(self, encode: Encode, instruction: str, positions: int) -> None:
        self.steps: list[TranscriptStep] = []
        self.head = [*encode(GOAL), *encode(f" {instruction}"), *encode(END)]
        self._encode = encode
        self._positions = positions
        self.room = positions // 8  # tokens of an action, at most
        self._opened: Tokens = []
        if len(self.head) > positions // 4:
            raise InputError(
                f"an instruction of {len(self.head)} tokens is too long for a context of {positions}: "
                f'"{instruction[:60]}…"; say it in fewer words, or train with more --positions'
            )

    @property
    def tokens(self) -> Tokens:
        """Everything that a policy reads now."""
        return [*self.head, *(token for step in self.steps for token in step.tokens), *self._opened]

    def see(self, sentences: Sequence[str]) -> None:
        """Begins a step with observations; the tokens then end where the action begins."""
        self._opened = [*self._observation(sentences), *self._encode(DO)]
        while len(self.tokens) + self.room > self._positions:
            self.steps = self.steps[(len(self.steps) + 1) // 2 :]

    def action(self, action: str) -> tuple[int, ...]:
        """Returns the tokens of an action, with its end. Raises InputError if they do not fit."""
        tokens = (*self._encode(f" {action}"), *self._encode(END))
        if len(tokens) > self.room:
            raise InputError(
                f'the action "{action[:60]}" has {len(tokens)} tokens, more than the {self.room} that a context of '
                f"{self._positions} leaves; train with more --positions"
            )
        return tokens

    def do(self, action: str) -> None:
        """Ends the step with an action."""
        tokens = self.action(action)
        self.steps.append(TranscriptStep([*self._opened, *tokens], len(tokens)))
        self._opened = []

    def _observation(self, sentences: Sequence[str]) -> Tokens:
        if not sentences:
            return []
        tokens, end = list(self._encode(SEEN)), self._encode(END)
        most = self._positions // 4 - len(end) - len(self._encode(DO))
        for sentence in sentences:
            more = self._encode(f" {sentence};")
            if len(tokens) + len(more) > most:
                break
            tokens += more
        return [*tokens, *end]


# Names of things are between these words: "put one apple on the kitchen table" names "apple" and "kitchen table".
_BETWEEN = frozenset(
    ("a", "an", "the", "some", "my", "your", "one", "two", "three", "four", "five", "is", "are", "be", "can", "not")
    + ("in", "on", "at", "to", "of", "into", "onto", "inside", "from", "with", "and", "or")
    + ("put", "place", "bring", "move", "get", "take")
)
_ACTOR = "robot"  # the name of the agent in cplan's lexicons
_NOT = "not"


class TranscriptReader:
    """Chooses sentences by the words of an instruction.

    It keeps sentences that first name something from the instruction, and at the beginning also those about the robot,
    whose later states follow from its actions. It drops negations ("the robot is not in the kitchen"), sentences that
    name only one thing ("the apple is an apple"), and repetitions.
    """

    def __init__(self, instruction: str) -> None:
        self._wanted = frozenset(form for name in names(instruction) for form in _forms(name))
        self._began = False

    def read(self, sentences: Iterable[str]) -> list[str]:
        """Returns the sentences before a step that are read, in their order."""
        kept = [sentence for sentence in dict.fromkeys(sentences) if self._matters(sentence)]
        self._began = True
        return kept

    def _matters(self, sentence: str) -> bool:
        named = names(sentence)
        if len(set(named)) < 2 or _NOT in sentence.split():
            return False
        return named[0] in self._wanted or (not self._began and named[0].split()[0] == _ACTOR)


@lru_cache(maxsize=1 << 16)  # sentences recur in every trajectory of a home
def names(text: str) -> tuple[str, ...]:
    """Returns the runs of words between words such as "the" and "on", in lower case and in order."""
    found = groupby(re.findall(r"\w+", text.lower()), _BETWEEN.__contains__)
    return tuple(" ".join(run) for between, run in found if not between)


def _forms(name: str) -> set[str]:
    """Returns a name and the singulars of which it may be the plural."""
    singulars = {name.removesuffix(many) + one for many, one in PLURALS if name.endswith(many)}
    return {name, *singulars}
