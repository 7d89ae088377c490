"""What goes wrong with endpoints: behaviours of the tests' chat server."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.chat_server import COMPLETIONS, Behaviour, ChatServer, Reply, Request, as_json, completion

NONSENSE = "ptang zoo boing! %$#@ ☃ 9999 qqqq"
OTHER_LANGUAGE = "Το κόκκινο κουτί, ίσως. 我不知道它在哪里。"
HUGE = "somewhere over the rainbow " * 3800  # 100 kB
LONG_PATIENCE = 30.0  # longer than any client of the tests waits


def error(
    number: int, message: str = "this server is in trouble", /, retry_after: float | str | None = None, **more: Any
) -> Reply:
    """An HTTP error with OpenAI's error body; ``more`` goes into it."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return as_json(
        {"error": {"message": message, "type": "error", "param": None, "code": None, **more}}, number, headers
    )


def no_trouble(request: Request, server: ChatServer) -> None:
    """Leaves it to the server."""


def status(number: int, *message: str, **more: Any) -> Behaviour:
    """An HTTP error."""
    return lambda request, server: error(number, *message, **more)


def wrong_key(request: Request, server: ChatServer) -> Reply:
    """401, and the error repeats the key: what a leak is tested with."""
    message = f"Incorrect API key provided: {request.headers['authorization']}. You can find your key on our page."
    return error(401, message, code="invalid_api_key")


def echo(code: int) -> Behaviour:
    """An HTTP error whose body and headers repeat everything that was sent, the key with it."""

    def behave(request: Request, server: ChatServer) -> Reply:
        sent = dict(request.headers)
        body = {"error": {"message": f"{sent}", "type": "error", "param": str(sent), "code": str(sent)}}
        return as_json(body, code, {"X-Echo": sent["authorization"]})

    return behave


def echo_in_the_answer(request: Request, server: ChatServer) -> Reply:
    """A good reply whose answers repeat the key."""
    return completion(request, *(request.headers["authorization"] for _ in range(request.body.get("n") or 1)))


def unknown_model(request: Request, server: ChatServer) -> Reply:
    """404 as OpenAI gives it."""
    message = f"The model `{request.body['model']}` does not exist or you do not have access to it."
    return error(404, message, code="model_not_found")


def spoilt(spoil: Callable[[Reply], Reply]) -> Behaviour:
    """A good reply that ``spoil`` has spoilt."""
    return lambda request, server: spoil(server.good(request))


def sends(
    content: str | bytes, number: int = 200, kind: str = "application/json", endless: bool = False, **headers: str
) -> Behaviour:
    """This body, for ever if it is ``endless``."""
    body = content.encode() if isinstance(content, str) else content
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda request, server: Reply(number, body, {"Content-Type": kind, **named}, endless=endless)


def changed(change: Callable[[dict[str, Any]], object]) -> Behaviour:
    """A good reply whose JSON ``change`` has spoilt."""

    def spoil(reply: Reply) -> Reply:
        good = json.loads(reply.body)
        change(good)
        return as_json(good)

    return spoilt(spoil)


def says(*texts: str | None, finish: str = "stop") -> Behaviour:
    """Good replies with these texts, whatever is asked."""

    def behave(request: Request, server: ChatServer) -> Reply:
        wanted = request.body.get("n") or 1
        return completion(request, *(texts[i % len(texts)] for i in range(wanted)), finish=finish)

    return behave


def uses(prompt_tokens: object, completion_tokens: object = 1) -> Behaviour:
    """A good reply that says how many tokens it took."""
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    return changed(lambda good: good.update(usage=usage))


