"""Scores: the probability of each option as the model's next words, the end of the answer included.

Each option takes several small requests with one prefix, which servers cache. Two servers can score. llama.cpp, by its
native calls: question and option are tokenised, and each token in turn is forced by a logit bias, which does not change
the reported log-probability; options with common first tokens share requests. The tokens are those that the model would
read, whereas a grammar would leave the choice of tokens to the sampler. vLLM: the option is sent as the model's answer
in a chat with ``prompt_logprobs``; the terms that are equal for all options cancel when the scores are renormalised.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from commonsense_planning.config import AskBy
from commonsense_planning.llm.elicitation import ElicitationMethod, ElicitationRequest, UnsupportedByEndpoint
from commonsense_planning.llm.model import MOST_TOKENS, Message
from commonsense_planning.llm.weights import Weights

FORCED = 1000.0  # bias added to the logit of the forced token
END = -1  # represents the end of an answer

Post = Callable[[str, Mapping[str, Any]], Awaitable[Any]]
"""Sends a body to a path below the base URL, and returns the JSON of the response."""
Scorer = Callable[[str, Sequence[Message], Sequence[str], Post], Awaitable[list[float]]]
"""Takes the model's name, messages, options and ``Post``; returns the log-probability of each option as the answer, up
to a constant. Raises UnsupportedByEndpoint if the server's response has another form."""


class Scores(ElicitationMethod):
    """Scores every option as an answer."""

    name = AskBy.SCORE
    summary = "how probable each is as the model's answer, scored token by token"
    most = 20.0
    needs = "score"

    async def weigh(self, elicitation: ElicitationRequest, n: int) -> Weights:
        options = elicitation.question.options
        completion = await elicitation.complete({"score": list(options)})
        if completion.trouble:
            return Weights(options, ())
        scores = dict(completion.logprobs)
        if set(scores) != set(options):
            raise UnsupportedByEndpoint("scores no answers that it is given")
        best = max(scores.values())
        return Weights.of_shares(options, [math.exp(scores[option] - best) for option in options], n)


async def llama_cpp(model: str, messages: Sequence[Message], options: Sequence[str], post: Post) -> list[float]:
    """Scores by llama.cpp's ``apply-template``, ``tokenize`` and ``completion``, one token per request."""
    prompt = _read(_Prompt, await post("apply-template", {"messages": list(messages)})).prompt

    async def cut(text: str) -> list[int]:
        found = await post("tokenize", {"content": text, "add_special": True, "parse_special": True})
        return _read(_Cut, found).tokens

    texts = [await cut(prompt + option) for option in options]
    told: dict[tuple[int, ...], float] = {}

    async def logprob(before: Sequence[int], token: int) -> float:
        """The log-probability of a token, or of END, after the tokens ``before`` it."""
        key = (*before, token)
        if key not in told:
            force = {"grammar": 'root ::= ""'} if token == END else {"logit_bias": [[token, FORCED]]}
            body = {"prompt": list(before), "n_predict": 1, "n_probs": 1, "temperature": 0, "cache_prompt": True}
            found = _read(_Forced, await post("completion", {**body, **force})).completion_probabilities[0]
            if token not in (END, found.id):
                raise UnsupportedByEndpoint("says another token than the one that is forced")
            told[key] = found.logprob
        return told[key]

    start = _common(texts)
    scores = []
    for tokens in texts:  # in sequence: each finds its common prefix with the one before it in the server's cache
        scores.append(sum([await logprob(tokens[:i], t) for i, t in enumerate((*tokens, END)) if i >= start]))
    return scores


async def vllm(model: str, messages: Sequence[Message], options: Sequence[str], post: Post) -> list[float]:
    """Scores by vLLM's ``prompt_logprobs``, one option per request."""

    async def score(option: str) -> float:
        chat = [*messages, {"role": "assistant", "content": option}]
        body = {"model": model, "messages": chat, "add_generation_prompt": False, "max_tokens": 1}
        found = _read(_Prompted, await post("chat/completions", {**body, "prompt_logprobs": 0})).prompt_logprobs
        return sum(next(iter(token.values())).logprob for token in found if token)

    first = await score(options[0])  # alone, since the server may not know the parameter
    return [first, *await asyncio.gather(*map(score, options[1:]))]


SCORERS: Mapping[str, Scorer] = {"llamacpp": llama_cpp, "vllm": vllm}
"""The owner in a server's list of models → the scorer for this kind of server."""


def _common(texts: Sequence[Sequence[int]]) -> int:
    """Returns the length of the common prefix of all texts in tokens; for a single text, all but its last token."""
    shortest = min(map(len, texts))
    different = (i for i in range(shortest) if len({text[i] for text in texts}) > 1)
    return next(different, shortest if len(texts) > 1 else shortest - 1)


_Model = TypeVar("_Model", bound=BaseModel)


def _read(kind: type[_Model], data: Any) -> _Model:
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise UnsupportedByEndpoint("scores no answers that it is given") from error


_Id = Annotated[int, Field(ge=0, le=MOST_TOKENS)]
_Logprob = Annotated[float, Field(allow_inf_nan=False)]


class _Prompt(BaseModel):
    prompt: str


class _Cut(BaseModel):
    tokens: Annotated[list[_Id], Field(min_length=1)]


class _Token(BaseModel):
    id: _Id
    logprob: _Logprob


class _Forced(BaseModel):
    completion_probabilities: Annotated[list[_Token], Field(min_length=1)]


class _Told(BaseModel):
    logprob: _Logprob


class _Prompted(BaseModel):
    prompt_logprobs: Annotated[list[dict[str, _Told] | None], Field(min_length=2)]
