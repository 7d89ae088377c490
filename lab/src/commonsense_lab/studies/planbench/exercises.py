"""What PlanBench (Valmeekam et al. 2023) asks, and how an answer is marked: by the exact answer of our planners and
validators, and never by another model."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from commonsense_lab.plans.text_task import TextTask
from commonsense_lab.plans.written_plan import PlanReader, WrittenPlan
from commonsense_planning.errors import InputError
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.search.classical.cheapest import cheapest_plan
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.lazy import alternating_search
from commonsense_planning.state import make_state
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task
from commonsense_planning.validation.replay import replay, run
from commonsense_planning.validation.verdict import Report, Verdict
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import Question
from commonsense_planning.wording.verbalise import Wording

Fact = tuple[str, ...]
"""A predicate and its arguments, in lower case."""

_ATOM = re.compile(r"(\(\s*not\s*)?\(\s*([^()\s]+)([^()]*)\)", re.IGNORECASE)
_SLOT = "\x00{}\x00"
_NAME = r"[^\s(),;:.]+"
_ARTICLE = r"(?:(?:the|an?)[ \t]+)?"
_THE = r"(?:the[ \t]+)?"  # before a name, which may be "a"


class FactReader:
    """Reads facts of a problem's predicates, about whatever objects; ``wording`` says them."""

    def __init__(self, problem: Problem, wording: Wording) -> None:
        predicates = problem.normaliser.vocabulary.predicates.items()
        self._arity = {name.lower(): len(signature.parameters) for name, signature in predicates}
        self._wording = wording

    def read(self, text: str) -> Mapping[Fact, bool]:
        """Whether it holds, of each fact that a text mentions; what is said last counts. A text with facts in PDDL is
        read as PDDL alone."""
        return dict(self._formal(text)) or dict(self._in_english(text))

    def _formal(self, text: str) -> Iterator[tuple[Fact, bool]]:
        for negated, name, rest in _ATOM.findall(text.lower()):
            if self._arity.get(name) == len(rest.split()):
                yield (name, *rest.split()), not negated

    def _in_english(self, text: str) -> Iterator[tuple[Fact, bool]]:
        groups, pattern = self._said
        for match in pattern.finditer(text):
            name, holds = groups[str(match.lastgroup)]
            arguments = (match[f"{match.lastgroup}_{i}"] for i in range(self._arity[name]))
            yield (name, *(argument.lower() for argument in arguments)), holds

    @cached_property
    def _said(self) -> tuple[Mapping[str, tuple[str, bool]], re.Pattern[str]]:
        """Name of a group -> the predicate, and whether it is said to hold; how all of them are said, those with more
        words of their own first ("is in the city" before "is in", "the robot is in" before "{thing} is in")."""
        groups, patterns = {}, list[tuple[int, str]]()
        for number, (name, arity) in enumerate(self._arity.items()):
            slots = [_SLOT.format(i) for i in range(arity)]
            for holds in (True, False):
                group = f"f{number}{'' if holds else 'n'}"
                sentence = self._wording.sentence(name, slots, holds)
                said = re.sub(r"\b(?:the|an?)\\ ", lambda _: _ARTICLE, re.escape(sentence)).replace("\\ ", r"[ \t]+")
                for i, slot in enumerate(map(re.escape, slots)):
                    named = f"{_THE}(?P<{group}_{i}>{_NAME})"
                    said = said.replace(slot, named, 1).replace(slot, f"{_THE}(?P={group}_{i})")
                groups[group] = name, holds
                own = len(sentence) - sum(map(len, slots))
                patterns.append((-own, rf"(?P<{group}>(?<![\w-]){said}(?![\w-]))"))
        return groups, re.compile("|".join(pattern for _, pattern in sorted(patterns)), re.IGNORECASE)


EVALUATIONS = 500_000  # of the search for a plan, or for a cheapest one, at most

_VERDICT = re.compile(r"\b(?:(?P<no>in|not (?:a )?)?valid)\b", re.IGNORECASE)
TEMPLATES = Path(__file__).with_name("templates")


