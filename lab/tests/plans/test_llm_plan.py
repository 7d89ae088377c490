"""``llm-plan`` and ``llm-modulo`` with models behind a real server: wrong ones, of which some correct themselves."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import InputError, Status, UsageError
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Event, Request, Solution
from commonsense_planning.methods.registry import solve
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.questions import Question
from tests import scripted
from tests.chat_server import ChatServer, Messages
from tests.cli.endpoint import environment
from tests.cli.running import Run, cplan
from tests.data import APPLE_PLAN
from tests.hostile import scripts, try_answers
from tests.scripted import HOUSEHOLD

__all__ = ["cplan", "environment"]

FILES = HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl"
STEPS = tuple(APPLE_PLAN.splitlines())
PLAN = "\n".join(STEPS)
ERRORS = {
    "a step left out": (PLAN.replace(f"{STEPS[2]}\n", ""), "step 3 (grab-from-container apple_1 fridge): unmet:"),
    "the wrong order": ("\n".join((STEPS[1], STEPS[0], *STEPS[2:])), "step 1 (walk-to-place fridge kitchen): unmet:"),
    "no such thing": (PLAN.replace("apple_1", "apple_7"), "no object is called apple_7"),
    "no such action": (PLAN.replace("open-container", "unlock"), "no action is called unlock"),
    "an argument too many": (PLAN.replace("-container fridge)", "-container fridge kitchen)"), "takes 1 argument"),
    "the wrong type": (PLAN.replace("-container fridge)", "-container kitchen)"), "kitchen is no container"),
    "an end too early": ("\n".join(STEPS[:-1]), "goal not satisfied: (on apple_1 kitchentable)"),
    "an end too late": (f"{PLAN}\n(grab-from-surface apple_1 kitchentable)", "was made false by step 7"),
    "no plan at all": ("I am sorry, but I cannot help with that.", "goal not satisfied"),
}


class Told:
    """A model that gives these answers one after the other, and then the last again; its prompts are kept."""

    def __init__(self, *answers: str) -> None:
        self.answers = answers
        self.prompts: list[str] = []

    def __call__(self, messages: Messages) -> str:
        self.prompts.append(messages[-1]["content"])
        return self.answers[min(len(self.prompts), len(self.answers)) - 1]


@pytest.fixture(scope="module")
def task() -> Task:
    return read_task(*FILES)


Solver = Callable[..., tuple[Solution, list[Event]]]


@pytest.fixture
def solved(task: Task) -> Solver:
    """Solve the task, or another, with a scripted model."""

    def run(told: Told, method: str = "llm-modulo", other: Task | None = None, **options: Any) -> Any:
        with ChatServer(told) as server, ModelSession(ModelConfig("openai:m", server.base_url, retries=0)) as models:
            return scripted.solved(other or task, method, models, **options)

    return run


def written(solution: Solution) -> list[str]:
    return [str(step) for step in solution.plan or ()]


def judged(events: Sequence[Event]) -> list[str]:
    return [event["verdict"] for event in events if event["event"] == "plan-written"]


@pytest.mark.parametrize("notation", ["pddl", "english"])
def test_a_right_plan_is_asked_for_once(solved: Solver, notation: str) -> None:
    told = Told(PLAN)
    solution, events = solved(told, "llm-plan", notation=notation)
    assert (solution.status, written(solution), len(told.prompts)) == (Status.SOLVED, list(STEPS), 1)
    assert [event["event"] for event in events] == ["start", "plan-written", "end"]
    assert events[1]["read"][0] == [STEPS[0], STEPS[0]]
    assert ("(:action walk-to-room" in told.prompts[0]) == (notation == "pddl")
    assert ("walk to the <r> needs: " in told.prompts[0]) == (notation == "english")


@pytest.mark.parametrize(("answer", "why"), ERRORS.values(), ids=ERRORS)
def test_an_error_is_found_and_may_be_sent_back_and_corrected(
    solved: Solver, task: Task, answer: str, why: str
) -> None:
    solution, events = solved(Told(answer), "llm-plan")
    assert solution.status is Status.INVALID and why in solution.reason
    assert solution.usage is not None and solution.usage.was_heard is answer.startswith("(")
    assert judged(events) == ["invalid"]
    told = Told(answer, PLAN)
    solution, events = solved(told)
    assert solution.status is Status.SOLVED and solution.plan is not None
    assert replay(task.problem, solution.plan).verdict is Verdict.VALID
    assert why not in told.prompts[0] and why in told.prompts[1] and len(told.prompts) == 2
    assert judged(events) == ["invalid", "valid"]


def test_a_model_that_corrects_nothing_comes_to_an_end(solved: Solver) -> None:
    told = Told(ERRORS["the wrong order"][0])
    solution, events = solved(told, repairs=3)
    assert solution.status is Status.UNSOLVED and solution.plan is None
    assert solution.reason.startswith("no valid plan after 3 repairs; the last: step 1 (walk-to-place fridge kitchen)")
    assert judged(events) == ["invalid"] * 4
    assert told.prompts[-1].count("This plan was written") == 3
    assert solution.usage is not None and solution.usage.questions == 4


def test_a_plan_without_end_is_shown_in_part(solved: Solver) -> None:
    told = Told("(walk-to-room kitchen)\n(walk-to-room bathroom)\n" * 4_000, PLAN)
    solution, _ = solved(told, feedback="prefix")
    assert solution.status is Status.SOLVED
    assert len(told.prompts[1]) < len(told.prompts[0]) + 20_000


TWO_ERRORS = PLAN.replace("(open-container fridge)", "(open-container kitchencabinet)").replace("on apple", "in apple")


@pytest.mark.parametrize(("feedback", "findings"), [("first", 1), ("all", 4), ("prefix", 2)])
def test_what_goes_back(solved: Solver, feedback: str, findings: int) -> None:
    told = Told(TWO_ERRORS, PLAN)
    assert solved(told, feedback=feedback)[0].status is Status.SOLVED
    lines = told.prompts[1].partition("It is wrong:\n")[2].partition("\n\n")[0].splitlines()
    assert len(lines) == findings and lines[0].startswith("- step 3 (open-container kitchencabinet): unmet:")
    if feedback == "all":
        assert [line[2:8] for line in lines] == ["step 3", "step 4", "step 6", "goal n"]
    if feedback == "prefix":
        assert lines[1].endswith("carried out: (walk-to-room kitchen); (walk-to-place fridge kitchen)")


def test_the_prefix_is_kept_and_the_state_is_described(solved: Solver) -> None:
    told = Told(ERRORS["a step left out"][0], "\n".join(STEPS[2:4]), "\n".join(STEPS[4:]))
    solution, _ = solved(told, prefix="state")
    assert solution.status is Status.SOLVED and written(solution) == list(STEPS)
    state = told.prompts[1].partition("Now this is so")[2].partition("Write only")[0].splitlines()
    assert "(near fridge)" in state and "(openable fridge)" not in state  # what never changes is said once
    assert "(holding apple_1)" in told.prompts[2]
    assert told.prompts[2].count("This plan was written") == 1  # those before were about another state


def test_a_planner_finishes_what_can_be_carried_out(solved: Solver) -> None:
    told = Told(ERRORS["an end too late"][0].replace(STEPS[3], f"(close-container fridge)\n{STEPS[2]}\n{STEPS[3]}"))
    solution, _ = solved(told, prefix="planner")
    assert solution.status is Status.SOLVED and len(told.prompts) == 1
    assert written(solution)[:5] == [*STEPS[:3], "(close-container fridge)", STEPS[2]]
    assert solution.reason == "9 of 10 steps are the model's"


def test_where_no_plan_has_that_prefix_the_planner_starts_from_scratch(solved: Solver) -> None:
    domain = Text(
        "(define (domain trap) (:requirements :strips) (:predicates (free) (out))\n"
        "(:action fall :parameters () :precondition (free) :effect (not (free)))\n"
        "(:action leave :parameters () :precondition (free) :effect (out)))"
    )
    problem = Text("(define (problem p) (:domain trap) (:init (free)) (:goal (out)))")
    trap = read_task(domain, problem)
    solution, _ = solved(Told("(fall)\n(leave)"), other=trap, prefix="planner")
    assert written(solution) == ["(leave)"] and solution.reason == "0 of 1 steps are the model's"
    with pytest.raises(InputError, match="--one-shot: no other problem of"):
        solved(Told(PLAN), other=trap, one_shot=True)


def test_an_example_is_the_smallest_other_problem_with_its_plan(solved: Solver) -> None:
    told = Told(PLAN)
    solved(told, "llm-plan", one_shot=True, think=True)
    before, _, example = told.prompts[0].partition("Another problem of the domain:")
    assert "line that says PLAN" in before
    text, _, rest = example.partition("A plan for it:\n")
    lines = rest.partition("The problem:")[0].split("\n")
    other = next(path for path in FILES[1].parent.glob("*.pddl") if f"(problem {path.stem})" in text)
    plan = parse_plan("\n".join(lines), other)
    assert other != FILES[1]
    assert replay(read_task(FILES[0], other).problem, plan).verdict is Verdict.VALID


def test_no_answer_is_no_plan(solved: Solver) -> None:
    for method in ("llm-plan", "llm-modulo"):
        solution, _ = solved(Told(""), method)
        assert (solution.status, solution.reason) == (Status.UNSOLVED, "the model gave no answer")


def test_an_answer_that_may_mean_two_things_is_not_valid(solved: Solver) -> None:
    told = Told("\n".join(f"{number}. {step}" for number, step in enumerate((*STEPS, "rejoice"), 1)))
    solution, events = solved(told, "llm-plan")
    assert solution.status is Status.INVALID and "'7. rejoice' is no action of the task" in solution.reason
    assert judged(events) == ["invalid"]


@pytest.mark.parametrize("method", ["llm-plan", "llm-modulo"])
@settings(max_examples=3)
@given(script=scripts())
def test_whatever_a_model_answers_no_wrong_plan_is_solved(method: str, script: Callable[[Question], list[str]]) -> None:
    assert try_answers(method, script, "openai:scripted"), "it asked nothing"


def test_a_model_that_writes_no_plans_is_refused(task: Task) -> None:
    with ModelSession() as models, pytest.raises(UsageError, match="the embedded model cannot write plans"):
        solve(Request(task, "llm-plan", None, models))


def test_actions_with_outcomes_by_chance_are_not_for_it() -> None:
    domain = Text(
        "(define (domain coin) (:requirements :probabilistic-effects) (:predicates (up))\n"
        "(:action flip :parameters () :effect (probabilistic 0.5 (up))))"
    )
    problem = Text("(define (problem p) (:domain coin) (:init) (:goal (up)))")
    with pytest.raises(UsageError, match="random outcomes, .*llm-replan"):
        solve(Request(read_task(domain, problem), "llm-modulo"))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(Told(ERRORS["a step left out"][0], PLAN)) as running:
        yield running


def asked(server: ChatServer) -> tuple[str, ...]:
    return ("--model", "openai:m", "--base-url", server.base_url, "--retries", "0", "--json")


MODULO = ("solve", *FILES, "--method", "llm-modulo")


def test_a_replay_writes_the_same_plans(cplan: Run, server: ChatServer, tmp_path: Path) -> None:
    traces = [tmp_path / "first.jsonl", tmp_path / "again.jsonl"]
    first = cplan(*MODULO, *asked(server), "--record", tmp_path / "answers.jsonl", "--trace", traces[0])
    assert first.code == 0, first.err
    replayed = ("--model", "openai:m", "--replay", tmp_path / "answers.jsonl", "--trace", traces[1], "--json")
    again = cplan(*MODULO, *replayed)
    assert (again.code, again.json["plan"]) == (0, first.json["plan"])
    told = [[json.loads(line) for line in trace.read_text().splitlines()] for trace in traces]
    written = [[event for event in events if event["event"] == "plan-written"] for events in told]
    assert written[0] == written[1] and len(server.requests) == 2


def test_a_dry_run_asks_no_model(cplan: Run, server: ChatServer) -> None:
    ended = cplan(*MODULO, *asked(server), "--dry-run", "--repairs", "4")
    assert (ended.code, ended.json["calls"], server.requests) == (0, [1, 5], [])
    once = cplan("solve", *FILES, "--method", "llm-plan", *asked(server), "--dry-run")
    assert once.json["calls"] == [1, 1]


def test_a_wrong_plan_ends_with_its_error(cplan: Run, server: ChatServer) -> None:
    ended = cplan("solve", *FILES, "--method", "llm-plan", *asked(server))
    assert (ended.code, ended.json["status"]) == (1, "invalid plan")
    assert "step 3 (grab-from-container apple_1 fridge): unmet: (opened fridge)" in ended.json["reason"]
    assert "5 steps, " in ended.err and "carried out" not in ended.err
