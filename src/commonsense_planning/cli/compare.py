"""``cplan compare``: methods and models on the same problems and seeds, and their table."""

from __future__ import annotations

import shlex
import shutil
import textwrap
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonsense_planning.cli.completion import methods
from commonsense_planning.cli.model_options import AskingCommand, models_options, take_models
from commonsense_planning.cli.options import (
    OUT,
    Whole,
    count_option,
    json_option,
    max_memory_option,
    max_operators_option,
    names,
    seconds_option,
    seed_option,
    sensing_options,
)
from commonsense_planning.cli.task_arguments import task_arguments
from commonsense_planning.config import BudgetConfig, ModelConfig, Options
from commonsense_planning.errors import EXIT_BUDGET, EXIT_INTERRUPTED, EXIT_UNSOLVED, CplanError, Status, UsageError
from commonsense_planning.support.english import counted
from commonsense_planning.support.interrupts import held

if TYPE_CHECKING:
    from commonsense_planning.cli.job import SolveJob
    from commonsense_planning.cli.output import Move, Printer
    from commonsense_planning.support.row_file import RowFile

Row = Mapping[str, Any]

EPILOG = """\b
Examples:
  cplan compare household:demo household:two-apples --methods llm-mcts,look-nearest --seeds 5 -o results
  cplan compare domain.pddl problems/*.pddl --methods "gbfs, gbfs --heuristic add, astar" --jobs 2 -o results
  cplan compare household:demo --methods llm-mcts,llm-replan --models embedded,openai:gpt-4o-mini \\
      --max-usd 2 --record answers.jsonl -o results

Every method runs with every model on every problem and seed; one that asks no model runs once. The rows are in
FOLDER/rows.jsonl as soon as they are there: after a kill or Ctrl-C the same command continues, and with more methods,
models, problems or seeds it runs what is missing. FOLDER gets the table as comparison.csv, .md and .html, a page with a
plot of the wins and losses, task by task. A method's options follow its name. Limits in seconds and steps are for each
run; those on calls, tokens and money are for all in FOLDER together. Exit code 0: every run has a row.
"""
GROUPS = {
    "Task": ("strict", "sensors", "hide_rooms", "lexicon"),
    "Limits": ("seconds", "max_steps", "max_memory", "max_operators"),
}
LIMITS = ("max_calls", "max_tokens", "max_usd")
LIMIT_REACHED = "a limit for all runs together is reached; a higher one continues"
ROWS, TABLE = "rows.jsonl", "comparison"
INDENT = "  "
BESIDE = ("sensors.pddl", "lexicon.toml", "action-language.toml")


@click.command(
    name="compare", cls=AskingCommand, short_help="Compare methods and models.", epilog=EPILOG, groups=GROUPS
)
@task_arguments(several=True)
@click.option(
    "--methods", metavar="A,B", required=True, shell_complete=methods, help="Methods, the first the baseline."
)
@count_option("--seeds", 1, "Runs of each, with consecutive seeds.")
@seed_option("The first seed.")
@click.option("-o", "--output", type=OUT, metavar="FOLDER", required=True, help="Folder of the rows and the table.")
@count_option("--jobs", 1, "Runs at the same time.")
@seconds_option("--timeout", "--max-seconds", "seconds", help="Limit in seconds for each run.")
@click.option("--max-steps", type=Whole(min=1), help="Limit on the steps of a run; a miss counts as so many.")
@max_memory_option
@max_operators_option
@models_options
@sensing_options
@json_option
def command(
    domain: Path,
    problems: tuple[Path, ...],
    methods: str,
    seeds: int,
    seed: int,
    output: Path,
    jobs: int,
    max_steps: int | None,
    hide_rooms: bool,
    as_json: bool,
    **values: Any,
) -> int:
    """Compare methods and models on the same problems and seeds, in one table."""
    from commonsense_planning.cli.job import OutputOptions, SolveJob
    from commonsense_planning.cli.output import Printer, counting_bar
    from commonsense_planning.support.row_file import RowFile
    from commonsense_planning.task import hidden_rooms

    models, limits = take_models(values)
    if jobs > 1 and any(getattr(limits, name) is not None for name in LIMITS):
        raise UsageError("--max-calls, --max-tokens and --max-usd apply to all runs together, and need --jobs 1")
    if hide_rooms:
        values["sensors"] = hidden_rooms(domain, values["sensors"])
    quiet = OutputOptions(None, None, False, quiet=True, as_json=True, everyone=False)
    stems, chosen = Counter(problem.stem for problem in {*problems}), _variants(methods, max_steps)
    wanted: list[Wanted] = []
    for problem in dict.fromkeys(problems):
        name = problem.stem if stems[problem.stem] == 1 else str(problem)
        setup = _setup(domain, problem, max_steps, values)
        read = [domain] * bool(wanted)  # the first run with a file tells of the warnings about it
        for each, model, (variant, (method, options)) in product(range(seed, seed + seeds), models, chosen.items()):
            job = SolveJob(domain, problem, None, None, method, options, quiet, seed=each, told=read, **values)
            wanted.append(Wanted(job, model, name, variant, f"{name}, {variant}, seed {each}, {setup}"))
            read = [domain, problem, values["sensors"] or domain.parent / BESIDE[0]]
    printer = Printer(as_json)
    with RowFile(output / ROWS) as file, counting_bar(printer, False, "runs") as move:
        interrupted = run_all(wanted, limits, jobs, file, move)
    code = _report(wanted, output, max_steps, printer, as_json)
    return EXIT_INTERRUPTED if interrupted else code


