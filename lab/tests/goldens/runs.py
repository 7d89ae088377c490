"""The golden runs of the laboratory's commands and methods."""

from __future__ import annotations

from lab.tests.goldens.materials import bare_flights, openflights, scene, world
from tests.goldens.runs import (
    BARE,
    DEMO,
    OSLO_ATHENS,
    PAPER,
    SMALL_APPLE,
    SMALL_SALMON,
    TEMPORARY,
    VIRTUALHOME,
    Golden,
    replayed,
    solve,
)

CASSETTES = "lab/tests/goldens/cassettes"
SEED = ("--seed", "0")

METHODS = (
    solve("learned-policy/demo-0", DEMO, "--method", "learned-policy", *SEED),
    solve("llm-heuristic/demo-0", DEMO, "--method", "llm-heuristic", *SEED),
    solve("llm-model/oslo-athens-0", OSLO_ATHENS, "--method", "llm-model", *SEED),
    solve("llm-program/small-salmon-0", SMALL_SALMON, "--method", "llm-program", *SEED),
    solve("llm-route/oslo-athens-0", OSLO_ATHENS, "--method", "llm-route", *SEED),
    solve("options/fewest", OSLO_ATHENS, "--method", "llm-model", "--route", "fewest", "--breadth", "3"),
    solve("asked/llm-program", SMALL_SALMON, *replayed("llm-program", CASSETTES), "--method", "llm-program"),
    solve("asked/llm-model", OSLO_ATHENS, *replayed("llm-model", CASSETTES), "--method", "llm-model"),
    solve(
        "asked/llm-model-bare",
        BARE,
        *replayed("llm-model-bare", CASSETTES),
        "--method",
        "llm-model",
        material=bare_flights,
    ),
    solve("asked/llm-route", OSLO_ATHENS, *replayed("llm-route", CASSETTES), "--method", "llm-route"),
    solve(
        "asked/instruction",
        DEMO,
        *replayed("instruction", CASSETTES),
        *PAPER,
        "--method",
        "gbfs",
        "--instruction",
        "I would like the apple to be cold",
    ),
)

LISTS = (
    Golden("belief/asked", ("belief", *SMALL_APPLE, "--json", *replayed("belief", CASSETTES))),
    Golden("belief/small-apple", ("belief", *SMALL_APPLE, "--json")),
    Golden("belief/demo", ("belief", *DEMO, "--json", "--seed", "3")),
    Golden("belief/flights", ("belief", *OSLO_ATHENS, "--json")),
)

OUT = ("--quiet", "--workers", "1", "-o", f"{TEMPORARY}/results")
WORLD = (f"{TEMPORARY}/airports.dat", f"{TEMPORARY}/routes.dat")
EXPERIMENTS = (
    Golden(
        "bench/rearrangement",
        ("bench", "rearrangement", "--tasks", "10", "--seeds", "1", "--simulations", "10", *OUT)
        + ("--methods", "mcts,expert", "--max-steps", "3"),
    ),
    Golden("bench/household", ("bench", "household", "--repeats", "1", "--tables", "2", "--tasks", "watch-tv", *OUT)),
    Golden(
        "bench/household-asked",
        ("bench", "household", "--repeats", "1", "--tables", "2", "--tasks", "watch-tv", "--max-steps", "2", *OUT)
        + replayed("bench-household", CASSETTES),
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
    Golden("bench/flights", ("bench", "flights", *WORLD, "--pairs", "2", *OUT), world),
    Golden(
        "bench/flights-asked",
        (
            *("bench", "flights", *WORLD, "--pairs", "2", "--methods", "rechecked,policy"),
            *(*OUT, *replayed("bench-flights", CASSETTES)),
        ),
        world,
    ),
    Golden(
        "bench/multiplication", ("bench", "multiplication", "--seeds", "1", "--digits", "1,12", "--tasks", "5", *OUT)
    ),
    Golden("data/tasks", ("data", "tasks", "--tasks", "3", "--training", "1", "--json", "-o", f"{TEMPORARY}/tasks")),
    Golden(
        "data/expert",
        ("data", "expert", "-o", f"{TEMPORARY}/D.jsonl", "--trajectories", "3", "--pool", f"{TEMPORARY}/pool.jsonl")
        + ("--pool-size", "2", "--workers", "1", "--json"),
    ),
    Golden("mdl/all", ("bench", "mdl")),
    Golden("mdl/flights", ("bench", "mdl", "flights", "--flights-per-city", "10", "--program-bits", "8000", "--json")),
    Golden("mdl/multiplication", ("bench", "mdl", "multiplication", "--sizes", "1,2,12")),
)

GRAPH, PLAN = f"{TEMPORARY}/graph.json", f"{TEMPORARY}/plan"
SCENE = (f"{VIRTUALHOME}/domain.pddl", f"{TEMPORARY}/problem.pddl")
IMPORTS = (
    Golden("import-flights/account", ("data", "import-flights", *WORLD, "--json"), openflights),
    Golden(
        "import-flights/airports",
        ("data", "import-flights", *WORLD, "--by", "airport", "--from", "New York JFK", "--to", "newark-ewr", "--json"),
        openflights,
    ),
    Golden(
        "import-flights/pairs",
        ("data", "import-flights", *WORLD, "--pairs", "large", "--count", "3", "--seed", "2")
        + ("-o", f"{TEMPORARY}/problems"),
        world,
    ),
    Golden(
        "import-virtualhome/household",
        ("data", "import-virtualhome", GRAPH, "--goal", "(inside cupcake fridge)", "--add", "cupcake=GRABBABLE"),
        scene,
    ),
    Golden(
        "import-virtualhome/virtualhome",
        ("data", "import-virtualhome", GRAPH, "--domain", "virtualhome")
        + ("--task", "put-salmon-in-the-fridge", "--json"),
        scene,
    ),
    Golden("export-virtualhome/text", ("data", "export-virtualhome", *SCENE, PLAN), scene),
    Golden("validate/valid", ("validate", *SCENE, PLAN), scene),
    Golden("validate/short", ("validate", *SCENE, f"{TEMPORARY}/short", "--json"), scene),
)

GOLDENS = {golden.name: golden for golden in (*METHODS, *LISTS, *EXPERIMENTS, *IMPORTS)}
