"""``cplan train-policy`` and ``cplan solve --method learned-policy``."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.task import read_task
from commonsense_planning.wording.verbalise import News, Verbaliser
from lab.tests.learning.homes import write_trajectories
from tests.cli.running import Run

PACK = Path(__file__).parents[3] / "pddl" / "household"
TASK = (PACK / "domain.pddl", PACK / "problems" / "any-mug.pddl")
PLAN = ("(walk-to-place desk_1 bedroom)", "(grab-from-surface mug_2 desk_1)", "(walk-to-room livingroom)")
PLAN = (*PLAN, "(walk-to-place coffeetable_1 livingroom)", "(put-on mug_2 coffeetable_1)")
SMALL = ("--layers", "2", "--width", "32", "--heads", "2", "--positions", "256", "--quiet")

needs_torch = pytest.mark.skipif(
    not find_spec("torch") or not find_spec("transformers"), reason="the extra train is not installed"
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_trajectories(tmp_path / "D.jsonl", 8)


def write_mug(path: Path) -> Path:
    """Ten times how an expert puts the mug of the household's problem on the coffee table."""
    task = read_task(*TASK)
    grounded, compiled = task.seen_in_part
    numbers = {str(grounded.step(o)): o for o in range(grounded.operator_count)}
    say = Verbaliser(grounded, task.lexicon)
    environment, belief = Environment(compiled, grounded.init), Belief(compiled, uniform_prior(compiled.sensors))
    news = News(say, compiled.hidden)
    belief.update(None, environment.look())
    seen = []
    for step in PLAN:
        seen.append(news.take(belief.truth, belief.known))
        belief.update(numbers[step], environment.step(numbers[step]))
    actions = [say.action(numbers[step]) for step in PLAN]
    line = json.dumps({"instruction": "a mug is on the coffee table", "observations": seen, "actions": actions})
    path.write_text(f"{line}\n" * 10)
    return path


@pytest.mark.train
@needs_torch
def test_what_was_learned_is_done(tmp_path: Path, cplan: Run) -> None:
    data, policy, trace = write_mug(tmp_path / "D.jsonl"), tmp_path / "policy", tmp_path / "trace.jsonl"
    options = ("--epochs", "12", "--batch", "2", "--learning-rate", "0.005", *SMALL)
    ended = cplan("train-policy", data, "-o", policy, *options, "--json")
    assert ended.code == 0, ended.err
    assert ended.json["complete"] and len(ended.json["epochs"]) == 12
    assert "trained: 12 epochs done" in ended.err
    learned = ("--method", "learned-policy", "--weights", policy)
    ended = cplan("solve", *TASK, *learned, "--trace", trace, "--json")
    assert ended.code == 0, ended.err
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    steps = [event for event in events if event["event"] == "step"]
    assert [step["action"] for step in steps] == list(PLAN)
    assert all(step["why"]["logprob"] <= 0 and step["why"]["of"] > 1 for step in steps)
    again = cplan("solve", *TASK, *learned, "--trace", tmp_path / "again.jsonl")
    assert "none was asked" in again.out
    assert (tmp_path / "again.jsonl").read_bytes() == trace.read_bytes()


@pytest.mark.train
@needs_torch
def test_stopped_by_the_clock_it_says_how_to_go_on(data: Path, tmp_path: Path, cplan: Run) -> None:
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
@needs_torch
@pytest.mark.parametrize(("line", "message"), [
    ("train-policy {data} -o {data}", "cannot write the weights"),
    ("train-policy {data} -o {tmp}/p --from {tmp}/none", "there is no such folder"),
    ("train-policy {tmp}/none.jsonl -o {tmp}/p", "none.jsonl: cannot be read: No such file"),
    ("train-policy {tmp}/bad.jsonl -o {tmp}/p", "bad.jsonl:1:1: not a trajectory"),
    ("solve {task} --method learned-policy --weights {tmp}/none", "there is no such folder"),
    ("solve {task} --method learned-policy --weights {tmp}", "not a folder that cplan train-policy wrote"),
])  # fmt: skip
def test_wrong_files(line: str, message: str, data: Path, tmp_path: Path, cplan: Run) -> None:
    (tmp_path / "bad.jsonl").write_text("{}\n")
    words = line.format(data=data, tmp=tmp_path, task=f"{TASK[0]} {TASK[1]}").split()
    ended = cplan(*words)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(("line", "message"), [
    ("train-policy {data}", "Missing option '-o'"),
    ("train-policy {data} -o p --epochs 0", "epochs must be at least 1"),
    ("train-policy {data} -o p --heads 5", "width must be a multiple of heads"),
    ("train-policy {data} -o p --learning-rate 2", "learning-rate must be in (0, 1]"),
    ("train-policy {data} -o p --seed -1", "seed must be at least 0, not -1"),
    ("train-policy {data} -o p --max-minutes 0", "0.0 is not in the range x>0"),
    ("train-policy {data} -o p --from gpt2 --layers 3", "--layers is for a model with random weights"),
    ("solve {task} --method learned-policy", "--weights DIR go together"),
    ("solve {task} --method gbfs --weights p", "--weights belongs to learned-policy, not to gbfs"),
])  # fmt: skip
def test_wrong_options(line: str, message: str, data: Path, cplan: Run) -> None:
    ended = cplan(*line.format(data=data, task=f"{TASK[0]} {TASK[1]}").split())
    assert ended.code == 2
    assert message in ended.err


def test_without_the_extra_it_says_what_to_install(
    data: Path, tmp_path: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    for command in (
        ("train-policy", data, "-o", tmp_path / "policy"),
        ("solve", *TASK, "--method", "learned-policy", "--weights", tmp_path),
    ):
        ended = cplan(*command)
        assert ended.code == 3
        assert "pip install 'commonsense-planning[train]'" in ended.err
