"""What is read from files that are no PDDL: tables, settings, graphs, flights, recordings, traces, rows."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import click
from commonsense_lab.learning.lessons import read_trajectories
from commonsense_lab.pddl.obfuscate import PREFIXES, read_map
from commonsense_lab.planners.assumptions import read_way_back
from commonsense_lab.report.method_layout import read_method_suite
from commonsense_lab.report.pages import markdown
from commonsense_lab.report.study import report_of
from commonsense_lab.report.task_tables import read_suite
from commonsense_lab.runner.recording import Recording
from commonsense_lab.runner.rows import NAME
from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.homes.scene_import import import_scene
from commonsense_lab.studies.travelling.openflights import read_openflights
from commonsense_lab.studies.virtualhome.home import import_home, render_home
from commonsense_lab.studies.virtualhome.tasks import task_named

from commonsense_planning.cli import settings
from commonsense_planning.cli.main import cplan
from commonsense_planning.llm.budget import PRICES, Prices
from commonsense_planning.llm.cassette import Cassette, Mode
from commonsense_planning.llm.prompts import Prompts, read_examples, read_preferences
from commonsense_planning.view.page import page, read_view
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import Placement, Scene
from commonsense_planning.wording.verbalise import Wording
from lab.benchmarks.reliability.fuzz.mutation import Json, Tokens
from lab.benchmarks.reliability.fuzz.pddl_targets import household
from lab.benchmarks.reliability.fuzz.target import ROOT, Run, Target
from lab.tests.studies.homes.test_scene_import import FLAT, graph_json
from lab.tests.studies.rearrangement.rows import row
from lab.tests.studies.travelling.openflights_files import AIRPORTS, ROUTES
from tests.data import data_root

TOML = Tokens(
    r'#[^\n]*|\n|[^\S\n]+|"[^"\n]*"|[\w.-]+|.',
    (
        *("1", "-1.5", "1e400", "inf", "nan", "true", '"text"', "'text'", '"{a} {b}"', "[]", "[1]", '["a", "b"]', "{}"),
        *(
            "{a = 1}",
            "[[1]]",
            "1979-05-27",
            "07:32:00",
            '"""',
            "[table]",
            "[[array]]",
            "\n[a.b.c]\n",
            "= 1",
            "a.b = 1\n",
        ),
    ),
    "[]{}",
)
CSV = Tokens(r'\n|,|"(?:[^"\\\n]|\\.)*"|[^,\n"]+|.', (r"\N", '""', '"a, b"', '"\\""', "-1", "0", ",,", ",,,,,,"), "[]")
LINES = Tokens(r"\n|\s+|\w+|.", ("#", "\n\n", "goes into", "not"), "()")
TEMPLATE = Tokens(
    r"\{\{|\}\}|\{%|%\}|\{#|#\}|\n|\s+|\w+|'[^'\n]*'|.",
    (
        *("{{ 1/0 }}", "{{ 'a' * 9**9 }}", "{{ thing }}", "{{ m() }}", "{% for i in range(9999) %}", "{% endfor %}"),
        *("{% if x %}", "{% endif %}", "{% macro m() %}", "{% endmacro %}", "{% set x = places %}", "{% block a %}"),
        *("{% include 'placement.jinja' %}", "{% extends 'placement.jinja' %}", "{% raw %}", "[system]", "[user]"),
        *("|join", "|length", "|upper", "|sort", "|batch(2)", "|map('upper')", "|list", "|tojson", "[0]", "[:-1]"),
        *("places", ".places", "scene", "shots", "loop.index", "namespace(a=1)", "self", "__class__", "~", "**", "%"),
    ),
    "(){}[]",
)
JSON = Json()
JSON_LINES = Json(lines=True)
Read = Callable[[Path], object]


def files(*patterns: str) -> Callable[[], Sequence[str]]:
    """Real files of the repository."""
    return lambda: [
        file.read_text(encoding="utf-8")
        for pattern in patterns
        for file in sorted(ROOT.glob(pattern))
        if file.is_file()
    ]


def reader(name: str, read: Read) -> Callable[[Path], Run]:
    """What reads one file of that name."""

    def open_in(folder: Path) -> Run:
        file = folder / name

        def run(data: bytes) -> None:
            file.write_bytes(data)
            read(file)

        return run

    return open_in


# TOML


def _lexicon(file: Path) -> None:
    wording = Wording(household(), Lexicon.read(file).with_own(Lexicon()))
    wording.scene()
    for value in (True, False):
        wording.sentence("inside", ["apple", "fridge"], value)
        wording.said_of("inside", ["the apple", "the fridge"], value)
    wording.relation("inside", [None, "fridge"])
    wording.lexicon.suits("apple_1", "fridge")


