"""The yardstick of search: the dynamic program against all orders, and episodes against both."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import StateView, make_state
from lab.benchmarks.search_regret.__main__ import main
from lab.benchmarks.search_regret.chance import Gathering, Values, gathering, score, untagged
from lab.benchmarks.search_regret.exact import Optimum, expected_steps, greedy
from lab.benchmarks.search_regret.fetching import FAMILIES, FetchingProblem
from lab.benchmarks.search_regret.fetching_optimum import Fetching, least_steps
from lab.benchmarks.search_regret.harness import Worlds, read_worlds, run
from lab.benchmarks.search_regret.problems import HARD, SearchProblem, numbered
from lab.benchmarks.search_regret.rows import rows_of


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
    ratio, missed, _ = score(problem.task(tmp_path), Values(problem), "llm-replan", {}, 2)
    assert missed == 0 and ratio >= 1


SetOfWorlds = frozenset[tuple[int, bytes]]
"""Of each world its number, and which facts are true now."""


def least_by_worlds(worlds: Worlds) -> float:
    """The least expected steps, by value iteration over sets of worlds: each is the states that the worlds of one
    history are in. What follows a step, and what is seen then, is the PDDL's, by the models of the core."""
    task, compiled = worlds.tasks[0].seen_in_part
    transition, goal = TransitionModel(compiled), SetOfWorlds()

    @cache
    def seen(truth: bytes) -> Observation:
        return Environment(compiled, np.frombuffer(truth, np.bool_)).look()

    def shown(truths: Iterable[tuple[int, bytes]]) -> list[SetOfWorlds]:
        """Splits worlds by what is seen in them; those at the goal are done."""
        parts: dict[Observation, set[tuple[int, bytes]]] = {}
        for world, truth in truths:
            parts.setdefault(seen(truth), set()).add((world, truth))
        return [goal if observation.goal_reached else SetOfWorlds(part) for observation, part in parts.items()]

    def weight(known: SetOfWorlds) -> float:
        return sum(worlds.weights[world] for world, _ in known)

    starts = shown((world, task.seen_in_part[0].init.tobytes()) for world, task in enumerate(worlds.tasks))
    choices: dict[SetOfWorlds, list[list[SetOfWorlds]]] = {goal: []}
    queue = [*starts]
    while queue:
        if (known := queue.pop()) in choices:
            continue
        states = [(world, np.frombuffer(truth, np.bool_)) for world, truth in known]
        full = [(world, make_state(compiled, truth, np.ones_like(truth))) for world, truth in states]
        each = (set(transition.applicable(state).tolist()) for _, state in full)
        choices[known] = [
            shown((world, StateView(compiled, transition.successor(state, o)).truth.tobytes()) for world, state in full)
            for o in set.intersection(*each)
        ]
        queue += [after for outcomes in choices[known] for after in outcomes]
    values = {known: 0.0 if known == goal else 99.0 for known in choices}
    while True:
        before = dict(values)
        for known, options in choices.items():
            if options:  # weighed by the probability of the set, as are values
                values[known] = min(weight(known) + sum(values[after] for after in outs) for outs in options)
        if values == before:
            return sum(values[known] for known in starts)


def tiny(problem: FetchingProblem, places: int = 2) -> FetchingProblem:
    """The problem with the likeliest places of each thing alone."""
    rows = [np.where(np.argsort(np.argsort(row)) >= len(row) - places, row, 0) for row in problem.model.prior]
    prior = tuple(tuple((row / row.sum()).tolist()) for row in rows)
    return replace(problem, model=replace(problem.model, prior=prior))


@pytest.mark.parametrize(("family", "number"), [("cells", 4), ("homes", 45)])
def test_the_least_steps_for_several_things_are_those_by_sets_of_worlds(
    family: str, number: int, tmp_path: Path
) -> None:
    problem = tiny(FAMILIES[family](number))
    assert problem.best == pytest.approx(least_by_worlds(read_worlds(problem, tmp_path)))


