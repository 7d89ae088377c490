"""Ctrl-C in the middle of a run, for every method: exit code 130, trace and steps are kept, and no child is left."""

from pathlib import Path

import pytest

from commonsense_planning.cli import jobs
from commonsense_planning.methods.registry import BUILT_IN
from commonsense_planning.validation.verdict import Report
from tests.interrupted import HOUSEHOLD, SALMON, Left, Words, after, at_step, run, words_of

ACTS = [name for name in BUILT_IN if name.startswith(("llm-", "look-", "uct"))]
"""Methods that act step by step."""
ATTEMPTS = 50  # a run that is over before the interrupt comes shows nothing


def in_the_middle(left: Left) -> bool:
    """Whether the interrupt came before the method had ended: not while validators were asked."""
    ends = [event["status"] for event in left.events if event["event"] == "end"]
    return left.interrupted and ends in ([], ["interrupted"])


@pytest.mark.processes
@pytest.mark.parametrize("method", BUILT_IN)
def test_trace_and_steps_are_kept_and_no_child_is_left(method: str, tmp_path: Path) -> None:
    check(words_of(method, tmp_path), method in ACTS)


def check(words: Words, acts: bool) -> None:
    """Interrupt a run in the middle; ``acts``: it acts step by step."""
    whole = run(words)
    assert whole.code in (0, 1), whole.err

    def attempt(number: int) -> Left:
        return run(words, at_step(2) if acts else after(whole.seconds / (number + 2)))

    left = next(left for left in map(attempt, range(ATTEMPTS)) if in_the_middle(left))
    assert left.lost == ""
    if acts:
        assert len(left.steps) >= 2 and left.steps == whole.steps[: len(left.steps)]
        assert left.events[-2]["event"] == "end" and left.events[-2]["status"] == "interrupted"


def test_whatever_the_method_does_the_steps_that_were_told_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that knows nothing of interrupts."""

    def unaware(request: jobs.Request) -> object:
        for number in (1, 2):
            step = {"event": "step", "step": number, "action": f"(act a{number})"}
            request.emit({**step, "says": "", "seen": [], "notes": []})
        raise KeyboardInterrupt

    monkeypatch.setattr(jobs, "solve", unaware)
    left = run(("solve", *HOUSEHOLD))
    assert (left.code, left.lost, left.plan) == (130, "", ["(act a1)", "(act a2)"])


def test_a_plan_outlives_an_interrupt_of_the_validators(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> Report:
        raise KeyboardInterrupt

    monkeypatch.setattr(jobs, "judge", interrupted)
    left = run(("solve", *SALMON, "--method", "llm-hill-climb"))
    assert (left.code, left.lost, len(left.plan)) == (130, "", 6)
    assert "interrupted during validation" in left.out
