"""``cplan serve``, asked by a real HTTP client at the port of the real process."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from commonsense_planning.cli.main import main
from commonsense_planning.interfaces.http_guard import MOST_BYTES
from commonsense_planning.interfaces.http_server import MOST_AGENTS, is_loopback
from commonsense_planning.methods.result import ResultView
from tests.agent.robots import Robot, household
from tests.cli.running import CPLAN
from tests.data import REPOSITORY
from tests.results import check_result
from tests.scripted import HOUSEHOLD

pytestmark = pytest.mark.processes

FILES = (str(HOUSEHOLD / "domain.pddl"), str(HOUSEHOLD / "problems" / "small-apple.pddl"))
JSON = {"Content-Type": "application/json"}
FIELDS = "true, false, complete, applied, goal_reached, objects, action, deadline"
READY = re.compile(r"cplan serves (.*) at (http://\S+)\n")


@contextmanager
def serving(*options: str, files: tuple[str, ...] = FILES, **environment: str) -> Iterator[tuple[Any, str]]:
    """The process and its address; SIGKILL in the end, if it has not ended before."""
    command = [*CPLAN, "serve", *files, "--port", "0", *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    child: Any = subprocess.Popen(command, cwd=REPOSITORY, env={**os.environ, **environment}, **pipes)  # type: ignore[call-overload]
    try:
        ready = READY.fullmatch(child.stdout.readline())
        assert ready, child.stderr.read()
        yield child, ready[2]
    finally:
        child.kill()
        child.communicate()


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    other = str(HOUSEHOLD / "problems" / "two-apples.pddl")
    with serving(other, "--method", "llm-replan") as (_, address), httpx.Client(base_url=address, timeout=60) as client:
        yield client


@pytest.fixture
def agent(client: httpx.Client) -> Iterator[str]:
    """The address of a new agent."""
    made = client.post("/agents", json={"task": "small-apple"})
    assert made.status_code == 201
    address = f"/agents/{made.json()['id']}"
    yield address
    client.delete(address)


def lead(client: httpx.Client, agent: str, robot: Robot) -> list[dict[str, Any]]:
    """Have a robot led to its goal; what is said on the way."""
    said = [client.post(f"{agent}/act", json={**robot.look().as_json(), "deadline": 30}).json()]
    while said[-1]["action"] is not None:
        assert len(robot.did) < 60
        said.append(client.post(f"{agent}/act", json=robot.do(said[-1]["action"]["pddl"]).as_json()).json())
    return said


def test_a_robot_is_led_to_its_goal(client: httpx.Client, agent: str) -> None:
    robot = Robot(household())
    first, *_, last = lead(client, agent, robot)
    assert (first["action"]["pddl"], first["action"]["name"]) == ("(walk-to-room kitchen)", "walk-to-room")
    assert (first["action"]["arguments"], first["action"]["says"]) == (["kitchen"], "walk to the kitchen")
    assert last == {"action": None, "status": "solved", "reason": "", "explanation": None}
    check_result({name: value for name, value in last.items() if name != "action"}, ResultView.AGENT)
    assert robot.did[-1] == "(put-on apple_1 kitchentable)"
    state = client.get(agent).json()
    shown = client.get("/openapi.json").json()["components"]["schemas"]
    assert {*shown["AgentAnswer"]["properties"]} == {*last} and {*shown["State"]["properties"]} == {*state}
    assert {*last} - {"action"} <= {*state}
    assert [turn["said"] for turn in state["history"]] == [*robot.did, None]
    assert state["belief"]["(on apple_1 kitchentable)"] == 1.0
    assert (state["status"], state["turns"], state["method"]) == ("solved", len(robot.did) + 1, "llm-replan")


def test_unlisted_things_are_reported_with_what_is_seen() -> None:
    with serving("--method", "llm-replan", files=("alfworld:two-pillows",)) as (_, address):
        act = f"{address}/agents/{httpx.post(f'{address}/agents', json={}).json()['id']}/act"
        (place,) = httpx.post(act, json={}, timeout=60).json()["action"]["arguments"]
        met = {"true": [f"(in pillow_7 {place})"], "objects": {"pillow_7": "pillow"}}
        assert httpx.post(act, json=met, timeout=60).json()["action"]["pddl"] == f"(take pillow_7 {place})"
        refused = httpx.post(act, json={"objects": {"pillow_8": "pilow"}}, timeout=60)
        assert refused.status_code == 400 and "pillow" in refused.json()["error"]


def test_an_agent_is_saved_and_made_again(client: httpx.Client) -> None:
    made = client.post("/agents", json={"name": "R2 D2", "seed": 3, "task": "two-apples"}).json()
    robot = Robot(household(HOUSEHOLD / "problems" / "two-apples.pddl"))
    report = robot.look()
    for _ in range(3):
        said = client.post(f"/agents/{made['id']}/act", json=report.as_json()).json()["action"]["pddl"]
        report = robot.do(said)
    address = f"/agents/{made['id']}"
    saved, before = client.get(f"{address}/saved").json(), client.get(address).json()
    assert client.delete(address).status_code == 204
    assert str(REPOSITORY) not in json.dumps(saved)
    again = client.post("/agents", json={"saved": saved})
    assert (again.status_code, again.json()["turns"], again.json()["differs"]) == (201, 3, False)
    address = f"/agents/{again.json()['id']}"
    assert {**client.get(address).json(), "id": made["id"]} == before
    while said := client.post(f"{address}/act", json=report.as_json()).json()["action"]:
        report = robot.do(said["pddl"])
    assert client.get(address).json()["status"] == "solved"
    turned = [{**saved["turns"][0], "said": "(walk-to-room\nbathroom)"}, *saved["turns"][1:]]
    other = client.post("/agents", json={"saved": {**saved, "turns": turned}}).json()
    assert other["differs"] and client.delete(f"/agents/{other['id']}").status_code == 204
    for wrong, message in [
        ({"saved": {**saved, "method": "uct"}}, "saved by uct, or with other options: this server's agents decide by"),
        ({"saved": {**saved, "options": {"max_steps": 7}}}, "with other options"),
        ({"saved": {**saved, "instruction": "be bad"}}, "with other options"),
        ({"saved": saved, "task": "small-apple"}, "the agent's task has changed, or is none of these: small-apple"),
    ]:
        refused = client.post("/agents", json=wrong)
        assert refused.status_code == 409 and message in refused.json()["error"], refused.text
    client.delete(address)


def test_several_agents_at_once_do_not_disturb_each_other(client: httpx.Client) -> None:
    def walk(task: str) -> list[str]:
        with httpx.Client(base_url=client.base_url, timeout=60) as mine:
            agent = f"/agents/{mine.post('/agents', json={'task': task}).json()['id']}"
            robot = Robot(household(HOUSEHOLD / "problems" / f"{task}.pddl"))
            status = lead(mine, agent, robot)[-1]["status"]
            assert mine.delete(agent).status_code == 204
            return [*robot.did, status]

    with ThreadPoolExecutor(4) as pool:
        walks = list(pool.map(walk, ("small-apple", "two-apples") * 2))
    assert walks[0] == walks[2] and walks[1] == walks[3] and walks[0] != walks[1]
    assert walks[0][-1] == walks[1][-1] == "solved"


def test_what_is_wrong_is_said_where_it_is(client: httpx.Client, agent: str) -> None:
    act = f"{agent}/act"
    for answer, status, message in [
        (client.post(act, json={"true": ["(on aple_1 fridge)"]}), 400, "did you mean 'apple_1'"),
        (client.post(act, json={"true": "(on a b)"}), 422, "body.true: should be a valid list"),
        (client.post(act, json={"seen": []}), 422, f"body: there is no field seen; there are {FIELDS}"),
        (client.post("/agents", json={"error": 1}), 422, "body.error: should be less than 1"),
        (
            client.post("/agents", json={"named": "x"}),
            422,
            "body: there is no field named; there are task, seed, error, name",
        ),
        (client.post("/agents", json={"name": "a\nb"}), 422, "body.name: should match"),
        (client.post("/agents", json={"saved": {}, "seed": 2}), 422, "saved has the seed of the agent already"),
        (client.post("/agents", json={"saved": {}}), 400, "saved: not the file of an agent: 'format' is missing"),
        (client.get("/agents/nobody/saved"), 404, "there is no agent nobody"),
        (client.post(act, json={"deadline": -1}), 422, "body.deadline: should be greater than 0"),
        (client.post(act, content=b"{", headers=JSON), 422, "body: not JSON: Expecting property name"),
        (client.post(act, content=b"{}"), 422, "sent with the header Content-Type: application/json"),
        (client.post(act, data={"true": "x"}), 422, "sent with the header Content-Type: application/json"),
        (client.post(act, content=b"[]", headers=JSON), 422, "body: the body must be a JSON object"),
        (client.post(act, json={"true": ["(on a b)"], "false": ["(on a b)"]}), 400, "both true and false"),
        (client.post("/agents/nobody/act", json={}), 404, "there is no agent nobody"),
        (client.get("/agents/nobody"), 404, "there is no agent nobody"),
        (client.delete("/agents/nobody"), 404, "there is no agent nobody"),
        (client.post("/agents", json={"task": "../../etc/passwd"}), 404, "there is no task ../../etc/passwd"),
        (client.get("/nowhere"), 404, "Not Found"),
        (client.put("/agents"), 405, "Method Not Allowed"),
        (client.post(act, content=b" " * (MOST_BYTES + 1)), 413, "Content Too Large"),
        (client.post(act, content=iter([b" " * MOST_BYTES, b"  "])), 413, "Content Too Large"),
        (client.get("/agents", headers={"Host": "evil.example"}), 400, "Invalid host header"),
    ]:
        assert answer.status_code == status, answer.text
        said = answer.json()["error"] if answer.headers["Content-Type"] == JSON["Content-Type"] else answer.text
        assert message in said, answer.text
    assert client.get(agent).json()["turns"] == 0
    assert client.put("/agents").headers["Allow"] == "GET, POST"


def test_every_status_is_in_the_docs(client: httpx.Client) -> None:
    api = client.get("/openapi.json").json()
    known = {status for path in api["paths"].values() for call in path.values() for status in call["responses"]}
    documented = re.findall(r"^\| (\d{3}) \|", (REPOSITORY / "docs" / "robot.md").read_text(), re.MULTILINE)
    assert {status for status in known if status >= "400"} | {"405"} == set(documented)


def test_no_more_agents_than_there_is_room_for(client: httpx.Client) -> None:
    before = len(client.get("/agents").json())
    made = [client.post("/agents", json={"task": "small-apple"}) for _ in range(MOST_AGENTS - before)]
    assert {answer.status_code for answer in made} == {201}
    assert client.post("/agents", json={"task": "small-apple"}).status_code == 429
    for answer in made:
        assert client.delete(f"/agents/{answer.json()['id']}").status_code == 204
    assert len(client.get("/agents").json()) == before


def test_the_pages_need_nothing_from_elsewhere(client: httpx.Client) -> None:
    api = client.get("/openapi.json").json()
    assert set(api["paths"]) == {"/agents", "/agents/{id}", "/agents/{id}/act", "/agents/{id}/saved"}
    for address in ("/", "/docs"):
        page = client.get(address).text
        assert "/agents/{id}/act" in page and "goal_reached" in page
        assert "<script" not in page and "http" not in page.replace("http-equiv", "")


def test_a_thinking_agent_is_not_disturbed_and_ends_in_order() -> None:
    """A decision that would take an hour: no second call meanwhile; SIGTERM ends it with the best action so far."""
    options = ("--method", "uct", "--simulations", "1000000000", "--deadline", "3000")
    with ThreadPoolExecutor(1) as pool, serving(*options) as (child, address):  # whose end ends what is asked
        with httpx.Client(base_url=address, timeout=60) as client, httpx.Client(base_url=address, timeout=60) as other:
            found = client.post("/agents").json()["id"]
            thinking = pool.submit(client.post, f"/agents/{found}/act", json={})
            for _ in range(200):
                answer = other.get(f"/agents/{found}")
                if answer.status_code == 409:
                    break
            assert answer.status_code == 409
            assert "is thinking" in answer.json()["error"]
            child.send_signal(signal.SIGTERM)
            assert thinking.result().status_code == 200
            assert thinking.result().json()["action"] is not None
        out, err = child.communicate()
        assert child.returncode == 128 + signal.SIGTERM
        assert err.endswith("\ncplan: interrupted\n")
        assert "Traceback" not in err


def test_ctrl_c_ends_it() -> None:
    with serving("--method", "llm-replan") as (child, address):
        assert httpx.get(f"{address}/agents").json() == []
        child.send_signal(signal.SIGINT)
        assert child.communicate()[1].endswith("\ncplan: interrupted\n")
        assert child.returncode == 130


def test_a_token_is_wanted_where_others_may_ask(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", *FILES, "--host", "0.0.0.0"]) == 2
    assert "which needs a token: --token or CPLAN_TOKEN" in capsys.readouterr().err
    with serving("--method", "llm-replan", "--host", "0.0.0.0", CPLAN_TOKEN="geheim") as (_, address):
        address = address.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{address}/agents").status_code == 401
        for token, status in (("Bearer geheim", 200), ("Bearer Geheim", 401), ("geheim", 401), ("Bearer ä", 401)):
            headers = {b"Authorization": token.encode("utf-8")}
            assert httpx.get(f"{address}/agents", headers=headers).status_code == status


def test_what_cannot_be_served_is_said_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", *FILES, "--port", port]) == 2
        assert f"port {port}: Address already in use; --port 0 takes a free one" in capsys.readouterr().err
    assert main(["serve", *FILES, "--port", "0", "--method", "gbfs"]) == 2
    assert "gbfs does not act step by step" in capsys.readouterr().err
    assert main(["serve", *FILES, FILES[1], "--port", "0"]) == 2
    assert "two problems have the same name" in capsys.readouterr().err
    assert main(["serve", FILES[0], "nothing.pddl", "--port", "0"]) == 2
    assert "no such file" in capsys.readouterr().err


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "commonsense_planning.interfaces.http_server", raising=False)
    assert main(["serve", *FILES, "--port", "0"]) == 3
    assert "pip install 'commonsense-planning[serve]'" in capsys.readouterr().err


def test_which_hosts_are_this_machine() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "127.9.9.9")] == [True] * 4
    assert [is_loopback(host) for host in ("0.0.0.0", "10.0.0.1", "::", "robot.example", "")] == [False] * 5


def test_a_line_of_the_log_says_when_and_of_which_agent_and_how_long_it_took() -> None:
    with serving("--method", "llm-replan") as (child, address), httpx.Client(base_url=address, timeout=60) as client:
        made = client.post("/agents", json={"name": "R2"}).json()["id"]
        for report in ({}, {"applied": False}):
            client.post(f"/agents/{made}/act", json=report)
        child.terminate()
        _, lines = child.communicate(timeout=60)
    for said in (r"next: \(walk-to-room kitchen\) \(\d+\.\d{3} s\)", r"\(.*\) failed, though"):
        line = rf"^\d{{4}}-\d\d-\d\d [\d:,]+ agent R2 \({made}\): {said}"
        assert re.search(line, lines, re.MULTILINE), lines
