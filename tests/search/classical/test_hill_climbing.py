"""Hill climbing with a model's choices: the steps of the paper, its stopping criteria, and what goes beyond it."""

from pathlib import Path

import pytest

from commonsense_planning import BudgetError, Status, UsageError, Verdict
from commonsense_planning.validation.replay import run
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.wording.questions import ChooseAction
from tests.search.classical.climbing import PROBLEM, Climbed, in_turn, prefer

RIGHT = prefer("go start middle", "go middle end")
ROUND = prefer("go start loop", "go loop start")


def test_a_model_that_knows_the_way_reaches_the_goal(tmp_path: Path) -> None:
    climbed = Climbed(tmp_path, RIGHT)
    assert (climbed.ended.status, climbed.ended.reason) == (Status.SOLVED, "")
    assert climbed.actions == ["(go start middle)", "(go middle end)"]
    assert validate_with_val(climbed.problem, climbed.plan).verdict is Verdict.VALID


def test_each_part_is_asked_and_then_the_candidates_again(tmp_path: Path) -> None:
    climbed = Climbed(tmp_path, RIGHT, partition=3)
    first, second, last = climbed.asked[:3]
    assert [len(q.actions) for q in (first, second, last)] == [3, 1, 2]
    assert [i for q in (first, second) for i, _ in q.actions] == [1, 2, 3, 4]
    assert set(last.actions) < {*first.actions, *second.actions}  # with their indices in the whole list
    assert {q.description for q in climbed.asked} == {"go to the end"}
    assert (first.taken, climbed.asked[3].taken) == ((), ("go start middle",))
    why = climbed.events[0]["why"]
    assert (why["of"], why["questions"], why["repeats"]) == (4, 3, 0)
    assert why["candidates"][0] == "(go start middle)" and len(why["candidates"]) == 2


def test_one_part_with_one_candidate_is_asked_about_twice_too(tmp_path: Path) -> None:
    climbed = Climbed(tmp_path, RIGHT)
    assert [len(q.actions) for q in climbed.asked] == [4, 1, 2, 1]


def test_a_wrong_pair_brings_both_its_actions_among_the_candidates(tmp_path: Path) -> None:
    wrong = in_turn("1. go start middle", RIGHT)
    climbed = Climbed(tmp_path, wrong)
    assert climbed.asked[1].actions == ((1, "go start loop"), (2, "go start middle"))
    assert (climbed.chooser.repeats, climbed.ended.status) == (0, Status.SOLVED)


@pytest.mark.parametrize("answer", ["1. go start middle", "no idea", "", "3", "go start middle", "4. go start trap"])
def test_a_wrong_pair_in_the_end_is_asked_again_with_the_answer(answer: str, tmp_path: Path) -> None:
    climbed = Climbed(tmp_path, in_turn(RIGHT, answer, RIGHT))
    first, last, again = climbed.asked[:3]
    assert (last.repeated, again.repeated) == (None, answer)
    assert last.actions == again.actions
    assert climbed.events[0]["why"]["repeats"] == climbed.chooser.repeats == 1
    assert climbed.ended.status is Status.SOLVED


def test_where_there_is_no_candidate_the_parts_are_asked_again(tmp_path: Path) -> None:
    climbed = Climbed(tmp_path, in_turn("no idea", "", RIGHT), partition=2)
    assert [q.repeated for q in climbed.asked[:5]] == [None, None, "no idea", "", None]
    assert climbed.chooser.repeats == 1
    assert climbed.ended.status is Status.SOLVED


@pytest.mark.parametrize(("say", "settings", "reason", "steps", "questions"), [
    (ROUND, {}, "the limit of 20 steps (--max-steps) is reached", 20, 40),
    (prefer("go start pit"), {}, "a failure condition holds: (always (not (at pit))) is violated", 1, 2),
    (prefer("go start trap"), {}, "no action is applicable", 1, 2),
    (lambda q: "no idea", {}, "the limit of 10 repeated questions is reached", 0, 11),
    (in_turn(RIGHT, RIGHT, RIGHT, "?"), {}, "the limit of 10 repeated questions is reached", 1, 14),
    (in_turn(RIGHT, "?", "?", RIGHT, RIGHT, "?"), {"repeats": 3}, "the limit of 3 repeated", 1, 7),
])  # fmt: skip
def test_stopping_criteria(
    say: object, settings: dict[str, int], reason: str, steps: int, questions: int, tmp_path: Path
) -> None:
    climbed = Climbed(tmp_path, say, **settings)  # type: ignore[arg-type]
    assert climbed.ended.status is Status.UNSOLVED
    assert reason in climbed.ended.reason
    assert (len(climbed.actions), len(climbed.asked)) == (steps, questions)
    replayed = run(climbed.problem, climbed.plan)
    assert "unmet" not in replayed.report.reason  # each step can be carried out, though the goal is not reached
    assert replayed.cost == steps


def test_a_goal_that_holds_at_first_needs_no_question(tmp_path: Path) -> None:
    climbed = Climbed(tmp_path, RIGHT, problem=PROBLEM.replace("(:goal (at end))", "(:goal (at start))"))
    assert (climbed.ended.status, climbed.asked) == (Status.SOLVED, [])


