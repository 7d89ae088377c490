"""Bits of models and policies at sizes worked out by hand, the crossover by brute force, and the theorem's bound."""

import hashlib
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_lab.studies.description_length.lengths import (
    PROBLEMS,
    PROGRAMS,
    Problem,
    ProblemKind,
    crossover,
    lengths,
    occam_bound,
    program_bits,
)
from commonsense_planning.errors import UsageError

DIGESTS = {"flights": "71daee19", "rearrangement": "027225fb", "multiplication": "b1e3ee64"}

FLIGHTS, REARRANGEMENT, MULTIPLICATION = PROBLEMS.values()


def flights(flights_per_city: int) -> Problem:
    return FLIGHTS.of(flights_per_city=flights_per_city)


def rearrangement(*values: int) -> Problem:
    return REARRANGEMENT.of(**dict(zip(REARRANGEMENT.settings, values, strict=True)))


small = st.integers(1, 12)
rearrangements = st.builds(rearrangement, small, small, st.integers(1, 3), small, st.integers(0, 300), small)
problems: st.SearchStrategy[Problem] = st.one_of(
    st.builds(flights, small), rearrangements, st.just(MULTIPLICATION.of())
)


@pytest.mark.parametrize(("problem", "size", "model", "policy"), [
    (flights(3), 2, 2 * 1 * 1, 4 * 1),
    (flights(3), 16, 16 * 3 * 4, 256 * 4),
    (flights(3), 17, 17 * 3 * 5, 289 * 5),
    (flights(11), 3142, 3142 * 11 * 12, 3142**2 * 12),
    (rearrangement(6, 2, 1, 1, 5, 10), 4, 4 * (3 + 5) + 6 * (1 + 5), 24 * 10 * 3),
    (rearrangement(6, 2, 2, 1, 5, 10), 4, 4 * (3 + 5) + 6 * (1 + 5), 24**2 * 10 * 3),
    (rearrangement(6, 2, 1, 3, 5, 10), 4, 4 * 3 * (3 + 5) + 6 * 2 * (1 + 5), 24 * 10 * 3),
    (rearrangement(1, 1, 1, 1, 0, 1), 1, 1, 1),
    (MULTIPLICATION.of(), 1, 100 * 7, 100 * 7),
    (MULTIPLICATION.of(), 2, 100 * 7, 10**4 * 14),
    (MULTIPLICATION.of(), 12, 100 * 7, 10**24 * 80),
])  # fmt: skip
def test_lengths_worked_out_by_hand(problem: Problem, size: int, model: int, policy: int) -> None:
    assert problem.bits(size) == (model, policy)


@given(problems, st.integers(2, 60))
def test_more_takes_no_fewer_bits(problem: Problem, size: int) -> None:
    (model, policy), more = problem.bits(size), problem.bits(size + 1)
    assert model <= more[0] and 0 < policy <= more[1]


@given(problems, st.integers(0, 60_000))
def test_the_crossover_is_the_one_that_brute_force_finds(problem: Problem, program: int) -> None:
    """Up to 60 of the size: from the last size at which the policy is not the longer one on."""
    found = crossover(problem, program)
    last = 60
    table = [lengths(problem, size, program, 1, 0.5) for size in range(problem.kind.least, last + 1)]
    not_yet = [line.size for line in table if line.shorter != "model"]
    expected = max(not_yet, default=problem.kind.least - 1) + 1
    if expected > last:
        assert found is None or found > last
    else:
        assert found == expected


def test_a_crossover_far_out() -> None:
    far = crossover(FLIGHTS.of(), 10**12)
    assert far is not None
    assert lengths(FLIGHTS.of(), far, 10**12, 1, 0.5).shorter == "model"
    assert lengths(FLIGHTS.of(), far - 1, 10**12, 1, 0.5).shorter == "policy"


@pytest.mark.parametrize(("kind", "size"), [(FLIGHTS, 1), (FLIGHTS, -5), (REARRANGEMENT, 0), (MULTIPLICATION, 1001)])
def test_sizes_out_of_range(kind: ProblemKind, size: int) -> None:
    with pytest.raises(UsageError, match=f"{kind.name}: {size} {kind.unit}: the number must be from"):
        kind.of().bits(size)


def test_the_bound_by_hand() -> None:
    """|h| = 100, m = 5000, δ = 0.05: sqrt((100 + ln 40) / 10000) = sqrt(0.0103688879…)."""
    assert occam_bound(100, 5000, 0.05) == pytest.approx(0.10182774, abs=1e-8)

    assert occam_bound(0, 1, 0.5) == pytest.approx(math.sqrt(math.log(4) / 2))


def test_the_bound_of_numbers_beyond_floats() -> None:
    assert occam_bound(10**400, 1, 0.05) == pytest.approx(10**200 / math.sqrt(2))
    assert occam_bound(10**2000, 1, 0.05) == math.inf


@pytest.mark.parametrize("delta", [0.0, 1.0, math.nan])
def test_a_chance_that_the_theorem_is_not_about(delta: float) -> None:
    with pytest.raises(UsageError, match=r"delta must be in \(0, 1\), not"):
        occam_bound(1, 10, delta)


def program(kind: ProblemKind) -> Callable[..., Any]:
    """The function of a problem's program that does the work: the first one, or the one called search."""
    names: dict[str, Any] = {}
    exec((PROGRAMS / kind.program).read_text(), names)
    return next(names[name] for name in ("route", "product", "search") if name in names)


def test_programs_do_not_change() -> None:
    """Published lengths are of these very texts: one that says it better would be another number."""
    texts = {name: (PROGRAMS / kind.program).read_bytes() for name, kind in PROBLEMS.items()}
    assert {name: hashlib.sha256(text).hexdigest()[:8] for name, text in texts.items()} == DIGESTS
    assert {name: 1500 < program_bits(kind) < 5000 for name, kind in PROBLEMS.items()} == dict.fromkeys(DIGESTS, True)


def test_the_program_of_flights_finds_a_shortest_route() -> None:
    network = {"a": "bc", "b": "d", "c": "e", "d": "e", "e": ""}
    assert program(FLIGHTS)("a", "e", network) == ("a", "c", "e")
    assert program(FLIGHTS)("e", "a", network) is None


def test_the_program_of_multiplication_multiplies() -> None:
    table = {(str(a), str(b)): a * b for a in range(10) for b in range(10)}
    for first, second in ((0, 0), (7, 8), (99, 99), (1234567, 89), (10, 100)):
        assert program(MULTIPLICATION)(str(first), str(second), table) == str(first * second)


def test_the_program_of_rearrangement_searches() -> None:
    """Two doors, one of which hides a prize: to look behind the left one first is what tells."""

    class Belief:
        def sample(self) -> tuple[str, ...]:
            return ("left", "looked")

    def step(state: tuple[str, ...], action: str) -> tuple[tuple[str, ...], str, float, bool]:
        return state, "open", float(action == state[0]), action == state[0]

    def policy(state: tuple[str, ...]) -> dict[str, float]:
        return {"left": 0.5, "right": 0.5}

    assert program(REARRANGEMENT)(Belief(), step, policy, 50, 3, 0.9, 1.0) == "left"
