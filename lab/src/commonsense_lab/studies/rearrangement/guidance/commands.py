"""``cplan bench guidance``: the value of a prior and a policy of known quality to each method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_lab.cli.options import names_option, pack_option
from commonsense_lab.studies.bench_command import Bench, bench_command
from commonsense_planning.cli.options import count_option, names, seed_option
from commonsense_planning.errors import UsageError

EPILOG = """\b
Examples:
  cplan bench guidance -o results
  cplan bench guidance --tasks 20 --priors 0.5 --policies 0,1,1:knowing,0.5:stubborn -o results
  cplan bench guidance --large --priors embedded,0.5 -o results

\b
No model is asked: scripted ones answer. A prior of quality p names, for each kind of thing, with probability p
a place where one is, else one drawn at random; that gets the share p of the belief, the rest is even. A policy
of quality q gives with probability q the first action of a plan for the likeliest world (:knowing: for the
true one), else an action drawn at random (:stubborn: always the one that it likes best). In large homes,
of 12 to 20 rooms and 400 things, half of these at unexpected places; five to eight are wanted elsewhere.
"""


@bench_command(
    "guidance",
    "Priors and policies of known quality in place of a model's.",
    EPILOG,
    count_option("--tasks", 100, "Spread over both homes and the kinds of tasks."),
    click.option("--large", is_flag=True, help="Large homes and hard tasks, with few steps."),
    names_option("--priors", "Qualities of priors, or embedded: that model's.", "0,0.5"),
    names_option("--policies", "Qualities of policies.", "0,0.5,1,0.5:stubborn,1:knowing"),
    names_option("--methods", "Which methods.", "llm-mcts,llm-policy,no-policy,llm-replan,look-nearest"),
    count_option("--simulations", 100, "Simulations per decision."),
    seed_option("Of the tasks, agents and models."),
    pack_option("household"),
)
def bench(
    given: Bench, /, tasks: int, priors: str, policies: str, methods: str, seed: int, pack: Path, **settings: Any
) -> int:
    """Rearrange homes with scripted models; write the report to the folder of the results."""
    from commonsense_lab.studies.rearrangement.guidance.experiment import GuidanceSetup, guidance_episodes
    from commonsense_lab.studies.rearrangement.guidance.scripted import OWN, PolicyQuality, quality

    try:
        wanted = [text if text == OWN else quality(text) for text in names(priors)]
    except ValueError as error:
        raise UsageError(f"a prior is a number from 0 to 1, or {OWN}; {error} is neither") from error
    setup = GuidanceSetup(**given.shared, pack=pack.resolve(), **settings)
    read = [PolicyQuality.read(text) for text in names(policies)]
    return given.run([guidance_episodes(setup, tasks, seed, wanted, read, names(methods))], pack)
