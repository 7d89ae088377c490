"""``cplan serve`` against clients that mean it harm, over the sockets of the real process."""

import json
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonsense_planning import ModelSession, method_named, read_task
from commonsense_planning.interfaces.http_guard import MOST_BYTES, MOST_CONNECTIONS, PATIENCE
from commonsense_planning.interfaces.http_server import (
    MOST_CHARACTERS,
    MOST_THINKING,
    RefusedBody,
    ReportBody,
    Service,
    WantedBody,
)
from tests.data import REPOSITORY
from tests.hostile import PIECES
from tests.interfaces.test_http_server import FILES, serving

pytestmark = pytest.mark.processes

WORDS = st.one_of(st.text(max_size=40), st.sampled_from([*PIECES, "on", "apple_1", "kitchentable"]))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WORDS, st.just(10**400)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=12,
)
FACTS = st.lists(st.lists(WORDS, max_size=4).map(lambda words: f"({' '.join(words)})"), max_size=3)
REPORTS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("true", "false"), st.one_of(FACTS, VALUES)),
        **dict.fromkeys(("complete", "applied", "goal_reached", "action", "deadline"), VALUES),
        "objects": st.one_of(st.dictionaries(WORDS, st.one_of(WORDS, st.just("movable")), max_size=3), VALUES),
    },
)
BODIES = st.one_of(st.binary(max_size=200), st.one_of(REPORTS, VALUES).map(lambda value: json.dumps(value).encode()))
PATHS = st.sampled_from(["/agents", "/agents/{id}/act", "/agents/{id}", "/agents/%00", "/%2e%2e/etc/passwd", "//x"])
VERBS = st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"])
HEAD = "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"


class Server:
    """A server process, talked to byte by byte."""

    def __init__(self, child: Any, address: str) -> None:
        self.child = child
        self.address = address
        parts = urlsplit(address)
        self.host, self.port = parts.hostname or "", parts.port or 0

    def connect(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=60)

    def begin(self, method: str = "POST", path: str = "/agents", more: str = "") -> socket.socket:
        """A connection on which a head was sent, without the empty line at its end."""
        made = self.connect()
        made.sendall((HEAD.format(method=method, path=path, host=self.host) + more).encode())
        return made

    def post(self, body: bytes | str, path: str = "/agents") -> httpx.Response:
        headers = {"Content-Type": "application/json"}
        return httpx.post(self.address + path, content=body, headers=headers, timeout=60)

    def agents(self) -> int:
        return len(httpx.get(f"{self.address}/agents", timeout=60).json())

    @property
    def open_files(self) -> int:
        return len(list(Path(f"/proc/{self.child.pid}/fd").iterdir()))

    @property
    def megabytes(self) -> int:
        """The most memory that it has had."""
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{self.child.pid}/status").read_text())
        assert found
        return int(found[1]) // 1000

    def end(self) -> str:
        """End it, and give its log."""
        self.child.send_signal(signal.SIGTERM)
        return str(self.child.communicate(timeout=60)[1])


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("--method", "llm-replan") as (child, address):
        made = Server(child, address)
        assert made.agents() == 0  # from here on its loop runs, with all files that it needs
        yield made
        log = made.end()
        assert "Traceback" not in log and "\x1b" not in log


def rest(connection: socket.socket) -> bytes:
    """All that still comes, until the server closes."""
    found = b""
    while True:
        try:
            more = connection.recv(65536)
        except ConnectionError:
            return found
        if not more:
            return found
        found += more


def becomes(true: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.1)
    return true()


def test_whoever_dawdles_is_cut_off_and_others_are_served(server: Server) -> None:
    """A head, a second head, or a body that never ends; an answer that is never taken, though more is asked for."""
    before = server.open_files
    silent, half, second, body = server.connect(), server.begin(), server.begin("GET"), server.begin()
    second.sendall(b"\r\n")
    answer = b""
    while not answer.endswith(b"]"):
        answer += second.recv(65536)
    second.sendall(b"GET /agen")
    body.sendall(b"Content-Length: 9\r\n\r\n{")
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect((server.host, server.port))
    ask = HEAD.format(method="GET", path="/openapi.json", host=server.host).encode() + b"\r\n"
    threading.Thread(target=lambda: _sent(deaf, ask * 5000), daemon=True).start()
    agents = server.agents()
    assert (rest(silent), rest(half), rest(second), rest(body)) == (b"", b"", b"", b"")
    assert becomes(lambda: server.open_files <= before, 2 * PATIENCE)
    assert server.agents() == agents


def _sent(connection: socket.socket, data: bytes) -> None:
    with suppress(OSError):  # it wants no more
        connection.sendall(data)


