"""What endpoints do wrong, and what is to come of it: one row a misbehaviour, for the layer that asks and for a run."""

from dataclasses import dataclass

from tests import chat_troubles as troubles
from tests.chat_server import Behaviour

RETRIES = 1  # in the tests of this table


@dataclass(frozen=True)
class Row:
    """An endpoint that always behaves like this.

    ``trouble``: part of what the layer that asks says of a question; empty where there is an answer after all.
    ``calls``: how often it calls for one question of two answers, with RETRIES, once the endpoint has given one good
    answer. ``code``: how ``cplan solve`` ends if the endpoint has never behaved otherwise. ``slow``: what is tested is
    the limit of a call, which must be short then. ``ends``: it ends a run even after a good answer.
    """

    name: str
    behaviour: Behaviour
    trouble: str
    calls: int
    code: int
    slow: bool = False
    ends: bool = False


RETRIED = 1 + RETRIES
THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": troubles.THOUGHT}]}
REASONING = [  # a reasoning model's good answers
    Row("thought in a field", troubles.messages(reasoning=troubles.THOUGHT), "", 1, 0),
    Row("thought in another field", troubles.messages(reasoning_content=troubles.THOUGHT), "", 1, 0),
    Row("thought in tags", troubles.messages(content=troubles.THOUGHT_IN_TAGS + "{}"), "", 1, 0),
    Row("thought that was opened before", troubles.messages(content=f"{troubles.THOUGHT}</think>{{}}"), "", 1, 0),
    Row("thought that needs more room", troubles.uses_up(troubles.OPENED), "", 2, 0),
    Row("no room, without a reason", troubles.uses_up_silently, "", 2, 0),
    Row("tokens of thoughts", troubles.thinks(500), "", 1, 0),
    Row("tokens of thoughts in the total", troubles.thinks(500, in_the_total_only=True), "", 1, 0),
    Row("odd tokens of thoughts", troubles.odd_thinking, "", 1, 0),
    Row("content in parts", troubles.messages(content=[THINKING, {"type": "text", "text": "{}"}]), "", 1, 0),
    Row("content as a part", troubles.messages(content={"type": "text", "text": "{}"}), "", 1, 0),
    Row("odd parts", troubles.messages(content=[5, None, {"text": 5}, {"text": "{}"}]), "", 1, 0),
    Row("a tool's call", troubles.called("answer", '{"text": "{}"}'), "", 1, 0),
    Row("a tool's call in words", troubles.called("answer", "{}"), "", 1, 0),
    Row("no temperature", troubles.refuses_temperature, "", 2, 0),
    Row("max_completion_tokens", troubles.refuses_max_tokens, "", 2, 0),
]  # fmt: skip
TABLE = [
    # passing troubles are retried; if nothing else ever comes, the endpoint cannot be used
    Row("429", troubles.status(429), "HTTP 429", RETRIED, 3),
    Row("429 with Retry-After", troubles.status(429, retry_after=0.01), "HTTP 429", RETRIED, 3),
    Row("429 that asks for an hour", troubles.status(429, retry_after=3600), "asks to wait for 3600 s", 1, 3,
        ends=True),
    Row("500", troubles.status(500), "HTTP 500", RETRIED, 3),
    Row("503", troubles.status(503), "HTTP 503", RETRIED, 3),
    Row("time-out", troubles.too_slow, "no whole answer within", RETRIED, 3, slow=True),
    Row("dripping", troubles.dripping, "no whole answer within", RETRIED, 3, slow=True),
    Row("dropped before the headers", troubles.dropped_before_headers, "no connection", RETRIED, 3),
    Row("dropped after the headers", troubles.dropped_after_headers, "no connection", RETRIED, 3),
    Row("dropped in the body", troubles.dropped_in_body, "no connection", RETRIED, 3),
    Row("garbage for gzip", troubles.garbage, "not packed with gzip as it says", RETRIED, 3),
    Row("no choices", troubles.no_choices, "an answer without choices", RETRIED, 3),
    Row("missing choices", troubles.missing_choices, "an answer without choices", RETRIED, 3),
    Row("an error with status 200", troubles.error_in_200, "HTTP 502: upstream failed", RETRIED, 3),
    Row("a JSON list", troubles.json_list, "an answer without choices", RETRIED, 3),
    Row("JSON null", troubles.json_null, "an answer without choices", RETRIED, 3),
    Row("truncated JSON", troubles.truncated, "not the JSON", RETRIED, 3),
    Row("broken off", troubles.says("in the r", finish="abort"), "the answer was broken off (abort)", RETRIED, 3),
    Row("HTML", troubles.html, "not the JSON", RETRIED, 3),
    Row("HTML that says it is JSON", troubles.html_as_json, "not the JSON", RETRIED, 3),
    Row("an empty body", troubles.empty_body, "not the JSON", RETRIED, 3),
    Row("no UTF-8", troubles.not_utf8, "not the JSON", RETRIED, 3),
    Row("deep JSON", troubles.nested, "not the JSON", RETRIED, 3),
    # lasting troubles are not
    Row("401", troubles.wrong_key, "HTTP 401: Incorrect API key", 1, 3, ends=True),
    Row("402", troubles.status(402), "HTTP 402", 1, 3, ends=True),
    Row("403", troubles.status(403), "HTTP 403", 1, 3),
    Row("a redirect", troubles.redirects(), "HTTP 307: it redirects to /v1/chat/completions, where", 1, 3),
    Row("unknown model", troubles.unknown_model, "HTTP 404: The model", 1, 3),
    Row("no quota left", troubles.no_quota, "HTTP 429: You exceeded", 1, 3, ends=True),
    Row("400 for no known reason", troubles.status(400), "HTTP 400", 2, 3),  # once without a temperature
    Row("an endless body", troubles.sends(troubles.LINE, endless=True), "longer than 4 MiB", 1, 3),
    Row("an endless error", troubles.sends(troubles.LINE, 500, endless=True), "longer than 4 MiB", 1, 3),
    Row("endless redirect", troubles.sends(troubles.LINE, 307, endless=True, Location="/"), "longer than 4 MiB", 1, 3),
    Row("a bomb", troubles.sends(troubles.BOMB, Content_Encoding="gzip"), "longer than 4 MiB", 1, 3),
    Row("packed twice", troubles.sends(troubles.BOMB, Content_Encoding="gzip, gzip"), "packed with gzip, gzip", 1, 3),
    Row("packed otherwise", troubles.sends(troubles.BOMB, Content_Encoding="br"), "packed with br", 1, 3),
    Row("deep JSON in an error", troubles.sends(f'{{"error": {troubles.DEEP}}}', 400), "HTTP 400: {", 2, 3),
    Row("deep JSON for a name", troubles.sends(f'{{"error": {{"param": {troubles.DEEP}}}}}', 400), "HTTP 400", 2, 3),
    Row("100,000 deep", troubles.sends("[" * 100_000, 500), "HTTP 500", RETRIED, 3),
    Row("an error in hex", troubles.sends("xyz", 400, kind="application/json; charset=hex"), "HTTP 400: xyz", 2, 3),
    Row("half a letter in an error", troubles.sends(r'{"error": {"message": "\ud83d"}}', 400), "HTTP 400: ?", 2, 3),
    Row("escapes in an error", troubles.status(400, troubles.ESCAPES), "HTTP 400: \x1b", 2, 3),
    # useless answers: the run continues without them
    Row("filtered answer", troubles.filtered, "content filter", 1, 0),
    Row("filtered otherwise", troubles.says("", finish="SAFETY"), "content filter", 1, 0),
    Row("filtered question", troubles.filtered_prompt, "content filter", 1, 0),
    Row("null content", troubles.null_content, "an empty answer", 1, 0),
    Row("null message", troubles.null_message, "an empty answer", 1, 0),
    Row("parts without text", troubles.parts, "an empty answer", 1, 0),
    Row("out of tokens", troubles.out_of_tokens, "reached its limit of 32768 tokens", 5, 0),  # doubled from 4096 on
    Row("thought without an end", troubles.says(troubles.OPENED, finish="length"), "reached its limit of", 5, 0),
    Row("thought alone", troubles.says(troubles.THOUGHT_IN_TAGS), "all text is in the field content, as", 1, 0),
    Row("thought in a part alone", troubles.messages(content=[THINKING]), "all text is in the field content, as", 1, 0),
    Row("thought in a field alone", troubles.messages(content="", reasoning=troubles.THOUGHT),
        "an empty answer: all text is in the field reasoning, as thoughts", 1, 0),
    Row("refused", troubles.messages(content=None, refusal=troubles.SORRY), "the model refuses: I am sorry", 1, 0),
    Row("refused in a part", troubles.messages(content=[{"type": "refusal", "refusal": troubles.SORRY}]),
        "the model refuses: I am sorry", 1, 0),
    Row("a call of nothing", troubles.called_nothing, "an empty answer", 1, 0),
    # answers like any other, for the layer that asks
    *REASONING,
    Row("nonsense", troubles.says(troubles.NONSENSE), "", 1, 0),
    Row("another language", troubles.says(troubles.OTHER_LANGUAGE), "", 1, 0),
    Row("100 kB", troubles.says(troubles.HUGE), "", 1, 0),
    Row("half a surrogate pair", troubles.says("\ud83d"), "", 1, 0),
    Row("lines and zeros", troubles.says("\r\n\x00\u2028 in the\x85red box\n{}"), "", 1, 0),
    Row("a list", troubles.says("1. in red box\n2. in blue box\n3. open red box"), "", 1, 0),
    Row("the key", troubles.echo_in_the_answer, "", 1, 0),
    Row("the wrong content type", troubles.wrong_kind, "", 1, 0),
    Row("no usage", troubles.no_usage, "", 1, 0),
    Row("odd usage", troubles.odd_usage, "", 1, 0),
    Row("usage of 400 digits", troubles.uses(int("9" * 400)), "", 1, 0),
    Row("negative usage", troubles.uses(-5), "", 1, 0),
    Row("half a token", troubles.uses(1.5), "", 1, 0),
    Row("no number", troubles.uses(float("nan")), "", 1, 0),
    Row("escapes", troubles.says(troubles.ESCAPES), "", 1, 0),
    Row("ignores n", troubles.ignores_n, "", 2, 0),
]  # fmt: skip