def _open_settings(folder: Path) -> Run:
    file = folder / settings.FILE
    chosen = ("solve",), ("bench", "household"), ("view",)

    def run(data: bytes) -> None:
        file.write_bytes(data)
        os.environ[settings.CONFIG] = str(file)
        words = chosen[len(data) % len(chosen)]
        context = click.Context(cplan, info_name="cplan")
        command: click.Command = cplan
        for word in words:
            assert isinstance(command, click.Group)
            found = command.get_command(context, word)
            assert found is not None
            command = found
        settings.default_map(context, command, words)

    return run


_SETTINGS = (
    """model = "openai:gpt-4o-mini"
seed = 3
quiet = true
base-url = "http://localhost:8000/v1"

[solve]
method = "llm-mcts"
trace = "./trace.jsonl"
simulations = 100
max-seconds = 60

[bench.household]
repeats = 2
workers = 1
tables = "1,2"
""",
    'max-usd = 0.5\nprices = "./prices.toml"\n[view]\noutput = "page.html"\n',
)


# JSON


def _graphs() -> Sequence[str]:
    """A small apartment, and parts of recorded ones: rooms, character, some things and what they lie in and on."""
    kept = [json.dumps(graph_json(FLAT))]
    for file in sorted((data_root() / "virtualhome").glob("TestScene*.json")):
        graph = json.loads(file.read_text(encoding="utf-8"))
        nodes, edges = graph["nodes"], [e for e in graph["edges"] if e["relation_type"] in ("INSIDE", "ON")]
        some = [n["id"] for n in nodes if "GRABBABLE" in n["properties"]][:10]
        some += [n["id"] for n in nodes if n["class_name"] in ("fridge", "kitchentable", "salmon", "apple")]
        some += [e["to_id"] for e in edges if e["from_id"] in some]
        wanted = {n["id"] for n in nodes if n["category"] in ("Rooms", "Characters")} | set(some)
        part = {
            "nodes": [n for n in nodes if n["id"] in wanted],
            "edges": [e for e in edges if e["from_id"] in wanted and e["to_id"] in wanted],
        }
        kept.append(json.dumps(part))
    return kept


def _household(file: Path) -> None:
    import_scene(load_graph(file), "(inside apple fridge)")


def _virtualhome(file: Path) -> None:
    home, _ = import_home(load_graph(file))
    task = task_named("put-salmon-in-the-fridge")
    render_home(home, task.name, task, "Imported.")


def _open_graph_goal(folder: Path) -> Run:
    file = folder / "graph.json"
    file.write_text(_graphs()[0], encoding="utf-8")
    graph = load_graph(file)

    def run(data: bytes) -> None:
        import_scene(graph, data.decode("utf-8", "replace"))

    return run


_GOALS = (
    "(inside apple fridge)",
    "(and (on apple kitchentable 2) (inside salmon fridge))",
    "(and (and (inside apple fridge)) (on salmon_311 kitchentable))",
)


# JSON lines


def _rows() -> Sequence[str]:
    made = [
        row(variant, home, "simple", task, 0)
        for variant in ("uct", "mcts")
        for home in ("seen", "unseen")
        for task in (0, 1)
    ]
    broken = {**made[0], "key": "broken", "error": "ValueError: <b>no</b> | `x`"}
    lines = [f"{json.dumps(one)}\n" for one in (*made, broken)]
    household = (ROOT / "tests/goldens/expected/bench/household.txt").read_text(encoding="utf-8").splitlines()
    theirs = [line for line in household if line.startswith("{")]
    return ["".join(lines[:4]), "".join(lines), "\n".join(theirs) + "\n"]


def _open_rows(folder: Path) -> Run:
    file = folder / NAME

    def run(data: bytes) -> None:
        file.write_bytes(data)
        markdown(report_of(folder)).encode()

    return run


def _cassettes() -> Sequence[str]:
    found = files("tests/goldens/cassettes/llm-replan.jsonl", "tests/goldens/cassettes/bench-household.jsonl")()
    return ["".join(text.splitlines(keepends=True)[:6]) for text in found] + [
        '{"part": "a", "key": "k", "texts": ["x"], "notes": [], "model": "m", "date": "2026-01-01", "prompts": "p-1"}\n'
        '{"part": "a", "circumstances": {"command": "cplan bench", "seconds": 1.5}}\n'
        '{"key": "k", "stop": "the limit"}\n'
    ]


def _cassette(file: Path) -> None:
    import asyncio

    for part in ("", "a"):
        cassette = Cassette(file, Mode.REPLAY, None, part)
        asyncio.run(cassette.close())
    recording = Recording(file)
    recording.about.encode()
    recording.commands  # noqa: B018
    recording.coverage(["a"], [version for part in recording.parts.values() for version in part.prompts])


