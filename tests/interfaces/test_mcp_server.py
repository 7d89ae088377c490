"""``cplan mcp``, asked by the package's own client over the pipes of the real process."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent

from commonsense_planning.cli.main import main
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.interfaces import mcp_server
from commonsense_planning.methods.result import ResultView
from commonsense_planning.validation.verdict import CAME
from tests.agent.robots import Robot, household
from tests.cli.running import CPLAN
from tests.data import APPLE_PLAN, REPOSITORY
from tests.results import check_result
from tests.scripted import HOUSEHOLD
from tests.support.children import processes

pytestmark = pytest.mark.processes

DOMAIN = (HOUSEHOLD / "domain.pddl").read_text()
PROBLEM = (HOUSEHOLD / "problems" / "small-apple.pddl").read_text()
SENSORS = (HOUSEHOLD / "sensors.pddl").read_text()
TASK = {"domain": DOMAIN, "problem": PROBLEM}
GRIPPER = """(define (domain gripper) (:predicates (room ?r) (ball ?b) (at-robby ?r) (at ?b ?r) (free) (carry ?b))
  (:action move :parameters (?a ?b) :precondition (and (room ?a) (room ?b) (at-robby ?a))
    :effect (and (at-robby ?b) (not (at-robby ?a))))
  (:action pick :parameters (?o ?r) :precondition (and (ball ?o) (room ?r) (at ?o ?r) (at-robby ?r) (free))
    :effect (and (carry ?o) (not (at ?o ?r)) (not (free))))
  (:action drop :parameters (?o ?r) :precondition (and (ball ?o) (room ?r) (carry ?o) (at-robby ?r))
    :effect (and (at ?o ?r) (free) (not (carry ?o)))))"""

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "0"}},
}


def balls(number: int) -> str:
    """``number`` balls to be carried to the other room: A* takes for ever."""
    names = [f"b{i}" for i in range(number)]
    init = " ".join(f"(ball {name}) (at {name} a)" for name in names)
    goal = " ".join(f"(at {name} b)" for name in names)
    return (
        f"(define (problem balls) (:domain gripper) (:objects a b {' '.join(names)})\n"
        f"  (:init (room a) (room b) (at-robby a) (free) {init})\n  (:goal (and {goal})))"
    )


def talking(talk: Callable[[Client], Awaitable[None]], *options: str) -> None:
    """Talk with a separate server process."""

    async def run() -> None:
        environment = dict(os.environ)
        parameters = StdioServerParameters(command=CPLAN[0], args=[*CPLAN[1:], "mcp", *options], env=environment)
        async with Client(stdio_client(parameters)) as client:
            await talk(client)

    anyio.run(run)


def answered(folder: Path, seconds: float, arguments: dict[str, str]) -> CallToolResult:
    """What ``check`` answers in a server of this process, which ends calls after some seconds."""

    async def run() -> CallToolResult:
        async with Client(mcp_server.server(ModelConfig(), BudgetConfig(), seconds, folder)) as client:
            return await client.call_tool("check", arguments)

    return anyio.run(run)


def said(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def data(result: CallToolResult) -> dict[str, Any]:
    assert result.structured_content is not None and not result.is_error, said(result)
    return result.structured_content


def test_every_tool_answers_as_text_and_as_data() -> None:
    async def talk(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == ["check", "ground", "solve", "explain", "validate"] + [
            "belief",
            "begin",
            "act",
        ]
        assert len(json.dumps([tool.model_dump(mode="json", exclude_none=True) for tool in listed])) < 7100
        assert client.instructions is not None and "file:line:column" in client.instructions

        checked = await client.call_tool("check", TASK)
        assert data(checked)["objects"] == 12
        assert said(checked).startswith("fine: 9 actions, 12 objects; uses ")
        assert said(await client.call_tool("check", {"domain": DOMAIN})) == "domain.pddl: fine: 9 actions"

        assert data(await client.call_tool("ground", TASK)) == {"operators": 40, "facts": 24, "hidden": 0}
        assert said(await client.call_tool("ground", {**TASK, "sensors": SENSORS})) == (
            "40 operators, 24 facts, 12 hidden"
        )

        solved = await client.call_tool("solve", TASK)
        assert data(solved)["plan"] == APPLE_PLAN.splitlines()
        check_result(data(solved), ResultView.TOOL)
        assert said(solved) == f"solved; 6 steps by gbfs; VAL: valid; replay: valid\n{APPLE_PLAN.rstrip()}"
        acted = data(await client.call_tool("solve", {**TASK, "sensors": SENSORS}))
        assert (acted["status"], acted["method"]) == ("solved", "llm-mcts")
        check_result(acted, ResultView.TOOL)

        stuck = {**TASK, "problem": TASK["problem"].replace("(inside apple_1 fridge)", "")}
        explained = await client.call_tool("explain", stuck)
        assert "(on apple_1 bathroomcounter) to :init: a plan of 5 steps" in said(explained)
        assert data(explained)["suggestions"][0]["steps"] == 5

        assert said(await client.call_tool("validate", {**TASK, "plan": APPLE_PLAN})) == (
            "valid: 6 steps; VAL: valid; replay: valid"
        )
        wrong = await client.call_tool(
            "validate", {**TASK, "plan": APPLE_PLAN.replace("(open-container fridge)\n", "")}
        )
        assert data(wrong)["verdict"] == "invalid"
        assert "replay: invalid, step 3 (grab-from-container apple_1 fridge): unmet: (opened fridge)" in said(wrong)
        assert said(wrong).splitlines()[1] == (
            "- step 3 (grab-from-container apple_1 fridge): unmet: (opened fridge) "
            "((opened fridge) is false at first and no step before makes it true)"
        )
        assert [finding["step"] for finding in data(wrong)["findings"]] == [3, 5, None]

        believed = await client.call_tool("belief", {**TASK, "sensors": SENSORS, "only": "Apple", "top": 1})
        assert said(believed) == "apple_1: (inside apple_1 fridge) 0.85"
        place = {"fact": "(inside apple_1 fridge)", "place": "inside fridge", "p": 0.8498}
        assert data(believed)["things"] == [{"name": "apple 1", "objects": ["apple_1"], "places": [place]}]

        balls = {"domain": "colour-balls:yard-2", "seed": 1}
        assert data(await client.call_tool("ground", {"domain": "colour-balls:yard-2"}))["hidden"] > 0
        drawn = await client.call_tool("solve", {**balls, "method": "gbfs"})
        judged = await client.call_tool("validate", {**balls, "plan": "\n".join(data(drawn)["plan"])})
        assert data(judged)["verdict"] == "valid" and data(judged)["world"] == data(drawn)["world"]
        assert "\nthe true world, drawn with seed 1: " in said(drawn) and "drawn with seed 1" in said(judged)
        looked = await client.call_tool("solve", {**balls, "method": "llm-replan"})
        assert data(looked)["heard"] is False and said(looked).startswith("solved; the model was not heard")

        chance = "(define (domain d) (:predicates (p)) (:action a :effect (probabilistic 0.5 (p))))"
        risky = {"domain": chance, "problem": "(define (problem q) (:domain d) (:init) (:goal (p)))", "plan": "(a)"}
        assert said(await client.call_tool("validate", risky)).startswith(f"{CAME}: 1 step; VAL: {CAME}")
        assert data(await client.call_tool("validate", risky))["valid_means"] == CAME
        assert (
            data(await client.call_tool("check", {name: risky[name] for name in ("domain", "problem")}))["actions"] == 1
        )

        named = await client.call_tool("belief", {"domain": "household:demo", "only": "apple", "top": 1})
        assert said(named).startswith("apple_1: ")

    talking(talk)


def test_one_agent_is_kept_between_the_calls() -> None:
    robot = Robot(household())

    async def talk(client: Client) -> None:
        early = await client.call_tool("act", {})
        assert early.is_error and said(early) == "cplan: there is no agent: call begin first"
        begun = await client.call_tool("begin", {**TASK, "sensors": SENSORS, "method": "llm-replan"})
        assert said(begun) == "ready: call act with the initial observation"
        first = await client.call_tool("act", dict(robot.look().as_json()))
        assert said(first) == "(walk-to-room kitchen): walk to room kitchen"
        for wrong in ({"true": ["(on aple_1 fridge)"]}, {"true": ["(on a b)"], "false": ["(on a b)"]}, {"seen": []}):
            assert (await client.call_tool("act", wrong)).is_error
        told = data(first)
        while told["action"] is not None:
            assert len(robot.did) < 20
            told = data(await client.call_tool("act", dict(robot.do(told["action"]).as_json())))
        own = {name: told.pop(name) for name in ("action", "surprises", "turns")}
        check_result(told, ResultView.AGENT)
        assert (told["status"], own["turns"]) == ("solved", len(robot.did) + 1)
        assert robot.did[-1] == "(put-on apple_1 kitchentable)"

        refused = await client.call_tool("begin", {**TASK, "domain": DOMAIN.replace("(:action", "(:acton", 1)})
        assert refused.is_error and "did you mean" in said(refused)
        for wrong in ({}, {"domain": "household:nowhere"}, {**TASK, "problem": PROBLEM[:-9]}, {**TASK, "seed": -1}):
            assert (await client.call_tool("begin", wrong)).is_error
        goes_on = data(await client.call_tool("act", {"complete": False}))
        assert (goes_on["status"], goes_on["turns"]) == ("solved", len(robot.did) + 2)  # the last one is still there

        await client.call_tool("begin", {"domain": "household:small-apple"})
        again = data(await client.call_tool("act", {"complete": False}))
        assert again["turns"] == 1 and again["action"] is not None
        failed = await client.call_tool("act", {"applied": False})
        assert "surprise: (walk-to-" in said(failed)

    talking(talk)


def test_unlisted_things_are_reported_with_what_is_seen() -> None:
    async def talk(client: Client) -> None:
        await client.call_tool("begin", {"domain": "alfworld:two-pillows", "method": "llm-replan"})
        (place,) = said(await client.call_tool("act", {})).partition(")")[0].split()[1:]
        met = {"true": [f"(in pillow_7 {place})"], "objects": {"pillow_7": "pillow"}}
        assert said(await client.call_tool("act", met)).startswith(f"(take pillow_7 {place})")

    talking(talk)


def test_an_error_says_what_the_command_line_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Word for word, in a folder whose files are called so."""
    broken = DOMAIN.replace("(openable ?c) (near ?c) (not (opened ?c))", "(openable ?c) (neer ?c) (not (opened ?c))")
    assert broken != DOMAIN

    async def talk(client: Client) -> None:
        for arguments in ({"domain": broken, "problem": PROBLEM}, {"domain": DOMAIN, "problem": PROBLEM[:-20]}):
            result = await client.call_tool("check", arguments)
            assert result.is_error
            for name, text in arguments.items():
                (tmp_path / f"{name}.pddl").write_text(text)
            assert main(["check", str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl")]) == 2
            assert said(result) == capsys.readouterr().err.strip("\n").replace(f"{tmp_path}/", "")
            for tool in ("ground", "solve"):
                assert said(await client.call_tool(tool, arguments)) == said(result)
        assert "problem.pddl:" in said(result)
        result = await client.call_tool("validate", {**TASK, "plan": "walk there!"})
        assert result.is_error and said(result).startswith("plan.txt:1:1: no ground action; expected an action such as")

    talking(talk)


def test_what_is_asked_wrongly_is_an_error_too_and_no_path_is_opened() -> None:
    async def talk(client: Client) -> None:
        path = await client.call_tool("check", {"domain": str(HOUSEHOLD / "domain.pddl")})
        assert path.is_error and said(path).startswith("domain.pddl:1:1: unexpected ")
        for arguments in (
            {"domain": DOMAIN},
            {"domain": "household", "problem": "/etc/passwd"},
            {"domain": "household:../problems/demo"},
            {"domain": "household:demo\x00"},
            {"domain": "household:/../../../../etc/passwd.pddl", "problem": PROBLEM},
            {"domain": str(HOUSEHOLD)},
            {**TASK, "method": "magic"},
            {**TASK, "domain": 3},
            {**TASK, "seed": -1},
        ):
            refused = await client.call_tool("solve", arguments)
            assert refused.is_error and str(REPOSITORY) not in said(refused) and "passwd:" not in said(refused)
        long = await client.call_tool("check", {"domain": "(" * mcp_server.MOST_CHARACTERS, "problem": "x"})
        assert long.is_error and said(long) == "cplan: the texts are longer than 2000000 characters together"
        nobody = await client.call_tool("belief", {**TASK, "sensors": SENSORS, "only": "unicorn"})
        assert nobody.is_error and "no hidden thing is called unicorn; there are apple 1, plate 1" in said(nobody)
        for tool, arguments, words in (
            (
                "dance",
                {},
                "there is no tool dance; there are check, ground, solve, explain, validate, belief, begin, act",
            ),
            ("check", {**TASK, "plan": ""}, "check: there is no argument plan; there are domain, problem, sensors"),
            ("solve", {}, "solve: domain: is missing"),
            ("solve", {**TASK, "seed": -1}, "solve: seed: should be greater than or equal to 0"),
        ):
            refused = await client.call_tool(tool, arguments)
            assert refused.is_error and said(refused) == words
        assert not (await client.call_tool("check", TASK)).is_error  # it continues

    talking(talk)


def test_a_call_ends_when_its_time_is_up() -> None:
    async def prepare(client: Client) -> None:  # the kernels are there
        data(await client.call_tool("solve", {"domain": GRIPPER, "problem": balls(2), "method": "astar"}))

    async def talk(client: Client) -> None:
        result = await client.call_tool("solve", {"domain": GRIPPER, "problem": balls(60), "method": "astar"})
        assert data(result)["status"] == "out of budget"
        assert not (await client.call_tool("check", {"domain": GRIPPER})).is_error

    talking(prepare)
    talking(talk, "--timeout", "5")


def test_a_call_that_does_not_check_the_deadline_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mcp_server, "WORKER", "tests.interfaces.sleeping_worker")
    monkeypatch.setattr(mcp_server, "PATIENCE", 0.5)
    result = answered(tmp_path, 1.0, TASK)
    assert result.is_error and said(result) == "cplan: took longer than 1 s"


def test_a_child_that_dies_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mcp_server, "WORKER", "tests.interfaces.no_such_module")
    result = answered(tmp_path, 10.0, TASK)
    assert result.is_error and said(result).startswith("cplan: ended without an answer (")
    assert "no_such_module" in said(result)


