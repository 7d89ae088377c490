"""The files that experiments read: layouts, graphs, flights, rows, trajectories, and the texts of models."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from commonsense_lab.learning.guarded_python import check
from commonsense_lab.learning.heuristic_questions import program_in
from commonsense_lab.learning.lessons import read_trajectories
from commonsense_lab.learning.written_heuristic import on_lifted
from commonsense_lab.pddl.obfuscate import PREFIXES, read_map
from commonsense_lab.planners.assumptions import read_way_back
from commonsense_lab.programs.agent import ProgramReader
from commonsense_lab.programs.lines import ProgramCall
from commonsense_lab.programs.program import Check, read_program
from commonsense_lab.report.method_layout import read_method_suite
from commonsense_lab.report.pages import markdown
from commonsense_lab.report.study import report_of
from commonsense_lab.report.task_tables import read_suite
from commonsense_lab.runner.recording import Recording
from commonsense_lab.runner.rows import NAME
from commonsense_lab.studies.alfworld.plain_goals import plain_goal
from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.homes.scene_import import import_scene
from commonsense_lab.studies.rearrangement.goal_reader import GoalReader
from commonsense_lab.studies.travelling.openflights import read_openflights
from commonsense_lab.studies.virtualhome.home import import_home, render_home
from commonsense_lab.studies.virtualhome.tasks import task_named
from commonsense_planning.errors import BudgetError, HeuristicError
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.grounding.lifted_successors import LiftedTask
from commonsense_planning.instructions.pddl_goal import PddlGoalReader
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.first_better import FirstBetter
from commonsense_planning.support.limits import within_memory, within_seconds
from commonsense_planning.task import read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.verbalise import Verbaliser
from lab.tests.learning.heuristics import COUNTING, GOOD, UPDATING
from lab.tests.report.test_tables import row as household_row
from lab.tests.studies.homes.test_scene_import import FLAT, graph_json
from lab.tests.studies.rearrangement.rows import row
from lab.tests.studies.travelling.openflights_files import AIRPORTS, ROUTES
from tests.fuzz.other_readers import EXAMPLES
from tests.fuzz.other_readers import READERS as CORE
from tests.fuzz.reading import (
    HOUSEHOLD,
    JSON,
    JSON_LINES,
    TOML,
    WORDS,
    Reader,
    Run,
    files,
    given,
    household,
    household_task,
    of_file,
    of_text,
)
from tests.fuzz.spoiling import Tokens
from tests.towers import write_files

BETWEEN = "----\n"  # between airports and routes, in an input
SEARCHING = 1.0  # seconds of a search
CSV = Tokens(r'\n|,|"(?:[^"\\\n]|\\.)*"|[^,\n"]+|.', (r"\N", '""', '"a, b"', '"\\""', "-1", "0", ",,", ",,,,,,"), "[]")
GOAL = Tokens(r"\s+|[()]|[^\s()]+", ("inside", "on", "and", "2", "0", "fridge"))
PYTHON = Tokens(
    r"\n[ \t]*|[ \t]+|\w+|'[^'\n]*'|\"[^\"\n]*\"|==|<=|>=|\*\*|//|.",
    (
        *("__import__('os')", "().__class__", "getattr", "open", "eval", "exec", "lambda: 0", "yield", "await"),
        *("class A: pass", "import os", "from math import *", "f'{x!r:>9}'", "b'x'", "1j", "...", "with x as y:", "*a"),
        *("def f(x):", "return", ":=", "global x", "nonlocal x", "try:", "@f", "del x", "match x:", "0x", "1_0", "'''"),
        *("if x:", "else:", "for x in y:", "while True:", "not", "is", "in", "x", "[0]", ".append", "break", "**k"),
    ),
    "()[]{}",
)


def _household(file: Path) -> None:
    import_scene(load_graph(file), "(inside apple fridge)")


def _virtualhome(file: Path) -> None:
    task = task_named("put-salmon-in-the-fridge")
    render_home(import_home(load_graph(file))[0], task.name, task, "Imported.")


def _open_graph_goal(folder: Path) -> Run:
    file = folder / "graph.json"
    file.write_text(json.dumps(graph_json(FLAT)), encoding="utf-8")
    graph = load_graph(file)
    return of_text(lambda said: import_scene(graph, said))(folder)


def _rows() -> Sequence[str]:
    where = [(variant, home, task) for variant in ("uct", "mcts") for home in ("seen", "unseen") for task in (0, 1)]
    made = [row(variant, home, "simple", task, 0) for variant, home, task in where]
    made.append({**made[0], "key": "broken", "error": "<b>no</b> | `x`"})
    return ["".join(f"{json.dumps(one)}\n" for one in made), json.dumps(household_row("watch-tv", "low", 0))]


def _recording(file: Path) -> None:
    recording = Recording(file)
    recording.about.encode()
    recording.coverage(["a"], [version for part in recording.parts.values() for version in part.prompts])


def _open_flights(folder: Path) -> Run:
    both = folder / "airports.dat", folder / "routes.dat"

    def run(data: bytes) -> None:
        for file, part in zip(both, data.partition(BETWEEN.encode())[::2], strict=True):
            file.write_bytes(part)
        read_openflights(*both, "city" if len(data) % 2 else "airport")

    return run


def _open_program(folder: Path) -> Run:
    (task, _), notes = household_task().seen_in_part, list[str]()
    operators = np.arange(task.operator_count, dtype=np.int32)
    words = Verbaliser(task, Lexicon.read(HOUSEHOLD / "lexicon.toml"))

    def read(said: str) -> None:
        program = read_program(said)
        "".join(map(str, program.body)).encode()
        meaning = ProgramReader(task, words, LexicalMatcher(), notes.append)
        for statement in program.body[:4]:
            if isinstance(statement, ProgramCall):
                meaning.operator(statement, operators)
            elif isinstance(statement, Check):
                meaning.holds(statement.condition, task.init)

    return of_text(read)(folder)


def _open_formal_goal(folder: Path) -> Run:
    goals, matcher = GoalReader(household(), Lexicon.read(HOUSEHOLD / "lexicon.toml")), LexicalMatcher()
    return of_text(lambda said: goals.read(said, "the model", matcher))(folder)


def _open_instruction(folder: Path) -> Run:
    """The embedded model reads what people say, and what it makes of that is read as any model's answer."""
    goals, matcher = PddlGoalReader(household(), Lexicon.read(HOUSEHOLD / "lexicon.toml")), LexicalMatcher()
    return of_text(lambda said: goals.read(plain_goal(goals.question(said)), "embedded", matcher))(folder)


