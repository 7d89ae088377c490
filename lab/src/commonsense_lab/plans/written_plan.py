"""Plans as a model writes them: the question for one, and the reading of what comes.

A written plan is read leniently, but only if there is a single reading: numbers, bullets, fences and
prose around the actions fall away, names are compared without regard to case, hyphens and underscores. A line that may
mean two things is taken for neither. Nothing in an answer is an instruction: the result is only a list of steps.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from commonsense_planning.matching.answers import unlisted
from commonsense_planning.matching.plain_text import plain
from commonsense_planning.pddl.plan import Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import Question
from commonsense_planning.wording.verbalise import Wording

PLANS = Path(__file__).with_name("templates")
LONGEST = 400_000  # characters of an answer that is read
LONGEST_LINE = 1_000  # characters of a step, and of a line that is read in any other notation than PDDL's
MOST_STEPS = 10_000  # that are read
MOST_TOLD = 200  # characters of a line in a message
THINKING_TOKENS = 8_000

_GROUP = re.compile(r"\(([^()]*)\)")
_CALL = re.compile(r"(?<![\w-])([\w-]+)\s*\(([^()]*)\)")
_MARK = re.compile(
    r"\W*(?:(?:the|final|complete|summary|of) )*(?:(?:action )?plan|actions|action sequence|answer)\W*", re.IGNORECASE
)
_END = re.compile(r"\W*(?:end of (?:the )?plan|plan end|(?:detailed )?explanations?)\W*", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:(?:step\s*)?\d{1,5}\s*[.):]|[-*•])\s", re.IGNORECASE)
_FIRST = re.compile(r"\s*(?:step\s*)?1\s*[.):]\s", re.IGNORECASE)
_IN_ONE = re.compile(r"\s*1[.)]\s.{1,1000}?\s2[.)]\s")  # "1. ... 2. ..."
_NEXT = re.compile(r"(?<=\S)\s+(?=\d{1,5}[.)]\s)")
_LABEL = re.compile(r"\A[\W\d]{0,20}action\s*\d{0,5}\W{0,3}:[\s*_]*", re.IGNORECASE)
_BOLD = re.compile(r"(\*\*|`)(?P<words>[^*`]+)\1")
_REMARK = re.compile(r"\s*\([^()]*\)\W*$")  # behind a step
_HOME_OBJECT = re.compile(r"<([^<>]+)>\s*(?:\((\d+)[\d.]*\))?")
_HOME = re.compile(r"\[(?P<action>[\w -]+)\]\s*(?P<objects>(?:<[^<>]+>\s*(?:\([\d.]+\)\s*)?)+)")
_SLOT = "\x00{}\x00"
MOST_WORDS = 6  # of a name that is written with spaces
SMALL_WORDS = frozenset(
    ["a", "an", "and", "at", "by", "for", "from", "in", "inside", "into", "it", "of", "off", "on", "onto", "out"]
    + ["over", "the", "to", "top", "using", "via", "with"]
)


@dataclass(frozen=True)
class WritePlan(Question):
    """Which plan solves a task? An answer has an action in each line, in the notation of PDDL or in ``english``.

    ``domain`` and ``problem``: the texts that tell of them. ``example``: the text of another problem, and a plan for
    it. ``carried_out``: the steps that are kept, and the ``state`` that they lead to. ``attempts``: plans so far,
    each with what is wrong with it (LLM-Modulo, Kambhampati et al. 2024, section 4). ``think``: whether it may be
    reasoned before the plan.
    """

    template = PLANS / "write_plan.jinja"
    temperature = 0.0
    tokens = 2_000
    domain: str = field(repr=False)
    problem: str = field(repr=False)
    english: bool = False
    think: bool = False
    example: tuple[str, tuple[str, ...]] | None = None
    carried_out: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    attempts: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()

    @property
    def about(self) -> str:
        return "for a plan"

    @property
    def most_tokens(self) -> int:
        return THINKING_TOKENS if self.think else self.tokens


def telling(problem: Problem, lexicon: Lexicon) -> Wording:
    """Words for plans and facts that must be readable again: objects have their own names, and an action or a predicate
    has the lexicon's words if they name all that it is about and mean no other, else its name."""
    wording = Wording(problem, lexicon, own_names=True)
    arity = {schema: len(action.parameters) for schema, action in problem.tarski.actions.items()}
    actions = _told_apart(arity, wording.imperative)
    declared = problem.normaliser.vocabulary.predicates.items()
    facts = _told_apart({name: len(signature.parameters) for name, signature in declared}, wording.sentence)
    own = {problem.spell(schema).lower() for schema in actions}
    chosen = dataclasses.replace(
        lexicon,
        actions={name: text for name, text in lexicon.actions.items() if name.lower() in own},
        facts={name: text for name, text in lexicon.facts.items() if name.lower() in facts},
    )
    return Wording(problem, chosen, own_names=True)


def _told_apart(arity: Mapping[str, int], say: Callable[[str, Sequence[str]], str]) -> set[str]:
    """The names whose words have all their arguments, and are no other's."""
    said: dict[str, list[str]] = {}
    for name, count in arity.items():
        slots = [_SLOT.format(i) for i in range(count)]
        text = say(name, slots)
        if all(slot in text for slot in slots):
            said.setdefault(text, []).append(name.lower())
    return {names[0] for names in said.values() if len(names) == 1}


