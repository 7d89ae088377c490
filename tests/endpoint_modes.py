"""Endpoints as people use them, and as they are reported to behave: what each does, and what is to come of a run.

A row of ``MODES`` is one habit of one kind of server. A row of ``SETUPS`` is a server by name, with the habits that it
is known for, and a line of the table in docs/models.md: ``python -m tests.endpoint_modes`` prints that.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from tests import chat_habits as habits
from tests import chat_troubles as troubles
from tests.chat_server import Behaviour, Reply, as_json

MCTS, POLICY = "llm-mcts", "llm-policy"
HEARD, UNHEARD = True, False


class Clock:
    """Time that goes by only where somebody waits for it, in seconds; what was waited for is kept."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Let them go by."""
        self.now += seconds
        self.waits.append(seconds)


Habits = Callable[[Clock], tuple[Behaviour, ...]]


@dataclass(frozen=True)
class Mode:
    """A server that always behaves like this, and a run with it.

    ``habits``: what it does, by the clock. ``method``: of the run. ``code``: the exit code; ``calls``:
    of chats, all requests; ``said``: a part of what the run says; ``heard``: whether an answer was used, None
    where there is no outcome. ``elsewhere``: the reply to all other requests; ``owner``: whose its models are.
    ``path``: of the base URL. ``waits``: the least number of seconds waited. ``options``: more of the run.
    ``scores``: it speaks as llama.cpp does.
    """

    name: str
    habits: Habits
    method: str
    code: int
    calls: int
    said: str
    heard: bool | None = HEARD
    elsewhere: Reply | None = None
    owner: str = "somebody"
    path: str = "/v1"
    waits: float = 0.0
    options: tuple[str, ...] = ()
    scores: bool = False


def always(*behaviours: Behaviour) -> Habits:
    """Whatever the clock says."""
    return lambda clock: behaviours


def beside(status: int, body: object, **more: float) -> Reply:
    """What is replied to all but chats."""
    return replace(as_json(body, status), **more)


MORE_ROOM = "needs more room before it answers: {} tokens"
ONE_A_CALL = "gives one answer a call"
PLAYED = "Thought: it may be there.\nAction: {}\nHuman: Observation: nothing is there.\nAction: open blue box"
STREAMS = "answers in streams only: they are read"
RESPONSES = "by its Responses API only"
SOLVED = "solved"
NOT_HEARD = "the model was not heard"
INVALID = "json_validate_failed"
NEEDED = ("--require-model",)
SAMPLES = ("--ask-by", "samples", "--policy-as", "prior")
MANY_CANDIDATES = [{"error": {"code": 400, "message": "Multiple candidates is not enabled for this model"}}]


def limited(seconds: float, reply: Callable[[float], Reply]) -> Habits:
    """A server that refuses all until then."""
    return lambda clock: (habits.until(lambda: clock.now, seconds, reply),)


def says(number: int, body: object) -> Habits:
    """A server with one reply to everything."""
    return always(lambda request, server: as_json(body, number))


def exhausted(left: float) -> object:
    """Gemini's words for 429."""
    return [{"error": {"code": 429, "message": "Resource exhausted", "details": [{"retryDelay": f"{left:.0f}s"}]}}]


