"""What is read out of a model's answer: places, actions, thoughts, weights."""

import json
import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.instructions.pddl_goal import formula_in
from commonsense_planning.llm.thoughts import answer_in
from commonsense_planning.llm.weights import AnswerCount, Weights, read_answers
from commonsense_planning.matching.answers import LONGEST, MOST, listed, next_phrases, places, text_of
from commonsense_planning.matching.matcher import LexicalMatcher, Similarities
from commonsense_planning.matching.plain_text import plain
from commonsense_planning.matching.words import contained
from commonsense_planning.wording.questions import ChooseAction, NextAction, Placement


@pytest.mark.parametrize(("answer", "phrases"), [
    ("Inside fridge, On kitchen table.", ["Inside fridge", "On kitchen table"]),
    ("Answer: inside the fridge", ["inside the fridge"]),
    ("inside fridge or on the table", ["inside fridge", "on the table"]),
    ("- **inside fridge**\n- on table", ["inside fridge", "on table"]),
    ("1. inside fridge\n2) on table", ["inside fridge", "on table"]),
    ('["inside fridge", "on table"]', ["inside fridge", "on table"]),
    ("Here are the places:\ninside fridge", ["inside fridge"]),
    ("", []),
    (" \n..\n", []),
    ("im Kühlschrank", ["im Kühlschrank"]),
])  # fmt: skip
def test_places(answer: str, phrases: list[str]) -> None:
    assert list(places(answer)) == phrases


OPTIONS = ("grab the apple", "walk to the kitchen", "open the fridge", "put the salt and pepper on the table")
LONG = "One may look in the bathroom, or open drawers. " * 60


@pytest.mark.parametrize(("answer", "action"), [
    ("Next actions: grab the apple, walk to the fridge, done.", "grab the apple"),
    ("Sure! Here is the plan:\n1) walk to the kitchen\n2) open the fridge", "walk to the kitchen"),
    ("walk to the kitchen. Then open the fridge.", "walk to the kitchen"),
    ("- `open the fridge`", "open the fridge"),
    ("put the salt and pepper on the table", "put the salt and pepper on the table"),
    ("Thought: I could grab the apple, but it is not here.\nAction: walk to the kitchen", "walk to the kitchen"),
    ("**Action**: open the fridge\nObservation: it is open.\nAction: grab the apple", "open the fridge"),
    ("Action: open the fridge\n\nHuman: Observation: it is open.\nAction: grab the apple", "open the fridge"),
    ("Action: open the fridge\nUser: it is open.\nAction: grab the apple", "open the fridge"),
    ("Observation: it is open.\nAction: grab the apple", "grab the apple"),
    ("Thought: look first.\nObservation: it is open.\nAction: grab the apple", "grab the apple"),
    ("The next step is:\n\nopen the fridge", "open the fridge"),
    ("Opening the fridge would be early.\n\nTherefore: walk to the kitchen", "walk to the kitchen"),
    ("# Next action\n\nThe apple may be in it.\nopen the fridge", "open the fridge"),
    (f"{LONG}\nSo the best is this.\n**grab the apple**", "grab the apple"),
    ("The robot should open the fridge.", "open the fridge"),
    ("open the fridge \u2014 the apple may be there", "open the fridge"),
    ("I would do nothing at all.", None),
    ("", None),
])  # fmt: skip
def test_the_next_actions_are_read(answer: str, action: str | None) -> None:
    matcher = LexicalMatcher()
    (said,) = read_answers(NextAction("the goal", (), OPTIONS, ()), [answer], matcher).said
    assert [OPTIONS[i] for i in said.named] == ([action] if action else [])
    assert matcher.unmatched == (action is None)


def table(answer: str) -> str:
    rows = "\n".join(f"| {i} | {line} |" for i, line in enumerate(answer.split("\n"), 1))
    return f"| no. | answer |\n| --- | :-: |\n{rows}"


STYLES = (
    lambda said: said.replace(" ", "\u00a0"),
    lambda said: said.replace("-", "\u2011"),
    lambda said: "\ufeff" + said.replace(" ", " \u200b"),
    lambda said: f"\u201c{said}\u201d",
    lambda said: f"{said}</s>",
    lambda said: f"{said}<|eot_id|>",
    lambda said: f"<answer>{said}</answer>",
    lambda said: f"```text\n{said}\n```",
    lambda said: f"Sure:\n\n```\n{said}\n```\n",
    lambda said: f"```{said}```",
    lambda said: f"The final answer is $\\boxed{{\\text{{{said}}}}}$",
    lambda said: said.replace("_", "\\_"),
    lambda said: json.dumps({"answer": said}),
    lambda said: json.dumps({"reason": "it is late", "answer": said}, indent=1),
    lambda said: f"Here it is: {json.dumps(said.split(chr(10)))}",
    table,
)
READ = {
    "next": ("open the fridge", NextAction("the goal", (), OPTIONS, ()), {2}),
    "place": ("in the fridge", Placement("apple", ("inside fridge", "on table", "in bin-2")), {0}),
    "index": ("2. [walk] <hall>", ChooseAction("eat", (), (), ((1, "[walk] <bath>"), (2, "[walk] <hall>")), None), {1}),
}


