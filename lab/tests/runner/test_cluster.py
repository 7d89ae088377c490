"""Episodes on a Ray cluster: nothing is lost, nothing is done twice, whatever dies.

The cluster is a real one, with two nodes that are processes of this machine.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from commonsense_lab.runner import cluster as cluster_module
from commonsense_lab.runner.cluster import RETRIES, Cluster
from commonsense_lab.runner.rows import NAME, read_lines
from commonsense_lab.runner.runner import Local, Summary, run
from commonsense_planning.errors import MissingError, PddlError, UsageError
from lab.tests.runner.episodes import Errand
from lab.tests.runner.episodes import errands as errands_called
from lab.tests.runner.test_runner import lines, rows
from tests.cli.running import cplan_process
from tests.data import REPOSITORY

SOURCES = os.pathsep.join([str(REPOSITORY / "src"), str(REPOSITORY)])
NAMES = "abcdefghijklmnopqrst"
errands = partial(errands_called, names=NAMES)
NODE = {"num_cpus": 1, "object_store_memory": 100 * 2**20}


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """A cluster of two nodes with one CPU each."""
    from ray.cluster_utils import Cluster as Nodes

    folder = tempfile.mkdtemp(prefix="ray-")  # not pytest's: its paths are too long for sockets
    (Path(tempfile.gettempdir()) / "ray").mkdir(exist_ok=True)  # where Ray notes the address, whatever its folder is
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", SOURCES)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        head = {**NODE, "include_dashboard": False, "ray_client_server_port": free_port(), "temp_dir": folder}
        nodes = Nodes(head_node_args=head)
        try:
            nodes.add_node(**head)
            nodes.add_node(**NODE)
            yield nodes
        finally:
            nodes.shutdown()
            shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def address(nodes: Any, kind: str = "") -> str:
    if kind:
        return f"{kind}127.0.0.1:{nodes.head_node._ray_params.ray_client_server_port}"
    return str(nodes.address)


def pid_of(episode: Errand) -> int:
    """The process of an episode that waits, as soon as it does."""
    for _ in range(6000):
        if episode.pid_file.exists() and (text := episode.pid_file.read_text()).endswith("\n"):
            return int(text)
        time.sleep(0.01)
    raise TimeoutError(f"{episode.name} does not start")


def ended(pid: int) -> bool:
    """Whether a process ends; a zombie has ended."""
    for _ in range(6000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def run_while(episodes: Sequence[Errand], out: Path, where: str, strike: Callable[[], None]) -> Summary:
    """Run episodes; ``strike`` is called meanwhile, and those that wait go on behind it."""

    def at_last() -> None:
        try:
            strike()
        finally:
            episodes[0].diary.with_name("go").touch()

    with ThreadPoolExecutor(1) as pool:
        struck = pool.submit(at_last)
        summary = run(episodes, out, Cluster(where))
        struck.result()
    return summary


@pytest.mark.cluster
@pytest.mark.parametrize("kind", ["", "ray://"])
def test_the_rows_are_those_of_a_local_run(nodes: Any, tmp_path: Path, kind: str) -> None:
    for name, engine in (("there", Cluster(address(nodes, kind))), ("here", Local(1))):
        (tmp_path / name).mkdir()
        episodes = errands(tmp_path / name, c="fail", d="fail once")
        summary = run(episodes, tmp_path / name, engine)
        assert (summary.total, summary.done, summary.failed) == (20, 20, 1)
        assert Counter(episodes[0].starts()) == {**Counter(NAMES), "c": 2, "d": 2, "": 1}
    assert rows(tmp_path / "there") == rows(tmp_path / "here")


@pytest.mark.cluster
def test_a_worker_that_is_killed_costs_no_episode(nodes: Any, tmp_path: Path) -> None:
    episodes = errands(tmp_path, c="wait", d="wait")

    def strike() -> None:
        os.kill(pid_of(episodes[2]), signal.SIGKILL)

    summary = run_while(episodes, tmp_path / "out", address(nodes), strike)
    assert (summary.done, summary.failed) == (20, 0)
    assert lines(tmp_path / "out") == Counter(episode.name for episode in episodes)
    assert all(line.data["status"] == "solved" for line in read_lines(tmp_path / "out"))
    assert Counter(episodes[0].starts())["c"] == 2


@pytest.mark.cluster
def test_a_node_that_is_killed_costs_no_episode(nodes: Any, tmp_path: Path) -> None:
    node = nodes.add_node(**NODE)
    episodes = errands(tmp_path, c="wait", d="wait", e="wait")
    waiting = episodes[2:5]

    def strike() -> None:
        pids = [pid_of(episode) for episode in waiting]  # one on each node
        nodes.remove_node(node, allow_graceful=False)
        while sum(not Path(f"/proc/{pid}").exists() for pid in pids) == 0:
            time.sleep(0.01)

    summary = run_while(episodes, tmp_path / "out", address(nodes), strike)
    assert (summary.done, summary.failed) == (20, 0)
    assert lines(tmp_path / "out") == Counter(episode.name for episode in episodes)
    assert all(line.data["status"] == "solved" for line in read_lines(tmp_path / "out"))
    assert sum(Counter(episodes[0].starts())[episode.name] for episode in waiting) == 4


@pytest.mark.cluster
def test_an_episode_that_kills_every_worker_is_recorded(nodes: Any, tmp_path: Path) -> None:
    episodes = errands(tmp_path, b="die", d="die once")
    summary = run(episodes, tmp_path / "out", Cluster(address(nodes)))
    found = rows(tmp_path / "out")
    assert (summary.done, summary.failed) == (20, 1)
    assert "the process died" in found["b"]["error"]
    assert found["d"]["status"] == "solved"
    assert Counter(episodes[0].starts())["b"] == 1 + RETRIES


@pytest.mark.cluster
def test_a_common_error_ends_the_run(nodes: Any, tmp_path: Path) -> None:
    episodes = errands(tmp_path, e="wrong file")
    with pytest.raises(PddlError, match=r"x\.pddl:1:2: there is no"):
        run(episodes, tmp_path / "out", Cluster(address(nodes)))
    assert "e" not in rows(tmp_path / "out")
    before = len(lines(tmp_path / "out"))
    assert run(errands(tmp_path), tmp_path / "out", Cluster(address(nodes))).found == before
    assert set(lines(tmp_path / "out").values()) == {1}


class Handed(Errand):
    """An episode that notes when it is sent away."""

    sent: list[str] = []  # noqa: RUF012

    def __reduce__(self) -> tuple[type[Errand], tuple[str, Path, str]]:
        self.sent.append(self.name)
        return Errand, (self.name, self.diary, self.does)


@pytest.mark.cluster
def test_no_more_is_handed_over_than_will_soon_begin(nodes: Any, tmp_path: Path) -> None:
    does = {"a": "wait", "b": "wait"}
    episodes = [Handed(e.name, e.diary, e.does) for e in errands(tmp_path, **does)]
    handed: list[str] = []

    def strike() -> None:
        for episode in episodes[:2]:
            pid_of(episode)
        handed.extend(Handed.sent)

    assert run_while(episodes, tmp_path / "out", address(nodes), strike).done == 20
    assert handed == list("abcd")
    assert Handed.sent == [episode.name for episode in episodes]


PROGRAM = """
import sys
from pathlib import Path
from commonsense_lab.runner.cluster import Cluster
from commonsense_lab.runner.runner import run
from lab.tests.runner.episodes import Errand

