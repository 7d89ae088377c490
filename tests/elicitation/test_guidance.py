"""A guide as a plan: as far as it can be carried out, and mended once where it cannot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from commonsense_planning.elicitation.guidance import Guidance, follow_guide
from commonsense_planning.elicitation.situations import Situations
from commonsense_planning.errors import BudgetError, Status
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.matching.answers import guide_lines
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pomdp.transition_system import Path as Path_
from commonsense_planning.pomdp.transition_system import PathResult, TransitionSystem
from commonsense_planning.support.reading import Text
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import MendGuide, Question, WriteGuide
from tests.scripted import ScriptedModel
from tests.search.classical.climbing import DOMAIN, PROBLEM


def follow(
    answer: str,
    steps: int = 20,
    mended: str | None = None,
    problem: str = PROBLEM,
    ends: BaseException | None = None,
) -> tuple[PathResult, float | None, list[dict[str, Any]], list[Question]]:
    """Carry out a guide, which may be mended where ``mended`` says how; ``ends`` is raised after the first step."""
    task = ground(read_problem(Text(DOMAIN), Text(problem)))
    world, events = TransitionSystem(task, compile_task(task)), list[dict[str, Any]]()
    language = ActionLanguage(task, Lexicon(), None)
    model, about = ScriptedModel(lambda question: [mended or ""]), Situations(world, language)
    asked = None if mended is None else WriteGuide("go to the end", "low", language.forms())
    guidance = Guidance(language, guide_lines(answer), asked, events.append)

    def mend(guidance: Guidance, path: Path_, operators: Sequence[int]) -> None:
        if ends is not None and path.operators:
            raise ends
        guidance.mend(path, operators, about.at(path, operators), model)

    ended, share = follow_guide(world, guidance, mend, steps, events.append)
    return ended, share, events, model.asked


@pytest.mark.parametrize("answer", [
    "1. go start middle\n2. go middle end",
    "Here is the guide:\n```\nGo Start Middle\n- (go middle end)\n```",
    "Step 1: go start middle\n\nStep 2: go middle end\n3. go end start",
])  # fmt: skip
def test_a_right_guide_reaches_the_goal_in_any_layout(answer: str) -> None:
    ended, share, events, _ = follow(answer)
    assert (ended.status, share) == (Status.SOLVED, 1.0)
    assert [(e["step"], e["action"]) for e in events] == [(1, "(go start middle)"), (2, "(go middle end)")]


@pytest.mark.parametrize(("answer", "steps", "reason", "share"), [
    ("go start middle\n2. go loop start\n3. go middle end", 1, 'line 2 of the guide, "go loop start", is', 1 / 3),
    ("1. fly to the end", 0, 'line 1 of the guide, "fly to the end", is no action that is possible there', 0.0),
    ("1. go start middle", 1, "the guide ends and the goal is not reached", 1.0),
    ("1. go start pit\n2. go pit end", 1, "a failure condition holds: (always (not (at pit))) is violated", 1.0),
    ("", 0, "the guide ends and the goal is not reached", None),
    ("go start loop\ngo loop start\n" * 30, 20, "the limit of 20 steps (--max-steps) is reached", 1.0),
])  # fmt: skip
def test_a_wrong_guide_is_followed_as_far_as_it_goes(answer: str, steps: int, reason: str, share: float | None) -> None:
    ended, executable, _, asked = follow(answer)
    assert (ended.status, len(ended.operators), executable, asked) == (Status.UNSOLVED, steps, share, [])
    assert reason in ended.reason


def test_a_guide_has_as_many_lines_as_are_read() -> None:
    assert guide_lines("1) walk kitchen\n* grab salmon\n") == ("walk kitchen", "grab salmon")
    assert len(guide_lines("go\n" * 500)) == 50


def test_a_guide_is_mended_where_it_cannot_be_followed() -> None:
    wrong = "go start middle\ngo start end\ngo middle end"
    ended, share, events, asked = follow(wrong, mended="1. go middle end")
    assert (ended.status, share) == (Status.SOLVED, 1.0)
    (question,) = asked
    assert isinstance(question, MendGuide)
    assert question.guide == ("go start end", "go middle end") and question.taken == ("go start middle",)
    assert question.why == ("there is no such action",)
    assert question.state == ("at middle",)
    assert [e.get("mended") for e in events if e["event"] == "guide"] == ["go start end"]


def test_it_is_said_what_is_lacking() -> None:
    _, _, events, _ = follow("go middle end", mended="go start middle\ngo middle end")
    assert events[0]["why"] == ["not at middle"]


def test_a_guide_is_mended_once() -> None:
    ended, _, _, asked = follow("go middle end", mended="go middle end")
    assert (ended.status, len(asked)) == (Status.UNSOLVED, 1)
    ended, _, _, asked = follow("fly", mended="")  # nothing came back: the guide stays
    assert "line 1 of the guide" in ended.reason and len(asked) == 1


@pytest.mark.parametrize(
    ("ends", "status", "reason"),
    [(BudgetError("spent"), Status.BUDGET, "spent"), (KeyboardInterrupt(), Status.INTERRUPTED, "interrupted")],
)
def test_a_budget_keeps_the_steps(ends: BaseException, status: Status, reason: str) -> None:
    ended, share, events, _ = follow("go start middle\ngo middle end", ends=ends)
    assert (ended.status, len(ended.operators), ended.reason, share) == (status, 1, reason, None)
    assert [event["action"] for event in events] == ["(go start middle)"]
