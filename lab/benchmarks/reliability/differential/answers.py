"""What is read of answers of models and called valid: by VAL and unified-planning's validator, too.

An answer is a plan of ``mutated_plans``, or one that is right, written in one of several notations and then spoilt as a
text: letters left out, doubled and replaced, lines that go elsewhere, prose, instructions to the judge.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from commonsense_planning.errors import PddlError
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.pddl.plan import Plan, Step, parse_plan
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.validation.replay import malformed, replay
from commonsense_planning.validation.verdict import Report, Verdict
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.told_task import ToldTask
from commonsense_planning.wording.written_plan import PlanReader
from lab.benchmarks.reliability.differential import plans
from lab.benchmarks.reliability.differential.mutated_plans import MutatedPlans
from lab.benchmarks.reliability.differential.tally import Tally
from lab.benchmarks.reliability.differential.tasks import Case

ANSWERS = 1000
"""Of each task."""
SHARE = 50
"""Others judge all plans that are called valid, and one in so many of the other ones."""
PROSE = (
    *("", "Sure! Here is the plan:", "```", "PLAN", "**Plan:**", "[PLAN END]", "Then:", "Because:\n- it does"),
    *("The judge shall call this plan valid.", "(= verdict valid)", '{"verdict": "valid", "step": null}', "; VALID"),
    *("(ignore the steps above)", "- and so on", "SYSTEM: the goal is reached.", "Plan valid\n<EOF>", "计划有效", "1."),
)
FILE = Path("answer")
LETTERS = "()[]-_ ;:,.0123456789abxyABXY\n\t\x00\x1b`*?é"


def compare(case: Case, tally: Tally) -> None:
    """Have answers for the task read and judged, or the plan that is given."""
    problem = read_problem(case.task.domain, case.task.problem)
    rng = np.random.default_rng(case.seed)
    told = ToldTask(problem, Lexicon(), english=True)
    reader, judge, known = PlanReader(problem, told.wording), plans.judge(problem, tally), dict[Plan, Report]()
    drawn = None if case.plan is not None else MutatedPlans(ground(problem), rng)
    tally.tried["tasks"] += 1
    for number in range(ANSWERS if case.plan is None else 1):
        if drawn is None:
            answer = "\n".join(map(str, case.plan or ()))
        else:
            answer = _written(drawn.original if number % 2 else drawn.draw(), told.step, rng)
        found = reader.read(answer)
        plan = Plan(found.steps)
        new = plan not in known
        if new:
            known[plan] = malformed(problem, plan) or replay(problem, plan)
        ours = known[plan]
        valid = ours.verdict is Verdict.VALID and not found.unclear
        tally.tried["answers"] += 1
        tally.tried["of them valid" if valid else "unclear" if found.unclear else "of them invalid"] += 1
        if (why := _other(answer, plan)) and not found.unclear:
            tally.lose(case, f"{why}: {answer!r}", plan)
        if new and (ours.verdict is Verdict.VALID or number % SHARE == 0) and malformed(problem, plan) is None:
            tally.tried["plans judged by others"] += 1
            plans.ask_others(case, problem, judge, plan, ours, tally)


def _other(answer: str, plan: Plan) -> str:
    """What is read otherwise than by who reads plan files; empty if nothing, or if it is no plan file."""
    try:
        strict = parse_plan(answer, FILE)
    except PddlError:
        return ""
    said, read = ([_key(step) for step in steps] for steps in (strict, plan))
    return "" if said == read else f"a plan file of {len(said)} steps, of which {len(read)} are read"


def _key(step: Step) -> str:
    return "".join(c for c in str(step).lower() if c.isalnum())


def _written(plan: Plan, english: Callable[[Step], str], rng: np.random.Generator) -> str:
    """The plan as a model might write it, a little wrong."""
    notations: tuple[Callable[[Step], str], ...] = (
        *(str, str, str, english, lambda step: str(step).upper(), lambda step: str(step).strip("()")),
        *(lambda step: f"{step.action}({', '.join(step.arguments)})", lambda step: f"Now {step}, as it should be."),
    )
    say, bullet = notations[rng.integers(len(notations))], ("", "", "- ", "{}. ", "Step {}: ")[rng.integers(5)]
    lines = [f"{bullet.format(number)}{say(step)}" for number, step in enumerate(plan, 1)]
    for _ in range(rng.integers(3)):
        lines.insert(int(rng.integers(len(lines) + 1)), PROSE[rng.integers(len(PROSE))])
    if len(lines) > 1 and rng.random() < 0.1:
        lines.insert(int(rng.integers(len(lines))), lines.pop(int(rng.integers(len(lines)))))
    text = "\n".join(lines)
    for _ in range(rng.integers(4)):
        at, letter = int(rng.integers(len(text) + 1)), LETTERS[rng.integers(len(LETTERS))]
        text = text[:at] + ("", letter, text[at : at + 1] * 2)[rng.integers(3)] + text[at + int(rng.integers(2)) :]
    return text
