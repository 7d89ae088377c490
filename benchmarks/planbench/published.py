"""What PlanBench's published prompts ask: the task, read from the prompt itself, and not from the file that it was
once made of. Where the two differ, the prompt is what the model saw."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import commonsense_planning as cplan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.validation.replay import run
from commonsense_planning.wording.verbalise import Lexicon
from commonsense_planning.wording.written_plan import PlanReader, telling

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text())["vocabulary"]
Fact = tuple[str, ...]

_PDDL = re.compile(r"\(define\s*\(problem")
_STATEMENT = re.compile(r"As initial conditions I have that,?(.*?)\n(.*)", re.DOTALL)
_GOAL = re.compile(r"My goal is to have that(.*?)(?:\.|\n|$)", re.DOTALL)
_PLAN = re.compile(r"\[PLAN\](.*?)\[PLAN[ _]END\]", re.DOTALL)
_CHANGED = re.compile(r"at step (\d+) in the plan, .*?became true:(.*?)\n.*?unexpectedly false:(.*?)\n", re.DOTALL)


class Unread(Exception):
    """A prompt that says what is not understood."""


class Vocabulary:
    """One domain as PlanBench puts it into English; ``folder``: a checkout of its repository, ``scratch``: one for the
    problems that are written."""

    def __init__(self, domain: str, folder: Path, scratch: Path) -> None:
        entry: Mapping[str, Any] = next((e for e in WORDS if domain in e["domains"]), {})
        self.scratch = scratch
        self.domain = folder / entry["file"] if entry else None
        self.named = [(re.compile(said, re.IGNORECASE), name) for said, name in entry.get("named", {}).items()]
        self.noun = re.compile(rf"[ \t]*\b{entry['noun']}s?\b(?![-_]\w)", re.IGNORECASE) if "noun" in entry else None
        self.lexicon = Lexicon(actions=entry.get("actions", {}), facts=entry.get("facts", {}))
        self.implied: Mapping[str, str] = entry.get("implied", {})
        self.letters: Mapping[str, str] = entry.get("letters", {})
        self._problems: dict[tuple[str, str], Problem] = {}
        self._readers: dict[int, PlanReader] = {}

    def asked(self, prompt: str | Sequence[Mapping[str, str]]) -> Problem:
        """What the last task of a prompt is. Raises Unread."""
        prompt = prompt if isinstance(prompt, str) else "\n".join(message["content"] for message in prompt)
        if written := [*_PDDL.finditer(prompt)]:
            return self._pddl(prompt, written[-1].start())
        statement = _STATEMENT.search(self.plainly(prompt[prompt.rfind("[STATEMENT]") :]))
        goal = statement and _GOAL.search(statement[2])
        if statement is None or goal is None or self.domain is None:
            raise Unread("no statement")
        known, wanted = self.facts(statement[1]), self.facts(goal[1])
        if not known or not wanted:
            raise Unread("no facts")
        problem = self._problem(known, wanted)
        plan, changed = _PLAN.search(statement[2]), _CHANGED.search(statement[2])
        if plan and changed:
            steps = self.read(problem, plan[1]).steps
            state = run(problem, cplan.Plan(steps[: int(changed[1])])).state
            spelled = {tuple(map(problem.spell, atom)) for atom in state}
            after = (spelled | set(self.facts(changed[2]))) - set(self.facts(changed[3]))
            return self._problem(sorted(after), wanted)
        return problem

    def plainly(self, text: str) -> str:
        """A text without the noun, and with an action's own name where its sentence is that of two."""
        for said, name in self.named:
            text = said.sub(name, text)
        return self.noun.sub("", text) if self.noun else text

    def read(self, problem: Problem, answer: str) -> cplan.WrittenPlan:
        """The plan in an answer."""
        if id(problem) not in self._readers:
            self._readers[id(problem)] = PlanReader(problem, telling(problem, self.lexicon))
        return self._readers[id(problem)].read(self.plainly(answer))

    def spelled(self, plan: str) -> str:
        """A plan in PDDL with the instance's names for objects, in the names that the prompt has for them."""
        for letter, name in self.letters.items():
            plan = re.sub(rf"(?<=\s){letter}(?=[\s)])", name, plan)
        for name in self.implied:
            plan = re.sub(rf"(?<=\s){name[0]}(\d+)-(\d+)(?=[\s)])", rf"{name}_\1_\2", plan)
            plan = re.sub(rf"(?<=\s){name[0]}(\d+)(?=[\s)])", rf"{name}_\1", plan)
        return re.sub(r"(?<=\s)o(\d+)(?=[\s)])", r"object_\1", plan)

    def facts(self, text: str) -> list[Fact]:
        """What a text says, without the noun, each fact once."""
        found: dict[Fact, None] = {}
        for match in self._fact.finditer(re.sub(r"\s+", " ", text)):
            name = next(name for name in match.groupdict() if match[name] and "__" not in name)
            number = sum(1 for key in match.groupdict() if key.startswith(f"{name}__"))
            found[(self._predicate[name], *(match[f"{name}__{i}"].lower() for i in range(number)))] = None
        return list(found)

    @property
    def _predicate(self) -> Mapping[str, str]:
        return _patterns(self.domain, tuple(self.lexicon.facts.items()))[0]

    @property
    def _fact(self) -> re.Pattern[str]:
        return _patterns(self.domain, tuple(self.lexicon.facts.items()))[1]

    def _pddl(self, prompt: str, at: int) -> Problem:
        domain = [*re.finditer(r"\(define\s*\(domain", prompt[:at])]
        return self._made(_balanced(prompt, domain[-1].start()) if domain else "", _balanced(prompt, at))

    def _problem(self, known: Sequence[Fact], wanted: Sequence[Fact]) -> Problem:
        names = sorted({name for fact in (*known, *wanted) for name in fact[1:]})
        kinds = [(self.implied[word], n) for n in names for word in [n.split("_")[0]] if word in self.implied]
        facts = dict.fromkeys((*known, *kinds))
        said, goal = (" ".join(f"({' '.join(fact)})" for fact in some) for some in (facts, wanted))
        text = f"(define (problem asked) (:domain d) (:objects {' '.join(names)}) (:init {said}) (:goal (and {goal})))"
        return self._made("", text)

    def _made(self, domain: str, problem: str) -> Problem:
        if (domain, problem) not in self._problems:
            files = [self.scratch / f"{kind}{len(self._problems)}.pddl" for kind in ("domain", "problem")]
            own = self.domain
            if domain:
                files[0].write_text(domain)
                own = files[0]
            if own is None:
                raise Unread("no domain")
            name = re.search(r"\(domain ([^\s)]+)", own.read_text())
            assert name is not None
            files[1].write_text(re.sub(r"\(:domain [^)]*\)", f"(:domain {name[1]})", problem))
            self._problems[domain, problem] = read_problem(own, files[1])
        return self._problems[domain, problem]