def workers() -> list[int]:
    """The processes below this one that answer calls."""
    running = processes()

    def is_below(process: int) -> bool:
        return process == os.getpid() or process in running and is_below(running[process].parent)

    return [pid for pid, process in running.items() if mcp_server.WORKER in process.command and is_below(pid)]


def test_a_cancelled_call_leaves_no_process_and_the_server_continues() -> None:
    async def talk(client: Client) -> None:
        with anyio.move_on_after(60) as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(
                    client.call_tool, "solve", {"domain": GRIPPER, "problem": balls(60), "method": "astar"}
                )
                while not workers():
                    await anyio.sleep(0.05)
                group.cancel_scope.cancel()
        assert not scope.cancelled_caught
        deadline = time.monotonic() + 30
        while workers() and time.monotonic() < deadline:
            await anyio.sleep(0.05)
        assert not workers()
        assert not (await client.call_tool("check", {"domain": GRIPPER})).is_error

    talking(talk)


def test_a_client_that_gives_up_gets_an_error_and_the_server_continues() -> None:
    async def talk(client: Client) -> None:
        with pytest.raises(MCPError):
            await client.call_tool("solve", {**TASK, "method": "llm-mcts"}, read_timeout_seconds=0.2)
        assert not (await client.call_tool("check", {"domain": GRIPPER})).is_error

    talking(talk)