@dataclass(frozen=True)
class WrittenPlan:
    """What was read: ``steps`` up to the first line that may mean several things, which is ``unclear`` and says why;
    ``lines``: (written, read) for each line that has steps."""

    steps: tuple[Step, ...]
    lines: tuple[tuple[str, str], ...]
    unclear: str = ""


class PlanReader:
    """Reads plans for a problem; ``wording`` says its actions, see ``telling``."""

    def __init__(self, problem: Problem, wording: Wording) -> None:
        self._problem = problem
        self._wording = wording
        self._objects = _by_key(problem.spell(name) for name in problem.normaliser.vocabulary.objects)
        self._actions = _by_key(problem.spell(name) for name in problem.tarski.actions)
        self._arity = {problem.spell(name): len(a.parameters) for name, a in problem.tarski.actions.items()}
        self._kinds = {_key(problem.spell(sort.name)) for sort in problem.tarski.language.sorts}

    def read(self, answer: str) -> WrittenPlan:
        """The plan in an answer: behind the last line that says PLAN and nothing else, if there is one. Prose is passed
        over, but an item beside one that was read is none."""
        if len(answer) > LONGEST:
            return WrittenPlan((), (), f"the answer has more than {LONGEST} characters")
        answer = plain(answer)
        steps: list[Step] = []
        lines: list[tuple[str, str]] = []
        breaks = set[int]()  # the numbers of steps that follow something else, or begin a list
        read, missed, margin = False, "", 0  # whether the line before is a step; an item before that is none
        last: list[Step] = []
        for line in _of_plan([*_lines(answer)]):
            told, item = line.strip()[:MOST_TOLD], _ITEM.match(line[:LONGEST_LINE]) is not None
            indent = len(line) - len(line.lstrip())
            try:
                found = list(self._line(line, bool(lines) and not lines[0][0].startswith("(")))
                if read and indent > margin and (not found or found == last):
                    continue  # it says more of the step before, or the same again
                margin, last = (indent, found) if found else (margin, last)
                if not found or (item and _FIRST.match(line)):
                    breaks.add(len(steps))
                if item and (missed if found else read):
                    told = missed or told
                    raise _Unclear("is no action of the task")
            except _Unclear as why:
                return WrittenPlan(tuple(steps), tuple(lines), f"{told!r} {why}")
            read, missed = bool(found), told if item and not found else ""
            if found:
                steps += found
                lines.append((told, " ".join(map(str, found))))
            if len(steps) > MOST_STEPS:
                too_long = f"the plan has more than {MOST_STEPS} steps"
                return WrittenPlan(tuple(steps[:MOST_STEPS]), tuple(lines), too_long)
        half = len(steps) // 2
        if half in breaks and steps[:half] == steps[half:]:
            steps = steps[:half]  # it is said again
        return WrittenPlan(tuple(steps), tuple(lines))

    def _line(self, line: str, otherwise: bool) -> Iterator[Step]:
        """The steps in a line, none in one of prose. ``otherwise``: the plan is not written as PDDL's are. Raises
        _Unclear."""
        code = _LABEL.sub("", line.partition(";")[0], 1).strip()
        groups = _GROUP.findall(code)
        item = _ITEM.match(code)
        unnumbered = code[item.end() :].lstrip() if item else code
        if home := _HOME.fullmatch(unnumbered):
            yield self._of_home(home)
            return
        if any(len(text) > LONGEST_LINE for text in groups):
            raise _Unclear(f"has a step of more than {LONGEST_LINE} characters")
        if groups and not unlisted(_GROUP.sub("", code)).strip(", "):
            for name, *words in filter(None, map(str.split, groups)):
                step = self._named([name, *words])
                if step or not otherwise:
                    yield step or Step(name, tuple(words))  # not an action: the validator reports it
        elif named := [step for text in groups if (step := self._named(text.split()))]:
            yield from named
        elif len(code) <= LONGEST_LINE:
            whole = unlisted(code)
            if calls := [step for name, text in _CALL.findall(code) if (step := self._named([name, *_listed(text)]))]:
                yield from calls
                return
            if bold := _BOLD.match(unnumbered):
                head = unlisted(bold["words"])
                step = self._in_english(head) or self._named(_listed(head))
                if step and len(step.arguments) == self._arity[step.action]:
                    yield step
                    return
            whole = unlisted(_REMARK.sub("", code))
            if step := self._in_english(whole) or self._named(_listed(whole)) or self._in_english(whole, False):
                yield step

    def _of_home(self, line: re.Match[str]) -> Step:
        """The step of a line in VirtualHome's notation, "[GRAB] <apple> (3)", whose number may be part of the name.
        Raises _Unclear."""
        action = self._actions.get(_key(line["action"]))
        if not action:
            raise _Unclear(f"is no action of the task: none is called {line['action']}")
        names = []
        for name, number in _HOME_OBJECT.findall(line["objects"]):
            written = next((w for w in (name + number, name) if _key(w) in self._objects), None)
            if written is None:
                raise _Unclear(f"names no object of the task: <{name}>{f' ({number})' if number else ''}")
            names.append(self._object(written))
        return Step(_one("an action", line["action"], action), tuple(names))

    def _named(self, words: Sequence[str]) -> Step | None:
        """The step of words that begin with the name of an action. What is behind it and names no object is left out if
        it is small, or a type; else the words are kept as they are, for the judge."""
        for i in range(min(len(words), MOST_WORDS), 0, -1):
            if actions := self._actions.get(_joined(words[:i]), ()):
                action, rest = _one("an action", " ".join(words[:i]), actions), words[i:]
                if all(_key(word) in self._objects for word in rest):
                    return Step(action, tuple(map(self._object, rest)))
                objects = self._things(rest, self._arity[action])
                return Step(action, tuple(rest if len(objects) != self._arity[action] else objects))
        return None

    def _things(self, words: Sequence[str], wanted: int) -> list[str]:
        """The objects that are named in words, of which a name may take several; none if a word means nothing. Behind
        all that are ``wanted``, a phrase such as "on the table" may name something that is no object."""
        at, found, phrase = 0, list[str](), False
        while at < len(words):
            lengths = range(min(MOST_WORDS, len(words) - at), 0, -1)
            taken = next((n for n in lengths if _joined(words[at : at + n]) in self._objects), 0)
            if taken:
                found.append(self._object(" ".join(words[at : at + taken])))
            elif words[at].lower() not in SMALL_WORDS and _key(words[at]) not in self._kinds:
                phrase = phrase or (at > 0 and words[at - 1].lower() in SMALL_WORDS)
                if len(found) != wanted or not phrase or not _key(words[at]).isalpha():
                    return []
            at += taken or 1
        return found

    def _object(self, words: str) -> str:
        return _one("an object", words, self._objects[_key(words)])

    def _in_english(self, line: str, known: bool = True) -> Step | None:
        """The step that a line says in the words of the lexicon, of ``known`` objects or of whatever it names."""
        found = set()
        for action, pattern in self._patterns.items():
            if match := pattern.fullmatch(line):
                names = [match[f"p{i}"] for i in range(self._arity[action])]
                if not known:
                    return Step(action, tuple("_".join(name.split()) for name in names))
                if all(_key(name) in self._objects for name in names):
                    found.add(Step(action, tuple(map(self._object, names))))
        if len(found) > 1:
            raise _Unclear(f"may be {' or '.join(sorted(map(str, found))[:3])}")
        return next(iter(found), None)

    @cached_property
    def _patterns(self) -> Mapping[str, re.Pattern[str]]:
        """Action → how it is said."""
        patterns = {}
        for schema, action in self._problem.tarski.actions.items():
            slots = [_SLOT.format(i) for i in range(len(action.parameters))]
            said = re.escape(self._wording.imperative(schema, slots))
            said = re.sub(r"\b(?:the|an?)\\ ", r"(?:(?:the|an?)\\s+)?", said).replace("\\ ", r"\s+")
            for i, slot in enumerate(map(re.escape, slots)):
                said = said.replace(slot, rf"(?P<p{i}>\S+(?: \S+)?)", 1).replace(slot, f"(?P=p{i})")
            patterns[self._problem.spell(schema)] = re.compile(said, re.IGNORECASE)
        return patterns


