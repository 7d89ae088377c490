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
    for part, sizes in {
        "training/easy": (2, 3, 4),
        "testing/easy": (2, 3, 4),
        "testing/medium": (5, 6, 7),
        "testing/hard": (8, 9, 10),
    }.items():
        (folder / part).mkdir(parents=True)
        for i, size in enumerate(sizes, start=1):
            (folder / part / f"p{i:02}.pddl").write_text(problem(f"tower-{size}", size))
    (folder / "domain.pddl").write_text(DOMAIN)
    return folder.parent


def test_every_ninth_problem_of_all_levels(data: Path) -> None:
    assert [(level, file.stem) for level, file in problems(data, "blocksworld", 4)] == [
        ("easy", "p03"),
        ("hard", "p01"),
    ]
    assert len(problems(data, "blocksworld", 1)) == 9
    assert [(level, file.stem) for level, file in problems(data, "blocksworld", 4, 4)] == [
        ("medium", "p01"),
        ("hard", "p02"),
    ]


def test_training_problems_from_the_smallest_to_the_largest(data: Path) -> None:
    assert [file.stem for file in training(data, "blocksworld", 2)] == ["p01", "p03"]
    assert [file.stem for file in training(data, "blocksworld", 9)] == ["p01", "p02", "p03"]
    assert [file.stem for file in training(data, "blocksworld", 1)] == ["p01"]
    with pytest.raises(InputError, match="there are no problems"):
        training(data, "missing", 2)


def test_the_experiment_from_writing_to_tables(cplan: Run, data: Path, tmp_path: Path) -> None:
    out, recording = tmp_path / "results", tmp_path / "answers.jsonl"
    asked = ("bench", "heuristics", "--data", data, "--training", "2", "--every", "4", "--workers", "1", "--quiet")
    written = ("--candidates", "1", "--solvers", "gbfs,hand-written,llm-heuristic", "--model", "openai:m")
    dry = cplan(*asked, *written, "--dry-run", "-o", out)
    assert "5 episodes: 0 are there, 5 to run" in dry.out and "Further episodes depend" in dry.out
    assert not out.exists()
    with ChatServer(lambda messages: GOOD if "mended" in messages[-1]["content"] else COUNTING) as server:
        ended = cplan(*asked, *written, "--base-url", server.base_url, "--record", recording, "-o", out)
        calls = len(server.requests)
    assert (ended.code, calls) == (0, 2), ended.err
    coverage, speed, same, wrote = report_of(out).sections
    assert coverage.parts[1].rows[0] == ("blocksworld", "2 of 2", "2 of 2", "2 of 2")  # type: ignore[union-attr]
    assert coverage.parts[1].head == ("domain", "gbfs", "hand-written", "llm-heuristic, openai:m")  # type: ignore[union-attr]
    assert same.parts[1].rows[0][:5] == ("llm-heuristic, openai:m", "gbfs", "2", "0", "0")  # type: ignore[union-attr]
    assert wrote.parts[1].rows[0][2:7] == ("2 of 2", "2 of 2", "1", "0", "1")  # type: ignore[union-attr]
    assert speed.title == "Seconds, expansions, calls, steps"
    again = cplan(*asked, *written, "--replay", recording, "-o", tmp_path / "again")
    assert again.code == 0, again.err
    assert [s.parts[1] for s in report_of(tmp_path / "again").sections[2:]][0] == same.parts[1]


def test_the_model_gets_names_without_meaning(cplan: Run, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    asked = ("--training", "2", "--every", "4", "--workers", "1", "--quiet", "--candidates", "1", "--repairs", "0")
    with ChatServer(lambda messages: COUNTING) as server:
        names = ("--solvers", "llm-heuristic", "--names", "obfuscated,plain", "--model", "openai:m")
        ended = cplan("bench", "heuristics", "--data", data, *asked, *names, "--base-url", server.base_url, "-o", out)
        renamed, plain = (request.prompt.partition("The domain:")[2] for request in server.requests)
    assert ended.code == 0, ended.err
    assert "unstack" in plain and "unstack" not in renamed and "(define (domain d" in renamed
    head = report_of(out).sections[0].parts[1].head  # type: ignore[union-attr]
    assert head == ("domain", "llm-heuristic, openai:m", "llm-heuristic, openai:m, other names")
    assert report_of(out).sections[0].parts[1].rows[0] == ("blocksworld", "2 of 2", "2 of 2")  # type: ignore[union-attr]


def test_without_a_model_that_writes_the_column_is_empty(cplan: Run, data: Path, tmp_path: Path) -> None:
    asked = ("--every", "9", "--workers", "1", "--quiet", "--solvers", "hand-written,gbfs", "-o", tmp_path / "out")
    assert cplan("bench", "heuristics", "--data", data, *asked).code == 0
    assert report_of(tmp_path / "out").sections[0].parts[1].head == ("domain", "gbfs", "hand-written")  # type: ignore[union-attr]
    ended = cplan("bench", "heuristics", "--data", data, "--solvers", "llm-heuristic", "-o", tmp_path / "out")
    assert (ended.code, "writes no programs" in ended.err) == (2, True)


@pytest.mark.parametrize(("option", "value", "said"), [
    ("--solvers", "lama", "there is no solver lama"),
    ("--domains", "ferry", "there is no domain ferry"),
    ("--data", "nowhere", "no benchmarks here"),
])  # fmt: skip
def test_wrong_options_are_named(cplan: Run, data: Path, tmp_path: Path, option: str, value: str, said: str) -> None:
    args = {"--data": str(data), option: value}
    ended = cplan("bench", "heuristics", *(word for pair in args.items() for word in pair), "-o", tmp_path / "out")
    assert (ended.code, said in ended.err) == (2, True)


@pytest.mark.parametrize("file", sorted(HAND_WRITTEN.glob("*.txt")), ids=lambda file: file.stem)
def test_hand_written_heuristics_keep_to_the_rules(file: Path) -> None:
    check(hand_written(file.stem), file)


def test_each_of_the_ten_domains_has_a_hand_written_heuristic() -> None:
    assert len(list(HAND_WRITTEN.glob("*.txt"))) == 10
    assert hand_written("no-such-domain") == ""


def test_no_rows_no_sections() -> None:
    assert list(sections("", [], "heuristics")) == []