def test_a_long_answer_is_cut(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mcp_server, "MOST_TEXT", 10)
    assert said(answered(tmp_path, 60.0, {"domain": GRIPPER})) == "domain.pdd\n… cut after 10 of 28 characters"


REQUEST = b'{"jsonrpc": "2.0", "id": 7, "method": "ping"'
LINES = [
    (b"garbage", None, -32700, "Parse error: Expecting value"),
    (b"[1, 2", None, -32700, "Parse error: Expecting ',' delimiter"),
    (b"\x00\x01", None, -32700, "Parse error: "),
    (REQUEST, None, -32700, "Parse error: Expecting ',' delimiter"),
    (REQUEST + b', "params": {"a": "\\ud800"}}', 7, -32700, "Parse error: half of a surrogate pair"),
    (REQUEST + b', "params": {"a": "\xff"}}', None, -32700, "Parse error: 'utf-8' codec can't decode"),
    (REQUEST + b', "params": {"a": 1e400}}', 7, -32700, "Parse error: 1e400 is beyond"),
    (REQUEST + b', "params": ' + b"[" * 10_000, None, -32700, "Parse error: nested too deeply"),
    (b"{}", None, -32600, "Invalid Request: expected a request"),
    (b"3", None, -32600, "Invalid Request: expected a request"),
    (b"[" + REQUEST + b"}]", None, -32600, "Invalid Request: expected a request"),
    (b'{"id": 7, "method": "ping"}', 7, -32600, "Invalid Request: expected a request"),
    (REQUEST + b', "params": [1]}', 7, -32600, "Invalid Request: expected a request"),
    (REQUEST.replace(b"7", b"null") + b"}", None, -32600, "Invalid Request: id should be a number or a text"),
    (REQUEST.replace(b"7", b"1.5") + b"}", None, -32600, "Invalid Request: id should be a number or a text"),
]
GOOD = [REQUEST + b"}", b'{"jsonrpc": "2.0", "method": "x"}', b'{"jsonrpc": "2.0", "id": "a", "result": {}}']