def _setup(domain: Path, problem: Path, max_steps: int | None, values: Mapping[str, Any]) -> str:
    """What else the runs on a problem depend on, as text: limits, and the contents of the files."""
    import hashlib

    content = hashlib.sha256()
    beside = (domain.parent / name for name in BESIDE)
    for file in (domain, problem, *filter(None, (values["sensors"], values["lexicon"])), *beside):
        content.update(file.read_bytes() if file.is_file() else b"\0")
    limits = {"seconds": values["seconds"], "steps": max_steps, "operators": values["max_operators"]}
    told = [f"limit {limit} {what}" for what, limit in limits.items() if limit is not None]
    return ", ".join([*told, f"files {content.hexdigest()[:12]}"])


def _variants(text: str, max_steps: int | None) -> dict[str, tuple[str, Options]]:
    """The methods that ``--methods`` names, with their options: name in the rows → method and options. Raises
    UsageError for an unknown method or option."""
    from commonsense_planning.cli.method_options import own_options
    from commonsense_planning.methods.registry import method_named

    found = {}
    for each in names(text):
        try:
            name, *words = shlex.split(each)
            own = click.Command(name, params=[*own_options(name)], add_help_option=False)
            values = own.make_context(name, words).params
        except (click.UsageError, ValueError) as error:
            said = error.format_message() if isinstance(error, click.UsageError) else str(error)
            raise UsageError(f"--methods: {each}: {said}") from error
        kind = method_named(name).Options
        limit = {"max_steps": max_steps} if values.get("max_steps", 0) is None else {}
        found[f"{name} {kind.of(values).changed}".strip()] = name, kind.of({**values, **limit})
    if not found:
        raise UsageError("--methods names no method")
    return found


@dataclass(frozen=True)
class Wanted:
    """A run of a comparison: its job, the model that it may ask, the names of its problem and of its method with its
    options, and the ``key`` of its row if it asks no model: it then holds for all models."""

    job: SolveJob
    model: ModelConfig
    problem: str
    variant: str
    key: str

    @property
    def own_key(self) -> str:
        """The key of its row if it asks its model."""
        from commonsense_planning.methods.provenance import model_in_words

        return f"{self.key}, {model_in_words(self.model)}"

    def row_in(self, rows: Mapping[str, Row]) -> str | None:
        """The key of its row, if it has been run to its end."""
        return next((key for key in (self.key, self.own_key) if key in rows and "error" not in rows[key]), None)


def attempt(run: Wanted, limits: BudgetConfig) -> dict[str, Any]:
    """Does one run, and returns its row: what ``cplan solve --json`` says, or, of one that did not come to its end, an
    ``error`` and the exit ``code``."""
    from commonsense_planning.cli.job import build_request
    from commonsense_planning.cli.jobs import solve_and_validate
    from commonsense_planning.cli.output import Printer
    from commonsense_planning.llm.models import own_models

    part = f"{run.problem}, {run.variant}, model {run.model.name}, seed {run.job.seed}"
    with own_models(run.model, limits, part, run.job.seed) as models:
        try:
            with build_request(run.job, models, Printer(True)) as request:
                outcome = solve_and_validate(request, run.job.wanted, Printer(True))
            row = outcome.view()
            if outcome.solution.interrupted:
                row = {"error": "interrupted", "code": EXIT_INTERRUPTED}
            elif outcome.status is Status.BUDGET and models.used_up:
                row = {"error": LIMIT_REACHED, "code": EXIT_BUDGET}
        except CplanError as error:
            row = error.as_json() if error.status else {"error": str(error), "code": error.exit_code}
        asked = models.usage.questions > 0
        if asked:
            row |= {"usage": models.usage.as_json(), "usd": models.cost}
        return {**row, "asked": run.model.name if asked else "", "spent": models.spent}


