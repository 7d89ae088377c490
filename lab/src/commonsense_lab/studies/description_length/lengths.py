"""How long a model of a world and a policy are, in bits, and what follows for learning them: "Large Language Models as
Commonsense Knowledge for Large-Scale Task Planning", sections 1, 4, 4.1 and 4.2.

The paper gives orders of growth. Here is one plain code for each, whose constants are arguments, so that sizes can be
compared. Whole numbers up to x take ⌈log2 x⌉ bits. A model includes the program that plans with it."""

from __future__ import annotations

import math
import tomllib
import zlib
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from commonsense_planning.errors import UsageError

PROGRAMS = Path(__file__).with_name("programs")
"""The algorithms that plan with a model, as texts whose lengths do not change when cplan does."""


class SizeSetting(NamedTuple):
    """A number that a kind of problem has, from ``least`` to ``most``."""

    default: int
    help: str
    least: int = 1
    most: int | None = None


@dataclass(frozen=True)
class ProblemKind:
    """A kind of problem, by its size; ``problems.toml`` explains the fields.

    ``bits``: of the model, without the program, and of the policy, for a size and the ``settings``. Once the policy is
    the longer, it stays so as the size grows; ``crossover`` relies on it."""

    name: str
    unit: str
    least: int
    most: int
    sizes: str
    model: str
    policy: str
    program: str
    bits: Callable[..., tuple[int, int]]
    settings: Mapping[str, SizeSetting]

    def of(self, **values: int) -> Problem:
        """Returns the problem with these settings, the others as by default. Raises UsageError for one out of its
        range."""
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
        """Returns the bits of the model, without the program, and of the policy. Raises UsageError for a size out of
        range."""
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


_BITS: Mapping[str, Callable[..., tuple[int, int]]]
_BITS = {"flights": _flights, "rearrangement": _rearrangement, "multiplication": _multiplication}
PROBLEMS: dict[str, ProblemKind] = {}
for _name, _entry in tomllib.loads(Path(__file__).with_name("problems.toml").read_text(encoding="utf-8")).items():
    _settings = {name: SizeSetting(**setting) for name, setting in _entry.pop("settings").items()}
    PROBLEMS[_name] = ProblemKind(name=_name, bits=_BITS[_name], settings=_settings, **_entry)


def program_bits(kind: ProblemKind) -> int:
    """Returns the length of the program that plans with a problem's model: the bits of its text compressed with zlib, a
    prefix-free code."""
    return 8 * len(zlib.compress((PROGRAMS / kind.program).read_bytes(), 9))


def crossover(problem: Problem, program: int) -> int | None:
    """Returns the least size from which on the model with a ``program`` of that many bits is shorter than the policy;
    None if there is none up to the largest size of the problem."""

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
    """The bits of the model with its program and of the policy for a size, and the bounds on their expected losses."""

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
    """Returns the two lengths of a size, the model's with a ``program`` of that many bits. Raises UsageError for a
    number out of its range."""
    model, policy = problem.bits(size)
    model += program
    return Lengths(size, model, policy, occam_bound(model, samples, delta), occam_bound(policy, samples, delta))


def occam_bound(bits: int, samples: int, delta: float) -> float:
    """Returns the bound of Theorem 4.1 on the expected loss of a hypothesis without training loss, which holds with a
    probability greater than 1 - ``delta``: sqrt((|h| + ln(2/δ)) / 2m). A bound of 1 or more is empty.

    ``bits``: |h|, the length of its description in a prefix-free language. ``samples``: m, independent and identically
    distributed. Raises UsageError if ``delta`` is not between 0 and 1."""
    if not 0 < delta < 1:
        raise UsageError(f"delta must be in (0, 1), not {delta}")
    excess = (Decimal(bits) + Decimal(math.log(2 / delta))) / (2 * samples)  # numbers of bits are too large for floats
    return float(excess.sqrt())


def _bits(number: int) -> int:
    """Returns ⌈log2 number⌉, the bits that name one of that number of things."""
    return (number - 1).bit_length()
