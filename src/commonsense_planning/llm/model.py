"""The interfaces of a language model, which answers questions in text, and of an endpoint, which completes chats; and
the counts of their usage."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from commonsense_planning.config import SILENT_FIELDS
from commonsense_planning.errors import InputError

if TYPE_CHECKING:
    from commonsense_planning.llm.weights import Weights
    from commonsense_planning.wording.questions import Question

Message = Mapping[str, str]

CHARACTERS_PER_TOKEN = 4  # assumed where tokens are not counted
_RARE = ("thinking_tokens", "prompts")  # fields of usage that are output only if they are not empty
_HEARD = ("unheard", "unreached", "trouble", "lost")  # fields that are output elsewhere
EMPTY = "an empty answer"  # the trouble of an answer without text or reason
CUT_SHORT = "the answer reached its limit"  # how the trouble of an answer begins that was cut off before its text
MOST_QUOTED = 80  # characters of an answer that could not be read
MOST_TOKENS = 10**9  # largest count of one answer that is believed


@dataclass
class Usage:
    """The usage of a model in a run.

    ``questions``: all that were asked; ``failures``: those with trouble; ``calls``: requests to an endpoint, including
    those that a recording replaces; ``recorded``: questions that a recording or cache answered. Tokens are the
    endpoint's counts, or ``estimated`` from the length of the texts if it gives none. ``waiting``: seconds spent
    waiting for answers. ``retries``: repeated calls. ``thinking_tokens``: those of the completions' tokens that
    endpoints count as thoughts. ``prompts``: versions of the templates, separated by spaces, usually one; empty if the
    model reads no prompts. ``unheard``: questions without a usable answer; ``unreached``: those of them without any
    answer, not even an empty one; ``trouble``: the last one. ``lost``: the endpoint gave no more answers.
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
    lost: bool = False

    @property
    def was_heard(self) -> bool | None:
        """Whether any answer could be used; None if nothing was asked."""
        return self.questions > self.unheard if self.questions else None

    @property
    def unheard_words(self) -> str:
        """A message that no answer of a run could be used; empty if one could, or none was needed."""
        if self.was_heard is not False:
            return ""
        asked = f"{self.questions} question{'s' * (self.questions != 1)}"
        why = f" ({self.trouble})" if self.trouble else ""
        return f"the model was not heard: none of its answers to {asked} could be used{why}"

    @property
    def was_reached(self) -> bool:
        """Whether there was any answer; true if nothing was asked."""
        return self.questions > self.unreached or not self.questions

    def not_read(self, *answers: str) -> None:
        """Counts a question whose answers could not be read; the caller reports it. Empty answers have been counted
        already."""
        said = next(filter(str.strip, answers), "")
        self.unheard += bool(said)
        self.quote(said)

    def quote(self, unread: str) -> None:
        """Keeps the beginning of an answer that could not be read, as what was wrong last."""
        if said := " ".join(unread.split()):
            self.trouble = f'such as "{said if len(said) <= MOST_QUOTED else f"{said[:MOST_QUOTED]} …"}"'

    def put_with(self, version: str) -> None:
        """Adds the version of a question's templates."""
        self.prompts = " ".join(sorted({*self.prompts.split(), *version.split()}))

    @property
    def tokens(self) -> int:
        """Tokens of prompts and completions."""
        return self.prompt_tokens + self.completion_tokens

    def as_json(self) -> dict[str, Any]:
        """Returns the counts as JSON values; tokens of thoughts only if there are any."""
        told = {name: value for name, value in asdict(self).items() if name not in _HEARD}
        return {name: value for name, value in told.items() if name not in _RARE or value}


class LanguageModel(Protocol):
    """Anything that answers questions in text."""

    @property
    def name(self) -> str:
        """The model's name in outputs, such as ``embedded``."""

    @property
    def note(self) -> str:
        """A phrase that outputs show with the name: the kind of model."""

    @property
    def usage(self) -> Usage:
        """The usage so far."""

    def answers(self, kind: type[Question]) -> bool:
        """Returns whether the model answers questions of a kind; a chat model answers all."""

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        """Returns at most ``n`` sampled answers in free text for each question, none if there was no usable answer.

        Raises MissingError if the model cannot be used at all, BudgetError if a limit of the budget is reached.
        """

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        """Returns the weight of each option for each question, from ``n`` sampled answers or from a better elicitation
        method; for a question without options, the answers. Raises as ``ask`` does."""

    def take_notes(self) -> list[str]:
        """Returns notes for the trace on what went wrong or was changed since the last call; each is returned once."""


