"""``--instruction``: a goal in English in place of the problem's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from commonsense_planning.pddl.syntax import counted

if TYPE_CHECKING:
    from commonsense_planning.cli.jobs import Job
    from commonsense_planning.cli.output import Printer
    from commonsense_planning.instructions.translate import Interpretation
    from commonsense_planning.llm.models import Models


SHOWN = 2000  # characters of a goal; counting goals can be long


@contextmanager
def instructed(job: Job, models: Models, printer: Printer) -> Iterator[tuple[Path, Path | None]]:
    """The job's problem with what its instruction says for a goal, the problem itself if there is none; and the world
    of a contingent one.

    It is written to ``save_problem``, or to a file that goes when the context does. Raises InputError for an
    instruction that cannot be translated.
    """
    instruction, domain, world = job.instruction, job.domain, job.world
    if instruction is None:
        yield job.problem, world
        return
    import numpy as np

    from commonsense_planning.instructions.translate import interpret
    from commonsense_planning.llm.prompts import PAPER
    from commonsense_planning.matching.registry import matcher_named
    from commonsense_planning.pddl.variants import with_goal
    from commonsense_planning.support.processes import temporary_folder
    from commonsense_planning.wording.questions import Scene

    with temporary_folder() as folder:
        out = job.save_problem or Path(folder) / job.problem.name
        prompts = domain.parent / "prompts"
        matcher = matcher_named(models.config.matcher)
        own = prompts if prompts.is_dir() else None
        model = models.open(Scene(), own, matcher, np.random.default_rng(job.seed))
        tuples = models.config.prompts is not None and str(models.config.prompts) == PAPER
        found = interpret(instruction, domain, job.problem, model, matcher, out, job.lexicon, job.sensors, tuples)
        _show(printer, instruction, found)
        if world is not None and world.exists():  # a world that was drawn earlier has the goal of then
            here = Path(folder) / f"world-{world.name}"
            with_goal(domain, world, found.goal.pddl, here, found.goal.constraints)
            world = here
        yield found.problem, world


def _show(printer: Printer, instruction: str, found: Interpretation) -> None:
    goal = found.goal
    printer.line(f'"{instruction}" is taken for the goal')
    for formula in (goal.pddl, *goal.constraints):
        shown = formula if len(formula) <= SHOWN else f"{formula[:SHOWN]} …"
        printer.line(f"  {shown}", "bold")
    printer.line("which says:")
    for sentence in goal.english:
        printer.line(f"  - {sentence if len(sentence) <= SHOWN else sentence[:SHOWN] + ' …'}")
    for match in goal.matched:
        if not match.exact:
            printer.line(f'  "{match.said}" is taken for {match.name} ({", ".join(match.objects)})', "yellow")
    if goal.repairs:
        printer.line(f"  The model was told {counted(goal.repairs, 'time')} what was wrong with its answer.")
