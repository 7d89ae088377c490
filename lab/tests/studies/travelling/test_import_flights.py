"""``cplan data import-flights``: what it writes, what it tells of lines not used, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.tests.studies.travelling.openflights_files import (
    AIRPORTS,
    AIRPORTS_ASIDE,
    ROUTES,
    ROUTES_ASIDE,
    write_openflights,
)
from tests.cli.running import Run
from tests.data import REPOSITORY

DOMAIN = REPOSITORY / "pddl" / "flights" / "domain.pddl"
LARGE = ["Paris,France,CDG", "Lagos,Nigeria,LOS", "Lima,Peru,LIM", "Moscow,Russia,SVO"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return write_openflights(tmp_path)


@pytest.fixture
def world(tmp_path: Path) -> tuple[Path, Path]:
    """Files of four large cities, one of which has no flight back."""
    airports, routes = tmp_path / "airports.dat", tmp_path / "routes.dat"
    lines = [[i, "Airport", *city.split(","), "", *[0] * 8] for i, city in enumerate(LARGE)]
    airports.write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    pairs = [(0, 1), (1, 0), (0, 2), (2, 0), (0, 3)]
    routes.write_text("".join(f"X,1,,{a},,{b},,0,\n" for a, b in pairs))
    return airports, routes


def test_a_problem_in_a_file(files: tuple[Path, Path], tmp_path: Path, cplan: Run) -> None:
    problem = tmp_path / "my problem.pddl"
    ended = cplan("data", "import-flights", *files, "--from", "sao bourg", "--to", "Meadow, West", "-o", problem)
    assert ended.code == 0
    assert "7 cities, 7 direct flights between them" in ended.out
    assert f"airports.dat: 11 of {len(AIRPORTS)} lines used" in ended.out
    assert f"routes.dat: 9 of {len(ROUTES)} lines used" in ended.out
    for reason, numbers in (*AIRPORTS_ASIDE.items(), *ROUTES_ASIDE.items()):
        told = f"{reason} {len(numbers)} line {', '.join(map(str, numbers))}"
        assert told in [" ".join(line.split()) for line in ended.out.splitlines()]
    assert f"next: cplan solve flights '{problem}' --method gbfs" in ended.out
    text = problem.read_text()
    assert text.startswith("; From São Bourg to Meadow, West.\n; Direct flights from OpenFlights' files airports.dat")
    assert "(define (problem sao-bourg-meadow-west)" in text
    solved = cplan("solve", DOMAIN, problem, "--method", "astar", "--json")
    assert solved.code == 0
    assert solved.json["plan"] == ["(fly sao-bourg aber)", "(fly aber meadow-west)"]


def test_a_problem_on_stdout(files: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("data", "import-flights", *files, "--from", "New York JFK", "--to", "newark-ewr", "--by", "airport")
    assert ended.out.startswith("; From New York JFK to Newark EWR.")
    assert "9 airports, 10 direct flights between them" in ended.err


def test_as_data(files: tuple[Path, Path], tmp_path: Path, cplan: Run) -> None:
    trip = ("data", "import-flights", *files, "--from", "Aber", "--to", "São Bourg", "--json")
    data = cplan(*trip).json
    assert (data["cities"], data["flights"]) == (7, 7)
    for name, reasons in (("airports_file", AIRPORTS_ASIDE), ("routes_file", ROUTES_ASIDE)):
        told = data[name]["not_used"]
        assert {reason: lines["first"] for reason, lines in told.items()} == reasons
        assert data[name]["used"] + sum(lines["lines"] for lines in told.values()) == data[name]["lines"]
    assert data["problems"] == [{"from": "Aber", "to": "São Bourg", "file": None}]
    assert "(:goal (at sao-bourg))" in data["problem"]
    problem = tmp_path / "problem.pddl"
    written = cplan(*trip, "-o", problem).json
    assert "problem" not in written
    assert problem.read_text() == data["problem"]


def test_only_the_account(files: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("data", "import-flights", *files, "--json")
    assert ended.json["problems"] == []
    assert "next:" not in ended.err


def test_pairs(world: tuple[Path, Path], tmp_path: Path, cplan: Run) -> None:
    folder = tmp_path / "new" / "problems"
    draw = ("data", "import-flights", *world, "--pairs", "large", "--count", "9", "--out")
    ended = cplan(*draw, folder)
    assert ended.code == 0
    from_here = {"lagos", "lima", "paris"}  # Moscow has no flight
    ways = {f"{a}-{b}.pddl" for a in from_here for b in {*from_here, "moscow"} if a != b}
    assert {path.name for path in folder.glob("*.pddl")} == ways
    assert len(list(folder.glob("*.lexicon.toml"))) == len(ways)
    assert "(problem lagos-lima)" in (folder / "lagos-lima.pddl").read_text()
    assert f"9 problems are in {folder}" in ended.out
    for seed in "0123":
        assert cplan(*draw, tmp_path / seed, "--count", "3", "--seed", seed).code == 0
    chosen = {frozenset(path.name for path in (tmp_path / seed).glob("*.pddl")) for seed in "0123"}
    assert {len(names) for names in chosen} == {3}
    assert len(chosen) > 1
    cplan(*draw, tmp_path / "again", "--count", "3", "--seed", "0")
    assert {p.name: p.read_text() for p in (tmp_path / "again").iterdir()} == {
        p.name: p.read_text() for p in (tmp_path / "0").iterdir()
    }


def test_one_pair_and_the_busiest_cities(world: tuple[Path, Path], tmp_path: Path, cplan: Run) -> None:
    folder = tmp_path / "one"
    ended = cplan("data", "import-flights", *world, "--pairs", "large", "--count", "1", "--cities", "2", "-o", folder)
    assert ended.code == 0
    assert "2 cities, 2 direct flights between them" in ended.out
    assert len(list(folder.glob("*.pddl"))) == 1
    # Moscow, with no flight back, is in no connected part.
    assert "3 cities" in cplan("data", "import-flights", *world, "--cities", "4").out


@pytest.mark.parametrize(("line", "message"), [
    ("--from Abber --to Aber", "there are no flights of a city called Abber (did you mean Aber?)"),
    ("--from Lone --to Aber", "there are no flights of a city called Lone"),
    ("--from Aber,Norland --to Aber", "Aber,Norland (did you mean Aber?)"),
    ("--from new-york --to aber --cities 2", "new-york is not among the 2 busiest cities; raise --cities"),
    ("--from Aber", "--from and --to go together"),
    ("--to Aber", "--from and --to go together"),
    ("--count 3", "--count and --seed are for --pairs"),
    ("--seed 0", "--count and --seed are for --pairs"),
    ("--pairs large --from Aber --to Aber", "--pairs draws both ends"),
    ("--pairs large --by airport -o x", "it does not go with --by airport"),
    ("--pairs large", "give their folder with --out"),
    ("--out x", "--out is for a problem"),
    ("--pairs large --count 5 -o x", "there are 0 pairs of these 1 cities with a route, not 5"),
    ("--pairs tiny -o x", "'tiny' is not one of 'large', 'mid-size'"),
    ("--from aber --to sao-bourg -o {folder}", "cannot write it: Is a directory; choose another --out"),
    ("--from aber --to sao-bourg -o {folder}/none/x", "cannot write it: No such file or directory"),
])  # fmt: skip
def test_refused(line: str, message: str, files: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("data", "import-flights", *files, *(word.format(folder=files[0].parent) for word in line.split()))
    assert ended.code == 2
    assert message in ended.err
    assert ended.out == ""


def test_folders_that_cannot_be_made(world: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("data", "import-flights", *world, "--pairs", "large", "--count", "1", "-o", world[0])
    assert ended.code == 2
    assert "airports.dat: cannot write the problems: File exists" in ended.err


def test_files_that_are_something_else(files: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("data", "import-flights", files[1], files[0])
    assert ended.code == 2
    assert "give airports.dat of OpenFlights" in ended.err
