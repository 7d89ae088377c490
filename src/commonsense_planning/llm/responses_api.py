"""OpenAI's Responses API, in the terms of chat completions: some models are offered there only."""

from __future__ import annotations

import json
from typing import Any

from commonsense_planning.llm.model import ChatRequest
from commonsense_planning.llm.reply import read_reply
from commonsense_planning.llm.transport import Reply

LIMIT = "max_output_tokens"
_RENAMED = {"max_tokens": LIMIT, "max_completion_tokens": LIMIT}
_LEFT_OUT = ("n", "seed", "response_format")  # a call gives one answer


def responses_body(request: ChatRequest) -> dict[str, Any]:
    """Returns the body of a request; the server is not to keep it."""
    given = request.parameters
    body = {_RENAMED.get(name, name): value for name, value in given.items() if name not in _LEFT_OUT}
    if "response_format" in given:
        body["text"] = {"format": {"type": "json_schema", **given["response_format"]["json_schema"]}}
    return {"model": request.model, "input": list(request.messages), "store": False, **body}


def read_response(content: bytes, request: ChatRequest) -> Reply:
    """Reads the body of a response. Raises as ``read_reply``."""
    try:
        body = json.loads(content)
        parts = [part for item in body["output"] if item["type"] == "message" for part in item["content"]]
        why, cost = (body.get("incomplete_details") or {}).get("reason", "stop"), body.get("usage") or {}
        usage = {
            "prompt_tokens": cost.get("input_tokens"),
            "completion_tokens": cost.get("output_tokens"),
            "completion_tokens_details": cost.get("output_tokens_details"),
        }
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return read_reply(content, request)  # which tells what it is
    why = "cancelled" if body.get("status") in ("queued", "in_progress") else why  # a stream that was broken off
    choice = {"message": {"content": parts}, "finish_reason": "length" if why == LIMIT else why}
    error = {"error": body["error"]} if body.get("error") else {"choices": [choice]}
    return read_reply(json.dumps({**error, "usage": usage}).encode(), request)
