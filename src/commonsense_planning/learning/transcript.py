"""An episode as the sequence of tokens that a policy reads: the same in training and in action.

    goal: put one apple inside the fridge
    seen: the robot is in the kitchen; a fridge is inside the kitchen; the fridge is closed;
    do: walk to the fridge
    do: open the fridge
    seen: the fridge is open; an apple is inside the fridge;
    do: …
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from commonsense_planning.errors import InputError

Tokens = list[int]
Encode = Callable[[str], Sequence[int]]

GOAL, SEEN, DO, END = "goal:", "seen:", "do:", "\n"


@dataclass(frozen=True)
class Step:
    """The tokens of what was seen and what was done; the last ``learned`` of them are the action."""

    tokens: Tokens
    learned: int


class Transcript:
    """Grows with the episode and never beyond ``positions`` tokens.

    The instruction takes at most a quarter of them (InputError if it is longer), what is seen before one step at most a
    quarter (sentences beyond that are left out), and an eighth is kept free for the action. When a step finds no room,
    the older half of the steps is forgotten. Actions are never cut.
    """

    def __init__(self, encode: Encode, instruction: str, positions: int) -> None:
        self.steps: list[Step] = []
        self.head = [*encode(GOAL), *encode(f" {instruction}"), *encode(END)]
        self._encode = encode
        self._positions = positions
        self._opened: Tokens = []
        if len(self.head) > positions // 4:
            raise InputError(
                f"an instruction of {len(self.head)} tokens is too long for a context of {positions}: "
                f'"{instruction[:60]}…"; say it in fewer words, or train with more --positions'
            )

    @property
    def room(self) -> int:
        """The most tokens that an action may have."""
        return self._positions // 8

    @property
    def tokens(self) -> Tokens:
        """All that a policy reads at this moment."""
        return [*self.head, *(token for step in self.steps for token in step.tokens), *self._opened]

    def see(self, sentences: Sequence[str]) -> None:
        """Begin a step with what is read before it; the tokens then end where the action begins."""
        self._opened = [*self._observation(sentences), *self._encode(DO)]
        while len(self.tokens) + self.room > self._positions:
            self.steps = self.steps[(len(self.steps) + 1) // 2 :]

    def action(self, action: str) -> tuple[int, ...]:
        """The tokens of an action, with its end. Raises InputError if they are more than there is room for."""
        tokens = (*self._encode(f" {action}"), *self._encode(END))
        if len(tokens) > self.room:
            raise InputError(
                f'the action "{action[:60]}" has {len(tokens)} tokens, more than the {self.room} that a context of '
                f"{self._positions} leaves; train with more --positions"
            )
        return tokens

    def do(self, action: str) -> None:
        """End the step with what was done."""
        tokens = self.action(action)
        self.steps.append(Step([*self._opened, *tokens], len(tokens)))
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
