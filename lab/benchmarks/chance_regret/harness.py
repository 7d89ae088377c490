"""Agents in the problems: every step is weighed by how much worse it is than the best.

With V the least expected steps and Q those after an action, the expected steps of any policy from the start are
V(start) plus the expected sum of Q(s, a) - V(s) over its steps (the performance difference lemma, Kakade and Langford
2002, Lemma 6.1). What an episode adds up to is so free of the luck of its outcomes and readings.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.observer import Observer
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.task import Task, read_task
from lab.benchmarks.chance_regret.gathering import gathering
from lab.benchmarks.chance_regret.model import REFUSED, BeliefMdp, Problem, State, TooLarge
from lab.benchmarks.chance_regret.searching import searching

LIMIT = 300
KINDS = {"MDP": gathering, "POMDP": searching}


@dataclass
class Walk:
    """An episode: ``regret`` in steps beyond the best, ``steps`` that were tried, whether it ended at the goal, and
    seconds of processor time, those of deciding alone."""

    regret: float = 0.0
    steps: int = 0
    solved: bool = False
    seconds: float = 0.0


@dataclass
class Case:
    """Problem ``number`` of a kind. Numbers whose problem is too large to be solved exactly are passed over."""

    kind: str
    number: int
    problem: Problem = field(init=False)
    mdp: BeliefMdp = field(init=False)

    def __post_init__(self) -> None:
        self.problem = KINDS[self.kind](np.random.default_rng([34, self.number]))
        self.mdp = BeliefMdp(self.problem)

    @cached_property
    def size(self) -> int:
        """Visible states times truths: the states of the POMDP, or of the MDP."""
        return len({visible for visible, _ in self.mdp.numbers}) * self.problem.truths


def cases(kind: str, count: int) -> list[Case]:
    """The first so many problems that can be solved exactly and do not begin at their goal."""
    found: list[Case] = []
    number = 0
    while len(found) < count:
        try:
            case = Case(kind, number)
            if case.mdp.least > 0:
                found.append(case)
        except TooLarge:
            pass
        number += 1
    return found


def tasks(case: Case, folder: Path) -> list[Task]:
    """The problem as cplan reads it, one task for each truth."""
    found = []
    for truth in range(case.problem.truths):
        texts = case.problem.files(truth)
        files = [folder / f"{case.kind}-{case.number}-{truth}-{name}" for name in ("domain", "problem", "sensors")]
        for file, text in zip(files, texts, strict=True):
            if text is not None:
                file.write_text(text, encoding="utf-8")
        found.append(read_task(files[0], files[1], files[2] if texts[2] is not None else None))
    return found


class Watching(Observer):
    """Puts itself between the agent and the episode, and follows the belief by its own reckoning."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.walk = Walk()
        self.state: State | None = None

    def begin(self, event: dict[str, Any]) -> None:
        """Take the first look from the trace's first event."""
        if event["event"] == "start":
            shown = self.case.problem.shown(self.case.problem.start)
            self.state = self.case.mdp.begin([self._about(place) in event["seen"] for place in shown])

    def watch(self, agent: Any, say: Any, belief: Any, relevance: Any) -> Any:
        self.agent, self.task = agent, say.task
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.agent, name)

    def decide(self, report: Any = None) -> Any:
        began = time.process_time()
        decision = self.agent.decide(report)
        self.walk.seconds += time.process_time() - began
        return decision

    def observe(self, operator: int, observation: Observation) -> None:
        self.agent.observe(operator, observation)
        action, tag = untagged(str(self.task.step(operator)))
        if observation.outcome is not None:
            _, tag = untagged(str(self.task.step(observation.outcome)))
        tag = tag if observation.applied else REFUSED
        self.walk.steps += 1
        assert self.state is not None
        self.walk.regret += self.case.mdp.regret(self.state, action)
        read = {str(self.task.fact_step(fact)): value for fact, value in observation.readings}
        visible = self._visible(action, tag)
        readings = [read[self._about(place)] for place in self.case.problem.shown(visible)]
        self.state = self.case.mdp.follow(self.state, action, (visible, tag, tuple(readings)))

    def _visible(self, action: str, tag: str) -> Any:
        """The visible state after an outcome: whatever the truth, it is the same."""
        assert self.state is not None
        visible, belief = self.state
        for truth in np.flatnonzero(belief).tolist():
            for outcome in self.case.problem.outcomes(visible, truth, action):
                if outcome.tag == tag:
                    return outcome.visible
        raise AssertionError(f"{action} has no outcome {tag}")

    def _about(self, place: int) -> str:
        return f"(in ring {self.case.problem.name(place)})"  # type: ignore[attr-defined]


def untagged(step: str) -> tuple[str, str]:
    """An operator's action, and the number of its outcome."""
    name, blank, rest = step.strip("()").partition(" ")
    action, _, number = name.partition("--")
    return f"({action}{blank}{rest})", number or "1"


def by_method(case: Case, given: list[Task], name: str, options: dict[str, Any], episode: int) -> Walk:
    """An episode of a registered method; the truths take turns."""
    method = method_named(name)
    watching = Watching(case)
    truths = case.problem.truths
    prior = [np.full(truths, 1.0 / truths)] if case.kind == "POMDP" else None
    chosen = method.Options.of({"max_steps": LIMIT, **options})
    request = Request(
        given[episode % truths], method, chosen, seed=episode, prior=prior, observer=watching, emit=watching.begin
    )
    watching.walk.solved = solve(request).status is Status.SOLVED
    return watching.walk
