"""Several questions in one call: those that can be put together are, and what an answer leaves out is asked singly."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from commonsense_planning.wording.questions import Batch, Question

Ask = Callable[[Sequence[Question], int], list[list[str]]]
MOST = 12  # questions in a batch


def ask_together(ask: Ask, put: Callable[[Batch], bool], questions: Sequence[Question], n: int) -> list[list[str]]:
    """As ``ask``, at most ``n`` answers to each, in fewer calls. ``put``: whether a batch can be put into words."""
    batches = [batch for batch in _batches(questions) if put(batch)]
    answers: dict[Question, list[str]] = {}
    if batches:
        for batch, texts in zip(batches, ask(batches, n), strict=True):
            split = [batch.apart(text) for text in texts]
            for i, question in enumerate(batch.parts):
                answers[question] = [parts[i] for parts in split if parts[i]]
    left = [question for question in questions if not answers.get(question)]
    if left:
        answers |= dict(zip(left, ask(left, n), strict=True))
    return [answers[question] for question in questions]


def _batches(questions: Sequence[Question]) -> list[Batch]:
    """The questions of which several may be asked at once, those of a kind together."""
    kinds: dict[type[Batch], list[Question]] = {}
    for question in dict.fromkeys(questions):
        if question.batch is not None:
            kinds.setdefault(question.batch, []).append(question)
    cut = [(kind, several[i : i + MOST]) for kind, several in kinds.items() for i in range(0, len(several), MOST)]
    return [kind(tuple(several)) for kind, several in cut if len(several) > 1]
