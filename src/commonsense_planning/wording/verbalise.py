"""Facts and actions in English, with the words of a domain's lexicon where there is one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import GroundTask, Int32
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.wording.lexicon import Lexicon, split_name
from commonsense_planning.wording.questions import Scene, Statement

_ARTICLE = re.compile(r"\b(?:a|an|the) \{")  # and the parameter after it
_LOCATING = re.compile(
    r"\b(in|inside|into|within|on|onto|upon|at|under|below|above|over|behind|beside|near|by|with|between|outside|around"
    r"|held|holds|located|location|loc|position|pos|placed?|stored|kept|lies|stands|sits|hidden|contains)\b"
)
NUMBERED = re.compile(r" \d+(?: \(.*\))?$")  # "pillow 2", which needs no article
_LAST_NUMBER = re.compile(r"(.*?)( \d+)?")
_VERB = re.compile(r" (?:is|are|was|were|can|must|may|(?:has|have)(?= been\b))\b")
_HAS = re.compile(r" (has|have) an? ")
_PLURAL = re.compile(r"[^\Wsui]s$")  # "chips", but not "glass", "bus" and "iris"
_MANY = {"is": "are", "has": "have", "was": "were", "does": "do", "goes": "go"}
_SINGULAR = r"(\w+[^\Ws]s|is|has|was)\b"  # a verb, such as "leads"
MOST_LISTED = 12  # of a list in a sentence
MOST_APART = 4  # things that are named where it is so of all the others, too


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
            name: [str(v.symbol).lstrip("?").lower() for v in action.parameters] for name, action in actions.items()
        }
        self._predicates = {
            name: [p.symbol.key.lstrip("?") for p in signature.parameters]
            for name, signature in problem.normaliser.vocabulary.predicates.items()
        }
        self._action_texts, self._fact_texts, self._negated_texts = (
            {name.lower(): text for name, text in texts.items()}
            for texts in (lexicon.actions, lexicon.facts, lexicon.negated)
        )

    def words(self, name: str) -> str:
        """The English name of the object of that name, in the user's spelling: unique unless the lexicon repeats it."""
        return name if self._own_names or name in self._confused else self._words(name)

    def drops_number(self, name: str) -> bool:
        """Whether the lexicon drops the number of the object of that name."""
        return self.lexicon.drops_numbers(self._kinds(name))

    def _words(self, name: str) -> str:
        return self.lexicon.words(name, self._kinds(name))

    def _kinds(self, name: str) -> Iterator[str]:
        """The types of an object, the nearest first."""
        vocabulary = self.problem.normaliser.vocabulary
        typed = vocabulary.objects.get(name.lower())
        for kind in typed.types if typed else ():
            yield from vocabulary.ancestors(kind.key)

    @cached_property
    def _confused(self) -> frozenset[str]:
        """The objects of which only a separator tells the names apart: "red-cup" and "red_cup", "s1" and "s-1"."""
        same: dict[str, list[str]] = {}
        for typed in self.problem.normaliser.vocabulary.objects.values():
            same.setdefault(re.sub(r"[\W_]+", "", typed.symbol.key), []).append(typed.symbol.text)
        several = (name for names in same.values() if len(names) > 1 for name in names)
        return frozenset(name for name in several if self._words(name) == split_name(name))

    def imperative(self, schema: str, words: Sequence[str]) -> str:
        """An action of a schema (its normalised name), with these words for its arguments."""
        template = self._action_texts.get(self.problem.spell(schema).lower())
        if template is None:
            return " ".join([split_name(self.problem.spell(schema)), *words])
        return _fill(template, dict(zip(self._parameters[schema], words, strict=True)))

    def sentence(self, predicate: str, words: Sequence[str], value: bool = True) -> str:
        """A fact of a predicate, in the user's spelling, with these words for its arguments."""
        template = self._template(predicate, value)
        if template is None:
            text = " ".join([split_name(predicate), *words])
            return text if value else f"not {text}"
        return _fill(template, dict(zip(self._predicates.get(predicate.lower(), ()), words, strict=False)))

    def agreeing(self, predicate: str, words: Sequence[Sequence[str]], value: bool = True) -> str:
        """A fact of a predicate, in the user's spelling, said of one or more words for each argument: "bananas are in
        the bowl", "the fridge and the oven are closed"."""
        template = self._template(predicate, value)
        if template is None:
            return self.sentence(predicate, [*map(", ".join, words)], value)
        parameters = self._predicates.get(predicate.lower(), ())
        for name, said in zip(parameters, words, strict=False):
            plural = len(said) == 1 and _PLURAL.search(said[0])
            if plural or len(said) > 1:
                article = r"((?:\b(?:[Aa]n?|[Tt]he) ))" + ("" if plural else "?")
                template = re.sub(rf"{article}(\{{{name}\}}) {_SINGULAR}", _in_the_plural, template, flags=re.I)
            if plural:
                template = re.sub(rf"\b[Aa]n? (?=\{{{name}\}})", "", template, flags=re.I)
        return _fill(template, dict(zip(parameters, words, strict=False)))

    def said_of(self, predicate: str, phrases: Sequence[str], value: bool = True) -> str:
        """A fact of a predicate, in the user's spelling, said of phrases that bring their own articles, such as "every
        plate" or "the fridge"."""
        template = self._template(predicate, value)
        if template is None and not value:
            return f"it is not so that {self.said_of(predicate, phrases)}"
        if template is None:
            first, *rest = phrases or ("it",)
            return " ".join([first, "is", split_name(predicate), *rest])
        words = dict(zip(self._predicates.get(predicate.lower(), ()), phrases, strict=False))
        return re.sub(r"(?:\b(?:an?|the) )?\{(\w+)\}", lambda m: words.get(m[1].lower(), m[0]), template)

    def has_words(self, predicate: str, value: bool) -> bool:
        """Whether the lexicon has words for facts of a predicate, in the user's spelling, that hold or do not."""
        return predicate.lower() in (self._fact_texts if value else self._negated_texts)

    def _template(self, predicate: str, value: bool) -> str | None:
        """The lexicon's sentence; where it has none for what does not hold, the one for what does, negated."""
        name = predicate.lower()
        said = (self._fact_texts if value else self._negated_texts).get(name)
        if said is not None or value or name not in self._fact_texts:
            return said
        text, found = _VERB.subn(r"\g<0> not", self._fact_texts[name], count=1)
        text, more = (text, found) if found else _HAS.subn(r" \1 no ", text, count=1)
        return text.replace(" can not ", " cannot ") if more else f"it is not so that ({text})"

    @property
    def templates(self) -> dict[str, str]:
        """The lexicon's sentences for facts that hold, with {0}, {1}, … for the arguments: predicate, in lower case →
        sentence."""

        def numbered(predicate: str, text: str) -> str:
            numbers = {name: f"{{{i}}}" for i, name in enumerate(self._predicates.get(predicate, ()))}
            return re.sub(r"\{(\w+)\}", lambda m: numbers.get(m[1].lower(), m[0]), text)

        return {predicate: numbered(predicate, text) for predicate, text in self._fact_texts.items()}

    def relation(self, predicate: str, words: Sequence[str | None]) -> str:
        """What a fact of a predicate, in the user's spelling, says of its subject, whose words are None: "inside
        fridge", without articles. Where the lexicon's sentence does not begin with the subject, the predicate's name
        stands for the relation."""
        names = self._predicates.get(predicate.lower(), ())
        said = self._fact_texts.get(predicate.lower(), "").lower()
        others = {name: text for name, text in zip(names, words, strict=False) if text is not None}
        head, _, rest = said.partition(" is ")
        if not rest:  # "{thing} lies on {place}"
            subject, closes, rest = said.partition("}")
            head, rest = subject + closes, rest.strip()
        if set(_slots(rest)) == set(others) and set(_slots(head)) == set(names) - set(others):
            return _fill(_ARTICLE.sub("{", rest), others)
        return " ".join([split_name(predicate), *(text for text in words if text is not None)])

    def scene(self) -> Scene:
        """The task as a whole: its objects by declared type, its action schemas with types in place of parameters."""
        problem = self.problem
        objects: dict[str, dict[str, None]] = {}
        for name, typed in problem.normaliser.vocabulary.objects.items():
            for kind in typed.types:
                spelled = problem.spell(name)
                objects.setdefault(kind.key, {})[self.words(spelled)] = None
        actions = []
        for name, action in problem.tarski.actions.items():
            kinds = [f"<{split_name(problem.spell(str(v.sort.name)))}>" for v in action.parameters]
            actions.append(self.imperative(name, kinds).replace("the <", "<"))
        return Scene(
            problem.domain_name, {kind: tuple(names) for kind, names in objects.items()}, tuple(dict.fromkeys(actions))
        )


