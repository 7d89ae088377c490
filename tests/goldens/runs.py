"""The golden runs as plain values: name → command line, with paths relative to the repository's root."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from commonsense_planning.methods.registry import METHODS

TEMPORARY = "{tmp}"
"""Stands for the run's own folder; what a run writes there is part of its record."""
CASSETTES = "tests/goldens/cassettes"

HOUSEHOLD, VIRTUALHOME, FLIGHTS = "pddl/household", "pddl/virtualhome", "pddl/flights"
DEMO = (f"{HOUSEHOLD}/domain.pddl", f"{HOUSEHOLD}/problems/demo.pddl")
SMALL_APPLE = (f"{HOUSEHOLD}/domain.pddl", f"{HOUSEHOLD}/problems/small-apple.pddl")
SALMON = (f"{VIRTUALHOME}/domain.pddl", f"{VIRTUALHOME}/problems/put-salmon-in-the-fridge.pddl")
SMALL_SALMON = (f"{VIRTUALHOME}/domain.pddl", "tests/goldens/problems/small-salmon.pddl")
OSLO_ATHENS = (f"{FLIGHTS}/domain.pddl", f"{FLIGHTS}/problems/short-oslo-athens.pddl")
BARE = (f"{TEMPORARY}/domain.pddl", f"{TEMPORARY}/problem.pddl")

PROBLEMS = {"demo": DEMO, "small-apple": SMALL_APPLE, "small-salmon": SMALL_SALMON, "oslo-athens": OSLO_ATHENS}
SIMULATIONS = ("--simulations", "30")

ON = {
    "llm-guide": "small-salmon",
    "llm-program": "small-salmon",
    "llm-model": "oslo-athens",
    "llm-route": "oslo-athens",
    "fast-downward": "small-apple",
    "pyperplan": "small-apple",
}
"""Method → the problem that its golden run is about, where that is not the demo."""
EVERYWHERE = ("llm-mcts", "llm-mcts-paper", "llm-hill-climb", "gbfs")
"""Methods that do every problem: one of each kind."""
WHOLE_HOME = ("llm-hill-climb",)
"""Methods that do put-salmon-in-the-fridge in the whole apartment too."""


@dataclass(frozen=True)
class Golden:
    """One run: the words after ``cplan``, and the ``material`` (see ``materials.py``) that is there before it."""

    name: str
    argv: tuple[str, ...]
    material: str = ""

    @property
    def asks(self) -> bool:
        """Whether a model's answers come from a cassette."""
        return "--replay" in self.argv

    @property
    def measures(self) -> bool:
        """Whether its report tells how long something took."""
        return self.argv[0] == "bench"


def _solve(name: str, files: tuple[str, str], *options: str, material: str = "") -> Golden:
    trace = ("--json", "--trace", f"{TEMPORARY}/trace.jsonl")
    return Golden(f"solve/{name}", ("solve", *files, *options, *trace), material)


def _replayed(name: str) -> tuple[str, ...]:
    """The options of a model whose answers are in the cassette of that name."""
    replay = ("--retries", "0", "--replay", f"{CASSETTES}/{name}.jsonl")
    return ("--model", "openai:golden", "--ask-by", "samples", *replay)


def _asked(name: str, files: tuple[str, str], *options: str, material: str = "") -> Golden:
    """A run of ``solve`` whose prompts are held by a cassette."""
    return _solve(f"asked/{name}", files, *_replayed(name), *options, material=material)


def _simulates(method: str) -> bool:
    return "simulations" in METHODS[method].Options.__dataclass_fields__


ABLATIONS = {
    "no-policy": ("--policy", "uniform"),
    "uniform-prior": ("--prior", "uniform"),
    "observable": ("--observable",),
}


def _methods() -> Iterator[Golden]:
    """Every method on one problem, some on all; and the searches without a piece of theirs."""
    for method in METHODS:
        for problem, files in PROBLEMS.items():
            if method in EVERYWHERE or problem == ON.get(method, "demo"):
                options = ("--method", method, "--seed", "0", *(SIMULATIONS if _simulates(method) else ()))
                yield _solve(f"{method}/{problem}-0", files, *options)
    for method in ("llm-mcts", "llm-mcts-paper"):
        for name, options in ABLATIONS.items():
            yield _solve(f"{method}-{name}/demo-0", DEMO, "--method", method, *options, "--seed", "0", *SIMULATIONS)
    for method in WHOLE_HOME:
        options = ("--method", method, *(("--simulations", "20") if _simulates(method) else ()))
        yield _solve(f"{method}/salmon-0", SALMON, *options)


