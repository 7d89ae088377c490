"""The experiments' ``--actions`` and ``--policy-as``: they reach the methods, and what 0.2.0 did is unsaid, whose
recordings know their episodes by that."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from commonsense_lab.studies import solve_study
from commonsense_lab.studies.kitchen import experiment as kitchen
from commonsense_lab.studies.misplaced import experiment as misplaced
from commonsense_lab.studies.rearrangement import experiment as rearrangement
from commonsense_planning.config import Actions, PolicyAs
from commonsense_planning.methods.method import Request
from tests.data import REPOSITORY


def in_kitchens(actions: Actions, policy_as: PolicyAs) -> Any:
    setup = kitchen.KitchenSetup(actions=actions, policy_as=policy_as, pack=REPOSITORY / "pddl" / "kitchen")
    return kitchen.kitchen_episodes(setup, 1, 0, ["llm-policy"], [kitchen.Level.EASY])[0]


def of_misplaced(actions: Actions, policy_as: PolicyAs) -> Any:
    told = {"actions": actions, "policy_as": policy_as}
    setup = misplaced.MisplacedSetup(max_steps=5, pack=REPOSITORY / "pddl" / "household", **told)
    return misplaced.misplaced_episodes(setup, ["seen"], 1, ["0"], ["llm-policy"], 1)[0]


def of_rearrangement(actions: Actions, policy_as: PolicyAs) -> Any:
    search = rearrangement.Search(actions=actions, policy_as=policy_as)
    setup = rearrangement.RearrangementSetup(search=search, pack=REPOSITORY / "pddl" / "household")
    return rearrangement.rearrangement_episodes(setup, 10, 1, ["llm-policy"])[0]


class Asked(Exception):
    """Stops an episode where its method begins."""


@pytest.mark.parametrize(
    ("episode", "key"),
    [
        (
            in_kitchens,
            "kitchen: easy-one-wall-0000, llm-policy, model embedded, simulations 100, at most 600 s, seed 0",
        ),
        (
            of_misplaced,
            "misplaced: seen-0000, share 0, llm-policy, model embedded, at most 5 steps, 100 simulations a decision, "
            "seed 0",
        ),
        (
            of_rearrangement,
            "rearrangement: seen-simple-0000, policy, model embedded, the homes that ship, at most 30 steps, seed 0",
        ),
    ],
)
def test_the_actions_that_may_be_named(
    episode: Callable[[Actions, PolicyAs], Any], key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Request] = []

    def stop(request: Request) -> None:
        asked.append(request)
        raise Asked

    monkeypatch.setattr(solve_study, "solution_of", stop)
    monkeypatch.setattr(rearrangement, "solution_of", stop)
    monkeypatch.setattr(misplaced, "known_plan", lambda *world: SimpleNamespace(cost=0))  # which takes seconds
    with pytest.raises(Asked):
        episode(Actions.RELEVANT, PolicyAs.PRIOR).run()
    assert asked[0].options.actions is Actions.RELEVANT
    assert episode(Actions.RELEVANT, PolicyAs.PRIOR).labels.key == key
    told = ", actions all, policy as evidence, seed 0"
    usual = episode(Actions.ALL, PolicyAs.EVIDENCE)
    assert usual.labels.key == key.replace(", seed 0", told)
    assert pickle.loads(pickle.dumps(usual)) == usual, "as it goes to other processes"