class Kind(StrEnum):
    """The kinds of exercises, in the order of PlanBench's tasks 1 to 8.3."""

    GENERATION = "generation"  # 1: a plan
    OPTIMALITY = "optimality"  # 2: a cheapest plan
    VERIFICATION = "verification"  # 3: is this a plan, and if not, why
    REUSE = "reuse"  # 4: a plan for where a part of a plan that is shown leads
    GENERALISATION = "generalisation"  # 5: a plan for a larger problem than those that are shown
    REPLANNING = "replanning"  # 6: a plan from where something unexpected happened
    EXECUTION = "execution"  # 7: the state that some actions lead to
    SHUFFLED = "shuffled-goal"  # 8.1: a plan for the same goal in another order
    PARTIAL = "partial-goal"  # 8.2: a plan for a part of the state that a plan was shown for
    FULL = "full-goal"  # 8.3: a plan for the whole state that the plan shown ends in


@dataclass(frozen=True)
class PublishedPrompt(Question):
    """A prompt of PlanBench, word for word."""

    template = TEMPLATES / "published.jinja"
    temperature = 0.0
    tokens = 1_000
    prompt: str = field(repr=False)

    @property
    def about(self) -> str:
        return "to an exercise of PlanBench"


@dataclass(frozen=True)
class Case:
    """A problem with the steps ``given`` to verify, carry out or show, the ``event`` after the last of these (what
    became true, and what false), and the lines of the ``answer``, none where it is asked for."""

    problem: str
    given: tuple[str, ...] = ()
    event: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    answer: tuple[str, ...] = ()


@dataclass(frozen=True)
class GeneratedPrompt(Question):
    """An exercise of a user's own domain: some ``shown`` with their answers, and one ``asked``."""

    template = TEMPLATES / "generated.jinja"
    temperature = 0.0
    tokens = 2_000
    kind: str
    english: bool
    domain: str = field(repr=False)
    shown: tuple[Case, ...] = field(repr=False)
    asked: Case = field(repr=False)

    @property
    def about(self) -> str:
        return f"to an exercise in {self.kind}"


@dataclass(frozen=True)
class Phrasing:
    """How exercises talk: in PDDL, or in the ``english`` of a lexicon. ``plainer``: what becomes of the words of an
    answer before it is read, (pattern, replacement)."""

    lexicon: Lexicon = Lexicon()
    english: bool = False
    plainer: tuple[tuple[str, str], ...] = ()

    def plainly(self, text: str) -> str:
        """Returns the text to read."""
        for said, instead in self.plainer:
            text = re.sub(said, instead, text, flags=re.IGNORECASE)
        return text


@dataclass(frozen=True)
class Exercise:
    """``problem``: the text of the problem to solve. ``steps``: those to verify or to carry out. ``question``: for a
    model, None for none."""

    kind: Kind
    name: str
    domain: Path
    problem: str
    phrasing: Phrasing
    steps: tuple[Step, ...] = ()
    question: Question | None = None


@dataclass(frozen=True)
class Mark:
    """Whether an answer is ``right``, and the ``reason`` why not. ``explained``: whether the reason given for a plan
    that was rightly called invalid is true; None for other answers."""

    right: bool
    reason: str = ""
    explained: bool | None = None


