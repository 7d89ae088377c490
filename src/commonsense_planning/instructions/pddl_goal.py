"""Goals in PDDL that a model writes for an instruction in English: with quantifiers, counts, negation and what must
never happen (``goal_notation``).

An answer is read only as one formula of the problem's domain, of bounded size; an error in it has its place, and is
reported to the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from commonsense_planning.errors import InputError
from commonsense_planning.grounding.lifted import And, Equal, Formula, Literal, Quantified, Translator, lift
from commonsense_planning.instructions.goal_english import GoalEnglish
from commonsense_planning.instructions.goal_formula import relations_of, spelled
from commonsense_planning.instructions.goal_notation import CONNECTIVES, COUNTS, GoalNotation
from commonsense_planning.instructions.goal_order import made
from commonsense_planning.instructions.translated_goal import TranslatedGoal, cut
from commonsense_planning.matching.answers import text_of
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.pddl.conditions import Checker, check_constraints
from commonsense_planning.pddl.evaluation import GroundAtom
from commonsense_planning.pddl.nodes import Group, Node, render
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.sensors import formula_from_text
from commonsense_planning.pddl.syntax import parse
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.naming import ObjectNames
from commonsense_planning.wording.questions import PredicateForm, WriteGoal

LONGEST = 4000  # characters of a formula
MOST_GIVEN = 300  # kinds of one type, and facts of one predicate, in a prompt
SOURCE = "goal"  # the name of the answer in errors
_HEADS = (*CONNECTIVES, *COUNTS)
_NEXT_QUESTION = re.compile(r"^\s*(?:instruction|question)\s*:", re.IGNORECASE | re.MULTILINE)
_BETWEEN = re.compile(r"[\s,;.*\-\d]*(?:and\b)?\s*(?=\()", re.IGNORECASE)  # parts of a goal that is a list
_SECTION = re.compile(r"^\(\s*:(?:goal|constraints)\s*(\(.*\))\s*\)$", re.IGNORECASE)


class PddlGoalReader:
    """Asks for goals of one problem in PDDL, and reads them. ``known``: the facts in the prompt, each a predicate and
    its arguments in normalised names; ``may_hold``: whether another fact may hold initially."""

    tries = 3  # an answer, and two repairs

    def __init__(
        self,
        problem: Problem,
        lexicon: Lexicon,
        known: Iterable[GroundAtom] = (),
        may_hold: Callable[[GroundAtom], bool] = lambda fact: True,
    ) -> None:
        self.lifted = lift(problem)
        self._known, self._may_hold = sorted(known), may_hold
        self.notation = GoalNotation(self.lifted, lexicon, self._known)
        self.english = GoalEnglish(self.lifted, lexicon)
        self.vocabulary = self.notation.vocabulary

    def question(self, instruction: str) -> WriteGoal:
        """The question to the model."""
        relations = relations_of(self.lifted)
        things = self._listed({thing for r in relations for thing in r.things})
        fitting = tuple(self._listed(set(relation.pairs)) for relation in relations)
        return WriteGoal(
            cut(instruction, LONGEST),
            tuple(relation.predicate for relation in relations),
            things,
            tuple(dict.fromkeys(place for places in fitting for place in places)),
            fitting,
            self.lifted.problem.domain_name,
            tuple(self._predicates()),
            tuple(self._kinds()),
            tuple(self._facts()),
            held=tuple(tuple(spelled(thing, self.lifted) for thing in sorted(r.things)) for r in relations),
        )

    def again(self, question: WriteGoal, answer: str, error: InputError) -> WriteGoal:
        """The question with the error in the answer. Brackets that could begin a message are removed."""
        said = cut(re.sub(r"[\[\]]", " ", answer.strip()), 1000) or "(no answer)"
        wrong = str(error) if len(str(error)) <= 600 else f"{str(error)[:600]}…"
        return replace(question, attempts=(*question.attempts, (said, wrong)))

    def read(self, answer: str, model: str, matcher: Matcher) -> TranslatedGoal:
        """The goal in the answer of ``model``. Raises InputError if it cannot be used: PddlError, with its place in the
        answer, for an error in a formula."""
        text = formula_in(answer, self.vocabulary.predicates)
        if not text:
            said = cut(answer.strip(), 600)
            what = f"answers '{said}'" if said else "gives no answer"
            raise InputError(f"the model {model} {what}; expected a goal in PDDL")
        if len(text) > LONGEST:
            raise InputError(f"the goal that the model {model} wrote has more than {LONGEST} characters")
        source = parse(text, SOURCE, define=False, strict=True)
        found = self.notation.read(source, matcher)
        checker = Checker(source, self.vocabulary)
        checker.condition(found.goal, {})
        check_constraints(checker, [made(c, ":constraints", c) for c in found.constraints])
        for part in found.constraints:
            if isinstance(part, Group) and part.head == "always" and not self._may_be_so(part.items[1]):
                wanted = "what is so at first as well; what is wanted in the end alone is said without 'always'"
                raise source.error(part, "'always' of what is not so at first", wanted)
        return TranslatedGoal(
            render(found.goal), found.matched, self.english.goal(found.said), tuple(map(render, found.constraints))
        )

    def _may_be_so(self, node: Node) -> bool:
        """Whether a ground condition may hold initially, by the knowledge; unknown facts count as independent."""
        problem, known = self.lifted.problem, self.notation.known

        def holds(formula: Formula, bound: dict[int, int]) -> bool:
            match formula:
                case Literal():
                    terms = (self.lifted.objects[t if t >= 0 else bound[-1 - t]] for t in formula.terms)
                    fact = (self.lifted.predicates[formula.predicate], *terms)
                    return fact in known or self._may_hold(fact) if formula.positive else fact not in known
                case Equal():
                    left, right = (t if t >= 0 else bound[-1 - t] for t in (formula.left, formula.right))
                    return (left == right) == formula.positive
                case Quantified():
                    each = (holds(formula.body, {**bound, **way}) for way in self.lifted.choices(formula.variables))
                    return all(each) if formula.universal else any(each)
            each = (holds(part, bound) for part in formula.parts)
            return all(each) if isinstance(formula, And) else any(each)

        return holds(Translator(problem).formula(formula_from_text(render(node), problem), {}, [0]), {})

    def _listed(self, objects: set[int]) -> tuple[str, ...]:
        """The names of some objects, as phrases."""
        named = [o.symbol.text for o in self.vocabulary.objects.values()]
        kept = [name for name in named if self.notation.numbers[name] in objects]
        return ObjectNames(kept, self.notation.wording, {}).listed

    def _predicates(self) -> Iterable[PredicateForm]:
        say = self.notation.wording.said_of
        labels = self.notation.labels
        telling = {self._key(p) for p, terms in self.lifted.init if labels.intersection(terms)}
        fluent = set(map(self._key, self.lifted.fluent))
        for key, signature in self.vocabulary.predicates.items():
            if key in telling:  # it defines the kinds
                continue
            names = [parameter.symbol.text for parameter in signature.parameters]
            english, denied = (say(signature.symbol.text, names, value) for value in (True, False))
            yield PredicateForm(str(signature), english, denied, key in fluent)

    def _key(self, predicate: int) -> str:
        """The key of a predicate of the lifted task."""
        return self.lifted.problem.spell(self.lifted.predicates[predicate]).lower()

    def _kinds(self) -> Iterable[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]]]:
        """The objects by type and kind."""
        by_type: dict[str, list[str]] = {}
        for item in self.vocabulary.objects.values():
            if self.notation.numbers[item.symbol.text] not in self.notation.labels:
                by_type.setdefault(item.types[0].text, []).append(item.symbol.text)
        for kind, objects in by_type.items():
            names = ObjectNames(objects, self.notation.wording, {})
            groups = {}
            for name in names.listed:
                found = names.exactly(name)
                groups["-".join(name.split())] = found.objects if found else ()
            yield kind, tuple(groups.items())[:MOST_GIVEN]

    def _facts(self) -> Iterable[tuple[str, tuple[str, ...]]]:
        spell = self.lifted.problem.spell
        labels = {self.lifted.objects[o] for o in self.notation.labels}
        given: dict[str, list[str]] = {}
        for predicate, *arguments in self._known:
            if not labels.intersection(arguments):
                given.setdefault(spell(predicate), []).append(" ".join(map(spell, arguments)))
        return ((predicate, tuple(facts[:MOST_GIVEN])) for predicate, facts in given.items())


def formula_in(answer: str, predicates: Mapping[str, object]) -> str:
    """The formula in a model's answer, on one line: from the first bracket that can begin one, through all adjacent
    groups; several groups are a conjunction. Empty if there is none."""
    text = text_of(answer, 2 * LONGEST)
    following = _NEXT_QUESTION.search(text)
    if following and "(" in text[: following.start()]:  # a model that continues texts writes the next question
        text = text[: following.start()]
    text = " ".join(re.sub(r";[^\n]*", "", text).replace("`", " ").split())
    heads = "|".join(map(re.escape, (*_HEADS, *predicates)))
    start = re.search(r"\(\s*:goal\b", text, re.I) or re.search(rf"\(\s*(?:{heads})[\s()]", text, re.I)
    at = _outermost(text, start.start()) if start else text.find("(")
    parts: list[str] = []
    while at >= 0:
        end = _closed(text, at)
        parts.append(text[at:end])
        following = _BETWEEN.match(text, end)
        at = following.end() if following else -1
    plain = [found[1] if (found := _SECTION.match(part)) else part for part in parts]
    return f"(and {' '.join(plain)})" if len(plain) > 1 else "".join(plain)


def _outermost(text: str, start: int) -> int:
    """The place of the outermost open bracket at ``start``; ``start`` itself if none is open there."""
    opened: list[int] = []
    for i in range(start):
        if text[i] == "(":
            opened.append(i)
        elif text[i] == ")" and opened:
            opened.pop()
    return opened[0] if opened else start


def _closed(text: str, start: int) -> int:
    """The place after the group that begins at ``start``; the end of the text if it is not closed."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i + 1
    return len(text)