class _Unclear(Exception):
    """What may mean several things, in words that go behind what was written."""


def _lines(answer: str) -> Iterator[str]:
    """Those that say something, and a numbered list in one line as one of many."""
    for line in filter(str.strip, map(_printable, answer.splitlines())):
        yield from _NEXT.split(line) if _IN_ONE.match(line) else [line]


def _of_plan(lines: Sequence[str]) -> Sequence[str]:
    """The lines behind the last that says PLAN, if any are, up to one that says that it ends, or is explained."""
    begins = max((i for i, line in enumerate(lines[:-1], 1) if _says(_MARK, line)), default=0)
    ends = next((i for i, line in enumerate(lines) if i > begins and _says(_END, line)), len(lines))
    return lines[begins:ends]


def _says(pattern: re.Pattern[str], line: str) -> bool:
    return len(line) <= LONGEST_LINE and pattern.fullmatch(line) is not None


def _printable(line: str) -> str:
    return line if line.isprintable() else "".join(c if c.isprintable() else " " for c in line)


def _listed(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _one(kind: str, written: str, found: Sequence[str]) -> str:
    """The name that is meant: the only one, else the one that is written so."""
    same = [name for name in found if name.lower() == written.lower()]
    if len(same or found) > 1:
        raise _Unclear(f"names {kind} {written[:50]}, which may be {' or '.join(found[:3])}")
    return (same or found)[0]


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


def _joined(words: Sequence[str]) -> str:
    """The key of a name of several words; no name's if one of them is but marks."""
    keys = [_key(word) for word in words]
    return "".join(keys) if all(keys) else ""


def _by_key(names: Iterator[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        found[_key(name)] = (*found.get(_key(name), ()), name)
    return found
