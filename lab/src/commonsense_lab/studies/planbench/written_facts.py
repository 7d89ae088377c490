"""Facts as a model writes them, in PDDL or in the words of the lexicon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from commonsense_planning.pddl.problem import Problem
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
