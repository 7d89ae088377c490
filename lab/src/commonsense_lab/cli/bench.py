"""``cplan bench``: the experiments, which studies bring; ``cplan report``: the tables and plots of their results;
``cplan data``: tasks, trajectories and other programs' files.

Here is what the commands of all experiments have in common: their options, the run with its bar, the report.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from commonsense_planning.cli.lazy import LazyGroup
from commonsense_planning.cli.options import FILE, OUT, Whole, json_option, ray_option
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import (
    EXIT_MISSING,
    EXIT_SOLVED,
    EXIT_UNSOLVED,
    MissingError,
    UnansweredError,
    UsageError,
)
from commonsense_planning.pddl.syntax import counted

if TYPE_CHECKING:
    from commonsense_lab.runner.rows import EpisodeOutcome, Labels
    from commonsense_lab.runner.runner import Engine, Episode
    from commonsense_planning.cli.output import Printer

EXPERIMENTS = "commonsense_planning.experiments"
"""The group of entry points whose objects are the commands below ``cplan bench``."""

DATA = "commonsense_planning.data"
"""The group of entry points whose objects are the commands below ``cplan data``."""

BENCH_EPILOG = """\b
Examples:
  cplan bench EXPERIMENT --help
  cplan bench EXPERIMENT -o results
  cplan report results

\b
An experiment may be interrupted or killed at any moment: the same command goes on where it was.
--record FILE keeps all answers of an experiment in one file; with --replay FILE the same command gives the same
report without key and network, and says first how many questions the file answers. Only what is asked, and so recorded,
with --prompts paper stands beside published numbers.
--dry-run says how many episodes there are and are there already, and what is known of what the rest costs.
"""

DATA_EPILOG = """\b
Examples:
  cplan data tasks -o tasks
  cplan data expert -o D.jsonl --pool pool.jsonl
  cplan data import-virtualhome graph.json --goal "(inside salmon fridge)" -o problem.pddl
"""

REPORT_EPILOG = """\b
Examples:
  cplan report results
  cplan report results -o pages/household.md
  cplan report seeds-0 seeds-1 -o all.md

\b
Several folders: parts of one experiment that were run in different places. An episode that failed in one of them is
taken from another; two results of the same episode that differ are an error, which names the lines.
The report is written as Markdown (PAGE.md) and as one self-contained HTML file (PAGE.html); its plots, where it
has any, go to the folder "plots" beside them, as PNG and SVG.
"""

REPORT = "report.md"

_SAID = {ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP}
_USER = re.compile(r"(?<=://)[^/@]*@")  # https://user:password@host

Function = TypeVar("Function", bound=Callable[..., Any])


@click.group(
    name="bench",
    cls=LazyGroup,
    own={},
    plug_ins=EXPERIMENTS,
    moved={"models": "misplaced, household or rearrangement, with each --model into one -o: the report compares them"},
    short_help="Run an experiment: methods on many tasks, many times.",
    epilog=BENCH_EPILOG,
)
def bench() -> None:
    """Run an experiment, on all cores. Every episode is a line in episodes.jsonl, in the folder of the results."""


@click.group(
    name="data",
    cls=LazyGroup,
    own={},
    plug_ins=DATA,
    short_help="Make tasks and trajectories; read and write other formats.",
    epilog=DATA_EPILOG,
)
def data() -> None:
    """Make the tasks of an experiment and what policies learn from; read and write what other programs have. Equal
    seeds give equal files."""


@click.command(name="report", short_help="Make tables of an experiment's results.", epilog=REPORT_EPILOG)
@click.argument("results", type=FILE, nargs=-1, required=True)
@click.option("-o", "--output", metavar="PAGE", type=OUT, help="The pages [default: report.md in the folder].")
def report(results: tuple[Path, ...], output: Path | None) -> int:
    """Print the tables of a folder that an experiment wrote to, also while it runs, and write its report; of several
    folders, those of all their episodes together."""
    from commonsense_planning.cli.output import Printer

    if output is None and len(results) > 1:
        raise UsageError("several folders have no place of their own for a report: -o PAGE says where it goes")
    _show(results, output or results[0] / REPORT, Printer(), quiet=False)
    return EXIT_SOLVED


@dataclass(frozen=True)
class RunOptions:
    """The values of the options that all experiments share, by their names: where results go, how many processes there
    are or which cluster takes their place, whether failed episodes are run again or none is run at all, and what is
    printed."""

    out: Path
    workers: int | None
    ray: str | None
    again: bool
    dry_run: bool
    quiet: bool
    as_json: bool


UNSAID = (*RunOptions.__dataclass_fields__, "record", "replay", "cache", "ask_later")
"""Options on which results do not depend."""

_OPTIONS = (
    click.option("-o", "--out", type=OUT, required=True, help="The folder of the results; it is made."),
    click.option("--workers", type=Whole(min=1), help="Processes [default: one for each core]."),
    ray_option,
    click.option("--again", is_flag=True, help="Run episodes that ended in an error once more."),
    click.option("--dry-run", is_flag=True, help="Count episodes, estimate questions, money and time; run nothing."),
    click.option("--quiet", is_flag=True, help="No progress, no tables."),
    json_option,
)


def experiment_options(function: Function) -> Function:
    """Add the options that all experiments share to a command; their values are for ``take_running``."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def take_running(values: dict[str, Any]) -> RunOptions:
    """Take the values of these options out of a command's ``values``."""
    return RunOptions(**{name: values.pop(name) for name in RunOptions.__dataclass_fields__})


