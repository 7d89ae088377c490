"""What it is worth that every applicable action may be named: ``--actions all`` beside ``relevant``.

    python -m benchmarks.named_actions [TASKS] [VARIANT …]

The answerer of ``benchmarks.prompts`` says what plans in believed worlds begin with, as ``embedded`` has it, but as the
example of the paper's Listing 1 does: it does not go to the coffee table, but walks to the apple that lies there. The
question is put and the answer read, as with a language model. For each VARIANT (``policy`` and ``paper``) TASKS (80) of
the rearrangement experiment, one seed: how many are solved, and per episode steps, questions, and answers that named
nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import fmean
from unittest.mock import patch

from benchmarks.prompts import AnsweredModels, PlannedPolicy
from commonsense_planning.config import Actions
from commonsense_planning.methods import policy, tree_search
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.search.next_question import Situation
from commonsense_planning.studies.rearrangement import experiment

WALK = "walk to the "


class WalksToThings(PlannedPolicy):
    """Has the answerer name the thing that is wanted rather than its place, in no words but its own."""

    def _plan(self, situation: Situation, n: int, lately: int = 0) -> None:
        question, _ = self.questions.choice(situation, lately)
        planned = [said.named[0] for said in self._plans.advice([situation], n)[0].said]
        self._planned[question] = [self._words(o, situation.operators.tolist(), question.goal) for o in planned]

    def _words(self, planned: int, operators: Sequence[int], goal: str) -> str:
        say = self.questions.say
        _, *place = str(say.task.step(planned)).strip("()").split()
        for operator in operators:
            walk, _, *there = str(say.task.step(operator)).strip("()").split()
            text = say.action(operator)
            if walk == "walk-to-item" and there == place and text.removeprefix(WALK) in goal.lower():
                return text
        return say.action(planned)


def row(tasks: int, variant: str, actions: Actions) -> str:
    """Of the table."""
    setup = experiment.RearrangementSetup(
        pack=pack_named("household").folder, search=experiment.Search(actions=actions)
    )
    episodes = experiment.rearrangement_episodes(setup, tasks, 1, [variant])
    with (
        patch.object(tree_search, "policy_of", WalksToThings),
        patch.object(policy, "policy_of", WalksToThings),
        patch.object(experiment, "own_models", lambda *given: AnsweredModels(paper=False)),
    ):
        found = [episode.run() for episode in episodes]
    solved = sum(episode.status == "solved" for episode in found)
    means = (fmean(values) for values in zip(*((e.steps or 0, e.questions, e.unmatched) for e in found), strict=True))
    return f"| {variant} | {actions} | {solved} of {tasks} | " + " | ".join(f"{mean:.1f}" for mean in means) + " |"


def table(tasks: int, variants: Sequence[str]) -> None:
    """Before and after."""
    print("| variant | `--actions` | solved | steps | questions | named nothing |")
    print("|---|---|---|---|---|---|")
    for variant in variants:
        for actions in (Actions.RELEVANT, Actions.ALL):
            print(row(tasks, variant, actions), flush=True)


if __name__ == "__main__":
    table(int(sys.argv[1]) if len(sys.argv) > 1 else 80, sys.argv[2:] or ("policy", "paper"))