class Verbaliser(Wording):
    """Puts the objects, facts and operators of a grounded task into English."""

    def __init__(self, task: GroundTask, lexicon: Lexicon, own_names: bool = False) -> None:
        super().__init__(task.problem, lexicon, own_names)
        self.task = task
        self._actions: dict[int, str] = {}
        self._places: dict[tuple[str, tuple[int, ...]], str] = {}
        self._statements: dict[tuple[int, bool], Statement] = {}

    def name(self, obj: int) -> str:
        """What an object is called: ``kitchencabinet_3`` is "kitchen cabinet 3", or "kitchen cabinet"."""
        return self._names[obj]

    @cached_property
    def _names(self) -> list[str]:
        return [self.words(self.problem.spell(name)) for name in self.task.objects]

    def noun(self, obj: int) -> str:
        """What an object is called, whatever its number."""
        return self.lexicon.noun(self.problem.spell(self.task.objects[obj]))

    def called(self, obj: int) -> str:
        """The name with that of what the object permanently belongs to, if things of the same name belong to several:
        the "kitchen sink" and the "bathroom sink"."""
        return self._called[obj]

    @cached_property
    def _called(self) -> list[str]:
        owners = [self.name(self.belongs_to[o]) if o in self.belongs_to else "" for o in range(len(self.task.objects))]
        spread: dict[str, set[str]] = {}
        for name, owner in zip(self._names, owners, strict=True):
            spread.setdefault(name, set()).update([owner] if owner else [])
        called = []
        for name, owner in zip(self._names, owners, strict=True):
            several = len(spread[name]) > 1 and owner and not name.startswith(owner)
            head, of, last = name.rpartition(" of the ")
            called.append(f"{head}{of}{owner} {last}" if several else name)
        return called

    def label(self, obj: int) -> str:
        """What one object is called and no other, for as long as the task lasts: as it is ``called``, with its number
        in the problem's order where several are called so."""
        return self._labels[obj]

    @cached_property
    def _labels(self) -> list[str]:
        acting = {*np.unique(self.task.arguments).tolist(), *(a for _, args in self.task.facts for a in args)}
        numbers = self.numbers(self.called, acting)  # the class "apple" is no apple
        labels = [f"{name} {numbers[o]}" if o in numbers else name for o, name in enumerate(self._called)]
        given = Counter(labels[o] for o in acting - {-1})  # "box 1": the first of three boxes, or one's name
        named = zip(self.task.objects, labels, strict=True)
        return [self.problem.spell(name) if given[label] > 1 else label for name, label in named]

    def placed(self, obj: int) -> str:
        """The label, with that of what the object belongs to where it does not begin so: "fridge (kitchen)", but
        "kitchen table"."""
        label, owner = self.label(obj), self.belongs_to.get(obj)
        return label if owner is None or label.startswith(f"{self.label(owner)} ") else f"{label} ({self.label(owner)})"

    def numbers(self, call: Callable[[int], str], objects: Collection[int]) -> dict[int, int]:
        """Object → which of those ``objects`` it is, in the problem's order from 1, that ``call`` gives the same name;
        of names that several have."""
        index = {name: o for o, name in enumerate(self.task.objects)}
        declared = self.problem.normaliser.vocabulary.objects
        same: dict[str, list[int]] = {}
        for name in dict.fromkeys((*declared, *index)):
            if index.get(name) in objects:
                same.setdefault(call(index[name]), []).append(index[name])
        return {o: n for several in same.values() if len(several) > 1 for n, o in enumerate(several, start=1)}

    @cached_property
    def belongs_to(self) -> Mapping[int, int]:
        """The permanent owner of each object, such as the room of a piece of furniture, object → owner: by the first
        static predicate of the domain that relates each of several objects to one other, which some of them share."""
        number = {name: i for i, name in enumerate(map(self.problem.spell, self.task.objects))}
        pairs: dict[str, list[tuple[int, int]]] = {}
        for statement in self._unchanging:
            if len(statement.arguments) == 2 and all(name in number for name in statement.arguments):
                one, other = (number[name] for name in statement.arguments)
                if self.noun(one) == self.noun(other):
                    continue  # a kind: apple_1 is an apple
                pairs.setdefault(statement.predicate.lower(), []).append((one, other))
        found: dict[int, int] = {}
        for predicate in self._predicates:
            related = pairs.get(predicate, [])
            for way in (related, [(other, one) for one, other in related]):
                owner = dict(way)
                if len(owner) == len(way) > len(set(owner.values())):
                    found = {**owner, **found}
                    break
        return found

    def action(self, operator: int) -> str:
        """An operator as an imperative: "put the apple inside the fridge"."""
        if operator not in self._actions:
            self._actions[operator] = self.action_of(operator, self.name)
        return self._actions[operator]

    def action_of(self, operator: int, call: Callable[[int], str]) -> str:
        """The same, with objects named by ``call``."""
        return self.imperative(self.schema(operator), [call(a) for a in self.arguments(operator)])

    def schema(self, operator: int) -> str:
        """The schema of an operator, its normalised name."""
        return self.task.schemas[int(self.task.schema[operator])]

    def arguments(self, operator: int) -> list[int]:
        """The objects of an operator."""
        arguments: list[int] = self.task.arguments[operator, : self.task.arities[self.task.schema[operator]]].tolist()
        return arguments

    def fact(self, fact: int, value: bool = True) -> str:
        """A fact as a sentence; a false one without an entry for its negation is negated with "not"."""
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
        told = [self._statement(int(f), True) for f in np.flatnonzero(known & truth)]
        denied = np.flatnonzero(known & ~truth & ~hidden[: len(truth)]) if self._negated_texts else ()
        told += [self._statement(int(f), False) for f in denied if self.deniable(int(f))]
        return [*self._unchanging, *told]

    def together(
        self,
        atoms: Iterable[tuple[str, Sequence[int], bool]],
        call: Callable[[int], str],
        most: int | None = None,
        first: Collection[int] = (),
    ) -> tuple[str, ...]:
        """What is said of predicates (normalised names) and objects, and whether it is so, in English: what differs in
        one object is a sentence with a list. ``most``: of the sentences; their end tells how many were left out.
        ``first``: the objects that no list leaves out before others."""
        kinds: dict[tuple[str, bool], list[tuple[int, ...]]] = {}
        for predicate, arguments, value in atoms:
            kinds.setdefault((predicate, value), []).append(tuple(arguments))
        rest = {kind: self._of_the_rest(*kind, kinds) for kind in kinds}
        sentences = []
        order = [predicate for predicate, _ in kinds]
        for predicate, value in sorted(kinds, key=lambda kind: (order.index(kind[0]), bool(rest[kind]))):
            if rest[predicate, value]:
                sentences.append(rest[predicate, value])
                continue
            spelled, every = self.problem.spell(predicate), kinds[predicate, value]
            at = self._listed_at(predicate, every)
            same: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
            for arguments in every:
                same.setdefault((*arguments[:at], *arguments[at + 1 :]) if arguments else (), []).append(arguments)
            for several in same.values():
                if len(several) > MOST_LISTED:
                    several.sort(key=lambda arguments: arguments[at] not in first)
                words = [[call(a)] for a in several[0]]
                if len(several) > 1:
                    words[at] = _enumerated([*words[at], *(call(arguments[at]) for arguments in several[1:])])
                sentences.append(self.agreeing(spelled, words, value))
        more = 0 if most is None else len(sentences) - most
        return (*sentences[:most], f"and {more} more facts like these") if more > 0 else tuple(sentences)

    @cached_property
    def changing(self) -> set[str]:
        """The predicates (normalised names) of facts that may change or are hidden."""
        return {predicate for predicate, _ in self.task.facts}

    def _of_the_rest(self, predicate: str, value: bool, kinds: Mapping[tuple[str, bool], list[tuple[int, ...]]]) -> str:
        """What is so of many objects, said of every one of their type, or of every other one where it is not so of
        some; empty if it is not so of more of them, or not known, or the lexicon has no words for it. ``kinds``: the
        objects by the predicate and its value."""
        if len(kinds[predicate, value][0]) != 1:
            return ""
        objects, others = ({a for (a,) in kinds.get((predicate, so), ())} for so in (value, not value))
        spelled, vocabulary = self.problem.spell(predicate), self.problem.normaliser.vocabulary
        (parameter,) = vocabulary.predicates[spelled.lower()].parameters
        typed = (vocabulary.objects.get(name) for name in self.task.objects)
        if predicate not in self.changing:  # so it is known of all
            objects = {self.number.get(s.arguments[0].lower(), -1) for s in self._unchanging if s.predicate == spelled}
        members = {o for o, t in enumerate(typed) if t is not None and vocabulary.fits(t, parameter.types)}
        if (
            len(objects) <= max(MOST_APART, len(others))
            or objects | others < members
            or not self.has_words(spelled, value)
        ):
            return ""
        if others and not self.has_words(spelled, not value):
            return ""
        kind = split_name(parameter.types[0].text)
        return self.said_of(spelled, [f"every {'other ' if others else ''}{kind}"], value)

    def _listed_at(self, predicate: str, every: Sequence[tuple[int, ...]]) -> int:
        """The position of the objects that a sentence lists: that with the fewest sentences, the last of equals; always
        the last if the lexicon has no words for the predicate."""
        last = len(every[0]) - 1
        if self._template(self.problem.spell(predicate), True) is None:
            return last
        return min(range(last, -1, -1), key=lambda i: len({(*a[:i], *a[i + 1 :]) for a in every}), default=-1)

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each object, by its normalised name."""
        return {name: i for i, name in enumerate(self.task.objects)}

    def _statement(self, fact: int, holds: bool) -> Statement:
        if (fact, holds) not in self._statements:
            step = self.task.fact_step(fact)
            self._statements[fact, holds] = Statement(step.action, step.arguments, holds, self.fact(fact, holds))
        return self._statements[fact, holds]

    def deniable(self, fact: int) -> bool:
        """Whether the lexicon has words for the fact where it does not hold."""
        return self.has_words(self.problem.spell(self.task.facts[fact][0]), False)

    @cached_property
    def _unchanging(self) -> list[Statement]:
        """What holds and is compiled away."""
        problem = self.problem
        told = []
        for atom in problem.tarski.init.as_atoms():
            if isinstance(atom, tuple):  # the value of a function
                continue
            predicate = problem.spell(str(atom.predicate.name))
            if str(atom.predicate.name) in self.changing or predicate.lower() not in self._predicates:
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

    def suits(self, fact: int, subject: tuple[int, ...]) -> bool:
        """Whether the subject might be looked for where a fact says that it is, by the lexicon."""
        spell = [self.problem.spell(name) for name in self.task.objects] if self.lexicon.only else []
        others = [a for a in self.task.facts[fact][1] if a not in subject]
        return not spell or all(self.lexicon.suits(spell[thing], spell[o]) for thing in subject for o in others)

    def is_place(self, fact: int, subject: tuple[int, ...]) -> bool:
        """Whether a fact says where the subject is, by the words for its relation: "inside fridge", but not "red"."""
        return bool(subject) and bool(_LOCATING.search(self._relating(fact, subject).lower()))

    def is_relation(self, fact: int, subject: tuple[int, ...]) -> bool:
        """Whether there are words for the relation that a fact says the subject has to others."""
        return bool(self._relating(fact, subject).strip())

    def _relating(self, fact: int, subject: tuple[int, ...]) -> str:
        predicate, arguments = self.task.facts[fact]
        return self.relation(self.problem.spell(predicate), [None if a in subject else "" for a in arguments])

    def place(self, fact: int, subject: tuple[int, ...]) -> str:
        """What a fact says of the subject: relation and the other objects, such as "inside fridge"."""
        predicate, arguments = self.task.facts[fact]
        others = tuple(a for a in arguments if a not in subject)
        if (predicate, others) not in self._places:
            words = [None if a in subject else self.called(a) for a in arguments]
            self._places[predicate, others] = self.relation(self.problem.spell(predicate), words)
        return self._places[predicate, others]


class News:
    """The facts that are new to an agent, in English: everything at first, later only what was not true at the previous
    call.

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


