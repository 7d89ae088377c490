"""``cplan bench multiplication``: with the embedded model, and with a server that cannot multiply large numbers."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.tests.report.lines import rows_in
from tests import chat_troubles as troubles
from tests.chat_server import ChatServer, Messages
from tests.cli.endpoint import environment
from tests.cli.running import Run

__all__ = ["environment"]


def up_to_two_digits(messages: Messages) -> str:
    """Right products up to 99 × 99, too large by one beyond."""
    numbers = re.search(r"what is (\d+) times (\d+)\?", messages[-1]["content"])
    assert numbers is not None
    first, second = int(numbers[1]), int(numbers[2])
    return f"{first} × {second} = **{first * second + (max(first, second) > 99):,}**"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(up_to_two_digits) as running:
        yield running


def bench(*args: str | Path) -> tuple[str | Path, ...]:
    return ("bench", "multiplication", "--workers", "1", "--seeds", "1", *args)


def asking(server: ChatServer, *args: str | Path) -> tuple[str | Path, ...]:
    endpoint = ("--model", "openai:m", "--base-url", server.base_url, "--retries", "0", "--retry-pause", "0")
    return bench("--digits", "1-3", "--tasks", "10", *endpoint, *args)


def successes(folder: Path) -> dict[tuple[str, int], int]:
    return {(r["variant"], r["digits"]): r["successes"] for r in rows_in(folder) if r["part"] == "products"}


def test_a_model_that_multiplies_up_to_two_digits(cplan: Run, tmp_path: Path, server: ChatServer) -> None:
    server.delay = 0.02  # so that questions wait for each other's answers
    ended = cplan(*asking(server, "--parallel", "8", "-o", tmp_path))
    assert ended.code == 0, ended.err
    policy = {digits: number for (variant, digits), number in successes(tmp_path).items() if variant == "policy"}
    model = {digits: number for (variant, digits), number in successes(tmp_path).items() if variant == "model"}
    assert policy == {1: 10, 2: 10, 3: 0}
    assert model == {1: 10, 2: 10, 3: 10}
    assert len(server.requests) == 100 + 3 * 10
    assert server.most_at_once > 1
    table, *blocks = rows_in(tmp_path)
    assert (table["part"], table["calls"]) == ("table", 100)
    assert {row["calls"] for row in blocks if row["variant"] == "model"} == {0}


def test_a_question_without_an_answer_counts_as_wrong_with_its_cause(
    cplan: Run, tmp_path: Path, server: ChatServer
) -> None:
    server.next(troubles.echo(500), troubles.says("I would rather not."))
    ended = cplan(*asking(server, "--methods", "policy", "--parallel", "1", "-o", tmp_path))
    assert ended.code == 0
    assert successes(tmp_path)["policy", 1] == 8
    block = rows_in(tmp_path)[0]
    assert [entry["answer"] for entry in block["wrong"]] == [None, "I would rather not."]
    assert f"what {block['wrong'][0]['first']} times {block['wrong'][0]['second']} is" in " ".join(block["notes"])
    assert block["failures"] == 1


def test_an_error_in_asking_for_the_table_leaves_the_policy(
    cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from commonsense_lab.studies.multiplication.experiment import TableEpisode

    def fail(episode: TableEpisode) -> None:
        raise ZeroDivisionError("oh")

    with monkeypatch.context() as broken:
        broken.setattr(TableEpisode, "run", fail)
        ended = cplan(*bench("--digits", "1", "--tasks", "3", "-o", tmp_path))
    assert ended.code == 1
    assert "ZeroDivisionError: oh" in ended.out
    assert {row["variant"] for row in rows_in(tmp_path) if "error" not in row} == {"policy"}
    assert cplan(*bench("--digits", "1", "--tasks", "3", "--again", "-o", tmp_path)).code == 0
    assert successes(tmp_path) == {("policy", 1): 3, ("model", 1): 3}
