"""``cplan train-policy`` and ``cplan solve --method learned-policy``."""

import json
import sys
from pathlib import Path

import pytest

from commonsense_planning.wording.verbalise import News, Verbaliser
from lab.tests.learning.homes import NEEDS_TORCH, write_trajectories
from lab.tests.report.lines import records
from tests.cli.running import Run
from tests.scripted import HOUSEHOLD, World

TASK = (HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "any-mug.pddl")
PLAN = ("(walk-to-place desk_1 bedroom)", "(grab-from-surface mug_2 desk_1)", "(walk-to-room livingroom)")
PLAN = (*PLAN, "(walk-to-place coffeetable_1 livingroom)", "(put-on mug_2 coffeetable_1)")
SMALL = ("--layers", "2", "--width", "32", "--heads", "2", "--positions", "256", "--quiet")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_trajectories(tmp_path / "D.jsonl", 8)


def write_mug(path: Path) -> Path:
    """Ten times how an expert puts the mug of the household's problem on the coffee table."""
    world, steps = World(TASK[1]), [step.strip("()") for step in PLAN]
    say = Verbaliser(world.task, world.pack.lexicon)
    news, seen = News(say, world.compiled.hidden), []
    for step in steps:
        seen.append(news.take(world.belief.truth, world.belief.known))
        world.do(step)
    actions = [say.action(world.operators[step]) for step in steps]
    line = json.dumps(
        {"instruction": "a mug is on the coffee table (living room)", "observations": seen, "actions": actions}
    )
    path.write_text(f"{line}\n" * 10)
    return path


@pytest.mark.train
@NEEDS_TORCH
def test_a_learned_plan_is_carried_out(tmp_path: Path, cplan: Run) -> None:
    data, policy, trace = write_mug(tmp_path / "D.jsonl"), tmp_path / "policy", tmp_path / "trace.jsonl"
    options = ("--epochs", "12", "--batch", "2", "--learning-rate", "0.005", *SMALL)
    ended = cplan("train-policy", data, "-o", policy, *options, "--json")
    assert ended.code == 0, ended.err
    assert ended.json["complete"] and len(ended.json["epochs"]) == 12
    assert "trained: 12 epochs done" in ended.err
    learned = ("--method", "learned-policy", "--weights", policy)
    ended = cplan("solve", *TASK, *learned, "--trace", trace, "--json")
    assert ended.code == 0, ended.err
    events = records(trace)
    steps = [event for event in events if event["event"] == "step"]
    assert [step["action"] for step in steps] == list(PLAN)
    assert all(step["why"]["logprob"] <= 0 and step["why"]["of"] > 1 for step in steps)
    again = cplan("solve", *TASK, *learned, "--trace", tmp_path / "again.jsonl")
    assert "none was asked" in again.out
    assert (tmp_path / "again.jsonl").read_bytes() == trace.read_bytes()


@pytest.mark.train
@NEEDS_TORCH
def test_stopped_by_the_clock_it_names_the_command_that_resumes(data: Path, tmp_path: Path, cplan: Run) -> None:
    command = ("train-policy", data, "-o", tmp_path / "policy", "--epochs", "2", *SMALL)
    ended = cplan(*command, "--max-minutes", "1e-9")
    assert ended.code == 4
    assert "stopped: 1 epoch done" in ended.out
    assert "the same command resumes" in ended.out
    ended = cplan(*(word for word in command if word != "--quiet"))
    assert ended.code == 0
    assert "8 trajectories, 1 held out" in ended.out
    assert "resuming after batch 1" in ended.out
    assert "epoch 2 of 2: loss " in ended.out
    assert "epoch 1 of 2" not in ended.out


@pytest.mark.train
@NEEDS_TORCH
def test_a_folder_that_cannot_be_written(data: Path, cplan: Run) -> None:
    cplan("train-policy", data, "-o", data).says(2, "cannot write the weights")


def test_without_the_extra_the_package_to_install_is_named(
    data: Path, tmp_path: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    for command in (
        ("train-policy", data, "-o", tmp_path / "policy"),
        ("solve", *TASK, "--method", "learned-policy", "--weights", tmp_path),
    ):
        cplan(*command).says(3, "pip install 'commonsense-planning[train]'")
