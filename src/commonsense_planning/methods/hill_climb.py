"""The methods of "Large Language Models as Common-Sense Heuristics": hill climbing with the model's choices, and the
model's low-level guide alone as a plan. Both act in the true world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from commonsense_planning.config import GuideKnowledge, GuideLevel, Options, option
from commonsense_planning.elicitation.choosing import Chooser, RelevantChooser
from commonsense_planning.elicitation.guidance import Guidance, follow_guide
from commonsense_planning.elicitation.paper_choosing import PaperChooser
from commonsense_planning.elicitation.situations import Situations
from commonsense_planning.errors import BudgetError, Status
from commonsense_planning.llm.model import CHARACTERS_PER_TOKEN
from commonsense_planning.matching.answers import guide_lines
from commonsense_planning.methods.method import Estimate, Request, Solution, TrueWorldMethod
from commonsense_planning.methods.run import ANSWER_TOKENS, Clock, Run, goal_in_words
from commonsense_planning.pomdp.transition_system import Path, PathResult, TransitionSystem
from commonsense_planning.search.classical.hill_climbing import ClimbingOptions, HillClimbing
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.questions import ChooseAction, Question, WriteGuide

NO_DESCRIPTION = "the problem has no description: the model is told the goal instead"


@dataclass(frozen=True)
class GuideOptions(Options):
    """Options of a guide, the solution estimate of section 3.2; ``knowledge``: what the prompt for it tells (section
    4.1)."""

    max_steps: int = option(20, "Limit on actions.", least=1)
    description: str = option(
        "", "The task in English [default: the instruction, else the problem's ;; description:].", metavar="TEXT"
    )
    knowledge: GuideKnowledge | None = option(
        None,
        "What the prompt for the guide tells: nothing; the objects; also their static properties; and the dynamic ones "
        "[default: static; with --prompts paper: none].",
        "--guide-knowledge",
    )


@dataclass(frozen=True)
class HillClimbOptions(ClimbingOptions, GuideOptions):
    """Options of hill climbing."""

    guide: GuideLevel = option(
        GuideLevel.NONE,
        "Solution estimate that the model writes first: none, in the language of the actions, or in English.",
    )


class HillClimb(TrueWorldMethod):
    """Local search whose heuristic is the model's choice among the applicable actions (section 3.2)."""

    name = "llm-hill-climb"
    summary = "the model chooses among the applicable actions, step by step; knows the true world"
    Options = HillClimbOptions

    def solve(self, request: Request) -> Solution:
        options = request.options_as(HillClimbOptions)
        walk = Walk(request, options)

        def climb() -> PathResult:
            guidance = walk.guidance(options.guide) if options.guide is not GuideLevel.NONE else Guidance(walk.language)
            chooser = walk.chooser(options, guidance)
            notes, check = walk.run.notes.take, walk.run.clock.check
            climbing = HillClimbing(
                walk.world, walk.language, chooser, options, options.max_steps, request.emit, notes, check
            )
            return climbing.run()

        return replace(walk.ended(climb), reported=options.beam == 1 and not options.backtrack)

    def estimate(self, request: Request) -> Estimate | None:
        options = request.options_as(HillClimbOptions)
        return Walk(request, options).forecast(options)


class Guide(TrueWorldMethod):
    """The model's low-level guide, carried out as far as it goes (section 4.2, column G)."""

    name = "llm-guide"
    summary = "the model writes a plan, which is carried out as far as possible; knows the true world"
    Options = GuideOptions

    def solve(self, request: Request) -> Solution:
        options = request.options_as(GuideOptions)
        walk = Walk(request, options)
        share: float | None = None

        def follow() -> PathResult:
            nonlocal share
            guidance = walk.guidance(GuideLevel.LOW)
            ended, share = follow_guide(walk.world, guidance, walk.mend, options.max_steps, request.emit)
            return ended

        return replace(walk.ended(follow), reported=True, executability=share)

    def estimate(self, request: Request) -> Estimate | None:
        options = request.options_as(GuideOptions)
        walk = Walk(request, options)
        question = walk.guide(GuideLevel.LOW)
        return walk.with_guides([question], question, (0, 0 if walk.paper else options.max_steps))