folder = Path({folder!r})
try:
    run([Errand(name, folder / "diary", does) for name, does in {does!r}], folder / "out", Cluster({address!r}))
except KeyboardInterrupt:
    sys.exit(130)
"""


@contextmanager
def another_run(folder: Path, episodes: Sequence[Errand], where: str) -> Iterator[subprocess.Popen[bytes]]:
    """A run in a separate process."""
    does = [(episode.name, episode.does) for episode in episodes]
    program = PROGRAM.format(folder=str(folder), does=does, address=where)
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, cwd=folder) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.cluster
@pytest.mark.parametrize("kind", ["", "ray://"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_leaves_no_process_and_can_be_resumed(
    nodes: Any, tmp_path: Path, end: signal.Signals, kind: str
) -> None:
    waiting = errands(tmp_path, s="wait", t="wait")
    with another_run(tmp_path, waiting, address(nodes, kind)) as process:
        pids = [pid_of(episode) for episode in waiting[-2:]]
        process.send_signal(end)
        assert process.wait(60) == (130 if end is signal.SIGINT else -end)
    assert all(ended(pid) for pid in pids)
    before = lines(tmp_path / "out")
    assert set(before) <= set("abcdefghijklmnopqr")
    summary = run(errands(tmp_path), tmp_path / "out", Cluster(address(nodes)))
    assert (summary.found, summary.done) == (len(before), 20 - len(before))
    assert lines(tmp_path / "out") == Counter(NAMES)
    starts = Counter(waiting[0].starts())
    assert all(starts[name] == 1 for name in before)


@pytest.mark.cluster
def test_the_command_runs_on_the_cluster_and_prints_what_it_does_here(nodes: Any, tmp_path: Path) -> None:
    pack = REPOSITORY / "pddl" / "virtualhome"
    part = ("bench", "household", "--pack", pack, "--repeats", "1", "--tables", "4", "--tasks", "brush-teeth", "--json")
    there = cplan_process(*part, "-o", tmp_path / "there", "--ray", address(nodes))
    here = cplan_process(*part, "-o", tmp_path / "here", "--workers", "1")
    assert (there.code, there.json["done"], there.json["failed"]) == (0, 3, 0)
    silent = str.maketrans("", "", "0123456789")
    assert there.err.replace("/there", "/here").translate(silent) == here.err.translate(silent)
    assert without_time(tmp_path / "there") == without_time(tmp_path / "here")


def without_time(out: Path) -> dict[str, dict[str, Any]]:
    return {key: {**row, "seconds": None} for key, row in rows(out).items()}


@pytest.mark.cluster
def test_a_node_with_another_version_is_refused(nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "__version__", "99")
    with pytest.raises(MissingError, match="install the same on every node"):
        run(errands(tmp_path), tmp_path, Cluster(address(nodes)))
    assert not rows(tmp_path)


@pytest.mark.cluster
def test_a_node_without_the_folder_is_refused(nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "cwd", lambda: Path("/nowhere/at/all"))
    with pytest.raises(MissingError, match="has no folder /nowhere/at/all"):
        run(errands(tmp_path), tmp_path, Cluster(address(nodes)))


@pytest.mark.cluster
def test_a_server_without_ray_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    def init(**options: Any) -> None:  # the real one takes most of a minute
        raise ConnectionError("a trace\nand no answer.")

    monkeypatch.setattr(ray, "init", init)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(MissingError, match="cannot join a Ray cluster at .*: and no answer; start one"),
    ):
        run(errands(tmp_path), tmp_path, Cluster(f"127.0.0.1:{server.getsockname()[1]}"))


@pytest.mark.parametrize("wrong", ["", "here", "local", "ray://head", "head:port", "head:99999", ":6379"])
def test_an_address_is_auto_or_has_a_port(wrong: str) -> None:
    with pytest.raises(UsageError, match="expected auto, HOST:PORT or ray://HOST:PORT"):
        Cluster(wrong)


@pytest.mark.parametrize("kind", ["", "ray://"])
def test_an_address_without_a_listener_is_reported(tmp_path: Path, kind: str) -> None:
    with pytest.raises(MissingError, match="no Ray cluster answers at"):
        run(errands(tmp_path), tmp_path, Cluster(f"{kind}127.0.0.1:{free_port()}"))
    assert (tmp_path / NAME).read_text() == ""


def test_without_ray_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingError, match=r"commonsense-planning\[cluster\]"):
        run(errands(tmp_path), tmp_path, Cluster("auto"))
