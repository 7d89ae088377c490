"""Questions as chat messages, from templates: one file per kind of question, with solved tasks as examples.

Templates are searched for in the user's folder, in the folder ``prompts`` next to the domain, and in the question's
folder, which serves any domain. Instead of a folder, the user may choose ``paper``, the papers' wording, which is a
folder of that name next to the question's template. Templates are Jinja. Their variables are ``Question.given``,
``scene``, and ``form``: the form of the answer, where it is another than the template's own. Templates
with examples also get ``shots``, the K most similar solved tasks (section 2.3). The text is sent as the user's message;
a line that is only ``[system]``, ``[user]`` or ``[assistant]`` begins a message of that role. Only lines of the
template itself do, not the values of variables, such as a name or an answer.
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
from commonsense_planning.support.english import near
from commonsense_planning.support.reading import json_value, read_text, reading, within
from commonsense_planning.wording.questions import FORMS, TEMPLATES, Batch, NextAction, Placement, Question, Scene

if TYPE_CHECKING:
    from commonsense_planning.llm.templates import Templates

QUESTIONS = "cplan-2026-12"
"""The name of cplan's own questions: templates and wording together. Recordings and results carry it, so that one knows
which answers fit: whoever changes a byte of a question chooses a new name."""
PAPER = "paper"
PACKAGE = Path(__file__).parents[1]
SETS = (PAPER,)  # names of sets of templates besides the default one
EXAMPLE = 'expected {"instruction": "…", "observations": [["…"]], "actions": ["…"]}'
_ROLE = re.compile(r"^\[(system|user|assistant)\][^\S\n]*$", re.MULTILINE)
_MARK = f"\0{secrets.token_hex(16)}\0"  # replaces a template's roles while it is filled in; no value can contain it
_MARKED = re.compile(f"{_MARK}(system|user|assistant){_MARK}")


@dataclass(frozen=True)
class Example:
    """A solved task in English: the instruction, the first observation, and the actions taken."""

    instruction: str
    observation: str
    actions: tuple[str, ...]


def read_examples(path: Path) -> tuple[Example, ...]:
    """Reads a file of JSON lines, ``{"instruction": …, "observations": [[sentence, …], …], "actions": [action, …]}``.

    Observations are optional, and only the first is used. Raises InputError with the number of a wrong line.
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
    """Reads a file of preferences, one sentence per line; empty lines and those that begin with ``#`` are skipped.
    Raises InputError if there are none."""
    lines = (line.strip() for line in read_text(path, "preferences").splitlines())
    told = tuple(line.rstrip(".") for line in lines if line and not line.startswith("#"))
    if not told:
        raise InputError(f"{path}: no preferences here; expected lines such as: yellow shirts go into the drawer")
    return told


class Shots:
    """A pool of examples, and the number of them that a prompt gets."""

    def __init__(self, pool: tuple[Example, ...], count: int, matcher: Matcher) -> None:
        self._pool = pool
        self._count = count
        self._matcher = matcher
        self._chosen: dict[str, tuple[Example, ...]] = {}

    def for_goal(self, goal: str) -> tuple[Example, ...]:
        """Returns the examples whose instructions are most similar to ``goal``, the most similar first."""
        if goal not in self._chosen:
            similar = self._matcher.similarities(goal, [example.instruction for example in self._pool])
            order = np.argsort(-similar, kind="stable")[: self._count]
            self._chosen[goal] = tuple(self._pool[i] for i in order.tolist())
        return self._chosen[goal]


class Prompts:
    """Renders questions. ``folders`` are searched in order, before the question's own; one of ``SETS`` may replace a
    folder. ``name``: of the templates, for their version. ``preferences``: those of the people in the scene.

    Raises InputError for a folder without templates, for a template whose name no question has, and for an invalid
    template, with file and line.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        scene: Scene,
        shots: Shots | None = None,
        name: str = QUESTIONS,
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
        """Returns the messages that ask a model a question. ``form``: the name of a template for the form of the
        answer; its variables are ``given`` and ``question``. A template that puts the variable ``form`` gets the text
        for it; to any other the text is added, with ``question`` the last message."""
        question = question.preferring(self._preferences)
        name, templates = question.template.name, self._templates(question.template.parent)
        variables = {**self._given(question), "form": ""}
        text = templates.fill(name, variables)
        if form:
            forms, plain = self._templates(FORMS), text
            asked = forms.fill(form, {"question": "", **given}).strip()
            text = templates.fill(name, {**variables, "form": asked})
        *before, last = _split_roles(text.strip())
        if form and text == plain:
            last = {**last, "content": forms.fill(form, {"question": last["content"], **given}).strip()}
        return (*before, last)

    def puts(self, batch: Batch) -> bool:
        """Returns whether a batch may be asked as one question: not if the user replaces the template of a single
        question without replacing that of the batch."""
        searched = self._searched(batch.template.parent)

        def found(name: str) -> int:
            return next(i for i, folder in enumerate(searched) if (folder / name).is_file())

        return all(found(batch.template.name) <= found(part.template.name) for part in batch.parts)

    def version(self, built_in: Path = TEMPLATES) -> str:
        """Returns name and digest, such as "paper-1f3a9c02", of the templates for questions whose own templates are in
        the folder ``built_in``. The digest is that of all templates that may be used, without those that are hidden."""
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
        """Returns the templates of the folders, and of the folder of built-in ones."""
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
    """Raises InputError for a template whose name no question has and no other template there mentions. The packs that
    ship with cplan are not checked: they may have templates for questions of plug-ins."""
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
    """Returns the names of all templates that ship with cplan, and of those of plug-ins' questions."""

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
    """A Jinja filter: the items separated by commas, up to a limit."""
    return ", ".join(items[:most]) + (", …" if len(items) > most else "")


def _cut(items: Sequence[str], most: int, link: str = ", ") -> str:
    """A Jinja filter: the items with ``link`` between them, up to a limit, and how many were left out."""
    more = len(items) - most
    return link.join((*items[:most], *([f"and {more} more, left out here"] if more > 0 else ())))


def _identifier(text: str) -> str:
    """A Jinja filter: a text as the name of a function, "wash the plate!" as wash_the_plate."""
    return re.sub(r"\W+", "_", text.lower().replace("'", "")).strip("_")


FILTERS: dict[str, Callable[..., str]] = {"cut": _cut, "truncated": _truncated, "identifier": _identifier}
