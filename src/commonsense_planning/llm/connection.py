"""The connection to an endpoint: base URL, the environment's proxies and certificates, single HTTP calls and their
failures. Exceptions of the ``openai`` package and of its HTTP client are mapped here.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import openai

from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import MissingError, UsageError
from commonsense_planning.llm.model import ChatRequest
from commonsense_planning.llm.reply import PACKING, NoReply, Refused, Reply, read_reply, take_body
from commonsense_planning.llm.server_errors import MOST_TOLD, ServerError, read_server_error, without_key

CALL_SECONDS = 300.0  # limit of one call: a local server may load its model first
PROBE_SECONDS = 5.0  # limit of the call that asks which server it is
LONGEST_PAUSE = 60.0  # seconds; if a server asks for a longer pause, the request fails
NO_KEY = "no-key-needed"  # local servers require a key and do not check it
LOOPBACK = ("localhost", "127.0.0.1", "::1")
PROXIES = ("http_proxy", "https_proxy", "all_proxy")
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_CALLS = re.compile(r"(/chat)?/completions/*$")

_Got = TypeVar("_Got")


class Passing(Exception):
    """A failure that may be gone on the next try. ``pause``: seconds that the server asks for; ``status``: HTTP status,
    0 if there was no answer; ``loading``: the server still loads its model; ``late``: the time limit of a call was
    reached."""

    def __init__(
        self, reason: str, pause: float | None = None, status: int = 0, loading: bool = False, late: bool = False
    ) -> None:
        super().__init__(reason)
        self.late = late
        self.pause = pause
        self.status = status
        self.loading = loading


class Lasting(Exception):
    """A failure that trying again does not fix. ``shut_out``: it may affect every request with this key and model;
    ``fatal``: it does."""

    def __init__(self, reason: str, shut_out: bool = False, fatal: bool = False, status: int = 0) -> None:
        super().__init__(reason)
        self.status = status
        self.shut_out = shut_out
        self.fatal = fatal


class Answered(Exception):
    """The server has answered with an error."""

    def __init__(self, error: ServerError) -> None:
        super().__init__(error.reason)
        self.error = error


class ChatClient:
    """Sends requests below ``config.base_url`` with the ``key``, which appears nowhere else. Raises MissingError for
    proxies and certificates of the environment that cannot be used."""

    def __init__(self, config: ModelConfig, key: str) -> None:
        url, query = address_of(config.base_url or "")
        self._key = key
        self._seconds = config.call_seconds or CALL_SECONDS
        own = urlsplit(url).hostname in LOOPBACK  # this machine is reached without a proxy
        if not own:
            _check_proxies()
        headers = {"Accept-Encoding": PACKING, **({"api-key": key} if "api-version" in query else {})}  # Azure's
        try:
            http = openai.DefaultAsyncHttpxClient(
                # openai's default client would try to close itself in whichever event loop runs when it is collected
                event_hooks={"response": [take_body]},
                follow_redirects=False,  # questions and keys go to the base URL and nowhere else
                trust_env=not own,
            )
        except OSError as error:
            name = next((name for name in CERTIFICATES if os.environ.get(name)), "the certificates of this machine")
            value = f": {os.environ[name]}" if name in os.environ else ""
            raise MissingError(f"{name}{value} cannot be read as certificates: {error.strerror or error}") from error
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=url,
            timeout=self._seconds,
            max_retries=0,
            default_headers=headers,
            default_query=query,
            http_client=http,
        )

    @property
    def where(self) -> str:
        """The base URL, without a password and a query."""
        return str(self._client.base_url.copy_with(userinfo=b""))

    @property
    def way_out(self) -> str:
        """A hint at what may be wrong with the base URL; empty if it looks right."""
        if self._client.base_url.path.strip("/"):
            return ""
        return f"Most servers want a base URL that ends in /v1: --base-url {self.where.rstrip('/')}/v1\n"

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def chat(self, request: ChatRequest, parameters: Mapping[str, Any]) -> Reply:
        """Completes a chat. Raises Answered if the server answers with an error, Passing or Lasting otherwise."""
        create: Any = self._client.chat.completions.with_raw_response.create
        messages = list(request.messages)
        raw = await self._limited(lambda: create(model=request.model, messages=messages, **parameters), self._seconds)
        try:
            reply = read_reply(raw.http_response.content, request)
        except NoReply as error:
            raise self._no_reply(error) from error
        texts, refusal = tuple(map(self._without_key, reply.texts)), self._without_key(reply.refusal)
        return replace(reply, texts=texts, refusal=refusal)

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Sends JSON to a path below the base URL and returns the JSON that comes back. Raises as ``chat``."""
        return await self._limited(
            lambda: self._client.post(path.lstrip("/"), cast_to=object, body=dict(body)), self._seconds
        )

    async def owner(self) -> str:
        """Returns the owner in the server's list of models, which tells the kind of server; the call carries no
        question. Raises as ``chat``."""
        listed: Any = await self._limited(lambda: self._client.get("models", cast_to=object), PROBE_SECONDS)
        models = listed.get("data") if isinstance(listed, dict) else None
        first = models[0] if isinstance(models, list) and models else None
        return str(first.get("owned_by", "")) if isinstance(first, dict) else ""

    async def _limited(self, send: Callable[[], Awaitable[_Got]], seconds: float) -> _Got:
        """Makes one HTTP call; the limit holds for the whole answer, even if it arrives byte by byte."""
        try:
            async with asyncio.timeout(seconds):
                return await send()
        except openai.APIStatusError as error:
            response = error.response
            told = read_server_error(response.status_code, response.content, response.headers)
            raise Answered(told.without(self._key)) from error
        except (openai.APITimeoutError, TimeoutError) as error:
            raise Passing(f"no whole answer within {seconds:g} s (--call-timeout)", late=True) from error
        except openai.OpenAIError as error:
            cause = error.__cause__  # older clients wrap what take_body raises as a broken connection
            if isinstance(cause, Refused):
                raise Lasting(str(cause)) from error
            if isinstance(cause, NoReply):
                raise self._no_reply(cause) from error
            raise Passing(f"no connection{f': {self._without_key(str(cause))}' if cause else ''}") from error
        except Refused as error:
            raise Lasting(str(error)) from error
        except NoReply as error:
            raise self._no_reply(error) from error
        except (ValueError, RecursionError) as error:
            raise Passing("the body of the answer is not the JSON that was expected") from error

    def _no_reply(self, error: NoReply) -> Exception:
        """Returns the error for a body that is not a completion: the message in it, if there is one."""
        told = error.told
        if told is None or not (told.status or told.message):
            return Passing(self._without_key(str(error))[:MOST_TOLD])
        told = told.without(self._key)
        return Answered(told) if told.status else Passing(told.reason)

    def _without_key(self, text: str) -> str:
        """Returns an endpoint's text with the key masked, in case it repeats it."""
        return without_key(text, self._key)