def _heuristic(file: Path) -> None:
    check(program_in(file.read_bytes().decode("utf-8", "replace")), file)


def _open_heuristic_search(folder: Path) -> Run:
    """A program that the guard lets through searches: it ends, in a plan that is valid or an error with its line."""
    domain, (problem,) = write_files(folder, (4,))
    task = read_task(domain, problem)
    lifted, file = LiftedTask(lift(task.problem)), folder / "heuristic.py"

    def read(said: str) -> None:
        with within_memory(), within_seconds(SEARCHING):
            heuristic = on_lifted(lifted, program_in(said), file)
            found = FirstBetter(lifted, heuristic, np.random.default_rng(0)).run(Limits(SEARCHING))
        if found.plan is not None:
            steps = tuple(Step(operator.name, operator.arguments) for operator in found.plan)
            assert replay(task.problem, Plan(steps)).verdict is Verdict.VALID, steps

    return of_text(read)(folder)


ASSUMPTIONS = (
    '{"assumptions": {"assume-1": {"fact": "(inside apple_1 fridge)", "holds": true, "probability": 0.25}}, '
    '"spelling": {"walk-to-room": "Walk-To-Room"}, "finish": "finish"}'
)
MAP = {"files": {"d.pddl": "domain.pddl"}, "names": {kind: {f"{p}1": kind} for kind, p in PREFIXES.items()}}
GRAPH = given(json.dumps(graph_json(FLAT)))
GOALS = (
    "(inside apple fridge)",
    "(and (on apple kitchentable 2) (inside salmon fridge))",
    "(and (and (inside apple fridge)) (on salmon_311 kitchentable))",
)
PROGRAM = """```python
def microwave_salmon():
    # 1: take the salmon
    walk('salmon')
    assert('close' to 'salmon')
        else: find("salmon")
    if 'fridge' is not 'opened' and not ('apple' in 'fridge'):
        open_container('fridge')
    elif on('apple', 'kitchen table'): grab('apple')
    else:
        for x in ['apple', 'fridge']:
            walk_to_place(x)
    putin('salmon', 'microwave')
```
"""
FORMAL = (
    "(INSIDE, apple, fridge, 1)",
    "Formal goal: (ON, apple, kitchen table, 1)-(INSIDE, apple, fridge)\nGoal: next",
    "The goal is:\n1. (inside, apples, fridge, 2)\n2. (on, apple, the kitchen table)",
)
SAID = (
    "Put the apple into the fridge.",
    "put an apple on the kitchen table and close the fridge, please",
    "Never open the fridge! All apples should be inside the fridge or on the kitchen table",
    "put two apples in the fridge; (inside apple_1 fridge)",
)
FLIGHTS = BETWEEN.join(b"\n".join(lines).decode("utf-8", "replace") + "\n" for lines in (AIRPORTS, ROUTES))
HEURISTICS = files("lab/src/**/studies/heuristics/hand_written/*.txt")
ENDS = (HeuristicError, BudgetError)

