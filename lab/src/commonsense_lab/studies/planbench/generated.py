"""Exercises of PlanBench's kinds for any domain: made of a user's problems and of the plans that our planners find.

Each kind but four shows another problem with its answer; reuse and the reformulated goals show the problem itself with
another goal, and generalisation shows two smaller problems. An exercise that cannot be made of a problem is left out:
no plan is found, no plan is proven to be a cheapest one, the goal has one part only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from commonsense_lab.plans.rewritten import rewritten
from commonsense_lab.plans.text_task import TextTask
from commonsense_lab.studies.planbench.exercises import Case, Exercise, GeneratedPrompt, Kind, Marker, Phrasing, plan_of
from commonsense_planning.errors import InputError
from commonsense_planning.pddl.conditions import conjuncts
from commonsense_planning.pddl.evaluation import GroundAtom
from commonsense_planning.pddl.nodes import Group, layout, render
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.reader import with_text
from commonsense_planning.pddl.syntax import parse
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import make_state
from commonsense_planning.task import Task, read_task
from commonsense_planning.validation.replay import replay, run
from commonsense_planning.validation.verdict import Verdict

DRAWN = (Kind.VERIFICATION, Kind.REUSE, Kind.REPLANNING, Kind.EXECUTION)  # one problem gives many
OF_ITSELF = (Kind.REUSE, Kind.SHUFFLED, Kind.PARTIAL, Kind.FULL)  # the problem itself is shown
TRIES = 20  # to change a plan, or a state, so that it is what is wanted
_PLANBENCH = 36  # tells our draws from those of other experiments


@dataclass(frozen=True)
class Solved:
    """A problem with a plan of gbfs."""

    name: str
    task: Task
    told: TextTask
    plan: Plan

    def state(self, steps: Sequence[Step]) -> frozenset[GroundAtom]:
        """Returns the state after the steps."""
        return run(self.task.problem, Plan(tuple(steps))).state

    def goal_at(self, state: Collection[GroundAtom]) -> str:
        """Makes a goal of the facts of a state that may change."""
        told = TextTask(self.task.problem, self.task.lexicon, english=False)
        return f"(and {' '.join(told.atoms(state, fluent=True))})"


@dataclass(frozen=True)
class Draft:
    """An exercise before it has a text, see ``Exercise`` and ``Case``."""

    problem: str
    steps: tuple[Step, ...] = ()
    given: tuple[Step, ...] = ()
    event: tuple[tuple[str, ...], tuple[str, ...]] | None = None


def generated(
    domain: Path, problems: Sequence[Path], kinds: Collection[Kind], count: int, seed: int, english: bool
) -> list[Exercise]:
    """Makes ``count`` exercises of each kind, of the problems by turns, or as many as there can be. Raises InputError
    for files that cannot be read, and if no problem has a plan."""
    solved = [found for file in problems if (found := _solved(domain, file, english)) is not None]
    if not solved:
        raise InputError(f"{domain}: of none of its {len(problems)} problems a plan was found")
    exercises = []
    for kind in (kind for kind in Kind if kind in kinds):
        most = count if kind in DRAWN else min(count, len(solved))
        made = (_made(kind, solved, index, seed, english) for index in range(most))
        exercises += [exercise for exercise in made if exercise is not None]
    return exercises


def _solved(domain: Path, file: Path, english: bool) -> Solved | None:
    task = read_task(domain, file)
    if task.contingent.atoms or task.problem.outcomes:
        raise InputError(f"{file}: what is true, or what actions do, is not known, and no plan is right or wrong then")
    plan = plan_of(task)
    told = TextTask(task.problem, task.lexicon, english)
    return Solved(file.stem, task, told, plan) if plan is not None and len(plan) else None


def _made(kind: Kind, solved: Sequence[Solved], index: int, seed: int, english: bool) -> Exercise | None:
    rng = np.random.default_rng([_PLANBENCH, seed, list(Kind).index(kind), index])
    ordered = sorted(solved, key=lambda one: len(one.plan)) if kind is Kind.GENERALISATION else solved
    others, asked = _shown(kind, ordered, index)
    draft = _DRAFTS[kind](asked, index, rng) if asked is not None else None
    if asked is None or draft is None:
        return None
    file = asked.task.problem.domain_file
    name = f"{asked.task.problem.domain_name}/{asked.name}-{index:04d}"
    exercise = Exercise(kind, name, file, draft.problem, Phrasing(asked.task.lexicon, english), draft.steps)
    try:
        Marker(exercise).exact()
        shown = [(kind, one, found) for one in others if (found := _DRAFTS[kind](one, index, rng)) is not None]
        if kind in OF_ITSELF:
            shown = [(Kind.GENERATION, asked, _full(asked) if kind is Kind.PARTIAL else _same(asked))]
        cases = [_case(exercise, *one, answered=True) for one in shown]
    except InputError:
        return None  # nothing is proven, or there is no plan
    question = GeneratedPrompt(
        kind, english, asked.told.texts()[0], tuple(cases), _case(exercise, kind, asked, draft, answered=False)
    )
    return replace(exercise, question=question)


def _shown(kind: Kind, solved: Sequence[Solved], index: int) -> tuple[Sequence[Solved], Solved | None]:
    """Returns the other problems, which are shown, and the one that is asked."""
    if kind is Kind.GENERALISATION:
        return solved[:2], solved[2 + index] if 2 + index < len(solved) else None
    place = index % len(solved)
    alone = kind in OF_ITSELF or len(solved) == 1
    return () if alone else (solved[place - 1],), solved[place]


def _case(exercise: Exercise, kind: Kind, of: Solved, draft: Draft, answered: bool) -> Case:
    one = replace(exercise, kind=kind, problem=draft.problem, steps=draft.steps)
    marker = Marker(one)
    english = exercise.phrasing.english
    text = marker.told.texts()[1] if english else layout(parse(draft.problem, of.name).root)
    if kind is Kind.REPLANNING:  # it is told from the beginning
        text = of.told.texts()[1]
    given = tuple(map(of.told.step, draft.steps or draft.given))
    return Case(text, given, draft.event, tuple(marker.exact().splitlines()) if answered else ())


def _same(of: Solved) -> Draft:
    return Draft(rewritten(of.task.problem))


def _full(of: Solved) -> Draft:
    return Draft(rewritten(of.task.problem, goal=of.goal_at(of.state(of.plan.steps))))


def _verification(of: Solved, index: int, rng: np.random.Generator) -> Draft | None:
    """Takes by turns a plan, one that ends too early, and one that lacks a step and cannot be carried out."""
    steps, problem = of.plan.steps, rewritten(of.task.problem)
    if index % 3 == 0:
        return Draft(problem, steps)
    for _ in range(TRIES):
        place = int(rng.integers(len(steps)))
        tried = steps[:place] if index % 3 == 1 else (*steps[:place], *steps[place + 1 :])
        report = replay(of.task.problem, Plan(tried))
        if tried and report.verdict is Verdict.INVALID and (report.step is None) is (index % 3 == 1):
            return Draft(problem, tried)
    return None


def _reuse(of: Solved, index: int, rng: np.random.Generator) -> Draft | None:
    if len(of.plan) < 2:
        return None
    begun = of.plan.steps[: int(rng.integers(1, len(of.plan)))]
    return Draft(rewritten(of.task.problem, goal=of.goal_at(of.state(begun))))


def _replanning(of: Solved, index: int, rng: np.random.Generator) -> Draft | None:
    """Takes a part of the plan, then the effect of an action other than the next; the goal remains reachable."""
    ground, compiled = of.task.all_seen
    model, number = TransitionModel(compiled), {ground.step(o): o for o in range(ground.operator_count)}
    for _ in range(TRIES):
        begun = of.plan.steps[: int(rng.integers(1, len(of.plan) + 1))]
        here = model.trajectory(make_state(compiled, ground.init), [number[step] for step in begun])[-1]
        other = ground.step(int(rng.choice(model.applicable(here))))
        before, after = of.state(begun), of.state((*begun, other))
        if after == before or other == next(iter(of.plan.steps[len(begun) :]), None):
            continue
        problem = rewritten(of.task.problem, after)
        event = of.told.atoms(after - before), of.told.atoms(before - after)
        read = with_text(of.task.problem, problem)
        if plan_of(replace(of.task, problem=read, like=None)):
            return Draft(problem, given=begun, event=event)
    return None


def _shuffled(of: Solved, index: int, rng: np.random.Generator) -> Draft | None:
    root = parse(of.task.problem.texts[1]).root
    goals = (item.items[1] for item in root.items if isinstance(item, Group) and item.head == ":goal")
    parts = [render(part) for goal in goals for part in conjuncts(goal)]
    if len(parts) < 2:
        return None
    order = [*range(len(parts))]
    while order == sorted(order):
        order = rng.permutation(len(parts)).tolist()
    return Draft(rewritten(of.task.problem, goal=f"(and {' '.join(parts[i] for i in order)})"))


_DRAFTS: dict[Kind, Callable[[Solved, int, np.random.Generator], Draft | None]] = {
    **dict.fromkeys(Kind, lambda of, index, rng: _same(of)),
    Kind.VERIFICATION: _verification,
    Kind.REUSE: _reuse,
    Kind.REPLANNING: _replanning,
    Kind.EXECUTION: lambda of, index, rng: Draft(
        rewritten(of.task.problem), of.plan.steps[: int(rng.integers(1, len(of.plan) + 1))]
    ),
    Kind.SHUFFLED: _shuffled,
    Kind.FULL: lambda of, index, rng: _full(of),
}
