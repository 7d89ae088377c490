"""A model on this machine: llama.cpp's server, from the package xllamacpp, in a child that listens on loopback only.

The child runs this module as a program. It prints its port, a free one, when the weights are loaded; a random key keeps
other users of the machine out. It ends with the endpoint, or with this process. The endpoint sends chats as usual
(``openai_api.py``); the rest of llama.cpp (``/completion``, ``/tokenize``, grammars) is at ``LlamaServer.url`` with
``LlamaServer.key``.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from commonsense_lab.llm.local_weights import HOW_TO_FETCH, SMOLLM2, gguf
from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import MissingError
from commonsense_planning.llm.model import ChatRequest, Completion
from commonsense_planning.llm.openai_api import OpenAiEndpoint
from commonsense_planning.support.processes import in_background, python_module, temporary_folder

INSTALL = "pip install 'commonsense-planning[local]'"
CONTEXT = 8192  # tokens of a question with all its answers, at most
MARKS = 64  # tokens of a chat's marks, at most
SLOTS = 16  # answers that are written in parallel
START_SECONDS = 300.0  # large files take long to load
CALL_SECONDS = 600.0  # limit of one call: a busy machine is slow, and a failed call ends the run
LINES_TOLD = 5  # lines of the server's log in an error
_KEY = "CPLAN_LOCAL_KEY"
_DYING = 0.2  # seconds
_PAUSE = 0.02  # seconds between two checks whether it is ready


def weights_of(which: str) -> Path:
    """Returns the file of the local model, or of ``local:WHICH``. Raises MissingError if server or weights are missing,
    InputError for a file that is no GGUF."""
    if find_spec("xllamacpp") is None:
        raise MissingError(f"the local model needs the package xllamacpp: {INSTALL}")
    if which:
        return gguf(Path(which).expanduser())
    if not SMOLLM2.present:
        raise MissingError(f"the weights of the local model are not at {SMOLLM2.path}: {HOW_TO_FETCH}")
    return SMOLLM2.path


def speaker_of(which: str) -> str:
    """Returns the name of the model's file, its name in outputs and recordings."""
    return Path(which).name or SMOLLM2.file


@dataclass(frozen=True)
class LlamaServer:
    """A server that is ready: its ``url``, without a path, its ``key``, its ``process`` and its ``log``."""

    url: str
    key: str
    process: subprocess.Popen[bytes]
    log: Path

    def why_dead(self) -> str:
        """Returns how it ended, with the end of its log; empty while it runs. Its connections may end earlier."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_DYING)
        return _why_dead(self.process, self.log)

    def tokens(self, text: str) -> list[int]:
        """Returns the tokens of a text, by number. Raises OSError, http.client.HTTPException and ValueError."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        _, answer = _sent(self.url, "POST", "/tokenize", None, json.dumps({"content": text}), headers)
        found: list[int] = json.loads(answer)["tokens"]
        return found


