"""How long a model of a world and a policy are, in bits, and what follows for learning them: "Large Language Models as
Commonsense Knowledge for Large-Scale Task Planning", sections 1, 4, 4.1 and 4.2.

The paper gives orders of growth. Here is one plain code for each, whose constants are arguments, so that sizes can be
compared. Whole numbers up to x take ⌈log2 x⌉ bits. With a model goes the program that plans with it."""

from __future__ import annotations

import math
import zlib
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from commonsense_planning.errors import UsageError

PROGRAMS = Path(__file__).with_name("programs")
"""The algorithms that plan with a model, each written down once for all: their lengths change with no edit of ours."""


class SizeSetting(NamedTuple):
    """A number that a kind of problem has: what it is by default, what is said of it, from ``least`` to ``most``."""

    default: int
    help: str
    least: int = 1
    most: int | None = None


@dataclass(frozen=True)
class ProblemKind:
    """A kind of problem, by its size.

    ``unit``: what its size counts, from ``least`` to ``most``. ``model``, ``policy``: in words, what is described.
    ``program``: the file in ``PROGRAMS`` with the algorithm that plans with the model. ``bits``: of the model, without
    the program, and of the policy, for a size and the ``settings``. As the size grows, the policy once it is the longer
    stays the longer; ``crossover`` relies on it."""

    name: str
    unit: str
    least: int
    most: int
    model: str
    policy: str
    program: str
    bits: Callable[..., tuple[int, int]]
    settings: Mapping[str, SizeSetting] = field(default_factory=dict)

    def of(self, **values: int) -> Problem:
        """The problem with these settings, the others as by default. Raises UsageError for one out of its range."""
        for name, value in values.items():
            least = self.settings[name].least
            if value < least:
                raise UsageError(f"{name.replace('_', '-')} must be at least {least}, not {value}")
        return Problem(self, {name: values.get(name, setting.default) for name, setting in self.settings.items()})


@dataclass(frozen=True)
class Problem:
    """A kind of problem with its settings."""

    kind: ProblemKind
    values: Mapping[str, int]

    def bits(self, size: int) -> tuple[int, int]:
        """Bits of the model, without the program, and of the policy. Raises UsageError for a size out of range."""
        kind = self.kind
        if not kind.least <= size <= kind.most:
            raise UsageError(f"{kind.name}: {size} {kind.unit}: the number must be from {kind.least} to {kind.most}")
        return kind.bits(size, **self.values)


def _flights(n: int, flights_per_city: int) -> tuple[int, int]:
    """n d ⌈log2 n⌉ and n² ⌈log2 n⌉. A city has no more flights than there are others; that d does not grow with n is
    the paper's assumption."""
    return n * min(flights_per_city, n - 1) * _bits(n), n**2 * _bits(n)


def _rearrangement(
    n: int, containers: int, rooms: int, composed: int, degree: int, weight_bits: int, actions: int
) -> tuple[int, int]:
    """n g (⌈log2(m + k)⌉ + w) + m g (⌈log2 k⌉ + w), with degrees g that are no larger than the number of places; and (m
    n)^N L ⌈log2(m + k)⌉. The paper takes degree and actions for constants. It once gives O(m + k) bits for an action,
    but adds up log(m + k), as is done here."""
    places = containers + rooms
    things = n * min(degree, places) * (_bits(places) + weight_bits)
    furniture = containers * min(degree, rooms) * (_bits(rooms) + weight_bits)
    return things + furniture, int((containers * n) ** composed) * actions * _bits(places)


def _multiplication(n: int) -> tuple[int, int]:
    """100 entries of as many bits as 9 × 9 needs, 7; and 10^(2n) entries of as many as the largest product needs."""

    def table(digits: int) -> int:
        numbers = int(f"1{'0' * digits}")
        return numbers**2 * ((numbers - 1) ** 2).bit_length()

    return table(1), table(n)


PROBLEMS = {
    kind.name: kind
    for kind in (
        # section 4.1: the model takes O(n log n) bits, the policy n² log n
        ProblemKind(
            "flights",
            "cities",
            2,
            10**9,
            "for each city the cities of its direct flights",
            "for each pair of cities the next city on the way",
            "uniform_cost_search.txt",
            _flights,
            {"flights_per_city": SizeSetting(11, "d of flights.")},
        ),
        # section 4.2: the model takes O(n log(m + k) + m log k) bits, the policy O((m n)^N log(m + k))
        ProblemKind(
            "rearrangement",
            "things",
            1,
            10**9,
            "for each thing and container its likely places, with their probabilities",
            "for each task, a thing and a container, a sequence of actions",
            "mcts.txt",
            _rearrangement,
            {
                "containers": SizeSetting(38, "m of rearrangement."),
                "rooms": SizeSetting(4, "k of rearrangement."),
                "composed": SizeSetting(1, "N of rearrangement: tasks in one.", most=100),
                "degree": SizeSetting(4, "Places that a thing may be at."),
                "weight_bits": SizeSetting(8, "Of a probability.", least=0),
                "actions": SizeSetting(10, "Of the policy of a task."),
            },
        ),
        # section 1, two numbers of at most n digits: the model takes a constant number of bits, the policy n 10^(2n)
        ProblemKind(
            "multiplication",
            "digits",
            1,
            1000,
            "the products of all pairs of digits",
            "the products of all pairs of numbers",
            "long_multiplication.txt",
            _multiplication,
        ),
    )
}


def program_bits(kind: ProblemKind) -> int:
    """How long the program is that plans with a problem's model: bits of its text compressed with zlib, whose streams
    say themselves where they end."""
    return 8 * len(zlib.compress((PROGRAMS / kind.program).read_bytes(), 9))


def crossover(problem: Problem, program: int) -> int | None:
    """The least size from which on the model with a program of so many bits is shorter than the policy; None if that is
    not so up to the largest size of the problem."""

    def shorter(size: int) -> bool:
        model, policy = problem.bits(size)
        return model + program < policy

    above, most = problem.kind.least, problem.kind.most
    while not shorter(above):
        if above == most:
            return None
        above = min(2 * above, most)  # step by step: far above the crossover, numbers are huge
    return bisect_left(range(above), True, lo=problem.kind.least, key=shorter)


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


def lengths(problem: Problem, size: int, program: int, samples: int, delta: float) -> Lengths:
    """The two lengths of a size, the model's with a program of so many bits. Raises UsageError for a number out of its
    range."""
    model, policy = problem.bits(size)
    model += program
    return Lengths(size, model, policy, occam_bound(model, samples, delta), occam_bound(policy, samples, delta))


def occam_bound(bits: int, samples: int, delta: float = 0.05, training_loss: float = 0.0) -> float:
    """What the expected loss of a hypothesis does not exceed, with a probability greater than 1 - ``delta`` (Theorem
    4.1): L_S(h) + sqrt((|h| + ln(2/δ)) / 2m).

    ``bits``: |h|, the length of its description in a prefix-free language. ``samples``: m, independent and identically
    distributed. ``training_loss``: L_S(h), in [0, 1]. A bound of 1 or more says nothing. Raises UsageError for a number
    out of its range."""
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
