"""``cplan write-heuristic``: has a language model write a heuristic for a domain, once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonsense_lab.learning.settings import WritingOptions
from commonsense_planning import __version__
from commonsense_planning.cli.method_options import take_options
from commonsense_planning.cli.model_options import AskingCommand, model_options, take_model
from commonsense_planning.cli.options import OUT, json_option, options_from, seconds_option, seed_option
from commonsense_planning.cli.task_arguments import task_arguments
from commonsense_planning.errors import EXIT_BUDGET, EXIT_SOLVED, EXIT_UNSOLVED, InputError
from commonsense_planning.support.english import counted

if TYPE_CHECKING:
    from commonsense_lab.learning.heuristic_writer import Candidate
    from commonsense_planning.pddl.problem import Problem

EPILOG = """\b
Examples:
  cplan write-heuristic domain.pddl training/*.pddl -o heuristic.py --model openai:gpt-4o --max-usd 1
  cplan write-heuristic domain.pddl p1.pddl p2.pddl -o heuristic.py --model local --candidates 2
  cplan solve domain.pddl large.pddl --method gbfs --heuristic heuristic.py

\b
The prompt has the domain, the smallest and the largest PROBLEM. Every candidate is checked and guides gbfs on all
PROBLEMs, in a separate process without keys. The best candidate solves most PROBLEMs; of equals, hill climbing alone
solves most with it; of these, it expands the fewest states. The model then gets a state where the best candidate
misleads the search, and repairs it. You can read and change the file; using it needs no model.
"""


@click.command(
    name="write-heuristic", cls=AskingCommand, short_help="Have a model write a heuristic for a domain.", epilog=EPILOG
)
@task_arguments(several=True)
@click.option("-o", "--out", type=OUT, required=True, help="File for the heuristic.")
@seed_option("Seed of a local model's answers.")
@seconds_option("--timeout", "seconds", help="Limit on asking the model, in seconds.")
@click.option("--trace", "trace_file", type=OUT, help="Write the events to this file, as JSON lines.")
@click.option("--quiet", is_flag=True, help="Print the outcome only.")
@options_from(WritingOptions)
@model_options
@json_option
def command(
    domain: Path,
    problems: tuple[Path, ...],
    out: Path,
    strict: bool,
    seed: int,
    seconds: float | None,
    trace_file: Path | None,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> int:
    """Have a language model write a heuristic for DOMAIN, try it on the PROBLEMs, and keep the best."""
    from commonsense_lab.learning.heuristic_writer import HeuristicWriter
    from commonsense_lab.learning.llm_heuristic import LLM_HEURISTIC, writing_run
    from commonsense_planning.cli.outcome import Trace
    from commonsense_planning.cli.output import Narrator, Printer, print_json, progress, tell_warnings
    from commonsense_planning.llm.models import ModelSession
    from commonsense_planning.methods.method import Request
    from commonsense_planning.methods.provenance import note_in_recording, provenance
    from commonsense_planning.methods.run import Clock
    from commonsense_planning.support.writing import write_text
    from commonsense_planning.task import read_task

    model, limits = take_model(values)
    options = take_options(WritingOptions, values)
    if not out.parent.is_dir():
        raise InputError(f"{out}: cannot write the heuristic: there is no folder {out.parent}")
    read = (read_task(domain, file, strict=strict) for file in problems)
    tasks = sorted(read, key=lambda t: t.problem.problem_file.stat().st_size)
    tell_warnings(warning for task in tasks for warning in task.problem.warnings)
    training = [task.problem for task in tasks]
    printer = Printer(as_json)
    narrator = Narrator(printer, quiet)
    with ModelSession(model, limits) as models, progress(printer, quiet) as report, ExitStack() as kept:
        request = Request(tasks[0], LLM_HEURISTIC, models=models, seed=seed, seconds=seconds, report=report)
        made = provenance(request, options)
        trace = kept.enter_context(Trace(trace_file, made))

        def emit(event: dict[str, Any]) -> None:
            trace.emit(event)
            narrator.tell(event)

        request = replace(request, emit=emit)
        run = writing_run(request, Clock(seconds))
        run.start(training=[problem.problem_name for problem in training])
        writer = HeuristicWriter(run.model, training, options.trial_seconds, emit, report)
        written = writer.write(options.candidates, options.repairs)
        usage, spoke = models.usage, run.model.name
        if model.recorded is not None:
            note_in_recording(model.recorded, made)
    best = next((candidate for candidate in written if candidate.solved or candidate.untried), None)
    usable = best is not None and best.solved > 0
    if best is not None:
        write_text(out, _header(best, training, spoke, usage.prompts) + best.program, "the heuristic")
    if best is not None and not usable:
        printer.line(f"{best.name} is kept in {out}, though it solved nothing: {best.untried}", "yellow")
    elif best is not None:
        printer.line(f"{best.name} is the best: {_words(best)}", "green")
        printer.line(f"the heuristic is in {out}; use it with --method gbfs --heuristic {out}")
    else:
        printer.line("no heuristic solves any of the problems: none is written", "yellow")
    counts = counted(usage.questions, "question"), counted(usage.calls, "call"), counted(usage.tokens, "token")
    printer.line(f"asked {', '.join(counts)} of {spoke}")
    if as_json:
        candidates = [candidate.as_json() for candidate in written]
        print_json({"written": str(out) if best else None, "candidates": candidates, "usage": usage.as_json()})
    return EXIT_SOLVED if usable else EXIT_BUDGET if best else EXIT_UNSOLVED


def _words(candidate: Candidate) -> str:
    problems = counted(len(candidate.outcomes), "problem")
    return f"gbfs solves {candidate.solved} of {problems} with it, hill climbing alone {candidate.climbed}"


def _header(best: Candidate, training: Sequence[Problem], model: str, prompts: str) -> str:
    """Returns comments for readers of the file."""
    names = ", ".join(problem.problem_name for problem in training)
    lines = [
        f"A heuristic for the domain {training[0].domain_name}, written by {model} (prompts {prompts}), {best.name},",
        f"with cplan {__version__}. Training problems: {names}: {_words(best)}.",
        "Use: cplan solve DOMAIN PROBLEM --method gbfs --heuristic THIS-FILE",
    ]
    return "".join(f"# {line}\n" for line in lines) + "\n"
