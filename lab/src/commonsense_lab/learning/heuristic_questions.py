"""The questions for a heuristic: to write one for a domain, and to repair one that misleads."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from commonsense_lab.learning.guarded_python import BUILTINS, METHODS, MODULES
from commonsense_lab.learning.heuristic_trial import Counterexample
from commonsense_planning.wording.questions import Question

TEMPLATES = Path(__file__).with_name("templates")
MOST_CHARACTERS = 12_000  # of a problem as it is shown

_FENCE = re.compile(r"```[a-zA-Z0-9]*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)


@dataclass(frozen=True)
class WriteHeuristic(Question):
    """Which program computes a heuristic for a domain? (Corrêa, Pereira and Seipp 2025.) The program is the last
    block of code of the answer, or all of it.

    ``domain``: the text of the domain's file; ``problems``: those of training problems, cut if they are long. Templates
    also get both without comments (``bare_domain``, ``bare_problems``), with each problem's goal.
    """

    template = TEMPLATES / "write_heuristic.jinja"
    temperature = 1.0  # for different ones, of which the best is kept
    tokens = 4000
    domain: str = field(repr=False)
    problems: tuple[str, ...] = field(repr=False)

    @property
    def about(self) -> str:
        return "for a heuristic"

    def given(self) -> dict[str, Any]:
        problems = tuple(
            text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\n; … the rest is left out"
            for text in self.problems
        )
        bare = {"bare_domain": _bare(self.domain), "bare_problems": tuple(map(_shown, self.problems))}
        builtins = sorted(name for name in BUILTINS if name.islower() and not name.startswith("_"))
        allowed = {"modules": MODULES, "methods": METHODS, "builtins": builtins, "tokens": self.tokens}
        return {**super().given(), **allowed, **bare, "problems": problems}


@dataclass(frozen=True)
class MendHeuristic(WriteHeuristic):
    """How is a heuristic repaired? (Corrêa, Pereira and Seipp 2026.) An answer is the whole program.

    ``program``; the ``counterexample`` to it, or the ``failure`` that ended it; of ``tried`` training problems it
    solves ``solved``, and hill climbing alone ``climbed``.
    """

    template = TEMPLATES / "mend_heuristic.jinja"
    temperature = 0.7
    program: str = field(kw_only=True, repr=False)
    failure: str = field(kw_only=True, default="")
    counterexample: Counterexample | None = field(kw_only=True, default=None)
    tried: int = field(kw_only=True)
    solved: int = field(kw_only=True)
    climbed: int = field(kw_only=True)

    @property
    def about(self) -> str:
        return "for a better heuristic"


def _bare(text: str) -> str:
    """Returns PDDL without comments, which may explain obfuscated names, and without empty lines."""
    lines = (line.partition(";")[0].rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _shown(problem: str) -> str:
    """Returns a problem without comments; a long one without some initial facts, but with its goal."""
    text = _bare(problem)
    left_out = len(text) - MOST_CHARACTERS
    init, goal = (re.search(rf"\(\s*:{part}\b", text, re.IGNORECASE) for part in ("init", "goal"))
    if left_out <= 0 or init is None or goal is None or goal.start() < init.end():
        return text[:MOST_CHARACTERS]
    facts = text[init.end() : goal.start()]
    kept = facts[: max(0, len(facts) - left_out)].rpartition("(")[0]
    count = facts.count("(") - kept.count("(")
    return f"{text[: init.end()]}{kept}\n… and {count} more facts)\n{text[goal.start() :]}"


def program_in(answer: str) -> str:
    """Returns the program of an answer: its last block of code, or all of it."""
    blocks = _FENCE.findall(answer)
    return (blocks[-1] if blocks else answer).strip() + "\n"
