"""A server on loopback that speaks OpenAI's chat completions, well or badly, for the tests of the endpoint."""

import json
import math
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

CHAT = "/chat/completions"
COMPLETIONS = f"/v1{CHAT}"
RESPONSES = "/responses"  # for the behaviour that answers there
LLAMA_CPP = ("/apply-template", "/tokenize", "/completion")  # besides chats, at the root
START = "\x02"  # begins an answer
ENDS = 0  # the token that ends an answer, of a server that speaks as llama.cpp does
MODELS = "/models"

Messages = list[dict[str, Any]]
Answer = Callable[[Messages], str | Sequence[str]]
Beliefs = Callable[[str], float]


@dataclass(frozen=True)
class Request:
    """One request for a completion: its headers, in lower case, its body, and when it came (monotonic seconds)."""

    headers: Mapping[str, str]
    body: Mapping[str, Any]
    time: float

    @property
    def prompt(self) -> str:
        """All its messages, one after the other."""
        return "\n".join(message["content"] for message in self.body.get("messages") or self.body["input"])


@dataclass(frozen=True)
class Reply:
    """What is sent back: after ``wait`` seconds, with ``pace`` seconds between the bytes of the body. ``cut`` tells how
    many bytes of the body are sent before the connection is dropped; -1 drops it before the headers. ``endless``: the
    body again and again, until the client hangs up."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    wait: float = 0.0
    pace: float = 0.0
    cut: int | None = None
    endless: bool = False


Behaviour = Callable[[Request, "ChatServer"], Reply | None]
"""What is replied to a request; None for what the next behaviour says, or a good answer in the end."""


class ChatServer:
    """Answers with what ``answer`` gives for the messages: one text for all choices, or one for each in turn.

    ``beliefs``: how probable each of the texts is that may be an answer; where they are given, answers keep to a
    schema; and with ``scores`` what llama.cpp has besides chats is spoken, at the root, whose paths are kept in
    ``forced``. ``owner``: whose its models are, by its list. ``elsewhere``: what is replied to all but chats, if that
    is nothing good. ``key``: without it, all but chats are refused. ``delay`` seconds go by before an answer,
    ``token_delay`` before a forced token, whose log-probability is ``token_logprob``. ``requests`` for chats are kept,
    of others the paths and keys (``asked``), and ``most_at_once`` is the highest number of requests that were waiting
    for an answer at one time. Within ``with``, it serves at ``base_url``; afterwards all connections are closed.
    """

    def __init__(self, answer: Answer, delay: float = 0.0) -> None:
        self.answer = answer
        self.delay = delay
        self.beliefs: Beliefs | None = None
        self.scores = False
        self.owner = "somebody"
        self.elsewhere: Reply | None = None
        self.key = ""
        self.asked: list[tuple[str, str]] = []
        self.token_delay = 0.0
        self.token_logprob = -0.5
        self.forced: list[str] = []
        self.requests: list[Request] = []
        self.most_at_once = 0
        self._at_once = 0
        self._once: deque[Behaviour] = deque()
        self._always: tuple[Behaviour, ...] = ()
        self._lock = threading.Lock()
        self.connections: list[socket.socket] = []
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.chat = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def base_url(self) -> str:
        """What a client is given as its base URL."""
        return f"http://127.0.0.1:{self._http.server_port}{'' if self.scores else '/v1'}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        for connection in self.connections:
            _hang_up(connection)

    def next(self, *behaviours: Behaviour) -> None:
        """The next requests are met with these, one each."""
        self._once.extend(behaviours)

    def always(self, *behaviours: Behaviour) -> None:
        """Every request for which ``next`` has nothing is met with the first of these that has a reply."""
        self._always = behaviours

    def beliefs_of(self, prompt: str) -> Beliefs:
        """What is believed of the answers to a prompt."""
        assert self.beliefs is not None
        return self.beliefs

    def good(self, request: Request) -> Reply:
        """A good answer, with as many choices as are wanted."""
        if self.beliefs is not None and "response_format" in request.body:
            return _believed(request, self.beliefs_of(request.body["messages"][-1]["content"]))
        answer = self.answer(request.body["messages"])
        texts = [answer] if isinstance(answer, str) else list(answer)
        return completion(request, *(texts[i % len(texts)] for i in range(request.body.get("n") or 1)))

    def reply(self, request: Request) -> Reply:
        """Keep the request, and say what is replied to it."""
        with self._lock:
            self.requests.append(request)
            behaviours = (self._once.popleft(),) if self._once else self._always
        for behaviour in behaviours:
            reply = behaviour(request, self)
            if reply is not None:
                return reply
        return self.good(request)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A request is waiting for its answer. Ends before the answer is sent, since the next request may come before
        the sender gets round to saying that it is done."""
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1


def offered(prompt: str) -> list[str]:
    """The actions that a prompt asks to choose from; none where it asks something else."""
    return _lines(prompt, "Choose from:", "- ")


def wanted(prompt: str) -> list[str]:
    """The things that a prompt asks about together; none where it asks something else."""
    return _lines(prompt, "Things:", "")


def _lines(prompt: str, head: str, mark: str) -> list[str]:
    """The lines below the last line that is ``head``, up to the one that the answer follows."""
    before, found, after = prompt.rpartition(f"\n{head}\n")
    return [line.removeprefix(mark) for line in after.strip().splitlines()[:-1]] if found else []


