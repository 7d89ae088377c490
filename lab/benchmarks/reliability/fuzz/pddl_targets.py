"""What is written in PDDL: domains, problems, sensors, goals, and plans."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from commonsense_planning.errors import BudgetError, InputError
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.instructions.pddl_goal import PddlGoalReader
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pddl.check import check_domain
from commonsense_planning.pddl.plan import parse_plan, read_plan, render_plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.sensors import formula_from_text, read_sensors
from commonsense_planning.pddl.syntax import parse, read_source, render
from commonsense_planning.task import read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.lexicon import Lexicon
from lab.benchmarks.reliability.fuzz.mutation import Tokens
from lab.benchmarks.reliability.fuzz.target import PACKS, Run, Target, accepted, text
from tests.data import ipc_tasks
from tests.derived_problems import BROKEN_DOMAIN, BROKEN_PROBLEM, SENSORS

SMALL = 5000  # bytes of a domain and a problem together, that many are read
BETWEEN = "\n;;;; the problem\n"  # between the domain and the problem, in an input
HOUSEHOLD = PACKS / "household"
MOST_OPERATORS = 20_000

_WORDS = """
    define domain problem :domain :requirements :types :constants :predicates :functions :action :parameters
    :precondition :effect :derived :constraints :objects :init :goal :metric :hidden :exactly-one :sense :when :observe
    :durative-action :strips :adl :typing :contingent and or not imply forall exists when = - either object unknown
    oneof always sometime at-most-once sometime-after sometime-before within hold-during preference at end increase
    total-cost minimize number ?x ?y total-time := assign decrease at-least exactly undefined
