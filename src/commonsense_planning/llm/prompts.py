"""Questions as chat messages, from templates: one file per kind of question, and solved tasks as examples in them.

A template is searched for in the user's folder, in the folder ``prompts`` beside the domain, and in the question's
folder, which serves any domain. Instead of the user's folder there may be a set that ships with the questions:
``paper``, the papers' wording, in a folder of that name beside the question's template. Templates are Jinja. They get
what the question tells (``Question.given``) and ``scene``; where examples have a place also ``shots``, the K solved
tasks that are most similar (section 2.3). The text of a template is sent as the user's message, and a line that is
only ``[system]``, ``[user]`` or ``[assistant]`` begins a message of that role. Only a template's own line does: what it
is told, a name or an answer, begins none.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from commonsense_planning.errors import InputError
from commonsense_planning.llm.model import Message
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.pddl.packs import packs_folder
from commonsense_planning.pddl.syntax import near
from commonsense_planning.support.reading import json_value, read_text, reading, within
from commonsense_planning.wording.questions import FORMS, TEMPLATES, Batch, NextAction, Placement, Question, Scene

if TYPE_CHECKING:
    from commonsense_planning.llm.templates import Templates

PAPER = "paper"
PACKAGE = Path(__file__).parents[1]
SETS = (PAPER,)  # names of sets of templates besides the default one
EXAMPLE = 'expected {"instruction": "…", "observations": [["…"]], "actions": ["…"]}'
_ROLE = re.compile(r"^\[(system|user|assistant)\][^\S\n]*$", re.MULTILINE)
_MARK = f"\0{secrets.token_hex(16)}\0"  # of a template's roles while it is filled in; the content cannot contain it
_MARKED = re.compile(f"{_MARK}(system|user|assistant){_MARK}")


@dataclass(frozen=True)
class Example:
    """A solved task in English: what was to be done, what was seen at first, and what was done."""

    instruction: str
    observation: str
    actions: tuple[str, ...]


def read_examples(path: Path) -> tuple[Example, ...]:
    """Read a file of JSON lines, ``{"instruction": …, "observations": [[sentence, …], …], "actions": [action, …]}``.

    Of the observations, which may be missing, the first counts. Raises InputError with the line that is wrong.
    """
    examples = []
    for number, line in enumerate(read_text(path, "examples").split("\n"), start=1):
        if not line.strip():
            continue
        with reading(path, "an example", number, EXAMPLE):
            entry = json_value(line)
            seen = [str(sentence) for sentence in (entry.get("observations") or [[]])[0]]
            actions = tuple(str(action) for action in entry["actions"])
            examples.append(Example(str(entry["instruction"]), ", ".join(seen), actions))
    if not examples:
        raise InputError(f"{path}: there are no examples in this file")
    return tuple(examples)


def read_preferences(path: Path) -> tuple[str, ...]:
    """Read a file of preferences, a sentence a line; empty lines and those that begin with ``#`` are left out. Raises
    InputError if none is left."""
    lines = (line.strip() for line in read_text(path, "preferences").splitlines())
    told = tuple(line.rstrip(".") for line in lines if line and not line.startswith("#"))
    if not told:
        raise InputError(f"{path}: no preferences here; expected lines such as: yellow shirts go into the drawer")
    return told


class Shots:
    """The pool of examples, and how many of them a prompt gets."""

    def __init__(self, pool: tuple[Example, ...], count: int, matcher: Matcher) -> None:
        self._pool = pool
        self._count = count
        self._matcher = matcher
        self._chosen: dict[str, tuple[Example, ...]] = {}

    def for_goal(self, goal: str) -> tuple[Example, ...]:
        """The examples whose instruction is most similar to ``goal``, the most similar first."""
        if goal not in self._chosen:
            similar = self._matcher.similarities(goal, [example.instruction for example in self._pool])
            order = np.argsort(-similar, kind="stable")[: self._count]
            self._chosen[goal] = tuple(self._pool[i] for i in order.tolist())
        return self._chosen[goal]


class Prompts:
    """Renders questions. ``folders`` are looked through in order, the question's own template comes last; one of
    ``SETS`` may replace a folder. ``name``: what readers know the templates by. ``preferences``: those of the people
    who live there.

    Raises InputError for a folder without a single template, for a template by whose name nothing is asked, and for one
    that is wrong, with file and line.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        scene: Scene,
        shots: Shots | None = None,
        name: str = "cplan",
        preferences: tuple[str, ...] = (),
    ) -> None:
        for folder in folders:
            if str(folder) not in SETS and not any(folder.glob("*.jinja")):
                usual = " or ".join(kind.template.name for kind in (Placement, NextAction))
                raise InputError(f"{folder}: no prompt templates here; expected files such as {usual}")
            if str(folder) not in SETS:
                _check_names(folder)
        self._folders = folders
        self._scene = scene
        self._shots = shots
        self._name = name
        self._preferences = preferences
        self._environments: dict[Path, Templates] = {}
        self._versions: dict[Path, str] = {}

    def messages(self, question: Question, form: str = "", **given: Any) -> tuple[Message, ...]:
        """The messages that put a question to a model. ``form``: the name of a template that says in which form it is
        to be answered, which gets what is ``given`` and the last message as ``question``."""
        question = question.preferring(self._preferences)
        name = question.template.name
        templates = self._templates(question.template.parent)
        text = templates.fill(name, self._given(question))
        *before, last = _split_roles(text.strip())
        if form:
            filled = self._templates(FORMS).fill(form, {"question": last["content"], **given})
            last = {**last, "content": filled.strip()}
        return (*before, last)

    def puts(self, batch: Batch) -> bool:
        """Whether several questions are put at once: not where somebody replaces the template of one of them, and not
        that of all together."""
        searched = self._searched(batch.template.parent)

        def found(name: str) -> int:
            return next(i for i, folder in enumerate(searched) if (folder / name).is_file())

        return all(found(batch.template.name) <= found(part.template.name) for part in batch.parts)

    def version(self, built_in: Path = TEMPLATES) -> str:
        """Name and digest of the templates that questions are put with whose own are in the folder ``built_in``, such
        as "paper-1f3a9c02": the digest is that of all templates that may be used, a file that another hides left out.
        """
        if built_in not in self._versions:
            files: dict[str, Path] = {}
            for folder in self._searched(built_in):
                for path in sorted(folder.glob("*.jinja")):
                    files.setdefault(path.name, within(folder, path))
            digest = hashlib.sha256()
            for name, path in sorted(files.items()):
                digest.update(f"{name}\0{read_text(path, 'a template')}\0".encode())
            self._versions[built_in] = f"{self._name}-{digest.hexdigest()[:8]}"
        return self._versions[built_in]

    def _templates(self, built_in: Path) -> Templates:
        """What finds templates in the folders, and among the built-in ones of a folder."""
        from commonsense_planning.llm.templates import Templates  # Jinja, which is not needed without a model

        if built_in not in self._environments:
            self._environments[built_in] = Templates(self._searched(built_in), FILTERS, _mark)
        return self._environments[built_in]

    def _searched(self, built_in: Path) -> list[Path]:
        own = [built_in / folder if str(folder) in SETS else folder for folder in self._folders]
        return [*own, built_in]

    def _given(self, question: Question) -> dict[str, Any]:
        goal = question.similar_to
        shots = self._shots.for_goal(goal) if self._shots is not None and goal is not None else ()
        return {**question.given(), "scene": self._scene, "shots": shots}