OPTIONS = (
    _solve("options/default-simulations", SMALL_APPLE, "--seed", "7"),
    _solve("options/guide-low", SMALL_SALMON, "--method", "llm-hill-climb", "--guide", "low"),
    _solve("options/guide-high", SMALL_SALMON, "--method", "llm-hill-climb", "--guide", "high"),
    _solve("options/beam", SMALL_SALMON, "--method", "llm-hill-climb", "--beam", "2"),
    _solve("options/paper-visits", SMALL_APPLE, *SIMULATIONS, "--method", "llm-mcts-paper", "--choose", "visits"),
    _solve("options/uct-no-reuse", DEMO, *SIMULATIONS, "--method", "uct", "--no-reuse", "--max-steps", "6"),
    _solve("options/paper-reuse", SMALL_APPLE, *SIMULATIONS, "--method", "llm-mcts-paper", "--reuse"),
    _solve("options/worlds", DEMO, *SIMULATIONS, "--worlds", "20", "--exploration", "0.1", "--lambda", "0.3"),
    _solve(
        "options/numbers",
        SMALL_APPLE,
        *SIMULATIONS,
        *("--method", "llm-mcts-paper", "--depth", "8", "--discount", "0.9", "--exploration", "5", "--lambda", "0.3"),
        *("--samples", "3"),
    ),
    _solve("options/max-steps", DEMO, *SIMULATIONS, "--max-steps", "3"),
    _solve("options/fewest", OSLO_ATHENS, "--method", "llm-model", "--route", "fewest", "--breadth", "3"),
    _solve("options/instruction", DEMO, "--method", "gbfs", "--instruction", "put an apple in the icebox"),
    _solve("options/instruction-unknown", DEMO, "--instruction", "paint the wall"),
    _solve("options/engine", SMALL_APPLE, "--method", "up:pyperplan"),
    _solve("options/own-domain", ("examples/own_domain/domain.pddl", "examples/own_domain/problem.pddl"), *SIMULATIONS),
    Golden("solve/options/text", ("solve", *SMALL_APPLE, *SIMULATIONS, "--plan", f"{TEMPORARY}/plan")),
    Golden("solve/options/dry-run", ("solve", *DEMO, "--model", "openai:gpt-4o-mini", "--dry-run", "--json")),
)

CLIMB = ("--method", "llm-hill-climb", "--max-steps", "6")
PAPER = ("--prompts", "paper")
PAPER_SEARCH = ("--method", "llm-mcts-paper", "--simulations", "10", "--samples", "3")
RELEVANT = ("--actions", "relevant")
ASKED = (
    _asked("llm-mcts", SMALL_APPLE, "--simulations", "10", "--parallel", "4"),
    _asked("llm-mcts-paper", SMALL_APPLE, *PAPER_SEARCH, *RELEVANT),
    _asked("llm-mcts-no-policy", SMALL_APPLE, "--policy", "uniform", "--simulations", "10"),
    _asked("llm-mcts-flights", OSLO_ATHENS, "--simulations", "10", "--parallel", "4"),
    _asked("llm-mcts-bare", BARE, "--simulations", "10", "--parallel", "4", material="bare household"),
    _asked("llm-mcts-demo", DEMO, "--simulations", "6", "--parallel", "4", "--max-steps", "5", "--samples", "3"),
    _asked("llm-replan", SMALL_APPLE, "--method", "llm-replan"),
    _asked("llm-policy", SMALL_APPLE, "--method", "llm-policy", *RELEVANT),
    _asked("llm-policy-bare", BARE, "--method", "llm-policy", "--max-steps", "8", material="bare household"),
    _asked("llm-hill-climb", SMALL_SALMON, *CLIMB, *PAPER),
    _asked("llm-hill-climb-guide", SMALL_SALMON, *CLIMB, *PAPER, "--guide", "high"),
    _asked("llm-hill-climb-low", SMALL_SALMON, *CLIMB, *PAPER, "--guide", "low", "--rules", "--think"),
    _asked("llm-hill-climb-own", SMALL_SALMON, *CLIMB),
    _asked("llm-hill-climb-own-beam", SMALL_SALMON, *CLIMB, "--beam", "2", "--partition", "2", "--backtrack"),
    _asked("llm-guide", SMALL_SALMON, "--method", "llm-guide", *PAPER),
    _asked("llm-guide-household", SMALL_APPLE, "--method", "llm-guide", "--description", "bring the apple"),
    _asked("llm-program", SMALL_SALMON, "--method", "llm-program"),
    _asked("llm-plan", SMALL_APPLE, "--method", "llm-plan"),
    _asked("llm-modulo", SMALL_APPLE, "--method", "llm-modulo"),
    _asked("llm-model", OSLO_ATHENS, "--method", "llm-model"),
    _asked("llm-model-bare", BARE, "--method", "llm-model", material="bare flights"),
    _asked("llm-route", OSLO_ATHENS, "--method", "llm-route"),
    _asked("instruction", DEMO, *PAPER, "--method", "gbfs", "--instruction", "I would like the apple to be cold"),
    _asked("instruction-own", DEMO, "--method", "gbfs", "--instruction", "I would like the apple to be cold"),
    Golden("belief/asked", ("belief", *SMALL_APPLE, "--json", *_replayed("belief"))),
    Golden("solve/asked/not-recorded", ("solve", *DEMO, *_replayed("llm-route"), "--json")),
)