class Marker:
    """Answers an exercise without a model, and marks the answers of others."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.problem = read_problem(exercise.domain, Text(exercise.problem, "asked.pddl"))
        self.told = TextTask(self.problem, exercise.phrasing.lexicon, exercise.phrasing.english)
        self._plans = PlanReader(self.problem, self.told.wording)
        self._facts = FactReader(self.problem, self.told.wording)

    def exact(self) -> str:
        """Answers with cplan's planners and validators. Raises InputError if they have no answer within
        ``EVALUATIONS``."""
        kind = self.exercise.kind
        if kind is Kind.EXECUTION:
            return "\n".join(self.told.atoms(self._end, fluent=True))
        if kind is Kind.VERIFICATION:
            return "\n".join(self._explanation(replay(self.problem, Plan(self.exercise.steps))))
        plan = self._cheapest[0] if kind is Kind.OPTIMALITY else plan_of(Task(self.problem, None, Lexicon()))
        if plan is None:
            raise InputError("no plan was found for it")
        return "\n".join(map(self.told.step, plan))

    def read(self, answer: str) -> WrittenPlan:
        """Reads the plan in an answer."""
        return self._plans.read(self.exercise.phrasing.plainly(answer))

    def facts(self, text: str) -> dict[Fact, bool]:
        """Reads the facts of a text, and whether each holds."""
        return dict(self._facts.read(self.exercise.phrasing.plainly(text)))

    def mark(self, answer: str) -> Mark:
        """Marks an answer. Raises InputError if a cheapest plan is asked for and none is known."""
        match self.exercise.kind:
            case Kind.EXECUTION:
                return self._executed(answer)
            case Kind.VERIFICATION:
                return self._verified(answer)
        written = self.read(answer)
        outcome = run(self.problem, Plan(written.steps))
        if written.unclear and outcome.report.step is None:
            return Mark(False, written.unclear)
        if outcome.report.verdict is not Verdict.VALID:
            return Mark(False, self.told.finding(outcome.report))
        if self.exercise.kind is Kind.OPTIMALITY and outcome.cost > self._cheapest[1]:
            return Mark(False, f"it costs {outcome.cost:g}, a cheapest plan {self._cheapest[1]:g}")
        return Mark(True)

    def _executed(self, answer: str) -> Mark:
        """Marks as right all facts of the state that may change, without a false one."""
        lifted = lift(self.problem)
        changing = {self.problem.spell(lifted.predicates[number]).lower() for number in lifted.fluent}
        so = _lower(tuple(map(self.problem.spell, atom)) for atom in self._end)
        said = {fact for fact, holds in self.facts(answer).items() if holds}
        missing = {fact for fact in so if fact[0] in changing} - said
        wrong = said - so
        if not missing and not wrong:
            return Mark(True)
        told = [("missing", missing), ("wrong", wrong)]
        return Mark(False, "; ".join(f"{what}: {_listed(facts)}" for what, facts in told if facts))

    def _verified(self, answer: str) -> Mark:
        said = _VERDICT.search(answer)
        if said is None:
            return Mark(False, "it says neither valid nor invalid")
        report = replay(self.problem, Plan(self.exercise.steps))
        valid = report.verdict is Verdict.VALID
        if (said["no"] is None) is not valid:
            return Mark(False, "the plan is valid" if valid else self.told.finding(report))
        return Mark(True, "", None if valid else self._explains(answer[said.end() :], report))

    def _explains(self, text: str, report: Report) -> bool:
        """Tells whether a text names an unmet fact and, if a step is wrong, names that step first."""
        if not self._unmet(report).keys() & self.facts(text).keys():
            return False
        named = (step for line in text.splitlines() for step in self.read(line).steps)
        return report.step is None or str(next(named, "")).lower() == report.action.lower()

    def _explanation(self, report: Report) -> tuple[str, ...]:
        if report.verdict is Verdict.VALID:
            return ("valid",)
        unmet = [self.told.fact(fact, holds) for fact, holds in self._unmet(report).items()]
        if report.step is None:
            return ("invalid", *(f"unmet goal: {text}" for text in unmet))
        step = self.told.step(self.exercise.steps[report.step - 1])
        return ("invalid", f"step {report.step}: {step}", *(f"unmet precondition: {text}" for text in unmet))

    def _unmet(self, report: Report) -> dict[Fact, bool]:
        return dict(self._facts.read(report.reason))

    @cached_property
    def _end(self) -> frozenset[tuple[str, ...]]:
        return run(self.problem, Plan(self.exercise.steps)).state

    @cached_property
    def _cheapest(self) -> tuple[Plan, float]:
        task = Task(self.problem, None, Lexicon())
        ground = task.all_seen[0]
        found = cheapest_plan(ground, task.pruning, Limits(evaluations=EVALUATIONS))
        if not found.proven or found.result.operators is None or found.cost is None:
            raise InputError("no plan of it is proven to be a cheapest one")
        plan = ground.plan(found.result.operators)
        return plan, run(self.problem, plan).cost


def plan_of(task: Task) -> Plan | None:
    """Returns a plan of gbfs; None if it found none within ``EVALUATIONS``."""
    ground, compiled = task.relevant
    state = make_state(compiled, ground.init)
    found = alternating_search(compiled, state, Limits(evaluations=EVALUATIONS))
    return None if found.operators is None else ground.plan(found.operators)


def _lower(facts: Iterable[Fact]) -> set[Fact]:
    return {tuple(word.lower() for word in fact) for fact in facts}


def _listed(facts: Collection[Fact]) -> str:
    return ", ".join(f"({' '.join(fact)})" for fact in sorted(facts)[:5])
