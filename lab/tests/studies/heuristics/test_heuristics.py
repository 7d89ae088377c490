"""The experiment of heuristics that a model writes: its problems, rows and tables; the hand-written heuristics."""

from pathlib import Path

import pytest

from commonsense_lab.learning.guarded_python import check
from commonsense_lab.report.study import report_of
from commonsense_lab.studies.heuristics.benchmarks import problems, training
from commonsense_lab.studies.heuristics.solvers import HAND_WRITTEN, hand_written
from commonsense_lab.studies.heuristics.tables import sections
from commonsense_planning.errors import InputError
from lab.tests.learning.heuristics import COUNTING, GOOD
from lab.tests.report.lines import grids
from lab.tests.studies.conftest import Bench
from tests.chat_server import ChatServer
from tests.cli.endpoint import environment
from tests.cli.running import Run, cplan
from tests.towers import DOMAIN, problem

pytestmark = pytest.mark.processes

__all__ = ["cplan", "environment"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Benchmarks of one domain, named as a domain of the experiment, with three test problems of each level."""
    folder = tmp_path / "benchmarks" / "blocksworld"
    for part, first in {"training/easy": 2, "testing/easy": 2, "testing/medium": 5, "testing/hard": 8}.items():
        (folder / part).mkdir(parents=True)
        for i in (1, 2, 3):
            (folder / part / f"p{i:02}.pddl").write_text(problem("tower", first + i - 1))
    (folder / "domain.pddl").write_text(DOMAIN)
    return folder.parent


def test_every_ninth_problem_of_all_levels(data: Path) -> None:
    def chosen(*of: int) -> list[tuple[str, str]]:
        return [(level, file.stem) for level, file in problems(data, "blocksworld", *of)]

    assert chosen(4) == [("easy", "p03"), ("hard", "p01")] and len(chosen(1)) == 9
    assert chosen(4, 4) == [("medium", "p01"), ("hard", "p02")]


def test_training_problems_from_the_smallest_to_the_largest(data: Path) -> None:
    for count, names in {2: ["p01", "p03"], 9: ["p01", "p02", "p03"], 1: ["p01"]}.items():
        assert [file.stem for file in training(data, "blocksworld", count)] == names
    with pytest.raises(InputError, match="there are no problems"):
        training(data, "missing", 2)


WRITING = ("--training", "2", "--every", "4", "--candidates", "1", "--model", "openai:m")


def test_the_experiment_from_writing_to_tables(bench: Bench, cplan: Run, data: Path, tmp_path: Path) -> None:
    recording, out = tmp_path / "answers.jsonl", tmp_path / "results"
    written = ("heuristics", "--data", data, *WRITING, "--solvers", "gbfs,hand-written,llm-heuristic")
    dry = cplan("bench", *written, "--dry-run", "-o", out)
    assert "5 episodes: 0 are there, 5 to run" in dry.out and "Further episodes depend" in dry.out
    assert not out.exists()
    with ChatServer(lambda messages: GOOD if "mended" in messages[-1]["content"] else COUNTING) as server:
        bench(*written, "--base-url", server.base_url, "--record", recording)
        assert len(server.requests) == 2
    sections = report_of(out).sections
    coverage, same, wrote = grids(sections[0], *sections[2:])
    assert coverage.rows[0] == ("blocksworld", "2 of 2", "2 of 2", "2 of 2")
    assert coverage.head == ("domain", "gbfs", "hand-written", "llm-heuristic, openai:m")
    assert same.rows[0][:5] == ("llm-heuristic, openai:m", "gbfs", "2", "0", "0")
    assert wrote.rows[0][2:7] == ("2 of 2", "2 of 2", "1", "0", "1")
    assert sections[1].title == "Seconds, expansions, calls, steps"
    out.rename(tmp_path / "before")
    bench(*written, "--replay", recording)
    assert grids(report_of(out).sections[2]) == [same]


def test_the_model_gets_names_without_meaning(bench: Bench, data: Path, tmp_path: Path) -> None:
    with ChatServer(lambda messages: COUNTING) as server:
        names = ("--repairs", "0", "--solvers", "llm-heuristic", "--names", "obfuscated,plain")
        bench("heuristics", "--data", data, *WRITING, *names, "--base-url", server.base_url)
        renamed, plain = (request.prompt.partition("The domain:")[2] for request in server.requests)
    assert "unstack" in plain and "unstack" not in renamed and "(define (domain d" in renamed
    (coverage,) = grids(report_of(tmp_path / "results").sections[0])
    assert coverage.head == ("domain", "llm-heuristic, openai:m", "llm-heuristic, openai:m, other names")
    assert coverage.rows[0] == ("blocksworld", "2 of 2", "2 of 2")


def test_without_a_model_that_writes_the_column_is_empty(bench: Bench, data: Path, tmp_path: Path) -> None:
    bench("heuristics", "--data", data, "--every", "9", "--solvers", "hand-written,gbfs")
    assert grids(report_of(tmp_path / "results").sections[0])[0].head == ("domain", "gbfs", "hand-written")


@pytest.mark.parametrize(("option", "value", "said"), [
    ("--solvers", "lama", "there is no solver lama"),
    ("--domains", "ferry", "there is no domain ferry"),
    ("--data", "nowhere", "no benchmarks here"),
    ("--solvers", "llm-heuristic", "writes no programs"),
])  # fmt: skip
def test_wrong_options_are_named(cplan: Run, data: Path, tmp_path: Path, option: str, value: str, said: str) -> None:
    args = {"--data": data, option: value, "-o": tmp_path / "out"}
    cplan("bench", "heuristics", *(word for pair in args.items() for word in pair)).says(2, said)


@pytest.mark.parametrize("file", sorted(HAND_WRITTEN.glob("*.txt")), ids=lambda file: file.stem)
def test_hand_written_heuristics_keep_to_the_rules(file: Path) -> None:
    check(hand_written(file.stem), file)


def test_each_of_the_ten_domains_has_a_hand_written_heuristic() -> None:
    assert len(list(HAND_WRITTEN.glob("*.txt"))) == 10
    assert hand_written("no-such-domain") == ""


def test_no_rows_no_sections() -> None:
    assert list(sections("", [], "heuristics")) == []
