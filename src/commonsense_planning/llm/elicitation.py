"""Elicitation methods: ways to get a model's weights for the options of a question, and which of them an endpoint
supports.

From the best to the one that every model supports: scores of the options, a list with weights, samples under a schema,
plain samples. The first question of a run is asked alone and tries them in this order; a method that the endpoint
refuses or ignores is not tried again. All weights are renormalised over the options. None of them is what the model
"really believes": the methods differ, and only questions about known places measure how good each is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from commonsense_planning.config import AskBy
from commonsense_planning.errors import CplanError
from commonsense_planning.llm.model import ChatRequest, Completion
from commonsense_planning.llm.weights import Weights
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.wording.questions import Question

SILENT = "takes a schema for its answers and then gives empty ones"


class UnsupportedByEndpoint(Exception):
    """Something that the endpoint cannot do; the text continues a sentence that begins with "the endpoint"."""


@dataclass
class ElicitationRequest:
    """One question to elicit weights for. ``request`` makes a request from the question, parameters, and the form of
    the answer, as in ``Prompts.messages``; ``send`` sends it; ``matcher`` matches free text with options. ``sent``: all
    requests so far, with their completions."""

    question: Question
    request: Callable[..., ChatRequest]
    send: Callable[[ChatRequest], Any]
    matcher: Matcher
    sent: list[tuple[ChatRequest, Completion]] = field(default_factory=list)

    async def complete(self, parameters: Mapping[str, Any], form: str = "", **given: Any) -> Completion:
        """Asks. Raises UnsupportedByEndpoint if the endpoint reports that it cannot do this, or gives an empty answer
        under a schema."""
        request: ChatRequest = self.request(self.question, parameters, form, **given)
        try:
            completion: Completion = await self.send(request)
        except CplanError as error:
            self.sent += [(request, error.spent)] if error.spent is not None else []
            raise
        if completion.empty and "response_format" in parameters:
            completion = replace(completion, trouble="", unable=SILENT)
        self.sent.append((request, completion))
        if completion.unable:
            raise UnsupportedByEndpoint(completion.unable)
        return completion


class ElicitationMethod:
    """An elicitation method. ``summary`` continues "options are weighed by". ``most``: the number of options up to
    which the method is fast enough to be chosen automatically. ``needs``: the parameter of a request that the endpoint
    has to support, empty if there is none. ``samples``: whether ``n`` answers are drawn; ``together``: whether one
    answer can weigh several questions. A subclass has ``weigh``, or ``weigh_parts`` if it weighs several."""

    name: AskBy
    summary: str
    most: float = math.inf
    needs: str = ""
    samples: bool = False
    together: bool = False

    async def weigh(self, elicitation: ElicitationRequest, n: int) -> Weights:
        """Returns the weights of the question's options, as if from ``n`` answers; no answers if this one question
        failed. Raises UnsupportedByEndpoint."""
        return (await self.weigh_parts(elicitation, (elicitation.question,), n))[0]

    async def weigh_parts(self, elicitation: ElicitationRequest, parts: Sequence[Question], n: int) -> list[Weights]:
        """As ``weigh``, for several questions that are asked as one, whose options are those of all ``parts``."""
        raise NotImplementedError


class ElicitationFallback:
    """The methods that an endpoint may support, the best first; findings hold for all tasks of a run.

    With AUTO, only the methods that ``suit`` the model are tried; and if a single answer is wanted, only those that
    sample.
    """

    def __init__(self, methods: Iterable[ElicitationMethod], ask_by: AskBy, suit: Iterable[AskBy] = AskBy) -> None:
        *_, last = every = tuple(methods)
        self._chosen = ask_by is not AskBy.AUTO
        wanted = {last.name, *((ask_by,) if self._chosen else suit)}
        self._methods = [method for method in every if method.name in wanted]
        self._several = len(self._methods) > 1
        self._worked: set[AskBy] = set()

    def methods(self, question: Question, n: int) -> list[ElicitationMethod]:
        """Returns the methods to try for ``n`` answers to a question, in order; the last one always works."""
        if self._chosen:
            return [*self._methods]
        fit = [method for method in self._methods if len(question.options) <= method.most]
        return [method for method in fit if n > 1 or method.samples]

    def settled(self, questions: Iterable[Question], n: int) -> bool:
        """Returns whether nothing is left to find out: for each question, one method remains or the first is known to
        work."""
        first = [(method, others) for method, *others in (self.methods(question, n) for question in questions)]
        return all(not others or method.name in self._worked for method, others in first)

    def works(self, method: ElicitationMethod) -> list[str]:
        """Records that a method has worked; returns notes."""
        new = method.name not in self._worked
        self._worked.add(method.name)
        return [f"options are weighed by {method.summary}"] if new and self._several else []

    def cannot(self, method: ElicitationMethod, why: UnsupportedByEndpoint) -> list[str]:
        """Records that a method has failed: it is not tried again unless it has worked before. Returns notes."""
        if method.name in self._worked or method not in self._methods[:-1]:
            return []
        self._methods.remove(method)
        return [f"the endpoint {why}"]