class ModelWrapper:
    """A model that answers by asking another one, ``model``; subclasses override ``ask`` and ``weigh``."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def note(self) -> str:
        return self.model.note

    @property
    def usage(self) -> Usage:
        return self.model.usage

    def answers(self, kind: type[Question]) -> bool:
        return self.model.answers(kind)

    def take_notes(self) -> list[str]:
        return self.model.take_notes()


class CallCounter(Protocol):
    """Counts the calls of an endpoint that makes several for one answer; ``budget.Account`` implements it."""

    def turn(self, request: ChatRequest) -> AbstractAsyncContextManager[None]:
        """To be entered around a call: waits while the calls in progress may reach a limit on tokens or money, and
        counts the call. Raises BudgetError if a limit is reached."""

    def end_call(self, prompt_tokens: int, completion_tokens: int) -> None:
        """To be called with the tokens of a call."""


@dataclass(frozen=True)
class ChatRequest:
    """A question as an endpoint gets it: the model's name, the messages, the sampling parameters (``n`` among them),
    and the ``fields`` that the user adds to the body; those of ``SILENT_FIELDS`` are not part of the content.

    The other fields are not, either. ``about`` describes the question; ``prompts`` is the version of the
    templates. ``seed``: answer i is drawn with ``seed`` + i; None: the endpoint chooses. ``account`` counts the calls
    of an endpoint that makes several for one answer; None: they are not counted. Raises InputError for characters that
    cannot be sent, such as lone surrogates from a command line in another encoding.
    """

    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any]
    about: str = ""
    prompts: str = ""
    seed: int | None = None
    account: CallCounter | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            "".join((self.model, *(message["content"] for message in self.messages))).encode()
        except UnicodeEncodeError as error:
            broken = ascii(error.object[error.start : error.end])
            raise InputError(f"a question to the model holds {broken}, which is no UTF-8") from error

    @cached_property
    def content(self) -> dict[str, Any]:
        """The content: model, parameters (with the fields that may change the answer), messages."""
        fields = {name: value for name, value in self.fields.items() if name not in SILENT_FIELDS}
        messages = [dict(message) for message in self.messages]
        return {"model": self.model, "parameters": {**self.parameters, **fields}, "messages": messages}

    @cached_property
    def key(self) -> str:
        """The digest of the content: equal requests have equal keys, on any machine."""
        import hashlib  # with OpenSSL

        text = json.dumps(self.content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Completion:
    """The response to a request. ``texts``: the sampled answers, without the model's thoughts (see ``thoughts``); none
    if ``trouble`` says why there is nothing to use.

    ``calls``, ``retries``, tokens: the cost; tokens are ``estimated`` if the endpoint does not count them, and
    ``thinking_tokens`` are those of the completion that it counts as thoughts. ``notes``: findings about the endpoint.
    ``recorded``: the answer was not asked for in this run. ``logprobs``: for a request with ``score``, each option with
    the natural logarithm of its probability, up to a constant. ``unable``: something that the request needs and the
    endpoint cannot do. ``silent``: the trouble is an answer without text, such as an empty one or a refusal, and not a
    failure of the endpoint.
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
        """Whether it is an answer without text that is not a refusal either."""
        return self.silent and self.trouble.startswith((EMPTY, CUT_SHORT))

    def __post_init__(self) -> None:
        if not (self.texts or self.logprobs or self.trouble or self.unable):
            object.__setattr__(self, "trouble", EMPTY)
        if self.trouble.startswith((EMPTY, CUT_SHORT)):
            object.__setattr__(self, "silent", True)


class Endpoint(Protocol):
    """Completes chats: an API, a model on this machine, a recording. It handles messages and knows no planning."""

    async def complete(self, request: ChatRequest) -> Completion:
        """Completes a request; a failure of this one request is the completion's ``trouble``.

        Raises EndpointError if the endpoint cannot be used at all, BudgetError if a limit is reached.
        """

    async def close(self) -> None:
        """Closes the resources; by default there are none."""
        return