def listed(names: Mapping[str, str]) -> tuple[str, ...]:
    """The names with their descriptions; those that differ only in their numbers and have the same description are
    merged."""
    numbers: dict[tuple[str, str], list[str]] = {}
    for name, said in names.items():
        stem, number = _LAST_NUMBER.fullmatch(name).groups("")  # type: ignore[union-attr]
        numbers.setdefault((stem, said), []).append(number)
    return tuple(f"{stem}{','.join(in_order(several))}{said}" for (stem, said), several in numbers.items())


def in_order(numbers: Iterable[str]) -> list[str]:
    """Numbers as text, ascending."""
    return sorted(numbers, key=lambda number: int(number or 0))


def _enumerated(names: Sequence[str]) -> list[str]:
    """The names in a list, which tells how many were left out."""
    told = listed(dict.fromkeys(names[:MOST_LISTED], ""))
    return [*told, *([f"{len(names) - MOST_LISTED} more"] if len(names) > MOST_LISTED else ())]


def _slots(template: str) -> list[str]:
    """The parameters that a sentence has a place for, in lower case."""
    return [name.lower() for name in re.findall(r"\{(\w+)\}", template)]


def _in_the_plural(match: re.Match[str]) -> str:
    verb = match[3].lower()
    stem = re.sub(r"(?<=ss|sh|ch|.x)es$|s$", "", re.sub(r"(?<=[^aeiou])ies$", "ys", verb))
    return f"{match[1] or ''}{match[2]} {_MANY.get(verb, stem)}"


def _fill(template: str, words: Mapping[str, str | Sequence[str]]) -> str:
    def put(match: re.Match[str]) -> str:
        several = words.get(match[2].lower(), f"{{{match[2]}}}")
        if isinstance(several, str):
            return phrase(match[1] or "", several)
        *first, last = (phrase(match[1] or "", word) for word in several)
        return f"{', '.join(first)} and {last}" if first else last

    def phrase(article: str, word: str) -> str:
        if NUMBERED.search(word) or word[:1].isdigit():
            return word
        n = "n" if article in ("a", "A") and word[:1].lower() in tuple("aeiou") else ""
        return f"{article}{n} {word}".strip()

    return re.sub(r"(?:\b([Aa]|[Tt]he) )?\{(\w+)\}", put, template)
