"""A model writes a heuristic: candidates, trials in a child process, repairs by counterexample."""

import resource
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from commonsense_lab.learning import heuristic_worker, heuristic_writer
from commonsense_lab.learning.heuristic_questions import TEMPLATES, MendHeuristic, program_in
from commonsense_lab.learning.heuristic_trial import Trial
from commonsense_lab.learning.heuristic_writer import Candidate, HeuristicOutcome, HeuristicWriter, search_with
from commonsense_lab.learning.written_heuristic import GroundedHeuristic
from commonsense_planning.errors import BudgetError, CplanError, LateError, Status
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.support.workers import WorkerError
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.questions import Question, Scene
from lab.tests.learning.heuristics import COUNTING, DEAF, EATING, FAILING, GOOD, HANGING, LEAVING, NONSENSE, SLOW
from tests.scripted import ScriptedModel
from tests.towers import write_files

pytestmark = pytest.mark.processes

CALLED = Path("candidate-1.py")


@pytest.fixture
def problems(tmp_path: Path) -> list[Problem]:
    """Towers of two, three and four blocks."""
    domain, files = write_files(tmp_path)
    return [read_problem(domain, file) for file in files]


def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heuristics are tried here, without a child."""
    monkeypatch.setattr(heuristic_writer, "ask", lambda module, request, *_: heuristic_worker.answer(request))
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)


def fenced(program: str) -> str:
    """An answer as models give it."""
    return f"Let me think.\n```python\nx = 1\n```\nBetter:\n```python\n{program}```\n"


def test_a_program_is_the_last_block_of_an_answer() -> None:
    assert program_in(fenced(GOOD)) == GOOD
    assert program_in(GOOD) == GOOD
    assert program_in(f"```\n{GOOD}") == GOOD  # cut off


def test_a_search_gives_a_plan_that_can_be_replayed(problems: list[Problem]) -> None:
    found = search_with(GOOD, CALLED, problems[-1], 30, climb=True)
    assert (found.status, found.failure, found.climbed) == (Status.SOLVED, "", True)
    assert found.plan is not None and replay(problems[-1], found.plan).verdict is Verdict.VALID
    assert len(found.plan) == 8


def test_a_counterexample_is_a_state_without_a_lower_successor(problems: list[Problem]) -> None:
    example = search_with(COUNTING, CALLED, problems[0], 30, climb=True).counterexample
    assert example is not None
    assert (example.after, example.value, example.length, example.dead_end) == (0, 1, 4, False)
    assert example.state == ("(clear b0)", "(hand-empty)", "(on b0 b1)", "(on-table b1)")
    (look,) = example.steps
    assert (look.action, look.value, look) == ("(unstack b0 b1)", 1, example.progress)
    assert look.makes_true == ("(clear b1)", "(holding b0)")
    assert look.makes_false == ("(clear b0)", "(hand-empty)", "(on b0 b1)")


def test_a_counterexample_before_a_dead_end(tmp_path: Path) -> None:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(
        "(define (domain trap) (:predicates (a) (b) (trap) (goal))\n"
        "  (:action fall :parameters () :precondition (a) :effect (and (not (a)) (trap)))\n"
        "  (:action go :parameters () :precondition (a) :effect (and (not (a)) (b)))\n"
        "  (:action reach :parameters () :precondition (b) :effect (goal)))"
    )
    problem.write_text("(define (problem p) (:domain trap) (:init (a)) (:goal (goal)))")
    text = "def make_heuristic(o, s, g, u):\n    return lambda state: 3 - 2 * (('trap',) in state) - (('b',) in state)"
    example = search_with(text, CALLED, read_problem(domain, problem), 30, climb=True).counterexample
    assert example is not None and example.dead_end
    assert (example.after, example.steps[0].action, example.progress.action) == (0, "(fall)", "(go)")


def test_a_counterexample_on_a_plan(problems: list[Problem]) -> None:
    task = ground(problems[0])
    compiled = compile_task(task)
    trials = {
        text: Trial(task, compiled, GroundedHeuristic(task, compiled, text, CALLED), 20) for text in (COUNTING, GOOD)
    }
    plan = BestFirst(compiled).gbfs(make_state(compiled, task.init)).operators
    assert plan is not None and trials[GOOD].counterexample_on(plan) is None
    example = trials[COUNTING].counterexample_on(plan)
    assert example is not None and example.on_plan and not example.dead_end
    assert (example.after, example.length, example.progress.action) == (0, len(plan), "(unstack b0 b1)")
    asked = MendHeuristic("", (), program=COUNTING, counterexample=example, tried=1, solved=1, climbed=0)
    (message,) = Prompts([TEMPLATES], Scene("blocks")).messages(asked)
    assert "0 steps from the beginning of a plan for the problem tower-2." in message["content"]


def test_a_long_search_tells_how_far_it_is_and_its_child_sees_no_keys(
    problems: list[Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, int, int | None]] = []

    def asked(module: str, request: Any, timeout: float, kept: Sequence[str], watch: Callable[[], None]) -> Any:
        assert "HOME" in kept and not any("KEY" in name or "OPENAI" in name for name in kept)
        watch()
        monkeypatch.setattr(heuristic_worker, "WATCHED", 0.0)
        told = heuristic_worker.telling(Path(request["progress"]))
        told("h", 1, 17)
        watch()
        return {"status": "solved"}

    monkeypatch.setattr(heuristic_writer, "ask", asked)
    search_with(GOOD, CALLED, problems[0], 1, report=lambda *progress: said.append(progress))
    assert said == [("states evaluated", 17, None)]


@pytest.mark.parametrize(("program", "seconds", "status", "said"), [
    (FAILING, 30, Status.UNSOLVED, "candidate-1.py:3:1: ZeroDivisionError"),
    (NONSENSE, 30, Status.UNSOLVED, "no number"),
    (LEAVING, 30, Status.UNSOLVED, "candidate-1.py:1:1: import os is not allowed here"),
    (HANGING, 3, Status.UNSOLVED, "a call of the heuristic did not end in time"),
    (DEAF, 1, Status.UNSOLVED, "a call did not end"),  # no signal reaches it
    (EATING, 5, Status.BUDGET, "out of memory"),
])  # fmt: skip
def test_a_heuristic_that_fails_or_does_not_end_costs_its_own_run(
    problems: list[Problem], monkeypatch: pytest.MonkeyPatch, program: str, seconds: float, status: Status, said: str
) -> None:
    monkeypatch.setattr(heuristic_writer, "LATE", 5.0)  # so that it has begun
    found = search_with(program, CALLED, problems[0], seconds)
    assert (found.status, found.plan) == (status, None)
    assert said in found.why


def test_a_slow_heuristic_is_out_of_time_and_not_at_fault(problems: list[Problem]) -> None:
    """Each call ends long before the time is up; all those of one state together do not."""
    found = search_with(SLOW, CALLED, problems[-1], 3)
    assert (found.status, found.failure) == (Status.BUDGET, "")
    assert found.evaluated > 0


class Writer:
    """A writer whose model gives these programs, one after the other, and mends with these."""

    def __init__(self, problems: list[Problem], candidates: Sequence[str], mended: Sequence[str] = ()) -> None:
        self.events: list[dict[str, Any]] = []
        repairs = iter(mended)

        def script(question: Question) -> list[str]:
            if isinstance(question, MendHeuristic):
                return [fenced(program) for program in (next(repairs, None),) if program]
            return [fenced(program) for program in candidates]

        self.model = ScriptedModel(script)
        self.writer = HeuristicWriter(self.model, problems, 20, self.events.append)

    def names(self, candidates: int = 5, repairs: int = 0) -> list[str]:
        """The names of the candidates, the best first."""
        self.written = self.writer.write(candidates, repairs)
        return [candidate.name for candidate in self.written]


def test_the_best_candidate_is_kept(problems: list[Problem]) -> None:
    writer = Writer(problems[:1], [LEAVING, COUNTING, GOOD, FAILING])
    assert writer.names() == ["candidate 3", "candidate 2", "candidate 1", "candidate 4"]
    assert [event["candidate"] for event in writer.events] == [f"candidate {i}" for i in (1, 2, 3, 4)]
    assert writer.events[0]["failure"].startswith("candidate-1.py:1:1: import os")
    assert [event["solved"] for event in writer.events] == [0, 1, 1, 0]
    assert [event["climbed"] for event in writer.events] == [0, 0, 1, 0]


def test_it_is_mended_by_a_counterexample(problems: list[Problem]) -> None:
    writer = Writer(problems[:2], [COUNTING], [FAILING, GOOD])
    assert writer.names(1, 5)[0] == "repair 2 of candidate 1"
    first, second = (question for question in writer.model.asked if isinstance(question, MendHeuristic))
    assert (first.program, first.tried, first.solved, first.climbed) == (COUNTING, 2, 2, 0)
    assert first.counterexample is not None and first.counterexample.problem == "tower-2"
    assert second.program == COUNTING  # what fails does not take the place of what does not
    assert len(writer.model.asked) == 3  # a direct heuristic is not mended


def test_no_answers_no_heuristics(problems: list[Problem]) -> None:
    assert Writer(problems[:1], []).names() == []


def test_a_budget_that_ends_keeps_what_there_is(problems: list[Problem]) -> None:
    def script(question: Question) -> list[str]:
        if isinstance(question, MendHeuristic):
            raise BudgetError("the limit of 1 calls is reached")
        return [COUNTING]

    events: list[dict[str, Any]] = []
    written = HeuristicWriter(ScriptedModel(script), problems[:1], 20, events.append).write(1, 3)
    assert [candidate.name for candidate in written] == ["candidate 1"]
    assert events[-1]["ended"] == "the limit of 1 calls is reached"


@pytest.mark.parametrize(("error", "status", "said"), [
    (LateError("took longer than 90 s"), Status.BUDGET, "on tower-2, the trial took longer than 90 s"),
    (WorkerError("ValueError: ours"), Status.UNSOLVED, "on tower-2, the trial failed, by no error of it"),
])  # fmt: skip
def test_failures_that_are_not_the_programs_are_not_reported_to_the_model(
    problems: list[Problem], monkeypatch: pytest.MonkeyPatch, error: CplanError, status: Status, said: str
) -> None:
    def asked(module: str, request: dict[str, Any], *_: object) -> dict[str, Any]:
        Path(request["progress"]).write_text("7")  # it has begun
        heuristic_worker.Calls(Path(request["calling"]))
        raise error

    monkeypatch.setattr(heuristic_writer, "ask", asked)
    writer = Writer(problems[:2], [GOOD])
    assert writer.names(1, 3) == ["candidate 1"]
    assert len(writer.model.asked) == 1
    (candidate,) = writer.written
    assert [outcome.status for outcome in candidate.outcomes] == [status] * 2
    assert (candidate.failure, candidate.untried.startswith(said)) == ("", True)
    assert writer.events[-1]["untried"] == candidate.untried


@pytest.mark.parametrize(
    ("part", "what"), [("read_problem", "reading the problem"), ("ground", "grounding the problem")]
)
def test_a_slow_part_is_named_and_what_was_found_is_kept(
    problems: list[Problem], monkeypatch: pytest.MonkeyPatch, part: str, what: str
) -> None:
    def slow(*_: object) -> None:
        raise BudgetError("the time is up")

    monkeypatch.setattr(heuristic_worker, part, slow)
    in_this_process(monkeypatch)
    found = search_with(GOOD, CALLED, problems[0], 20, climb=True)
    assert found.untried == f"{what} took longer than 20 s"
    expected = (Status.SOLVED, True) if part == "ground" else (Status.BUDGET, False)
    assert (found.status, found.plan is not None) == expected


def test_scores() -> None:
    def solved(expanded: int, climbed: bool = False) -> HeuristicOutcome:
        return HeuristicOutcome("p", Status.SOLVED, expanded=expanded, climbed=climbed)

    each = (
        (HeuristicOutcome("p", Status.BUDGET),),
        (solved(9),),
        (solved(2),),
        (solved(9, True),),
        (solved(2), solved(9)),
    )
    ranked = [Candidate("", "", outcomes) for outcomes in each]
    assert ranked == sorted(ranked, key=lambda candidate: candidate.score)
