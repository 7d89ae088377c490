"""What is written in PDDL: domains, problems, sensors, goals, and plans."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from commonsense_planning import BudgetError, InputError, Problem, Verdict, read_plan, read_problem, read_task
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.instructions.pddl_goal import PddlGoalReader
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pddl.check import check_domain
from commonsense_planning.pddl.nodes import render
from commonsense_planning.pddl.plan import parse_plan, render_plan
from commonsense_planning.pddl.sensors import formula_from_text, read_sensors
from commonsense_planning.pddl.syntax import parse, read_source
from commonsense_planning.validation.replay import replay
from commonsense_planning.wording.lexicon import Lexicon
from tests.data import APPLE, APPLE_PLAN, REPOSITORY
from tests.derived_problems import BROKEN_DOMAIN, BROKEN_PROBLEM, SENSORS
from tests.fuzz.reading import HOUSEHOLD, Reader, Run, accepted, given, household, of_file, of_text, void
from tests.fuzz.spoiling import Tokens

BETWEEN = "\n;;;; the problem\n"  # between the domain and the problem, in an input
SMALL = 5000  # bytes of a domain and a problem together, that many are read
WORDS = """
    define domain problem :domain :requirements :types :constants :predicates :functions :action :parameters
    :precondition :effect :derived :constraints :objects :init :goal :metric :hidden :exactly-one :sense :when :observe
    :durative-action :strips :adl :typing :contingent and or not imply forall exists when = - either object unknown
    oneof always sometime at-most-once sometime-after sometime-before within hold-during preference at end increase
    total-cost minimize number ?x ?y total-time := assign decrease at-least exactly undefined
"""
SYNTAX = Tokens(r";[^\n]*|\s+|[()]|[^\s();]+", WORDS.split())
PLANS = Tokens(r"\n|[^\S\n]+|[()\[\];:]|[^\s()\[\];:]+", ("0", "0.001", "cost", "=", "; cost = 7", "[1]", ":"), "()[]")


@cache
def _tasks() -> tuple[str, ...]:
    """The smallest task of each pack, and one with derived predicates."""
    smallest: dict[Path, str] = {}
    for problem in sorted((REPOSITORY / "pddl").glob("*/problems/*.pddl")):
        both = (problem.parents[1] / "domain.pddl").read_text("utf-8") + BETWEEN + problem.read_text("utf-8")
        if len(both) <= len(smallest.get(problem.parent, SMALL * " ")):
            smallest[problem.parent] = both
    return (*smallest.values(), f"{BROKEN_DOMAIN}{BETWEEN}{BROKEN_PROBLEM}")


def _sensors() -> Sequence[str]:
    return [*(f.read_text("utf-8") for f in sorted((REPOSITORY / "pddl").glob("*/sensors*.pddl"))), SENSORS]


def _syntax(file: Path) -> None:
    root = read_source(file).root
    with accepted("the file"):
        assert parse(render(root)).root == root, "what is written of a file is read as something else"


def _of_task(read: Callable[[Problem], None]) -> Callable[[Path], Run]:
    def open_in(folder: Path) -> Run:
        both = folder / "domain.pddl", folder / "problem.pddl"

        def run(data: bytes) -> None:
            for file, part in zip(both, data.partition(BETWEEN.encode())[::2], strict=True):
                file.write_bytes(part)
            read(read_problem(*both, strict=len(data) % 4 == 0))

        return run

    return open_in


def _normal_form(problem: Problem) -> None:
    with accepted("the task"):
        for part in problem.normal_text or ():
            parse(part)


def _open_goal(folder: Path) -> Run:
    reader, matcher = PddlGoalReader(household(), Lexicon.read(HOUSEHOLD / "lexicon.toml")), LexicalMatcher()
    question = reader.question("put the apple into the fridge")

    def read(answer: str) -> None:
        try:
            found = reader.read(answer, "the model", matcher)
        except InputError as error:
            reader.again(question, answer, error)
            raise
        with accepted("the goal"):
            conditions = [c for text in found.constraints for c in parse(text, define=False).root.items[1:]]
            for condition in (found.pddl, *map(render, conditions)):
                formula_from_text(condition, household())

    return of_text(read)(folder)


def _plan(file: Path) -> None:
    plan = read_plan(file)
    with accepted("the plan"):
        again = parse_plan(render_plan(plan), file)
    assert again.steps == plan.steps, "what is written of a plan is read as something else"
    assert replay(household(), plan).verdict in (Verdict.VALID, Verdict.INVALID), "a plan without a verdict"


STAMPED = (
    "".join(f"{i}.000: {line} [1]\n" for i, line in enumerate(APPLE_PLAN.splitlines())) + "; cost = 6 (unit cost)\n"
)
FORMULAS = (
    "(on apple_1 kitchentable)",
    "(and (inside apple_1 fridge) (not (opened fridge)))",
    "(exists (?t - movable) (or (inside ?t fridge) (on ?t kitchentable)))",
    "(forall (?c - container) (imply (= ?c fridge) (not (opened ?c))))",
)
GOALS = (
    "(and (inside apple_1 fridge) (not (opened fridge)))",
    "Here is the goal:\n```\n(:goal (forall (?a - apple) (on ?a kitchentable)))\n```\nInstruction: next",
    "1. (at-least 1 (?t - movable) (inside ?t fridge))\n2. (always (not (opened fridge)))",
    "(exactly 2 ((?t - apple)) (on ?t (the kitchen table)))",
)
ENDS = (InputError, BudgetError)

READERS = {
    "pddl-syntax": Reader(
        lambda: [*(part for both in _tasks() for part in both.split(BETWEEN)), *_sensors()],
        SYNTAX,
        of_file("file.pddl", _syntax),
    ),
    "pddl-domain": Reader(
        lambda: [both.split(BETWEEN)[0] for both in _tasks()],
        SYNTAX,
        of_file("domain.pddl", lambda file: check_domain(read_source(file))),
    ),
    "pddl-task": Reader(_tasks, SYNTAX, _of_task(_normal_form)),
    "pddl-ground": Reader(
        _tasks, SYNTAX, _of_task(lambda task: void(compile_task(ground(task, max_operators=20_000)))), ENDS, slow=True
    ),
    "sensors": Reader(_sensors, SYNTAX, of_file("sensors.pddl", lambda file: read_sensors(file, household()))),
    "sensors-ground": Reader(
        lambda: _sensors()[:-1],
        SYNTAX,
        of_file("sensors.pddl", lambda file: read_task(*APPLE, file).seen_in_part),
        ENDS,
        slow=True,
    ),
    "formula": Reader(
        given(*FORMULAS), SYNTAX, of_text(lambda said: formula_from_text(said, household(), "goal")), names=False
    ),
    "model-goal-pddl": Reader(given(*GOALS), SYNTAX, _open_goal, names=False),
    "plan": Reader(given(APPLE_PLAN, STAMPED), PLANS, of_file("plan", _plan)),
}
