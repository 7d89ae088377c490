"""``cplan obfuscate``: the same task with meaningless names, and its plans back."""

from __future__ import annotations

import json
from pathlib import Path

import click

from commonsense_planning.cli.options import FILE, OUT, seed_option, sensors_option, strict_option
from commonsense_planning.errors import EXIT_SOLVED, UsageError
from commonsense_planning.pddl.packs import beside, task_files

MAP = "map.json"

EPILOG = """\b
Examples:
  cplan obfuscate domain.pddl problem.pddl -o renamed
  cplan obfuscate domain.pddl problems/*.pddl -o renamed --seed 3 --shuffle
  cplan obfuscate household:demo -o renamed
  cplan solve renamed/domain.pddl renamed/problem-1.pddl --plan plan.txt
  cplan obfuscate --back renamed/map.json plan.txt > readable.txt

\b
Writes domain.pddl, problem-1.pddl and so on, sensors.pddl if the domain has one, and map.json with
the old names. Lexicon and prompts consist of names and are left out. Equal seeds give equal names.
"""


@click.command(name="obfuscate", short_help="Rename everything in a task, consistently.", epilog=EPILOG)
@click.argument("words", metavar="DOMAIN PROBLEM... | PACK:PROBLEM... | PLAN", nargs=-1, required=True)
@click.option("-o", "--output", "folder", type=OUT, help="Folder for the renamed files; made if missing.")
@seed_option("Seed of the random names.")
@click.option("--shuffle", is_flag=True, help="Also shuffle objects and initial facts.")
@click.option("--back", "map_file", metavar="MAP", type=FILE, help="Print a plan of the renamed task in the old names.")
@strict_option
@sensors_option
def command(
    words: tuple[str, ...],
    folder: Path | None,
    seed: int,
    shuffle: bool,
    map_file: Path | None,
    strict: bool,
    sensors: Path | None,
) -> int:
    """Rename all types, predicates, actions, objects and variables of a task, consistently in all its files.

    Only the task's structure remains. A method that does worse on the renamed task relied on names.
    """
    import numpy as np

    from commonsense_lab.pddl.obfuscate import map_as_json, read_map, rename, renamed
    from commonsense_planning.cli.output import Printer, print_text, tell_warnings
    from commonsense_planning.pddl.check import check_domain, check_task
    from commonsense_planning.pddl.nodes import layout
    from commonsense_planning.pddl.plan import read_plan, render_plan
    from commonsense_planning.pddl.syntax import parse, read_source
    from commonsense_planning.support.writing import filling
    from commonsense_planning.task import read_task

    if map_file is not None:
        if len(words) != 1 or folder is not None:
            raise UsageError("--back takes a map and one plan, and prints the plan")
        file = Path(words[0])
        plan = read_map(map_file).plan_back(read_plan(file), file)
        print_text(render_plan(plan, general_cost=True))
        return EXIT_SOLVED
    domain, problems = task_files(words[0], words[1:])
    if not problems:
        raise UsageError("a domain and at least one problem are needed")
    if folder is None:
        raise UsageError("-o FOLDER is needed for the renamed files")
    source = read_source(domain, strict, "domain")
    tasks = [check_task(check_domain(source), read_source(problem, strict)) for problem in problems]
    sources = [source, *(task.source for task in tasks)]
    tell_warnings(warning for read in sources for warning in read.warnings)
    if any(read.mends for read in sources):
        source = parse(source.mended, domain)
        tasks = [check_task(check_domain(source), parse(read.mended, read.path)) for read in sources[1:]]
    read_task(domain, problems[0], sensors)  # which checks the sensors, too
    sensors = sensors or beside(domain, "sensors.pddl")
    seen = None if sensors is None else read_source(sensors).root
    rng = np.random.default_rng(seed)
    names = rename(tasks, seen, rng)
    roots = {"domain.pddl": (domain, source.root)}
    for number, (path, task) in enumerate(zip(problems, tasks, strict=True), 1):
        roots[f"problem-{number}.pddl"] = (path, task.source.root)
    if sensors is not None and seen is not None:
        roots["sensors.pddl"] = (sensors, seen)
    with filling(folder, "the renamed files") as unfinished:
        for name, (_, root) in roots.items():
            text = layout(renamed(root, names, rng if shuffle else None))
            (unfinished / name).write_text(f"{text}\n", encoding="utf-8")
        written = map_as_json(names, {name: str(path) for name, (path, _) in roots.items()})
        (unfinished / MAP).write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    count = sum(len(old) for kind, old in names.original_names.items() if kind != "variable")
    Printer().line(f"{folder}: {len(roots)} files with {count} new names; the old ones are in {folder / MAP}")
    return EXIT_SOLVED
