"""Answers to exercises are marked by the true state, not by what they claim."""

from pathlib import Path

import pytest

from commonsense_lab.studies.planbench.exercises import Exercise, Kind, Marker, Phrasing
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.wording.lexicon import Lexicon
from lab.tests.studies.planbench.blocks import problem

PLAN = "(unstack b0 b1)\n(put-down b0)\n(pick-up b1)\n(stack b1 b0)"
LONGER = f"(unstack b0 b1)\n(stack b0 b1)\n{PLAN}"
LEXICON = Lexicon(facts={"on": "{x} is on top of {y}", "clear": "the {x} is clear"})
WORDS = Phrasing(LEXICON, True, ((r" blocks?\b", ""),))


def marker(towers: list[Path], kind: Kind, steps: str = "", phrasing: Phrasing | None = None) -> Marker:
    read = parse_plan(steps, "the steps").steps
    return Marker(Exercise(kind, "one", towers[0], problem(2), phrasing or Phrasing(), read))


@pytest.mark.parametrize(("kind", "answer", "reason"), [
    (Kind.GENERATION, PLAN, ""),
    (Kind.GENERATION, LONGER, ""),
    (Kind.OPTIMALITY, PLAN, ""),
    (Kind.OPTIMALITY, LONGER, "it costs 6, a cheapest plan 4"),
    (Kind.OPTIMALITY, "(pick-up b1)", "step 1 (pick-up b1): unmet: (clear b1)"),
    (Kind.GENERATION, "I do not know.", "goal not satisfied: (on b1 b0)"),
    (Kind.REUSE, "1. (unstack b0 b1)\n2. lift the block\n3. (put-down b0)", "is no action of the task"),
])  # fmt: skip
def test_plans(towers: list[Path], kind: Kind, answer: str, reason: str) -> None:
    mark = marker(towers, kind).mark(answer)
    assert mark.right is not bool(reason) and reason in mark.reason and mark.explained is None


SHORT = "(unstack b0 b1)\n(stack b0 b0)"


@pytest.mark.parametrize(("steps", "answer", "right", "explained"), [
    (PLAN, "The above plan is valid.", True, None),
    (PLAN, "invalid\nunmet goal: (on b1 b0)", False, None),
    (PLAN, "It is a fine plan.", False, None),
    (SHORT, "The plan is not valid: in step 2, (stack b0 b0), (clear b0) is unmet", True, True),
    (SHORT, "invalid\nstep 2: (stack b0 b0)\n(clear b0)", True, True),
    (SHORT, "invalid\nstep 1: (unstack b0 b1)\n(clear b0)", True, False),
    (SHORT, "invalid\nstep 2: (stack b0 b0)\n(on b0 b1)", True, False),
    (SHORT, "valid", False, None),
    ("(unstack b0 b1)", "Invalid. The goal (on b1 b0) is not reached.", True, True),
    ("(unstack b0 b1)", "invalid", True, False),
])  # fmt: skip
def test_verdicts(towers: list[Path], steps: str, answer: str, right: bool, explained: bool | None) -> None:
    mark = marker(towers, Kind.VERIFICATION, steps).mark(answer)
    assert (mark.right, mark.explained) == (right, explained)
    assert right is not bool(mark.reason)


@pytest.mark.parametrize(("answer", "reason"), [
    ("(holding b0) (clear b1) (ontable b1)", ""),
    ("Then (holding b0), (not (handempty)), (clear b1) and (ontable b1) hold.", ""),
    ("(holding b0) (clear b1)", "missing: (ontable b1)"),
    ("(holding b0) (clear b1) (ontable b1) (handempty)", "wrong: (handempty)"),
    ("", "missing: (clear b1), (holding b0), (ontable b1)"),
])  # fmt: skip
def test_states(towers: list[Path], answer: str, reason: str) -> None:
    assert marker(towers, Kind.EXECUTION, "(unstack b0 b1)").mark(answer).reason == reason


def test_states_in_english(towers: list[Path]) -> None:
    done = marker(towers, Kind.EXECUTION, "(unstack b0 b1)\n(stack b0 b1)", WORDS)
    assert done.mark("the b0 block is on top of the b1 block, b0 is clear, ontable b1 and handempty").right
    assert done.mark("b1 is clear, b0 is on top of b1, the b0 is clear, ontable b1, handempty").reason == (
        "wrong: (clear b1)"
    )
