"""``cplan belief``: where a model believes that hidden things are, and how good the belief is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonsense_lab.cli.options import prior_samples_option
from commonsense_planning.cli.model_options import AskingCommand, model_options, take_model
from commonsense_planning.cli.options import (
    OUT,
    count_option,
    json_option,
    require_model_option,
    seed_option,
    sensing_options,
)
from commonsense_planning.cli.task_arguments import task_arguments
from commonsense_planning.errors import UsageError
from commonsense_planning.support.english import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commonsense_planning.elicitation.initial_belief import HiddenThing, InitialBelief
    from commonsense_planning.llm.model import LanguageModel
    from commonsense_planning.wording.questions import Scene

EPILOG = """\b
Examples:
  cplan belief household:demo
  cplan belief domain.pddl problem.pddl
  cplan belief domain.pddl problem.pddl --only apple --top 10
  cplan belief domain.pddl problem.pddl --prior-samples 1000 --seed 3 --json
"""


@click.command(
    name="belief", cls=AskingCommand, short_help="Judge the prior belief against the true world.", epilog=EPILOG
)
@task_arguments()
@click.option("--only", metavar="NAME", help="Only things whose name contains this.")
@count_option("--top", 5, "Places shown for each thing.")
@seed_option()
@prior_samples_option
@model_options
@sensing_options
@click.option("--world", type=OUT, help="True world of a contingent problem; if missing, drawn and written there.")
@json_option
@require_model_option
def command(
    domain: Path,
    problem: Path,
    strict: bool,
    only: str | None,
    top: int,
    seed: int,
    prior_samples: int | None,
    sensors: Path | None,
    hide_rooms: bool,
    lexicon: Path | None,
    world: Path | None,
    as_json: bool,
    require_model: bool,
    **values: Any,
) -> int:
    """Show where a model believes that hidden things are, and score that belief against the true world.

    The problem file is the true world. The belief is that of cplan solve at its start, with the same seed: the model's
    prior without the places in sight where the thing is not. In a uniform belief, the remaining places are equally
    likely.

    Log loss is -ln p of the true place, in nats. The Brier score is the sum of squared errors over all places. For
    both, smaller is better. Places of one name share a row; the scores count each of them. In a calibrated belief,
    one in ten of the facts believed with 0.1 is true.

    A task without hidden facts is no error: the exit code is 0.
    """
    from commonsense_lab.cli.belief_table import blocks_of, print_blocks, print_calibration, print_summary
    from commonsense_lab.report.belief_scores import compare, fitted_temperature, reliability
    from commonsense_planning.cli.output import Printer, print_json, progress, tell_warnings
    from commonsense_planning.elicitation.initial_belief import initial_belief
    from commonsense_planning.llm.models import ModelSession
    from commonsense_planning.methods.result import unheard_code
    from commonsense_planning.task import hidden_rooms, read_task

    config, limits = take_model(values)
    sensors = hidden_rooms(domain, sensors) if hide_rooms else sensors
    task = read_task(domain, problem, sensors, lexicon, world, seed, strict=strict)
    tell_warnings(task.problem.warnings)
    models = ModelSession(config, limits)
    samples = prior_samples or models.adapter.prior_samples
    opened: list[LanguageModel] = []

    def open_it(scene: Scene) -> LanguageModel:
        opened.append(models.open_by_seed(scene, task.prompts, seed))
        return opened[0]

    printer = Printer(as_json)
    with models, progress(printer, False) as report:
        seen = initial_belief(
            task.problem,
            task.sensors,
            task.contingent,
            task.lexicon,
            open_it,
            samples,
            config.most_there(),
            lambda what, count: report(what, count, None),
        )
    things = _chosen(seen.things, only)
    believed, truth = [thing.believed for thing in things], [thing.truth for thing in things]
    judged = compare(believed, truth)
    bins, fitted = (reliability(believed, truth), fitted_temperature(believed, truth)) if things else ((), (1.0, 0.0))
    blocks = blocks_of(things, judged)
    unheard = models.usage.unheard_words
    head = f"{task.problem.problem_name} of {task.problem.domain_name}"
    printer.line(f"{head}{': ' if unheard else ''}{unheard}", "bold red" if unheard else "")
    for note in seen.notes:
        printer.line(f"note: {note}", "yellow")
    print_blocks(printer, blocks, top)
    model = opened[0] if opened else None
    if things and model is not None:
        print_summary(printer, judged, model, f"{samples} answers per question, seed {seed}")
        print_calibration(printer, bins, fitted)
    for line in _left_out(seen):
        printer.line(line)
    if as_json:
        print_json(
            {
                "domain": task.problem.domain_name,
                "problem": task.problem.problem_name,
                "model": model.name if model else "",
                "model_note": model.note if model else "",
                "usage": models.usage.as_json() if model else None,
                "usd": models.usd,
                "heard": models.usage.was_heard,
                "seed": seed,
                "prior_samples": samples,
                "things": [block.as_json(top) for block in blocks],
                "mean": {name: s.mean._asdict() for name, s in judged._asdict().items()} if things else None,
                "reliability": [bin._asdict() for bin in bins],
                "fitted_temperature": fitted[0] if things else None,
                "known_at_once": seen.known,
                "without_true_place": seen.unplaced,
                "notes": list(seen.notes),
            }
        )
    return unheard_code(models.usage, require_model)


def _chosen(things: Sequence[HiddenThing], only: str | None) -> list[HiddenThing]:
    """Returns the things whose name, in English or in the problem, contains ``only``. Raises UsageError for none."""
    if only is None or not things:
        return list(things)
    wanted = only.lower()
    chosen = [t for t in things if any(wanted in name.lower() for name in (t.name, *t.objects))]
    if not chosen:
        names = ", ".join(sorted({thing.name for thing in things}))
        raise UsageError(f"--only {only}: no hidden thing is called that; there are {names}")
    return chosen


def _left_out(seen: InitialBelief) -> list[str]:
    """Returns lines about what was not judged, and why."""
    lines = []
    if seen.known:
        lines.append(f"not judged: {counted(seen.known, 'thing')} in sight from the start")
    if seen.unplaced:
        lines.append(f"not judged: {counted(seen.unplaced, 'thing')} not in exactly one of the possible places")
    if seen.independent:
        others = counted(seen.independent, "hidden fact")
        lines.append(f"not judged: {others} outside of all exactly-one groups, believed with 1/2")
    if not seen.things:
        nothing = "nothing is hidden" if not lines else "no hidden thing is left to look for"
        lines.append(f"{nothing}: there is no belief to judge")
    return lines
