"""The golden runs of the laboratory's commands and methods, and what writes the files that only they read."""

import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from lab.tests.studies.rearrangement.small_world import write_world
from lab.tests.studies.travelling.openflights_files import write_openflights
from lab.tests.studies.virtualhome.homes import SALMON_IN_FRIDGE, write_problem, write_scene
from tests.data import REPOSITORY
from tests.goldens.materials import nothing
from tests.goldens.runs import (
    BARE,
    DEMO,
    OSLO_ATHENS,
    PAPER,
    SMALL_APPLE,
    SMALL_SALMON,
    VIRTUALHOME,
    Golden,
    replayed,
    solve,
)

CASSETTES = "lab/tests/goldens/cassettes"
Write = Callable[[Path], None]


def openflights(folder: Path) -> None:
    """OpenFlights' files with every kind of line that cannot be used."""
    write_openflights(folder)


def world(folder: Path) -> None:
    """OpenFlights' files of a small world."""
    write_world(folder)


def bare_flights(folder: Path) -> None:
    """The domain of flights and a problem, without its lexicon and prompts: the built-in prompts are asked."""
    shutil.copy(REPOSITORY / "pddl/flights/domain.pddl", folder)
    shutil.copy(REPOSITORY / "pddl/flights/problems/short-oslo-athens.pddl", folder / "problem.pddl")


def scene(folder: Path) -> None:
    """A scene of VirtualHome as a graph, a problem in it, and a plan of it."""
    write_scene(folder)
    (folder / "plan").write_text("".join(f"({step})\n" for step in SALMON_IN_FRIDGE))
    (folder / "short").write_text(f"({SALMON_IN_FRIDGE[0]})\n")
    write_problem(folder)


def seeded(method: str, problem: str, files: tuple[str, str]) -> Golden:
    return solve(f"{method}/{problem}-0", files, "--method", method, "--seed", "0")


def asked(name: str, files: tuple[str, str], *options: str, material: Write = nothing) -> Golden:
    """A run of ``solve`` whose prompts are held by a cassette."""
    return solve(f"asked/{name}", files, *replayed(name, CASSETTES), *options, material=material)


METHODS = (
    seeded("learned-policy", "demo", DEMO),
    seeded("llm-heuristic", "demo", DEMO),
    seeded("llm-model", "oslo-athens", OSLO_ATHENS),
    seeded("llm-modulo", "demo", DEMO),
    seeded("llm-plan", "demo", DEMO),
    seeded("llm-program", "small-salmon", SMALL_SALMON),
    seeded("llm-route", "oslo-athens", OSLO_ATHENS),
    solve("options/fewest", OSLO_ATHENS, "--method", "llm-model", "--route", "fewest", "--breadth", "3"),
    asked("llm-modulo", SMALL_APPLE, "--method", "llm-modulo"),
    asked("llm-plan", SMALL_APPLE, "--method", "llm-plan"),
    asked("llm-program", SMALL_SALMON, "--method", "llm-program"),
    asked("llm-model", OSLO_ATHENS, "--method", "llm-model"),
    asked("llm-model-bare", BARE, "--method", "llm-model", material=bare_flights),
    asked("llm-route", OSLO_ATHENS, "--method", "llm-route"),
    asked("instruction", DEMO, *PAPER, "--method", "gbfs", "--instruction", "I would like the apple to be cold"),
)
WORDS = {
    "{out}": "--quiet --workers 1 -o {tmp}/results",
    "{household}": "household --repeats 1 --tables 2 --tasks watch-tv",
    "{world}": "{tmp}/airports.dat {tmp}/routes.dat",
    "{scene}": f"{VIRTUALHOME}/domain.pddl {{tmp}}/problem.pddl",
    "{small-apple}": " ".join(SMALL_APPLE),
    "{graph}": "{tmp}/graph.json",
    "{salmon}": "--task put-salmon-in-the-fridge",
    "{demo}": " ".join(DEMO),
    "{oslo-athens}": " ".join(OSLO_ATHENS),
    **{f"{{{name}}}": " ".join(replayed(name, CASSETTES)) for name in ("belief", "bench-flights", "bench-household")},
}
OTHERS: dict[Write, str] = {
    nothing: """
belief/asked: belief {small-apple} --json {belief}
belief/small-apple: belief {small-apple} --json
belief/demo: belief {demo} --json --seed 3
belief/flights: belief {oslo-athens} --json
bench/rearrangement: bench rearrangement --tasks 10 --seeds 1 --simulations 10 {out} --methods mcts,expert --max-steps 3
bench/household: bench {household} {out}
bench/household-asked: bench {household} --max-steps 2 {out} {bench-household}
bench/kitchen: bench kitchen --tasks 1 --levels easy --methods llm-replan --simulations 5 {out}
bench/guidance: bench guidance --tasks 1 --priors 0.5 --policies 1 --methods llm-mcts --simulations 5 {out}
bench/multiplication: bench multiplication --seeds 1 --digits 1,12 --tasks 5 {out}
data/tasks: data tasks --tasks 3 --training 1 --json -o {tmp}/tasks
data/expert: data expert -o {tmp}/D.jsonl --trajectories 3 --pool {tmp}/pool.jsonl --pool-size 2 --workers 1 --json
mdl/all: bench mdl
mdl/flights: bench mdl flights --flights-per-city 10 --program-bits 8000 --json
mdl/multiplication: bench mdl multiplication --sizes 1,2,12
""",
    world: """
bench/flights: bench flights {world} --pairs 2 {out}
bench/flights-asked: bench flights {world} --pairs 2 --methods rechecked,policy {out} {bench-flights}
import-flights/pairs: data import-flights {world} --pairs large --count 3 --seed 2 -o {tmp}/problems
""",
    openflights: """
import-flights/account: data import-flights {world} --json
import-flights/airports: data import-flights {world} --by airport --from 'New York JFK' --to newark-ewr --json
""",
    scene: """
import-virtualhome/household: data import-virtualhome {graph} --goal '(inside cupcake fridge)' --add cupcake=GRABBABLE
import-virtualhome/virtualhome: data import-virtualhome {graph} --domain virtualhome {salmon} --json
export-virtualhome/text: data export-virtualhome {scene} {tmp}/plan
validate/valid: validate {scene} {tmp}/plan
validate/short: validate {scene} {tmp}/short --json
""",
}
"""What writes the files → the runs that read them: names and command lines, with words of ``WORDS``."""


def others() -> Iterator[Golden]:
    for material, lines in OTHERS.items():
        for word, meant in WORDS.items():
            lines = lines.replace(word, meant)
        for name, _, line in (line.partition(": ") for line in lines.strip().splitlines()):
            yield Golden(name, tuple(shlex.split(line)), material)


GOLDENS = {golden.name: golden for golden in (*METHODS, *others())}
