"""Plans of the virtualhome domain as VirtualHome's scripts, ``(grab salmon_311)`` is ``[GRAB] <salmon> (311)``, and
VirtualHome's own evolving-graph executor, run in a child process: a script and a graph in, the last graph out.

Object names hold the class and the id of their node. Where the domain and VirtualHome differ:

- The three ways to walk are WALK; ``placeon`` is PUTBACK, the action that puts a thing on any other.
- ``watch`` is TURNTO and WATCH: VirtualHome wants the character to face what it watches, and walking ends that.
- ``use`` has no action in VirtualHome: it becomes a comment in the script.
- FIND is never written: WALK includes it.

The executor's package is used unchanged, with these workarounds:

- Its modules are imported from their own folder, as they import each other. The package's ``__init__`` looks for that
  folder at a fixed place of ``sys.path`` and imports the simulator's client, with viewers and image libraries.
- The name equivalence, a file that the package lacks, is empty: a script with ids needs none.
- ``ScriptExecutor`` gets one line at a time, so that it is known which one failed.
- ``EnvironmentState.get_char_node`` returns the initial state of the character, so that one who sits could walk away
  but not stand up. In the child process it returns the current state."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from commonsense_planning.errors import InputError, MissingError
from commonsense_planning.pddl.evaluation import Formulas
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.workers import ask, serve

_SAME = "grab putin drop open close switchon switchoff plugin plugout pour wash wipe eat drink sit standup"
ACTIONS: Mapping[str, tuple[str, ...]] = {
    **{name: (name.upper(),) for name in _SAME.split()},
    **dict.fromkeys(("walk-to-room", "walk-to-fixture", "walk-to-movable"), ("WALK",)),
    "placeon": ("PUTBACK",),
    "use": (),
    "watch": ("TURNTO", "WATCH"),
}
"""Action of the domain → VirtualHome's actions, each with all the arguments."""

_NODE = re.compile(r"(.+)_([0-9]{1,18})")


@dataclass(frozen=True)
class ScriptLine:
    """One line of a script, ``text``, and the number of the plan's ``step`` that it carries out, from 1."""

    text: str
    step: int


@dataclass(frozen=True)
class Script:
    """A plan in VirtualHome's words. ``left_out`` are the steps that it has no action for, with their numbers."""

    lines: tuple[ScriptLine, ...]
    left_out: tuple[tuple[int, Step], ...]

    def render(self) -> str:
        """Returns the text of a script file, with comments in place of what is left out."""
        rows = [(line.step, line.text) for line in self.lines]
        rows += [(number, f"# {step}: VirtualHome has no such action") for number, step in self.left_out]
        return "".join(f"{text}\n" for _, text in sorted(rows, key=lambda row: row[0]))


def node_of(name: str) -> tuple[str, int]:
    """Returns class and id of an object's node. Raises ``InputError`` if the name has no id."""
    found = _NODE.fullmatch(name.lower())
    if found is None:
        raise InputError(
            f"{name} names no node of VirtualHome: expected its class and id, such as salmon_311, "
            "as cplan data import-virtualhome writes them"
        )
    return found[1], int(found[2])


def to_script(problem: Problem, plan: Plan) -> Script:
    """Writes ``plan`` as a script, without checking that its steps can be carried out. Raises ``InputError`` if the
    problem is of another domain, or a step is no action of the virtualhome domain or names no object of the problem."""
    if problem.domain_name.lower() != "virtualhome":
        raise InputError(
            f"{problem.domain_file}: the domain is {problem.domain_name}; "
            "only plans of the virtualhome domain are scripts of VirtualHome"
        )
    names = Formulas(problem).objects(problem.tarski.language.get_sort("object"))
    known = {problem.spell(name).lower() for name in names}
    lines: list[ScriptLine] = []
    left_out = []
    for number, step in enumerate(plan, start=1):
        where = f"step {number} {step}"
        actions = ACTIONS.get(step.action.lower())
        if actions is None:
            raise InputError(f"{where}: the virtualhome domain has no action {step.action}")
        for name in step.arguments:
            if name.lower() not in known:
                raise InputError(f"{where}: the problem has no object {name}")
        if not actions:
            left_out.append((number, step))
        nodes = "".join(f" <{kind}> ({i})" for kind, i in map(node_of, step.arguments))
        lines += [ScriptLine(f"[{action}]{nodes}", number) for action in actions]
    return Script(tuple(lines), tuple(left_out))


PACKAGE = "virtualhome"
WAY_OUT = "install it with: make virtualhome"


@dataclass(frozen=True)
class ScriptRun:
    """How a script ended: ``done`` lines were carried out; ``reason`` is why the next one was not, empty if all were.

    ``states``: node id → its states. ``edges``: (from, relation, to), without CLOSE and FACING. Both are those of the
    graph in which it ended."""

    done: int
    reason: str
    states: Mapping[int, frozenset[str]]
    edges: frozenset[tuple[int, str, int]]


def version() -> str:
    """Returns the installed version. Raises ``MissingError`` if VirtualHome is not installed."""
    try:
        found = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError as error:
        raise MissingError(f"VirtualHome is not installed; {WAY_OUT}") from error
    if not _folder(found).joinpath("evolving_graph").is_dir():
        raise MissingError(f"VirtualHome {found.version} has no evolving_graph in {_folder(found)}; {WAY_OUT}")
    return found.version


def execute(
    graph: Mapping[str, Any], scripts: Sequence[Sequence[str]], timeout: float | None = None
) -> list[ScriptRun]:
    """Runs each of ``scripts`` (lists of lines) in ``graph`` (an environment graph as JSON), each from the start.
    Raises ``MissingError`` if VirtualHome is not installed, ``BudgetError`` if it takes longer than ``timeout``
    seconds, and ``WorkerError`` if it crashes."""
    version()
    answer = ask(__name__, {"graph": graph, "scripts": [list(lines) for lines in scripts]}, timeout)
    return [
        ScriptRun(
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
    """Carries out the request's scripts; runs in the child process."""
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
    """Removes from ``graph`` the words that this version of VirtualHome does not know, as it would crash."""
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
