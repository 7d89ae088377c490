"""What servers are reported to do, beyond plain trouble: behaviours of the tests' chat server."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.chat_server import Behaviour, ChatServer, Reply, Request, as_json, completion
from tests.chat_troubles import changed, error, messages, says, spoilt

LIMITS = ("max_tokens", "max_completion_tokens")
NONE = 10**6


def limit_of(request: Request) -> int:
    """The limit of an answer; ``NONE`` where none is sent."""
    return next((request.body[name] for name in LIMITS if name in request.body), NONE)


def thinks_first(tokens: int) -> Behaviour:
    """A model that thinks that many tokens before it answers, in a separate field, and is cut off in them."""

    def behave(request: Request, server: ChatServer) -> Reply | None:
        if limit_of(request) >= tokens:
            return messages(reasoning="Hm. " * 50)(request, server)
        cut = json.loads(completion(request, "", finish="length").body)
        cut["choices"][0]["message"]["reasoning"] = "Hm. " * 50
        cut["usage"]["completion_tokens"] = limit_of(request)
        return as_json(cut)

    return behave


def fills_context(tokens: int, used: int) -> Behaviour:
    """A model that thinks until a question of ``used`` tokens and its thoughts fill the context."""

    def behave(request: Request, server: ChatServer) -> Reply:
        cut = json.loads(completion(request, "", finish="length").body)
        cut["choices"][0]["message"]["reasoning"] = "Hm. " * 50
        cut["usage"] = {"prompt_tokens": used, "completion_tokens": min(limit_of(request), tokens - used)}
        return as_json(cut)

    return behave


mulls = says("Okay, the user wants the next action. It may be in the red box, or", finish="length")  # and is cut off


def _limits(wrong: Callable[[int, int], bool], words: str, **more: str) -> Behaviour:
    """400 for a limit that is ``wrong``, by its number and that of the question's tokens: ``{got}`` and ``{used}``."""

    def behave(request: Request, server: ChatServer) -> Reply | None:
        got, used = limit_of(request), len(request.prompt) // 4
        return error(400, words.format(got=got, used=used), **more) if wrong(got, used) else None

    return behave


def says_that_it_thinks(tokens: int) -> Behaviour:
    """The same, and being cut off is an error of the request."""
    words = "Could not finish the message because max_tokens or model output limit was reached. Please try again."
    return _limits(lambda got, used: got < tokens, words)


def wants_more_than(least: int) -> Behaviour:
    """400 for a limit that is too low, with the least that is taken."""
    words = f"Invalid 'max_output_tokens': integer below minimum value. Expected a value >= {least}, but got {{got}}."
    return _limits(lambda got, used: got < least, words, param="max_output_tokens", code="integer_below_min_value")


def wants_less_than(most: int) -> Behaviour:
    """400 for a limit that is too high, with the most that is taken."""
    words = f"max_tokens is too large: {{got}}. This model supports at most {most} completion tokens."
    return _limits(lambda got, used: most < got < NONE, words, param="max_tokens")


def has_context_of(tokens: int) -> Behaviour:
    """400 where question and limit are more than the context together, as vLLM says it."""
    words = (
        "'max_tokens' or 'max_completion_tokens' is too large: {got}. This model's maximum context length is "
        f"{tokens} tokens and your request has {{used}} input tokens ({{got}} > {tokens} - {{used}})."
    )
    return _limits(lambda got, used: tokens - used < got < NONE, words)


def refuses_several(number: int, body: object) -> Behaviour:
    """An error for a request for several answers, with this body."""
    return lambda request, server: as_json(body, number) if (request.body.get("n") or 1) > 1 else None


def names_no_schema_limit(request: Request, server: ChatServer) -> Reply | None:
    """400 for a schema that limits a list."""
    words = "invalid schema for response format: maxItems is not supported"
    return error(400, words) if "maxItems" in json.dumps(request.body.get("response_format", {})) else None


def until(now: Callable[[], float], seconds: float, reply: Callable[[float], Reply]) -> Behaviour:
    """``reply``, which gets the seconds that are left, for that many seconds from the first request on."""
    start: list[float] = []

    def behave(request: Request, server: ChatServer) -> Reply | None:
        start.append(now())
        left = seconds - (now() - start[0])
        return reply(left) if left > 0 else None

    return behave


def too_many(message: str = "Rate limit reached.", **headers: Any) -> Reply:
    """429 with a message and headers."""
    named = {name.replace("_", "-"): str(value) for name, value in headers.items()}
    return as_json({"error": {"message": message, "code": "rate_limit_exceeded"}}, 429, named)


def page(number: int, title: str) -> Reply:
    """A web page."""
    style = "<style>" + "p { color: red } " * 300 + "</style>"
    text = f"<!DOCTYPE html><html><head>{style}<title>{title}</title></head><body><p>Sorry.</p></body></html>"
    return Reply(number, text.encode(), {"Content-Type": "text/html"})


