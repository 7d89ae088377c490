"""How often ``cplan explain`` finds the change that made a task unsolvable.

    python -m lab.benchmarks.broken_tasks [--seeds 0-99] [--seconds 30] [--data FOLDER]

A seed draws a solvable task of a pack or of the competitions' sample, and breaks it: a fact, an object or an effect is
removed, or a condition is added, until no plan is left. Among the first three suggestions should be the change that
undoes this, or one that does the same: after it the first plan is valid again, or it adds another fact of the predicate
in which one is missing, or another object of the type.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from tarski.syntax.sorts import Interval

from commonsense_planning.errors import BudgetError, CplanError, Status
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.methods.classical import in_the_true_world
from commonsense_planning.methods.explain import Explanation, Suggestion, explain
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import solve
from commonsense_planning.pddl.nodes import Group, Node, Symbol, by_head, groups, render, words
from commonsense_planning.pddl.packs import packs
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.reader import with_text
from commonsense_planning.pddl.repair import RepairKind, repaired
from commonsense_planning.pddl.source import with_mends
from commonsense_planning.pddl.syntax import parse
from commonsense_planning.support.limits import within_seconds
from commonsense_planning.task import Task, read_task
from commonsense_planning.validation.replay import replay
from tests.data import data_root

KINDS = (RepairKind.FACT, RepairKind.OBJECT, RepairKind.EFFECT, RepairKind.CONDITION)
SECONDS, STATES, LARGEST = 5.0, 20_000, 12_000  # of a task that is solved; bytes of a problem
FIRST = 3


@dataclass(frozen=True)
class Broken:
    """A task without a plan: the first one ``was`` solved by the plan. ``kind`` and ``text`` of what was removed, or of
    the condition that was added, with its ``action``; of an object, the type."""

    task: Task
    was: Task
    plan: Plan
    kind: RepairKind
    text: str
    action: str = ""


def sources(data: Path | None) -> dict[str, list[tuple[Path, Path]]]:
    """The files of tasks: domain → domain and problem."""
    found = {name: [(pack.domain, problem) for problem in pack.problems.values()] for name, pack in packs().items()}
    for problem in sorted((data / "ipc").glob("*/*.pddl")) if data else ():
        own = problem.with_name(f"{problem.stem}-domain.pddl")
        domain = own if own.exists() else problem.with_name("domain.pddl")
        if "domain" not in problem.stem and domain.exists() and problem.stat().st_size < LARGEST:
            found.setdefault(problem.parent.name, []).append((domain, problem))
    return {name: sorted(files) for name, files in found.items() if files}


class Breaker:
    """Draws broken tasks; what was solved once is kept."""

    def __init__(self, files: dict[str, list[tuple[Path, Path]]]) -> None:
        self.files = files
        self._solved: dict[Path, tuple[Task, Plan] | None] = {}

    def draw(self, seed: int) -> tuple[str, Broken]:
        """The name of a domain, and a broken task of it."""
        rng, kind = random.Random(seed), KINDS[seed % len(KINDS)]
        while True:
            name = rng.choice(sorted(self.files))
            found = self._solution(*rng.choice(self.files[name]))
            for _ in range(5 if found is not None else 0):
                assert found is not None
                broken = damaged(rng, *found, kind)
                if broken is not None and has_no_plan(broken.task):
                    return name, broken

    def _solution(self, domain: Path, problem: Path) -> tuple[Task, Plan] | None:
        if problem not in self._solved:
            self._solved[problem] = None
            with suppress(CplanError):
                task = read_task(domain, problem)
                found = solve(Request(task, "gbfs", seconds=SECONDS))
                if found.plan:
                    self._solved[problem] = task, found.plan
        return self._solved[problem]


def has_no_plan(task: Task) -> bool:
    """Whether it is proven that a task has no plan."""
    try:
        return in_the_true_world(task, SECONDS, STATES)[0] is Status.UNSOLVABLE
    except CplanError:
        return False


def damaged(rng: random.Random, task: Task, plan: Plan, kind: RepairKind) -> Broken | None:
    """The task with one thing removed, or a condition added; None if it has no such thing, or is no task then."""
    problem, (domain, own) = task.problem, task.problem.texts
    source = parse(own if kind in (RepairKind.FACT, RepairKind.OBJECT) else domain, problem.problem_file)
    sections, action, text = by_head(source.root), "", ""
    if kind is RepairKind.FACT:
        node = rng.choice(
            [n for n in sections[":init"][0].items[1:] if isinstance(n, Group) and n.head not in ("=", "not")]
        )
        text, mends = render(node), [(*source.span(node), "")]
    elif kind is RepairKind.OBJECT:
        wanted = {*words(sections[":goal"][0])}
        names = [n for n in _objects(sections.get(":objects", [Group(())])[0]) if n[0].key not in wanted]
        if not names:
            return None
        symbol, text = rng.choice(names)
        inits = [n for n in sections[":init"][0].items[1:] if symbol.key in words(n)]
        mends = [(*source.span(node), "") for node in (symbol, *inits)]
    else:
        group = rng.choice(sections[":action"])
        action, parts = render(group.items[1]), {a.key: b for a, b in pairwise(group.items) if isinstance(a, Symbol)}
        if kind is RepairKind.EFFECT:
            aside = ("not", "when", "forall", "increase", "assign")
            nodes = [n for n in _conjuncts(parts.get(":effect", Group(()))) if n.head not in aside]
            if not nodes:
                return None
            node = rng.choice(nodes)
            text, mends = render(node), [(*source.span(node), "(and)")]
        else:
            drawn = _literal(rng, task, action)
            before = parts.get(":precondition")
            if drawn is None or before is None or drawn in {render(n).lower() for n in groups(before)}:
                return None
            text, (start, end) = drawn, source.span(before)
            mends = [(start, end, f"(and {own_text(source.text[start:end])} {drawn})")]
    changed = with_mends(source.text, mends)
    texts = (domain, changed) if kind in (RepairKind.FACT, RepairKind.OBJECT) else (changed, own)
    with suppress(CplanError), within_seconds(SECONDS):
        read = with_text(replace(problem, texts=texts), texts[1])
        return Broken(replace(task, problem=read, like=None), task, plan, kind, text, action)
    return None


def own_text(text: str) -> str:
    """The text of a precondition, or of the empty one."""
    return text if text.strip("() \n") else "(and)"


def _objects(section: Group) -> Iterator[tuple[Symbol, str]]:
    """The objects declared, with their types."""
    waiting: list[Symbol] = []
    items = iter(section.items[1:])
    for item in items:
        if item == Symbol("-"):
            kind = render(next(items))
            yield from ((name, kind) for name in waiting)
            waiting = []
        elif isinstance(item, Symbol):
            waiting.append(item)
    yield from ((name, "object") for name in waiting)


def _conjuncts(node: Node) -> Iterator[Group]:
    if isinstance(node, Group) and node.head == "and":
        for part in node.items[1:]:
            yield from _conjuncts(part)
    elif isinstance(node, Group) and node.items:
        yield node


def _literal(rng: random.Random, task: Task, action: str) -> str | None:
    """A random atom about the parameters of an action; None if there is none."""
    lifted, spell = lift(task.problem), task.problem.spell
    schema = next((each for each in lifted.schemas if spell(each.name).lower() == action.lower()), None)
    known = task.problem.normaliser.vocabulary.predicates
    named = {spell(name).lower(): name for name in lifted.predicates if spell(name).lower() in known}
    if schema is None or not named:
        return None
    predicate = task.problem.tarski.language.get_predicate(named[rng.choice(sorted(named))])
    variables = [str(v.symbol) for v in task.problem.tarski.actions[schema.name].parameters]
    types = [sort.name for sort in task.problem.tarski.language.sorts if not isinstance(sort, Interval)]
    terms = []
    for sort in predicate.sort:
        wanted = {*lifted.members[types.index(sort.name)]}
        fitting = [v for v, kind in zip(variables, schema.parameters, strict=True) if wanted & {*lifted.members[kind]}]
        if not fitting:
            return None
        terms.append(rng.choice(fitting))
    return f"({' '.join([spell(str(predicate.symbol)), *terms])})"


def undoes(suggestion: Suggestion, broken: Broken) -> str:
    """How a suggestion undoes the damage: ``undone``; ``same``, if the first plan is valid again; ``alike``, if it adds
    another fact of the predicate, or object of the type; or not at all."""
    repairs = suggestion.repairs
    one = repairs[0]
    if (len(repairs), one.kind, one.action.lower(), one.text.lower()) == (
        1,
        broken.kind,
        broken.action.lower(),
        broken.text.lower(),
    ):
        return "undone"
    problem = broken.task.problem
    for repair in repairs:
        made = repaired(problem, repair)
        assert made is not None
        problem = with_text(replace(problem, texts=made[0]), made[0][1])
    if replay(problem, broken.plan).verdict == "valid":
        return "same"
    if broken.kind is RepairKind.FACT:
        head = broken.text.lower().strip("()").split()[0]
        alike = one.kind is RepairKind.FACT and one.text.lower().strip("()").split()[0] == head
        return "alike" if alike else ""
    alike = one.kind is broken.kind is RepairKind.OBJECT
    return "alike" if alike and one.text.endswith(f"- {broken.text}") else ""


def main() -> None:
    """Prints a line for each seed, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0-99")
    parser.add_argument("--seconds", type=float, default=30.0, help="of an explanation")
    given = parser.parse_args()
    first, _, last = given.seeds.partition("-")
    breaker, counts, domains = Breaker(sources(data_root())), Counter[str](), set()
    for seed in range(int(first), int(last or first) + 1):
        name, broken = breaker.draw(seed)
        domains.add(name)
        started = time.perf_counter()
        try:
            found = explain(broken.task, given.seconds)
        except BudgetError as error:
            found = Explanation(Status.BUDGET, str(error))
        spent = time.perf_counter() - started
        hows = [undoes(suggestion, broken) for suggestion in found.suggestions]
        how = next((one for one in ("undone", "same", "alike") if one in hows[:FIRST]), "")
        counts[how or "missed"] += 1
        counts[f"{broken.kind}: {how or 'missed'}"] += 1
        what = f"{broken.action} {broken.text}".strip()
        print(
            f"{seed} {name} {broken.kind} {what}: {how or 'MISSED'} {hows} {spent:.1f} s, tried {found.tried}",
            flush=True,
        )
        if not how:
            print(f"    {broken.task.problem.problem_file} {found.status} {found.reason[:300]}")
            for suggestion in found.suggestions:
                print("   ", *(text.rpartition("pddl:")[2] for text in suggestion.texts), sep=" | ", flush=True)
    print(f"{len(domains)} domains; {dict(counts)}")


if __name__ == "__main__":
    main()
