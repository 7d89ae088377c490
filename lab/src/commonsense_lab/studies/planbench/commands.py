"""``cplan bench planbench``: what a language model knows about plans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_lab.cli.options import names_option
from commonsense_lab.studies.bench_command import Bench, bench_command
from commonsense_planning.cli.options import FILE, count_option, names, seed_option
from commonsense_planning.errors import UsageError, check_known

EPILOG = """\b
Examples:
  cplan bench planbench blocks.pddl problems/*.pddl --exact -o results
  cplan bench planbench blocks.pddl problems/*.pddl --model openai:gpt-4o-mini --max-usd 1 -o results
  cplan bench planbench --data LLMs-Planning --domains blocksworld --tasks 500 --exact -o results
  cplan obfuscate blocks.pddl problems/*.pddl -o disguised
  cplan bench planbench disguised/domain.pddl disguised/problem-*.pddl --exact -o results

\b
The kinds of PlanBench (Valmeekam et al. 2023), tasks 1 to 8.3: generation, optimality, verification, reuse,
generalisation, replanning, execution, shuffled-goal, partial-goal, full-goal. They are made of problems of any
domain, three at least for generalisation; what cannot be made of a problem is left out. With --data, they are
PlanBench's own prompts, word for word: a checkout of https://github.com/karthikv792/LLMs-Planning.
--exact answers with our planners and validators in place of a model: all answers are right then.
"""


@bench_command(
    "planbench",
    "What a model knows of plans: PlanBench's kinds, for any domain.",
    EPILOG,
    click.argument("words", metavar="[DOMAIN PROBLEM... | PACK:PROBLEM...]", nargs=-1),
    click.option("--data", type=FILE, metavar="FOLDER", help="PlanBench's own prompts, where no domain is named."),
    names_option("--domains", "With --data: only these folders of it [default: all]."),
    names_option("--kinds", "Only these [default: all]."),
    count_option("--tasks", 10, "Of each kind; with --data, of each file of prompts."),
    click.option(
        "--as",
        "notation",
        type=click.Choice(["pddl", "english"]),
        default="pddl",
        show_default=True,
        help="How exercises describe a domain: by its files, or in the lexicon's English.",
    ),
    click.option("--exact", is_flag=True, help="Ask no model: cplan's planners and validators answer."),
    seed_option("Of what is drawn."),
)
def bench(
    given: Bench, /, words: tuple[str, ...], data: Path | None, kinds: str, tasks: int, seed: int, **values: Any
) -> int:
    """Have a model plan, verify, reuse, repair and predict plans, and mark its answers exactly."""
    from commonsense_lab.studies.planbench.exercises import TEMPLATES, Kind
    from commonsense_lab.studies.planbench.experiment import PlanbenchEpisode, PlanbenchSetup
    from commonsense_lab.studies.planbench.generated import generated
    from commonsense_lab.studies.planbench.published import published
    from commonsense_planning.llm.adapters import adapter_of
    from commonsense_planning.pddl.packs import task_files

    exact, english = values["exact"], values["notation"] == "english"
    check_known("kind", names(kinds), list(Kind))
    wanted = [kind for kind in Kind if not kinds or kind in names(kinds)]
    if data is None and not words:
        raise UsageError("name a domain with its problems, or --data with PlanBench's prompts")
    if not exact and not adapter_of(given.model)[0].reads_prompts:
        raise UsageError(
            f"the {given.model.name} model writes no plans: --model names one that does; --exact asks no model"
        )
    if words:
        domain, problems = task_files(words[0], words[1:])
        told = f"told in {'English' if english else 'PDDL'}"
        exercises = generated(domain.resolve(), problems, wanted, tasks, seed, english)
    else:
        told, exercises = (
            "PlanBench's prompts",
            published(Path(data or "").resolve(), names(values["domains"]), wanted, tasks),
        )
    setup = PlanbenchSetup(**given.shared, told=told, exact=exact)
    episodes = [PlanbenchEpisode(exercise, seed, setup) for exercise in exercises]
    return given.run([episodes], templates=TEMPLATES)
