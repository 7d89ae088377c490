"""``cplan bench --record`` and ``--replay``: one file for an experiment, and the same report again from it."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonsense_lab.runner.rows import NAME
from tests import chat_troubles as troubles
from tests.chat_server import ChatServer
from tests.cli.running import CPLAN, Ended, Run

pytestmark = pytest.mark.processes

PAGES = ("report.md", "report.html")


class Bench:
    """Runs an experiment, into a new folder of results each time, and reads what it wrote."""

    def __init__(self, cplan: Run, folder: Path, *args: str) -> None:
        self.cplan, self.folder, self.args = cplan, folder, args
        self.tape = folder / "answers.jsonl"

    def command(self, out: str, *args: str | Path) -> list[str]:
        model = ("--model", "openai:m", "--retries", "0")
        return [str(word) for word in ("bench", *self.args, *model, "-o", self.folder / out, "--quiet", *args)]

    def __call__(self, out: str, *args: str | Path) -> Ended:
        return self.cplan(*self.command(out, *args))

    def record(self, server: ChatServer, out: str, *args: str | Path) -> Ended:
        return self(out, "--record", self.tape, "--base-url", server.base_url, *args)

    def replay(self, out: str, *args: str | Path) -> Ended:
        return self(out, "--replay", self.tape, *args)

    def pages(self, out: str) -> list[bytes]:
        return [(self.folder / out / name).read_bytes() for name in PAGES]

    def rows(self, out: str) -> list[str]:
        return sorted((self.folder / out / NAME).read_text().splitlines())

    def lines(self) -> list[bytes]:
        return self.tape.read_bytes().splitlines(keepends=True)


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def products(cplan: Run, tmp_path: Path) -> Bench:
    """Three episodes: a table of 100 products, and two of two questions each."""
    return Bench(cplan, tmp_path, "multiplication", "--digits", "1-2", "--tasks", "2", "--seeds", "1", "--workers", "1")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(lambda messages: "30") as running:
        yield running


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_replay_gives_the_same_report(workers: str, products: Bench, server: ChatServer) -> None:
    server.next(troubles.says("31"), troubles.status(500))
    recorded = products.record(server, "first", "--workers", workers)
    assert recorded.code == 0, recorded.err
    asked = len(server.requests)
    again = products.replay("again", "--workers", workers)
    assert again.code == 0, again.err
    assert "answers.jsonl: m, 20" in again.out
    assert "prompts cplan-" in again.out
    assert "it answers 4 questions of 4 episodes" in again.out
    assert products.pages("again") == products.pages("first")
    assert products.rows("again") == products.rows("first")
    entries = [json.loads(line) for line in products.lines()]
    assert sum("texts" in entry for entry in entries) == asked == 104
    assert {entry["model"] for entry in entries if "texts" in entry} == {"m"}


def test_a_recording_that_was_cut_off_is_used_as_far_as_it_goes(products: Bench, server: ChatServer) -> None:
    products.record(server, "first", "--methods", "policy")
    whole = products.lines()
    products.tape.write_bytes(b"".join(whole[:4]) + whole[4][:30])
    ended = products.replay("again", "--methods", "policy")
    assert ended.code == 3
    assert "it answers 2 questions of 1 episode; 1 cut off after 1 question:" in ended.out
    assert "cannot answer to the end: 1 episode\n" in ended.out
    assert len(products.rows("again")) == 1
    products.tape.write_bytes(b"".join(whole[:3]))
    assert "1 not in it: their questions are not known beforehand" in products.replay("third").out
    products.tape.write_bytes(b"".join(whole[:2]))
    ended = products.replay("fourth", "--methods", "policy")
    assert ended.code == 3
    assert "none of these episodes whole; it was made by no experiment" in ended.err


def test_a_killed_recording_is_continued(products: Bench, server: ChatServer) -> None:
    server.delay = 0.03
    command = products.command("first", "--record", products.tape, "--base-url", server.base_url, "--workers", "2")
    process = subprocess.Popen([*CPLAN, *command], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 100
    while not products.tape.exists() or len(products.lines()) < 20:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    time.sleep(0.5)  # its worker looks after it
    asked = len(server.requests)
    server.delay = 0
    ended = products.record(server, "first")
    assert ended.code == 0, ended.err
    assert " cut off after " in ended.out
    assert len(server.requests) < asked + 104 - 15
    assert products.replay("again").code == 0
    assert products.pages("again") == products.pages("first")


def test_a_whole_recording_is_not_asked_again(products: Bench, server: ChatServer) -> None:
    products.record(server, "first")
    tape, asked = products.tape.read_bytes(), len(server.requests)
    assert products.record(server, "second").code == 0
    assert (len(server.requests), products.tape.read_bytes()) == (asked, tape)
    assert products.pages("second") == products.pages("first")


def test_a_question_is_found_by_its_text_whatever_the_templates(
    products: Bench, server: ChatServer, tmp_path: Path
) -> None:
    template = tmp_path / "mine" / "product.jinja"
    template.parent.mkdir()
    template.write_text("{{ first }} times {{ second }}?")
    (tmp_path / "mine" / "placement.jinja").write_text("what?")
    mine = ("--methods", "policy", "--prompts", template.parent)
    products.record(server, "first", *mine)
    (tmp_path / "mine" / "placement.jinja").write_text("why?")
    same = products.replay("same", *mine)
    template.write_text("{{ first }} times {{ second }}{{ '!' if first != second }}?")
    asked = len(server.requests)
    resumed = products.record(server, "resumed", *mine)
    assert (resumed.code, len(server.requests) > asked) == (0, True)
    then, now = ([{**json.loads(row), "prompts": ""} for row in products.rows(out)] for out in ("first", "same"))
    assert (same.code, now) == (0, then)
    assert "; 4 were put with other templates than now (" in same.out
    template.write_text("What is {{ first }} times {{ second }}?")
    ended = products.replay("none", *mine)
    assert ended.code == 3
    for told in ("none of these episodes can be replayed", "  -", "+What is", "(templates then: mine-", ", now: mine-"):
        assert told in ended.err
    ended = products.replay("third", "--methods", "policy")
    assert ended.code == 3
    assert "none of these episodes whole; it was made by cplan bench multiplication" in ended.err


def test_two_runs_at_once_get_the_same_answers(products: Bench) -> None:
    numbers = iter(range(10_000))
    with ChatServer(lambda messages: str(next(numbers)), delay=0.01) as server:
        recording = ("--record", products.tape, "--base-url", server.base_url)
        runs = [subprocess.Popen([*CPLAN, *products.command(out, *recording)]) for out in ("one", "two")]
        assert [run.wait(100) for run in runs] == [0, 0]
    one, two = ([{**json.loads(row), "seconds": 0} for row in products.rows(out)] for out in ("one", "two"))
    assert one == two
    products.replay("again")
    assert [{**json.loads(row), "seconds": 0} for row in products.rows("again")] == one


@pytest.mark.parametrize("line", [b"null", b"[]", b'{"part": 5}', b'{"part": "x", "circumstances": 5}', b"\xff", b"{"])
def test_lines_that_are_not_answers_are_skipped(line: bytes, products: Bench, server: ChatServer) -> None:
    products.record(server, "first")
    products.tape.write_bytes(line + b"\n" + products.tape.read_bytes() + line)
    assert products.replay("again").code == 0
    assert products.pages("again") == products.pages("first")


@pytest.mark.parametrize("what", ["recording", "results"])
def test_a_file_that_vanishes_ends_the_run(what: str, products: Bench, server: ChatServer, tmp_path: Path) -> None:
    file = products.tape if what == "recording" else tmp_path / "first" / NAME
    server.next(*([troubles.no_trouble] * 20), lambda request, server: file.unlink())
    ended = products.record(server, "first")
    assert (ended.code, f"{file}: cannot write the {what}" in ended.err) == (2, True)
    assert "removed or replaced in mid-run" in ended.err
    assert not file.exists()
    assert products.record(server, "first").code == 0
    assert products.replay("again").code == 0
    assert products.rows("again") == products.rows("first")
