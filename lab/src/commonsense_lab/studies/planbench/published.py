"""PlanBench's published prompts as exercises: the task is read from the prompt, which is what a model sees, and not
from the instance file, which may differ."""

from __future__ import annotations

import re
import tomllib
import zlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from commonsense_lab.studies.planbench.exercises import (
    Exercise,
    Fact,
    FactReader,
    Kind,
    Marker,
    Phrasing,
    PublishedPrompt,
)
from commonsense_planning.errors import InputError
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text, json_value, read_bytes, read_text, reading
from commonsense_planning.validation.replay import run
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.verbalise import Wording

_NAMES = (
    "plan_generation plan_optimality plan_verification plan_reuse plan_generalization replanning plan_execution "
    "goal_shuffling full_to_partial partial_to_full"
)
FILES = dict(zip(_NAMES.split(), Kind, strict=True))
"""Part of a file's name → the kind of its exercises."""

Query = str | Sequence[Mapping[str, str]]
"""A prompt, or the messages of a conversation."""

_PDDL = re.compile(r"\(define\s*\(problem")
_STATEMENT = re.compile(r"As initial conditions I have that,?(.*?)\n(.*)", re.DOTALL)
_GOAL = re.compile(r"My goal is to have that(.*?)(?:\.|\n|$)", re.DOTALL)
_STEPS = re.compile(r"\[(PLAN|ACTION SEQUENCE)\](.*?)\[\1[ _]END\]", re.DOTALL)
_CHANGED = re.compile(r"at step (\d+) in the plan, .*?became true:(.*?)\n.*?unexpectedly false:(.*?)\n", re.DOTALL)


class Unread(InputError):
    """A prompt that is not understood."""


class Phrasebook:
    """One domain as PlanBench puts it into English; ``folder``: a checkout of its repository; ``scratch``: a folder for
    the domains that prompts contain."""

    def __init__(self, domain: str, folder: Path, scratch: Path | None = None) -> None:
        entry: Mapping[str, Any] = next((e for e in _words() if domain in e["domains"]), {})
        self._file = folder / entry["file"] if entry else None
        self._scratch = scratch
        plainer = dict(entry.get("named", {}))
        if "noun" in entry:
            plainer[rf"[ \t]*\b{entry['noun']}s?\b(?![-_]\w)"] = ""
        lexicon = Lexicon(actions=entry.get("actions", {}), facts=entry.get("facts", {}))
        self.phrasing = Phrasing(lexicon, bool(entry), tuple(plainer.items()))
        self._implied: Mapping[str, str] = entry.get("implied", {})
        self._types: Mapping[str, str] = entry.get("types", {})
        self._letters: Mapping[str, str] = entry.get("letters", {})

    def exercise(self, kind: Kind, name: str, query: Query) -> Exercise:
        """Returns the last task of a prompt. Raises Unread."""
        prompt = query if isinstance(query, str) else "\n".join(message["content"] for message in query)
        question = PublishedPrompt(prompt)
        if written := [*_PDDL.finditer(prompt)]:
            domain, problem = self._formal(prompt, written[-1].start())
            return Exercise(kind, name, domain, problem, self.phrasing, (), question)
        statement = _STATEMENT.search(self.phrasing.plainly(prompt[prompt.rfind("[STATEMENT]") :]))
        if statement is None or self._file is None:
            raise Unread("no statement")
        goal = _GOAL.search(statement[2])
        known, wanted = self.facts(statement[1]), self.facts(goal[1]) if goal else []
        if not known or (not wanted and kind is not Kind.EXECUTION):
            raise Unread("no facts")
        exercise = Exercise(kind, name, self._file, self._problem(known, wanted), self.phrasing, (), question)
        told = _STEPS.search(statement[2])
        if kind in (Kind.VERIFICATION, Kind.EXECUTION):
            return replace(exercise, steps=_steps(exercise, told[2] if told else ""))
        if told and (changed := _CHANGED.search(statement[2])):
            before = Marker(exercise).problem
            state = run(before, Plan(_steps(exercise, told[2])[: int(changed[1])])).state
            spelled = {tuple(map(before.spell, atom)) for atom in state}
            after = (spelled | set(self.facts(changed[2]))) - set(self.facts(changed[3]))
            return replace(exercise, problem=self._problem(sorted(after), wanted))
        return exercise

    def spelled(self, plan: str) -> str:
        """Renames the objects of a plan in PDDL from the instance's names to those of the prompt."""
        for letter, name in self._letters.items():
            plan = re.sub(rf"(?<=\s){letter}(?=[\s)])", name, plan)
        for name in self._implied:
            plan = re.sub(rf"(?<=\s){name[0]}(\d+)-(\d+)(?=[\s)])", rf"{name}_\1_\2", plan)
            plan = re.sub(rf"(?<=\s){name[0]}(\d+)(?=[\s)])", rf"{name}_\1", plan)
        return re.sub(r"(?<=\s)o(\d+)(?=[\s)])", r"object_\1", plan)

    def facts(self, text: str) -> list[Fact]:
        """Returns the facts that hold by a text."""
        return [fact for fact, holds in self._facts.read(self.phrasing.plainly(text)).items() if holds]

    @cached_property
    def _facts(self) -> FactReader:
        empty = self._read("(define (problem none) (:domain d) (:objects) (:init) (:goal (and)))")
        return FactReader(empty, Wording(empty, self.phrasing.lexicon, own_names=True))

    def _read(self, problem: str) -> Problem:
        assert self._file is not None
        text = _of_domain(problem, read_text(self._file, "a domain"))
        return read_problem(self._file, Text(text, "asked.pddl"))

    def _problem(self, known: Sequence[Fact], wanted: Sequence[Fact]) -> str:
        names = sorted({name for fact in (*known, *wanted) for name in fact[1:]})
        kinds = [(self._implied[word], n) for n in names for word in [n.split("_")[0]] if word in self._implied]
        typed = {name: self._types.get(name.rstrip("0123456789"), "object") for name in names}
        facts = dict.fromkeys((*known, *kinds))
        said, goal = (" ".join(f"({' '.join(fact)})" for fact in some) for some in (facts, wanted))
        objects = " ".join(f"{name} - {kind}" for name, kind in typed.items()) if self._types else " ".join(names)
        assert self._file is not None
        text = f"(define (problem asked) (:domain d) (:objects {objects}) (:init {said}) (:goal (and {goal})))"
        return _of_domain(text, read_text(self._file, "a domain"))

    def _formal(self, prompt: str, at: int) -> tuple[Path, str]:
        """Returns the domain's file and the problem's text of a prompt in PDDL."""
        written = [*re.finditer(r"\(define\s*\(domain", prompt[:at])]
        text, domain = _balanced(prompt, at), self._file
        if written and self._scratch is not None:
            content = _balanced(prompt, written[-1].start())
            domain = self._scratch / f"domain-{zlib.crc32(content.encode())}.pddl"
            domain.write_text(content)
        if domain is None:
            raise Unread("no domain")
        return domain, _of_domain(text, read_text(domain, "a domain"))


