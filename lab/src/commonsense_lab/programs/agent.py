"""ProgPrompt (Singh et al. 2023): a language model writes a program of actions, which is executed line by line.

As in the publication's evaluation, a line that cannot be executed is skipped and counted. The publication puts
assertions to the language model again; here they are evaluated on the state, by the domain's predicates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from commonsense_lab.programs.lines import Claim, Condition, Either, Not, ProgramCall
from commonsense_lab.programs.program import Block, Check, key, read_program, synonyms
from commonsense_planning.embedded.answers import answer
from commonsense_planning.embedded.knowhow import KnowHow
from commonsense_planning.errors import ProgramError
from commonsense_planning.grounding.ground_task import GroundTask, Int32
from commonsense_planning.instructions.translate import true_at_first
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Bits, Observation
from commonsense_planning.search.pomdp.agents import Decision
from commonsense_planning.wording.questions import Question, WriteGuide
from commonsense_planning.wording.verbalise import Verbaliser

TEMPLATES = Path(__file__).with_name("templates")
NO_PROGRAM = "# the embedded model has no program for this task"
_NUMBER = re.compile(r"[_\-]\d+$")
Objects = dict[int, int]  # object → how late it comes among those that a name may mean


@dataclass(frozen=True)
class WriteProgram(Question):
    """Which program of actions does a task? (ProgPrompt, Singh et al. 2023, section 3.) An answer is a function that
    looks like Python.

    ``description``: the task in English. ``actions``: names with the types of their parameters, such as
    "putin <movable> <receptacle>". ``objects``: the names of the objects, each once.
    """

    template = TEMPLATES / "write_program.jinja"
    temperature = 0.0  # that of the code published with ProgPrompt
    tokens = 600
    description: str
    actions: tuple[str, ...]
    objects: tuple[str, ...]

    @property
    def about(self) -> str:
        return f'which program does "{self.description}"'


@answer.register
def _(question: WriteProgram, n: int, rng: np.random.Generator) -> list[str]:
    """Turns the low-level guide of the know-how into a program: "1. putin salmon fridge" becomes a call."""
    listed = tuple((name, ()) for name in question.objects)
    guide = KnowHow.read().guide(WriteGuide(question.description, "low", knowledge=listed))
    steps = [line.partition(". ")[2].split() for line in guide.splitlines()]
    calls = [f"{verb}({', '.join(map(repr, names))})" for verb, *names in steps]
    return ["\n".join(calls) or NO_PROGRAM] * n


def program_question(task: GroundTask, description: str) -> WriteProgram:
    """Returns the question: the actions with the types of their parameters, and the names of the objects, without the
    numbers that tell those of one class apart."""
    spell = task.problem.spell
    actions = []
    for name, action in task.problem.tarski.actions.items():
        kinds = (f"<{spell(str(v.sort.name))}>" for v in action.parameters)
        actions.append(" ".join([spell(name).replace("-", "_"), *kinds]))
    declared = task.problem.normaliser.vocabulary.objects if task.problem.normaliser else task.objects
    objects = dict.fromkeys(_NUMBER.sub("", spell(name)) for name in declared)
    return WriteProgram(description, tuple(dict.fromkeys(actions)), tuple(objects))


class ProgramReader:
    """Finds the operators and facts that a program's words mean.

    A name keeps meaning the object that the program has acted on, as in the publication. Otherwise it means every
    object of that name, or else of the most similar name; an action takes those that make it applicable, the first in
    the order of the task.
    """

    def __init__(self, task: GroundTask, verbaliser: Verbaliser, matcher: Matcher, note: Callable[[str], None]) -> None:
        self.task = task
        self.matcher = matcher
        self.note = note
        self._bound: dict[str, int] = {}
        self._names: dict[str, list[int]] = {}
        self._english: dict[str, list[int]] = {}
        spell = task.problem.spell
        for o, name in enumerate(task.objects):
            words = verbaliser.name(o)
            self._english.setdefault(words, []).append(o)
            for called in {key(spell(name)), key(_NUMBER.sub("", spell(name))), key(words)}:
                self._names.setdefault(called, []).append(o)
        self._options = tuple(self._english)
        self._schemas = [spell(name) for name in task.schemas]
        self._facts: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
        for fact, (predicate, arguments) in enumerate(task.facts):
            self._facts.setdefault(key(spell(predicate)), []).append((fact, arguments))
        self._static: dict[str, list[tuple[int, ...]]] = {}
        numbers = {name: o for o, name in enumerate(task.objects)}
        for name, *terms in true_at_first(task.problem):
            predicate = key(spell(name))
            if predicate not in self._facts and all(term in numbers for term in terms):
                self._static.setdefault(predicate, []).append(tuple(numbers[term] for term in terms))
        declared = task.problem.normaliser.vocabulary.predicates if task.problem.normaliser else {}
        self._arities = {key(spell(name)): len(signature.parameters) for name, signature in declared.items()}

    def operator(self, call: ProgramCall, operators: Int32) -> int | str:
        """Returns the applicable operator, of ``operators``, that a call means, or why there is none. A call may leave
        out arguments of an action, but not change their order."""
        schemas = self._schemas_of(call.name)
        if not schemas:
            return "no action is called so"
        named = [self._objects(name) for name in call.arguments]
        for name, objects in zip(call.arguments, named, strict=True):
            if not objects:
                return f"nothing is called {name}"
        best: tuple[tuple[int, bool, list[int], int], list[int]] | None = None
        for operator in operators[np.isin(self.task.schema[operators], schemas)].tolist():
            schema = int(self.task.schema[operator])
            arguments = self.task.arguments[operator, : self.task.arities[schema]].tolist()
            fit = _fit(arguments, named) if named or not arguments else None
            if fit is None:
                continue
            ranks = [objects[o] for objects, o in zip(named, fit, strict=True)]
            found = (schemas.index(schema), len(fit) != len(arguments), ranks, operator)
            if best is None or found < best[0]:
                best = found, fit
        if best is None:
            return "not possible now"
        for name, o in zip(call.arguments, best[1], strict=True):
            self._bound[key(name)] = o
        return best[0][3]

    def holds(self, condition: Condition, truth: Bits) -> bool:
        """Returns whether a condition is true; ``truth`` bool (facts,). One not understood is noted, and false."""
        if isinstance(condition, Not):
            return not self.holds(condition.part, truth)
        if isinstance(condition, Either):
            judged = (self.holds(part, truth) for part in condition.parts)
            return all(judged) if condition.every else any(judged)
        return self._claim(condition, truth)

    def _claim(self, claim: Claim, truth: Bits) -> bool:
        words = synonyms()
        relation, terms = claim.relation, [t for t in claim.terms if key(t) not in words.selves]
        if len(terms) > 1 and key(f"{relation} {terms[-1]}") in words.relations:  # ('milk' in 'hands')
            relation, terms = f"{relation} {terms[-1]}", terms[:-1]
        predicates = [(p, sign) for p, sign in words.predicates(relation) if p in self._arities]
        # a lamp that is on is switched on; it need not lie on anything
        predicates = [p for p in predicates if self._arities[p[0]] == len(terms)] or predicates
        if not predicates:
            self.note(f"no predicate here means '{relation}': it counts as false")
            return False
        objects = [self._objects(name) for name in terms]
        for name, found in zip(terms, objects, strict=True):
            if not found:
                self.note(f"nothing is called {name}: '{relation}' counts as false")
                return False
            bound = self._bound.get(key(name))
            if bound is not None:
                found.clear()
                found[bound] = 0
        return any(self._true(predicate, objects, truth) == sign for predicate, sign in predicates)

    def _true(self, predicate: str, objects: Sequence[Objects], truth: Bits) -> bool:
        """Returns whether a fact of the predicate about the objects is true."""
        changing = (arguments for fact, arguments in self._facts.get(predicate, ()) if truth[fact])
        static = self._static.get(predicate, ())
        return any(_fit(arguments, objects) is not None for some in (changing, static) for arguments in some)

    def _objects(self, name: str) -> Objects:
        called = key(name)
        found = self._names.get(called)
        if found is None:
            best = self.matcher.best(name.replace("_", " "), self._options)
            found = [] if best is None else self._english[self._options[best]]
            self._names[called] = found
            if best is not None:
                self.note(f"'{name}' is taken for the {self._options[best]}")
        bound = self._bound.get(called)
        return {o: 0 if o == bound else i for i, o in enumerate(found, 1)}

    def _schemas_of(self, name: str) -> list[int]:
        """Returns the action schemas that a name may mean: its own, those beginning with its words, its synonyms'."""
        found: dict[int, None] = {}
        for called in (name, *synonyms().actions.get(key(name), ())):
            words = _words(called)
            exact = [i for i, schema in enumerate(self._schemas) if key(schema) == key(called)]
            begun = (i for i, schema in enumerate(self._schemas) if _words(schema)[: len(words)] == words)
            found.update(dict.fromkeys(exact or begun))
        return list(found)


