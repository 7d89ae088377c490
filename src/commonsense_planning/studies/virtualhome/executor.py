"""VirtualHome's own evolving-graph executor, run in a child process: a script and a graph in, the last graph out.

Its package is used as it comes, with these ways round it:

- Its modules are imported from their own folder, as they import each other. The package's front door looks for that
  folder at a fixed place of ``sys.path`` and imports the client of the simulator, with viewers and image libraries.
- The name equivalence, a file that the package lacks, is empty: a script with ids needs none.
- ``ScriptExecutor`` is given one line at a time, so that it is known which one failed. FIND would fail on its own
  (``JoinedExecutor.execute`` takes fewer arguments than it is given), but scripts of ours have none.
- ``EnvironmentState.get_char_node`` gives the character as it was at first, so that nobody who sits could stand up,
  and one who sits could walk away. In the child process it gives the character as it is.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from commonsense_planning.errors import MissingError
from commonsense_planning.support.workers import ask, serve

PACKAGE = "virtualhome"
WAY_OUT = "install it with: make virtualhome"


@dataclass(frozen=True)
class Ended:
    """How a script ended: ``done`` lines were carried out; ``reason`` is why the next one was not, empty if all were.

    ``states``: node id → its states. ``edges``: (from, relation, to), without CLOSE and FACING. Both are those of
    the graph in which it ended.
    """

    done: int
    reason: str
    states: Mapping[int, frozenset[str]]
    edges: frozenset[tuple[int, str, int]]


def version() -> str:
    """The installed version. Raises ``MissingError`` if VirtualHome is not installed."""
    try:
        found = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError as error:
        raise MissingError(f"VirtualHome is not installed; {WAY_OUT}") from error
    if not _folder(found).joinpath("evolving_graph").is_dir():
        raise MissingError(f"VirtualHome {found.version} has no evolving_graph in {_folder(found)}; {WAY_OUT}")
    return found.version


def execute(graph: Mapping[str, Any], scripts: Sequence[Sequence[str]], timeout: float | None = None) -> list[Ended]:
    """How each of ``scripts`` (lists of lines) ends in ``graph`` (an environment graph as JSON), each from the start.

    Raises ``MissingError`` if VirtualHome is not installed, ``BudgetError`` if it takes longer than ``timeout``
    seconds, and ``WorkerError`` if it crashes.
    """
    version()
    answer = ask(__name__, {"graph": graph, "scripts": [list(lines) for lines in scripts]}, timeout)
    return [
        Ended(
            ended["done"],
            ended["reason"],
            {int(i): frozenset(states) for i, states in ended["states"].items()},
            frozenset((source, relation, target) for source, relation, target in ended["edges"]),
        )
        for ended in answer["ended"]
    ]


def _folder(found: metadata.Distribution) -> Path:
    return Path(str(found.locate_file(f"{PACKAGE}/simulation")))


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """Carry out the request's scripts; runs in the child process."""
    sys.path.insert(0, str(_folder(metadata.distribution(PACKAGE))))
    environment = importlib.import_module("evolving_graph.environment")
    _keep_the_character_up_to_date(environment.EnvironmentState)
    given = environment.EnvironmentGraph(_known(request["graph"], environment))
    return {"ended": [_run(given, environment, lines) for lines in request["scripts"]]}


def _keep_the_character_up_to_date(state_class: Any) -> None:
    at_first = state_class.get_char_node

    def get_char_node(state: Any, char_index: int) -> Iterator[Any]:
        for node in at_first(state, char_index):
            yield state.get_node(node.id)

    state_class.get_char_node = get_char_node


def _known(graph: dict[str, Any], environment: Any) -> dict[str, Any]:
    """``graph`` without the words that this version of VirtualHome does not know, at which it would crash."""
    properties, states, relations = (
        set(words.__members__) for words in (environment.Property, environment.State, environment.Relation)
    )
    nodes = [
        {
            **node,
            "properties": [word for word in node["properties"] if word in properties],
            "states": [word for word in node["states"] if word in states],
        }
        for node in graph["nodes"]
    ]
    return {"nodes": nodes, "edges": [edge for edge in graph["edges"] if edge["relation_type"] in relations]}


def _run(graph: Any, environment: Any, lines: list[str]) -> dict[str, Any]:
    execution = importlib.import_module("evolving_graph.execution")
    scripts = importlib.import_module("evolving_graph.scripts")
    script = scripts.read_script_from_list_string(lines)
    executor = execution.ScriptExecutor(graph, {})
    state = environment.EnvironmentState(graph, {}, instance_selection=True)
    done, reason = 0, ""
    for number in range(len(script)):
        success, state = executor.execute_one_step(script.from_index(number), state)
        if not success:
            reason = executor.info.messages[-1].partition(" when executing ")[0]
            break
        done += 1
    last = state.to_dict()
    return {
        "done": done,
        "reason": reason,
        "states": {node["id"]: node["states"] for node in last["nodes"]},
        "edges": [
            (edge["from_id"], edge["relation_type"], edge["to_id"])
            for edge in last["edges"]
            if edge["relation_type"] not in ("CLOSE", "FACING")
        ],
    }


if __name__ == "__main__":
    serve(_answer)