def run_all(wanted: Sequence[Wanted], limits: BudgetConfig, workers: int, file: RowFile, move: Move) -> bool:
    """Does the runs that have no row yet, ``workers`` at a time, and keeps each row as soon as it is there; returns
    whether it was interrupted. It stops where a limit for all runs is reached."""
    from commonsense_planning.support.row_file import read_lines

    rows: dict[str, Row] = {line.key: line.data for line in read_lines(file.path)}
    failed = 0
    try:
        for model in dict.fromkeys(run.model for run in wanted):  # those that the first one was not asked in are done
            left = [run for run in wanted if run.row_in(rows) is None]
            todo, done = [run for run in left if run.model is model], len(wanted) - len(left)
            with closing(_ends(todo, limits, workers, rows)) as ends:
                for run, row in ends:
                    key = run.own_key if row["asked"] or "error" in row else run.key
                    spent = Counter(row["spent"])
                    spent.update(rows.get(key, {}).get("spent", {}))
                    about = {"task": run.problem, "variant": run.variant, "seed": run.job.seed, "spent": dict(spent)}
                    with held():
                        rows[key] = {**row, **about, "key": key}
                        file.append(rows[key])
                    done, failed = done + 1, failed + ("error" in row)
                    move(done, len(wanted), failed)
                    if row.get("code") in (EXIT_BUDGET, EXIT_INTERRUPTED):
                        return bool(row["code"] == EXIT_INTERRUPTED)
    except KeyboardInterrupt:
        return True
    return False


def _ends(
    todo: Sequence[Wanted], limits: BudgetConfig, workers: int, rows: Mapping[str, Row]
) -> Generator[tuple[Wanted, dict[str, Any]]]:
    """Runs with their rows, as they end. Limits hold for all ``rows``, which grow meanwhile."""
    if workers > 1:
        from commonsense_planning.support.pool import DIED, completed

        with closing(completed(partial(attempt, limits=limits), todo, workers)) as ends:
            for number, ended in ends:
                yield todo[number], ended or {"error": DIED, "code": EXIT_UNSOLVED, "asked": "", "spent": {}}
        return
    for run in todo:
        spent = Counter[str]()
        for row in rows.values():
            spent.update(row.get("spent", {}))
        left = {name: max(0, most - spent[name]) for name in LIMITS if (most := getattr(limits, name)) is not None}
        yield run, attempt(run, replace(limits, **left))


def _report(wanted: Sequence[Wanted], output: Path, max_steps: int | None, printer: Printer, as_json: bool) -> int:
    """Prints the table and writes its files; returns the exit code."""
    from commonsense_planning.cli.output import WIDTH, narrower, print_json
    from commonsense_planning.support.row_file import read_lines
    from commonsense_planning.support.writing import write_text
    from commonsense_planning.view.comparison import ComparedRun, Comparison

    lines = {line.key: line for line in read_lines(output / ROWS)}
    rows = {key: line.data for key, line in lines.items()}
    several = len({run.model.name for run in wanted}) > 1
    failed = [
        (f"{run.variant}, {run.model.name}" if several else run.variant, rows[run.own_key])
        for run in wanted
        if run.row_in(rows) is None and run.own_key in rows
    ]
    why = Counter((label, str(row["error"]).partition("\n")[0]) for label, row in failed)
    notes = [f"not run to the end: {label}, {counted(n, 'run')}: {error}" for (label, error), n in why.items()]
    done = dict.fromkeys(key for run in wanted if (key := run.row_in(rows)) is not None)
    left = sum(run.row_in(rows) is None for run in wanted) - len(failed)
    notes += [f"not run yet: {counted(left, 'run')}: the same command continues"] if left else []
    code = max([EXIT_UNSOLVED * bool(left), *(int(row["code"]) for _, row in failed)])
    found = Comparison([lines[key].row(ComparedRun) for key in done], max_steps, notes, several)
    about = f"{wanted[0].job.domain.parent.name}: {found.setup}"
    wide = min(WIDTH, shutil.get_terminal_size((WIDTH, 0)).columns)
    for note in found.notes:
        printer.line(note, "yellow")
    printer.line(about, "bold")
    for title, legend, cells in found.tables:
        printer.line(title, "bold")
        for part in narrower(cells, wide - len(INDENT)):
            printer.rows(part, INDENT)
        for text in textwrap.wrap(legend, wide - len(INDENT)):
            printer.line(INDENT + text, "dim")
    for ending, text in (("csv", found.csv()), ("md", found.markdown(about)), ("html", found.page(about))):
        write_text(output / f"{TABLE}.{ending}", text, "the table")
    printer.line(f"table written to {output / TABLE}.csv, .md and .html; rows in {output / ROWS}")
    if as_json:
        print_json({"lines": found.records, "notes": found.notes, "rows": str(output / ROWS)})
    return code