def failure_of(error: ServerError) -> Passing | Lasting:
    """Returns the failure for a server's error from which nothing about its parameters can be learnt."""
    status, reason = error.status, error.reason
    if status in (401, 402) or error.no_money:
        return Lasting(reason, fatal=True, status=status)
    if error.elsewhere or status in (403, 404, 405):  # some also answer 403 to a single question that they reject
        return Lasting(reason, shut_out=True, status=status)
    if status in (408, 409, 425, 429) or error.invalid_json or status >= 500:
        if error.pause is not None and error.pause > LONGEST_PAUSE:
            return Lasting(f"{reason} (it asks to wait for {error.pause:.0f} s)")
        return Passing(reason, error.pause, status, error.loading)
    return Lasting(reason, status=status)


def address_of(url: str) -> tuple[str, dict[str, str]]:
    """Returns the base URL, stripped of blanks and of a call's path at its end, and the parameters of its query, which
    go with each request. Raises UsageError for a text that is not the URL of an endpoint."""
    url = url.strip()
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and url.isprintable()
    except ValueError:
        fine = False
    if not fine or " " in url:
        raise UsageError(f"--base-url: {url!r} is no URL of an endpoint, such as http://localhost:8000/v1")
    base = urlunsplit((parts.scheme, parts.netloc, _CALLS.sub("", parts.path), "", ""))
    return base, dict(parse_qsl(parts.query))


def _check_proxies() -> None:
    """Raises MissingError for a proxy of the environment that cannot be used."""
    for name, value in os.environ.items():
        if name.lower() not in PROXIES or not value:
            continue
        try:
            parts = urlsplit(value if "://" in value else f"http://{value}")
            fine = bool(parts.hostname) and parts.port != 0 and value.isprintable()
        except ValueError:
            fine = False
        shown = re.sub(r"//[^/@]*@", "//", value)  # may be a password
        if not fine or parts.scheme not in ("http", "https", "socks5", "socks5h"):
            raise MissingError(
                f"{name}: {shown!r} is no URL of a proxy, such as http://HOST:PORT or socks5://HOST:PORT"
            )
        if parts.scheme.startswith("socks") and find_spec("socksio") is None:
            raise MissingError(f"{name}: the proxy {shown} needs a package: pip install socksio")
