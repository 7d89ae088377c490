"""Runs the episodes of an experiment on a Ray cluster.

Ray finds a free CPU for each episode, and runs the episodes of a dead worker or node again, somewhere else. This module
joins the cluster, checks its nodes, and hands over no more episodes than will soon begin.
"""

from __future__ import annotations

import importlib
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from commonsense_lab.runner.rows import EpisodeOutcome, Failed
from commonsense_lab.runner.runner import Engine, Episode, Keep, attempt
from commonsense_planning import __version__
from commonsense_planning.errors import CplanError, MissingError, UsageError

AHEAD = 2  # episodes handed over per CPU: one that runs, one that can begin at once
RETRIES = 3  # a node that dies ends whatever runs there, so an episode may be hit several times
JOINS = 3  # tries to join a cluster that answers
PATIENCE = 120.0  # seconds in which every node must have started a worker
GLANCE = 1.0  # seconds between two checks for an interrupt

_CLIENT = "ray://"


@dataclass(frozen=True)
class Cluster(Engine):
    """The Ray cluster at ``address``: ``auto`` or the head's ``HOST:PORT`` for a cluster that has this machine,
    ``ray://HOST:PORT`` from any other. Raises UsageError for anything else."""

    address: str

    def __post_init__(self) -> None:
        if self.address != "auto" and _host_and_port(self.address) is None:
            raise UsageError(
                f"{self.address}: no address of a Ray cluster; expected auto, HOST:PORT or ray://HOST:PORT"
            )

    def run(self, todo: Sequence[Episode], keep: Keep) -> None:
        """Runs ``todo`` with one CPU for each episode. Raises MissingError without Ray, if the cluster cannot be
        reached, or if a node lacks what episodes need."""
        # Ray prints every death of a worker: stdout is for results
        with redirect_stdout(sys.stderr), _joined(self.address) as ray:
            folder = Path.cwd()
            _check_nodes(ray, folder)
            task = ray.remote(num_cpus=1, max_retries=RETRIES)(_attempt)
            waiting = list(reversed(todo))
            running: dict[Any, Episode] = {}
            with _interrupt_held_back() as interrupted:
                while (waiting or running) and not interrupted:
                    # counted again, since nodes come and go
                    ahead = max(1, int(AHEAD * ray.cluster_resources().get("CPU", 0)))
                    while waiting and len(running) < ahead:
                        episode = waiting.pop()
                        running[task.remote(episode, folder)] = episode
                    for reference in ray.wait(list(running), timeout=GLANCE)[0]:
                        keep(running.pop(reference), _outcome(ray, reference))


def _attempt(episode: Episode, folder: Path) -> EpisodeOutcome | CplanError:
    """Runs in a worker. Returns an error that ends the run, so that any error that Ray reports is the cluster's."""
    os.chdir(folder)  # paths on the command line are relative to it
    try:
        return attempt(episode)
    except CplanError as error:
        return error


def _outcome(ray: Any, reference: Any) -> EpisodeOutcome:
    """Returns the outcome of an episode that has ended."""
    errors = ray.exceptions
    try:
        outcome: EpisodeOutcome | CplanError = ray.get(reference)
    except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError):
        return Failed(error=f"the process died {1 + RETRIES} times, as of a crash or of too little memory")
    except errors.RayError as error:
        raise MissingError(
            f"the Ray cluster could not run an episode: {_last_line(error)}; every node needs the same cplan and the "
            "same files; what is done is kept, and the same command goes on from there"
        ) from error
    if isinstance(outcome, CplanError):
        raise outcome
    return outcome


@contextmanager
def _joined(address: str) -> Iterator[Any]:
    """Yields Ray, connected. Leaving the cluster ends what still runs there."""
    _reach(address)
    # read when Ray is loaded. Without the first it repeats forever what its memory monitor kills; without the second
    # it tries for minutes to reach something that is not a cluster
    os.environ.setdefault("RAY_task_oom_retries", str(RETRIES))
    os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
    lost: tuple[type[Exception], ...] = (ConnectionError,)
    try:
        import ray
        import ray.util.scheduling_strategies

        if address.startswith(_CLIENT):
            import grpc

            lost = (*lost, grpc.RpcError)
    except ImportError as error:
        raise MissingError("--ray needs Ray: pip install 'commonsense-planning[cluster]'") from error
    try:
        _join(ray, address)
        yield ray
    except (ray.exceptions.RayError, *lost) as error:
        raise MissingError(
            f"the Ray cluster at {address} is gone: {_last_line(error)}; what is done is kept: start it again, and the "
            "same command goes on from there"
        ) from error
    finally:
        ray.shutdown()