MODES = [
    # answers
    Mode("keeps to schemas", always(), MCTS, 0, 1, SOLVED),
    Mode("keeps to schemas, a step", always(), POLICY, 0, 3, SOLVED),
    Mode("ignores schemas", always(troubles.only_with("response_format", troubles.says("red box"))), MCTS, 0, 3,
         "free text"),
    Mode("empty under a schema", always(troubles.only_with("response_format", troubles.says(""))), MCTS, 0, 3,
         "then gives empty ones"),
    Mode("no limit of lists", always(habits.names_no_schema_limit), MCTS, 0, 2, "a list of the likeliest"),
    Mode("a delta", always(habits.moved("delta")), MCTS, 0, 1, SOLVED),
    Mode("text for a message", always(habits.moved("text")), MCTS, 0, 1, SOLVED),
    Mode("a byte order mark", always(habits.behind(b"\xef\xbb\xbf")), MCTS, 0, 1, SOLVED),
    Mode("empty lines first", always(habits.behind(b"\n" * 30)), MCTS, 0, 1, SOLVED),
    # no answers
    Mode("blank", always(troubles.says("")), MCTS, 0, 3, NOT_HEARD, UNHEARD),
    Mode("blank, a step", always(troubles.says("")), POLICY, 1, 5, NOT_HEARD, UNHEARD),
    Mode("names nothing, a step", always(troubles.says(troubles.SORRY)), POLICY, 1, 5, 'used (such as "I am sorry")',
         UNHEARD),
    Mode("blank, and the model is needed", always(troubles.says("")), MCTS, 3, 3, NOT_HEARD, UNHEARD, options=NEEDED),
    Mode("thinks only", always(habits.thinks_first(10**5)), MCTS, 0, 9, "its limit of 32768 tokens", UNHEARD),
    Mode("a web page", always(lambda request, server: habits.page(200, "My router")), MCTS, 3, 3,
         "a web page, My router", None),
    Mode("an error for an answer", says(200, {"error": "Unexpected endpoint or method. (POST /chat)"}), MCTS, 3, 3,
         "Unexpected endpoint", None),
    Mode("a choice that failed", always(habits.failed_choice(502, "upstream crashed")), MCTS, 3, 3,
         "HTTP 502: upstream crashed", None),
    Mode("a stream of events", always(habits.events), MCTS, 0, 1, SOLVED),
    Mode("a stream that breaks off", always(habits.breaks_off), MCTS, 3, 3, "was broken off (network_error)", None),
    Mode("an error in a stream", always(habits.fails_in_events), MCTS, 3, 3, "HTTP 502: upstream crashed", None),
    Mode("streams alone", always(habits.streams("This model only support stream mode, please enable the stream.")),
         MCTS, 0, 2, "answers in streams only"),
    Mode("streams alone, a step", always(habits.streams("Stream must be set to true")), POLICY, 0, 4, STREAMS),
    Mode("streams alone, with thoughts",
         always(habits.streams("enable_thinking must be set to false for non-streaming calls")), MCTS, 0, 2, STREAMS),
    Mode("streams alone, no options",
         always(habits.takes_no_stream_options, habits.streams("Streaming is required")), MCTS, 0, 3, STREAMS),
    Mode("streams and does not", says(400, {"error": {"message": "This model only supports stream mode"}}), MCTS, 3, 9,
         "only supports stream", None),
    Mode("responses alone", always(habits.responses("This model is only supported in v1/responses")), MCTS, 0, 3,
         RESPONSES),
    Mode("responses alone, samples", always(habits.responses("Please use the Responses API")), MCTS, 0, 6,
         ONE_A_CALL, options=SAMPLES),
    Mode("nginx", always(lambda request, server: habits.page(502, "502 Bad Gateway")), MCTS, 3, 3,
         "HTTP 502: a web page, 502 Bad Gateway", None),
    Mode("Cloudflare", always(lambda request, server: habits.page(524, "x.com | 524: A timeout occurred")), POLICY, 3,
         3, "524: A timeout occurred", None),
    Mode("no such model", says(404, {"error": {"message": 'model "m" not found, try pulling it first'}}), MCTS, 3, 3,
         "try pulling it", None),
    Mode("no credit", says(400, {"error": {"message": "Your credit balance is too low to access the API."}}), MCTS, 3,
         2, "credit balance is too low", None),
    Mode("no balance any more", always(habits.then(1, troubles.error(402, "Insufficient Balance"))), POLICY, 3, 2,
         "any more: HTTP 402: Insufficient Balance; Look at the credit"),
    Mode("fails under a schema now and then",
         always(troubles.only_with("response_format", habits.at_first(1, troubles.error(400, "Failed", code=INVALID)))),
         POLICY, 0, 4, SOLVED, waits=0.2),
    Mode("ends with its budget", always(troubles.status(503)), MCTS, 4, 2, NOT_HEARD, UNHEARD,
         options=("--max-calls", "2")),
    # limits
    Mode("thinks for 3,000", always(habits.thinks_first(3000)), MCTS, 0, 2, MORE_ROOM.format(4096)),
    Mode("thinks for 20,000", always(habits.thinks_first(20_000)), MCTS, 0, 5, MORE_ROOM.format(32768)),
    Mode("thinks until its context is full", always(habits.fills_context(4096, 300)), MCTS, 0, 6,
         "question and thoughts fill the model's context of 4096 tokens", UNHEARD),
    Mode("thinks until its odd context is full", always(habits.fills_context(5000, 300)), MCTS, 0, 7,
         "question and thoughts fill the model's context of 5000 tokens", UNHEARD),
    Mode("thinks without a mark",
         always(lambda request, server: None if habits.limit_of(request) > 3000 else habits.mulls(request, server)),
         POLICY, 0, 4, MORE_ROOM.format(4096)),
    Mode("thinks without a mark or an end", always(habits.mulls), POLICY, 1, 9, "its limit of 32768 tokens", UNHEARD),
    Mode("plays the world", always(troubles.messages(content=PLAYED)), POLICY, 0, 3, "plays the world as well"),
    Mode("an error for a limit", always(habits.says_that_it_thinks(300)), MCTS, 0, 2, MORE_ROOM.format(4096)),
    Mode("the least limit", always(habits.wants_more_than(600)), MCTS, 0, 2, SOLVED),
    Mode("the largest limit", always(habits.wants_less_than(20)), MCTS, 0, 2,
         "takes 20 tokens for an answer at most"),
    Mode("thinks within its context", always(habits.has_context_of(4096), habits.thinks_first(900)), MCTS, 0, 3,
         "tokens for an answer at most"),
    Mode("no room for the question", always(habits.has_context_of(5)), MCTS, 3, 3, "maximum context length is 5 tokens",
         None),
    # several answers
    Mode("n: candidates", always(habits.refuses_several(400, MANY_CANDIDATES)), MCTS, 0, 5, ONE_A_CALL,
         options=SAMPLES),
    Mode("n: a crash", always(habits.refuses_several(500, {"detail": "Internal Server Error"})), MCTS, 0, 6, SOLVED,
         options=SAMPLES),
    # waits
    Mode("429, a header", limited(20, lambda left: habits.too_many(Retry_After=f"{left:.0f}")), MCTS, 0, 2,
         "waiting 20 s", waits=20),
    Mode("429, a reset", limited(20, lambda left: habits.too_many(x_ratelimit_reset_requests=f"{left:.0f}s")), MCTS,
         0, 2, "waiting 20 s", waits=20),
    Mode("loading", limited(60, lambda left: troubles.error(503, "Loading model")), MCTS, 0, 13,
         "waiting up to 600 s for the endpoint: HTTP 503: Loading", waits=60),
    Mode("loading for ever", limited(10**6, lambda left: troubles.error(503, "Loading model")), MCTS, 3, 123,
         "Loading model", None, waits=600),
    # other paths
    Mode("401 beside", always(), MCTS, 0, 1, SOLVED, elsewhere=beside(401, {"error": "Unauthorized"})),
    Mode("403 beside", always(), MCTS, 0, 1, SOLVED,
         elsewhere=beside(403, {"message": "Missing Authentication Token"})),
    Mode("429 beside", always(), MCTS, 0, 1, SOLVED, elsewhere=beside(429, {"error": "Too many requests"})),
    Mode("200 beside", always(), MCTS, 0, 1, SOLVED, elsewhere=beside(200, {"error": "Unexpected endpoint"})),
    Mode("a page beside", always(), MCTS, 0, 1, SOLVED, elsewhere=habits.page(200, "My gateway")),
    Mode("says vllm and is not", always(), MCTS, 0, 2, SOLVED, owner="vllm"),
    Mode("no /v1", says(404, {"error": "not found"}), MCTS, 3, 3, "/v1", None, path=""),
    Mode("the path of a call", always(), MCTS, 0, 1, SOLVED, path="/v1/chat/completions/"),
    Mode("a query", always(), MCTS, 0, 1, SOLVED, path="/openai/deployments/m?api-version=2024-10-21"),
    Mode("a path of a gateway", always(), MCTS, 0, 1, SOLVED, path="/team/openai/v1"),
]  # fmt: skip


