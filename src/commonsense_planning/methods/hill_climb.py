"""The methods of "Large Language Models as Common-Sense Heuristics": hill climbing with the model's choices, and the
model's low-level guide by itself as a plan. Both go through the true world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from commonsense_planning.config import GuideKnowledge, GuideLevel, Options, option
from commonsense_planning.errors import BudgetError, Status, UsageError
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.matching.answers import guide_lines, key_of
from commonsense_planning.methods.method import Estimate, Event, Request, Solution, World
from commonsense_planning.methods.run import Clock, Run, goal_in_words
from commonsense_planning.methods.task import Task
from commonsense_planning.search.hill_climbing import Chooser, ClimbingOptions, HillClimbing
from commonsense_planning.search.transition_system import PathResult, TransitionSystem
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.questions import WriteGuide

NO_DESCRIPTION = "the problem has no description: the model is told the goal in its place"


@dataclass(frozen=True)
class GuideOptions(Options):
    """Of a guide, the solution estimate of section 3.2; ``knowledge``: what its writer is told (section 4.1)."""

    max_steps: int = option(20, "Actions at most.", least=1)
    description: str = option(
        "", "The task in English [default: the instruction, else the problem's ;; description:].", metavar="TEXT"
    )
    knowledge: GuideKnowledge = option(
        GuideKnowledge.NONE,
        "What the guide's writer is told: nothing, the objects, and their properties that stay, and those that change.",
        "--guide-knowledge",
    )


@dataclass(frozen=True)
class HillClimbOptions(ClimbingOptions, GuideOptions):
    """Of hill climbing."""

    guide: GuideLevel = option(
        GuideLevel.NONE,
        "A solution estimate that the model writes first: none, in the language of the actions, in English.",
    )


class HillClimb:
    """Local search whose heuristic is the model's choice among the applicable actions (section 3.2)."""

    name = "llm-hill-climb"
    summary = "the model picks among the applicable actions, step by step; knows the true world"
    world = World.KNOWN
    Options = HillClimbOptions

    def why_not(self, task: Task) -> str | None:
        return task.no_world

    def solve(self, request: Request) -> Solution:
        options: HillClimbOptions = request.options
        walk = Walk(request, options)

        def climb() -> PathResult:
            guide = () if options.guide is GuideLevel.NONE else walk.guide(options.guide)
            chooser = Chooser(walk.run.model, walk.language, options, walk.description, guide)
            notes, check = walk.run.notes.take, walk.run.clock.check
            return HillClimbing(walk.world, chooser, options, options.max_steps, request.emit, notes, check).run()

        return replace(walk.ended(climb), told=options.beam == 1 and not options.backtrack)

    def estimate(self, request: Request) -> Estimate | None:
        raise UsageError(NO_ESTIMATE.format(self.name))


class Guide:
    """The model's low-level guide, carried out as far as it goes (section 4.2, column G)."""

    name = "llm-guide"
    summary = "a plan that the model writes at once, as far as it can be carried out; knows the true world"
    world = World.KNOWN
    Options = GuideOptions

    def why_not(self, task: Task) -> str | None:
        return task.no_world

    def solve(self, request: Request) -> Solution:
        options: GuideOptions = request.options
        walk = Walk(request, options)
        share: float | None = None

        def follow() -> PathResult:
            nonlocal share
            lines = walk.guide(GuideLevel.LOW)
            ended, share = follow_guide(walk.world, lines, walk.language, options.max_steps, request.emit)
            return ended

        return replace(walk.ended(follow), told=True, executability=share)

    def estimate(self, request: Request) -> Estimate | None:
        raise UsageError(NO_ESTIMATE.format(self.name))


NO_ESTIMATE = (
    "there is no estimate for {}: how many actions there are to choose among shows only in a run; "
    "--max-calls, --max-tokens and --max-usd set limits"
)


