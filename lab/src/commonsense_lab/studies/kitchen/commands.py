"""``cplan bench kitchen``: search in kitchens after Tru-POMDP's description."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from commonsense_lab.cli.options import names_option, pack_option, policy_options
from commonsense_lab.studies.bench_command import Bench, bench_command
from commonsense_planning.cli.options import count_option, names, seed_option
from commonsense_planning.errors import check_known

EPILOG = """\b
Examples:
  cplan bench kitchen -o results
  cplan bench kitchen --levels hard --tasks 5 --model openai:gpt-4o-mini --max-usd 1 -o results

\b
Tasks of the kind of "Tru-POMDP" (Tang et al. 2025), drawn from its description: five kitchens with up to
40 places, up to 29 of them with doors, and 20 things; 2 (easy), 3 (medium), 4 to 8 (hard) of these are wanted
elsewhere within 25, 30, 35 steps. Walking is no step. lab/docs/search.md says what the paper does not print.
"""


@bench_command(
    "kitchen",
    "Things behind up to 29 doors, after Tru-POMDP's description.",
    EPILOG,
    count_option("--tasks", 10, "Of each level."),
    names_option("--levels", "Only these.", "easy,medium,hard"),
    names_option("--methods", "Which methods.", "llm-mcts,llm-replan"),
    count_option("--simulations", 100, "Simulations per decision."),
    policy_options,
    seed_option("Of the tasks and agents."),
    pack_option("kitchen"),
)
def bench(given: Bench, /, tasks: int, levels: str, methods: str, seed: int, pack: Path, **settings: Any) -> int:
    """Look for things in kitchens and put them where they are wanted; write the report to the folder of the results."""
    from commonsense_lab.studies.kitchen.experiment import KitchenSetup, Level, kitchen_episodes

    wanted = names(levels)
    check_known("level", wanted, list(Level))
    setup = KitchenSetup(**given.shared, pack=pack.resolve(), **settings)
    episodes = kitchen_episodes(setup, tasks, seed, names(methods), [Level(name) for name in wanted])
    return given.run([episodes], pack)
