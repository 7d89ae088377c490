"""What PDDL3's operators mean, and that their monitors see just that."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import pytest

from commonsense_planning.pddl.trajectories import (
    AT_MOST_ONCE,
    OPERATORS,
    SOMETIME,
    SOMETIME_AFTER,
    SOMETIME_BEFORE,
    MonitorPart,
    Operator,
    P,
    Q,
    Truths,
)


def traces(operator: Operator, longest: int) -> Iterator[tuple[Truths, ...]]:
    """The truth values of an operator's conditions in all sequences of up to so many states."""
    for length in range(1, longest + 1):
        for values in itertools.product((False, True), repeat=length * operator.operands):
            yield tuple(values[k * length : (k + 1) * length] for k in range(operator.operands))


def states(truths: Sequence[Truths]) -> Iterator[dict[str, bool]]:
    for values in zip(*truths, strict=True):
        yield dict(zip((P, Q), values, strict=False))


def all_so(parts: Sequence[MonitorPart], values: Mapping[str, bool]) -> bool:
    return all(values[part.name] == part.positive for part in parts)


def seen_after(operator: Operator, truths: Sequence[Truths]) -> bool:
    """Judged by the monitor, whose bits are brought up to date before a state is looked at."""
    monitor = operator.monitor
    bits = dict(monitor.memory)
    for state in states(truths):
        for update in monitor.updates:
            if all_so(update.when, {**state, **bits}):
                bits[update.bit] = update.value
        if monitor.forbidden and all_so(monitor.forbidden, {**state, **bits}):
            return False
    return all_so(monitor.wanted, {**state, **bits})


def seen_before(operator: Operator, truths: Sequence[Truths]) -> bool:
    """Judged by the monitor, whose bits say what was before the state that is looked at; all at once, as effects of an
    action are: what some make true and others false is true."""
    monitor = operator.monitor
    bits = {bit: value for bit, value in monitor.memory.items() if bit not in monitor.behind}
    for state in states(truths):
        known = {**state, **bits, **{bit: bits[other] for bit, other in monitor.behind.items()}}
        if monitor.forbidden and all_so(monitor.forbidden, known):
            return False
        updates = [update for update in monitor.updates if update.bit in bits and all_so(update.when, known)]
        bits |= {update.bit: False for update in updates if not update.value}
        bits |= {update.bit: True for update in updates if update.value}
    return all_so([part for part in monitor.wanted if part.name in bits], bits) and all_so(
        [part for part in monitor.wanted if part.name not in bits], state
    )


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=str)
def test_a_monitor_sees_what_the_operator_means(operator: Operator) -> None:
    for truths in traces(operator, 8 if operator.operands == 1 else 5):
        meant = operator.holds(*truths)
        assert seen_after(operator, truths) == meant, truths
        assert seen_before(operator, truths) == meant, truths


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=str)
def test_what_lasts_is_violated_for_good(operator: Operator) -> None:
    for truths in traces(operator, 4):
        if not operator.holds(*truths):
            longer = [
                tuple((*before, now) for before, now in zip(truths, values, strict=True))
                for values in itertools.product((False, True), repeat=operator.operands)
            ]
            assert operator.lasting == (not any(operator.holds(*values) for values in longer))


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=str)
def test_in_vain_is_the_value_with_which_nothing_is_violated(operator: Operator) -> None:
    for truths in traces(operator, 4):
        if set(truths[0]) == {operator.in_vain}:
            assert operator.holds(*truths)


T, F = True, False


@pytest.mark.parametrize(("operator", "truths", "meant"), [
    (SOMETIME, ([T],), True),
    (SOMETIME, ([F, F],), False),
    (AT_MOST_ONCE, ([T, T, F],), True),
    (AT_MOST_ONCE, ([T, F, T],), False),
    (AT_MOST_ONCE, ([F, F],), True),
    (SOMETIME_AFTER, ([T, F], [F, T]), True),
    (SOMETIME_AFTER, ([F, T], [F, T]), True),  # both at once will do
    (SOMETIME_AFTER, ([T, F, T], [F, T, F]), False),
    (SOMETIME_AFTER, ([F], [F]), True),
    (SOMETIME_BEFORE, ([F, T], [T, F]), True),
    (SOMETIME_BEFORE, ([F, T], [F, T]), False),  # both at once is too late
    (SOMETIME_BEFORE, ([T], [T]), False),  # so it is in the initial state
    (SOMETIME_BEFORE, ([F, F], [F, F]), True),
])  # fmt: skip
def test_the_corner_cases_of_pddl3(operator: Operator, truths: tuple[list[bool], ...], meant: bool) -> None:
    assert operator.holds(*truths) == meant
