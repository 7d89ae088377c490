"""What stands before the HTTP server: who may ask, under which name, how much a request may hold, and how long it may
take to come, and its answer to be taken. It reads a request whole before anything else sees it."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_BYTES = 4_000_000  # of a request's body
MOST_DROPPED = 16 * MOST_BYTES  # that are read of one that is too long
MOST_CONNECTIONS = 256  # that are open at a time
PATIENCE = 10.0  # seconds for a request's head to come, for its body, and for its answer to be taken


class Connection(H11Protocol):
    """A connection that is cut where its client takes longer than ``PATIENCE`` to say what it wants, or to take what it
    is told; and at once where ``MOST_CONNECTIONS`` others are open."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See asyncio.Protocol."""
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        transport.set_write_buffer_limits(0)  # so that we hear of all that is not taken
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._wait("request", True)

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        super().data_received(data)
        self._wait("request", self.cycle is None or self.cycle.response_complete)

    def pause_writing(self) -> None:
        """See asyncio.Protocol."""
        super().pause_writing()
        self._wait("answer", True)

    def resume_writing(self) -> None:
        """See asyncio.Protocol."""
        super().resume_writing()
        self._wait("answer", False)

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.Protocol."""
        super().connection_lost(exc)
        for what in list(self._waiting):
            self._wait(what, False)

    def _wait(self, what: str, waiting: bool) -> None:
        """Begin to wait for the client in some respect, if that has not begun; or end it."""
        if waiting and what not in self._waiting:
            self._waiting[what] = self.loop.call_later(PATIENCE, self.transport.abort)
        elif not waiting and what in self._waiting:
            self._waiting.pop(what).cancel()


class Guard:
    """An ASGI application before another. ``hosts``: the names under which the server may be asked for, so that no
    page of elsewhere reaches it through a browser by a name of its own (DNS rebinding). ``token``: what must be told,
    nothing if it is empty."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], token: str) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refused(headers)
        try:
            async with asyncio.timeout(PATIENCE):
                body = await _read(receive, 0 if refused else MOST_BYTES)
        except TimeoutError:
            await _refuse(send, 408, f"a request has {PATIENCE:g} seconds to come")
            return
        except ConnectionError:
            return  # whoever asked has gone, and has perhaps not said all
        if refused:
            await _refuse(send, *refused)
            return
        if body is None:
            await _refuse(send, 413, f"a request holds {MOST_BYTES} bytes at most")
            return
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, again, send)

    def _refused(self, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Status and reason, where this one may not ask. What a browser sends for a page of elsewhere names that page:
        it needs no answer to do harm."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._asked_for(host):
            return 421, "the server is asked for under its own name alone: localhost, 127.0.0.1, or its --host"
        if origin is not None and origin.partition("://")[2] != host:
            return 403, "no page of elsewhere may ask"
        if self._token and not self._may(headers.get("authorization", "")):
            return 401, "a token is wanted: Authorization: Bearer TOKEN"
        return None

    def _asked_for(self, host: str) -> bool:
        try:
            return bool(self._token) or urlsplit(f"//{host}").hostname in self._hosts
        except ValueError:
            return False

    def _may(self, authorization: str) -> bool:
        """Compared in a time that does not tell how much of it is right."""
        return hmac.compare_digest(authorization.encode("latin-1"), f"Bearer {self._token}".encode())


async def _read(receive: Receive, most: int) -> bytes | None:
    """The body; None if it is longer than ``most``. That is read all the same, for a while, and dropped: who is still
    sending hears no answer. Raises ConnectionError where it is cut."""
    parts, size, more = list[bytes](), 0, True
    while more and size <= MOST_DROPPED:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError
        part = message.get("body", b"")
        more = message.get("more_body", False)
        size += len(part)
        if size <= most:
            parts.append(part)
        else:
            parts.clear()
    return b"".join(parts) if size <= most else None


async def _refuse(send: Send, status: int, error: str) -> None:
    body = json.dumps({"error": error, "where": None}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status in (408, 413):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
