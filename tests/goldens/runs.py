"""The golden runs as plain values: name → command line, with paths relative to the repository's root."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from commonsense_planning.methods.registry import BUILT_IN, METHODS
from tests.goldens.materials import bare_household, nothing

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

ON = {"llm-guide": "small-salmon", "fast-downward": "small-apple", "pyperplan": "small-apple"}
"""Method → the problem that its golden run is about, where that is not the demo."""
EVERYWHERE = ("llm-mcts", "llm-mcts-paper", "llm-hill-climb")
"""Methods that do every problem: one of each kind that asks."""


@dataclass(frozen=True)
class Golden:
    """One run: the words after ``cplan``, and what writes the ``material`` that is there before it."""

    name: str
    argv: tuple[str, ...]
    material: Callable[[Path], None] = nothing

    @property
    def asks(self) -> bool:
        """Whether a model's answers come from a cassette."""
        return "--replay" in self.argv

    @property
    def measures(self) -> bool:
        """Whether its report tells how long something took."""
        return self.argv[0] == "bench"


def solve(name: str, files: tuple[str, str], *options: str, material: Callable[[Path], None] = nothing) -> Golden:
    trace = ("--json", "--trace", f"{TEMPORARY}/trace.jsonl")
    return Golden(f"solve/{name}", ("solve", *files, *options, *trace), material)


def replayed(name: str, cassettes: str = CASSETTES) -> tuple[str, ...]:
    """The options of a model whose answers are in the cassette of that name."""
    replay = ("--retries", "0", "--replay", f"{cassettes}/{name}.jsonl")
    return ("--model", "openai:golden", "--ask-by", "samples", *replay)


def asked(name: str, files: tuple[str, str], *options: str, material: Callable[[Path], None] = nothing) -> Golden:
    """A run of ``solve`` whose prompts are held by a cassette."""
    return solve(f"asked/{name}", files, *replayed(name), *options, material=material)


def _simulates(method: str) -> bool:
    return "simulations" in METHODS[method].Options.__dataclass_fields__


ABLATIONS = {
    "no-policy": ("--policy", "uniform"),
    "uniform-prior": ("--prior", "uniform"),
    "observable": ("--observable",),
}


def _methods() -> Iterator[Golden]:
    """Every method of the core on one problem, some on all; and the searches without a piece of theirs."""
    for method in BUILT_IN:
        for problem, files in PROBLEMS.items():
            if method in EVERYWHERE or problem == ON.get(method, "demo"):
                options = ("--method", method, "--seed", "0", *(SIMULATIONS if _simulates(method) else ()))
                yield solve(f"{method}/{problem}-0", files, *options)
    for method in ("llm-mcts", "llm-mcts-paper"):
        for name, options in ABLATIONS.items():
            yield solve(f"{method}-{name}/demo-0", DEMO, "--method", method, *options, "--seed", "0", *SIMULATIONS)
    yield solve("llm-hill-climb/salmon-0", SALMON, "--method", "llm-hill-climb")  # in the whole apartment


