"""Running ``cplan solve`` against the tests' chat server."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonsense_planning.cli.output import visible
from tests.chat_server import ChatServer, Messages, offered, wanted
from tests.cli.running import Ended, Run

KEY = "sk-very-secret-0123456789"
QUICK = ("--ask-by", "samples", "--samples", "2", "--retries", "1", "--retry-pause", "0", "--parallel", "4")
ASKING = ("--policy-as", "prior")  # what comes next is asked, though it saves no step in so small a task


def sensible(messages: Messages) -> str:
    """A place to a placement question, an action to the question what to do next."""
    prompt = next(message["content"] for message in reversed(messages) if message["role"] == "user")
    places = re.search(r"possible positions are: (.*)\.", prompt)
    if places:
        place = places[1].split(", ")[-1]
        return "\n".join(f"{thing}: {place}" for thing in wanted(prompt)) or f"Answer: {place}."
    options = offered(prompt)
    assert options, prompt
    taking = [option for option in options if option.startswith("take")]
    return ", ".join([*taking, *options])


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A server that answers sensibly."""
    with ChatServer(sensible) as running:
        yield running


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, and no other endpoint than the one that is named."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


class Solve:
    """Runs ``cplan solve`` on the tiny task, keeps the files that it writes, and looks for the key in everything."""

    def __init__(self, cplan: Run, tiny: tuple[Path, Path], folder: Path) -> None:
        self.cplan, self.tiny, self.folder = cplan, tiny, folder
        self.plan, self.trace = folder / "plan", folder / "trace.jsonl"

    def __call__(self, server: ChatServer, *args: str | Path, quick: tuple[str, ...] = QUICK) -> Ended:
        """With ``--json``: text comes on stderr."""
        files = ("--plan", self.plan, "--trace", self.trace)
        quick += ASKING if quick is QUICK and "--method" not in args else ()
        ended = self.cplan(
            "solve", *self.tiny, "--model", "openai:m", "--base-url", server.base_url, *quick, *files, *args, "--json"
        )
        self.look_for_the_key(ended)
        assert "Traceback" not in ended.out + ended.err, ended.err
        assert visible(ended.err) == ended.err
        assert ended.out.isascii() and visible(ended.out) == ended.out
        return ended

    def look_for_the_key(self, ended: Ended) -> None:
        """Nothing that a run says or writes has the key in it."""
        written = [path.read_text() for path in self.folder.rglob("*") if path.is_file()]
        assert not any(KEY in text for text in (ended.out, ended.err, *written))

    @property
    def notes(self) -> list[str]:
        """All notes of the trace."""
        events = [json.loads(line) for line in self.trace.read_text().splitlines()]
        return [note for event in events for note in event.get("notes", ())]


@pytest.fixture
def solve(cplan: Run, tiny: tuple[Path, Path], tmp_path: Path) -> Solve:
    return Solve(cplan, tiny, tmp_path)