@pytest.mark.parametrize("style", STYLES, ids=range(len(STYLES)))
@pytest.mark.parametrize("kind", READ)
def test_every_reader_reads_every_style(kind: str, style: Callable[[str], str]) -> None:
    answer, question, named = READ[kind]
    assert {i for said in read_answers(question, [style(answer)], LexicalMatcher()).said for i in said.named} == named


@pytest.mark.parametrize("style", STYLES, ids=range(len(STYLES)))
def test_plans_and_goals_too(style: Callable[[str], str]) -> None:
    plan = plain(style("(wrap snack_1)\n(hand snack_1)"))
    assert re.findall(r"\(([^()]*)\)", " ".join(plan.split())) == ["wrap snack_1", "hand snack_1"]
    assert formula_in(style("(served snack_1)"), {"served": 1}) == "(served snack_1)"


@pytest.mark.parametrize(("text", "left"), [
    ("[1]", "[1]"),
    ("walk to the hall [3]", "walk to the hall [3]"),
    ("{not json}", "{not json}"),
    ('{"apple": ["inside fridge", "on table"], "mug": []}', "apple: inside fridge, on table\nmug: "),
    ('{"plan": ["(a b)", "(c d)"]}', "plan:\n(a b)\n(c d)"),
    ("a - b \u2013 c", "a - b \u2013 c"),
    ("[WALK]<kitchen>(205)", "[WALK]<kitchen>(205)"),
])  # fmt: skip
def test_plain_text(text: str, left: str) -> None:
    assert plain(text) == left.strip()


@pytest.mark.parametrize(("text", "option"), [
    ("it is most likely in the fridge", "inside fridge"),
    ("but it may also be on the kitchen table", "on kitchen table"),
    ("not in the fridge", None),
    ("the fridge or the kitchen table", None),
    ("who could say", None),
])  # fmt: skip
def test_a_sentence_that_names_one_option(text: str, option: str | None) -> None:
    options = ("inside fridge", "on table", "on kitchen table")
    found = contained(text, options)
    assert (None if found is None else options[found]) == option


def test_only_so_much_is_read() -> None:
    assert len(text_of("x" * 100_000)) == LONGEST
    assert len(listed(", ".join(["inside fridge"] * 1000))) == MOST


@given(st.text())
def test_any_text_is_survived(answer: str) -> None:
    assert all(phrase.strip() for phrase in places(answer))
    assert all(phrase.strip() for phrase in next_phrases(answer))
    assert plain(plain(answer)) == plain(answer)


HARMONY = "<|channel|>analysis<|message|>blue?<|end|><|start|>assistant<|channel|>final<|message|>"


@pytest.mark.parametrize(("text", "answer"), [
    ("red", "red"),
    ("<think>a\nb</think>\nred", "red"),
    ("<THINKING>a</THINKING>red<think>b</think> box", "red box"),
    ("[THINK]a[/THINK]red", "red"),
    ("a</think>red", "red"),
    ("<think>a <think>b</think> c</think>red", "red"),
    ("red<think>a", "red"),
    ("<think>", ""),
    ("<thinker>red", "<thinker>red"),
    ("\u25c1think\u25b7blue?\u25c1/think\u25b7red", "red"),
    ("<seed:think>blue?</seed:think>red", "red"),
    ("<longcat_think>blue?</longcat_think>red", "red"),
    ("<scratchpad>blue?</scratchpad>red", "red"),
    ("<|begin_of_thought|>blue?<|end_of_thought|>red", "red"),
    ("<|START_THINKING|>blue?<|END_THINKING|>red", "red"),
    (f"{HARMONY}red", "red"),
    (f"{HARMONY}red<|return|>", "red"),
    ("<|channel|>analysis<|message|>blue, or", ""),
    ("<|channel|>final<|message|>red", "red"),
    ("analysisWe may say blue.assistantfinalred", "red"),
    ("analysisWe may say blue, or", ""),
    ("analysis of colours: red", "analysis of colours: red"),
    ("<|channel>thought\nblue?<channel|>red", "red"),
    ("<unused94>thought\nblue?<unused95>red", "red"),
    ("[unused16]blue?[unused17]red", "red"),
    ("<|inner_prefix|>blue?<|inner_suffix|>red", "red"),
    ("Here are my reasoning steps:\nblue?\n[BEGIN FINAL RESPONSE]\nred\n[END FINAL RESPONSE]\n<|end|>", "red"),
    ("Here is my thought process: blue? Here is my response: red", "red"),
    ("red<|end|>", "red"),
])  # fmt: skip
def test_thoughts_are_taken_out(text: str, answer: str) -> None:
    assert answer_in(text).strip() == answer


