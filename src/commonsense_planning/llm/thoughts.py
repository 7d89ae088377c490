"""Removes the thoughts that a model writes into its answer, whichever marks its family of models uses for them.

A family opens its thoughts with a mark, and closes them with another or begins its answer with a third. Servers may
drop a mark: a closing mark alone closes thoughts opened in the prompt, and an opening mark alone opens thoughts up to
the end.
"""

from __future__ import annotations

import re

_WORD = r"(?:\w+[:_])?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis|inner_monologue)"
_OPENED = "|".join(
    (
        rf"[<\[◁]{_WORD}\s*[>\]▷]",  # <think>, [THINK], ◁think▷, <seed:think>
        rf"<\|(?:start_|begin_of_)?{_WORD}\|>",  # <|START_THINKING|>, <|begin_of_thought|>
        r"<\|channel\|?>\s*(?:analysis|commentary|thought)\b[^<]*(?:<\|message\|>)?",  # gpt-oss, Gemma
        r"<unused94>\s*thought\b",  # MedGemma
        r"\[unused16\]",  # openPangu
        r"<\|inner_prefix\|>",  # Apertus
        r"\A\s*(?-i:(?:analysis|commentary)(?=[A-Z]))",  # gpt-oss, whose tokens the server has taken out
        r"\A\s*here (?:are my reasoning steps|is my thought process):",  # Apriel, Granite
    )
)
_CLOSED = "|".join(
    (
        rf"[<\[◁]/{_WORD}\s*[>\]▷]",
        rf"<\|(?:/|end_(?:of_)?){_WORD}\|>",
        r"<\|(?:start\|>\s*assistant\s*<\|)?channel\|>\s*final\b[^<]*<\|message\|>",
        r"assistant\s?final(?=\S)",
        r"<channel\|>",
        r"<unused95>",
        r"\[unused17\]",
        r"<\|inner_suffix\|>",
        r"\[BEGIN FINAL RESPONSE\]",
        r"here is my response:",
    )
)
_CEASED = r"<\|end\|>"  # closes thoughts, and ends some models' answers
_ENDED = re.compile(r"\[END FINAL RESPONSE\].*|<\|(?:return|call)\|>.*", re.IGNORECASE | re.DOTALL)
_MARKS = re.compile(rf"(?P<closed>{_CLOSED})|{_CEASED}|(?P<opened>{_OPENED})", re.IGNORECASE)

_BEGUN = re.compile(  # as reasoning models begin to think; an answer may, too, but is not cut off then
    r"\W*(?:okay|ok|alright|hmm+|wait|got it|let me|let's (?:see|think)|(?:we|i) (?:need|have|are asked|should)\b"
    r"|(?:first, )?(?:the|this) (?:user|question|task|goal|problem)\b|thinking process)",
    re.IGNORECASE,
)


def unfinished(text: str) -> bool:
    """Returns whether a text that was cut off is thoughts without a mark."""
    return _BEGUN.match(text) is not None


def answer_in(text: str) -> str:
    """Returns the text without thoughts: everything after or between them."""
    said: list[str] = []
    thinking, at = False, 0
    for mark in _MARKS.finditer(text):
        if mark["closed"] and not thinking:
            said.clear()
        elif not thinking:
            said.append(text[at : mark.start()])
        thinking, at = mark["opened"] is not None, mark.end()
    return _ENDED.sub("", "".join((*said, "" if thinking else text[at:])))
