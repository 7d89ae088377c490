"""A whole task for the prompt of a model that writes a plan for it: in PDDL, or in the lexicon's English."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from commonsense_lab.plans.written_plan import PlanReader, WrittenPlan, telling
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.pddl.evaluation import GroundAtom
from commonsense_planning.pddl.nodes import layout
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.syntax import parse
from commonsense_planning.validation.replay import initial_state, replay
from commonsense_planning.validation.verdict import Report, Verdict
from commonsense_planning.wording.action_language import ActionRules
from commonsense_planning.wording.lexicon import Lexicon

_ATOM = re.compile(r"\(([^()]*)\)")


class TextTask:
    """Describes a problem, and the findings about plans for it, so that both can be compared word for word."""

    def __init__(self, problem: Problem, lexicon: Lexicon, english: bool) -> None:
        self.problem = problem
        self.english = english
        self.wording = telling(problem, lexicon)
        self._schemas = {problem.spell(name).lower(): name for name in problem.tarski.actions}

    def texts(self) -> tuple[str, str]:
        """The domain and the problem: PDDL without comments, or English."""
        problem = self.problem
        if not self.english:
            domain, text = (layout(parse(text).root) for text in problem.texts)
            return domain, text
        lifted, scene = lift(problem), self.wording.scene()
        rules = ActionRules(
            lifted, self.wording, lambda name, words: self.wording.imperative(name, [f"<{w}>" for w in words])
        )
        things = [f"{kind}: {', '.join(names)}" for kind, names in scene.objects.items() if names]
        told = ("Things:", *things, "", "At first:", *self.atoms(initial_state(problem)))
        goal = ("", "The goal:", rules.goal())
        return "\n".join(rules.text(name) for name in problem.tarski.actions), "\n".join((*told, *goal))

    def step(self, step: Step) -> str:
        """A step, as it should be written."""
        return self._in_words((step.action, *step.arguments)) if self.english else str(step)

    def atoms(self, state: Iterable[GroundAtom], fluent: bool = False) -> tuple[str, ...]:
        """The true facts of a state, or those of them that may change."""
        lifted = lift(self.problem)
        changing = {lifted.predicates[number] for number in lifted.fluent}
        said = (atom for atom in sorted(state) if not fluent or atom[0] in changing)
        return tuple(self.fact([*map(self.problem.spell, atom)]) for atom in said)

    def fact(self, fact: Sequence[str], holds: bool = True) -> str:
        """A fact, in the user's spelling, as it should be written."""
        if self.english:
            return self.wording.sentence(fact[0], fact[1:], holds)
        return f"({' '.join(fact)})" if holds else f"(not ({' '.join(fact)}))"

    def finding(self, report: Report) -> str:
        """The finding about a plan, see ``Report.finding``."""
        text = report.finding
        return _ATOM.sub(lambda match: self._in_words(match[1].split()), text) if self.english else text

    def judge(self, answer: str) -> tuple[WrittenPlan, str]:
        """What is read of a model's answer, and what our replay finds wrong with that plan, in a line; empty if
        nothing."""
        written = PlanReader(self.problem, self.wording).read(answer)
        report = replay(self.problem, Plan(written.steps))
        if report.step is None and written.unclear:
            return written, written.unclear
        return written, "" if report.verdict is Verdict.VALID else self.finding(report)

    def _in_words(self, words: Sequence[str]) -> str:
        """An atom or a step, in English."""
        name, *rest = words or ("",)
        schema = self._schemas.get(name.lower())
        fits = schema is not None and len(rest) == len(self.problem.tarski.actions[schema].parameters)
        return self.wording.imperative(schema, rest) if schema and fits else self.wording.sentence(name, rest)
