"""Facts and actions in English, with the words of a domain pack's ``lexicon.toml`` where there is one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import InputError
from commonsense_planning.grounding.ground_task import GroundTask, Int32
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.reading import read_toml
from commonsense_planning.wording.questions import Scene, Statement

_ARTICLE = re.compile(r"\b(?:a|an|the) \{")  # and the parameter that it stands before


@dataclass(frozen=True)
class Lexicon:
    """``lexicon.toml``: how a domain is put into English. ``classes`` (an object's name without its number → words),
    sentences with ``{parameter}`` for ``actions``, for ``facts`` that hold, and for those that do not (``negated``)."""

    classes: Mapping[str, str] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    negated: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def read(path: Path) -> Lexicon:
        """Read a ``lexicon.toml``. Raises InputError if it is not one."""
        tables = read_toml(path, "a lexicon")
        unknown = sorted(set(tables) - {"classes", "actions", "facts", "negated"})
        if unknown:
            raise InputError(
                f"{path}: unknown table [{unknown[0]}]; there are [classes], [actions], [facts], [negated]"
            )
        for table, entries in tables.items():
            if not isinstance(entries, dict) or not all(isinstance(v, str) for v in entries.values()):
                raise InputError(f"{path}: [{table}] must be a table of names and texts")
        return Lexicon(**tables)


class Wording:
    """Puts what a problem talks of into English: names, facts and actions, grounded or not.

    ``own_names``: objects are called as the user spells them, numbers and all, whatever the lexicon says.
    """

    def __init__(self, problem: Problem, lexicon: Lexicon, own_names: bool = False) -> None:
        self.problem = problem
        self.lexicon = lexicon
        self._own_names = own_names
        actions = problem.tarski.actions
        self._parameters = {
            name: [str(v.symbol).lstrip("?").lower() for v in action.parameters]
            for name, action in actions.items()
        }
        declared = problem.normaliser.vocabulary.predicates if problem.normaliser else {}
        self._predicates = {
            name: [p.symbol.key.lstrip("?") for p in signature.parameters]
            for name, signature in declared.items()
        }
        self._action_texts, self._fact_texts, self._negated_texts = (
            {name.lower(): text for name, text in texts.items()}
            for texts in (lexicon.actions, lexicon.facts, lexicon.negated)
        )

    def words(self, name: str) -> str:
        """What the object of that name, in the user's spelling, is called."""
        return name if self._own_names else words_of(name, self.lexicon.classes)

    def imperative(self, schema: str, words: Sequence[str]) -> str:
        """An action of a schema (its normalised name), with these words for its arguments."""
        template = self._action_texts.get(self.problem.spell(schema).lower())
        if template is None:
            return " ".join([_split(self.problem.spell(schema)), *words])
        return _fill(template, dict(zip(self._parameters[schema], words, strict=True)))

    def sentence(self, predicate: str, words: Sequence[str], value: bool = True) -> str:
        """A fact of a predicate, in the user's spelling, with these words for its arguments."""
        template = (self._fact_texts if value else self._negated_texts).get(predicate.lower())
        if template is None:
            text = " ".join([_split(predicate), *words])
            return text if value else f"not {text}"
        return _fill(template, dict(zip(self._predicates.get(predicate.lower(), ()), words, strict=False)))

    def relation(self, predicate: str, words: Sequence[str | None]) -> str:
        """What a fact of a predicate, in the user's spelling, says of its subject, whose words are None: "inside
        fridge", without articles. Where the lexicon's sentence has no "subject is ...", the predicate's name stands for
        the relation."""
        names = self._predicates.get(predicate.lower(), ())
        others = {name: text for name, text in zip(names, words, strict=False) if text is not None}
        head, _, rest = self._fact_texts.get(predicate.lower(), "").lower().partition(" is ")
        if set(_slots(rest)) == set(others) and set(_slots(head)) == set(names) - set(others):
            return _fill(_ARTICLE.sub("{", rest), others)
        return " ".join([_split(predicate), *(text for text in words if text is not None)])

    def scene(self) -> Scene:
        """The task as a whole: its objects by declared type, its action schemas with types in place of parameters."""
        problem = self.problem
        objects: dict[str, dict[str, None]] = {}
        for name, typed in (problem.normaliser.vocabulary.objects if problem.normaliser else {}).items():
            for kind in typed.types:
                spelled = problem.spell(name)
                objects.setdefault(kind.key, {})[self.words(spelled)] = None
        actions = []
        for name, action in problem.tarski.actions.items():
            kinds = [f"<{_split(problem.spell(str(v.sort.name)))}>" for v in action.parameters]
            actions.append(self.imperative(name, kinds).replace("the <", "<"))
        return Scene(
            problem.domain_name,
            {kind: tuple(names) for kind, names in objects.items()},
            tuple(dict.fromkeys(actions)),
        )


class Verbaliser(Wording):
    """Puts the objects, facts and operators of a grounded task into English."""

    def __init__(self, task: GroundTask, lexicon: Lexicon, own_names: bool = False) -> None:
        super().__init__(task.problem, lexicon, own_names)
        self.task = task
        self._names: dict[int, str] = {}
        self._actions: dict[int, str] = {}
        self._places: dict[tuple[str, tuple[int, ...]], str] = {}
        self._statements: dict[tuple[int, bool], Statement] = {}
        self._static: list[Statement] | None = None

    def name(self, obj: int) -> str:
        """An object's name in words: ``kitchencabinet_3`` is "kitchen cabinet"."""
        if obj not in self._names:
            self._names[obj] = self.words(self.problem.spell(self.task.objects[obj]))
        return self._names[obj]

    def action(self, operator: int) -> str:
        """An operator as an imperative: "put the apple inside the fridge"."""
        if operator not in self._actions:
            schema = int(self.task.schema[operator])
            name = self.task.schemas[schema]
            arguments = self.task.arguments[operator, : self.task.arities[schema]].tolist()
            self._actions[operator] = self.imperative(name, [self.name(a) for a in arguments])
        return self._actions[operator]

    def fact(self, fact: int, value: bool = True) -> str:
        """A fact as a sentence; one that does not hold and has no words of its own is negated with "not"."""
        predicate, arguments = self.task.facts[fact]
        spelling = self.problem.spell(predicate)
        return self.sentence(spelling, [self.name(a) for a in arguments], value)

    def statements(
        self, truth: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_], hidden: npt.NDArray[np.bool_]
    ) -> list[Statement]:
        """What can be said where ``known`` facts are as in ``truth``; all bool (facts,).

        All that holds, also what never changes; and what does not hold where the lexicon has words for that, but not of
        ``hidden`` facts: where a thing is not, is no news.
        """
        if self._static is None:
            self._static = self._unchanging()
        told = [self._statement(int(f), True) for f in np.flatnonzero(known & truth)]
        denied = np.flatnonzero(known & ~truth & ~hidden[: len(truth)]) if self._negated_texts else ()
        told += [self._statement(int(f), False) for f in denied if self._deniable(int(f))]
        return [*self._static, *told]

    def _statement(self, fact: int, holds: bool) -> Statement:
        if (fact, holds) not in self._statements:
            step = self.task.fact_step(fact)
            self._statements[fact, holds] = Statement(step.action, step.arguments, holds, self.fact(fact, holds))
        return self._statements[fact, holds]

    def _deniable(self, fact: int) -> bool:
        return self.problem.spell(self.task.facts[fact][0]).lower() in self._negated_texts

    def _unchanging(self) -> list[Statement]:
        """What holds and is compiled away."""
        problem = self.problem
        changing = {predicate for predicate, _ in self.task.facts}
        told = []
        for atom in problem.tarski.init.as_atoms():
            if isinstance(atom, tuple):  # the value of a function
                continue
            predicate = problem.spell(str(atom.predicate.name))
            if str(atom.predicate.name) in changing or predicate.lower() not in self._predicates:
                continue
            names = tuple(problem.spell(str(term.name)) for term in atom.subterms)
            words = [self.words(name) for name in names]
            told.append(Statement(predicate, names, True, self.sentence(predicate, words)))
        return sorted(told, key=lambda s: (s.predicate, s.arguments))

    def subject(self, members: Int32) -> tuple[int, ...]:
        """The objects that all facts of a group are about."""
        common = set(self.task.facts[int(members[0])][1])
        for fact in members[1:]:
            common &= set(self.task.facts[int(fact)][1])
        return tuple(a for a in self.task.facts[int(members[0])][1] if a in common)

    def place(self, fact: int, subject: tuple[int, ...]) -> str:
        """What a fact says of the subject: relation and the other objects, such as "inside fridge"."""
        predicate, arguments = self.task.facts[fact]
        others = tuple(a for a in arguments if a not in subject)
        if (predicate, others) not in self._places:
            words = [None if a in subject else self.name(a) for a in arguments]
            self._places[predicate, others] = self.relation(self.problem.spell(predicate), words)
        return self._places[predicate, others]