OPTIONS = (
    solve("options/default-simulations", SMALL_APPLE, "--seed", "7"),
    solve("options/guide-low", SMALL_SALMON, "--method", "llm-hill-climb", "--guide", "low"),
    solve("options/guide-high", SMALL_SALMON, "--method", "llm-hill-climb", "--guide", "high"),
    solve("options/beam", SMALL_SALMON, "--method", "llm-hill-climb", "--beam", "2"),
    solve("options/paper-visits", SMALL_APPLE, *SIMULATIONS, "--method", "llm-mcts-paper", "--choose", "visits"),
    solve("options/uct-no-reuse", DEMO, *SIMULATIONS, "--method", "uct", "--no-reuse", "--max-steps", "6"),
    solve("options/paper-reuse", SMALL_APPLE, *SIMULATIONS, "--method", "llm-mcts-paper", "--reuse"),
    solve("options/worlds", DEMO, *SIMULATIONS, "--worlds", "20", "--exploration", "0.1", "--lambda", "0.3"),
    solve(
        "options/numbers",
        SMALL_APPLE,
        *SIMULATIONS,
        *("--method", "llm-mcts-paper", "--depth", "8", "--discount", "0.9", "--exploration", "5", "--lambda", "0.3"),
        *("--samples", "3"),
    ),
    solve("options/max-steps", DEMO, *SIMULATIONS, "--max-steps", "3"),
    solve("options/instruction", DEMO, "--method", "gbfs", "--instruction", "put an apple in the icebox"),
    solve("options/instruction-unknown", DEMO, "--instruction", "paint the wall"),
    solve("options/engine", SMALL_APPLE, "--method", "up:pyperplan"),
    solve("options/own-domain", ("examples/own_domain/domain.pddl", "examples/own_domain/problem.pddl"), *SIMULATIONS),
    Golden("solve/options/text", ("solve", *SMALL_APPLE, *SIMULATIONS, "--plan", f"{TEMPORARY}/plan")),
    Golden("solve/options/dry-run", ("solve", *DEMO, "--model", "openai:gpt-4o-mini", "--dry-run", "--json")),
)

CLIMB = ("--method", "llm-hill-climb", "--max-steps", "6")
PAPER = ("--prompts", "paper")
PAPER_SEARCH = ("--method", "llm-mcts-paper", "--simulations", "10", "--samples", "3")
RELEVANT = ("--actions", "relevant")
ASKED = (
    asked("llm-mcts", SMALL_APPLE, "--simulations", "10", "--parallel", "4"),
    asked("llm-mcts-paper", SMALL_APPLE, *PAPER_SEARCH, *RELEVANT),
    asked("llm-mcts-no-policy", SMALL_APPLE, "--policy", "uniform", "--simulations", "10"),
    asked("llm-mcts-flights", OSLO_ATHENS, "--simulations", "10", "--parallel", "4"),
    asked("llm-mcts-bare", BARE, "--simulations", "10", "--parallel", "4", material=bare_household),
    asked("llm-mcts-demo", DEMO, "--simulations", "6", "--parallel", "4", "--max-steps", "5", "--samples", "3"),
    asked("llm-replan", SMALL_APPLE, "--method", "llm-replan"),
    asked("llm-policy", SMALL_APPLE, "--method", "llm-policy", *RELEVANT),
    asked("llm-policy-bare", BARE, "--method", "llm-policy", "--max-steps", "8", material=bare_household),
    asked("llm-hill-climb", SMALL_SALMON, *CLIMB, *PAPER),
    asked("llm-hill-climb-guide", SMALL_SALMON, *CLIMB, *PAPER, "--guide", "high"),
    asked("llm-hill-climb-low", SMALL_SALMON, *CLIMB, *PAPER, "--guide", "low", "--rules", "--think"),
    asked("llm-hill-climb-own", SMALL_SALMON, *CLIMB),
    asked("llm-hill-climb-own-beam", SMALL_SALMON, *CLIMB, "--beam", "2", "--partition", "2", "--backtrack"),
    asked("llm-guide", SMALL_SALMON, "--method", "llm-guide", *PAPER),
    asked("llm-guide-household", SMALL_APPLE, "--method", "llm-guide", "--description", "bring the apple"),
    asked("instruction-own", DEMO, "--method", "gbfs", "--instruction", "I would like the apple to be cold"),
    Golden("solve/asked/not-recorded", ("solve", *DEMO, *replayed("llm-guide"), "--json")),
)

LOOKS = (
    Golden("check/demo", ("check", *DEMO)),
    Golden("check/json", ("check", *SMALL_SALMON, "--json")),
    Golden("ground/demo", ("ground", *DEMO)),
    Golden("ground/json", ("ground", *SMALL_SALMON, "--json")),
)

GOLDENS = {golden.name: golden for golden in (*_methods(), *OPTIONS, *ASKED, *LOOKS)}
