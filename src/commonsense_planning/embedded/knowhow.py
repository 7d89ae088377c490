"""The embedded model's household know-how: guides from a table written by hand, and the choice of an action by its
similarity to the guide and to the description. No language model; texts in, texts out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from commonsense_planning.matching.answers import Key, key_of
from commonsense_planning.matching.words import words_in
from commonsense_planning.support.reading import read_toml, reading
from commonsense_planning.wording.naming import ARTICLES
from commonsense_planning.wording.questions import ChooseAction, WriteGuide

TABLE = Path(__file__).with_name("knowhow.toml")
LATER = 0.9  # what a later line of the guide counts, of the line before it
UNLIKE = 0.5  # what a similarity counts, of equality with a line of the guide
WORN = 0.5  # what an action loses for each time that it was taken, unless the guide asks for it again


class KnowHow:
    """The table; the format is described at the head of the file."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._tasks = [([_pattern(form) for form in t["says"]], t["steps"]) for t in tables["tasks"]]
        self._english: dict[str, str] = {verb: forms[0] for verb, forms in tables["verbs"].items()}
        self._sayings = [(verb, _pattern(form)) for verb, forms in tables["verbs"].items() for form in forms]
        self._names: Mapping[str, str] = tables["names"]
        self._read = lru_cache(maxsize=4096)(self._reading)

    @staticmethod
    @lru_cache(maxsize=4)
    def read(path: Path = TABLE) -> KnowHow:
        """Reads a table. Raises InputError if the file is not one."""
        with reading(path, "a table of household know-how"):
            return KnowHow(read_toml(path, "a table of household know-how"))

    def guide(self, question: WriteGuide) -> str:
        """A guide as a numbered list; empty for a task of no form that the table has."""
        sentence = re.split(r"[.!?]", question.description, maxsplit=1)[0].strip().lower()
        for patterns, steps in self._tasks:
            found = next(filter(None, (p.fullmatch(_bare(sentence)) for p in patterns)), None)
            if found is not None:
                lines = [self._line(step, found.groupdict(), question) for step in steps]
                return "\n".join(f"{i}. {line}" for i, line in enumerate(lines, start=1))
        return ""

    def choice(self, question: ChooseAction) -> str:
        """The index-action pair of the best action: the one that the guide has next, else the one that is most similar
        to the rest of the guide and the description; the first of equals. It never says that none helps."""
        lines = [self._read(line) for line in question.guide]
        taken = [self._read(action) for action in question.taken]
        ahead = lines[_done(lines, taken) :]
        told = frozenset(_senses(question.description))
        hoped = frozenset(ahead[0]) if ahead else frozenset()

        def score(entry: tuple[int, str]) -> float:
            action = self._read(entry[1])
            if action in ahead:
                return 1 + LATER ** ahead.index(action)
            alike = max(_share(action, hoped), _share(_senses(entry[1]), told))
            return UNLIKE * alike - WORN * taken.count(action)

        index, action = max((entry for entry in question.actions if entry[0]), key=score)
        return f"{index}. {action}"

    def _line(self, step: str, said: Mapping[str, str], question: WriteGuide) -> str:
        verb, *things = step.split()
        names = [said[f"_{thing[1:-1]}"] if thing.startswith("{") else thing for thing in things]
        if question.level == "high":
            return _filled(self._english[verb], names)
        listed = [self._listed(name, question) for name in names]
        forms = (form for form in question.forms if key_of(form)[0] == verb)
        form = next((form for form in forms if form.count("object") == len(listed)), None)
        if form is None:
            return " ".join([verb, *listed])
        for i, name in enumerate(listed, start=1):
            form = form.replace(f"object{i}", name)
        return form

    def _listed(self, name: str, question: WriteGuide) -> str:
        """The probable name of a thing in the lists: from facts about the home, else the usual name."""
        usual = "".join(self._names.get(name, name).split())
        known = [listed for listed, _ in question.knowledge]
        if usual in known:
            return usual
        return next((listed for listed in known if _senses(listed) == _senses(name)), usual)

    def _reading(self, text: str) -> Key:
        """A line or an action as verb and things, in comparable words, without the numbers of things."""
        plain = _bare(text.lower().strip(" ."))
        for verb, pattern in self._sayings:
            found = pattern.fullmatch(plain)
            if found:
                things = (re.sub(r"\d+$", "", "".join(name.split())) for name in found.groupdict().values())
                return (verb, *(self._names.get(thing, thing) for thing in things))
        return tuple(word for word in key_of(text) if not word.isdigit())


def _pattern(form: str) -> re.Pattern[str]:
    """A form of words, with names for ``{x}`` and ``{0}``."""
    parts = re.split(r"\{(\w)\}", _bare(form))
    return re.compile("".join(f"(?P<_{p}>.+?)" if i % 2 else re.escape(p) for i, p in enumerate(parts)))


def _bare(text: str) -> str:
    """A sentence without articles."""
    return " ".join(word for word in text.split() if word not in ARTICLES)


def _filled(form: str, names: Sequence[str]) -> str:
    text = re.sub(r"\{(\d)\}", lambda match: names[int(match[1])], form)
    return text[:1].upper() + text[1:]


def _done(lines: Sequence[Key], taken: Sequence[Key]) -> int:
    """The number of the guide's lines that the actions so far have done or passed over."""
    done = 0
    for action in taken:
        if action in lines[done:]:
            done = lines.index(action, done) + 1
    return done


def _senses(text: str) -> tuple[str, ...]:
    return tuple(word.sense for word in words_in(" ".join(key_of(text))))


def _share(words: Sequence[str], wanted: frozenset[str]) -> float:
    """The share of the words that are wanted."""
    return sum(word in wanted for word in words) / max(1, len(words))
