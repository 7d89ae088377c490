"""VAL and our replay on mutated plans of tasks with random trajectory constraints: do they agree?

    python -m benchmarks.constraints [PLANS] [SEED]

Tasks of real domains (IPC, household, flights) get one to three random constraints about facts that change on the way
to the goal, some ground and some under ``forall``, such that most of them hold on a plan of the task without them. The
plan is mutated: steps dropped, doubled, swapped, cut off, put in, and detours that lead back. Both judge each plan; the
table counts verdicts and disagreements, and every disagreement is written out.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import commonsense_planning as cplan
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.heuristics.successor_generator import SuccessorGenerator
from commonsense_planning.kernels.compiled import State, compile_task, make_state
from commonsense_planning.pddl.packs import packs_folder
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.trajectories import OPERATORS
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Report, Verdict
from tests.data import data_root

PACKS = packs_folder()
IPC = data_root() / "ipc"
TASKS = {
    "blocks": (IPC / "blocks/domain.pddl", IPC / "blocks/probBLOCKS-10-0.pddl"),
    "driverlog": (IPC / "driverlog/domain.pddl", IPC / "driverlog/pfile1.pddl"),
    "gripper": (IPC / "gripper/domain.pddl", IPC / "gripper/prob01.pddl"),
    "logistics": (IPC / "logistics00/domain.pddl", IPC / "logistics00/problogistics-4-0.pddl"),
    "miconic-fulladl": (IPC / "miconic-fulladl/domain.pddl", IPC / "miconic-fulladl/f1-0.pddl"),
    "rovers": (IPC / "rovers/domain.pddl", IPC / "rovers/p02.pddl"),
    "satellite": (IPC / "satellite/domain.pddl", IPC / "satellite/p01-pfile1.pddl"),
    "storage": (IPC / "storage/domain.pddl", IPC / "storage/p01.pddl"),
    "trucks": (IPC / "trucks/domain.pddl", IPC / "trucks/p01.pddl"),
    "household": (PACKS / "household/domain.pddl", PACKS / "household/problems/small-apple.pddl"),
    "flights": (PACKS / "flights/domain.pddl", PACKS / "flights/problems/short-oslo-athens.pddl"),
}
PLANS_A_TASK = 10


class Source:
    """A task without constraints: a plan of it, and what it takes to make constraints and other plans."""

    def __init__(self, domain: Path, problem: Path) -> None:
        self.domain, self.problem_file = domain, problem
        self.problem = cplan.read_problem(domain, problem)
        self.task = ground(self.problem)
        self.compiled = compile_task(self.task)
        self.generator = SuccessorGenerator(self.compiled)
        self.start = make_state(self.compiled, self.task.init)
        found = cplan.BestFirst(self.compiled).gbfs(self.start)
        assert found.operators is not None, domain
        self.operators = list(found.operators)
        truths = np.array([self.true(state) for state in self.passed(self.operators)])
        self.changing = np.flatnonzero(truths.any(axis=0) & ~truths.all(axis=0)).tolist()
        self.types = {
            str(predicate.symbol): [self.problem.spell(sort.name) for sort in predicate.sort]
            for predicate in self.problem.tarski.language.predicates
            if isinstance(predicate.symbol, str)
        }

    def true(self, state: State) -> np.ndarray:
        """The truth of each fact in a state, bool (facts,)."""
        return np.unpackbits(state.view(np.uint8), bitorder="little")[: self.task.fact_count].astype(bool)

    def passed(self, operators: list[int]) -> Iterator[State]:
        """The states along operators, as far as these can be carried out."""
        state = self.start
        yield state
        for operator in operators:
            if operator not in self.generator.applicable(state):
                return
            state = self.generator.successor(state, operator)
            yield state

    # constraints

    def atom(self, rng: np.random.Generator, lifted: bool) -> str:
        """A fact that changes, in PDDL; where ``lifted``, about ``?x``, with the type of that in front."""
        name, arguments = self.task.facts[self.changing[rng.integers(len(self.changing))]]
        words = [self.problem.spell(self.task.objects[a]) for a in arguments]
        kind = ""
        if lifted and words:
            at = int(rng.integers(len(words)))
            kind, words[at] = self.types[name][at], "?x"
        return f"{kind}|({' '.join([self.problem.spell(name), *words])})"

    def condition(self, rng: np.random.Generator, lifted: bool) -> tuple[str, str]:
        """The type of ``?x``, empty if it is not in it, and a condition."""
        kind, said = self.atom(rng, lifted).split("|")
        draw = rng.random()
        if draw < 0.25:
            said = f"(not {said})"
        elif draw < 0.5:
            said = f"({rng.choice(['and', 'or', 'imply'])} {said} {self.atom(rng, False).split('|')[1]})"
        elif draw < 0.6 and kind:
            said, kind = f"(exists (?x - {kind}) {said})", ""
        return kind, said

    def constraint(self, rng: np.random.Generator) -> str:
        """A random constraint."""
        operator = list(OPERATORS.values())[rng.integers(len(OPERATORS))]
        kind, first = self.condition(rng, lifted=rng.random() < 0.5)
        others = [self.condition(rng, lifted=False)[1] for _ in range(operator.operands - 1)]
        said = f"({operator} {' '.join([first, *others])})"
        return f"(forall (?x - {kind}) {said})" if kind else said

    def constrained(self, rng: np.random.Generator, folder: Path) -> Problem:
        """The task with constraints, most of which hold on its plan."""
        plan, kept = self.task.plan(self.operators), list[str]()
        wanted = int(rng.integers(1, 4))
        while len(kept) < wanted:
            said = self.constraint(rng)
            try:
                valid = replay(self.written(folder, [said]), plan).verdict is Verdict.VALID
            except cplan.PddlError:  # a type that is too wide: the predicate wants one of several
                continue
            if valid or rng.random() < 0.2:
                kept.append(said)
        return self.written(folder, kept)

    def written(self, folder: Path, constraints: list[str]) -> Problem:
        """The task with these constraints, read from files."""
        text = self.problem_file.read_text(encoding="utf-8").rstrip()
        assert text.endswith(")")
        file = folder / "problem.pddl"
        file.write_text(f"{text[:-1]}\n(:constraints (and {' '.join(constraints)})))\n", encoding="utf-8")
        return cplan.read_problem(self.domain, file)

    # plans

    def mutated(self, rng: np.random.Generator) -> Plan:
        """The plan after one to four changes, some of which leave it a plan."""
        operators = list(self.operators)
        for _ in range(int(rng.integers(1, 5))):
            changes = {"drop": 0.1, "double": 0.05, "swap": 0.1, "cut": 0.03, "put in": 0.02, "detour": 0.7}
            change = rng.choice([*changes], p=[*changes.values()])
            at = int(rng.integers(len(operators))) if operators else 0
            if change == "drop":
                del operators[at : at + 1]
            elif change == "double":
                operators[at:at] = operators[at : at + 1]
            elif change == "swap":
                operators[at : at + 2] = operators[at : at + 2][::-1]
            elif change == "cut":
                del operators[at:]
            elif change == "put in":
                operators.insert(at, int(rng.integers(self.task.operator_count)))
            elif change == "detour":
                operators[at:at] = self.detour(rng, operators[:at])
        return self.task.plan(operators)

    def detour(self, rng: np.random.Generator, before: list[int]) -> list[int]:
        """Two operators that lead back to where they began, if some are found."""
        here = list(self.passed(before))[-1]
        ways = self.generator.applicable(here)
        for there in rng.permutation(ways)[:20].tolist():
            after = self.generator.successor(here, there)
            for back in self.generator.applicable(after):
                if np.array_equal(self.generator.successor(after, back), here):
                    return [there, int(back)]
        return []


def differ(ours: Report, val: Report) -> str:
    """What two reports differ in; empty if nothing."""
    if ours.verdict is not val.verdict:
        return f"{ours.verdict} here, {val.verdict} by VAL"
    if ours.verdict is Verdict.INVALID and val.step is not None and ours.step != val.step:
        return f"step {ours.step} here, step {val.step} by VAL"
    return ""


def main() -> None:
    """Print the table."""
    plans, seed = int(sys.argv[1] if len(sys.argv) > 1 else 10_000), int(sys.argv[2] if len(sys.argv) > 2 else 1)
    rng = np.random.default_rng(seed)
    absent = [name for name, files in TASKS.items() if not all(file.exists() for file in files)]
    if absent:
        print(f"left out, as their files are not below {IPC}: {', '.join(absent)}", file=sys.stderr)
    sources = {name: Source(*files) for name, files in TASKS.items() if name not in absent}
    counts: dict[str, Counter[str]] = {name: Counter() for name in sources}
    used: Counter[str] = Counter()
    done = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while done < plans:
            for where, source in sources.items():
                problem = source.constrained(rng, folder)
                for _ in range(min(PLANS_A_TASK, plans - done)):
                    plan = source.mutated(rng)
                    ours, val = replay(problem, plan), validate_with_val(problem, plan)
                    done += 1
                    counts[where]["plans"] += 1
                    counts[where][str(ours.verdict)] += 1
                    violated = "is violated" in ours.reason
                    counts[where]["violated"] += violated
                    if violated:
                        used[ours.reason.split("(")[1].split()[0]] += 1
                    difference = differ(ours, val)
                    if difference:
                        counts[where]["differ"] += 1
                        said = problem.problem_file.read_text(encoding="utf-8").split("(:constraints")[-1]
                        print(f"\n{where}: {difference}\n  {ours}\n  {val}\n  {said.strip()}\n  {plan}")
    print("| domain | plans | valid | invalid | of these by a constraint | disagreements |\n|---|---|---|---|---|---|")
    total: Counter[str] = sum(counts.values(), Counter())
    for where, count in {**counts, "all": total}.items():
        row = (count[what] for what in ("plans", "valid", "invalid", "violated", "differ"))
        print(f"| {where} | {' | '.join(map(str, row))} |")
    print(", ".join(f"{word} {times}" for word, times in used.most_common()))


if __name__ == "__main__":
    main()
