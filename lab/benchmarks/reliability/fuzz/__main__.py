"""Every reader of cplan against inputs that were spoilt on purpose: does each end in a message, in time, in memory?

    python -m lab.benchmarks.reliability.fuzz --count 1000000 --seed 0 [--seconds S] [--targets A,B] [--out FOLDER]
    python -m lab.benchmarks.reliability.fuzz --targets NAME --input FILE

An input is made of a real file: tokens, bracketed parts or values are left out, doubled, swapped, or taken from other
files; brackets do not match, or go very deep; numbers are huge, letters odd, bytes random. It is lost where anything
but an error for wrong input comes out, or one that does not say which file is wrong; where it takes more than 10 s of
processor time; and where the process dies of it, of memory perhaps. Such an input goes to FOLDER, and the command that
repeats it is said. Equal seeds give equal inputs.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import click

from lab.benchmarks.reliability.fuzz.campaign import Campaign
from lab.benchmarks.reliability.fuzz.targets import TARGETS


@click.command()
@click.option("--count", type=click.IntRange(0), default=20_000, show_default=True, help="How many inputs.")
@click.option("--seconds", type=click.FloatRange(0), default=float("inf"), help="No longer than so many seconds.")
@click.option("--seed", default=0, show_default=True, help="What the inputs are drawn from.")
@click.option("--targets", "names", help=f"Only these, with commas between them: {', '.join(TARGETS)}.")
@click.option(
    "--input",
    "given",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Read this once, without limits.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("out/fuzz"), show_default=True, help="For what is lost."
)
def main(count: int, seconds: float, seed: int, names: str | None, given: Path | None, out: Path) -> None:
    """Fuzz the readers."""
    wanted = names.split(",") if names else [*TARGETS]
    unknown = [name for name in wanted if name not in TARGETS]
    if unknown:
        raise click.UsageError(f"there is no target {unknown[0]!r}; there are {', '.join(TARGETS)}")
    if given is not None and len(wanted) != 1:
        raise click.UsageError("--input needs --targets with the one that it is of")
    targets = [TARGETS[name] for name in wanted]
    campaign = Campaign(targets, seed, out, lambda text: click.echo(text, err=True))
    if given is not None:
        click.echo(campaign.repeat(targets[0], given.read_bytes()))
        sys.exit(campaign.counts[targets[0].name].lost)
    for number in (signal.SIGINT, signal.SIGTERM):  # of which a shell has what runs behind it ignore the first
        signal.signal(number, signal.default_int_handler)
    try:
        campaign.run(count, seconds)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
    sys.exit(_summary(campaign))


def _summary(campaign: Campaign) -> int:
    """Say what came of it; the exit code."""
    counts = campaign.counts
    click.echo("| target | tried | read | refused | lost | mean, ms | slowest, s |\n|---|---|---|---|---|---|---|")
    for name, found in counts.items():
        times = f"{1e3 * found.spent / max(1, found.tried):.2f}", f"{found.slowest:.2f}"
        cells = (name, found.tried, found.read, found.refused, found.lost, *times)
        click.echo(f"| {' | '.join(map(str, cells))} |")
    tried, lost = (sum(getattr(found, what) for found in counts.values()) for what in ("tried", "lost"))
    click.echo(f"{tried:,} inputs tried, {lost:,} lost; at most {campaign.kilobytes / 1024:.0f} MiB of memory")
    return 1 if lost else 0


if __name__ == "__main__":
    main()