class News:
    """What is new to an agent, in English: everything at first, later only what was not so when it was asked before.

    ``hidden``: bool (facts,), the facts that an agent may not know.
    """

    def __init__(self, say: Verbaliser, hidden: npt.NDArray[np.bool_]) -> None:
        self._say = say
        self._hidden = hidden
        self._told: frozenset[tuple[str, tuple[str, ...], bool]] = frozenset()

    def take(self, truth: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_]) -> list[str]:
        """The sentences that are new where ``known`` facts are as in ``truth``, both bool (facts,)."""
        current = self._say.statements(truth, known, self._hidden)
        statements = {(s.predicate, s.arguments, s.holds): s.text for s in current}
        told, self._told = self._told, frozenset(statements)
        return [text for statement, text in statements.items() if statement not in told]


def words_of(name: str, classes: Mapping[str, str]) -> str:
    """A name as words: numbers dropped, each part looked up among the classes, else split where it can be."""
    parts = [p for p in re.split(r"[_\-\s]+", name) if p and not p.isdigit()]
    for joint in "_-":
        whole = joint.join(parts).lower()
        if whole in classes:
            return classes[whole]
    words = []
    for part in parts or [name]:
        stem = re.sub(r"\d+$", "", part) or part
        words.append(classes.get(part.lower(), classes.get(stem.lower(), _split(stem))))
    return " ".join(words)


def _split(name: str) -> str:
    return re.sub(r"[_\-]+", " ", name).strip().lower()


def _slots(template: str) -> list[str]:
    """The parameters that a sentence has a place for, in lower case."""
    return [name.lower() for name in re.findall(r"\{(\w+)\}", template)]


def _fill(template: str, words: Mapping[str, str]) -> str:
    def put(match: re.Match[str]) -> str:
        article, word = match[1] or "", words.get(match[2].lower(), f"{{{match[2]}}}")
        return (
            f"{article}n {word}"
            if article and word[:1].lower() in tuple("aeiou")
            else f"{article} {word}".strip()
        )

    return re.sub(r"(?:\b([Aa]) )?\{(\w+)\}", put, template)
