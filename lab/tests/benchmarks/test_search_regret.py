"""The yardstick of search: the dynamic program against all orders, and episodes against both."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pddl.plan import Step
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.pomdp.agents import Decision
from lab.benchmarks.search_regret.exact import Move, Optimum, Strategy, expected_steps, greedy
from lab.benchmarks.search_regret.harness import Factory, by_agent, by_method, read_worlds, run
from lab.benchmarks.search_regret.problems import HARD, SearchProblem, numbered


def fewer_places(problem: SearchProblem, count: int) -> SearchProblem:
    """The problem with its first places alone."""
    prior = np.array(problem.prior[:count])
    return replace(problem, places=problem.places[:count], prior=tuple((prior / prior.sum()).tolist()))


def best_of_all_orders(problem: SearchProblem) -> float:
    """The least expected number of steps: every order of the places is tried, along every shortest way to the next."""
    everything = (1 << len(problem.places)) - 1

    def come(cell: int, looked: int, new: int, aim: int | None) -> float:
        found = [i for i in range(len(problem.places)) if (new & ~looked) >> i & 1]
        return sum(problem.prior[i] * problem.finish(cell, i) for i in found) + go(cell, looked | new, aim)

    def go(cell: int, looked: int, aim: int | None) -> float:
        if looked == everything:
            return 0.0
        left = [i for i in range(len(problem.places)) if not looked >> i & 1]
        if aim is None or aim not in left:
            return min(go(cell, looked, i) for i in left)
        mass = sum(problem.prior[i] for i in left)
        there = problem.places[aim].cell
        if there == cell:
            return mass + come(cell, looked, 1 << aim, None)
        away = problem.distances[:, there]
        nearer = [n for n in problem.neighbours[cell] if away[n] < away[cell]]
        return mass + min(come(n, looked, problem.view[n], aim) for n in nearer)

    return come(problem.start, 0, problem.view[problem.start], None)


class Follower:
    """An agent that does what a strategy says, and takes the shortest way once it knows where the thing is."""

    def __init__(self, problem: SearchProblem, strategy: Strategy, task: GroundTask, belief: Belief) -> None:
        self.problem, self.strategy, self.task, self.belief = problem, strategy, task, belief
        self.operators = {task.step(o): o for o in range(task.operator_count)}
        self.cell, self.looked, self.holding = problem.start, problem.view[problem.start], False
        members = belief.groups.row(0).tolist()
        self.places = {fact: int(task.fact_step(fact).arguments[1].rpartition("_")[2]) for fact in members}

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        return Decision(self.operators[self.step()], {})

    def step(self) -> Step:
        found = [place for fact, place in self.places.items() if self.belief.truth[fact]]
        if self.holding or found:
            aim = self.problem.target if self.holding else self.problem.places[found[0]].cell
            assert aim is not None
            if aim == self.cell:
                place = self.problem.places[found[0]]
                self.holding = True
                name = place.name(found[0])
                return Step(f"take-from-{name.partition('_')[0]}", ("ring", name, f"cell_{self.cell}"))
            away = self.problem.distances[:, aim]
            return self.go(Move(min(self.problem.neighbours[self.cell], key=lambda n: away[n]), None))
        return self.go(self.strategy(self.cell, self.looked))

    def go(self, move: Move) -> Step:
        before, self.cell = self.cell, move.cell
        if move.opens is not None:
            self.looked |= 1 << move.opens
            return Step("open-box", (self.problem.places[move.opens].name(move.opens), f"cell_{self.cell}"))
        self.looked |= self.problem.view[self.cell]
        return Step("walk", (f"cell_{before}", f"cell_{self.cell}"))

    def observe(self, operator: int, observation: Observation) -> None:
        assert observation.applied
        self.belief.update(operator, observation)


def follower(problem: SearchProblem, strategy: Strategy) -> Factory:
    def make(task: GroundTask, compiled: Compiled, belief: Belief, rng: np.random.Generator) -> Follower:
        return Follower(problem, strategy, task, belief)

    return make


@pytest.mark.parametrize("number", range(40))
def test_the_dynamic_program_is_the_best_of_all_orders(number: int) -> None:
    problem = fewer_places(numbered(number), 4)
    assert Optimum(problem).steps == pytest.approx(best_of_all_orders(problem))


def test_greedy_is_near_the_optimum_and_never_better() -> None:
    problems = [numbered(number) for number in range(20)]
    ratios = [expected_steps(problem, greedy(problem)) / Optimum(problem).steps for problem in problems]
    assert min(ratios) > 1 - 1e-9
    assert max(ratios) < 1.2
    assert 1.001 < sum(ratios) / len(ratios) < 1.03


@pytest.mark.parametrize("number", HARD[:5])
def test_problems_sought_out_mislead_greedy(number: int) -> None:
    problem = numbered(number)
    assert expected_steps(problem, greedy(problem)) >= 1.1 * Optimum(problem).steps


@pytest.mark.parametrize("number", [0, 1, 3, HARD[0]])
def test_episodes_take_what_was_computed(number: int, tmp_path: Path) -> None:
    problem = numbered(number)
    optimum, worlds = Optimum(problem), read_worlds(problem, tmp_path)
    for strategy in (optimum.move, greedy(problem)):
        ran = run(worlds, by_agent(follower(problem, strategy)))
        assert ran.missed == 0
        assert ran.expected == pytest.approx(expected_steps(problem, strategy))
    assert expected_steps(problem, optimum.move) == pytest.approx(optimum.steps)


@pytest.mark.parametrize(("method", "options"), [("llm-replan", {}), ("llm-mcts", {"simulations": 5})])
def test_registered_methods_start_with_the_problems_prior(
    method: str, options: dict[str, Any], tmp_path: Path
) -> None:
    problem = fewer_places(numbered(0), 2)
    worlds, best = read_worlds(problem, tmp_path), Optimum(problem).steps
    assert run(worlds, by_method(method, **options)).expected >= best - 1e-9
    first, second = (worlds.tasks[truth].seen_in_part[0].init for truth in (0, 1))
    assert (first != second).sum() == 2, "the worlds differ in where the thing is alone"