READERS = {
    "experiment-methods": Reader(
        files("lab/src/**/studies/rearrangement/layout.toml"), TOML, of_file("layout.toml", read_method_suite)
    ),
    "experiment-tasks": Reader(
        files("lab/src/**/studies/virtualhome/layout.toml"), TOML, of_file("layout.toml", read_suite)
    ),
    "graph": Reader(GRAPH, JSON, of_file("graph.json", load_graph)),
    "graph-household": Reader(GRAPH, JSON, of_file("graph.json", _household), names=False),
    "graph-virtualhome": Reader(GRAPH, JSON, of_file("graph.json", _virtualhome), names=False),
    "graph-goal": Reader(given(*GOALS), GOAL, _open_graph_goal, names=False),
    "openflights": Reader(given(FLIGHTS), CSV, _open_flights),
    "rows": Reader(_rows, JSON_LINES, of_file(NAME, lambda file: markdown(report_of(file.parent)).encode()), slow=True),
    "recording-read": Reader(CORE["recording"].seeds, JSON_LINES, of_file("recording.jsonl", _recording)),
    "trajectories": Reader(EXAMPLES, JSON_LINES, of_file("D.jsonl", lambda file: list(read_trajectories(file)))),
    "assumptions": Reader(given(ASSUMPTIONS), JSON, of_file("assumptions.json", read_way_back)),
    "names": Reader(given(json.dumps(MAP)), JSON, of_file("map.json", read_map)),
    "model-program": Reader(given(PROGRAM), PYTHON, _open_program, names=False),
    "model-goal-formal": Reader(given(*FORMAL), WORDS, _open_formal_goal, names=False),
    "instruction": Reader(given(*SAID), WORDS, _open_instruction, names=False),
    "model-heuristic": Reader(HEURISTICS, PYTHON, of_file("heuristic.py", _heuristic)),
    "heuristic-search": Reader(
        given(UPDATING.replace("ERROR", "0"), GOOD, COUNTING), PYTHON, _open_heuristic_search, ENDS, False, slow=True
    ),
}
