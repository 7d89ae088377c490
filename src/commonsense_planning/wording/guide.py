"""Guides: solution estimates that a model writes ("Large Language Models as Common-Sense Heuristics", section 3.2)."""

from __future__ import annotations

import re

from commonsense_planning.config import GuideKnowledge, GuideLevel
from commonsense_planning.llm.answers import text_of
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.questions import WriteGuide
from commonsense_planning.wording.action_language import ActionLanguage

MOST_LINES = 50  # of a guide that are read
_LEAD = re.compile(r"^\s*(?:[-*•>]+\s*|\(?(?:step\s*)?\d{1,3}\s*[.):]\s*)+", re.IGNORECASE)
_FENCE = re.compile(r"^\s*```")


def write_guide(
    description: str, level: GuideLevel, knowledge: GuideKnowledge, language: ActionLanguage, model: LanguageModel
) -> tuple[str, ...]:
    """The lines of the guide that the model writes; none where it has no usable answer.

    Raises MissingError and BudgetError as ``LanguageModel.ask`` does.
    """
    forms = language.forms() if level is GuideLevel.LOW else ()
    question = WriteGuide(description, str(level), forms, language.knowledge(knowledge))
    answers = model.ask([question], 1)[0]
    return guide_lines(answers[0]) if answers else ()


def guide_lines(answer: str) -> tuple[str, ...]:
    """The steps of an answer, one a line, without numbers and bullets; a line that announces others is left out."""
    lines = (_LEAD.sub("", line).strip() for line in text_of(answer).splitlines() if not _FENCE.match(line))
    return tuple(line for line in lines if line and not line.endswith(":"))[:MOST_LINES]