@pytest.mark.parametrize(("line", "number", "code", "words"), LINES, ids=[words[:60] for _, _, _, words in LINES])
def test_what_is_no_message_is_answered(line: bytes, number: int | None, code: int, words: str) -> None:
    messages, out = io.BytesIO(), io.BytesIO()
    mcp_server.pass_on([GOOD[0], line, b"\n", *GOOD[1:]], messages, out)
    assert messages.getvalue() == b"".join(GOOD)
    answer = json.loads(out.getvalue())
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", number, code)
    assert answer["error"]["message"].startswith(words)


PIPES: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)


def test_garbage_is_answered_and_standard_output_is_the_protocols_alone() -> None:
    """A handshake after lines that are no messages; the server ends in order when its input does."""
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "check", "arguments": {"domain": "\ud800 (define"}},
    }
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    lines = ["garbage", "{}", "[1, 2", "\x00\x01", json.dumps({"jsonrpc": "2.0", "id": 9, "method": "no/such"})]
    lines += [json.dumps(message) for message in (HELLO, ready, call)]
    process = subprocess.Popen([*CPLAN, "mcp"], text=True, **PIPES)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("".join(f"{line}\n" for line in lines))
    process.stdin.flush()
    answers = []
    while not any(answer.get("id") == 1 for answer in answers):
        answers.append(json.loads(process.stdout.readline()))
    rest, err = process.communicate(timeout=60)
    answers += [json.loads(line) for line in rest.splitlines()]
    assert process.returncode == 0, err
    assert [answer["error"]["code"] for answer in answers if answer["id"] is None] == [-32700, -32600, -32700, -32700]
    assert next(answer for answer in answers if answer["id"] == 2)["error"]["code"] == -32700
    assert next(answer for answer in answers if answer.get("id") == 1)["result"]["serverInfo"]["name"] == "cplan"
    assert "Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_while_it_waits_for_input(number: signal.Signals) -> None:
    process = subprocess.Popen([*CPLAN, "mcp"], **PIPES)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(HELLO).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()  # it serves
    process.send_signal(number)
    assert process.wait(timeout=30) == 128 + number
    process.communicate()


def test_without_the_package_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['mcp'] = None; from commonsense_planning.cli.main import main; sys.exit(main())"
    ended = subprocess.run([sys.executable, "-c", code, "mcp"], capture_output=True, text=True, check=False)
    assert ended.returncode == 3
    assert ended.stderr == "cplan: cplan mcp needs the package mcp: pip install 'commonsense-planning[mcp]'\n"
