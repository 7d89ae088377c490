"""The connection to an endpoint: base URL, key, the environment's proxies and certificates, single HTTP calls and their
failures. Exceptions of the ``openai`` package and of its HTTP client are mapped here.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import ssl
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import openai

from commonsense_planning.errors import MissingError, UsageError
from commonsense_planning.llm.reply import NO_JSON, PACKING, STREAM, take_body
from commonsense_planning.llm.server_errors import read_server_error, without_key
from commonsense_planning.llm.stream import joined
from commonsense_planning.llm.transport import CALLS, ErrorResponse, PermanentFailure, TransientFailure

CALL_SECONDS = 300.0  # limit of one call: a local server may load its model first
NO_KEY = "no-key-needed"  # local servers require a key and do not check it
LOOPBACK = ("localhost", "127.0.0.1", "::1")
DONE = b"[DONE]"  # the last event of a stream
PROXIES = ("http_proxy", "https_proxy", "all_proxy")
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")

_Got = TypeVar("_Got")


class Connection:
    """HTTP below the base URL ``url``, with the ``key``, which appears nowhere else: it is masked in all that a server
    sends. ``headers``: what a provider wants besides, or in place of "Authorization: Bearer KEY". ``seconds``: limit of
    one call. Raises UsageError for a wrong URL, MissingError for proxies and certificates of the environment that
    cannot be used."""

    def __init__(
        self, url: str, key: str, seconds: float | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        url, query = address_of(url)
        self._key = key
        self._seconds = seconds or CALL_SECONDS
        parts = urlsplit(url)
        own = parts.hostname in LOOPBACK  # this machine is reached without a proxy
        if not own:
            _check_proxies()
        sent = {"Accept-Encoding": PACKING, **({"api-key": key} if "api-version" in query else {})}
        # what openai's client adds by itself can be left out of single calls only
        self._options: Any = {} if headers is None else {"headers": {"Authorization": openai.Omit(), **headers}}
        files = [os.environ.get(name) or None for name in CERTIFICATES]
        try:
            trusted = (
                ssl.create_default_context(cafile=files[0], capath=files[1])
                if own and parts.scheme == "https" and any(files)
                else True
            )
            http = openai.DefaultAsyncHttpxClient(
                # openai's default client would try to close itself in whichever event loop runs when it is collected
                event_hooks={"response": [partial(take_body, key=key)]},
                follow_redirects=False,  # questions and keys go to the base URL and nowhere else
                trust_env=not own,
                verify=trusted,  # which the environment says of other machines
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
            default_headers=sent,
            default_query=query,
            http_client=http,
        )

    @property
    def where(self) -> str:
        """The base URL, without a password and a query."""
        return str(self._client.base_url.copy_with(userinfo=b""))

    @property
    def hint(self) -> str:
        """A hint at what may be wrong with the base URL; empty if it looks right."""
        if self._client.base_url.path.strip("/"):
            return ""
        return f"Most servers want a base URL that ends in /v1: --base-url {self.where.rstrip('/')}/v1\n"

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def post(self, path: str, body: Mapping[str, Any], read: Callable[[bytes], _Got]) -> _Got:
        """Sends JSON to a path below the base URL, and returns what ``read`` makes of the body that comes back.

        Raises ErrorResponse if the server answers with an error, TransientFailure or PermanentFailure otherwise; a
        ValueError of ``read`` is a TransientFailure.
        """
        binary = openai.HttpxBinaryResponseContent
        send = partial(self._client.post, path, cast_to=binary, body=dict(body), options=self._options)
        return await self._read(send, read, self._seconds)

    async def get(self, path: str, seconds: float) -> Any:
        """Returns the JSON at a path below the base URL. Raises as ``post``."""
        send = partial(self._client.get, path, cast_to=openai.HttpxBinaryResponseContent, options=self._options)
        return await self._read(send, json.loads, seconds)

    async def _read(self, send: Callable[[], Awaitable[Any]], read: Callable[[bytes], _Got], seconds: float) -> _Got:
        """Makes one call; the limit holds for the whole answer, even if it arrives byte by byte."""
        try:
            async with asyncio.timeout(seconds):
                answer = await send()
                streams = STREAM in answer.response.headers.get("Content-Type", "")
                content = await self._joined(answer.response, DONE in answer.content) if streams else answer.content
            return read(content)
        except openai.APIStatusError as error:
            response = error.response
            raise ErrorResponse(read_server_error(response.status_code, response.content, response.headers)) from error
        except (openai.APITimeoutError, TimeoutError) as error:
            raise TransientFailure(f"no whole answer within {seconds:g} s (--call-timeout)", late=True) from error
        except openai.OpenAIError as error:
            cause = error.__cause__  # older clients wrap what take_body raises as a broken connection
            if isinstance(cause, TransientFailure | PermanentFailure):
                raise cause from error
            reason = f": {without_key(str(cause), self._key)}" if cause else ""
            raise TransientFailure(f"no connection{reason}") from error
        except (ValueError, RecursionError) as error:
            raise TransientFailure(NO_JSON) from error

    async def _joined(self, response: Any, whole: bool) -> bytes:
        """Returns a stream of events as the body that it would be without one; ``whole``: its end has come."""
        events: list[object] = []
        try:
            async for event in openai.AsyncStream(cast_to=object, response=response, client=self._client):
                events.append(event)
        except openai.APIError as error:  # an event that is an error
            events.append({"error": error.body})
        return json.dumps(joined(events, whole)).encode()


def key_from(name: str) -> str:
    """Returns the key in an environment variable, empty if it is not set. Raises UsageError for characters that no key
    has."""
    key = os.environ.get(name, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError(f"{name} holds characters that no key has; look at how it is set")
    return key


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
    base = urlunsplit((parts.scheme, parts.netloc, CALLS.sub("", parts.path), "", ""))
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
