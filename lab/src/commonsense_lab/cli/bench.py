"""``cplan bench`` runs the experiments of the studies, ``cplan report`` writes their tables and plots, ``cplan data``
makes tasks, trajectories and other programs' files.

This module has what all experiments share: options, the run with its bar, the report.
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

from commonsense_lab.cli.options import ray_option
from commonsense_planning.cli.lazy import LazyGroup
from commonsense_planning.cli.options import FILE, OUT, Whole, json_option
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import (
    EXIT_MISSING,
    EXIT_SOLVED,
    EXIT_UNSOLVED,
    MissingError,
    UnansweredError,
    UsageError,
)
from commonsense_planning.support.english import counted

if TYPE_CHECKING:
    from commonsense_lab.runner.runner import Engine, Episode
    from commonsense_planning.cli.output import Printer

BENCH_EPILOG = """\b
Examples:
  cplan bench EXPERIMENT --help
  cplan bench EXPERIMENT -o results
  cplan report results

\b
An experiment may be interrupted or killed at any moment: the same command resumes it.
--record FILE keeps all answers of an experiment in one file. With --replay FILE the same command writes the same
report without key or network; it first prints how many questions the file answers. Only results with --prompts paper
are comparable with published numbers.
--dry-run counts the episodes, finished and remaining, and estimates what the remaining ones cost.
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
Several folders are parts of one experiment that ran in different places. An episode that failed in one folder is taken
from another; two different results of one episode are an error, which names the lines.
The report is a Markdown file (PAGE.md) and one self-contained HTML file (PAGE.html); its plots, if any, go to the
folder "plots" next to them, as PNG and SVG.
"""

REPORT = "report.md"

_SAID = {ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP}
_USER = re.compile(r"(?<=://)[^/@]*@")  # https://user:password@host

Function = TypeVar("Function", bound=Callable[..., Any])


@click.group(
    name="bench",
    cls=LazyGroup,
    own={},
    plug_ins="commonsense_planning.experiments",
    moved={"models": "misplaced, household or rearrangement, with each --model into one -o: the report compares them"},
    short_help="Run an experiment: methods on many tasks, many times.",
    epilog=BENCH_EPILOG,
)
def bench() -> None:
    """Run an experiment on all cores. Each episode becomes a line of episodes.jsonl in the folder of the results."""


@click.group(
    name="data",
    cls=LazyGroup,
    own={},
    plug_ins="commonsense_planning.data",
    short_help="Make tasks and trajectories; read and write other formats.",
    epilog=DATA_EPILOG,
)
def data() -> None:
    """Make tasks for experiments and trajectories to learn from; read and write the formats of other programs. Equal
    seeds give equal files."""


@click.command(name="report", short_help="Make tables of an experiment's results.", epilog=REPORT_EPILOG)
@click.argument("results", type=FILE, nargs=-1, required=True)
@click.option("-o", "--output", metavar="PAGE", type=OUT, help="Where to write [default: report.md in the folder].")
def report(results: tuple[Path, ...], output: Path | None) -> int:
    """Print the tables of an experiment's folder and write its report, also while the experiment runs. Several folders
    make one report."""
    from commonsense_planning.cli.output import Printer

    if output is None and len(results) > 1:
        raise UsageError("the report of several folders belongs to none of them: -o PAGE says where it goes")
    _show(results, output or results[0] / REPORT, Printer(), quiet=False)
    return EXIT_SOLVED


@dataclass(frozen=True)
class RunOptions:
    """The values of the options that all experiments share, by their names."""

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
    click.option("--again", is_flag=True, help="Repeat episodes that ended in an error."),
    click.option("--dry-run", is_flag=True, help="Count episodes, estimate questions, money and time; run nothing."),
    click.option("--quiet", is_flag=True, help="No progress, no tables."),
    json_option,
)


def experiment_options(function: Function) -> Function:
    """Adds the options that all experiments share to a command; their values are for ``take_running``."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def take_running(values: dict[str, Any]) -> RunOptions:
    """Takes the values of these options out of a command's ``values``."""
    return RunOptions(**{name: values.pop(name) for name in RunOptions.__dataclass_fields__})


def again_as(context: click.Context, *unsaid: str) -> str:
    """Returns the command line that repeats this run: arguments and options that were given, also in the user's
    settings, without those on which results do not depend, those named in ``unsaid``, and a password in a URL."""
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
    """The model of an experiment, and its limits for all episodes together. ``packs``: the folders of its domains;
    ``templates``: the folder of its questions' templates, if not the usual one."""

    model: ModelConfig
    limits: BudgetConfig
    packs: tuple[Path, ...] = ()
    templates: Path | None = None

    @property
    def versions(self) -> set[str]:
        """The versions of the templates now."""
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
    """Runs missing episodes, writes the tables and prints them; returns the exit code. Errors leave the rows in place.

    The episodes of each of the ``stages`` are run before the next is made, which may depend on their rows; a dry run
    sees the first alone. A replay runs only the episodes that are whole in the recording.
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

    for episodes in stages:
        if recording is not None and asking is not None and (replays or recording.parts):
            coverage = recording.coverage([episode.labels.key for episode in episodes], asking.versions)
            printer.line(f"{recording.about}: {coverage}")
            if replays:
                left_out += len(coverage.cut) + coverage.missing
                episodes = [episode for episode in episodes if recording.has(episode.labels.key)]
        if running.dry_run:
            models = None if asking is None else ModelSession(asking.model, asking.limits)
            more, again = not isinstance(stages, Sequence), running.again
            show_forecast(episodes, running.out, models, printer, again=again, more=more, as_json=running.as_json)
            return EXIT_SOLVED
        with counting_bar(printer, running.quiet, "episodes", at_once=True) as move:
            settle = None if recording is None else recording.settle
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
        ended = (part.circumstances for part in recording.parts.values() if part.circumstances is not None)
        made = "; ".join(dict.fromkeys(str(found.get("command", "")) for found in ended)) or "no experiment"
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
    """Writes the report of the folders to ``page`` as Markdown, and next to it as HTML with its plots; prints its
    tables. Returns the path of the HTML page."""
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
