"""The interface of a language model, which answers questions in text; of an endpoint, which completes chats; and the
usage counts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from commonsense_planning.errors import InputError

if TYPE_CHECKING:
    from commonsense_planning.llm.weights import Weights
    from commonsense_planning.wording.questions import Question

Message = Mapping[str, str]

CHARACTERS_PER_TOKEN = 4  # assumed length of a token where tokens are not counted
_RARE = ("thinking_tokens", "prompts")  # of what there is to tell of usage, told only where there are any
_HEARD = ("unheard", "unreached", "trouble")  # told by themselves
EMPTY = "an empty answer"  # the trouble of one that has nothing in it, and does not say why
CUT_SHORT = "the answer reached its limit"  # what the trouble of one that was cut off before a word begins with
MOST_TOKENS = 10**9  # largest count of one answer; larger ones are ignored


@dataclass
class Usage:
    """What a model was used for in a run.

    ``questions`` were asked, of which ``failures`` got no usable answer; ``calls`` are requests to an endpoint,
    including those that a recording replaces, ``recorded`` the questions that a recording or cache answered. Tokens are
    the endpoint's counts, or ``estimated`` from the length of the texts where it gives none. ``waiting``: seconds in
    which nothing went on but waiting for answers. ``retries``: calls that had to be repeated. ``thinking_tokens``:
    those of the completions' tokens that were thoughts, as far as endpoints say. ``prompts``: the versions of the
    templates that questions were put with, mostly one, with spaces between; empty where no prompts are read.
    ``unheard``: questions of which no answer could be used; ``unreached``: those of them to which none came at all, not
    even an empty one; ``trouble``: what was wrong last.
    """

    questions: int = 0
    failures: int = 0
    calls: int = 0
    recorded: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    waiting: float = 0.0
    thinking_tokens: int = 0
    prompts: str = ""
    unheard: int = 0
    unreached: int = 0
    trouble: str = ""

    @property
    def was_heard(self) -> bool | None:
        """Whether any of the answers could be used; None where nothing was asked."""
        return self.questions > self.unheard if self.questions else None

    @property
    def was_reached(self) -> bool:
        """Whether there was an answer, if anything was asked."""
        return self.questions > self.unreached or not self.questions

    def not_read(self, *answers: str) -> None:
        """Count a question whose answers could not be read; the caller reports it. An empty answer has been counted
        already."""
        self.unheard += any(answer.strip() for answer in answers)

    def put_with(self, version: str) -> None:
        """Take up the version of a question's templates."""
        self.prompts = " ".join(sorted({*self.prompts.split(), *version.split()}))

    @property
    def tokens(self) -> int:
        """Tokens of prompts and completions."""
        return self.prompt_tokens + self.completion_tokens

    def as_json(self) -> dict[str, Any]:
        """The counts as JSON values; tokens of thoughts only where an endpoint told of some."""
        told = {name: value for name, value in asdict(self).items() if name not in _HEARD}
        return {name: value for name, value in told.items() if name not in _RARE or value}


class LanguageModel(Protocol):
    """Anything that answers questions in text."""

    @property
    def name(self) -> str:
        """What the model is called in outputs, such as ``embedded``."""

    @property
    def note(self) -> str:
        """A sentence that outputs show with the name: the kind of model."""

    @property
    def usage(self) -> Usage:
        """What was asked so far."""

    def answers(self, kind: type[Question]) -> bool:
        """Whether the model has answers to questions of a kind; any chat model has, of a sort."""

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        """For each question at most ``n`` sampled answers, free text; none where no usable answer was to be had.

        Raises MissingError if the model cannot be used at all, BudgetError if a limit of the budget is reached.
        """

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        """For each question how much the model gives to each option, by ``n`` sampled answers or by what else it has
        that is worth as much; of a question without options, what was said. Raises as ``ask`` does."""

    def take_notes(self) -> list[str]:
        """What went wrong or differently since the last call, for the trace; each is given once."""


class CallCounter(Protocol):
    """Where an endpoint that makes several calls for one answer has each of them counted; ``budget.Account`` is one."""

    def turn(self, request: ChatRequest) -> AbstractAsyncContextManager[None]:
        """To be entered around a call: waits while those under way may reach a limit on tokens or money."""

    def begin_call(self) -> None:
        """To be called before a call goes out. Raises BudgetError if a limit is reached."""

    def end_call(self, prompt_tokens: int, completion_tokens: int) -> None:
        """To be called with what a call cost."""


@dataclass(frozen=True)
class ChatRequest:
    """A question as an endpoint gets it: the model's name, the messages, the sampling parameters (``n`` among them).

    ``about`` describes the question, ``prompts`` is the version of the templates. ``seed``: what the answers are
    to be drawn from, answer i from ``seed`` + i; None: as the endpoint likes. ``account``: where an endpoint that makes
    several calls for one answer has them counted; None: they are not counted. None of them is part of the content.
    Raises InputError for characters that cannot be sent, such as those that a command line in another encoding leaves.
    """

    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any]
    about: str = ""
    prompts: str = ""
    seed: int | None = None
    account: CallCounter | None = None

    def __post_init__(self) -> None:
        try:
            "".join((self.model, *(message["content"] for message in self.messages))).encode()
        except UnicodeEncodeError as error:
            broken = ascii(error.object[error.start : error.end])
            raise InputError(f"a question to the model holds {broken}, which is no UTF-8") from error

    @cached_property
    def key(self) -> str:
        """The address of this content: equal requests have equal keys, on any machine."""
        import hashlib  # with OpenSSL

        messages = [dict(message) for message in self.messages]
        content = {"model": self.model, "parameters": dict(self.parameters), "messages": messages}
        text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Completion:
    """What came back. ``texts``: the sampled answers, without a model's thoughts (see ``thoughts``);
    none if ``trouble`` says why there is nothing to use.

    ``calls``, ``retries``, tokens: what it cost; tokens are ``estimated`` where the endpoint did not count them, and
    ``thinking_tokens`` are those of the completion that were thoughts, as far as it says.
    ``notes``: what was found out about the endpoint on the way. ``recorded``: not asked for in this run.
    ``logprobs``: the options of a request with ``score``, each with the natural logarithm of its probability, up to a
    constant. ``unable``: what the endpoint cannot do, where the request cannot do without. ``silent``: the trouble is
    an answer without text, such as an empty one or a refusal, and none of the endpoint's.
    """

    texts: tuple[str, ...]
    calls: int = 1
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    trouble: str = ""
    notes: tuple[str, ...] = field(default=())
    recorded: bool = False
    thinking_tokens: int = 0
    logprobs: tuple[tuple[str, float], ...] = ()
    unable: str = ""
    silent: bool = False

    @property
    def empty(self) -> bool:
        """Whether it is an answer in which nothing is said, not even no."""
        return self.silent and self.trouble.startswith((EMPTY, CUT_SHORT))

    def __post_init__(self) -> None:
        if not (self.texts or self.logprobs or self.trouble or self.unable):
            object.__setattr__(self, "trouble", EMPTY)
        if self.trouble.startswith((EMPTY, CUT_SHORT)):
            object.__setattr__(self, "silent", True)


class Endpoint(Protocol):
    """Completes chats: an API, a model on this machine, a recording. Knows messages and nothing of planning."""

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a request; what goes wrong with this one request is the completion's ``trouble``.

        Raises MissingError if the endpoint cannot be used at all, BudgetError if a limit is reached.
        """

    async def close(self) -> None:
        """Close the resources; by default there are none."""
        return