def again_as(context: click.Context, *unsaid: str) -> str:
    """The command line that gives this run again: the arguments and options that were given, in the user's settings
    too, without those on which results do not depend, those named in ``unsaid``, and a password in a URL."""
    words = context.command_path.split()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") in _SAID
        if not given or parameter.name in (*UNSAID, *unsaid):
            continue
        value = context.params[parameter.name or ""]
        if isinstance(parameter, click.Option):
            words.append(max(parameter.opts, key=len))
        if value is not True:
            words += [_USER.sub("", str(each)) for each in (value if isinstance(value, tuple) else [value])]
    return f"{shlex.join(words)} -o results"


@dataclass(frozen=True)
class ExperimentModel:
    """Who answers an experiment's questions, and within which limits for all its episodes together. ``packs``: the
    folders of its domains; ``templates``: where those of the questions are, if not where all are."""

    model: ModelConfig
    limits: BudgetConfig
    packs: tuple[Path, ...] = ()
    templates: Path | None = None

    @property
    def versions(self) -> set[str]:
        """The versions of the templates that questions are put with now."""
        from commonsense_planning.llm.models import ModelSession
        from commonsense_planning.matching.matcher import LexicalMatcher
        from commonsense_planning.pddl.packs import DOMAIN, PROMPTS, beside
        from commonsense_planning.wording.questions import FORMS, TEMPLATES, Scene

        models = ModelSession(self.model)
        found = set()
        for own in {beside(pack / DOMAIN, PROMPTS) for pack in self.packs} or {None}:
            prompts = models.prompts(Scene(), own, LexicalMatcher())
            found |= {prompts.version(folder) for folder in (FORMS, TEMPLATES, self.templates or TEMPLATES)}
        return found