def test_a_thousand_connections_take_no_more_files_than_some(server: Server) -> None:
    before = server.open_files
    with ExitStack() as kept:
        for _ in range(1000):
            kept.enter_context(server.connect())
        assert becomes(lambda: server.open_files <= before + MOST_CONNECTIONS, 5)
        assert becomes(lambda: server.open_files <= before, 2 * PATIENCE)
        assert server.agents() >= 0


def test_bodies_without_end_take_little_memory(server: Server) -> None:
    before = server.megabytes
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"

    def flood() -> None:
        with server.begin(more="Transfer-Encoding: chunked\r\n\r\n") as connection:
            _sent(connection, chunk * 3000)  # 200 MB

    def announce() -> None:
        with server.begin(more=f"Content-Length: {10**12}\r\n\r\n") as connection:
            _sent(connection, b" " * 10_000_000)

    with ThreadPoolExecutor(16) as pool:
        for _ in range(8):
            pool.submit(flood)
            pool.submit(announce)
    assert server.megabytes < before + 200
    assert server.agents() >= 0


NONSENSE: list[tuple[bytes | str, int]] = [
    ("[" * 2_000_000, 400),
    ('{"a":' * 600_000, 400),
    ('{"seed": ' + "9" * 400 + "}", 422),
    ('{"seed": ' + "9" * 5000 + "}", 400),
    ('{"seed": 1e400}', 422),
    ('{"seed": NaN}', 422),
    ('{"seed": true}', 201),  # pydantic reads it as 1
    ('{"task": "\\ud800"}', 422),
    ('{"task": "\\u0000\\u001b[2J"}', 404),
    (b'{"task": "\xff"}', 400),
    (b"\x00", 422),
    ('{"' + "a" * 3_000_000 + '": 1}', 422),
    ("null", 422),
    ("[]", 422),
]


def test_no_body_is_an_error_of_the_server(server: Server) -> None:
    for body, status in NONSENSE:
        answer = server.post(body)
        assert answer.status_code == status, (body[:40], answer.text[:200])
        if status >= 400:
            said = answer.json()
            assert set(said) == {"error", "where"} and len(answer.content) < 3 * MOST_CHARACTERS
    made = server.post("{}").json()["id"]
    told = ('{"deadline": 1e999}', '{"true": {}}', '{"true": ["(on \\ud800 b)"]}', '{"objects": {"\\ud800": "x"}}')
    for body in told:
        assert server.post(body, f"/agents/{made}/act").status_code == 422
    for path in ("/agents/%ff%00/act", "/agents/" + "a" * 50_000 + "/act"):
        assert server.post("{}", path).status_code == 404


def test_no_head_is_an_error_of_the_server(server: Server) -> None:
    for sent, status in [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 400),
        (b"GET / HTTP/1.0\r\n\r\n", 400),
        (b"GET http://evil.example/agents HTTP/1.1\r\nHost: evil.example\r\n\r\n", 400),
        (b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404),
        (b"GET /agents/..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404),
        (b"GET /agents\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"POST /agents HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /agents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"GET /agents HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n", 200),
    ]:
        with server.connect() as connection:
            _sent(connection, sent)
            assert rest(connection).startswith(f"HTTP/1.1 {status} ".encode()), sent
    with server.begin(more="X: ") as connection:
        _sent(connection, b"a" * 10_000_000)
        assert b" 20" not in rest(connection)[:20]


def test_a_request_that_is_cut_does_nothing(server: Server) -> None:
    before = server.agents()
    with server.begin(more="Content-Length: 100\r\n\r\n"):
        pass
    with server.begin(more="Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"):
        pass
    assert not becomes(lambda: server.agents() > before, 1)


