"""The guard before the HTTP server: it limits who may connect, under which host name, the size of a request, and the
time to receive it and to take its answer. Names and sizes are Starlette's; uvicorn has no limits on a client's time."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Collection, Mapping

from starlette.datastructures import Headers
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_BYTES = 4_000_000  # of a request's body
MOST_CONNECTIONS = 256  # that are open at a time
PATIENCE = 10.0  # seconds for a request to come, and for its answer to be taken


class GuardedConnection(H11Protocol):
    """A connection that is closed if its client takes longer than ``PATIENCE`` to send its request or to take the
    answer, and immediately if ``MOST_CONNECTIONS`` others are open."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        transport.set_write_buffer_limits(0)  # so that cplan notices everything that is not taken
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._wait("request", True)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait("request", self.cycle is None or self.cycle.more_body or self.cycle.response_complete)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait("answer", True)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._wait("answer", False)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for what in list(self._waiting):
            self._wait(what, False)

    def _wait(self, what: str, waiting: bool) -> None:
        """Starts a wait for the client, unless it has started already, or ends it."""
        if waiting and what not in self._waiting:
            self._waiting[what] = self.loop.call_later(PATIENCE, self.transport.abort)
        elif not waiting and what in self._waiting:
            self._waiting.pop(what).cancel()


class Guard:
    """An ASGI application before another, which requires ``token``, if that is not empty, and refuses pages of other
    sites: a browser's request for one names that site, and can do harm even without seeing the answer."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        origin, told = headers.get("origin"), headers.get("authorization", "")
        app = self._app
        if origin is not None and origin.partition("://")[2] != headers.get("host", ""):
            app = _refused(403, "pages of other sites are not allowed")
        elif self._token and not hmac.compare_digest(told.encode("latin-1"), f"Bearer {self._token}".encode()):
            app = _refused(401, "a token is required: Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"})
        await app(scope, receive, send)


def _refused(status: int, error: str, headers: Mapping[str, str] | None = None) -> ASGIApp:
    return JSONResponse({"error": error, "where": None}, status, headers)


def guarded(app: ASGIApp, hosts: Collection[str], token: str) -> ASGIApp:
    """The application behind the guard. ``hosts``: the allowed host names if there is no ``token``, so that no other
    site reaches it through a browser under its own name (DNS rebinding)."""
    limited = RequestBodyLimitMiddleware(app, MOST_BYTES)
    return TrustedHostMiddleware(Guard(limited, token), ["*"] if token else [*hosts], www_redirect=False)