def fetched(**given: Any) -> Fetching:
    """Two things in a row of three cells with a box, a table and a box; one hand."""
    prior = ((0.0, 0.0, 1.0), (0.5, 0.0, 0.5))
    usual = {"ways": ((1,), (0, 2), (1,)), "view": (0, 2, 0), "reach": ((0,), (1,), (2,)), "boxes": (True, False, True)}
    return Fetching(**{**usual, "hands": 1, "start": 1, "targets": (1, 1), "prior": prior, **given})


@pytest.mark.parametrize(
    ("given", "steps"),
    [
        # In the right box: walk, open, take, walk, put. With one hand either thing has a way of its own, and the left
        # box, half the time, is not opened for nothing: 5 + 4 if both are in the right box, else 5 + 5.
        ({}, 0.5 * 9 + 0.5 * 10),
        ({"hands": 2}, 0.5 * 7 + 0.5 * 10),  # both at once: walk, open, take, take, walk, put, put
        # Both to the left box, which is opened first, as hands are free then.
        ({"targets": (0, 0), "prior": ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)), "hands": 2}, 11),
        ({"targets": (0, 0), "prior": ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0))}, 15),
    ],
)
def test_the_least_steps_where_hands_count(given: dict[str, Any], steps: float) -> None:
    assert least_steps(fetched(**given)) == pytest.approx(steps)


@pytest.mark.parametrize("family", FAMILIES)
def test_families_have_what_they_promise(family: str) -> None:
    problems = [FAMILIES[family](number) for number in range(20)]
    models = [problem.model for problem in problems]
    assert {(m.hands, len(m.targets)) for m in models} == {(1, 2), (2, 2), (1, 3), (2, 3)}
    assert any(m.boxes[t] for m in models for t in m.targets), "some targets are boxes"
    for problem, model in zip(problems, models, strict=True):
        assert sum(weight for _, weight in problem.worlds) == pytest.approx(1)
        assert not any(row[target] for row, target in zip(model.prior, model.targets, strict=True))
    assert FAMILIES[family](3) == problems[3]


@pytest.mark.parametrize(("family", "number"), [("cells", 61), ("homes", 41)])
def test_no_agent_is_better_than_the_least(family: str, number: int) -> None:
    """A sample of the yardstick: it is not far from it either."""
    rows = rows_of(family, (number, ("llm-mcts", "llm-replan")), 0)
    assert all(1 - 1e-9 < row["ratio"] < 1.25 and not row["missed"] for row in rows), rows


@pytest.mark.parametrize(("family", "number"), [("one", 5), ("cells", 9), ("homes", 12)])
def test_the_least_is_between_the_bound_and_what_the_search_says(family: str, number: int, tmp_path: Path) -> None:
    """At the first decision of each world, whose mean is that before the first look."""
    problem = numbered(number) if family == "one" else FAMILIES[family](number)
    best = Optimum(problem).steps if isinstance(problem, SearchProblem) else problem.best
    worlds, method, said = read_worlds(problem, tmp_path), method_named("llm-mcts"), list[dict[str, Any]]()
    for task in worlds.tasks:
        prior = [row.copy() for row in worlds.prior]
        expectation = solve(Request(task, method, {"max_steps": 1}, prior=prior)).expectation
        assert expectation is not None
        said.append(expectation.as_json)
    assert all(one["exact"] and one["all_worlds"] for one in said)
    lower, reached = (np.dot(worlds.weights, [one[name] for one in said]) for name in ("lower_bound", "reached"))
    assert 0.5 * best < lower <= best <= reached + 1e-6 <= 1.1 * best


def test_the_command_adds_rows_once_and_compares_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rows.jsonl"
    for arguments in (["--family", "one", "--problems", "2-3", "--agents", "greedy", "-o"], ["--tables"]):
        monkeypatch.setattr("sys.argv", ["search_regret", *arguments, str(file)])
        main()
    assert len(file.read_text().splitlines()) == 2
    monkeypatch.setattr("sys.argv", ["search_regret", "--tables", str(file), "--before", str(file)])
    main()
    assert "0.0000 [0.0000, 0.0000]" in capsys.readouterr().out
