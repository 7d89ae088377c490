"""``cplan bench heuristics``: the value of heuristics that a model writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonsense_lab.cli.bench import run_experiment
from commonsense_lab.cli.options import names_option
from commonsense_lab.learning.settings import WritingOptions
from commonsense_lab.studies.bench_command import Bench, bench_command
from commonsense_planning.cli.method_options import take_options
from commonsense_planning.cli.options import FILE, Whole, click_option, count_option, names, seconds_option, seed_option
from commonsense_planning.errors import EXIT_SOLVED, UsageError, check_known

if TYPE_CHECKING:
    from commonsense_lab.runner.runner import Episode

EPILOG = """\b
Examples:
  cplan bench heuristics --data benchmarks -o results
  cplan bench heuristics --data benchmarks --solvers llm-heuristic --model openai:gpt-4o --max-usd 5 -o results
  cplan bench heuristics --data benchmarks --domains ferry,spanner --every 30 --workers 1 -o results

\b
FOLDER are the benchmarks of the planning competition's learning track of 2023, from
https://github.com/ipc2023-learning/benchmarks, or others that are laid out like these:
DOMAIN/domain.pddl, DOMAIN/training/*/*.pddl, DOMAIN/testing/{easy,medium,hard}/*.pddl.

\b
First the model writes a heuristic for each domain, then every solver gets each ninth test problem. Solvers: fd-ff,
fd-lama, gbfs, pyperplan, hand-written (cplan's heuristics), llm-heuristic. It takes up to 30 s a problem
and solver; --workers 1 keeps solvers from disturbing each other. Interrupted, the same command resumes.
"""


@bench_command(
    "heuristics",
    "Heuristics that a model writes, compared with others.",
    EPILOG,
    click.option("--data", type=FILE, required=True, metavar="FOLDER", help="The benchmarks."),
    names_option("--domains", "Only these [default: all]."),
    names_option("--solvers", "Only these [default: all; the model's if it writes any]."),
    count_option("--every", 9, "The step between test problems."),
    click.option("--first", type=Whole(1), help="The first of these [default: the middle of a step]."),
    seconds_option("--seconds", help="For each problem and solver.", default=30.0),
    count_option("--training", 5, "Training problems."),
    click.option(
        "--names",
        "kinds",
        default="plain",
        show_default=True,
        metavar="A,B",
        help="Names of the domains for the model: plain, obfuscated.",
    ),
    click.option("--heuristics", type=FILE, metavar="FOLDER", help="DOMAIN.py for each domain: no model is asked."),
    seed_option("Of a local model's answers."),
)
def bench(
    given: Bench, /, data: Path, domains: str, solvers: str, kinds: str, heuristics: Path | None, **values: Any
) -> int:
    """Have a model write a heuristic for each domain, and let all solvers solve test problems."""
    from commonsense_lab.learning.heuristic_questions import TEMPLATES
    from commonsense_lab.runner.rows import read_lines
    from commonsense_lab.studies.heuristics import benchmarks, experiment
    from commonsense_lab.studies.heuristics.solvers import LLM, SOLVERS
    from commonsense_lab.studies.heuristics.tables import WritingRow
    from commonsense_planning.llm.adapters import adapter_of
    from commonsense_planning.support.reading import read_text

    running, model = given.running, given.model
    writing = take_options(WritingOptions, values)
    data = data.resolve()
    there = benchmarks.domains(data)
    wanted = names(domains) or there
    for name in wanted:
        if name not in there:
            raise UsageError(f"there is no domain {name} in {data}; there are {', '.join(there)}")
    writes = heuristics is not None or adapter_of(model)[0].reads_prompts
    chosen = names(solvers) or [*SOLVERS, *([LLM] if writes else [])]
    check_known("solver", chosen, (*SOLVERS, LLM))
    setup = experiment.HeuristicsSetup(**given.shared, data=data, writing=writing, **values)
    solving = experiment.solving_episodes(setup, wanted, [name for name in chosen if name != LLM], {})
    if heuristics is not None:
        files = {name: heuristics / f"{name}.py" for name in wanted if LLM in chosen}
        programs = {name: read_text(file, "a heuristic") for name, file in files.items()}
        solving += experiment.solving_episodes(setup, wanted, [LLM], programs, f"read from {heuristics.name}")
        return run_experiment([solving], running)
    if running.dry_run:
        first: list[Episode] = [*(experiment.writing_episodes(setup, wanted) if LLM in chosen else []), *solving]
        stages = iter([first]) if LLM in chosen else [first]  # what is written is tried in others
        return given.run(stages, templates=TEMPLATES)
    code = EXIT_SOLVED
    for kind in names(kinds) if LLM in chosen else ():
        named = setup
        if kind == benchmarks.OBFUSCATED:
            named = replace(setup, renamed=(running.out / "obfuscated").resolve())
            for domain in wanted:
                benchmarks.obfuscate(data, domain, setup.every, setup.first, setup.training, running.out / "obfuscated")
        elif kind != benchmarks.PLAIN:
            raise UsageError(f"--names {kind}: there are {benchmarks.PLAIN} and {benchmarks.OBFUSCATED}")
        episodes = experiment.writing_episodes(named, wanted)
        # apart, since a recording is of what is asked: it may be judged on any machine
        silent = replace(given, running=replace(running, quiet=True, as_json=False))
        code = max(code, silent.run([episodes], templates=TEMPLATES))
        lines = [line for line in read_lines(running.out) if line.data.get("part") == "writing" and not line.error]
        written = {line.key: line.row(WritingRow).program for line in lines}
        programs = {episode.domain: written.get(episode.labels.key, "") for episode in episodes}
        solving += experiment.solving_episodes(named, wanted, [LLM], programs)
    return max(code, run_experiment([solving], running))


bench.params += map(click_option, WritingOptions.settings())