_TRAJECTORIES = (
    '{"instruction": "Put one salmon inside the oven", "observations": [["the oven is closed"], []], '
    '"actions": ["walk to the oven", "open the oven"], "home": "seen"}\n'
    '{"instruction": "tidy", "observations": [[]], "actions": ["grab the apple"]}\n',
)
_ASSUMPTIONS = (
    '{"assumptions": {"assume-1": {"fact": "(inside apple_1 fridge)", "holds": true, "probability": 0.25}}, '
    '"spelling": {"walk-to-room": "Walk-To-Room"}, "finish": "finish"}',
)
_MAP = (
    json.dumps({"files": {"d.pddl": "domain.pddl"}, "names": {kind: {f"{p}1": kind} for kind, p in PREFIXES.items()}}),
)


# Templates


def _open_template(folder: Path) -> Run:
    from commonsense_planning.wording.questions import TEMPLATES

    file = folder / "placement.jinja"
    question = Placement("apple", ("inside fridge", "on kitchen table"))
    assert (TEMPLATES / file.name).is_file()

    def run(data: bytes) -> None:
        file.write_bytes(data)
        for message in Prompts((folder,), Scene("household", {}, ())).messages(question):
            message["content"].encode()

    return run


# OpenFlights


def _flights() -> Sequence[str]:
    """A few flights, and some routes of the real file with the airports that they link."""
    own = [b"\n".join(lines).decode("utf-8", "replace") for lines in (AIRPORTS, ROUTES)]
    found = [f"{BETWEEN}".join(f"{text}\n" for text in own)]
    folder = data_root() / "openflights"
    if folder.is_dir():
        routes = (folder / "routes.dat").read_text(encoding="utf-8").splitlines(keepends=True)[:4000:160]
        linked = {word for line in routes for word in (line.split(",")[3], line.split(",")[5])}
        airports = (folder / "airports.dat").read_text(encoding="utf-8").splitlines(keepends=True)
        some = "".join(line for line in airports if line.split(",")[0] in linked)
        found.append(f"{some}{BETWEEN}{''.join(routes)}")
    return found


BETWEEN = "----\n"


def _open_flights(folder: Path) -> Run:
    both = folder / "airports.dat", folder / "routes.dat"

    def run(data: bytes) -> None:
        for file, part in zip(both, data.partition(BETWEEN.encode())[::2], strict=True):
            file.write_bytes(part)
        read_openflights(*both, "city" if len(data) % 2 else "airport")

    return run


TARGETS = (
    Target("lexicon", 50, files("pddl/*/lexicon.toml"), TOML, reader("lexicon.toml", _lexicon)),
    Target("settings", 4, lambda: _SETTINGS, TOML, _open_settings),
    Target("prices", 40, lambda: [PRICES.read_text(encoding="utf-8")], TOML, reader("prices.toml", Prices.read)),
    Target(
        "experiment-methods",
        8,
        files("src/**/studies/rearrangement/layout.toml"),
        TOML,
        reader("layout.toml", read_method_suite),
    ),
    Target(
        "experiment-tasks", 8, files("src/**/studies/virtualhome/layout.toml"), TOML, reader("layout.toml", read_suite)
    ),
    Target("template", 10, files("src/**/wording/templates/placement*.jinja"), TEMPLATE, _open_template),
    Target("graph", 20, _graphs, JSON, reader("graph.json", load_graph)),
    Target("graph-household", 10, _graphs, JSON, reader("graph.json", _household), names=False),
    Target("graph-virtualhome", 10, _graphs, JSON, reader("graph.json", _virtualhome), names=False),
    Target(
        "graph-goal",
        30,
        lambda: _GOALS,
        Tokens(r"\s+|[()]|[^\s()]+", ("inside", "on", "and", "2", "0", "fridge")),
        _open_graph_goal,
        names=False,
    ),
    Target("openflights", 15, _flights, CSV, _open_flights),
    Target("recording", 25, _cassettes, JSON_LINES, reader("recording.jsonl", _cassette)),
    Target(  # of gbfs, and of llm-mcts with --trace-search, on household:small-apple
        "trace",
        30,
        files("benchmarks/reliability/fuzz/seeds/trace-*.jsonl"),
        JSON_LINES,
        reader("trace.jsonl", lambda file: page(read_view(file)).encode()),
    ),
    Target("rows", 3, _rows, JSON_LINES, _open_rows),
    Target("examples", 40, lambda: _TRAJECTORIES, JSON_LINES, reader("examples.jsonl", read_examples)),
    Target(
        "trajectories",
        40,
        lambda: _TRAJECTORIES,
        JSON_LINES,
        reader("D.jsonl", lambda file: list(read_trajectories(file))),
    ),
    Target(
        "preferences",
        20,
        lambda: ["# ours\nyellow shirts go into the drawer\nmugs are kept in the sink.\n"],
        LINES,
        reader("p.txt", read_preferences),
    ),
    Target("assumptions", 40, lambda: _ASSUMPTIONS, JSON, reader("assumptions.json", read_way_back)),
    Target("names", 40, lambda: _MAP, JSON, reader("map.json", read_map)),
)