def test_no_page_of_elsewhere_may_ask(server: Server) -> None:
    """A page of another site whose name leads to this machine (DNS rebinding), and one that sends a form to it."""
    own = f"{server.host}:{server.port}"
    for headers, status in [
        ({}, 201),
        ({"Origin": f"http://{own}"}, 201),
        ({"Host": f"localhost:{server.port}"}, 201),
        ({"Host": f"[::1]:{server.port}"}, 201),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": f"http://evil.example:{server.port}"}, 403),
        ({"Origin": f"http://{server.host}:1"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Host": f"evil.example:{server.port}"}, 400),
        ({"Host": f"{server.host}.evil.example"}, 400),
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 400),
        ({"Host": "[", "Origin": "http://["}, 400),
        ({"Host": f"{server.host}@evil.example"}, 400),
    ]:
        before = server.agents()
        answer = httpx.post(f"{server.address}/agents", headers=headers)
        assert answer.status_code == status, headers
        assert server.agents() == before + (status == 201)
        assert "access-control-allow-origin" not in answer.headers


def test_without_the_token_nothing_is_told_or_kept() -> None:
    with serving("--method", "llm-replan", "--host", "0.0.0.0", CPLAN_TOKEN="geheim") as (child, address):
        server = Server(child, address.replace("0.0.0.0", "127.0.0.1"))
        before = server.megabytes
        for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
            for path in ("/", "/docs", "/openapi.json", "/agents", "/agents/x", "/agents/x/act", "/nowhere"):
                for token in ("", "Bearer", "Bearer geheim2", "Bearer gehei", "Basic geheim"):
                    answer = httpx.request(method, server.address + path, headers={"Authorization": token})
                    assert answer.status_code == 401
                    assert method == "HEAD" or "token is required" in answer.json()["error"]
        with ThreadPoolExecutor(32) as pool:
            assert {answer.status_code for answer in pool.map(server.post, [b" " * MOST_BYTES] * 32)} == {401}
        assert server.megabytes < before + 40
        headers = {"Authorization": "Bearer geheim", "Host": "robots.example"}
        assert httpx.get(f"{server.address}/agents", headers=headers).json() == []


def test_what_is_seen_is_no_pddl_and_errors_name_no_folder(server: Server) -> None:
    """Undeclared objects become a part of the problem's text: as names, and as nothing else."""
    made = server.post("{}").json()["id"]
    before = httpx.get(f"{server.address}/agents/{made}").json()
    movable, fact = "movable", "(on cup kitchentable)"
    names = ("x)(y", "", "cup\x1b[2J", "x y", "x\n; y", ";", "?x", "-", ":goal")
    kinds = ("movable) (:goal (and)", "movable spoon - movable", "")
    facts = (fact + ") (:goal (and)) (:init", "(and " + fact + ")", fact + " ; cup")
    for objects, true in [
        *(({name: movable}, []) for name in names),
        *(({"cup": kind}, []) for kind in kinds),
        *(({"cup": movable}, [shown]) for shown in facts),
    ]:
        answer = server.post(json.dumps({"objects": objects, "true": true}), f"/agents/{made}/act")
        assert answer.status_code == 400, (objects, true, answer.text)
        assert str(REPOSITORY) not in answer.text and "/tmp" not in answer.text
    assert httpx.get(f"{server.address}/agents/{made}").json() == before


def test_who_does_not_think_is_answered_however_many_do() -> None:
    options = ("--method", "uct", "--simulations", "1000000000", "--deadline", "3000")
    with (
        ThreadPoolExecutor(MOST_THINKING + 3) as pool,
        serving(*options) as (child, address),
    ):  # whose end ends what is asked
        server = Server(child, address)
        made = [server.post("{}").json()["id"] for _ in range(MOST_THINKING + 3)]
        answers: list[int] = []

        def think(found: str) -> None:
            answers.append(httpx.post(f"{address}/agents/{found}/act", timeout=None).status_code)

        asked = pool.map(think, made)
        assert becomes(lambda: answers == [429] * 3, 60)
        assert server.agents() == len(made)
        server.end()
        assert len(list(asked)) == len(made)
        assert sorted(answers) == [200] * MOST_THINKING + [429] * 3


def test_agents_are_told_so_much_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonsense_planning.interfaces.http_server.MOST_REPORTED", 1000)
    task, method = read_task(*map(Path, FILES)), method_named("llm-replan")
    with ModelSession() as models:
        service = Service({"one": task}, method, method.Options(), models, 60)
        first, other = service.make(WantedBody()).id, service.make(WantedBody()).id
        report = ReportBody(false=["(on apple_1 fridge)"] * 10)
        service.act(first, report)
        with pytest.raises(RefusedBody, match="than there is room for"):
            service.act(other, report)
        assert service.brief(other).turns == 0
        service.forget(first)
        service.act(other, report)


@settings(max_examples=settings().max_examples // 3)
@given(verb=VERBS, path=PATHS, body=BODIES, kind=st.sampled_from(["text/plain", "application/json"]))
def test_any_request_is_answered_and_no_error_of_the_server(
    server: Server, verb: str, path: str, body: bytes, kind: str
) -> None:
    with httpx.Client(base_url=server.address, timeout=60) as client:
        made = client.post("/agents").json()["id"]
        answer = client.request(verb, path.replace("{id}", made), content=body, headers={"Content-Type": kind})
        assert answer.status_code < 500, (answer.status_code, answer.text)
        assert answer.is_success or verb == "HEAD" or set(answer.json()) == {"error", "where"}, answer.text
        for agent in client.get("/agents").json():  # of which the request may have made one
            assert client.delete(f"/agents/{agent['id']}").status_code == 204