class Walk:
    """A walk through the true world that is given a description, but not the goal. ``paper``: every question is asked
    as in the paper; else what is relevant to the goal is given, too."""

    def __init__(self, request: Request, options: GuideOptions) -> None:
        clock = Clock(request.seconds)
        self.request, self.options = request, options
        self.paper = request.models.config.as_in_papers
        self.task, compiled = request.task.all_seen
        self.language = ActionLanguage(self.task, request.task.lexicon, request.task.language)
        self.world = TransitionSystem(self.task, compiled)
        self.run = Run(request, self.language.scene(), clock)
        self.description = options.description or request.instruction or request.task.problem.description
        if not self.description:
            self.description = goal_in_words(self.task, self.language.english, self.paper)
            self.run.notes.add(NO_DESCRIPTION)

    @cached_property
    def situations(self) -> Situations:
        """The part of the task that is relevant to the goal."""
        return Situations(self.world, self.language)

    def chooser(self, options: ClimbingOptions, guidance: Guidance) -> Chooser:
        """The object that chooses among actions with the help of a guide."""
        asking = self.run.model, self.language, options, self.description, guidance
        return PaperChooser(*asking) if self.paper else RelevantChooser(*asking, self.situations)

    def mend(self, guidance: Guidance, path: Path, operators: Sequence[int]) -> None:
        """Has a guide repaired if it cannot be followed."""
        if guidance.mendable:
            guidance.mend(path, operators, self.situations.at(path, operators), self.run.model)

    def guide(self, level: GuideLevel) -> WriteGuide:
        """The question for a guide."""
        about = None if self.paper else self.situations
        return write_guide(self.description, level, self.options.knowledge, self.language, self.world, about)

    def forecast(self, options: ClimbingOptions) -> Estimate:
        """The questions of climbing: for one step up to the limit on steps, with every operator listed at each step, in
        lists of the longest ones."""
        level = self.options.guide if isinstance(self.options, HillClimbOptions) else GuideLevel.NONE
        guides = [] if level is GuideLevel.NONE else [self.guide(level)]
        written = tuple("x" * CHARACTERS_PER_TOKEN * guide.tokens for guide in guides)
        every = range(self.task.operator_count)
        texts = sorted(map(self.language.text, every), key=len)[-options.partition :]
        rules = self.language.rules(every) if options.rules else ()
        taken = tuple(texts[-1:]) * self.options.max_steps
        question = ChooseAction(
            self.description, written, taken, tuple(enumerate(texts, start=1)), texts[-1], options.think, rules
        )
        first, most = (
            -(-count // options.partition) for count in (len(self.world.applicable(self.world.start())), len(every))
        )
        rounds = most + 1 if self.paper else 3 * (most + 1) + 1  # relevant actions, the rest, and again; repairs
        returns = self.options.max_steps if options.backtrack else 0
        turns = self.options.max_steps * options.beam * (1 + returns)
        highest = turns * rounds + (1 + returns) * options.repeats * max(1, most)
        return self.with_guides(guides, question, (first + 1 if self.paper else 0, highest))

    def with_guides(self, guides: Sequence[WriteGuide], question: Question, asked: tuple[int, int]) -> Estimate:
        """An estimate for these guides and a number of questions."""
        answers = -(-WriteGuide.tokens // ANSWER_TOKENS)
        return replace(self.run.estimate(question, asked, question.most_tokens, guides, answers), placements=0)

    def guidance(self, level: GuideLevel) -> Guidance:
        """The guide that the model writes (section 3.2, "Guides"). Raises BudgetError as ``LanguageModel.ask`` does."""
        notes, question = self.run.notes, self.guide(level)
        answers = self.run.model.ask([question], 1)[0]
        lines = guide_lines(answers[0]) if answers else ()
        if not lines:
            self.run.model.usage.not_read(*answers)
            notes.add("the model wrote no guide")
        self.request.emit({"event": "guide", "level": str(level), "lines": list(lines), "notes": notes.take()})
        mendable = question if lines and level is GuideLevel.LOW and not self.paper else None
        return Guidance(self.language, lines, mendable, self.request.emit)

    def ended(self, walk: Callable[[], PathResult]) -> Solution:
        """Starts, walks, and returns how it ended."""
        counts = {"operators": self.task.operator_count, "facts": self.task.fact_count}
        self.run.start(**counts, hidden=0, description=self.description)
        try:
            self.run.clock.check()
            ended = walk()
        except BudgetError as error:  # before the first step
            ended = PathResult(Status.BUDGET, (), str(error))
        return self.run.end(ended.status, self.task.plan(ended.operators), ended.reason, **counts)


def write_guide(
    description: str,
    level: GuideLevel,
    knowledge: GuideKnowledge | None,
    language: ActionLanguage,
    world: TransitionSystem,
    situations: Situations | None,
) -> WriteGuide:
    """The question for a guide (section 3.2, "Guides"; section 4.1). With ``situations`` it tells only what is
    relevant, and also the preconditions and effects of the actions."""
    low = level is GuideLevel.LOW
    if situations is None:
        given = language.knowledge(knowledge or GuideKnowledge.NONE)
        return WriteGuide(description, str(level), language.forms() if low else (), given)
    if knowledge is GuideKnowledge.NONE:
        return WriteGuide(description, str(level), language.forms() if low else ())
    start = world.start()
    here = situations.at(start, world.applicable(start))
    ahead = here.ahead
    given = language.knowledge(knowledge or GuideKnowledge.STATIC, {a for o in ahead for a in language.objects(o)})
    forms = language.forms(ahead) if low else ()
    fixed, rules = language.told_fixed(here.fixed, here.named), language.rules(ahead, here.conditions)
    told = knowledge in (None, GuideKnowledge.DYNAMIC)
    state = language.facts(here.given, here.denied, here.named) if told else ()
    return WriteGuide(description, str(level), forms, given, rules, fixed, state)


HILL_CLIMB = HillClimb()
GUIDE = Guide()