def run_experiment(
    stages: Iterable[Sequence[Episode]], running: RunOptions, asking: ExperimentModel | None = None
) -> int:
    """Run what is missing, write the tables and print them; the exit code. What is raised on the way leaves the rows in
    place.

    The episodes of one of the ``stages`` are run before the next is made, so that it may depend on their rows; a dry
    run sees the first of them alone. On a replay, only those are run that the recording has whole.
    """
    from commonsense_lab.cli.forecast import show_forecast
    from commonsense_lab.report.terminal import INDENT
    from commonsense_lab.runner.recording import Recording
    from commonsense_lab.runner.runner import Spending, Summary, run
    from commonsense_planning.cli.output import Printer, counting_bar, print_json
    from commonsense_planning.llm.models import ModelSession

    engine, printer = _engine(running.workers, running.ray), Printer(running.as_json)
    spending = Spending(BudgetConfig() if asking is None else asking.limits)
    path = None if asking is None else asking.model.replay or asking.model.recorded
    replays = asking is not None and asking.model.replay is not None
    recording = None if path is None else Recording(path, new=not replays)
    done, left_out = Summary(0, 0, 0, 0, 0.0), 0

    def settle(labels: Labels, outcome: EpisodeOutcome) -> tuple[Labels, EpisodeOutcome]:
        if recording is None:
            return labels, outcome
        labels, outcome = recording.as_recorded(labels, outcome)
        if not replays:
            recording.end(labels, outcome)
        return labels, outcome

    for episodes in stages:
        if recording is not None and asking is not None and (replays or recording.parts):
            coverage = recording.coverage([episode.labels.key for episode in episodes], asking.versions)
            printer.line(f"{recording.about}: {coverage}")
            if replays:
                left_out += coverage.cut + coverage.missing
                episodes = [episode for episode in episodes if recording.has(episode.labels.key)]
        if running.dry_run:
            models = None if asking is None else ModelSession(asking.model, asking.limits)
            more = not isinstance(stages, Sequence)
            how = {"again": running.again, "more": more, "as_json": running.as_json}
            show_forecast(episodes, running.out, models, printer, **how)
            return EXIT_SOLVED
        with counting_bar(printer, running.quiet, "episodes", at_once=True) as move:
            done += run(episodes, running.out, engine, move, spending.check, running.again, settle)
    if left_out:
        cannot = counted(left_out, "episode")
        printer.line(f"left out, as the recording cannot answer to the end: {cannot}", "yellow")
    if done.unanswered:
        key, question = done.unanswered[0]
        if not done.found + done.done:
            raise UnansweredError(f"none of these episodes can be replayed; {key}: {question}")
        cannot = counted(len(done.unanswered), "episode")
        printer.line(f"left out, as the recording has no answer to a question of theirs: {cannot}; {key}:", "yellow")
        for line in question.split("\n"):
            printer.line(INDENT + line, "yellow")
    if recording is not None and left_out and not done.total:
        made = "; ".join(recording.commands) or "no experiment"
        raise MissingError(f"{path}: the recording has none of these episodes whole; it was made by {made}")
    printer.line(
        f"{counted(done.total, 'episode')}: {done.found} were there, {done.done} run in {done.seconds:.0f} s, "
        f"{done.failed} failed"
    )
    report_page = running.out / REPORT
    page = _show([running.out], report_page, printer, running.quiet)
    if running.as_json:
        print_json({**asdict(done), "results": str(running.out), "report": str(report_page), "page": str(page)})
    if left_out or done.unanswered:
        return EXIT_MISSING
    return EXIT_UNSOLVED if done.failed else EXIT_SOLVED


def _engine(workers: int | None, ray: str | None) -> Engine:
    from commonsense_lab.runner.cluster import Cluster
    from commonsense_lab.runner.runner import Local

    if ray is None:
        return Local(workers or os.cpu_count() or 1)
    if workers is not None:
        raise UsageError("--workers is for this machine; on a Ray cluster (--ray) there is one for each of its CPUs")
    return Cluster(ray)


def _show(folders: Sequence[Path], page: Path, printer: Printer, quiet: bool) -> Path:
    """Write the report of the folders' results to ``page`` as Markdown, and beside it as HTML with its plots; print its
    tables. The path of the HTML page."""
    from commonsense_lab.report.pages import write_pages
    from commonsense_lab.report.study import report_of
    from commonsense_lab.report.terminal import INDENT, print_part

    found = report_of(*folders)
    markdown_page, html_page = write_pages(found, page)
    if found.errors:
        printer.line(f"unexplained errors: {counted(len(found.errors), 'episode')}, counted in no table", "red")
        for key, reason in found.errors:
            for line in f"{key}: {reason}".split("\n"):
                printer.line(INDENT + line, "red")
    for section in () if quiet else found.sections:
        printer.line()
        printer.line(section.title, "bold")
        for part in section.parts:
            print_part(part, printer)
    printer.line(f"the tables are in {markdown_page} and {html_page}")
    return html_page