def _check_names(folder: Path) -> None:
    """Raises InputError for a template by whose name nothing is asked, and which no other one there includes. Those of
    the packs that come along may be for questions of the laboratory, which need not be installed."""
    if folder.resolve().is_relative_to(packs_folder().resolve()):
        return
    files = sorted(folder.glob("*.jinja"))
    strange = [path for path in files if path.name not in _known_names()]
    told = "\n".join(read_text(path, "a template") for path in files) if strange else ""
    for path in strange:
        if path.name not in told:
            hint = near(path.name, _known_names())
            expected = f"did you mean {hint}?" if hint else f"there are {', '.join(sorted(_known_names()))}"
            raise InputError(f"{path}: no question has a template of this name; {expected}")


@cache
def _known_names() -> frozenset[str]:
    """The names of all templates that come along, and of plug-ins' questions."""

    def kinds(kind: type[Question]) -> Iterator[type[Question]]:
        yield kind
        for more in kind.__subclasses__():
            yield from kinds(more)

    every: Any = Question  # an abstract class
    own = {kind.template.name for kind in kinds(every) if hasattr(kind, "template")}
    return frozenset(own | {path.name for path in PACKAGE.rglob("templates/**/*.jinja") if "." not in path.stem})


def _mark(template: str) -> str:
    return _ROLE.sub(lambda found: f"{_MARK}{found[1]}{_MARK}", template)


def _split_roles(text: str) -> Iterator[Message]:
    parts = _MARKED.split(text)
    if parts[0].strip():
        yield {"role": "user", "content": parts[0].strip()}
    for role, content in zip(parts[1::2], parts[2::2], strict=True):
        yield {"role": role, "content": content.strip()}


def _truncated(items: Sequence[str], most: int) -> str:
    """A filter: the items separated by commas, up to a limit."""
    return ", ".join(items[:most]) + (", …" if len(items) > most else "")


def _identifier(text: str) -> str:
    """A filter: a text as the name of a function, "wash the plate!" as wash_the_plate."""
    return re.sub(r"\W+", "_", text.lower().replace("'", "")).strip("_")


FILTERS: dict[str, Callable[..., str]] = {"truncated": _truncated, "identifier": _identifier}
