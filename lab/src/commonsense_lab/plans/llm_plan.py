"""Plans that a language model writes whole: once, or repeatedly with a validator's findings until one is valid
(LLM-Modulo, Kambhampati et al. 2024)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from commonsense_lab.plans.text_task import TextTask
from commonsense_lab.plans.written_plan import PLANS, PlanReader, WritePlan
from commonsense_planning.config import Options, option
from commonsense_planning.errors import BudgetError, InputError, Status, UsageError
from commonsense_planning.methods.method import Estimate, Observability, Request, Solution
from commonsense_planning.methods.run import Clock, Run
from commonsense_planning.pddl.packs import others_beside
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.lazy import alternating_search
from commonsense_planning.state import make_state
from commonsense_planning.support.english import counted
from commonsense_planning.support.processes import Limit
from commonsense_planning.support.reading import Text, within
from commonsense_planning.task import Task
from commonsense_planning.validation.replay import findings, run
from commonsense_planning.validation.verdict import OURS, Report, Verdict
from commonsense_planning.wording.questions import Scene

PLAN_TOKENS = 400  # of a plan, as models usually write them
MOST_FINDINGS = 20  # of one plan
MOST_STEPS = 200  # of a wrong plan that the model is shown again
MOST_TOLD = 2_000  # characters of an answer in a trace
EXAMPLE_SECONDS = 10.0  # limit on the search for an example's plan


class Notation(StrEnum):
    """The notation of the task and of plans."""

    PDDL = "pddl"
    ENGLISH = "english"  # the words of the domain's lexicon


class Feedback(StrEnum):
    """The part of a validator's findings that goes back to the model."""

    FIRST = "first"  # the first error
    ALL = "all"  # all errors, as if the steps before were right
    PREFIX = "prefix"  # the first error, and the steps before it


class Prefix(StrEnum):
    """What happens to the executable steps at the start of a wrong plan."""

    DROP = "drop"
    STATE = "state"  # they are kept, and the model is told the state that they lead to
    PLANNER = "planner"  # they are kept, and gbfs finds the rest


@dataclass(frozen=True)
class PlanOptions(Options):
    """Options of plans that are written once."""

    notation: Notation = option(
        Notation.PDDL, "Notation of the task in the prompt: its files, or English from the lexicon.", "--as"
    )
    one_shot: bool = option(False, "Show the folder's smallest other problem, with a plan from gbfs, as an example.")
    think: bool = option(False, "Let the model reason before it writes the plan.")


@dataclass(frozen=True)
class ModuloOptions(PlanOptions):
    """Options of plans that are repaired."""

    repairs: int = option(15, "Limit on how often a wrong plan goes back to the model.", least=0)  # section 4: 15
    feedback: Feedback = option(
        Feedback.FIRST, "Findings that go back: the first error, all errors, or the first with the prefix before it."
    )
    prefix: Prefix = option(
        Prefix.DROP,
        "Steps before the error of a wrong plan: drop: discard them; state: keep them, and tell the model the state "
        "there; planner: keep them, and let gbfs find the rest.",
    )


class LlmPlan:
    """Asks one question; the validators judge the answer."""

    name = "llm-plan"
    summary = "the model writes the whole plan in one answer; knows the true world"
    world = Observability.KNOWN
    Options: type[PlanOptions] = PlanOptions

    def why_not(self, task: Task) -> str | None:
        if task.problem.outcomes:
            return "its actions have random outcomes, which no plan foresees; llm-replan acts step by step"
        return task.no_world

    def solve(self, request: Request) -> Solution:
        return _Writing(request).once()

    def estimate(self, request: Request) -> Estimate | None:
        repairs: int = getattr(request.options, "repairs", 0)
        writing = _Writing(request)
        return writing.run.estimate(writing.question, (1, 1 + repairs), PLAN_TOKENS)


class LlmModulo(LlmPlan):
    """Generate and test: the model writes plans, and is told what cplan's replay finds."""

    name = "llm-modulo"
    summary = "the model writes plans, and is told what is wrong with them until one is valid; knows the true world"
    Options = ModuloOptions

    def solve(self, request: Request) -> Solution:
        return _Writing(request).until_valid(request.options_as(ModuloOptions))


LLM_PLAN = LlmPlan()
LLM_MODULO = LlmModulo()


