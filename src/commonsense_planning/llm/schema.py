"""Constrained answers, under a JSON schema whose enum are the options: one list of options with weights, or samples
that each name an option. And plain samples in free text, which every model supports and which are matched.

An endpoint may accept a schema and ignore it: then its answers are not JSON, or name no option.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from commonsense_planning.config import AskBy
from commonsense_planning.llm.elicitation import ElicitationMethod, ElicitationRequest, UnsupportedByEndpoint
from commonsense_planning.llm.score import Scores
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.wording.questions import Question

MOST_LISTED = 5  # options in a list
AROUND = 16  # tokens of an answer's JSON without the option
IGNORED = "takes a schema for its answers and does not keep to it"


class WeightedList(ElicitationMethod):
    """One answer that lists the likeliest options with probabilities; the options not listed share the rest."""

    name = AskBy.LIST
    summary = "a list of the likeliest that the model writes, with their probabilities"
    needs = "response_format"
    together = True

    async def weigh_parts(self, elicitation: ElicitationRequest, parts: Sequence[Question], n: int) -> list[Weights]:
        options = elicitation.question.options
        entry = _object(answer={"type": "string", "enum": list(options)}, percent={"type": "integer"})
        listed = [min(MOST_LISTED, len(part.options)) for part in parts]
        schema = _object(answers={"type": "array", "items": entry, "maxItems": sum(listed)})
        limit = sum(listed) * (_longest(options) + 2 * AROUND)
        parameters = {"max_tokens": limit, "temperature": 0.0, "response_format": _format(schema)}
        given = {"options": options, "most": max(listed), "parts": len(parts)}
        completion = await elicitation.complete(parameters, "answer_with_a_list.jinja", **given)
        if not completion.texts:
            return [Weights(part.options, ()) for part in parts]
        said = iter(_listed(completion.texts[0], options))
        shares = [_with_the_rest([*islice(said, len(part.options))]) for part in parts]
        return [Weights.of_shares(p.options, found, n) for p, found in zip(parts, shares, strict=True)]


class ConstrainedSamples(ElicitationMethod):
    """Samples under a schema, each of which is an option."""

    name = AskBy.SCHEMA
    summary = "samples under a schema, which can be nothing else"
    needs = "response_format"
    samples = True

    async def weigh(self, elicitation: ElicitationRequest, n: int) -> Weights:
        question = elicitation.question
        schema = _object(answer={"type": "string", "enum": list(question.options)})
        limit = _longest(question.options) + AROUND
        parameters = {"n": n, "max_tokens": limit, "response_format": _format(schema)}
        completion = await elicitation.complete(parameters)
        if not completion.texts:
            return Weights(question.options, ())
        answers = [_answer(text) for text in completion.texts]
        counts = [answers.count(option) for option in question.options]
        if not any(counts):
            raise UnsupportedByEndpoint(IGNORED)
        return Weights.of_shares(question.options, counts, sum(counts))


class PlainSamples(ElicitationMethod):
    """Samples in free text."""

    name = AskBy.SAMPLES
    summary = "samples in free text, which are matched"
    samples = True

    async def weigh(self, elicitation: ElicitationRequest, n: int) -> Weights:
        completion = await elicitation.complete({"n": n})
        return read_answers(elicitation.question, completion.texts, elicitation.matcher)


ELICITATION_METHODS = (Scores(), WeightedList(), ConstrainedSamples(), PlainSamples())
"""All of them, the best first."""


def _longest(options: Sequence[str]) -> int:
    """Returns an upper bound for the tokens of the longest option."""
    return max(map(len, options)) // 2


def _object(**properties: Any) -> dict[str, Any]:
    """Returns the schema of an object with exactly these properties, in the form that OpenAI requires."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _format(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def _answer(text: str) -> str | None:
    try:
        return _One.model_validate(json.loads(text)).answer
    except (ValueError, RecursionError):
        return None


def _listed(text: str, options: Sequence[str]) -> list[float]:
    """Returns the shares of the options in a list, 0 for those not in it; a list that was cut off counts as far as it
    goes. Raises UnsupportedByEndpoint if no option is in it."""
    shares = dict.fromkeys(options, 0.0)
    for entry in _entries(text):
        if entry.answer in shares:
            shares[entry.answer] = max(shares[entry.answer], entry.percent / 100)
    if not any(shares.values()):
        raise UnsupportedByEndpoint(IGNORED)
    return [*shares.values()]


def _with_the_rest(shares: list[float]) -> list[float]:
    """Divides the rest among the options without a share; all zero if no option has one."""
    named = sum(shares)
    return [share or max(0.0, 1 - named) / shares.count(0.0) for share in shares] if named else shares


def _entries(text: str) -> list[_Entry]:
    decoder, found, at = json.JSONDecoder(), [], text.find("[")
    while at >= 0 and (at := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, at)
            found.append(_Entry.model_validate(value))
        except ValidationError:
            continue
        except (ValueError, RecursionError):
            break
    return found


class _One(BaseModel):
    answer: str


class _Entry(BaseModel):
    answer: str
    percent: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