def published(folder: Path, domains: Collection[str], kinds: Collection[Kind], count: int) -> list[Exercise]:
    """Returns the first ``count`` of each file of prompts of these ``domains`` (all if there are none) and kinds in a
    checkout, without those that are not understood. Raises InputError if there are none, for an ill-formed prompt, and
    for a missing domain."""
    exercises = []
    for file in sorted((folder / "plan-bench" / "prompts").glob("*/*.json")):
        kind, domain = kind_of(file), file.parent.name
        if kind is None or kind not in kinds or (domains and domain not in domains):
            continue
        phrasebook = Phrasebook(domain, folder)
        for one in prompts_in(file)[:count]:
            with suppress(Unread), reading(file, f"prompts: instance {one.get('instance_id')}"):
                name = f"{domain}/{file.stem}-{one['instance_id']}"
                exercises.append(phrasebook.exercise(kind, name, one["query"]))
    if not exercises:
        raise InputError(f"{folder}: no prompts of these domains and kinds; expected plan-bench/prompts/DOMAIN/*.json")
    return exercises


def kind_of(file: Path) -> Kind | None:
    """Returns the kind of a file of prompts or of results."""
    return next((kind for name, kind in FILES.items() if name in file.stem), None)


def prompts_in(file: Path) -> list[Mapping[str, Any]]:
    """Returns those of a file of prompts or of results. Raises InputError for another file."""
    with reading(file, "prompts"):
        content = json_value(read_bytes(file, "prompts"))
    found = content.get("instances") if isinstance(content, dict) else None
    if not isinstance(found, list):
        raise InputError(f"{file}: expected an object with instances")
    return [one for one in found if isinstance(one, dict) and one.get("query")]


@cache
def _words() -> Sequence[Mapping[str, Any]]:
    words: Sequence[Mapping[str, Any]] = tomllib.loads(Path(__file__).with_name("words.toml").read_text())["vocabulary"]
    return words


def _steps(exercise: Exercise, text: str) -> tuple[Step, ...]:
    return Marker(exercise).read(text).steps


def _of_domain(problem: str, domain: str) -> str:
    """Puts the domain's name into a problem."""
    name = re.search(r"\(domain\s+([^\s)]+)", domain)
    return re.sub(r"\(:domain [^)]*\)", f"(:domain {name[1]})", problem) if name else problem


def _balanced(text: str, start: int) -> str:
    """Returns the expression that begins there."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return text[start : at + 1]
    raise Unread("no end of the problem")
