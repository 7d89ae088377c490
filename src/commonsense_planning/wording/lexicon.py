"""English names: a domain's ``lexicon.toml``, and symbols split into words for the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from commonsense_planning.errors import InputError, LocatedError, Place
from commonsense_planning.pddl.vocabulary import Vocabulary
from commonsense_planning.support.english import near
from commonsense_planning.support.reading import Text, read_text, read_toml

KEPT, DROPPED = "kept", "dropped"
_LISTS = ("only", "map")  # the tables of a lexicon whose entries are lists
_MAP = ("agent", "within", "held")
_SEPARATORS = re.compile(r"[_\-\s]+")
_STEERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class Lexicon:
    """``lexicon.toml``: how a domain is put into English. ``classes`` (an object's name, with its number or without →
    words), sentences with ``{parameter}`` for ``actions``, for ``facts`` that hold, and for those that do not
    (``negated``). ``numbers``: a type's name → whether the numbers in the names of its objects are ``KEPT``, as they
    are where nothing is said, or ``DROPPED``, so that objects of one name are called the same; the nearest type counts.
    ``only``: a place's name, or a part of it → the names of the things that nobody would look for anything else there
    than. ``map``: which predicates say where things are, for those who draw it: "within", that the first argument is
    in, on or at the second; "agent", that the agent is there; "held", that it carries that."""

    classes: Mapping[str, str] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    negated: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    map: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @staticmethod
    def read(path: Path | Text, vocabulary: Vocabulary | None = None) -> Lexicon:
        """Reads a ``lexicon.toml``, for a domain of that ``vocabulary`` if it is given. Raises InputError if it is not
        one; LocatedError for what is wrong with ``numbers``."""
        tables = read_toml(path, "a lexicon")
        known = [f.name for f in fields(Lexicon)]
        if isinstance(tables.get("numbers"), str):
            tables["numbers"] = {"object": tables["numbers"]}
        for table, entries in tables.items():
            if table not in known:
                raise InputError(f"{path}: unknown table [{table}]; there are {', '.join(f'[{n}]' for n in known)}")
            wanted = "lists of names" if table in _LISTS else "texts"
            if not isinstance(entries, dict) or not all(_is_entry(v, table in _LISTS) for v in entries.values()):
                raise InputError(f"{path}: [{table}] must be a table of names and {wanted}")
            for name, entry in entries.items():
                if not all(map(is_wording, [entry] if isinstance(entry, str) else entry)):
                    raise InputError(f"{path}: [{table}] {name}: expected one line, without control characters")
                if name == "numbers" and entry in (KEPT, DROPPED):
                    raise _located(path, name, f"'numbers' is an entry of [{table}] here", "it before the first table")
        for kind, number in tables.get("numbers", {}).items():
            if number not in (KEPT, DROPPED):
                raise _located(path, number, f"'{number}' for numbers", f'"{KEPT}" or "{DROPPED}"')
            if vocabulary is not None and kind.lower() not in vocabulary.types:
                hint = near(kind, (known.text for known in vocabulary.types.values()))
                raise _located(path, kind, f"undeclared type '{kind}'", "a type of the domain", hint)
        for entry in tables.get("map", {}):
            if entry not in _MAP:
                raise InputError(f"{path}: [map] has no entry {entry}; there are {', '.join(_MAP)}")
        return Lexicon(**tables)

    def with_own(self, own: Lexicon) -> Lexicon:
        """This lexicon, with the entries of another in place of those of the same name."""
        tables = ((getattr(self, f.name), getattr(own, f.name)) for f in fields(self))
        return Lexicon(*({**common, **more} for common, more in tables))

    def words(self, name: str, kinds: Iterable[str] = ()) -> str:
        """What the object of that name is called, number and all: "kitchen cabinet 3", "s1"; without it where it is
        dropped for its type. ``kinds``: its types, the nearest first."""
        parts = [part for part in _SEPARATORS.split(name) if part]
        for joint in "_-":
            if (whole := joint.join(parts).lower()) in self.classes:
                return self.classes[whole]
        if self.drops_numbers(kinds):
            return self.noun(name)
        if self._class_of(name) is not None:
            return " ".join((self.noun(name), *filter(str.isdigit, parts)))
        return " ".join(map(self._numbered, parts)) or name

    def noun(self, name: str) -> str:
        """What things of that name are called, whatever their numbers: each part is looked up among the classes, else
        split where it can be."""
        known = self._class_of(name)
        return " ".join(map(self._word, _plain_parts(name) or [name])) if known is None else known

    def names_kind(self, name: str) -> bool:
        """Whether the name without its number at the end is one of the classes."""
        return re.sub(r"[_\-\s]*\d+$", "", name).lower() in self.classes

    def drops_numbers(self, kinds: Iterable[str]) -> bool:
        """Whether the numbers of an object's name are dropped; ``kinds``: its types, the nearest first."""
        if not self.numbers:
            return False
        numbers = {kind.lower(): number for kind, number in self.numbers.items()}
        return next((numbers[kind] for kind in kinds if kind in numbers), KEPT) == DROPPED

    def suits(self, thing: str, place: str) -> bool:
        """Whether a thing of that name might be looked for at a place of that name, both as the user spells them."""
        kept = [things for part in _parts(place) for things in [self.only.get(part)] if things is not None]
        return all(any(part in things for part in _parts(thing)) for things in kept)

    def _class_of(self, name: str) -> str | None:
        """The words for a name as a whole, without the parts of it that are numbers."""
        parts = _plain_parts(name)
        return next((self.classes[whole] for j in "_-" if (whole := j.join(parts).lower()) in self.classes), None)

    def _word(self, part: str) -> str:
        stem = re.sub(r"\d+$", "", part) or part
        return self.classes.get(part.lower(), self.classes.get(stem.lower(), split_name(stem)))

    def _numbered(self, part: str) -> str:
        stem = re.sub(r"\d+$", "", part)
        if stem == part or stem.lower() not in self.classes or part.lower() in self.classes:
            return self.classes.get(part.lower(), part.lower())
        return f"{self.classes[stem.lower()]} {part.removeprefix(stem)}"


