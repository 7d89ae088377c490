"""The same method in our world and in pddlgym's own simulator: do as many episodes succeed?

FOLDER is pddlgym's folder ``pddl``; the package ``pddlgym`` must be importable. Of each domain under chance the first
problems of its test set (or of its only set) are played, in both worlds with the same seeds of the agent. What
pddlgym's simulator shows is taken by the agent as an observation; nothing of our transition model stands between them.
A domain that we refuse since it ends before its last bracket is played with that bracket, and is listed.

    python -m lab.benchmarks.pddlgym_worlds FOLDER [--domains NAME,…] [--problems N] [--episodes N] [--method NAME]
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
import pddlgym.core

from commonsense_planning.errors import CplanError, Status
from commonsense_planning.methods.acting import Acting, ActingMethod
from commonsense_planning.methods.episode import PlanningEpisode
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.support.statistics import Rate, rate
from commonsense_planning.task import Task, read_task
from lab.benchmarks.chance_files import CHANCE, DOMAIN, text_of

LIMIT = 100
LEAST = 1e-9


class Simulator:
    """A problem of pddlgym's, as an environment. ``acting`` says how facts and operators are numbered."""

    def __init__(self, simulator: Any, seed: int) -> None:
        np.random.seed(seed)  # pddlgym draws outcomes with this
        self._simulator = simulator
        self._simulator.reset()

    def meet(self, acting: Acting) -> None:
        """Number what it shows as the agent does."""
        self._task = acting.task
        self._facts = {str(acting.task.fact_step(fact)): fact for fact in range(acting.task.fact_count)}
        self._true = self._now()

    def look(self) -> Observation:
        """All facts."""
        return Observation(tuple((fact, fact in self._true) for fact in sorted(self._facts.values())))

    def step(self, operator: int) -> Observation:
        """Have the simulator carry out an action."""
        before, state = self._true, self._simulator.get_state()
        _, _, done, _, _ = self._simulator.step(self._action(str(self._task.step(operator))))
        self._true = self._now()
        changed = sorted(before ^ self._true)
        applied = bool(changed) or self._simulator.get_state() != state
        return Observation(tuple((fact, fact in self._true) for fact in changed), goal_reached=done, applied=applied)

    def _now(self) -> set[int]:
        names = (
            f"({' '.join((lit.predicate.name, *(variable.name for variable in lit.variables)))})"
            for lit in self._simulator.get_state().literals
        )
        return {self._facts[name] for name in names if name in self._facts}

    def _action(self, step: str) -> Any:
        """pddlgym's action of an operator: the literal of its precondition that is one, or the operator itself."""
        name, *arguments = step.strip("()").split()
        name = name.partition("--")[0]
        domain = self._simulator.domain
        operator = next(o for key, o in domain.operators.items() if key.lower() == name)
        things = {thing.name: thing for thing in (*self._simulator.get_state().objects, *domain.constants)}
        values = {p.name: things[argument] for p, argument in zip(operator.params, arguments, strict=True)}
        if domain.operators_as_actions:
            return domain.predicates[operator.name](*(values[p.name] for p in operator.params))
        wanted = next(lit for lit in operator.preconds.literals if lit.predicate.name in domain.actions)
        return wanted.predicate(*(values.get(v.name, v) for v in wanted.variables))


class Playing(Acting):
    """An agent in one of the two worlds."""

    def __init__(self, request: Request, world: Simulator | None) -> None:
        self.simulator = world
        self.first: Observation | None = None
        super().__init__(request)

    def recall(self, belief: Belief) -> None:
        if self.first is None:
            if self.simulator is not None:
                self.simulator.meet(self)
                self.world: Any = self.simulator
            else:
                rng = np.random.default_rng([self.request.seed, 1])
                self.world = Environment(self.compiled, self.task.init, rng=rng)
            self.first = self.world.look()
        belief.update(None, self.first)

    def play(self) -> bool:
        """Whether an episode ends at the goal."""
        method = self.request.method
        assert isinstance(method, ActingMethod) and self.first is not None
        agent = method.agent(self)
        episode = PlanningEpisode(self.world, agent, self.belief, self.say, lambda event: None, list)
        return episode.run(self.first, LIMIT).status is Status.SOLVED


def compared(task: Task, simulator: Any, name: str, seeds: range) -> tuple[int, int]:
    """How many episodes succeed in our world, and in pddlgym's."""
    method = method_named(name)
    requests = [Request(task, method, seed=seed) for seed in seeds]
    ours = sum(Playing(request, None).play() for request in requests)
    theirs = sum(Playing(request, Simulator(simulator, request.seed)).play() for request in requests)
    return ours, theirs


def problems_of(domain: Path) -> Path:
    """The folder of a domain's problems, those for tests where there are some."""
    tests = domain.with_name(f"{domain.stem}_test")
    return tests if tests.is_dir() else domain.with_suffix("")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--domains", default="", help="These alone.")
@click.option("--problems", default=2, help="Of each domain.")
@click.option("--episodes", default=20, help="Of each problem, in each world.")
@click.option("--method", "name", default="llm-replan")
def main(folder: Path, domains: str, problems: int, episodes: int, name: str) -> None:
    """Play all and print a table."""
    refused = []
    print("| domain | problems | in our world | in pddlgym's | intervals overlap |\n|---|---|---|---|---|")
    for domain in sorted(folder.glob("*.pddl")):
        text = text_of(domain)
        wanted = not domains or domain.stem in domains.split(",")
        if not (wanted and CHANCE.search(text) and DOMAIN.search(text)):
            continue
        files = sorted(problems_of(domain).glob("*.pddl"))[:problems]
        try:
            tasks = [read_task(domain, file) for file in files]
        except CplanError as error:
            refused.append(str(error).splitlines()[0].replace(f"{folder}/", ""))
            with TemporaryDirectory() as temporary:
                copy = Path(temporary) / domain.name
                copy.write_text(text + ")" * (text.count("(") - text.count(")")), encoding="utf-8")
                tasks = [read_task(copy, file) for file in files]
        as_actions = not any(line.lstrip().startswith("; (:actions") for line in text.splitlines())
        simulator = pddlgym.core.PDDLEnv(str(domain), str(problems_of(domain)), operators_as_actions=as_actions)
        counts = np.zeros(2, np.int64)
        for index, task in enumerate(tasks):
            simulator.fix_problem_index(index)
            counts += compared(task, simulator, name, range(episodes))
        total = episodes * len(tasks)
        rates = [rate(int(count), total) for count in counts]
        overlap = rates[0].low <= rates[1].high + LEAST and rates[1].low <= rates[0].high + LEAST
        ours, theirs = (shown(found, int(count), total) for found, count in zip(rates, counts, strict=True))
        cells = domain.stem, len(tasks), ours, theirs, "yes" if overlap else "no"
        print("|", " | ".join(map(str, cells)), "|", flush=True)
    print("\nRefused as they are:", *(refused or ["none"]), sep="\n")


def shown(found: Rate, count: int, total: int) -> str:
    """A rate with its interval."""
    return f"{count} of {total} [{found.low:.2f}, {found.high:.2f}]"


if __name__ == "__main__":
    main()
