"""``cplan bench store`` and ``cplan data import-store``: collecting items in a store."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from commonsense_lab.cli.options import names_option
from commonsense_lab.studies.bench_command import Bench, bench_command
from commonsense_lab.studies.store.products import Half
from commonsense_planning.cli.options import FILE, OUT, count_option, json_option, names, seed_option
from commonsense_planning.errors import EXIT_SOLVED

BENCH_EPILOG = """\b
Examples:
  cplan bench store products.tsv --model embeddings -o results
  cplan bench store products.tsv --model openai:NAME --methods look-nearest,llm-mcts --record answers.jsonl -o results

\b
PRODUCTS is a table of department, section and item, tab-separated, with these heads; lab/docs/store.md has the
settings. The variants are all-known (full information), look-nearest (no model), uniform (search, no model) and
llm-mcts (search with the model's prior). Any other method that can take the tasks gets a line, too.
"""

half_option = click.option(
    "--half",
    type=click.Choice([str(half) for half in Half]),
    default=str(Half.ALL),
    show_default=True,
    callback=lambda context, option, value: Half(value),
    help="Departments: every other one (train: those that embeddings' temperature was fitted on; held-out), or all.",
)


@bench_command(
    "store",
    "Items to collect in a store, found by their names.",
    BENCH_EPILOG,
    click.argument("products", type=FILE),
    count_option("--tasks", 50, "Tasks."),
    names_option("--methods", "Only these [default: the four below]."),
    half_option,
    count_option("--simulations", 100, "Simulations per decision."),
    seed_option("Of the tasks and agents."),
)
def bench(given: Bench, /, products: Path, tasks: int, methods: str, half: Half, simulations: int, seed: int) -> int:
    """Collect items in stores drawn from a table of products; write the report to the folder of the results."""
    from commonsense_lab.studies.store.experiment import StoreSetup, store_episodes

    setup = StoreSetup(**given.shared, products=products.resolve(), half=half, simulations=simulations)
    return given.run([store_episodes(setup, tasks, seed, names(methods))], setup.pack)


IMPORT_EPILOG = """\b
Example:
  cplan data import-store products.tsv -o store
  cplan solve store:store-0-0000 --model embeddings
"""


@click.command(name="import-store", short_help="Make tasks of a table of products.", epilog=IMPORT_EPILOG)
@click.argument("products", type=FILE)
@count_option("--count", 10, "Problems.")
@half_option
@seed_option("Of the tasks.")
@click.option("-o", "--out", type=OUT, required=True, help="The folder for domain, sensors and problems; it is made.")
@json_option
def import_store(products: Path, count: int, half: Half, seed: int, out: Path, as_json: bool) -> int:
    """Write tasks of collecting items in a store, whose departments, sections and items are drawn from PRODUCTS.

    PRODUCTS has department, section and item in each row, tab-separated, below these heads. The names become those of
    the problems. An item whose name is also that of another item, a section or a department is left out."""
    from commonsense_lab.studies.store.products import read_products
    from commonsense_lab.studies.store.tasks import PACK, draw_task
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.pddl.packs import DOMAIN, PROBLEMS
    from commonsense_planning.support.reading import read_text
    from commonsense_planning.support.writing import make_folder, write_text

    read = read_products(products)
    tasks = [draw_task(read.half(half), seed, index) for index in range(count)]
    make_folder(out / PROBLEMS, "the problems", "choose another --out")
    for name in (DOMAIN, "sensors.pddl"):
        write_text(out / name, read_text(PACK / name, "a domain"), "it", hint="choose another --out")
    for task in tasks:
        write_text(out / PROBLEMS / f"{task.name}.pddl", task.problem, "it", hint="choose another --out")
    printer = Printer(as_json)
    sections, kept = read.half(half).sections, sum(map(len, read.half(half).sections.values()))
    printer.line(f"{products}: {len(sections)} sections, {kept} items; {read.left_out} items are left out")
    printer.line(f"{len(tasks)} problems are in {out / PROBLEMS}")
    printer.line(f"next: cplan solve {quote(f'{out}:{tasks[0].name}')} --model embeddings")
    if as_json:
        written = [
            {"file": str(out / PROBLEMS / f"{t.name}.pddl"), "sections": len(t.sections), "items": len(t.placed)}
            for t in tasks
        ]
        print_json({"problems": written, "items": kept, "left_out": read.left_out})
    return EXIT_SOLVED