class _Writing:
    """A run: what is asked, and how its answers are read and judged."""

    def __init__(self, request: Request) -> None:
        config, options, task = request.models.config, request.options_as(PlanOptions), request.task
        if not request.models.adapter.reads_prompts:
            raise UsageError(f"the {config.name} model cannot write plans: choose another, see cplan models")
        self.request = request
        self.problem = task.problem
        self.limit = Limit(request.seconds)
        self.run = Run(request, Scene(task.problem.domain_name), Clock(request.seconds), PLANS)
        self.told = TextTask(task.problem, task.lexicon, options.notation is Notation.ENGLISH)
        self.reader = PlanReader(task.problem, self.told.wording)
        example = None
        if options.one_shot:
            problem, plan = _example(task)
            other = TextTask(problem, task.lexicon, self.told.english)
            example = other.texts()[1], tuple(map(other.step, plan))
        self.question = WritePlan(*self.told.texts(), self.told.english, options.think, example)

    def once(self) -> Solution:
        """The plan of one answer, valid or not."""
        self.run.start()
        try:
            steps, report = self._written(self.question, ())
        except BudgetError as error:
            return self._ended(Status.BUDGET, None, str(error))
        if report.verdict is Verdict.UNAVAILABLE:
            return self._ended(Status.UNSOLVED, None, report.reason)
        status = Status.SOLVED if report.verdict is Verdict.VALID else Status.INVALID
        return self._ended(status, Plan(steps), self.told.finding(report))

    def until_valid(self, options: ModuloOptions) -> Solution:
        """The first plan that cplan's replay finds valid."""
        self.run.start()
        question, stand, why = self.question, tuple[Step, ...](), ""
        try:
            for _ in range(1 + options.repairs):
                self.run.clock.check()
                steps, report = self._written(question, stand)
                if report.verdict is Verdict.VALID:
                    return self._ended(Status.SOLVED, Plan(steps), "")
                if report.verdict is Verdict.UNAVAILABLE:
                    return self._ended(Status.UNSOLVED, None, report.reason)
                good = steps[: None if report.step is None else report.step - 1]
                if options.prefix is Prefix.PLANNER:
                    return self._finished(good)
                wrong, why = self._wrong(steps, report, options.feedback), self.told.finding(report)
                attempts = (*question.attempts, (self._shown(steps[len(stand) :]), wrong))
                if options.prefix is Prefix.STATE and len(good) > len(stand):
                    stand, attempts = good, ((self._shown(steps[len(good) :]), wrong),)
                state = self.told.atoms(run(self.problem, Plan(stand)).state, fluent=True) if stand else ()
                carried_out = tuple(map(self.told.step, stand))
                question = replace(question, carried_out=carried_out, state=state, attempts=attempts)
        except BudgetError as error:
            return self._ended(Status.BUDGET, None, str(error))
        tried = counted(options.repairs, "repair")
        return self._ended(Status.UNSOLVED, None, f"no valid plan after {tried}; the last: {why}")

    def _written(self, question: WritePlan, stand: Sequence[Step]) -> tuple[tuple[Step, ...], Report]:
        """Asks, and returns the kept steps (``stand``) followed by those read from the answer, and the replay's verdict
        on all of them."""
        answers = self.run.model.ask([question], 1)[0]
        answer = answers[0] if answers else ""
        written = self.reader.read(answer)
        steps = (*stand, *written.steps)
        report = run(self.problem, Plan(steps)).report
        if not written.steps:
            self.run.model.usage.not_read(*answers)
        if not answers:
            report = Report(OURS, Verdict.UNAVAILABLE, reason="the model gave no answer")
        elif written.unclear and report.step is None:
            report = replace(report, verdict=Verdict.INVALID, reason=written.unclear, advice="")
        event = {"event": "plan-written", "answer": answer[:MOST_TOLD], "read": [*map(list, written.lines)]}
        judged = {"verdict": str(report.verdict), "step": report.step, "reason": report.reason}
        self.request.emit({**event, **judged, "notes": self.run.notes.take()})
        return steps, report

    def _shown(self, steps: Sequence[Step]) -> tuple[str, ...]:
        """Steps of a wrong plan as the model is shown them."""
        return (*map(self.told.step, steps[:MOST_STEPS]), *(["…"] if len(steps) > MOST_STEPS else []))

    def _wrong(self, steps: Sequence[Step], report: Report, feedback: Feedback) -> tuple[str, ...]:
        """What the model is told about a wrong plan."""
        told = self.told.finding(report)
        if feedback is Feedback.ALL and report.step is not None:
            return tuple(map(self.told.finding, findings(self.problem, Plan(tuple(steps)), MOST_FINDINGS)))
        if feedback is Feedback.PREFIX and report.step is not None:
            good = "; ".join(self._shown(steps[: report.step - 1]))
            return told, f"the steps before it can be carried out: {good or 'there are none'}"
        return (told,)

    def _finished(self, good: Sequence[Step]) -> Solution:
        """A plan that begins with the executable steps, if possible, and that gbfs completes."""
        task, compiled = self.request.task.all_seen
        number = {str(task.step(operator)).lower(): operator for operator in range(task.operator_count)}
        model, state = TransitionModel(compiled), make_state(compiled, task.init)
        for begun in dict.fromkeys((tuple(good), ())):
            names = (str(step).lower() for step in begun)
            operators = [number[name] for name in names if name in number]  # others change nothing
            after = model.trajectory(state, operators)[-1]
            found = alternating_search(compiled, after, Limits(self.limit.left))
            if found.operators is not None:
                plan = Plan((*begun, *task.plan(found.operators)))
                return self._ended(Status.SOLVED, plan, f"{len(begun)} of {len(plan)} steps are the model's")
        return self._ended(found.status, None, found.reason)

    def _ended(self, status: Status, plan: Plan | None, reason: str) -> Solution:
        return self.run.end(status, plan, reason)


def _example(task: Task) -> tuple[Problem, Plan]:
    """The smallest other problem in the task's folder that gbfs solves, and its plan. Raises InputError if there is
    none."""
    domain, folder = task.problem.domain_file, task.problem.folders[1]
    for file in others_beside(task.problem):
        try:
            own = Text(task.problem.texts[0], str(domain))
            other = Task(read_problem(own, within(file.parent, file)), None, task.lexicon)
        except InputError:
            continue  # of another domain, or elsewhere
        if other.no_world is None:
            ground, compiled = other.relevant
            found = alternating_search(compiled, make_state(compiled, ground.init), Limits(EXAMPLE_SECONDS))
            if found.operators is not None:
                return other.problem, ground.plan(found.operators)
    raise InputError(f"--one-shot: no other problem of {domain} in {folder} has a plan")
