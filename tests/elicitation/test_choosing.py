"""cplan's own questions of hill climbing: what is listed, what is said with it, what is not asked; and guidance."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning import BudgetError, Status, Text, TransitionSystem, read_problem
from commonsense_planning.elicitation.guidance import Guidance, follow_guide
from commonsense_planning.elicitation.situations import Situations
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.matching.answers import guide_lines
from commonsense_planning.pomdp.transition_system import Path as Path_
from commonsense_planning.pomdp.transition_system import PathResult
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import ChooseAction, MendGuide, Question, WriteGuide
from tests.scripted import ScriptedModel
from tests.search.classical.climbing import DOMAIN, PROBLEM, Climbed, in_turn, prefer

RIGHT = prefer("go start middle", "go middle end")
NONE = (0, "none of these")
WAYS = """;; description: go to the end
(define (problem ends) (:domain ways)
  (:objects start loop middle hill end trap - place)
  (:init (at start) (way start loop) (way loop start) (way start middle) (way middle end)
    (way start hill) (way hill end) (way start trap))
  (:goal (at end)))
"""


def climb(folder: Path, say: object, problem: str = WAYS, **settings: int) -> Climbed:
    return Climbed(folder, say, problem=problem, paper=False, **settings)  # type: ignore[arg-type]


def test_only_relevant_actions_are_listed_with_the_state(tmp_path: Path) -> None:
    climbed = climb(tmp_path, RIGHT)
    assert climbed.ended.status is Status.SOLVED
    (question,) = climbed.asked  # the way from the middle to the end is the only relevant one
    assert question.actions == ((1, "go start hill"), (2, "go start middle"), NONE)
    assert (question.state, question.taken) == (("at start",), ())
    assert [event["why"]["questions"] for event in climbed.events] == [1, 0]


def test_the_others_are_asked_about_where_none_helps(tmp_path: Path) -> None:
    climbed = climb(tmp_path, in_turn("0. none of these", prefer("go start trap"), RIGHT))
    assert climbed.actions == ["(go start trap)"]
    others = climbed.asked[1].actions
    assert [text for _, text in others] == ["go start loop", "go start trap", "none of these"]
    assert climbed.ended.reason == "no action is applicable"


def test_where_no_action_helps_all_are_choices(tmp_path: Path) -> None:
    climbed = climb(tmp_path, in_turn("none of these", "0", RIGHT))
    assert climbed.ended.status is Status.SOLVED
    assert [NONE in q.actions for q in climbed.asked] == [True, True, False]
    assert climbed.chooser.repeats == 0


def test_a_list_of_no_help_is_not_asked_about_again_as_long_as_it_stays(tmp_path: Path) -> None:
    """Whoever walks round sees the same other ways each time."""

    def say(question: ChooseAction) -> str:
        return "none of these" if NONE in question.actions else prefer("go start hill", "go hill start")(question)

    climbed = climb(tmp_path, say, problem=WAYS.replace("(way hill end)", "(way hill end) (way hill start)"))
    asked = [q for q in climbed.asked if any(text == "go start trap" for _, text in q.actions)]
    assert climbed.actions.count("(go start hill)") == 10 and len(asked) == 1


def test_parts_are_asked_at_once_and_one_more_question_decides(tmp_path: Path) -> None:
    climbed = climb(tmp_path, RIGHT, partition=1)
    assert [q.actions for q in climbed.asked] == [
        ((1, "go start hill"), NONE),
        ((2, "go start middle"), NONE),
        ((1, "go start hill"), (2, "go start middle")),
    ]
    said = in_turn("none of these", RIGHT)
    assert len(climb(tmp_path, said, partition=1).asked) == 2  # one candidate: nothing is left to decide


@pytest.mark.parametrize("answer", ["2", "go start middle", "2. go start middle", "I take 2.", "2. go start middle!"])
def test_an_index_or_an_action_is_enough(answer: str, tmp_path: Path) -> None:
    assert climb(tmp_path, in_turn(answer)).actions[0] == "(go start middle)"


def test_what_cannot_be_read_is_asked_again_with_the_answer(tmp_path: Path) -> None:
    climbed = climb(tmp_path, in_turn("no idea", RIGHT))
    assert [q.repeated for q in climbed.asked] == [None, "no idea"]
    assert climbed.chooser.repeats == 1
    lost = climb(tmp_path, in_turn("no idea"), repeats=2)
    assert (lost.ended.reason, len(lost.asked)) == ("the limit of 2 repeated questions is reached", 3)


def test_a_dead_end_is_not_asked_about(tmp_path: Path) -> None:
    cut = PROBLEM.replace("(way middle end)", "").replace("(way pit end)", "")
    climbed = climb(tmp_path, RIGHT, problem=cut)
    assert (climbed.ended.reason, climbed.asked) == ("the goal cannot be reached any more", [])


def test_a_beam_continues_with_relevant_actions(tmp_path: Path) -> None:
    slow = WAYS.replace("(way hill end)", "(way hill loop) (way loop end)")
    long = prefer("go start hill", "go hill loop")
    lengths = [len(climb(tmp_path, long, problem=slow, beam=beam).actions) for beam in (1, 2)]
    assert lengths == [3, 2]  # what the model did not choose is there, too


def test_a_thinking_model_answers_after_the_marker(tmp_path: Path) -> None:
    climbed = climb(tmp_path, lambda q: f"1 will not do, so\nANSWER: {RIGHT(q)}", think=True)
    assert climbed.actions == ["(go start middle)", "(go middle end)"]


def follow(
    answer: str, steps: int = 20, mended: str | None = None, problem: str = PROBLEM, ends: BaseException | None = None
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
