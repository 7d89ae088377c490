"""The cost of a model's answers, and limits on calls, tokens, money and time."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from commonsense_planning.config import BudgetConfig
from commonsense_planning.errors import BudgetError, CplanError, UsageError
from commonsense_planning.llm.model import ChatRequest, Completion, Endpoint
from commonsense_planning.support.reading import number, read_toml, reading

PRICES = Path(__file__).with_name("prices.toml")
FORM = 'expected [models."NAME"] with input and output, in US dollars per million tokens'
TIME_IS_UP = "the time is up"
ENDLESS = 10**9  # tokens of an answer without a limit
LOOKED = 0.02  # seconds between two checks whether a call has ended
_MILLION = 1_000_000


@dataclass(frozen=True)
class TokenPrice:
    """US dollars per million tokens."""

    input: float
    output: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Returns the price of these numbers of tokens in US dollars."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / _MILLION


FREE = TokenPrice(0.0, 0.0)


class Prices:
    """Prices by model; a model takes the price of the longest listed name that its own name begins with."""

    def __init__(self, table: Mapping[str, TokenPrice]) -> None:
        self._table = dict(table)

    @staticmethod
    def read(*paths: Path) -> Prices:
        """Reads price files; later ones take precedence. Raises InputError if one is not a price table."""
        table: dict[str, TokenPrice] = {}
        for path in paths:
            with reading(path, "a price table", hint=FORM):
                models = read_toml(path, "a price table")["models"]
                table |= {name: TokenPrice(_dollars(p["input"]), _dollars(p["output"])) for name, p in models.items()}
        return Prices(table)

    def of(self, model: str) -> TokenPrice | None:
        """Returns the price of a model, None if it is not known."""
        names = [name for name in self._table if model.startswith(name)]
        return self._table[max(names, key=len)] if names else None


def _dollars(value: Any) -> float:
    dollars = number(str(value))
    if dollars < 0:
        raise ValueError(f"{dollars} is not a price")
    return dollars


class Budget:
    """Counts calls and tokens, and raises BudgetError when a limit is reached. Raises UsageError for a limit on money
    with a model of unknown price."""

    def __init__(self, limits: BudgetConfig, price: TokenPrice | None, model: str = "") -> None:
        if limits.max_usd is not None and price is None:
            raise UsageError(
                f"--max-usd: the price of {model} is not known; add it to a file and name that with --prices: "
                f'[models."{model}"] with input = …, output = … in US dollars per million tokens'
            )
        self.limits = limits
        self.price = price
        self.calls = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.deadline = math.inf  # of time.monotonic()
        self.under_way: list[tuple[int, int]] = []  # the most tokens of prompt and answer of each call

    @property
    def seconds_left(self) -> float:
        """Until the deadline, at least 0."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def usd(self) -> float | None:
        """US dollars so far, None if the price is not known."""
        return None if self.price is None else self.price.of(self.prompt_tokens, self.completion_tokens)

    @property
    def used_up(self) -> bool:
        """Whether a limit on calls, tokens or money is reached."""
        limits, tokens = self.limits, self.prompt_tokens + self.completion_tokens
        spent = (limits.max_calls, self.calls), (limits.max_tokens, tokens), (limits.max_usd, self.usd or 0.0)
        return any(most is not None and so_far >= most for most, so_far in spent)

    async def room(self) -> None:
        """Waits while the calls in progress may reach a limit on tokens or money."""
        while self.under_way and self._may_be_reached():
            await asyncio.sleep(LOOKED)

    def _may_be_reached(self) -> bool:
        prompts, answers = map(sum, zip(*self.under_way, strict=True))
        tokens = self.prompt_tokens + self.completion_tokens + prompts + answers
        usd = (self.usd or 0.0) + (0.0 if self.price is None else self.price.of(prompts, answers))
        spent = (self.limits.max_tokens, tokens), (self.limits.max_usd, usd)
        return any(most is not None and so_far >= most for most, so_far in spent)

    def begin_call(self) -> None:
        """To be called before a call goes out. Raises BudgetError if a limit is reached."""
        most = self.limits.max_calls
        self.check()
        if most is not None and self.calls >= most:
            raise BudgetError(f"the limit of {most} call{'' if most == 1 else 's'} is reached")
        self.calls += 1

    def check(self) -> None:
        """Raises BudgetError if the limit on time, tokens or money is reached."""
        if not self.seconds_left:
            raise BudgetError(TIME_IS_UP)
        limits, tokens, usd = self.limits, self.prompt_tokens + self.completion_tokens, self.usd
        if limits.max_tokens is not None and tokens >= limits.max_tokens:
            raise BudgetError(f"the limit of {limits.max_tokens} tokens is reached")
        if limits.max_usd is not None and usd is not None and usd >= limits.max_usd:
            raise BudgetError(f"the limit of {limits.max_usd:g} US dollars is reached")

    def end_call(self, prompt_tokens: int, completion_tokens: int) -> None:
        """To be called with what a call cost."""
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens


