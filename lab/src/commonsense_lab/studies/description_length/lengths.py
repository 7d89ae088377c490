"""How long a model of a world and a policy are, in bits, and what follows for learning them: "Large Language Models as
Commonsense Knowledge for Large-Scale Task Planning", sections 1, 4, 4.1 and 4.2.

The paper gives orders of growth. Here is one plain code for each, whose constants are arguments, so that sizes can be
compared. Whole numbers up to x take ⌈log2 x⌉ bits. With a model goes the program that plans with it.
"""

from __future__ import annotations

import math
import zlib
from abc import ABC, abstractmethod
from bisect import bisect_left
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

from commonsense_planning.errors import UsageError

PROGRAMS = Path(__file__).with_name("programs")
"""The algorithms that plan with a model, each written down once for all: their lengths change with no edit of ours."""


class ProblemKind(ABC):
    """A kind of problem, by its size.

    ``unit``: what its size counts, from ``least`` to ``most``. ``model``, ``policy``: in words, what is described.
    ``program``: the file in ``PROGRAMS`` with the algorithm that plans with the model. As the size grows, the policy
    once it is the longer stays the longer; ``crossover`` relies on it.
    """

    name: ClassVar[str]
    unit: ClassVar[str]
    least: ClassVar[int]
    most: ClassVar[int]
    model: ClassVar[str]
    policy: ClassVar[str]
    program: ClassVar[str]

    @abstractmethod
    def model_bits(self, size: int) -> int:
        """Bits of the model, without the program. Raises UsageError for a size out of range."""

    @abstractmethod
    def policy_bits(self, size: int) -> int:
        """Bits of the policy. Raises UsageError for a size out of range."""

    def _check(self, size: int) -> None:
        if not self.least <= size <= self.most:
            raise UsageError(f"{self.name}: {size} {self.unit}: the number must be from {self.least} to {self.most}")


@dataclass(frozen=True)
class Flights(ProblemKind):
    """Travelling between n cities (section 4.1): the model takes O(n log n) bits, the policy n² log n.

    ``flights_per_city``: d, of which a city has no more than there are others; that d does not grow with n is the
    paper's assumption. Raises UsageError if it is not positive.
    """

    name = "flights"
    unit = "cities"
    least = 2
    most = 10**9
    model = "for each city the cities of its direct flights"
    policy = "for each pair of cities the next city on the way"
    program = "uniform_cost_search.txt"

    flights_per_city: int = 11

    def __post_init__(self) -> None:
        _at_least(1, self, "flights_per_city")

    def model_bits(self, size: int) -> int:
        """n d ⌈log2 n⌉."""
        self._check(size)
        return size * min(self.flights_per_city, size - 1) * _bits(size)

    def policy_bits(self, size: int) -> int:
        """n² ⌈log2 n⌉."""
        self._check(size)
        return size**2 * _bits(size)


@dataclass(frozen=True)
class Rearrangement(ProblemKind):
    """Bringing things to containers (section 4.2), n things, m ``containers``, k ``rooms``: the model takes
    O(n log(m + k) + m log k) bits, the policy O((m n)^N log(m + k)) for N ``composed`` tasks.

    ``degree``: places that a node of the model has at most, each with a probability of ``weight_bits``. ``actions``: of
    a policy for one task; the paper takes both for constants. It once gives O(m + k) bits for an action, but adds up
    log(m + k), as is done here. Raises UsageError for a number out of its range.
    """

    name = "rearrangement"
    unit = "things"
    least = 1
    most = 10**9
    model = "for each thing and container its likely places, with their probabilities"
    policy = "for each task, a thing and a container, a sequence of actions"
    program = "mcts.txt"

    containers: int = 38
    rooms: int = 4
    composed: int = 1
    degree: int = 4
    weight_bits: int = 8
    actions: int = 10

    def __post_init__(self) -> None:
        _at_least(1, self, "containers", "rooms", "composed", "degree", "actions")
        _at_least(0, self, "weight_bits")

    def model_bits(self, size: int) -> int:
        """n g (⌈log2(m + k)⌉ + w) + m g (⌈log2 k⌉ + w), with degrees g that are no larger than the number of places."""
        self._check(size)
        places = self.containers + self.rooms
        things = size * min(self.degree, places) * (_bits(places) + self.weight_bits)
        containers = self.containers * min(self.degree, self.rooms) * (_bits(self.rooms) + self.weight_bits)
        return things + containers

    def policy_bits(self, size: int) -> int:
        """(m n)^N L ⌈log2(m + k)⌉, with L actions."""
        self._check(size)
        tasks = (self.containers * size) ** self.composed
        return int(tasks) * self.actions * _bits(self.containers + self.rooms)


