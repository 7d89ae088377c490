"""An agent that is saved and loaded continues unchanged, and asks no question twice."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning.agent.agent import Agent
from commonsense_planning.agent.agent_file import FORMAT
from commonsense_planning.agent.observation_report import ObservationReport
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import InputError, Status, UsageError
from commonsense_planning.methods.registry import METHODS
from tests.agent.robots import DEMO, Robot, household
from tests.agent.test_agent import ACTING
from tests.chat_server import ChatServer
from tests.data import REPOSITORY


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "agent.json"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")


def kept(file: Path, method: str, report: ObservationReport | None = None, **settings: Any) -> Agent:
    """An agent that has acted once, and was saved."""
    agent = Agent(household(), method=method, **settings)
    agent.act(report)
    agent.save(file)
    return agent


@pytest.mark.processes
@pytest.mark.parametrize("method", ACTING)
def test_a_loaded_agent_continues_unchanged(method: str, file: Path) -> None:
    task = household()
    options = METHODS[method].Options.among({"simulations": 10, "max_steps": 12})
    agent, robot, loads = Agent(task, method=method, options=options, seed=2), Robot(task), 0
    seen = robot.look()
    for step in range(12):
        action = agent.act(seen)
        agent.save(file)
        if step % 3 == 1:
            loaded, loads = Agent.load(file), loads + 1
            assert (loaded.action, loaded.belief, loaded.history) == (agent.action, agent.belief, agent.history)
            assert (loaded.status, loaded.reason) == (agent.status, agent.reason)
            if step > 3:
                agent = loaded  # the other one has gone on without it until now
        if action is None:
            break
        seen = robot.do(action)
    again = Agent(task, method=method, options=options, seed=2)
    other = Robot(task)
    undisturbed = []
    seen = other.look()
    for _ in range(len(agent.history)):
        action = again.act(seen)
        undisturbed.append(None if action is None else str(action))
        seen = other.do(action) if action is not None else seen
    assert [turn.said for turn in agent.history] == undisturbed
    assert loads


@pytest.mark.processes
def test_what_went_wrong_is_remembered(file: Path) -> None:
    agent = kept(file, "llm-replan", Robot(household()).look())
    for _ in range(3):
        agent.act(ObservationReport(applied=False))
    action = agent.act(ObservationReport(true=["(on mug_7 bathroomcounter)"], objects={"mug_7": "movable"}))
    assert action is None or str(action) != "(walk-to-room kitchen)"
    agent.save(file)
    loaded = Agent.load(file)
    assert (loaded.belief, loaded.action, loaded.reason) == (agent.belief, agent.action, agent.reason)
    assert "(on mug_7 bathroomcounter)" in loaded.belief


def test_the_file_is_readable_and_says_what_it_is_of(file: Path) -> None:
    seen = ObservationReport(true=["(on toothbrush_1 bathroomcounter)"])
    agent = kept(file, "uct", seen, options={"simulations": 7}, seed=5, instruction="bring the toothbrush")
    before = file.read_text()
    content = json.loads(before)
    assert content["instruction"] == "bring the toothbrush"
    assert content["task"]["problem"].endswith("pddl/household/problems/small-apple.pddl")
    assert (content["method"], content["options"], content["seed"]) == ("uct", {"simulations": 7}, 5)
    assert content["turns"][0]["seen"] == {"true": ["(on toothbrush_1 bathroomcounter)"]}
    assert content["turns"][0]["said"] == agent.action
    assert not list(file.parent.glob(".cplan-*"))
    Agent.load(file).save(file)
    assert file.read_text() == before


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the file of an agent says."""
    file = tmp_path_factory.mktemp("saved") / "agent.json"
    kept(file, "look-nearest", options={"max_steps": 9}, seed=5, instruction="find it")
    content: dict[str, Any] = json.loads(file.read_text())
    return content


@pytest.mark.parametrize(("place", "value", "said"), [
    ("seed", "5", "seed: should be a valid integer"),
    ("seed", None, "seed: "),
    ("seed", -1, "seed must be at least 0, not -1"),
    ("tries", 0, "tries must be at least 1, not 0"),
    ("error", 1.0, "error must be a probability, at least 0 and below 1, not 1.0"),
    ("error", -0.5, "error must be a probability"),
    ("instruction", 5, "instruction: should be a valid string"),
    ("method", ["uct"], "method: "),
    ("method", "ucd", "no method"),
    ("options", [], "options: "),
    ("options", {"max_steps": "many"}, "max-steps must be of type int, not 'many'"),
    ("options", {"max_steps": True}, "max-steps must be of type int, not True"),
    ("options", {"steps": 9}, "there is no setting steps"),
    ("task", {"domain": 5}, "task.domain: "),
    ("turns", [{"seen": {"true": 5}}], "turns.0.seen.true: "),
    ("turns", [{"seen": {"applied": "yes"}}], "turns.0.seen.applied: "),
    ("turns", [{"seen": {"true": ["(a)"], "false": ["(a)"]}}], "cannot be seen to be both true and false"),
    ("turns", [{"seen": {}, "did": 5}], "turns.0.did: "),
    ("turns", [{"seen": {}, "late": ["x"]}], "turns.0.late.0: "),
    ("answers", ["red"], "answers.0: "),
    ("generator", 5, "generator: "),
    ("limits", {}, "limits: Unexpected keyword"),
])  # fmt: skip
def test_values_of_another_type_are_refused_with_their_place(
    file: Path, saved: dict[str, Any], place: str, value: object, said: str
) -> None:
    file.write_text(json.dumps({**saved, place: value}))
    with pytest.raises(InputError, match=re.escape(f"{file}: not the file of an agent: ") + f".*{re.escape(said)}"):
        Agent.load(file, household())