class Account:
    """The cost of one request, a CallCounter. Opening it counts the first call, and raises BudgetError if a limit is
    reached. An endpoint that makes several calls for one answer begins and ends each of them here, so that limits hold
    between them too. Until the first turn, the ``request`` as a whole counts as in progress."""

    def __init__(self, budget: Budget, request: ChatRequest) -> None:
        budget.begin_call()
        self._budget = budget
        self.calls = self.prompt_tokens = self.completion_tokens = 0
        self._whole = [_most_tokens(request)]
        budget.under_way += self._whole

    @asynccontextmanager
    async def turn(self, request: ChatRequest) -> AsyncIterator[None]:
        """See CallCounter. The first call has been counted already, and only the other limits are checked."""
        self.over()
        await self._budget.room()
        self._budget.under_way.append(most := _most_tokens(request))
        try:
            (self._budget.begin_call if self.calls else self._budget.check)()
            self.calls += 1
            yield
        finally:
            self._budget.under_way.remove(most)

    def over(self) -> None:
        """Ends the time in which the request as a whole counts as in progress."""
        while self._whole:
            self._budget.under_way.remove(self._whole.pop())

    def end_call(self, prompt_tokens: int, completion_tokens: int) -> None:
        """As ``Budget.end_call``."""
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
        self._budget.end_call(prompt_tokens, completion_tokens)

    def close(self, completion: Completion) -> None:
        """Counts the cost that the completion reports beyond the calls begun and ended here. The first call is taken
        back if the endpoint reports without a call that it cannot answer."""
        none = completion.unable and not completion.calls and not self.calls
        self._budget.calls += -1 if none else max(0, completion.calls - max(1, self.calls))
        self.end_call(
            max(0, completion.prompt_tokens - self.prompt_tokens),
            max(0, completion.completion_tokens - self.completion_tokens),
        )


def _most_tokens(request: ChatRequest) -> tuple[int, int]:
    """Returns upper bounds for the tokens of a request's prompt (its characters) and of its answers."""
    limits = ("max_tokens", "max_completion_tokens")
    answer = next((request.parameters[name] for name in limits if request.parameters.get(name)), ENDLESS)
    prompt = sum(len(message["content"]) for message in request.messages)
    return prompt, int(answer) * int(request.parameters.get("n", 1))


class WithinBudget(Endpoint):
    """An endpoint that is kept within a budget.

    A limit on calls is kept exactly, and one on tokens or money is exceeded by at most one call, if the endpoint makes
    one call per answer or counts each with the request's account. Otherwise, calls are counted when the completion
    reports them. At the deadline the request is cancelled.
    """

    def __init__(self, budget: Budget, endpoint: Endpoint) -> None:
        self._budget = budget
        self._endpoint = endpoint

    async def complete(self, request: ChatRequest) -> Completion:
        """Completes like the endpoint. Raises BudgetError if a limit is reached, with the cost until then."""
        self._budget.check()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._budget.seconds_left):
                await self._budget.room()
        account = Account(self._budget, request)
        try:
            async with asyncio.timeout(self._budget.seconds_left) as limit:
                completion = await self._endpoint.complete(replace(request, account=account))
        except TimeoutError as error:
            if not limit.expired():
                raise
            late = BudgetError(TIME_IS_UP)
            tokens = account.prompt_tokens, account.completion_tokens
            late.spent = Completion((), max(1, account.calls), 0, *tokens, trouble=TIME_IS_UP)
            raise late from error
        except CplanError as error:
            if error.spent is not None:
                account.close(error.spent)
            raise
        finally:
            account.over()
        account.close(completion)
        return completion

    async def close(self) -> None:
        """Closes the endpoint."""
        await self._endpoint.close()