@dataclass(frozen=True)
class Multiplication(ProblemKind):
    """Multiplying two numbers of at most n digits (section 1): the model takes a constant number of bits, the policy
    O(n 10^(2n))."""

    name = "multiplication"
    unit = "digits"
    least = 1
    most = 1000
    model = "the products of all pairs of digits"
    policy = "the products of all pairs of numbers"
    program = "long_multiplication.txt"

    def model_bits(self, size: int) -> int:
        """100 entries of as many bits as 9 × 9 needs, 7."""
        self._check(size)
        return self.policy_bits(1)

    def policy_bits(self, size: int) -> int:
        """10^(2n) entries of as many bits as the largest product needs."""
        self._check(size)
        numbers = int(f"1{'0' * size}")
        return numbers**2 * ((numbers - 1) ** 2).bit_length()


PROBLEMS: dict[str, type[ProblemKind]] = {kind.name: kind for kind in (Flights, Rearrangement, Multiplication)}


def program_bits(kind: type[ProblemKind]) -> int:
    """How long the program is that plans with a problem's model: bits of its text compressed with zlib, whose streams
    say themselves where they end."""
    return 8 * len(zlib.compress((PROGRAMS / kind.program).read_bytes(), 9))


def crossover(problem: ProblemKind, program: int) -> int | None:
    """The least size from which on the model with a program of so many bits is shorter than the policy; None if that is
    not so up to the largest size of the problem."""

    def shorter(size: int) -> bool:
        return problem.model_bits(size) + program < problem.policy_bits(size)

    above = problem.least
    while not shorter(above):
        if above == problem.most:
            return None
        above = min(2 * above, problem.most)  # step by step: far above the crossover, numbers are huge
    return bisect_left(range(above), True, lo=problem.least, key=shorter)


@dataclass(frozen=True)
class Lengths:
    """Of a size: bits of the model with its program and of the policy, and of both what the expected loss does not
    exceed (``occam_bound``)."""

    size: int
    model: int
    policy: int
    model_bound: float
    policy_bound: float

    @property
    def shorter(self) -> str:
        """Which is the shorter: model, policy or neither."""
        if self.model == self.policy:
            return "neither"
        return "model" if self.model < self.policy else "policy"


def lengths(problem: ProblemKind, size: int, program: int, samples: int, delta: float) -> Lengths:
    """The two lengths of a size, the model's with a program of so many bits. Raises UsageError for a number out of its
    range."""
    model, policy = problem.model_bits(size) + program, problem.policy_bits(size)
    return Lengths(size, model, policy, occam_bound(model, samples, delta), occam_bound(policy, samples, delta))


def occam_bound(bits: int, samples: int, delta: float = 0.05, training_loss: float = 0.0) -> float:
    """What the expected loss of a hypothesis does not exceed, with a probability greater than 1 - ``delta``
    (Theorem 4.1): L_S(h) + sqrt((|h| + ln(2/δ)) / 2m).

    ``bits``: |h|, the length of its description in a prefix-free language. ``samples``: m, independent and identically
    distributed. ``training_loss``: L_S(h), in [0, 1]. A bound of 1 or more says nothing. Raises UsageError for a number
    out of its range.
    """
    _check_theorem(bits, delta)
    if samples < 1:
        raise UsageError(f"samples must be at least 1, not {samples}")
    if not 0 <= training_loss <= 1:
        raise UsageError(f"the training loss must be in [0, 1], not {training_loss}")
    excess = (Decimal(bits) + Decimal(math.log(2 / delta))) / (2 * samples)  # numbers of bits are too large for floats
    return training_loss + float(excess.sqrt())


def samples_needed(bits: int, gap: float, delta: float = 0.05) -> int:
    """How many samples it takes for the bound of Theorem 4.1 to be no more than ``gap`` above the training loss. Raises
    UsageError for a number out of its range."""
    _check_theorem(bits, delta)
    if not 0 < gap <= 1:
        raise UsageError(f"the gap must be in (0, 1], not {gap}")
    return math.ceil((bits + Fraction(math.log(2 / delta))) / (2 * Fraction(gap) ** 2))


def _check_theorem(bits: int, delta: float) -> None:
    if bits < 0:
        raise UsageError(f"a description has at least 0 bits, not {bits}")
    if not 0 < delta < 1:
        raise UsageError(f"delta must be in (0, 1), not {delta}")


def _bits(number: int) -> int:
    """⌈log2 number⌉: what it takes to name one of so many things."""
    return (number - 1).bit_length()


def _at_least(least: int, problem: ProblemKind, *names: str) -> None:
    for name in names:
        if getattr(problem, name) < least:
            raise UsageError(f"{name.replace('_', '-')} must be at least {least}, not {getattr(problem, name)}")
