"""Plan generation as in PlanBench, in the harness inspect-ai (pip install inspect-ai), with cplan as its judge.

    inspect eval lab/examples/inspect_planbench.py --model openai/gpt-4o -T domain=domain.pddl -T problems=FOLDER

Without a domain and problems, the household's are set. ``notation`` is ``pddl`` or ``english``. With ``repairs``, the
model is told what is wrong with its plan (LLM-Modulo) before the plan is scored.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

import commonsense_planning as cplan
from commonsense_lab.plans.text_task import TextTask

ASKED = """Write a plan for the problem: one action a line, and nothing else.

The domain:

{}

The problem:

{}
"""


@cache
def told(domain: str, problem: str, english: bool) -> TextTask:
    """Returns the task, as the model hears of it."""
    read = cplan.read_task(domain, problem)
    return TextTask(read.problem, read.lexicon, english)


@solver
def plan(repairs: int) -> Solver:
    """Asks for a plan, and repeatedly for a better one."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state = await generate(state)
        for _ in range(repairs):
            _, wrong = told(**state.metadata).judge(state.output.completion)
            if not wrong:
                break
            state.messages.append(ChatMessageUser(content=f"This plan is wrong: {wrong}\nWrite the whole plan again."))
            state = await generate(state)
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def valid() -> Scorer:
    """Returns whether the last answer is a valid plan; which step is not, and why."""

    async def score(state: TaskState, target: Target) -> Score:
        written, wrong = told(**state.metadata).judge(state.output.completion)
        read = "\n".join(map(str, written.steps))
        return Score(value=INCORRECT if wrong else CORRECT, answer=read, explanation=wrong or "valid")

    return score


@task
def plan_generation(domain: str = "", problems: str = "", notation: str = "pddl", repairs: int = 0) -> Task:
    """Returns a sample for each problem of a folder."""
    household = cplan.read_task("household:demo").problem.domain_file.parent
    files = sorted(Path(problems or household / "problems").glob("*.pddl"))
    domain = domain or str(household / "domain.pddl")
    samples = []
    for file in files:
        if file.resolve() != Path(domain).resolve():
            about = {"domain": domain, "problem": str(file), "english": notation == "english"}
            samples.append(Sample(ASKED.format(*told(**about).texts()), id=file.stem, metadata=about))
    return Task(MemoryDataset(samples), solver=plan(repairs), scorer=valid())
