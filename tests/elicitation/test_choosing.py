"""Our own questions of hill climbing: what is listed, what is said beside it, what is not asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.errors import Status
from commonsense_planning.wording.questions import ChooseAction
from tests.search.classical.climbing import PROBLEM, Climbed, in_turn, prefer

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


def test_only_what_bears_on_the_goal_is_listed_with_the_state(tmp_path: Path) -> None:
    climbed = climb(tmp_path, RIGHT)
    assert climbed.ended.status is Status.SOLVED
    (question,) = climbed.asked  # the way from the middle to the end is the only one that bears on it
    assert question.actions == ((1, "go start hill"), (2, "go start middle"), NONE)
    assert (question.state, question.taken) == (("at start",), ())
    assert [event["why"]["questions"] for event in climbed.events] == [1, 0]


def test_the_others_are_asked_about_where_none_helps(tmp_path: Path) -> None:
    climbed = climb(tmp_path, in_turn("0. none of these", prefer("go start trap"), RIGHT))
    assert climbed.actions == ["(go start trap)"]
    others = climbed.asked[1].actions
    assert [text for _, text in others] == ["go start loop", "go start trap", "none of these"]
    assert climbed.ended.reason == "no action is applicable"


def test_who_finds_no_help_anywhere_has_to_choose(tmp_path: Path) -> None:
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
    climbed = climb(tmp_path, answer if callable(answer) else in_turn(answer))
    assert climbed.actions[0] == "(go start middle)"


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


def test_a_beam_goes_on_with_what_bears_on_the_goal(tmp_path: Path) -> None:
    slow = WAYS.replace("(way hill end)", "(way hill loop) (way loop end)")
    long = prefer("go start hill", "go hill loop")
    lengths = [len(climb(tmp_path, long, problem=slow, beam=beam).actions) for beam in (1, 2)]
    assert lengths == [3, 2]  # what the model did not choose is there, too


def test_a_thinking_model_answers_after_the_marker(tmp_path: Path) -> None:
    climbed = climb(tmp_path, lambda q: f"1 will not do, so\nANSWER: {RIGHT(q)}", think=True)
    assert climbed.actions == ["(go start middle)", "(go middle end)"]