def test_a_million_tags_take_little_time() -> None:
    assert answer_in("<think>" * 500_000) == ""


MARKS = ["<think>", "</think>", "<|end|>", "<|channel|>final<|message|>", "[THINK]", "red", "\n"]


@given(st.lists(st.sampled_from(MARKS)))
def test_no_mark_is_left(parts: list[str]) -> None:
    left = answer_in("".join(parts))
    assert not any(mark in left for mark in ("think>", "<|channel", "[THINK]"))
    assert answer_in(left) == left


PLACEMENT = Placement("apple", ("inside fridge", "on kitchen table", "on desk"))
ACTIONS = ((3, "[WALK]<apple>"), (7, "[GRAB]<apple>"))


def test_an_answer_is_shared_among_the_options_that_it_names() -> None:
    matcher = LexicalMatcher()
    read = read_answers(PLACEMENT, ["In the fridge.", "fridge, kitchen table", "who knows", "who knows"], matcher)
    assert read.shares == pytest.approx([0.75, 0.25, 0])
    assert [said.named for said in read.said] == [(0,), (0, 1), ()]
    assert matcher.unmatched == 2


def test_a_place_without_its_number_is_all_of_that_name() -> None:
    shelves = Placement("drill", ("on shelf 1", "on shelf 2", "in the yard", "at dock 1", "at the gate", "in a van"))
    read = read_answers(shelves, ["on a shelf", "shelf 2", "the dock"], LexicalMatcher())
    assert [said.named for said in read.said] == [(0, 1), (1,), (3,)]


def test_no_answer_that_names_an_option_weighs_nothing() -> None:
    assert read_answers(PLACEMENT, ["who knows"], LexicalMatcher()).shares.tolist() == [0, 0, 0]
    empty = read_answers(PLACEMENT, [], LexicalMatcher())
    assert (empty.shares.tolist(), empty.first) == ([0, 0, 0], "")


def test_what_was_said_most_comes_first() -> None:
    assert read_answers(PLACEMENT, ["desk", "fridge", "fridge"], LexicalMatcher()).first == "fridge"
    assert Weights(("a", "b"), (AnswerCount("a", 0.5, (0,)), AnswerCount("b", 0.5, (1,)))).first == "a"


def test_an_option_names_itself_without_being_matched() -> None:
    class Never(LexicalMatcher):
        def similarities(self, text: str, options: Sequence[str]) -> Similarities:
            raise AssertionError(text)

    odd = NextAction("g", (), ("put salt, pepper and oil on the table", "stop"), ())
    assert read_answers(odd, [odd.actions[0]], Never()).shares.tolist() == [1, 0]


def test_a_pair_whose_parts_do_not_go_together_names_both_candidates() -> None:
    question = ChooseAction("eat", (), (), ACTIONS)
    assert question.options == ("3. [WALK]<apple>", "7. [GRAB]<apple>")
    read = read_answers(question, ["3. [GRAB]<apple>"], LexicalMatcher())
    assert (read.shares.tolist(), read.first) == ([0.5, 0.5], "3. [GRAB]<apple>")


def test_where_it_may_be_reasoned_the_answer_is_free_text() -> None:
    question = ChooseAction("eat", (), (), ACTIONS, think=True)
    read = read_answers(question, ["It is near. ANSWER: 7. [GRAB]<apple>"], LexicalMatcher())
    assert (question.options, len(read.shares), read.first[:5]) == ((), 0, "It is")


def test_a_temperature_sharpens_or_flattens() -> None:
    weights = Weights.of_shares(("a", "b"), [0.8, 0.2], 10)
    assert weights.tempered(2.0).shares == pytest.approx([2 / 3, 1 / 3])
    assert weights.tempered(0.5).shares == pytest.approx([16 / 17, 1 / 17])
    assert weights.tempered(1.0) is weights
    assert sum(said.times for said in weights.tempered(2.0).said) == pytest.approx(10)