def failed_choice(code: int, message: str) -> Behaviour:
    """A choice that is an error."""
    return changed(
        lambda good: [
            choice.update(message={"content": ""}, finish_reason="error", error={"code": code, "message": message})
            for choice in good["choices"]
        ]
    )


def moved(name: str) -> Behaviour:
    """Messages in a field of another name; ``text``: only what they say."""

    def change(good: dict[str, Any]) -> None:
        for choice in good["choices"]:
            message = choice.pop("message")
            choice[name] = message["content"] if name == "text" else message

    return changed(change)


def behind(start: bytes) -> Behaviour:
    """A good answer, with something before it."""
    return spoilt(lambda good: replace(good, body=start + good.body))


def _in_events(good: Reply, **more: object) -> Reply:
    """A good answer as a stream of events, a word each, and one more event."""
    body = json.loads(good.body)
    parts: list[dict[str, Any]] = [{"choices": [], "usage": None}]
    for choice in body["choices"]:
        for word in choice["message"]["content"].split(" "):
            said = word if parts[-1]["choices"] == [] else [{"type": "text", "text": f" {word}"}]
            delta = {"content": said}
            parts.append({"choices": [{"index": choice["index"], "delta": delta, "finish_reason": None}]})
        parts.append({"choices": [{"index": choice["index"], "delta": {}, "finish_reason": choice["finish_reason"]}]})
        parts.append({"choices": []})
    sent = "".join(f"data: {json.dumps(part)}\n\n" for part in [*parts, {"choices": [], "usage": body["usage"]}, more])
    return replace(good, body=f": hello\n\n{sent}data: [DONE]\n\n".encode(), headers={"Content-Type": EVENTS})


EVENTS = "text/event-stream; charset=utf-8"
events = spoilt(_in_events)  # though none were asked for


def _halved(good: Reply) -> Reply:
    """The first events of a stream; the fourth is cut off."""
    return replace(good, body=b"\n\n".join(good.body.split(b"\n\n")[:4]))


breaks_off = spoilt(lambda good: _halved(_in_events(good)))
fails_in_events = spoilt(lambda good: _in_events(good, error={"message": "upstream crashed", "code": 502}))


def streams(words: str) -> Behaviour:
    """400 with these words for a request that wants no stream, else events."""
    return lambda request, server: events(request, server) if request.body.get("stream") else error(400, words)


def takes_no_stream_options(request: Request, server: ChatServer) -> Reply | None:
    """422 for options of the stream."""
    wrong = {"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}
    return as_json(wrong, 422) if "stream_options" in request.body else None


def responses(words: str) -> Behaviour:
    """404 with these words for chat completions; the Responses API answers, and takes nothing else."""

    def behave(request: Request, server: ChatServer) -> Reply:
        sent = dict(request.body)
        if "messages" in sent:
            return error(404, words)
        if wrong := {*sent} - {"model", "input", "text", "max_output_tokens", "store"}:
            return error(400, f"Unsupported parameter: '{min(wrong)}'", param=min(wrong))
        form = sent.get("text", {}).get("format")
        asked = {"model": sent["model"], "messages": sent["input"]}
        asked |= {"response_format": {"json_schema": form}} if form else {}
        good = json.loads(server.good(replace(request, body=asked)).body)
        content = [{"type": "output_text", "text": good["choices"][0]["message"]["content"]}]
        output = [{"type": "reasoning", "summary": []}, {"type": "message", "content": content}]
        usage = {"input_tokens": 7, "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 3}}
        return as_json({"status": "completed", "output": output, "usage": usage})

    return behave


def then(count: int, reply: Reply) -> Behaviour:
    """``reply``, after ``count`` good answers."""
    return lambda request, server: reply if len(server.requests) > count else None


def scores_prompts(request: Request, server: ChatServer) -> Reply | None:
    """The log-probabilities of a prompt's tokens, as vLLM tells them; one that ends in red is likelier."""
    if "prompt_logprobs" not in request.body:
        return None
    likely = -0.1 if "red" in request.body["messages"][-1]["content"] else -3.0
    told = [None, {"7": {"logprob": -1.0}}, {"8": {"logprob": likely}}]
    return as_json({"choices": [{"message": {"content": ""}}], "prompt_logprobs": told})


def forbids(*names: str) -> Behaviour:
    """422 for a parameter of these, with a list of what is wrong, as pydantic makes it."""

    def behave(request: Request, server: ChatServer) -> Reply | None:
        wrong = [
            {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted", "input": 1}
            for name in names
            if name in request.body
        ]
        return as_json({"object": "error", "message": {"detail": wrong}}, 422) if wrong else None

    return behave


def at_first(count: int, reply: Reply) -> Behaviour:
    """``reply`` to the first ``count`` requests."""
    return lambda request, server: reply if len(server.requests) <= count else None
