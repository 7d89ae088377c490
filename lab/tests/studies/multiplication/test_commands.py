"""``cplan bench multiplication``: with the embedded model, and with a server that cannot multiply large numbers."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonsense_lab.studies.multiplication.experiment import TableEpisode
from lab.tests.report.lines import Row, rows_in
from lab.tests.studies.conftest import Bench
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


def asking(server: ChatServer) -> tuple[str, ...]:
    endpoint = ("--model", "openai:m", "--base-url", server.base_url, "--retries", "0", "--retry-pause", "0")
    return ("multiplication", "--seeds", "1", "--digits", "1-3", "--tasks", "10", *endpoint)


def successes(rows: list[Row]) -> dict[tuple[str, int], int]:
    return {(r["variant"], r["digits"]): r["successes"] for r in rows if r.get("part") == "products"}


def test_a_model_that_multiplies_up_to_two_digits(bench: Bench, server: ChatServer) -> None:
    server.delay = 0.02  # so that questions wait for each other's answers
    rows = bench(*asking(server), "--parallel", "8")
    right = {("policy", digits): 10 * (digits < 3) for digits in (1, 2, 3)}
    assert successes(rows) == right | {("model", digits): 10 for digits in (1, 2, 3)}
    assert len(server.requests) == 100 + 3 * 10
    assert server.most_at_once > 1
    table, *blocks = rows
    assert (table["part"], table["calls"]) == ("table", 100)
    assert {row["calls"] for row in blocks if row["variant"] == "model"} == {0}


def test_a_question_without_an_answer_counts_as_wrong_with_its_cause(bench: Bench, server: ChatServer) -> None:
    server.next(troubles.echo(500), troubles.says("I would rather not."))
    rows = bench(*asking(server), "--methods", "policy", "--parallel", "1")
    assert successes(rows)["policy", 1] == 8
    first, second = rows[0]["wrong"]
    assert (first["answer"], second["answer"]) == (None, "I would rather not.")
    assert f"what {first['first']} times {first['second']} is" in " ".join(rows[0]["notes"])
    assert rows[0]["failures"] == 1


def test_an_error_in_asking_for_the_table_leaves_the_policy(
    cplan: Run, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(episode: TableEpisode) -> None:
        raise ZeroDivisionError("oh")

    few = ("multiplication", "--seeds", "1", "--digits", "1", "--tasks", "3")
    with monkeypatch.context() as broken:
        broken.setattr(TableEpisode, "run", fail)
        ended = cplan("bench", *few, "--workers", "1", "-o", tmp_path / "results")
    assert (ended.code, "ZeroDivisionError: oh" in ended.out) == (1, True)
    assert successes(rows_in(tmp_path / "results")) == {("policy", 1): 3}
    assert successes(bench(*few, "--again")) == {("policy", 1): 3, ("model", 1): 3}
