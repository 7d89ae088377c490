"""Many problems in one run of ``cplan solve``: what each alone would give, in their order."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning import BudgetConfig, ModelConfig, Status, read_plan
from commonsense_planning.cli import jobs
from commonsense_planning.validation.verdict import CAME
from tests.cli.running import Ended, Run
from tests.data import REPOSITORY
from tests.results import check_result

pytestmark = pytest.mark.processes

UNREACHABLE = "(:goal (and (held ball) (in ball red-box)))"
Tiny = tuple[Path, Path]


@pytest.fixture
def three(tiny: Tiny) -> list[Path]:
    """A problem with a plan, one that is no PDDL, and one without a plan."""
    text = tiny[1].read_text()
    files = [tiny[1].with_name(name) for name in ("first.pddl", "broken.pddl", "hopeless.pddl")]
    goal = text.index("(:goal")
    for file, content in zip(files, (text, text[:goal], text[:goal] + UNREACHABLE + ")"), strict=True):
        file.write_text(content)
    return files


def lines(ended: Ended) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ended.out.splitlines()]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_each_gives_its_line_in_the_order_of_the_problems(jobs: str, tiny: Tiny, three: list[Path], cplan: Run) -> None:
    ended = cplan("solve", tiny[0], *three, "--method", "gbfs", "--jobs", jobs, "--json", "--quiet")
    found = lines(ended)
    assert [line["file"] for line in found] == list(map(str, three))
    assert [line["status"] for line in found] == ["solved", None, "unsolvable"]
    assert ended.code == 2  # the highest of 0, 2 and 1
    assert found[1].keys() == {"file", "status", "reason"}
    assert found[1]["reason"] in ended.err
    assert "1 of 3 problems solved" in ended.err
    alone = cplan("solve", tiny[0], three[0], "--method", "gbfs", "--json", "--quiet").json
    assert {**alone, "file": str(three[0]), "seconds": 0} == {**found[0], "seconds": 0}


def test_equal_seeds_give_equal_plans_in_whatever_process(tiny: Tiny, cplan: Run) -> None:
    again = tiny[1].with_name("again.pddl")
    shutil.copyfile(tiny[1], again)
    alone = cplan("solve", *tiny, "--seed", "5", "--json").json
    for number in ("1", "2"):
        found = lines(cplan("solve", *tiny, again, "--seed", "5", "--jobs", number, "--json"))
        for line in found:
            assert {**line, "seconds": 0} == {"file": line["file"], **alone, "seconds": 0}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_plans_and_traces_go_to_folders(jobs: str, tiny: Tiny, three: list[Path], cplan: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    ended = cplan("solve", tiny[0], *three, "--method", "gbfs", "--plan", out, "--trace", out, "--jobs", jobs)
    assert ended.code == 2
    assert {path.name for path in out.iterdir()} == {"first.plan", "first.jsonl", "hopeless.jsonl"}
    assert len(read_plan(out / "first.plan")) == 3
    assert [str(file) in ended.out.splitlines() for file in three] == [True] * 3


def test_episodes_are_one_seed_after_the_other(tmp_path: Path, cplan: Run) -> None:
    pack = REPOSITORY / "pddl/household"
    files = (pack / "domain-slips.pddl", pack / "problems/small-apple.pddl", "--sensors", pack / "sensors-slips.pddl")
    run = ("solve", *files, "--method", "llm-replan", "--json", "--quiet")
    ended = cplan(*run, "--episodes", 3, "--seed", 4, "--plan", tmp_path)
    found = lines(ended)
    assert [line["seed"] for line in found] == [4, 5, 6] and ended.code == 0
    assert {path.name for path in tmp_path.iterdir()} == {f"small-apple-{seed}.plan" for seed in (4, 5, 6)}
    assert "3 of 3 episodes solved: 1.00 [0.44, 1.00]; cost " in ended.err
    assert {line["valid_means"] for line in found} == {CAME} and "valid" not in ended.err
    alone = cplan(*run, "--seed", 5).json
    assert {**alone, "file": str(files[1]), "seconds": 0} == {**found[1], "seconds": 0}
    assert len({line["steps"] for line in found}) > 1, "worlds differ"


def test_an_interrupt_keeps_what_is_done(
    tiny: Tiny, three: list[Path], cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    solving = jobs.solve_and_print

    def interrupted(request: Any, *rest: Any) -> Any:
        if "hopeless" not in request.task.problem.problem_file.name:
            return solving(request, *rest)
        raise KeyboardInterrupt

    monkeypatch.setattr(jobs, "solve_and_print", interrupted)
    ended = cplan("solve", tiny[0], *three, "--method", "gbfs", "--json")
    assert ended.code == Status.INTERRUPTED.exit_code
    assert [line["status"] for line in lines(ended)] == ["solved", None]


def die(job: jobs.SolveJob, model: ModelConfig, limits: BudgetConfig) -> jobs.JobEnd:
    """Take the process along, at the problem that is broken."""
    if job.problem.name == "broken.pddl":
        os._exit(9)
    return jobs._work(job, model, limits)


def test_a_process_that_dies_stops_no_other(
    tiny: Tiny, three: list[Path], cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_work", die)
    ended = cplan("solve", tiny[0], *three, "--method", "gbfs", "--jobs", "2", "--json")
    assert [line["status"] for line in lines(ended)] == ["solved", None, "unsolvable"]
    assert "the process died" in ended.err
    for line in lines(ended):
        check_result(line)
