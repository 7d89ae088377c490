"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

from commonsense_planning.config import EMBEDDED_PRIOR_SAMPLES, ENDPOINT_PRIOR_SAMPLES

FILE = click.Path(path_type=Path)  # whether it can be read is said by its reader, with the reason

domain_argument = click.argument("domain", type=FILE)
problem_argument = click.argument("problem", type=FILE)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="One JSON object on stdout, all else on stderr."
)
sensors_option = click.option(
    "--sensors", type=FILE, help="What the agent can see [default: sensors.pddl beside the domain]."
)
prior_samples_option = click.option(
    "--prior-samples",
    type=click.IntRange(min=1),
    help=f"Answers per placement question [default: {EMBEDDED_PRIOR_SAMPLES} of embedded, "
    f"{ENDPOINT_PRIOR_SAMPLES} of an endpoint].",
)
ray_option = click.option(
    "--ray", metavar="ADDRESS", help="Run on a Ray cluster: auto, HOST:PORT or ray://HOST:PORT (docs/cluster.md)."
)