BOMB = gzip.compress(bytes(2**26), 1)  # 64 MiB in less than one
LINE = b"[1, 2, 3, 4, 5, 6, 7, 8, 9],\n" * 2000
DEEP = "[" * 900 + "]" * 900  # as deep as Python's reader of JSON goes
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202egnp"
no_quota = status(429, "You exceeded your current quota", code="insufficient_quota")  # that no waiting mends
too_slow = spoilt(lambda good: replace(good, wait=LONG_PATIENCE))
dripping = spoilt(lambda good: replace(good, pace=0.2))  # no single wait is long, all together last for minutes
dropped_before_headers = spoilt(lambda good: Reply(cut=-1))
dropped_after_headers = spoilt(lambda good: replace(good, cut=0))
dropped_in_body = spoilt(lambda good: replace(good, cut=len(good.body) // 2))
truncated = spoilt(lambda good: replace(good, body=good.body[: len(good.body) // 2]))  # with a length that fits
wrong_kind = spoilt(lambda good: replace(good, headers={"Content-Type": "text/plain"}))
filtered = says("", finish="content_filter")
filtered_prompt = status(  # as Azure gives it
    400,
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    code="content_filter",
    param="prompt",
    innererror={"code": "ResponsibleAIPolicyViolation"},
)
html = sends(b"<html><body><h1>Welcome to the hotel's network</h1></body></html>", kind="text/html")
html_as_json = sends(b"<html><body>Bad gateway</body></html>")
garbage = sends(b"\x1f\x8b\x08\x00not really compressed", Content_Encoding="gzip")
not_utf8 = sends(b'{"choices": "\xff\xfe"}')
nested = sends(b"[" * 200_000)
error_in_200 = sends(json.dumps({"error": {"message": "upstream failed", "code": 502}}).encode())
json_list = sends(b"[1, 2, 3]")
json_null = sends(b"null")
empty_body = sends(b"")
no_choices = changed(lambda good: good["choices"].clear())
missing_choices = changed(lambda good: good.pop("choices"))
null_content = changed(lambda good: [choice["message"].update(content=None) for choice in good["choices"]])
null_message = changed(lambda good: [choice.update(message=None) for choice in good["choices"]])
parts = changed(lambda good: [choice["message"].update(content=[{"type": "text"}]) for choice in good["choices"]])
no_usage = changed(lambda good: good.pop("usage"))
odd_thinking = changed(lambda good: good["usage"].update(completion_tokens_details={"reasoning_tokens": "many"}))
odd_usage = changed(lambda good: good.update(usage={"prompt_tokens": "many", "completion_tokens": None}))
out_of_tokens = says("", finish="length")


def messages(finish: str = "stop", **fields: Any) -> Behaviour:
    """A good reply whose messages have these fields; a text may hold ``{}``, where the good answer goes."""

    def change(good: dict[str, Any]) -> None:
        for choice in good["choices"]:
            said = json.dumps(choice["message"]["content"])[1:-1]
            choice["finish_reason"] = finish
            choice["message"].update(json.loads(json.dumps(fields).replace("{}", said)))

    return changed(change)


def thinks(tokens: int, *, in_the_total_only: bool = False) -> Behaviour:
    """A good reply that says how many tokens of thoughts there were besides those that can be seen."""

    def change(good: dict[str, Any]) -> None:
        usage = good["usage"]
        usage["completion_tokens_details"] = {"reasoning_tokens": tokens}
        usage["completion_tokens"] += 0 if in_the_total_only else tokens
        usage["total_tokens"] += tokens

    return changed(change)


def uses_up(words: str) -> Behaviour:
    """A model that thinks ``words`` in its content for as long as it may, unless it may for long."""

    def behave(request: Request, server: ChatServer) -> Reply | None:
        return completion(request, words, finish="length") if request.body.get("max_tokens", 9999) < 1000 else None

    return behave


def uses_up_silently(request: Request, server: ChatServer) -> Reply | None:
    """The same, and the model says neither what it thought nor why it stopped."""
    most = request.body.get("max_tokens", 9999)
    usage = {"prompt_tokens": 1, "completion_tokens": most * (request.body.get("n") or 1)}
    silent = changed(lambda good: good.update(usage=usage, choices=[{"message": {"content": ""}}] * 2))
    return silent(request, server) if most < 1000 else None


THOUGHT = "In the red box? Or in the blue box. "
OPENED, THOUGHT_IN_TAGS = f"<think>{THOUGHT}", f"<think>{THOUGHT}</think>\n\n"
SORRY = "I am sorry, but I cannot help with boxes."


def called(name: str, arguments: str) -> Behaviour:
    """An answer that is the call of a tool, though none was offered."""
    function = {"name": name, "arguments": arguments}
    return messages("tool_calls", content=None, tool_calls=[{"type": "function", "function": function}])


called_nothing = messages(content=None, tool_calls=[{"function": None}, 5])


def redirects(there: str = COMPLETIONS) -> Behaviour:
    """Leads there, or back to itself."""
    return lambda request, _: Reply(307, b"", {"Location": there})


def ignores_n(request: Request, server: ChatServer) -> Reply:
    """One choice, whatever n is."""
    return server.good(replace(request, body={**request.body, "n": 1}))


def refuses(name: str, message: str = "", code: str = "unsupported_value", most: float | None = None) -> Behaviour:
    """400 for a request that has the parameter; with ``most``, for one that has more than that."""
    message = message or f"Unsupported value: '{name}' does not support what was sent with this model."

    def behave(request: Request, server: ChatServer) -> Reply | None:
        if name not in request.body or (most is not None and request.body[name] <= most):
            return None
        return error(400, message, type="invalid_request_error", param=name, code=code)

    return behave


refuses_n = refuses("n", "Only n = 1 is supported.", most=1)
refuses_temperature = refuses("temperature")
refuses_penalties = (refuses("frequency_penalty"), refuses("presence_penalty"))
refuses_max_tokens = refuses(
    "max_tokens",
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    code="unsupported_parameter",
)


def only_with(name: str, behaviour: Behaviour) -> Behaviour:
    """This behaviour for requests that have the parameter."""
    return lambda request, server: behaviour(request, server) if name in request.body else None


def refuses_unknown(*known: str) -> Behaviour:
    """422 for every parameter but these, without saying which: as small servers do."""

    def behave(request: Request, server: ChatServer) -> Reply | None:
        if set(request.body) <= {"model", "messages", *known}:
            return None
        return as_json({"detail": "Extra inputs are not permitted"}, 422)

    return behave
