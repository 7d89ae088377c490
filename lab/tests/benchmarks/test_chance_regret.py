"""The bench's own exactness: values against a hand-computed problem, and its two descriptions of a problem agree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from pytest import approx

from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import make_state
from lab.benchmarks.chance_regret.gathering import gathering
from lab.benchmarks.chance_regret.harness import Case, by_method, tasks, untagged
from lab.benchmarks.chance_regret.model import REFUSED, BeliefMdp, Outcome, Problem, Visible


@dataclass(frozen=True)
class Doors(Problem):
    """The prize is behind one of two doors, all alike. Listening costs a step and is right with ``accuracy``; to open
    the wrong door costs ``dear`` steps, after which one knows."""

    accuracy: float
    dear: int
    truths: int = 2
    start: Visible = "hall"

    def actions(self, visible: Visible) -> list[str]:
        if visible in ("hall", "heard"):
            return ["listen", "open 0", "open 1"]
        return ["wait"]

    def outcomes(self, visible: Visible, truth: int, action: str) -> list[Outcome]:
        if action == "listen":
            return [Outcome(1.0, "heard", "1")]
        if action == "wait":
            return [Outcome(1.0, visible - 1, "1")]
        right = action == f"open {truth}"
        return [Outcome(1.0, 0 if right else self.dear, "1" if right else REFUSED)]

    def reached(self, visible: Visible) -> bool:
        return bool(visible == 0)

    def shown(self, visible: Visible) -> tuple[int, ...]:
        return (0,) if visible == "heard" else ()

    def reads(self, truth: int, about: int) -> float:
        return self.accuracy if truth == about else 1 - self.accuracy

    def files(self, truth: int) -> tuple[str, str, str | None]:
        raise NotImplementedError


def test_it_pays_to_listen_where_errors_are_dear() -> None:
    assert BeliefMdp(Doors(accuracy=1.0, dear=10)).least == approx(2)  # listen, open
    cheap = BeliefMdp(Doors(accuracy=0.9, dear=1))
    assert cheap.least == approx(1.5)  # open at once: half the time a step more
    assert cheap.regret(cheap.begin(()), "open 0") == approx(0)
    assert cheap.regret(cheap.begin(()), "listen") == approx(1 + 1 + 0.1 - 1.5)
    assert cheap.regret(cheap.begin(()), "no such action") == 1


def test_the_belief_is_bayes() -> None:
    mdp = BeliefMdp(Doors(accuracy=0.8, dear=100))
    once = mdp.follow(mdp.begin(()), "listen", ("heard", "1", (True,)))
    assert once[1] == approx((0.8, 0.2))
    assert mdp.follow(once, "listen", ("heard", "1", (True,)))[1] == approx((16 / 17, 1 / 17), abs=1e-5)
    assert mdp.follow(once, "listen", ("heard", "1", (False,))) == ("heard", (0.5, 0.5))


@pytest.mark.parametrize("number", range(3))
def test_the_pddl_says_the_same(number: int, tmp_path: Path) -> None:
    case = Case("MDP", number)
    [task] = tasks(case, tmp_path)
    ground, compiled = task.all_seen
    transition = TransitionModel(compiled)
    state, visible = make_state(compiled, ground.init), case.problem.start
    rng = np.random.default_rng(number)
    for _ in range(30):
        steps = {untagged(str(ground.step(o)))[0]: o for o in transition.applicable(state).tolist()}
        assert sorted(steps) == sorted(case.problem.actions(visible))
        action = str(rng.choice(sorted(steps)))
        outcomes = case.problem.outcomes(visible, 0, action)
        theirs = {untagged(str(ground.step(o)))[1]: (p, o) for p, o in transition.outcome_operators(steps[action])}
        assert {o.tag: approx(o.chance) for o in outcomes} == {tag: p for tag, (p, _) in theirs.items()}
        chosen = outcomes[int(rng.integers(len(outcomes)))]
        state, visible = transition.successor(state, theirs[chosen.tag][1]), chosen.visible
        assert transition.reached(state) == case.problem.reached(visible)


def test_an_episode_is_followed(tmp_path: Path) -> None:
    case = Case("POMDP", 0)
    walk = by_method(case, tasks(case, tmp_path), "llm-replan", {}, 1)
    assert walk.solved and walk.steps > 0 and walk.regret >= 0


def test_problems_are_the_same_each_time() -> None:
    assert gathering(np.random.default_rng([34, 1])) == gathering(np.random.default_rng([34, 1]))
