"""``cplan bench mdl``: how long a model and a policy are, and which is the shorter."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonsense_lab.cli.options import numbers
from commonsense_lab.studies.description_length.lengths import (
    PROBLEMS,
    Lengths,
    Problem,
    ProblemKind,
    crossover,
    lengths,
    program_bits,
)
from commonsense_planning.cli.options import OUT, Function, Whole, count_option, json_option
from commonsense_planning.errors import EXIT_SOLVED, UsageError

if TYPE_CHECKING:
    from commonsense_planning.cli.output import Printer

EPILOG = """\b
Examples:
  cplan bench mdl
  cplan bench mdl flights --sizes 68,130,3142 --samples 1000000
  cplan bench mdl rearrangement --composed 3 --containers 100 --plot rearrangement.svg
  cplan bench mdl multiplication --program-bits 0

\b
What a language model predicts may be a model of the world, with which a program plans, or a policy, which
says at once what to do. "Large Language Models as Commonsense Knowledge for Large-Scale Task Planning"
(section 4): what has the shorter description is learnt with the smaller error, all else being equal.
Theorem 4.1 there bounds the expected loss of a hypothesis of |h| bits by
  training loss + sqrt((|h| + ln(2 / delta)) / (2 samples)).

\b
Bits are those of one plain code (lab/docs/description-length.md); with the model goes the program that plans
with it, as the compressed size of the algorithm's text. The policy is not always the longer: an itinerary for a
day in a city is shorter than all that one would have to know of its sights to plan it (section 4.3).
"""

LARGEST_DRAWN = 10**300  # numbers of the plots are floats
POLICY_COLOUR, MODEL_COLOUR, CROSSOVER_COLOUR = 2, 3, 6


def _settings(function: Function) -> Function:
    """Adds the options of all kinds of problems."""
    for kind in reversed([*PROBLEMS.values()]):
        for name, setting in reversed([*kind.settings.items()]):
            kind_of = int if setting.most is None else Whole(setting.least, setting.most)
            flag = f"--{name.replace('_', '-')}"
            function = click.option(flag, type=kind_of, default=setting.default, show_default=True, help=setting.help)(
                function
            )
    return function


@click.command(name="mdl", short_help="Compare how long a model and a policy are.", epilog=EPILOG)
@click.argument("problems", nargs=-1, type=click.Choice(list(PROBLEMS)))
@click.option("--sizes", metavar="A,B-C", help="Cities n, things n or digits n [default: a range for each problem].")
@_settings
@click.option("--program-bits", type=Whole(min=0), help="Of the planner [default: the algorithm's text, compressed].")
@count_option("--samples", 100_000, "m of Theorem 4.1, to learn from.")
@click.option("--delta", type=float, default=0.05, show_default=True, help="Chance that the theorem's bound is wrong.")
@click.option("--plot", type=OUT, metavar="FILE", help="Draw the bits of one problem: .png, .svg or .pdf.")
@json_option
@click.pass_context
def mdl(context: click.Context, /, problems: tuple[str, ...], samples: int, delta: float, **values: Any) -> int:
    """Compare the description length of a model and of a policy: for travelling by air, for bringing things to their
    places, for multiplying numbers, by their size. Without PROBLEMS, for all three."""
    from commonsense_planning.cli.output import Printer, print_json

    plot, as_json = values["plot"], values["as_json"]
    chosen = [PROBLEMS[name] for name in dict.fromkeys(problems or PROBLEMS)]
    _check_options(context, chosen)
    printer, told = Printer(as_json), []
    for kind in chosen:
        problem = kind.of(**{name: values[name] for name in kind.settings})
        program = program_bits(kind) if values["program_bits"] is None else values["program_bits"]
        wanted = numbers("--sizes", values["sizes"] or kind.sizes, kind.least, kind.most)
        table = [lengths(problem, size, program, samples, delta) for size in wanted]
        change = crossover(problem, program)
        _print(printer, problem, program, table, change)
        if plot is not None:
            _draw(problem, program, table, change, plot)
            printer.line(f"the plot is in {plot}")
        printer.line()
        sizes = [{**asdict(line), "shorter": line.shorter} for line in table]
        crossed = {"program_bits": program, "crossover": change, "sizes": sizes}
        told.append({"problem": kind.name, **problem.values, **crossed})
    printer.line(f"bound: what the expected loss does not exceed, by Theorem 4.1, with {samples:,} samples,")
    printer.line(f"a training loss of 0 and a probability above {1 - delta:g}; a loss is at most 1")
    if as_json:
        print_json({"samples": samples, "delta": delta, "problems": told})
    return EXIT_SOLVED


def _check_options(context: click.Context, chosen: Collection[ProblemKind]) -> None:
    """Raises UsageError for a plot of several problems, and for settings of a problem that was not chosen."""
    if context.params["plot"] is not None and len(chosen) > 1:
        raise UsageError("--plot draws one problem: name it, as in cplan bench mdl flights --plot flights.svg")
    for kind in PROBLEMS.values():
        for name in kind.settings if kind not in chosen else ():
            if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
                raise UsageError(f"--{name.replace('_', '-')} is a setting of {kind.name}, which was not asked for")


def _print(printer: Printer, problem: Problem, program: int, table: Sequence[Lengths], change: int | None) -> None:
    kind = problem.kind
    head = (kind.unit, "model, bits", "policy, bits", "shorter", "model, bound", "policy, bound")
    rows = [
        (f"{line.size:,}", _short(line.model), _short(line.policy), line.shorter)
        + tuple(f"{bound:.3f}" if bound < 1 else "says nothing" for bound in (line.model_bound, line.policy_bound))
        for line in table
    ]
    printer.line(kind.name, "bold")
    printer.line(f"  model: {kind.model};")
    printer.line(f"    and to plan with it, a program of {program:,} bits")
    printer.line(f"  policy: {kind.policy}")
    printer.rows([head, *rows], "  ")
    if change is None:
        printer.line(f"  up to {kind.most:,} {kind.unit}, the policy stays the shorter")
    elif change == kind.least:
        printer.line("  the model is the shorter at every size")
    else:
        printer.line(f"  the model is the shorter from {change:,} {kind.unit} on")


def _short(bits: int) -> str:
    """A number of bits, from a billion on with three digits."""
    return f"{bits:,}" if bits < 10**9 else f"{Decimal(bits):.2e}".replace("e+", "e")


def _draw(problem: Problem, program: int, table: Sequence[Lengths], change: int | None, path: Path) -> None:
    """Raises UsageError for numbers that are too large for a plot, and what ``save_as`` raises."""
    from commonsense_lab.report.plots import Points, line_chart, save_as

    kind, sizes, last = problem.kind, [line.size for line in table], table[-1]
    if max(last.model, last.policy) > LARGEST_DRAWN:
        raise UsageError(f"--plot: {last.size:,} {kind.unit} take too many bits to be drawn; give smaller --sizes")
    crossed = [] if change is None or not sizes[0] <= change <= sizes[-1] else [change]
    bits = {float(size): problem.bits(size) for size in sorted({*sizes, *crossed})}
    models = {size: float(model + program) for size, (model, _) in bits.items()}
    series = [
        Points("policy", POLICY_COLOUR, [(size, float(policy)) for size, (_, policy) in bits.items()]),
        Points("model and program", MODEL_COLOUR, [*models.items()]),
        *(
            Points(f"the model is shorter from {size:,} on", CROSSOVER_COLOUR, [(size, models[size])])
            for size in crossed
        ),
    ]
    title = f"Description length of {kind.name}"
    save_as(line_chart(kind.name, title, kind.unit, "bits", series, log_x=True, log_y=True), path)