@dataclass(frozen=True)
class Setup:
    """A server by name: what is said for it after ``--model openai:``, what it is ``able`` to, and what cplan ``does``
    about it, which its ``mode`` tries."""

    name: str
    command: str
    able: str
    does: str
    mode: Mode

    @property
    def line(self) -> str:
        """Its line of the table."""
        return f"| {self.name} | `{self.command}` | {self.able} | {self.does} |"


HEAD = """| endpoint | `--model openai:` | supports | cplan uses |
|---|---|---|---|"""
LOCAL = "NAME --base-url http://localhost"
UNAVAILABLE = "This response_format type is unavailable now"
SETUPS = [
    Setup("Ollama", f"{LOCAL}:11434/v1", "schemas; no `n`; thoughts in a field", "a list; more room for thoughts",
          Mode("Ollama", always(habits.thinks_first(3000)), MCTS, 0, 2, "4096 tokens from now on")),
    Setup("LM Studio", f"{LOCAL}:1234/v1", "schemas; no `n`; status 200 for any path",
          "a list; without `/v1`, an error with the right URL",
          Mode("LM Studio", always(troubles.ignores_n), MCTS, 0, 1, "a list of",
               elsewhere=beside(200, {"error": "Unexpected endpoint or method. (GET /v1/x)"}))),
    Setup("llama.cpp", f"{LOCAL}:8080", "scores, at the root; schemas; `n`; 503 while it loads",
          "scores, without `/v1` at the end; waits while it loads",
          Mode("llama.cpp", limited(20, lambda left: troubles.error(503, "Loading model")), MCTS, 0, 0, "scored token",
               path="", scores=True)),
    Setup("vLLM", f"{LOCAL}:8000/v1", "scores by `prompt_logprobs`; schemas; `n`",
          "scores up to 20 options, else a list",
          Mode("vLLM", always(habits.scores_prompts), MCTS, 0, 2, "scored token", owner="vllm")),
    Setup("OpenAI", "gpt-5-mini", "schemas; `n`; reasoning models: no temperature, no `max_tokens`",
          "`max_completion_tokens`; more room for thoughts",
          Mode("OpenAI", always(troubles.refuses_max_tokens, troubles.refuses_temperature, habits.thinks_first(300)),
               MCTS, 0, 4, "does not accept the temperature")),
    Setup("Azure", "DEPLOYMENT --base-url https://NAME.openai.azure.com/openai/v1",
          "as OpenAI; 400 if thoughts use up the limit",
          "more room; `?api-version=` in older URLs, the key also as `api-key`",
          Mode("Azure",
               always(troubles.refuses_max_tokens, habits.wants_more_than(16), habits.says_that_it_thinks(300)),
               MCTS, 0, 3, "4096 tokens from now on", path="/openai/deployments/m?api-version=2024-10-21")),
    Setup("Gemini", "gemini-3-flash --base-url https://generativelanguage.googleapis.com/v1beta/openai",
          "schemas; `n` of some models; waits named in bodies", "a list; waits that long",
          Mode("Gemini",
               lambda clock: (*limited(20, lambda left: as_json(exhausted(left), 429))(clock),
                              habits.refuses_several(400, MANY_CANDIDATES)),
               MCTS, 0, 6, ONE_A_CALL, waits=20, options=SAMPLES)),
    Setup("Claude, compatibility layer", "claude-opus-4-6 --base-url https://api.anthropic.com/v1",
          "no schemas, silently; `n` is 1", "a list, unenforced; else free text",
          Mode("Claude",
               always(troubles.only_with("response_format", troubles.says("red box")),
                      habits.refuses_several(400, {"error": {"message": "n must be 1"}})),
               MCTS, 0, 5, "free text")),
    Setup("DeepSeek", "deepseek-chat --base-url https://api.deepseek.com",
          "JSON without schemas; no `n`; empty lines first", "free text, one answer a call",
          Mode("DeepSeek", always(troubles.refuses("response_format", UNAVAILABLE, code=""), troubles.ignores_n),
               MCTS, 0, 4, "free text")),
    Setup("Groq", "NAME --base-url https://api.groq.com/openai/v1",
          "schemas of some models, without `maxItems`; `n` is 1; Retry-After",
          "a list without that limit, or free text; waits",
          Mode("Groq", always(habits.names_no_schema_limit, troubles.refuses_n), MCTS, 0, 2, "a list of")),
    Setup("Mistral", "mistral-small-latest --base-url https://api.mistral.ai/v1",
          "schemas; `n`; 422 with a list of errors", "a list, without the refused parameters",
          Mode("Mistral", always(habits.forbids("temperature")), MCTS, 0, 2, "does not accept the temperature")),
    Setup("OpenRouter", "VENDOR/NAME --base-url https://openrouter.ai/api/v1",
          "what the provider supports; errors with status 200",
          "the error's code as status; prints the provider's message",
          Mode("OpenRouter",
               limited(0.4, lambda left: as_json({"error": {"message": "Provider returned error", "code": 429}})),
               MCTS, 0, 2, SOLVED)),
]  # fmt: skip


def table() -> str:
    """The table of the set-ups, in Markdown."""
    return "\n".join([HEAD, *(setup.line for setup in SETUPS)])


if __name__ == "__main__":
    print(table())