"""
SYNTAX = Tokens(r";[^\n]*|\s+|[()]|[^\s();]+", _WORDS.split())
PLANS = Tokens(r"\n|[^\S\n]+|[()\[\];:]|[^\s()\[\];:]+", ("0", "0.001", "cost", "=", "; cost = 7", "[1]", ":"), "()[]")


@cache
def tasks() -> tuple[tuple[Path, Path], ...]:
    """Small tasks: the smallest of each pack and each domain of the IPC sample."""
    pairs = [(p.parents[1] / "domain.pddl", p) for p in sorted(PACKS.glob("*/problems/*.pddl"))] + ipc_tasks()
    smallest: dict[Path, tuple[int, tuple[Path, Path]]] = {}
    for pair in pairs:
        size = sum(file.stat().st_size for file in pair)
        folder = pair[0].parent
        if size <= smallest.get(folder, (SMALL, pair))[0]:
            smallest[folder] = (size, pair)
    return tuple(pair for _, pair in smallest.values())


def _texts() -> Sequence[str]:
    read = [tuple(file.read_text(encoding="utf-8") for file in pair) for pair in tasks()]
    return [f"{domain}{BETWEEN}{problem}" for domain, problem in (*read, (BROKEN_DOMAIN, BROKEN_PROBLEM))]


def _parts(which: int) -> Sequence[str]:
    return [pair.split(BETWEEN)[which] for pair in _texts()]


@cache
def household() -> Problem:
    """The problem that sensors, goals and plans are of."""
    return read_problem(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")


def _open_syntax(folder: Path) -> Run:
    file = folder / "file.pddl"

    def run(data: bytes) -> None:
        file.write_bytes(data)
        root = read_source(file).root
        with accepted("the file"):
            again = parse(render(root)).root
        assert again == root, "what is written of a file is read as something else"

    return run


def _open_domain(folder: Path) -> Run:
    file = folder / "domain.pddl"

    def run(data: bytes) -> None:
        file.write_bytes(data)
        check_domain(read_source(file, strict=len(data) % 4 == 0))

    return run


def _read(folder: Path, data: bytes) -> Problem:
    files = folder / "domain.pddl", folder / "problem.pddl"
    domain, _, problem = data.partition(BETWEEN.encode())
    for file, part in zip(files, (domain, problem), strict=True):
        file.write_bytes(part)
    return read_problem(*files, strict=len(data) % 4 == 0)


def _open_task(folder: Path) -> Run:
    def run(data: bytes) -> None:
        problem = _read(folder, data)
        with accepted("the task"):
            for part in problem.normal_text or ():
                parse(part)

    return run


def _open_ground(folder: Path) -> Run:
    def run(data: bytes) -> None:
        problem = _read(folder, data)
        compile_task(ground(problem, max_operators=MOST_OPERATORS))

    return run


def _open_sensors(folder: Path) -> Run:
    problem, file = household(), folder / "sensors.pddl"

    def run(data: bytes) -> None:
        file.write_bytes(data)
        read_sensors(file, problem)

    return run


def _open_world_seen_in_part(folder: Path) -> Run:
    file = folder / "sensors.pddl"

    def run(data: bytes) -> None:
        file.write_bytes(data)
        task = read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl", file)
        task.seen_in_part  # noqa: B018 - grounds it

    return run


def _open_formula(folder: Path) -> Run:
    problem = household()

    def run(data: bytes) -> None:
        formula_from_text(text(data), problem, str(folder))

    return run


def _open_goal(folder: Path) -> Run:
    reader, matcher = PddlGoalReader(household(), Lexicon.read(HOUSEHOLD / "lexicon.toml")), LexicalMatcher()
    question = reader.question("put the apple into the fridge")

    def run(data: bytes) -> None:
        answer = text(data)
        try:
            found = reader.read(answer, "the model", matcher)
        except InputError as error:
            reader.again(question, answer, error)
            raise
        with accepted("the goal"):
            conditions = [c for text in found.constraints for c in parse(text, define=False).root.items[1:]]
            for condition in (found.pddl, *map(render, conditions)):
                formula_from_text(condition, household())

    return run


def _open_plan(folder: Path) -> Run:
    problem, file = household(), folder / "plan"

    def run(data: bytes) -> None:
        file.write_bytes(data)
        plan = read_plan(file)
        with accepted("the plan"):
            again = parse_plan(render_plan(plan), file)
        assert again.steps == plan.steps, "what is written of a plan is read as something else"
        assert replay(problem, plan).verdict in (Verdict.VALID, Verdict.INVALID), "a plan without a verdict"

    return run


_PLAN = """(walk-to-room kitchen)
(walk-to-place fridge kitchen)
(open-container fridge)
(grab-from-container apple_1 fridge)
(walk-to-place kitchentable kitchen)
(put-on apple_1 kitchentable)
"""
_STAMPED = "".join(f"{i}.000: {line} [1]\n" for i, line in enumerate(_PLAN.splitlines())) + "; cost = 6 (unit cost)\n"
_FORMULAS = (
    "(on apple_1 kitchentable)",
    "(and (inside apple_1 fridge) (not (opened fridge)))",
    "(exists (?t - movable) (or (inside ?t fridge) (on ?t kitchentable)))",
    "(forall (?c - container) (imply (= ?c fridge) (not (opened ?c))))",
)
_ANSWERS = (
    "(and (inside apple_1 fridge) (not (opened fridge)))",
    "Here is the goal:\n```\n(:goal (forall (?a - apple) (on ?a kitchentable)))\n```\nInstruction: next",
    "1. (at-least 1 (?t - movable) (inside ?t fridge))\n2. (always (not (opened fridge)))",
    "(exactly 2 ((?t - apple)) (on ?t (the kitchen table)))",
)


def _sensors() -> Sequence[str]:
    return [*(f.read_text(encoding="utf-8") for f in sorted(PACKS.glob("*/sensors*.pddl"))), SENSORS]


TARGETS = (
    Target("pddl-syntax", 20, lambda: [*_parts(0), *_parts(1), *_sensors()], SYNTAX, _open_syntax),
    Target("pddl-domain", 30, lambda: _parts(0), SYNTAX, _open_domain),
    Target("pddl-task", 55, _texts, SYNTAX, _open_task),
    Target("pddl-ground", 6, _texts, SYNTAX, _open_ground, (InputError, BudgetError)),
    Target("sensors", 40, _sensors, SYNTAX, _open_sensors),
    Target("sensors-ground", 4, lambda: _sensors()[:-1], SYNTAX, _open_world_seen_in_part, (InputError, BudgetError)),
    Target("formula", 70, lambda: _FORMULAS, SYNTAX, _open_formula),
    Target("model-goal-pddl", 50, lambda: _ANSWERS, SYNTAX, _open_goal, names=False),
    Target("plan", 70, lambda: (_PLAN, _STAMPED), PLANS, _open_plan),
)