@cache
def _patterns(domain: Path | None, facts: tuple[tuple[str, str], ...]) -> tuple[dict[str, str], re.Pattern[str]]:
    """Name of a group -> predicate; how facts are said: in the words of the lexicon, else name and objects."""
    assert domain is not None
    declared = re.search(r"\(:predicates(.*?)\)\s*(?=\(:|;)", domain.read_text(), re.DOTALL)
    assert declared is not None
    said = dict(facts)
    names, patterns = {}, []
    for i, (name, rest) in enumerate(re.findall(r"\(\s*([\w-]+)([^)]*)\)", declared[1] + ")")):
        parameters = re.findall(r"\?([\w-]+)", rest)
        text = said.get(name.lower()) or " ".join([name, *(f"{{{p}}}" for p in parameters)])
        pattern = re.escape(text).replace("\\ ", r"\s+").replace(r"the\s+", r"(?:the\s+)?")
        for number, parameter in enumerate(parameters):
            pattern = pattern.replace(re.escape(f"{{{parameter}}}"), rf"(?P<f{i}__{number}>\w+)")
        names[f"f{i}"] = name.lower()
        patterns.append(rf"(?P<f{i}>\b{pattern}\b)")
    ordered = sorted(patterns, key=len, reverse=True)  # "is in the city" before "is in"
    return names, re.compile("|".join(ordered), re.IGNORECASE)


def _balanced(text: str, start: int) -> str:
    """The expression that begins there."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return text[start : at + 1]
    raise Unread("no end of the problem")


def instances(file: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Those of a file of results that have an answer."""
    for one in file.get("instances", ()):
        if str(one.get("llm_raw_response") or "").strip() and one.get("query"):
            yield one
