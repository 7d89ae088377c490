"""The yardstick of search: the dynamic program against all orders, and episodes against both."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import make_state
from lab.benchmarks.search_regret.chance import Gathering, Values, gathering, score, untagged
from lab.benchmarks.search_regret.exact import Optimum, expected_steps, greedy
from lab.benchmarks.search_regret.harness import read_worlds, run
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


@pytest.mark.parametrize(("method", "options"), [("llm-replan", {}), ("llm-mcts", {"simulations": 5})])
def test_registered_methods_start_with_the_problems_prior(method: str, options: dict[str, Any], tmp_path: Path) -> None:
    problem = fewer_places(numbered(0), 2)
    worlds, best = read_worlds(problem, tmp_path), Optimum(problem).steps
    assert run(worlds, method, **options)[0] >= best - 1e-9
    first, second = (worlds.tasks[truth].seen_in_part[0].init for truth in (0, 1))
    assert (first != second).sum() == 2, "the worlds differ in where the thing is alone"


def test_values_under_chance_are_exact() -> None:
    """Ice that lets one over half the time takes two steps; a way round of three is worse, of one better."""
    problem = Gathering(((), (), ()), ((1,), (0,), ()), ((), (), ()), (), 2, 1, 0.5, 0.5, 0.5, 0.5)
    values = Values(problem)
    assert values.least == pytest.approx(2)
    assert values.regret((0, 0, False), "(skate c0 c1)") == pytest.approx(0, abs=1e-6)
    assert Values(replace(problem, ways=((1,), (), ()))).least == pytest.approx(1)


@pytest.mark.parametrize("number", range(3))
def test_the_pddl_says_the_same(number: int, tmp_path: Path) -> None:
    problem = gathering(number)
    ground, compiled = problem.task(tmp_path).all_seen
    transition, state, here = TransitionModel(compiled), make_state(compiled, ground.init), (0, 0, False)
    rng = np.random.default_rng(number)
    for _ in range(30):
        steps = {untagged(str(ground.step(o)))[0]: o for o in transition.applicable(state).tolist()}
        ours = problem.actions(here)
        assert transition.reached(state) == (not ours)
        if not ours:
            break
        assert sorted(steps) == sorted(ours)
        action = str(rng.choice(sorted(steps)))
        theirs = {untagged(str(ground.step(o)))[1]: (p, o) for p, o in transition.outcome_operators(steps[action])}
        assert {n: p for n, (p, _) in enumerate(ours[action])} == {n: pytest.approx(p) for n, (p, _) in theirs.items()}
        drawn = int(rng.integers(len(theirs)))
        state, here = transition.successor(state, theirs[drawn][1]), ours[action][drawn][1]


def test_an_episode_under_chance_is_followed(tmp_path: Path) -> None:
    problem = gathering(0)
    found = score(problem.task(tmp_path), Values(problem), "llm-replan", {}, 2)
    assert found.missed == 0 and found.ratio >= 1
