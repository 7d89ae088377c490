"""``python -m tests.goldens``: run the goldens and say what differs, or write their records again."""

import time
from collections.abc import Mapping
from pathlib import Path

import click

from tests.goldens.cassettes import make_cassette
from tests.goldens.comparing import EXPECTED, HELP, difference, expected_file, write
from tests.goldens.recording import all_help, as_text, parts, shortened_text
from tests.goldens.runs import GOLDENS, Golden


def comparison(goldens: Mapping[str, Golden], folder: Path, known: str = "") -> click.Command:
    """The command that runs ``goldens``, whose records are in ``folder``. ``known``: as ``all_help`` takes it."""

    @click.command()
    @click.argument("names", nargs=-1)
    @click.option("--write", "rewrite", is_flag=True, help="Write the expected records again.")
    @click.option("--cassettes", is_flag=True, help="Make the cassettes again first, with answers of a server here.")
    @click.option("--out", type=click.Path(path_type=Path), help="Write the full records to this folder too.")
    @click.option("--times", is_flag=True, help="Say how long each run takes.")
    def command(names: tuple[str, ...], rewrite: bool, cassettes: bool, out: Path | None, times: bool) -> None:
        """Run the goldens (all, or those whose names begin with one of NAMES) and show how they differ from what is
        expected."""
        everything = [HELP, *goldens]
        chosen = [name for name in everything if not names or name.startswith(names)]
        if not chosen:
            raise click.UsageError(f"no golden's name begins with {' or '.join(names)}")
        different = 0
        for name in chosen:
            started = time.perf_counter()
            if cassettes and name != HELP and goldens[name].asks:
                make_cassette(goldens[name])
            if name == HELP:
                found = whole = all_help(known)
            else:
                given = parts(goldens[name])
                whole = as_text(goldens[name], given)
                found = shortened_text(goldens[name], given)
            if out is not None:
                write(out / f"{name}.txt", whole)
            if rewrite:
                write(expected_file(name, folder), found)
            told = difference(name, found, folder)
            if told:
                different += 1
                click.echo(f"{told}\n")
            if times:
                click.echo(f"{time.perf_counter() - started:6.2f} s  {name}")
        click.echo(f"{len(chosen)} goldens, {different} differ")
        raise SystemExit(1 if different else 0)

    return command


if __name__ == "__main__":
    comparison(GOLDENS, EXPECTED)()
