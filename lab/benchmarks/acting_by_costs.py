"""What a belief in action costs is worth: an agent whose planner is Fast Downward on tasks as ``cplan export-costs``
writes them.

    python -m lab.benchmarks.acting_by_costs SEEDS [STEP_COST …]

It exports its belief, carries a cheapest plan out (A*), and exports again when something is not where the
plan assumes it. Told are, for each cost of a step, how often what the first plan assumes is so, how often the
belief is exported, and the steps that it takes, beside those of ``llm-replan`` and ``llm-mcts``: on the household's
problems that can be solved, and on misplaced things (``cplan bench misplaced``), where none and where all are moved.
The model is the embedded one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from commonsense_lab.planners.assumptions import Assumption
from commonsense_lab.planners.cost_task import CostTask, cost_task
from commonsense_lab.studies.misplaced.worlds import World as Misplaced

from commonsense_planning.errors import Status, UsageError
from commonsense_planning.kernels.engine import is_applicable
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.methods.replan import REPLAN, ReplanOptions
from commonsense_planning.methods.simulated import Simulated
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.pddl.plan import Plan, Step, read_plan
from commonsense_planning.planners.fast_downward import driver
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.pomdp.agents import Decision
from commonsense_planning.support.processes import Limit, run_limited, temporary_folder
from commonsense_planning.task import Task, read_task

STEP_COSTS = ("0.02", "0.1", "0.3")
MAX_STEPS = 120
SECONDS = 60.0  # for one plan
SEARCHES = ("astar(lmcut())", "astar(blind())")  # the second takes axioms, which quantified goals become
UNSOLVABLE = "missing-salmon"


def cheapest_plan(made: CostTask) -> Plan | None:
    """Fast Downward's cheapest plan of an exported task; None if there is none. Raises UsageError if it has none within
    ``SECONDS``."""
    script = driver()
    assert script is not None, "pip install up-fast-downward"
    with temporary_folder("costs") as name:
        folder = Path(name)
        (folder / "domain.pddl").write_text(made.domain)
        (folder / "problem.pddl").write_text(made.problem)
        for search in SEARCHES:
            words = ["--plan-file", "plan", "domain.pddl", "problem.pddl", "--search", search]
            ended = run_limited([sys.executable, script, *words], Limit(SECONDS), cwd=folder)
            if (folder / "plan").is_file():
                return read_plan(folder / "plan")
            if ended.returncode in (10, 11, 12):
                return None
    raise UsageError(f"Fast Downward: {ended.returncode}: {ended.stdout[-500:]}{ended.stderr[-500:]}")


@dataclass
class CostAgent:
    """Carries out cheapest plans; ``assumed``: of each plan, what it assumes."""

    acting: Simulated
    step_cost: float
    assumed: list[list[Assumption]] = field(default_factory=list)
    waiting: list[Step | Assumption] = field(default_factory=list)

    def __post_init__(self) -> None:
        task = self.acting.task
        self.facts = {str(task.fact_step(f)): f for f in range(task.fact_count)}
        self.operators: dict[Step, list[int]] = {}
        for operator in range(task.operator_count):
            self.operators.setdefault(task.step(operator), []).append(operator)

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        """The plan's next step, if all that was assumed before it is so; else that of another plan."""
        return self._next() or self._planned()

    def _planned(self) -> Decision:
        belief = self.acting.belief
        made = cost_task(self.acting.task, self.acting.compiled, belief, self.step_cost)
        plan = cheapest_plan(made)
        if plan is None:
            return Decision(None, {"reason": "no plan"})
        self.waiting = made.way_back.split(plan)
        self.assumed.append([part for part in self.waiting if isinstance(part, Assumption)])
        return self._next() or Decision(None, {"reason": "the plan cannot be begun"})

    def _next(self) -> Decision | None:
        belief, state = self.acting.belief, self.acting.belief.state()
        while self.waiting:
            part = self.waiting.pop(0)
            if isinstance(part, Step):
                for operator in self.operators[part]:
                    if is_applicable(belief.task.table, state, operator):
                        return Decision(operator, {"planned": True})
                return None
            fact = self.facts[part.fact]
            if not belief.known[fact] or belief.truth[fact] != part.holds:
                return None
        return None

    def observe(self, operator: int, observation: Observation) -> None:
        """Take in what was seen."""
        self.acting.belief.update(operator, observation)


def act(task: Task, step_cost: float, seed: int) -> tuple[Solution, CostAgent, list[bool]]:
    """One episode; and whether each assumption of the first plan is so."""
    options = ReplanOptions(ask_again=False, max_steps=MAX_STEPS)
    request = Request(task, REPLAN, options, seed=seed)
    acting = Simulated(request)
    acting.believe(options.placement_answers(request.models))
    agent = CostAgent(acting, step_cost)
    solution = acting.act(lambda _: agent)
    first = agent.assumed[0] if agent.assumed else []
    return solution, agent, [bool(acting.task.init[agent.facts[a.fact]]) == a.holds for a in first]


def tasks(seeds: int) -> Iterator[tuple[str, list[tuple[Task, int]]]]:
    """Tasks with seeds, by what they are."""
    pack = pack_named("household")
    names = [name for name in pack.problems if name != UNSOLVABLE]
    yield "household", [(read_task(f"household:{name}"), seed) for name in names for seed in range(seeds)]
    for share in ("0", "1"):
        worlds = [
            Misplaced(home, None, index, share, seed, pack.folder)
            for home in ("seen", "unseen")
            for index in range(4)
            for seed in range(seeds)
        ]
        yield f"misplaced, share {share}", [(world.read(world.drawn()), world.seed) for world in worlds]


def main() -> None:
    seeds, *costs = sys.argv[1:]
    for name, there in tasks(int(seeds)):
        for method in ("llm-replan", "llm-mcts"):
            done = [solve(Request(task, method_named(method), seed=seed)) for task, seed in there]
            show(name, method, done)
        for cost in map(float, costs or STEP_COSTS):
            ended = [act(task, cost, seed) for task, seed in there]
            held = [so for *_, so in ended if so]
            each, exports = [one for so in held for one in so], fmean(len(agent.assumed) for _, agent, _ in ended)
            first = f"so: {sum(each)} of {len(each)}, all of a plan: {sum(map(all, held))} of {len(held)}"
            first += f"; {exports:.2f} exports"
            show(name, f"export-costs, {cost:g} a step", [solution for solution, _, _ in ended], first)


def show(name: str, how: str, done: list[Solution], more: str = "") -> None:
    """One line: the tasks, who acts, how many are solved, in how many steps on average."""
    solved = sum(solution.status is Status.SOLVED for solution in done)
    steps = fmean(len(solution.plan or ()) for solution in done)
    print(f"{name:<20} {how:<24} solved {solved} of {len(done)}, {steps:.1f} steps  {more}", flush=True)


if __name__ == "__main__":
    main()