def _words(name: str) -> list[str]:
    return re.split(r"[_\-\s]+", name.casefold())


def _fit(arguments: Sequence[int], named: Sequence[Objects]) -> list[int] | None:
    """Returns the arguments that the names mean, in their order; None if they do not fit."""
    rest = iter(arguments)
    fit = [next((o for o in rest if o in objects), None) for objects in named]
    return None if None in fit else [o for o in fit if o is not None]


@dataclass
class ProgramAgent:
    """Asks once for a program and executes it; ends with the program. ``written``: the actions that were reached, and
    the lines that cannot be read; ``executed``: those of them that were executed."""

    model: LanguageModel
    question: WriteProgram
    reader: ProgramReader
    belief: Belief
    note: Callable[[str], None] = lambda text: None
    written: int = field(default=0, init=False)
    executed: int = field(default=0, init=False)
    _reached: Iterator[ProgramCall | ProgramError] | None = field(default=None, init=False)

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        if self._reached is None:
            answers = self.model.ask([self.question], 1)[0]
            if not answers:
                return Decision(None, {"reason": "the model gave no program"})
            program = read_program(answers[0])
            if not program.body:
                self.model.usage.not_read(*answers)
                said = f": {program.comments[0]}" if program.comments else ""
                return Decision(None, {"reason": f"the model's program has no actions{said}"})
            self._reached = self._run(program.body)
        belief = self.belief
        for reached in self._reached:
            self.written += 1
            if isinstance(reached, ProgramError):
                self.note(str(reached).partition("\n")[0])
                continue
            found = self.reader.operator(reached, belief.transition.applicable(belief.state()))
            if isinstance(found, int):
                self.executed += 1
                counts = {"executed": self.executed, "written": self.written}
                return Decision(found, {"line": reached.line, "call": str(reached), **counts})
            self.note(f"line {reached.line}, {reached}: {found}")
        return Decision(None, {"reason": f"the program has ended, but the goal is not reached; {self.executability}"})

    def observe(self, operator: int, observation: Observation) -> None:
        self.belief.update(operator, observation)

    @property
    def executability(self) -> str:
        """The share of the written actions that could be executed (section 4.3), as text."""
        share = self.executed / self.written if self.written else 0.0
        return f"executed {self.executed} of {self.written} actions, executability {share:.2f}"

    def _run(self, block: Block) -> Iterator[ProgramCall | ProgramError]:
        """Yields the lines that are reached; each condition is evaluated when the program reaches it."""
        for statement in block:
            if isinstance(statement, Check):
                holds = self.reader.holds(statement.condition, self.belief.truth)
                yield from self._run(statement.then if holds else statement.otherwise)
            else:
                yield statement
