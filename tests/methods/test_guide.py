"""A guide as a plan: as far as it can be carried out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonsense_planning.errors import Status
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.matching.answers import guide_lines
from commonsense_planning.methods.hill_climb import follow_guide
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.search.transition_system import PathResult, TransitionSystem
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.verbalise import Lexicon
from tests.search.climbing import DOMAIN, PROBLEM


def follow(folder: Path, answer: str, steps: int = 20) -> tuple[PathResult, float | None, list[dict[str, Any]]]:
    (folder / "domain.pddl").write_text(DOMAIN)
    (folder / "problem.pddl").write_text(PROBLEM)
    task = ground(read_problem(folder / "domain.pddl", folder / "problem.pddl"))
    world, events = TransitionSystem(task, compile_task(task)), list[dict[str, Any]]()
    language = ActionLanguage(task, Lexicon(), None)
    ended, share = follow_guide(world, guide_lines(answer), language, steps, events.append)
    return ended, share, events


@pytest.mark.parametrize(
    "answer",
    [
        "1. go start middle\n2. go middle end",
        "Here is the guide:\n```\nGo Start Middle\n- (go middle end)\n```",
        "Step 1: go start middle\n\nStep 2: go middle end\n3. go end start",
    ],
)
def test_a_right_guide_reaches_the_goal_in_any_layout(answer: str, tmp_path: Path) -> None:
    ended, share, events = follow(tmp_path, answer)
    assert (ended.status, share) == (Status.SOLVED, 1.0)
    assert [(e["step"], e["action"]) for e in events] == [(1, "(go start middle)"), (2, "(go middle end)")]


@pytest.mark.parametrize(
    ("answer", "steps", "reason", "share"),
    [
        ("go start middle\n2. go loop start\n3. go middle end", 1, 'line 2 of the guide, "go loop start", is', 1 / 3),
        ("1. fly to the end", 0, 'line 1 of the guide, "fly to the end", is no action that is possible there', 0.0),
        ("1. go start middle", 1, "the guide ends and the goal is not reached", 1.0),
        ("1. go start pit\n2. go pit end", 1, "a failure condition holds: (always (not (at pit))) is violated", 1.0),
        ("", 0, "the guide ends and the goal is not reached", None),
        ("go start loop\ngo loop start\n" * 30, 20, "the limit of 20 steps is reached", 1.0),
    ],
)
def test_a_wrong_guide_is_followed_as_far_as_it_goes(
    answer: str, steps: int, reason: str, share: float | None, tmp_path: Path
) -> None:
    ended, executable, _ = follow(tmp_path, answer)
    assert (ended.status, len(ended.operators), executable) == (Status.UNSOLVED, steps, share)
    assert reason in ended.reason


def test_a_guide_has_as_many_lines_as_are_read() -> None:
    assert guide_lines("1) walk kitchen\n* grab salmon\n") == ("walk kitchen", "grab salmon")
    assert len(guide_lines("go\n" * 500)) == 50