LOOKS = (
    Golden("belief/small-apple", ("belief", *SMALL_APPLE, "--json")),
    Golden("belief/demo", ("belief", *DEMO, "--json", "--seed", "3")),
    Golden("belief/flights", ("belief", *OSLO_ATHENS, "--json")),
    Golden("check/demo", ("check", *DEMO)),
    Golden("check/json", ("check", *SMALL_SALMON, "--json")),
    Golden("ground/demo", ("ground", *DEMO)),
    Golden("ground/json", ("ground", *SMALL_SALMON, "--json")),
    Golden("methods/all", ("methods",)),
    Golden("methods/json", ("methods", "--json")),
    *(Golden(f"methods/{name}", ("methods", *PROBLEMS[name])) for name in ("demo", "oslo-athens")),
    Golden("methods/oslo-athens-json", ("methods", *OSLO_ATHENS, "--json")),
)

OUT = ("--quiet", "--workers", "1", "-o", f"{TEMPORARY}/results")
WORLD = (f"{TEMPORARY}/airports.dat", f"{TEMPORARY}/routes.dat")
EXPERIMENTS = (
    Golden(
        "bench/rearrangement",
        ("bench", "rearrangement", "--tasks", "10", "--seeds", "1", "--simulations", "10", *OUT)
        + ("--methods", "mcts,expert", "--max-steps", "3"),
    ),
    Golden(
        "bench/household",
        ("bench", "household", "--repeats", "1", "--tables", "1", "--tasks", "watch-tv", *OUT),
    ),
    Golden(
        "bench/household-asked",
        ("bench", "household", "--repeats", "1", "--tables", "1", "--tasks", "watch-tv", "--max-steps", "2", *OUT)
        + _replayed("bench-household"),
    ),
    Golden(
        "bench/kitchen",
        ("bench", "kitchen", "--tasks", "1", "--levels", "easy", "--methods", "llm-replan", "--simulations", "5", *OUT),
    ),
    Golden(
        "bench/guidance",
        ("bench", "guidance", "--tasks", "1", "--priors", "0.5", "--policies", "1", "--methods", "llm-mcts")
        + ("--simulations", "5", *OUT),
    ),
    Golden("bench/flights", ("bench", "flights", *WORLD, "--pairs", "2", *OUT), "world"),
    Golden(
        "bench/flights-asked",
        (
            *("bench", "flights", *WORLD, "--pairs", "2", "--methods", "rechecked,policy"),
            *(*OUT, *_replayed("bench-flights")),
        ),
        "world",
    ),
    Golden(
        "bench/multiplication", ("bench", "multiplication", "--seeds", "1", "--digits", "1,12", "--tasks", "5", *OUT)
    ),
    # Training needs torch, which is not installed everywhere: only what is refused before, and the report of rows.
    Golden("report/rearrangement", ("report", f"{TEMPORARY}/results"), "rearrangement rows"),
    Golden(
        "data/tasks",
        ("data", "tasks", "--tasks", "10", "--training", "2", "--json", "-o", f"{TEMPORARY}/tasks"),
    ),
    Golden(
        "data/expert",
        ("data", "expert", "-o", f"{TEMPORARY}/D.jsonl", "--trajectories", "3", "--pool", f"{TEMPORARY}/pool.jsonl")
        + ("--pool-size", "2", "--workers", "1", "--json"),
    ),
    Golden("mdl/all", ("bench", "mdl",)),
    Golden("mdl/flights", ("bench", "mdl", "flights", "--flights-per-city", "10", "--program-bits", "8000", "--json")),
    Golden("mdl/multiplication", ("bench", "mdl", "multiplication", "--sizes", "1,2,12")),
)

GRAPH, PLAN = f"{TEMPORARY}/graph.json", f"{TEMPORARY}/plan"
SCENE = (f"{VIRTUALHOME}/domain.pddl", f"{TEMPORARY}/problem.pddl")
IMPORTS = (
    Golden("import-flights/account", ("data", "import-flights", *WORLD, "--json"), "openflights"),
    Golden(
        "import-flights/airports",
        ("data", "import-flights", *WORLD, "--by", "airport", "--from", "New York JFK", "--to", "newark-ewr", "--json"),
        "openflights",
    ),
    Golden(
        "import-flights/pairs",
        ("data", "import-flights", *WORLD, "--pairs", "large", "--count", "3", "--seed", "2")
        + ("-o", f"{TEMPORARY}/problems"),
        "world",
    ),
    Golden(
        "import-virtualhome/household",
        ("data", "import-virtualhome", GRAPH, "--goal", "(inside cupcake fridge)", "--add", "cupcake=GRABBABLE"),
        "scene",
    ),
    Golden(
        "import-virtualhome/virtualhome",
        ("data", "import-virtualhome", GRAPH, "--domain", "virtualhome")
        + ("--task", "put-salmon-in-the-fridge", "--json"),
        "scene",
    ),
    Golden("export-virtualhome/text", ("data", "export-virtualhome", *SCENE, PLAN), "scene"),
    Golden("validate/valid", ("validate", *SCENE, PLAN), "scene"),
    Golden("validate/short", ("validate", *SCENE, f"{TEMPORARY}/short", "--json"), "scene"),
)

GOLDENS = {golden.name: golden for golden in (*_methods(), *OPTIONS, *ASKED, *LOOKS, *EXPERIMENTS, *IMPORTS)}
