"""What stands before the HTTP server: who may ask, under which name, how much a request may hold, and how long it may
take to come. It reads a request whole before anything else sees it."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 4_000_000  # of a request's body
MOST_DROPPED = 16 * MOST_BYTES  # that are read of one that is too long
PATIENCE = 10.0  # seconds for it to come


class Guard:
    """An ASGI application before another. ``hosts``: the names under which the server may be asked for, so that no
    page of elsewhere reaches it through a browser. ``token``: what must be told, nothing if it is empty."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], token: str) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            async with asyncio.timeout(PATIENCE):
                body = await _read(receive)
        except TimeoutError:
            await _refuse(send, 408, f"a request has {PATIENCE:g} seconds to come")
            return
        if not self._asked_for(headers.get("host", "")):
            await _refuse(send, 421, "the server is not asked for under its own name")
            return
        if self._token and not self._may(headers.get("authorization", "")):
            await _refuse(send, 401, "a token is wanted: Authorization: Bearer TOKEN")
            return
        if body is None:
            await _refuse(send, 413, f"a request holds {MOST_BYTES} bytes at most")
            return
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, again, send)

    def _asked_for(self, host: str) -> bool:
        try:
            return bool(self._token) or urlsplit(f"//{host}").hostname in self._hosts
        except ValueError:
            return False

    def _may(self, authorization: str) -> bool:
        return hmac.compare_digest(authorization.encode("latin-1"), f"Bearer {self._token}".encode())


async def _read(receive: Receive) -> bytes | None:
    """The body; None if it is too long. That is read all the same, for a while, and dropped: who is still sending
    hears no answer."""
    parts, size, more = list[bytes](), 0, True
    while more and size <= MOST_DROPPED:
        message = await receive()
        part = message.get("body", b"")
        more = message.get("more_body", False)
        size += len(part)
        if size <= MOST_BYTES:
            parts.append(part)
    return b"".join(parts) if size <= MOST_BYTES else None


async def _refuse(send: Send, status: int, error: str) -> None:
    body = json.dumps({"error": error, "where": None}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status in (408, 413):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