def test_no_file_says_whom_to_ask_and_where_to_write(file: Path, saved: dict[str, Any]) -> None:
    with ChatServer(lambda messages: "fridge") as stranger, ChatServer(lambda messages: "fridge") as ours:
        crafted = {"name": "openai:m", "base_url": stranger.base_url, "record": str(file.parent / "written")}
        file.write_text(json.dumps({**saved, "method": "llm-policy", "model": crafted}))
        with pytest.raises(UsageError, match=r"name the model in Agent\.load\(…, model=…\); it was .*openai:m"):
            Agent.load(file, household())
        Agent.load(file, household(), ModelConfig("openai:m", ours.base_url)).close()
        assert ours.requests and not stranger.requests
        assert [path.name for path in file.parent.iterdir()] == ["agent.json"]


def test_the_loader_sets_the_limits(file: Path, saved: dict[str, Any]) -> None:
    file.write_text(json.dumps({**saved, "method": "llm-policy"}))
    with ChatServer(lambda messages: "fridge") as server:
        config = ModelConfig("openai:m", server.base_url)
        with Agent.load(file, household(), config, limits=BudgetConfig(max_calls=0)) as agent:
            assert (agent.act(ObservationReport()), agent.status) == (None, Status.BUDGET)
        assert not server.requests


@pytest.mark.processes
def test_a_file_that_is_wrong_is_refused(file: Path) -> None:
    agent = kept(file, "llm-replan")
    whole = file.read_text()
    with pytest.raises(InputError, match="the task has changed"):
        Agent.load(file, household(DEMO))
    with pytest.raises(InputError, match=r"nothing\.json: cannot be read"):
        Agent.load(file.with_name("nothing.json"))
    for wrong, message in [
        (whole[: len(whole) // 2], "not the file of an agent"),
        ("{}", "'format' is missing"),
        ("[]", "not the file of an agent"),
        (whole.replace(f'"format": {FORMAT}', '"format": 99'), "in format 99"),
        (whole.replace('"turns"', '"turn"'), "turns: is missing"),
        (whole.replace('"complete"', '"completed"'), "not the file of an agent"),
        (whole.replace("small-apple.pddl", "no-apple.pddl"), "no such file"),
    ]:
        file.write_text(wrong)
        with pytest.raises(InputError, match=message):
            Agent.load(file)
    file.write_text(whole)
    assert Agent.load(file).action == agent.action
    with pytest.raises(InputError, match="cannot write the agent"):
        agent.save(file.parent / "no" / "agent.json")


@pytest.mark.processes
def test_other_settings_at_loading_give_a_warning(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept(file, "llm-replan")
    file.write_text(file.read_text().replace("(walk-to-room kitchen)", "(walk-to-place bathroomcounter bathroom)"))
    loaded = Agent.load(file)
    assert loaded.action == "(walk-to-place bathroomcounter bathroom)"
    assert "its action is now (walk-to-room kitchen)" in caplog.text
    assert str(loaded.act(ObservationReport(true=["(on toothbrush_1 bathroomcounter)"]))) == "(walk-to-room kitchen)"


class Process:
    """A robot's process, which waits before each action."""

    def __init__(self, file: Path, method: str, base_url: str) -> None:
        command = [sys.executable, "-m", "tests.agent.robot_process", str(file), method, base_url]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.child: Any = subprocess.Popen(command, cwd=REPOSITORY, **pipes)  # type: ignore[call-overload]

    def hear(self) -> str:
        return str(self.child.stdout.readline()).strip()

    def go_on(self) -> None:
        self.child.stdin.write("\n")
        self.child.stdin.flush()

    def kill(self) -> None:
        self.child.kill()
        self.child.communicate()


def until_the_end(process: Process, said: list[str]) -> None:
    while (line := process.hear()).startswith("("):
        said.append(line)
        process.go_on()
    said.append(line)
    process.child.communicate()


@pytest.mark.processes
@pytest.mark.parametrize("method", ["llm-mcts", "llm-policy"])
def test_a_killed_process_can_be_continued(method: str, tmp_path: Path) -> None:
    """A robot is killed after its third act; another process loads its agent, and no question is asked twice."""

    def counted(name: str, killed: bool) -> tuple[list[str], int]:
        with ChatServer(lambda messages: "fridge") as server:
            said: list[str] = []
            process = Process(tmp_path / name, method, server.base_url)
            if killed:
                for _ in range(3):
                    said.append(process.hear())
                    if len(said) < 3:
                        process.go_on()
                asked = len(server.requests)
                assert asked > 0
                process.kill()
                process = Process(tmp_path / name, method, server.base_url)
                assert process.hear() == said[-1]
                assert len(server.requests) == asked
                process.go_on()
            until_the_end(process, said)
            return said, len(server.requests)

    assert counted("killed.json", True) == counted("undisturbed.json", False)


@pytest.mark.processes
def test_what_is_said_after_loading_ends_well(file: Path) -> None:
    robot, events = Robot(household()), list[dict[str, Any]]()
    action = kept(file, "llm-mcts", robot.look()).action
    loaded = Agent.load(file, household(), emit=events.append)
    while action is not None:
        action = loaded.act(robot.do(action))
    assert loaded.status is Status.SOLVED
    assert [event["event"] for event in events] == [*["step"] * len(robot.did), "end"]
