"""Thoughts are no part of an answer, whatever marks they come in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.llm.thoughts import answer_in

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