def completion(request: Request, *texts: str | None, finish: str = "stop") -> Reply:
    """A chat completion with ``texts`` as its choices; words count as tokens."""
    choices = [
        {"index": i, "message": {"role": "assistant", "content": text}, "logprobs": None, "finish_reason": finish}
        for i, text in enumerate(texts)
    ]
    asked, said = len(request.prompt.split()), sum(len((text or "").split()) for text in texts)
    usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": request.body["model"]}
    return as_json({**head, "choices": choices, "usage": usage})


def _believed(request: Request, beliefs: Beliefs) -> Reply:
    """Options as a schema wants them."""
    properties = request.body["response_format"]["json_schema"]["schema"]["properties"]
    if "answers" in properties:
        options = properties["answers"]["items"]["properties"]["answer"]["enum"]
        ranked = sorted(options, key=beliefs, reverse=True)[: properties["answers"].get("maxItems")]
        listed = [{"answer": option, "percent": round(100 * beliefs(option))} for option in ranked]
        return completion(request, json.dumps({"answers": listed}))
    options, count = properties["answer"]["enum"], request.body.get("n") or 1
    drawn = [option for option in options for _ in range(round(count * beliefs(option)))]
    drawn = drawn or options
    return completion(request, *(json.dumps({"answer": drawn[i % len(drawn)]}) for i in range(count)))


def _llama_cpp(path: str, body: Mapping[str, Any], chat: ChatServer) -> object:
    """What llama.cpp says there, of a model whose tokens are characters and for whom an answer is as probable as its
    beliefs have it, which shows when it ends; every character before has one log-probability."""
    if path == "/apply-template":
        return {"prompt": f"{body['messages'][-1]['content']}{START}"}
    if path == "/tokenize":
        return {"tokens": [ord(character) for character in body["content"]]}
    prompt = "".join(map(chr, body["prompt"]))
    biased = body.get("logit_bias")
    asked, _, said = prompt.partition(START)
    logprob = chat.token_logprob if biased else math.log(chat.beliefs_of(asked)(said))
    token = biased[0][0] if biased else ENDS
    return {
        "completion_probabilities": [{"id": token, "logprob": logprob}],
        "timings": {"prompt_n": 1, "predicted_n": 1},
    }


def as_json(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """A reply with a JSON body and more ``headers``."""
    return Reply(status, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    chat: ChatServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def handle(self) -> None:
        self.server.chat.connections.append(self.connection)
        try:
            super().handle()
        except OSError:  # the client has gone, as it does after a time-out
            self.close_connection = True

    def do_GET(self) -> None:
        owner = "llamacpp" if self.server.chat.scores else self.server.chat.owner
        models = {"object": "list", "data": [{"id": "test-model", "object": "model", "owned_by": owner}]}
        self._beside(as_json(models) if self.path.endswith(MODELS) else self._unknown())

    def do_POST(self) -> None:
        chat = self.server.chat
        arrived = time.monotonic()
        length = int(self.headers["Content-Length"])
        sent = self.rfile.read(length)
        if len(sent) < length:  # whoever asked was killed meanwhile
            return
        body = json.loads(sent)
        if chat.beliefs is not None and self.path in LLAMA_CPP and chat.scores and self._has_key():
            chat.forced.append(self.path)
            self._wait(chat.token_delay if "n_predict" in body else 0.0)
            self._send(as_json(_llama_cpp(self.path, body, chat)))
            return
        if not self.path.partition("?")[0].endswith((CHAT, RESPONSES)):
            self._beside(self._unknown())
            return
        with chat.waiting():
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = chat.reply(Request(headers, body, arrived))
            self._wait(chat.delay + reply.wait)
        self._send(reply)

    def _unknown(self) -> Reply:
        return as_json({"error": {"message": f"no such page: {self.path}"}}, 404)

    def _has_key(self) -> bool:
        return self.server.chat.key in self.headers.get("Authorization", "")

    def _beside(self, reply: Reply) -> None:
        """Answer what is no chat."""
        chat = self.server.chat
        chat.asked.append((self.path, self.headers.get("Authorization", "")))
        reply = chat.elsewhere or (reply if self._has_key() else as_json({"error": "Invalid API Key"}, 401))
        self._wait(reply.wait)
        self._send(reply)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: tests look at the outputs."""

    def _wait(self, seconds: float) -> None:
        """Let ``seconds`` go by, fewer if the client hangs up."""
        select.select([self.connection], [], [], seconds)

    def _send(self, reply: Reply) -> None:
        if reply.cut == -1:
            self._drop()
            return
        self.send_response_only(reply.status)
        if "Date" not in reply.headers:
            self.send_header("Date", self.date_time_string())
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if not reply.endless:
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        while reply.endless:
            self.wfile.write(reply.body)
        if reply.pace:
            for i in range(len(reply.body)):
                self.wfile.write(reply.body[i : i + 1])
                self._wait(reply.pace)
        else:
            self.wfile.write(reply.body[: reply.cut])
        if reply.cut is not None:
            self._drop()

    def _drop(self) -> None:
        self.close_connection = True
        _hang_up(self.connection)


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):  # the other side was first
        connection.shutdown(socket.SHUT_RDWR)