def _join(ray: Any, address: str) -> None:
    from tenacity import Retrying, retry_if_exception_type, stop_after_attempt

    # over ray://, the head starts a process for each client, which may be too slow on a busy machine
    again = Retrying(
        retry=retry_if_exception_type(ConnectionAbortedError),
        stop=stop_after_attempt(JOINS),
        before_sleep=lambda state: ray.shutdown(),
        reraise=True,
    )
    ends = signal.getsignal(signal.SIGTERM)
    try:
        again(ray.init, address=address, log_to_driver=False, logging_level=logging.ERROR)
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, ends)  # Ray replaces it, and does not know cplan's exit codes
    except (OSError, RuntimeError, ValueError) as error:
        raise MissingError(
            f"cannot join a Ray cluster at {address}: {_last_line(error)}; start one with 'ray start --head' on one "
            "machine and 'ray start --address=HOST:PORT' on the others; HOST:PORT is for a machine of the cluster, "
            "ray://HOST:10001 for any other"
        ) from error


@contextmanager
def _interrupt_held_back() -> Iterator[list[int]]:
    """Yields a list that is empty until a signal to end, which is raised again at the end of the block: during a call
    over the network it could leave a lock behind, for which the cleanup would wait forever."""
    interrupted: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield interrupted  # only the main thread gets interrupts
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda number, frame: interrupted.append(number))
    try:
        yield interrupted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if interrupted:
        signal.raise_signal(interrupted[0])


def _check_nodes(ray: Any, folder: Path) -> None:
    """Checks every node that runs episodes, since one where they cannot run would fail them all. Raises MissingError
    if there is no node, or one has another cplan, another Python, or no ``folder``."""

    def look() -> tuple[str, str, bool]:
        # defined here, so that Ray sends its code: it needs no cplan on the node
        try:
            version = importlib.import_module("commonsense_planning").__version__
        except ImportError:
            version = "missing"
        return version, ".".join(map(str, sys.version_info[:3])), folder.is_dir()

    nodes = _nodes(ray)
    if not nodes:
        raise MissingError("the Ray cluster has no CPU; add a machine with 'ray start --address=HOST:PORT'")
    strategy = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
    looks = {
        node: ray.remote(num_cpus=0, scheduling_strategy=strategy(node, soft=False))(look).remote() for node in nodes
    }
    python = look()[1]
    for node, name in nodes.items():
        try:
            its_version, its_python, has_folder = ray.get(looks[node], timeout=PATIENCE)
        except ray.exceptions.RayError as error:
            if node not in _nodes(ray):  # the cluster takes some seconds to notice a death
                continue
            raise MissingError(f"{name} does not answer: {_last_line(error)}; see 'ray status'") from error
        if (its_version, its_python) != (__version__, python):
            raise MissingError(
                f"{name}: cplan is {its_version} with Python {its_python}, here it is {__version__} with Python "
                f"{python}; install the same on every node and start it again"
            )
        if not has_folder:
            raise MissingError(
                f"{name} has no folder {folder}; work in a folder that all nodes have under the same path"
            )


def _nodes(ray: Any) -> dict[str, str]:
    """Returns the nodes that run episodes: identity → name for messages."""
    return {
        node["NodeID"]: f"node {node['NodeManagerHostname']} ({node['NodeManagerAddress']}) of the Ray cluster"
        for node in ray.nodes()
        if node["Alive"] and node["Resources"].get("CPU")
    }


def _host_and_port(address: str) -> tuple[str, int] | None:
    """Returns the parts of ``HOST:PORT`` or ``ray://HOST:PORT``; None for anything else."""
    try:
        parts = urlsplit(f"//{address.removeprefix(_CLIENT)}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    return (host, port) if host and port else None


def _reach(address: str) -> None:
    """Raises MissingError if nothing listens there. Ray itself would try for a minute, then end this process."""
    place = _host_and_port(address)
    if place is None:
        return
    try:
        socket.create_connection(place, timeout=10).close()
    except OSError as error:
        raise MissingError(
            f"no Ray cluster answers at {address}: {error}; start one with 'ray start --head', which tells its address"
        ) from error


def _last_line(error: Exception) -> str:
    """Returns the message of an error without Ray's trace."""
    return str(error).strip().rpartition("\n")[2].rstrip(".") or type(error).__name__
