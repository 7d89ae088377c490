"""Random contingent tasks, and what can be reached in them: all beliefs, each a set of worlds, one by one."""

import random
from pathlib import Path

from commonsense_planning.errors import CplanError, Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.variants import with_world
from commonsense_planning.task import read_task
from tests.contingent_problems import HIDDEN, VISIBLE, Action, Contingent, Literal, World
from tests.oracle.comparing import Found
from tests.oracle.meaning import UnknownError

METHODS = ("llm-mcts", "llm-replan")
MOST_WORLDS = 8
BELIEFS = 2000
"""That the oracle looks at."""
GOAL: tuple[Literal, ...] = (("y", True), ("x", False))
Belief = frozenset[tuple[World, World]]
"""The worlds that are possible, each as it was at first and as it is now."""


def draw(rng: random.Random) -> Contingent:
    """A task with two to eight worlds, whose actions need what is hidden, and change it without being seen."""

    def literals(facts: str, least: int, most: int) -> tuple[Literal, ...]:
        names = rng.sample(facts, rng.randint(least, most))
        return tuple((name, rng.random() < 0.5) for name in names)

    def action(makes: tuple[Literal, ...]) -> Action:
        every = HIDDEN + VISIBLE
        effects = tuple((literals(every, 1, 2), literals(every, 1, 1)[0]) for _ in range(rng.choice([0, 0, 1, 2])))
        shows = tuple(rng.sample(HIDDEN, rng.choice([0, 0, 1, 2])))
        return Action(literals(every, 0, 2), makes, effects, shows)

    while True:
        oneof, clauses = (tuple(literals(HIDDEN, 2, 3) for _ in range(rng.choice([0, 1, 1, 2]))) for _ in range(2))
        towards = (*GOAL, *literals(HIDDEN, 1, 3))  # one action makes each of these
        actions = [action((one, *literals(HIDDEN, 0, 1))) for one in towards]
        look = Action((), (), (), tuple(rng.sample(HIDDEN, 1)))
        unknown = tuple(rng.sample(HIDDEN, rng.choice([0, 1, 1, 2])))
        problem = Contingent(oneof, clauses if rng.random() < 0.4 else (), unknown, (*actions, look))
        if 2 <= len(problem.worlds()) <= MOST_WORLDS:
            return problem


class Beliefs:
    """The beliefs of a task. ``hidden``: facts that are left open, or that an effect may change without being seen."""

    def __init__(self, problem: Contingent) -> None:
        self.problem, self.hidden, size = problem, {*problem.unknown}, -1
        self.hidden |= {fact for some in (*problem.oneof, *problem.clauses) for fact, _ in some}
        while size != (size := len(self.hidden)):
            for action in problem.actions:
                for condition, (fact, _) in action.effects:
                    self.hidden |= {fact} if self.hidden.intersection(f for f, _ in condition) else set()
        self.first: Belief = frozenset((world, world) for world in problem.worlds())

    def knows(self, belief: Belief, literals: tuple[Literal, ...]) -> bool:
        """Whether the literals hold in all possible worlds."""
        return all((fact in now) == value for _, now in belief for fact, value in literals)

    def after(self, belief: Belief, action: Action) -> list[Belief]:
        """The beliefs after an action, one for each observation."""
        seen = {*HIDDEN, *VISIBLE} - self.hidden | {*action.shows}
        parts: dict[World, set[tuple[World, World]]] = {}
        for first, world in belief:
            now = action.after(world)
            parts.setdefault(now & seen, set()).add((first, now))
        return [frozenset(part) for part in parts.values()]

    def most(self) -> int:
        """In how many of the worlds an agent can come to know that the goal holds, at most. Raises UnknownError for
        more than BELIEFS."""
        ways: dict[Belief, list[list[Belief]]] = {}
        waiting = [self.first]
        while waiting:
            belief = waiting.pop()
            if belief in ways:
                continue
            done = self.knows(belief, GOAL)
            able = [] if done else [a for a in self.problem.actions if self.knows(belief, a.wants)]
            ways[belief] = [self.after(belief, action) for action in able]
            waiting += [part for parts in ways[belief] for part in parts]
            if len(ways) > BELIEFS:
                raise UnknownError
        value = {belief: len(belief) if self.knows(belief, GOAL) else 0 for belief in ways}
        changed = True
        while changed:
            changed = False
            for belief, choices in ways.items():
                best = max((sum(value[part] for part in parts) for parts in choices), default=0)
                if best > value[belief]:
                    value[belief], changed = best, True
        return value[self.first]

    def wrong(self, world: World, plan: Plan) -> str:
        """What is wrong with a plan that is carried out in a world; empty if each of its steps is known to be possible,
        and the goal known to hold at the end, never before."""
        belief, now = self.first, world
        for number, step in enumerate(plan):
            action = self.problem.actions[int(step.action[1:])]
            if self.knows(belief, GOAL):
                return f"goes on after step {number}, where the goal is known"
            if not self.knows(belief, action.wants):
                return f"its step {number + 1} is not known to be possible"
            now = action.after(now)
            belief = next(part for part in self.after(belief, action) if (world, now) in part)
        return "" if self.knows(belief, GOAL) else "ends where the goal is not known"


def compare(problem: Contingent, folder: Path, found: Found) -> None:
    """Have the methods solve the task in each of its worlds, or in two where no agent can."""
    beliefs, worlds = Beliefs(problem), sorted(problem.worlds(), key=sorted)
    files, file = problem.write(folder), folder / "world.pddl"
    found.tried["contingent tasks"] += 1
    try:
        most = beliefs.most()
    except UnknownError:
        found.silent[f"no proof within {BELIEFS:,} beliefs by the oracle"] += 1
        return
    kind = "every" if most == len(worlds) else "some" if most else "no"
    found.tried[f"of them solvable in {kind} world"] += 1
    for name in METHODS:
        solved, method = 0, method_named(name)
        for world in worlds if most else worlds[:2]:
            found.tried["contingent runs"] += 1
            try:
                file.write_text(with_world(read_problem(*files), [f"({fact})" for fact in sorted(world - {"x"})]))
                options = method.Options.of({"prior": "uniform"} | method.Options.among({"policy": "uniform"}))
                solution = solve(Request(read_task(*files, world=file), method, options))
            except CplanError as error:
                found.lost.append((f"{name}: {type(error).__name__}: {error}", None))
                return
            assert solution.plan is not None
            if solution.status is Status.SOLVED:
                solved += 1
                if wrong := beliefs.wrong(world, solution.plan):
                    found.lost.append((f"{name}: its plan {wrong}, in {sorted(world)}", solution.plan))
        if solved == most:
            found.tried["contingent runs that end rightly"] += len(worlds) if most else 2
        else:
            found.lost.append((f"{name}: solved in {solved} worlds, and {most} of {len(worlds)} can be", None))
