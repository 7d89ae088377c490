"""A server that misbehaves in many ways, and was not written with cplan in view: each way is a run of ``cplan belief``.
What models write in free text is not tried here."""

import http.client
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.cli.running import Run
from tests.data import shared_tool

TOOL = "quirks.py"
TIMED = re.compile(r"-\d+s$")  # they wait by the clock; the project's own server does it by another one
OTHERS = {"say"}  # wants a file beside the tool
ENDS = {  # with exit code 3, and these words
    "llamacpp-context": "exceeds the available context size",
    "context-exceeded": "maximum context length is 512",
    "anthropic-credit": "credit balance is too low",
    "then-402": "any more: HTTP 402",
    "quota": "exceeded your current quota",
    "deepseek402": "Insufficient Balance",
    "openrouter-200-error": "temporarily rate-limited upstream",
    "openrouter-choice-error": "Upstream provider crashed",
    "html502": "502 Bad Gateway",
    "html524": "524: A timeout occurred",
    "model404": "try pulling it first",
    "lmstudio-nomodel": "Downloaded: qwen3-8b",
    "enable-thinking": "enable_thinking must be set to false",
}
QUICK = ("--only", "apple", "--retries", "8", "--retry-pause", "0.1")
PARTS = 4  # of the ways, for tests that run at the same time
UNHEARD = {"reasoning-only", "refusal", "content-filter-all", "w-empty"}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Of the server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
    with subprocess.Popen([sys.executable, shared_tool(TOOL), str(number)]) as running:
        try:
            while not _there(number):
                assert running.poll() is None
                time.sleep(0.05)
            yield number
        finally:
            running.terminate()


def _there(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
    try:
        connection.request("GET", "/reset")
        return connection.getresponse().status == http.HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()


@pytest.mark.data
@pytest.mark.parametrize("part", range(PARTS))
def test_every_way_ends_in_a_belief_or_in_a_clear_error(
    part: int, port: int, cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1")
    listed = subprocess.run([sys.executable, shared_tool(TOOL), "--list"], capture_output=True, text=True, check=True)
    modes = [line.split()[0] for line in listed.stdout.splitlines()]
    wrong = []
    for mode in modes[part::PARTS]:
        if TIMED.search(mode) or mode in OTHERS or (mode.startswith("w-") and mode not in UNHEARD):
            continue
        asked = ("--model", "openai:m", "--base-url", f"http://127.0.0.1:{port}/{mode}/v1")
        ended = cplan("belief", "household:two-apples", *asked, *QUICK, "--json")
        if mode in ENDS:
            fine = ended.code == 3 and ENDS[mode] in ended.err
        else:
            fine = ended.code == 0 and ended.json["heard"] is (mode not in UNHEARD)
        wrong += [] if fine and "Traceback" not in ended.err else [f"{mode}: {ended.code} {ended.err[:500]}"]
    assert len(modes) > 100
    assert not wrong, os.linesep.join(wrong)
