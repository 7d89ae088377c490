"""The parameters that an endpoint accepts: learnt from its refusals, avoided from then on, and reported once."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from commonsense_planning.llm.elicitation import UnsupportedByEndpoint
from commonsense_planning.llm.model import ChatRequest
from commonsense_planning.llm.server_errors import ServerError
from commonsense_planning.llm.transport import Reply

OPTIONAL = ("seed", "temperature", "top_p", "presence_penalty", "frequency_penalty")
NEEDED = {  # parameters that a request cannot do without → the message about an endpoint that refuses them
    "score": "scores no answers that it is given",
    "response_format": "takes no schema for its answers",
}
MOST_ITEMS = "maxItems"  # of a list in a schema; not all servers know it
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens")
CONTEXT_STEP, LEAST_CONTEXT = 256, 512  # tokens: the sizes of contexts are multiples of the first
MORE_ROOM = 4096  # tokens for an answer, once a model has used up its limit before answering; doubled then
_UNKNOWN = re.compile(r"unsupported|not supported|instead|deprecated|\buse\b", re.IGNORECASE)
_LARGER = re.compile(r"below|at least|minimum|>=|greater than or equal|between|too (small|low|short)", re.IGNORECASE)
_SMALLER = re.compile(r"too (large|big|high|long)|at most|maximum|exceed|[<>]|less than|range|between", re.IGNORECASE)
_CONTEXT = re.compile(r"context (?:length|window|size)\D{0,30}(\d+)", re.IGNORECASE)
_PROMPT = re.compile(
    r"(\d+) (?:tokens )?(?:in the messages|(?:input|prompt) tokens|(?:from|of|in) the (?:input|prompt)|`inputs`)", re.I
)


class Accepted:
    """The parameters that an endpoint accepts; ``most_tokens``: limit of an answer in tokens, thoughts included;
    ``singly``: the endpoint gives one answer a call."""

    def __init__(self, most_tokens: int, singly: bool = False) -> None:
        self.singly = singly
        self._most_tokens = most_tokens
        self._refused: set[str] = set()  # parameters that are not sent any more
        self._endless = False  # the endpoint refuses maxItems: lists of a schema are not limited
        self._renamed = False  # the limit of an answer is called max_completion_tokens
        self._room = 0  # the least limit of an answer in tokens that is sent
        self._least, self._most = 0, 10**9  # range of limits in tokens that the endpoint accepts
        self.window = 0  # the size of the model's context in tokens, once thoughts have filled it
        self._counts = False  # the endpoint is known to count thoughts as tokens of answers
        self._crashed = False  # a request for several answers failed where one for a single answer did not

    def parameters(self, request: ChatRequest, n: int, without: Collection[str] = ()) -> dict[str, Any]:
        """Returns the parameters to send for ``n`` answers to the request, ``without`` some that may cause an error."""
        asked = {**request.parameters, "seed": request.seed} if request.seed is not None else request.parameters
        left = {*self._refused, *without, "n"}
        parameters = {name: value for name, value in asked.items() if name not in left}
        if n > 1:
            parameters["n"] = n
        if self._endless and "response_format" in parameters:
            parameters["response_format"] = _without(MOST_ITEMS, parameters["response_format"])
        limit = parameters.pop("max_tokens", None)
        if limit is not None:
            name = "max_completion_tokens" if self._renamed else "max_tokens"
            parameters[name] = max(self._least, min(max(limit, self._room), self._most))
        return parameters

    def learn(self, error: ServerError, sent: Mapping[str, Any], notes: list[str]) -> bool:
        """Finds out which of the ``sent`` parameters is refused, and returns whether there is something new to try.
        Adds to ``notes``. Raises UnsupportedByEndpoint for a parameter that the request needs."""
        if error.status not in (400, 422):
            return False
        message = error.message.lower()
        named = set(re.findall(r"\w+", error.param))  # also of body.n and ['n']

        def refused(name: str) -> bool:
            return name in sent and (name in named or (not error.param and _mentions(message, name)))

        if MOST_ITEMS.lower() in message and not self._endless and "response_format" in sent:
            self._endless = True
            return True
        if refused("response_format"):
            raise UnsupportedByEndpoint(NEEDED["response_format"])
        if "max_tokens" in sent and "max_completion_tokens" in message and _UNKNOWN.search(message) is not None:
            self._renamed = True
            return True
        limit = next((name for name in LIMITS if name in sent), None)
        if limit is not None and (error.param in LIMITS or any(_mentions(message, name) for name in LIMITS)):
            return self._resize(int(sent[limit]), message, notes)
        if limit is not None and _CONTEXT.search(message) is not None:
            return self._fit(int(sent[limit]), message, notes)
        if refused("n"):
            self.one_by_one(notes)
            return True
        for name in OPTIONAL:
            if refused(name):
                self.leave_out([name], notes)
                return True
        return False

    def one_by_one(self, notes: list[str]) -> None:
        """From now on a call asks for one answer."""
        if not self.singly:
            notes.append("the endpoint gives one answer a call: several are asked for in several calls")
        self.singly = True

    def crashed(self, notes: list[str]) -> None:
        """Records that the server had an internal error with several answers and none with a single one; the second
        time, this is not taken for chance."""
        if self._crashed:
            self.one_by_one(notes)
        self._crashed = True

    def leave_out(self, names: Collection[str], notes: list[str]) -> None:
        """From now on these are not sent."""
        for name in names:
            if name not in self._refused:
                notes.append(f"the endpoint does not accept the {name} that was asked for: it uses its own")
        self._refused.update(names)

    def more_room(self, limit: int, notes: list[str]) -> bool:
        """Raises the limit of an answer above ``limit``, used up before any text; returns whether that was possible."""
        room = min(max(MORE_ROOM, 2 * limit), self._most_tokens, self._most)
        if room <= limit:
            return False
        if room > self._room:
            self._room = room
            notes.append(f"the model needs more room before it answers: {room} tokens from now on")
        return True

    def is_full(self, limit: int, reply: Reply) -> bool:
        """Returns whether an answer that was cut short has filled the model's context: it ended below its ``limit``,
        and either its thoughts are known to count as tokens, or the context has one of the usual sizes."""
        spent, answer = reply.prompt_tokens + reply.completion_tokens, reply.completion_tokens // max(1, reply.choices)
        self._counts |= not reply.estimated and answer == limit
        usual = reply.choices == 1 and spent % CONTEXT_STEP in (0, CONTEXT_STEP - 1)
        if not reply.estimated and 0 < answer < limit and spent >= LEAST_CONTEXT and (self._counts or usual):
            self.window = self.window or spent
        return bool(self.window)

    def _resize(self, limit: int, message: str, notes: list[str]) -> bool:
        """Sets the limit of an answer to one that the endpoint accepts: the one it names, else half or twice as much.
        The limit is left out only if the endpoint does not know the parameter."""
        numbers = [int(number) for number in re.findall(r"\d+", message)]
        larger, smaller = [n for n in numbers if n > limit], [n for n in numbers if 1 < n < limit]
        if _CONTEXT.search(message) is not None:
            return self._fit(limit, message, notes)
        if larger and _LARGER.search(message) is not None:
            self._least = min(larger)
        elif _SMALLER.search(message) is not None and limit > 1:
            self._at_most(max(smaller, default=limit // 2) - ("exclusive" in message), notes)
        elif _LARGER.search(message) is not None:
            self._least = 2 * limit
        elif "max_tokens" not in self._refused:
            notes.append("the endpoint takes no limit on the length of an answer: none is sent")
            self._refused.add("max_tokens")
        return True

    def _fit(self, limit: int, message: str, notes: list[str]) -> bool:
        """Limits an answer to what the question leaves of the context, if the error gives both in tokens."""
        context, prompt = _CONTEXT.search(message), _PROMPT.search(message)
        if context is None or prompt is None:
            return False
        room = int(context[1]) - int(prompt[1])
        return 0 < room < limit and self._at_most(room, notes)

    def _at_most(self, most: int, notes: list[str]) -> bool:
        notes.append(f"the endpoint takes {most} tokens for an answer at most")
        self._most = most
        return True


def cannot(request: ChatRequest, status: int, reason: str) -> str:
    """Returns what the endpoint cannot do if its error may be about a parameter that the request needs; else empty."""
    if status not in (400, 404, 422, 500, 501):
        return ""
    return next((f"{what} ({reason})" for name, what in NEEDED.items() if name in request.parameters), "")


def _without(name: str, schema: Any) -> Any:
    """Returns a JSON value without the fields of that name."""
    if isinstance(schema, list):
        return [_without(name, part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _without(name, part) for key, part in schema.items() if key != name}


def unclear(error: ServerError) -> bool:
    """Returns whether an error may be about any parameter: it names none, and gives no other reason."""
    reason = error.param or error.invalid_json or "context" in error.message.lower()
    return error.status in (400, 422, 500) and not reason


def _mentions(message: str, parameter: str) -> bool:
    """Returns whether an error message is about a parameter; a name as short as ``n`` must be in quotes, or followed by
    ``>``, ``=`` or "must"."""
    name = re.escape(parameter)
    bare = rf"\b{name}\b" if len(name) > 1 else rf"(?:\b{name}\s*[>=]|(?:^|[\s.]){name} must\b)"
    return re.search(rf"['\"`]{name}['\"`]|{bare}", message) is not None
