"""Labels: every option gets a letter, and the model's probabilities of its first token tell what each letter weighs.

One token a question; but the question is asked twice, with the options in one order and in the reverse, and what comes
is averaged, since letters carry a bias of their position. The probabilities are those of letters after this question,
cut off below the likeliest few: a rough guide to what the model believes, and nothing more.
"""

from __future__ import annotations

import asyncio
import math
import string
from collections.abc import Awaitable, Mapping, Sequence

from commonsense_planning.config import AskBy
from commonsense_planning.llm.elicitation import Inquiry, Unable
from commonsense_planning.llm.weights import Weights

MOST = 20  # options of one question; and alternatives to a token, of which endpoints tell no more
LETTERS = string.ascii_uppercase[:MOST]


class Labels:
    """One token a question, and its alternatives.

    Where there are more than MOST options, there is a question to each part of them, and one more to the likeliest of
    each part, which says how the parts compare.
    """

    name = AskBy.LABELS
    summary = "the probabilities of their letters, in two orders"
    most: float = math.inf

    async def weigh(self, inquiry: Inquiry, n: int) -> Weights:
        options = inquiry.question.options
        return Weights.of_shares(options, await self._compared(inquiry, options), n)

    async def _compared(self, inquiry: Inquiry, options: Sequence[str]) -> list[float]:
        """The shares of options; all zero where there is no usable answer."""
        if len(options) <= MOST:
            there, back = await _all([self._asked(inquiry, options), self._asked(inquiry, options[::-1])])
            return [(one + other) / 2 for one, other in zip(there, back[::-1], strict=True)]
        count = math.ceil(len(options) / MOST)
        parts = [options[i * len(options) // count : (i + 1) * len(options) // count] for i in range(count)]
        within = await _all([self._compared(inquiry, part) for part in parts])
        likeliest = [part[shares.index(max(shares))] for part, shares in zip(parts, within, strict=True)]
        between = await self._compared(inquiry, likeliest)
        return [
            share / (max(shares) or 1.0) * between[k] for k, shares in enumerate(within) for share in shares
        ]

    async def _asked(self, inquiry: Inquiry, options: Sequence[str]) -> list[float]:
        """The shares of options in this order, by one question. Raises Unable if no letter is told of."""
        parameters = {"max_tokens": 1, "temperature": 0.0, "logprobs": True, "top_logprobs": MOST}
        lettered = list(zip(LETTERS, options, strict=False))
        completion = await inquiry.complete(parameters, "answer_with_a_letter.jinja", options=lettered)
        if completion.trouble:
            return [0.0] * len(options)
        return shares_of(LETTERS[: len(options)], completion.logprobs)


def shares_of(letters: str, told: Sequence[tuple[str, float]]) -> list[float]:
    """What each letter weighs by the log-probabilities of tokens, renormalised.

    Letters that are not among the tokens share what is left of the probability, each at most as much as the least that
    is told. Raises Unable if none of them is.
    """
    weights: dict[str, float] = dict.fromkeys(letters, 0.0)
    for token, logprob in told:
        letter = token.strip(" \n\t.()*\"'`:")
        if letter in weights:
            weights[letter] += math.exp(min(logprob, 0.0))
    missing = [letter for letter, weight in weights.items() if not weight]
    if len(missing) == len(letters):
        raise Unable("gives no log-probabilities of letters" if told else "gives no log-probabilities")
    if missing:
        rest = max(0.0, 1.0 - sum(math.exp(min(logprob, 0.0)) for _, logprob in told)) / len(missing)
        weights |= dict.fromkeys(missing, min(rest, _least(told)))
    return _normalised(weights, letters)


def _least(told: Sequence[tuple[str, float]]) -> float:
    return math.exp(min(min(logprob for _, logprob in told), 0.0))


def _normalised(weights: Mapping[str, float], letters: str) -> list[float]:
    total = sum(weights.values())
    return [weights[letter] / total for letter in letters]


async def _all(asked: Sequence[Awaitable[list[float]]]) -> list[list[float]]:
    """What all of them give; raises the first failure once all have ended, so that none goes on behind."""
    given = await asyncio.gather(*asked, return_exceptions=True)
    for one in given:
        if isinstance(one, BaseException):
            raise one
    return [one for one in given if not isinstance(one, BaseException)]
