"""``cplan data import-flights``: what it writes, what it tells of lines not used, and what it refuses."""

from pathlib import Path

import pytest

from lab.tests.studies.rearrangement.small_world import write_flights
from lab.tests.studies.travelling.openflights_files import write_openflights
from tests.cli.running import Run
from tests.data import REPOSITORY

DOMAIN = REPOSITORY / "pddl" / "flights" / "domain.pddl"
LARGE = [("Paris", "France"), ("Lagos", "Nigeria"), ("Lima", "Peru"), ("Moscow", "Russia")]


@pytest.fixture
def world(tmp_path: Path) -> tuple[Path, Path]:
    """Files of four large cities, one of which has no flight back."""
    return write_flights(tmp_path, LARGE, [(0, 1), (1, 0), (0, 2), (2, 0), (0, 3)])


def test_a_problem_in_a_file(tmp_path: Path, cplan: Run) -> None:
    problem = tmp_path / "my problem.pddl"
    trip = ("data", "import-flights", *write_openflights(tmp_path), "--from", "sao bourg", "--to", "Meadow, West")
    assert cplan(*trip).out.startswith("; From São Bourg to Meadow, West.")
    ended = cplan(*trip, "-o", problem)
    assert ended.code == 0
    assert f"next: cplan solve flights '{problem}' --method gbfs" in ended.out
    text = problem.read_text()
    assert text.startswith("; From São Bourg to Meadow, West.\n; Direct flights from OpenFlights' files airports.dat")
    assert "(define (problem sao-bourg-meadow-west)" in text
    solved = cplan("solve", DOMAIN, problem, "--method", "astar", "--json")
    assert solved.code == 0
    assert solved.json["plan"] == ["(fly sao-bourg aber)", "(fly aber meadow-west)"]


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


def test_one_pair_and_the_busiest_cities(world: tuple[Path, Path], tmp_path: Path, cplan: Run) -> None:
    folder = tmp_path / "one"
    ended = cplan("data", "import-flights", *world, "--pairs", "large", "--count", "1", "--cities", "2", "-o", folder)
    assert ended.code == 0
    assert "2 cities, 2 direct flights between them" in ended.out
    assert len(list(folder.glob("*.pddl"))) == 1
    # Moscow, with no flight back, is in no connected part.
    assert "3 cities" in cplan("data", "import-flights", *world, "--cities", "4").out