class Walk:
    """A walk through the true world by one who is told a description, but not the goal."""

    def __init__(self, request: Request, options: GuideOptions) -> None:
        clock = Clock(request.seconds)
        self.request, self.options = request, options
        self.task, compiled = request.task.all_seen
        self.language = ActionLanguage(self.task, request.task.lexicon, request.task.language)
        self.world = TransitionSystem(self.task, compiled)
        self.run = Run(request, self.language.scene(), clock)
        self.description = options.description or request.instruction or request.task.problem.description
        if not self.description:
            self.description = goal_in_words(self.task, self.language.english)
            self.run.notes.add(NO_DESCRIPTION)

    def guide(self, level: GuideLevel) -> tuple[str, ...]:
        """The lines that the model writes. Raises BudgetError as ``LanguageModel.ask`` does."""
        notes = self.run.notes
        lines = write_guide(self.description, level, self.options.knowledge, self.language, self.run.model)
        if not lines:
            notes.add("the model wrote no guide")
        self.request.emit({"event": "guide", "level": str(level), "lines": list(lines), "notes": notes.take()})
        return lines

    def ended(self, walk: Callable[[], PathResult]) -> Solution:
        """Start, walk, and say how it ended."""
        counts = {"operators": self.task.operator_count, "facts": self.task.fact_count}
        self.run.start(**counts, hidden=0, description=self.description)
        try:
            self.run.clock.check()
            ended = walk()
        except BudgetError as error:  # before the first step
            ended = PathResult(Status.BUDGET, (), str(error))
        self.run.end(ended.status, len(ended.operators), ended.reason)
        return self.run.solution(ended.status, self.task.plan(ended.operators), ended.reason, **counts)


def write_guide(
    description: str, level: GuideLevel, knowledge: GuideKnowledge, language: ActionLanguage, model: LanguageModel
) -> tuple[str, ...]:
    """The lines of the guide that the model writes (section 3.2, "Guides"); none where it has no usable answer.

    Raises MissingError and BudgetError as ``LanguageModel.ask`` does.
    """
    forms = language.forms() if level is GuideLevel.LOW else ()
    question = WriteGuide(description, str(level), forms, language.knowledge(knowledge))
    answers = model.ask([question], 1)[0]
    return guide_lines(answers[0]) if answers else ()


def follow_guide(
    world: TransitionSystem,
    lines: Sequence[str],
    language: ActionLanguage,
    max_steps: int,
    emit: Callable[[Event], None],
) -> tuple[PathResult, float | None]:
    """Carry out the lines of a guide, until the goal is reached, a failure condition holds, ``max_steps`` are done, or
    a line is no action that is possible where it stands.

    A line is the first applicable operator whose text has the same words. Every step goes to ``emit``. Also gives which
    share of the lines that it came to could be carried out, all that are left counting as not; None if there are none.
    """
    path, share = world.start(), 1.0 if lines else None
    for number, line in enumerate(lines, start=1):
        if world.reached(path) or world.failure(path) or len(path.operators) >= max_steps:
            break
        key = key_of(line)
        operator = next((o for o in world.applicable(path) if key_of(language.text(o)) == key), None)
        if operator is None:
            reason = f'line {number} of the guide, "{line[:80]}", is no action that is possible there'
            return PathResult(Status.UNSOLVED, path.operators, reason), len(path.operators) / len(lines)
        path = world.successor(path, operator)
        step, says = str(world.task.step(operator)), language.text(operator)
        why = {"line": number, "of": len(lines)}
        event = {"event": "step", "step": len(path.operators), "action": step, "says": says, "why": why, "seen": []}
        emit({**event, "notes": []})
    reason = world.failure(path)
    if world.reached(path) and not reason:
        return PathResult(Status.SOLVED, path.operators), share
    if not reason:
        limit = len(path.operators) >= max_steps
        reason = f"the limit of {max_steps} steps is reached" if limit else "the guide ends and the goal is not reached"
    return PathResult(Status.UNSOLVED, path.operators, reason), share


HILL_CLIMB = HillClimb()
GUIDE = Guide()
