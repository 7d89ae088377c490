"""What is no message of JSON-RPC is answered, and what is one goes on as it came."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest

from commonsense_planning.interfaces.mcp_server import messages

HELLO = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'


def sifted(*lines: bytes) -> tuple[list[bytes], list[dict[str, Any]]]:
    """What goes on, and the answers."""
    wire = BytesIO()
    gone_on = list(messages(lines, wire))
    return gone_on, [json.loads(line) for line in wire.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("line", "number", "code"),
    [
        (b"{", None, -32700),
        (b"hello\n", None, -32700),
        (b"\xff\n", None, -32700),
        (b"[" * 100_000, None, -32700),
        (HELLO.replace(b"ping", b"\\ud800"), 1, -32700),
        (HELLO.replace(b"1,", b'"\\udfff",').replace(b"ping", b"\\ud800"), None, -32700),
        (b"[1, 2]", None, -32600),
        (b'{"id": 7, "method": "ping"}', 7, -32600),
        (b'{"id": [], "method": "ping"}', None, -32600),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_no_message_is_answered_at_once(line: bytes, number: int | None, code: int) -> None:
    gone_on, (answer,) = sifted(HELLO, line, HELLO)
    assert gone_on == [HELLO, HELLO]
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", number, code)
    assert answer["error"]["message"].startswith("no message: ")


def test_blank_lines_are_nothing() -> None:
    assert sifted(b"\n", b" \r\n", HELLO) == ([HELLO], [])