@pytest.mark.parametrize(
    ("error", "status"), [(BudgetError("spent"), Status.BUDGET), (KeyboardInterrupt(), Status.INTERRUPTED)]
)
def test_an_end_before_time_keeps_the_steps(error: BaseException, status: Status, tmp_path: Path) -> None:
    def end(question: ChooseAction) -> str:
        raise error

    climbed = Climbed(tmp_path, in_turn(RIGHT, RIGHT, end))
    assert (climbed.ended.status, climbed.actions) == (status, ["(go start middle)"])


def test_only_backtracking_leaves_a_loop(tmp_path: Path) -> None:
    assert Climbed(tmp_path, ROUND, partition=1).ended.status is Status.UNSOLVED
    climbed = Climbed(tmp_path, ROUND, partition=1, backtrack=True)
    assert climbed.ended.status is Status.SOLVED
    assert climbed.actions == ["(go start middle)", "(go middle end)"]
    back = [event for event in climbed.events if event["event"] == "back"]
    assert [(event["step"], event["reason"]) for event in back] == [(0, "no action leads to a new state")]
    assert not any(("go loop start" in text) for q in climbed.asked for _, text in q.actions)


@pytest.mark.parametrize("way", ["go start pit", "go start trap"])
def test_backtracking_leaves_failures_and_dead_ends(way: str, tmp_path: Path) -> None:
    climbed = Climbed(tmp_path, prefer(way, "go start middle"), partition=1, backtrack=True)
    assert climbed.ended.status is Status.SOLVED
    assert climbed.actions[-1] == "(go middle end)"


def test_backtracking_leaves_a_state_in_which_the_model_is_lost(tmp_path: Path) -> None:
    def say(question: ChooseAction) -> str:
        lost = question.taken == ("go start middle",)
        return "?" if lost else prefer("go start middle", "go start trap")(question)

    climbed = Climbed(tmp_path, say, partition=1, backtrack=True, repeats=2)
    assert [e["reason"] for e in climbed.events if e["event"] == "back"][0] == (
        "the limit of 2 repeated questions is reached"
    )
    assert climbed.ended.status is Status.UNSOLVED
    assert "(go start middle)" not in climbed.actions


def test_repetitions_are_counted_from_zero_after_going_back(tmp_path: Path) -> None:
    def say(question: ChooseAction) -> str:
        lost = question.taken == ("go start middle",)
        unsure = question.taken == ("go start loop",) and question.repeated is None
        return "?" if lost or unsure else prefer("go start middle", "go start loop", "go loop end")(question)

    problem = PROBLEM.replace("(way loop start)", "(way loop start) (way loop end)")
    climbed = Climbed(tmp_path, say, partition=1, backtrack=True, repeats=2, problem=problem)
    assert climbed.actions == ["(go start loop)", "(go loop end)"]


def test_backtracking_ends(tmp_path: Path) -> None:
    climbed = Climbed(
        tmp_path, ROUND, steps=2, partition=1, backtrack=True, problem=PROBLEM.replace("(way middle end)", "")
    )
    assert climbed.ended.status is Status.UNSOLVED
    assert sum(e["event"] == "back" for e in climbed.events) <= 2


def test_a_beam_keeps_other_sequences(tmp_path: Path) -> None:
    trapped = prefer("go start trap", "go start middle", "go middle end")
    assert Climbed(tmp_path, trapped, partition=1).ended.reason == "no action is applicable"
    climbed = Climbed(tmp_path, trapped, partition=1, beam=3)
    assert climbed.ended.status is Status.SOLVED
    assert climbed.actions == ["(go start middle)", "(go middle end)"]
    steps = [(event["step"], event["action"]) for event in climbed.events]
    assert steps[0] == (1, "(go start trap)")  # what the final question preferred comes first
    assert [step for step, _ in steps].count(1) == 3


def test_a_beam_has_each_state_once(tmp_path: Path) -> None:
    climbed = Climbed(tmp_path, ROUND, partition=1, beam=2, steps=3)
    for step in (1, 2, 3):
        ends = [e["action"].split()[-1] for e in climbed.events if e["step"] == step]
        assert len(ends) == len(set(ends)) <= 2


def test_a_thinking_model_answers_after_the_marker(tmp_path: Path) -> None:
    climbed = Climbed(tmp_path, lambda q: f"3 or 4 may do, so\nANSWER: {RIGHT(q)}", think=True)
    assert climbed.ended.status is Status.SOLVED
    assert all(q.think for q in climbed.asked)


def test_rules_are_those_of_the_actions_in_the_list(tmp_path: Path) -> None:
    climbed = Climbed(tmp_path, RIGHT, rules=True)
    rule = "go <a> <b> needs: at <a>; way <a> <b>. It brings about: not at <a>; at <b>."
    assert {q.rules for q in climbed.asked} == {(rule,)}
    assert {q.rules for q in Climbed(tmp_path, RIGHT).asked} == {()}


@pytest.mark.parametrize("wrong", [{"partition": 0}, {"beam": 0}, {"repeats": -1}])
def test_numbers_out_of_range_are_refused(wrong: dict[str, int], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must be at least"):
        Climbed(tmp_path, RIGHT, **wrong)