class LocalEndpoint:
    """Completes chats with the model in ``file``. The first request starts the server, ``close`` ends it."""

    def __init__(self, file: Path, config: ModelConfig) -> None:
        self._file = file
        self._config = config
        self._held = ExitStack()
        self._starting = asyncio.Lock()
        self._ready: tuple[LlamaServer, OpenAiEndpoint] | None = None

    async def complete(self, request: ChatRequest) -> Completion:
        """See Endpoint. Raises MissingError if the server cannot be started, or has died."""
        server, endpoint = await self.started()
        parts = await asyncio.to_thread(_parts, server, request)
        return _together([await self._complete(server, endpoint, part) for part in parts])

    async def _complete(self, server: LlamaServer, endpoint: OpenAiEndpoint, request: ChatRequest) -> Completion:
        try:
            completion = await endpoint.complete(request)
        except MissingError as error:
            raise MissingError(
                f"the local model {self._file.name} cannot be used: {server.why_dead() or error.__cause__}"
            ) from error
        if completion.trouble and (why := server.why_dead()):
            raise MissingError(f"the local model {self._file.name} cannot be used any more: {why}")
        return await self._counted(server, completion)

    async def started(self) -> tuple[LlamaServer, OpenAiEndpoint]:
        """Returns the server and its endpoint; starts them if need be."""
        async with self._starting:
            if self._ready is None:
                server = await self._start()
                limit = self._config.call_seconds or CALL_SECONDS
                most = min(self._config.answer_tokens, CONTEXT // 2)
                # a failure on this machine is permanent
                config = replace(self._config, answer_tokens=most, base_url=server.url, retries=0, call_seconds=limit)
                # named, since without the key the server does not show the list of models by which it is recognised
                self._ready = server, OpenAiEndpoint(config, server.key, server="llamacpp")
        return self._ready

    async def close(self) -> None:
        """Closes the connections and ends the server."""
        ready, self._ready = self._ready, None
        try:
            if ready is not None:
                await ready[1].close()
        finally:
            self._held.close()

    async def _counted(self, server: LlamaServer, completion: Completion) -> Completion:
        """Returns the completion with the tokens of all its answers; of several, llama.cpp counts only the first."""
        if len(completion.texts) < 2:
            return completion
        tokens = [await asyncio.to_thread(server.tokens, text) for text in completion.texts]
        return replace(completion, completion_tokens=sum(map(len, tokens)) + len(tokens))  # each has an end

    async def _start(self) -> LlamaServer:
        folder = Path(self._held.enter_context(temporary_folder("local-model")))
        log, said, key = folder / "log", folder / "address", secrets.token_hex(16)
        command, environment = python_module(__name__)
        with log.open("wb") as err, said.open("wb") as out:
            child = in_background([*command, self._file], out, err, {**environment, _KEY: key})
            process = self._held.enter_context(child)
        deadline = time.monotonic() + START_SECONDS
        while not (said.read_bytes().endswith(b"\n") and _healthy(said.read_text().strip())):
            if why := _why_dead(process, log):
                raise MissingError(f"the server of the local model {self._file.name} did not start: {why}")
            if time.monotonic() > deadline:
                raise MissingError(f"the server of the local model was not ready after {START_SECONDS:g} s")
            await asyncio.sleep(_PAUSE)
        return LlamaServer(said.read_text().strip(), key, process, log)


def _parts(server: LlamaServer, request: ChatRequest) -> list[ChatRequest]:
    """Splits the request into parts whose answers fit into the context with the question; an answer has the same seed
    in any of them."""
    wanted, length = int(request.parameters.get("n", 1)), int(request.parameters.get("max_tokens", CONTEXT))
    text = "".join(message["content"] for message in request.messages)
    room = CONTEXT - MARKS
    if wanted == 1 or len(text.encode()) + wanted * length <= room:  # a token is a byte at least
        return [request]
    most = max(1, (room - len(server.tokens(text))) // length)
    return [
        replace(
            request,
            parameters={**request.parameters, "n": min(most, wanted - first)},
            seed=None if request.seed is None else request.seed + first,
        )
        for first in range(0, wanted, most)
    ]


def _together(parts: list[Completion]) -> Completion:
    """Merges the completions of a request in parts. Without any text, it has the trouble of the last part."""
    if len(parts) == 1:
        return parts[0]
    texts = tuple(text for part in parts for text in part.texts)
    counts: dict[str, Any] = {
        name: sum(getattr(part, name) for part in parts)
        for name in ("calls", "retries", "prompt_tokens", "completion_tokens")
    }
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    estimated = any(part.estimated for part in parts)
    return Completion(texts, **counts, estimated=estimated, trouble="" if texts else parts[-1].trouble, notes=notes)


def _healthy(url: str) -> bool:
    """Returns whether the server at ``url`` is ready."""
    try:
        return _sent(url, "GET", "/health", 1.0)[0] == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False


def _sent(url: str, method: str, path: str, timeout: float | None, *more: Any) -> tuple[int, bytes]:
    """Sends a request, with body and headers as ``more``; returns status and body of the answer."""
    with closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=timeout)) as connection:
        connection.request(method, path, *more)
        answer = connection.getresponse()
        return answer.status, answer.read()


def _why_dead(process: subprocess.Popen[bytes], log: Path) -> str:
    code = process.poll()
    if code is None:
        return ""
    how = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LINES_TOLD:]
    return "\n  ".join([f"its server ended ({how})" + ("; it said:" if lines else ""), *lines])


def threads() -> int:
    """Returns the threads for llama.cpp: OMP_NUM_THREADS, else half of the processors of this process. Threads wait for
    each other in busy loops, so that two of them are slower than one next to another program."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return int(wanted) if wanted.isdigit() and int(wanted) else max(1, len(os.sched_getaffinity(0)) // 2)


def serve(file: str) -> None:
    """Serves a file: prints the address on standard output when ready, and runs until a signal."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = file
    parameters.model_alias = {Path(file).name}
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.api_keys = [os.environ.pop(_KEY)]
    parameters.n_ctx, parameters.n_parallel, parameters.kv_unified = CONTEXT, SLOTS, True
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads()
    parameters.warmup = parameters.fit_params = parameters.ui = False
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    serve(sys.argv[1])