@dataclass(frozen=True)
class WayRow:
    """An endpoint that keeps to schemas, but for what it always does: which way of weighing options it is asked in then
    (``used``, part of what is noted), and what is ``found`` out about it before, in words of the notes."""

    name: str
    behaviours: tuple[Behaviour, ...]
    used: str
    found: tuple[str, ...] = ()


NO_SCHEMA, IGNORED, SAYS_NOTHING = "takes no schema", "does not keep to it", "then gives empty ones"
LIST, FREE = "a list of", "free text"
EMPTY_BY_SCHEMA = troubles.only_with("response_format", troubles.says(""))
WAYS_TABLE = [
    WayRow("nothing wrong", (), LIST),
    WayRow("schema refused", (troubles.refuses("response_format"),), FREE, (NO_SCHEMA, NO_SCHEMA)),
    WayRow("schema ignored", (troubles.only_with("response_format", troubles.says("on bed")),), FREE,
           (IGNORED, IGNORED)),
    WayRow("enum violated", (troubles.only_with("response_format", troubles.says('{"answer": "on mars"}')),), FREE,
           (IGNORED, IGNORED)),
    WayRow("empty under a schema", (EMPTY_BY_SCHEMA,), FREE, (SAYS_NOTHING, SAYS_NOTHING)),
    WayRow("500 at schemas", (troubles.only_with("response_format", troubles.status(500)),), FREE,
           (NO_SCHEMA, NO_SCHEMA)),
    WayRow("refuses without a name", (troubles.refuses_unknown("n", "max_tokens", "temperature"),), FREE,
           (NO_SCHEMA, NO_SCHEMA)),
]  # fmt: skip