def split_name(name: str) -> str:
    """A name's parts as words, in lower case."""
    return re.sub(r"[_\-]+", " ", name).strip().lower()


def is_wording(text: str) -> bool:
    """Whether a text can be part of a sentence, a list or a table: it is one line without control characters."""
    return _STEERS.search(text) is None


def _is_entry(value: object, listed: bool) -> bool:
    if listed:
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    return isinstance(value, str)


def place_in(paths: Sequence[Path], table: str, names: Iterable[str]) -> Place:
    """Where the first of the names is a key of a table, or its number apart, in the first of a lexicon's files that has
    one; else where a file names the table, or begins."""
    wanted = [key for name in names for key in dict.fromkeys((name, *_keys(name)))]
    for words in [rf"^\s*[\"']?({'|'.join(map(re.escape, wanted))})[\"']?\s*="] * bool(wanted) + [rf"^\[?({table})\b"]:
        for path in paths:
            lines = read_text(path, "a lexicon").splitlines()
            for number, line in enumerate(lines, start=1):
                if found := re.search(words, line, re.IGNORECASE):
                    return Place(path, number, 1 + found.start(1), line)
    return Place(paths[0], 1, 1)


def _keys(name: str) -> Iterator[str]:
    """The keys by which a class may have the words for a name."""
    for joint in "_-":
        yield joint.join(_plain_parts(name))
    yield re.sub(r"\d+$", "", name)


def _located(path: Path | Text, word: str, problem: str, expected: str, hint: str = "") -> LocatedError:
    """An error at the first place that has the word, from where numbers are spoken of on."""
    lines = read_text(path, "a lexicon").splitlines()
    begin = next(n for n, line in enumerate(lines) if "numbers" in line.partition("#")[0])
    pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    found = ((n, m.start()) for n in range(begin, len(lines)) if (m := pattern.search(lines[n].partition("#")[0])))
    line, column = next(found, (begin, 0))
    return LocatedError(Place(Path(str(path)), line + 1, column + 1, lines[line]), problem, expected, hint)


def _plain_parts(name: str) -> list[str]:
    return [part for part in _SEPARATORS.split(name) if part and not part.isdigit()]


def _parts(name: str) -> list[str]:
    """The parts of a name, and the name as a whole, without numbers: "floor_kitchen_2" is a floor."""
    parts = [p for p in _SEPARATORS.split(re.sub(r"\d+\b", "", name.lower())) if p]
    return list(dict.fromkeys(("_".join(parts), *parts)))
