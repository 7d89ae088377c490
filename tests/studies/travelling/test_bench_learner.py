"""``cplan bench learner``: what it prints and writes, and how it ends."""

from __future__ import annotations

import json
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from commonsense_planning.runner.rows import NAME
from commonsense_planning.studies.travelling.learner import LearnerEpisode
from commonsense_planning.studies.travelling.learner_study import LearnerOutcome
from tests.cli.running import Run
from tests.studies.travelling.test_learner_tables import row

CITIES = ("Rome", "Oslo", "Lima", "Cairo", "Perth")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Flights between five cities in a circle, there and back."""
    airports, routes = tmp_path / "airports.dat", tmp_path / "routes.dat"
    with airports.open("w") as file:
        for i, city in enumerate(CITIES):
            file.write(f'{i},"{city} Airport","{city}","Land {i}","AA{i}","AAA{i}",0,0,0,0,"N","x","airport","y"\n')
    with routes.open("w") as file:
        for i in range(5):
            for j in ((i + 1) % 5, (i - 1) % 5):
                file.write(f"XX,1,AA{i},{i},AA{j},{j},,0,320\n")
    return airports, routes


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every network is trained at once; torch is as good as installed."""

    def run(episode: LearnerEpisode) -> LearnerOutcome:
        made_up = row(episode.cities, str(episode.kind), episode.seed, 90, str(episode.regime))
        return LearnerOutcome(**{name: made_up[name] for name in LearnerOutcome.__dataclass_fields__})

    monkeypatch.setattr(LearnerEpisode, "run", run)
    monkeypatch.setattr("commonsense_planning.learning.weights.torch_library", lambda: None)


@pytest.mark.usefixtures("trained")
def test_the_tables_are_printed_and_written(cplan: Run, tmp_path: Path, files: tuple[Path, Path]) -> None:
    out = tmp_path / "results"
    options = ("--cities", "3,5", "--seeds", "2", "--workers", "1")
    ended = cplan("bench", "learner", *files, *options, "-o", out)
    assert ended.code == 0, ended.err
    assert "16 episodes: 0 were there, 16 run" in ended.out
    assert "Model or policy: every pair is taught" in ended.out
    page = (out / "report.md").read_text()
    assert f"cplan bench learner {files[0]} {files[1]} --cities 3,5 --seeds 2 -o results" in page
    assert (out / "plots" / "learner-held-out.svg").is_file()
    ended = cplan("bench", "learner", *files, *options, "-o", out, "--json")
    assert (ended.json["found"], ended.json["done"]) == (16, 0)


@pytest.mark.parametrize("cities", ["", "ten", "25,x", "-5"])
def test_cities_are_numbers(cplan: Run, tmp_path: Path, files: tuple[Path, Path], cities: str) -> None:
    ended = cplan("bench", "learner", *files, f"--cities={cities}", "-o", tmp_path / "results")
    assert ended.code == 2
    assert "--cities: " in ended.err and "is neither a number nor a range" in ended.err


@pytest.mark.usefixtures("trained")
def test_more_cities_than_there_are(cplan: Run, tmp_path: Path, files: tuple[Path, Path]) -> None:
    ended = cplan("bench", "learner", *files, "--cities", "6", "-o", tmp_path / "results")
    assert ended.code == 2
    assert "6 cities cannot be had: there are 5" in ended.err
    assert not (tmp_path / "results").exists()


@pytest.mark.usefixtures("trained")
def test_files_that_are_not_there(cplan: Run, tmp_path: Path) -> None:
    ended = cplan("bench", "learner", tmp_path / "a.dat", tmp_path / "r.dat", "-o", tmp_path / "results")
    assert ended.code == 2
    assert "a.dat" in ended.err


def test_without_torch_the_way_out_is_said(
    cplan: Run, tmp_path: Path, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    ended = cplan("bench", "learner", *files, "-o", tmp_path / "results")
    assert ended.code == 3
    assert "pip install 'commonsense-planning[train]'" in ended.err


def test_help_has_examples(cplan: Run) -> None:
    assert re.search(r"^  learner  ", cplan("bench", "--help").out, re.MULTILINE)
    text = cplan("bench", "learner", "--help").out
    assert "Examples:" in text
    assert "section 4.1" in text


@pytest.mark.train
@pytest.mark.skipif(not find_spec("torch"), reason="the extra train is not installed")
def test_a_small_run_from_end_to_end(cplan: Run, tmp_path: Path, files: tuple[Path, Path]) -> None:
    options = ("--cities", "5", "--seeds", "1", "--steps", "40", "--workers", "1", "--quiet")
    ended = cplan("bench", "learner", *files, *options, "-o", tmp_path / "results")
    assert ended.code == 0, ended.err
    rows = [json.loads(line) for line in (tmp_path / "results" / NAME).read_text().splitlines()]
    of_all = {row["kind"]: row for row in rows if row["regime"] == "all"}
    assert of_all["model"]["accuracy"] == 1.0
    assert of_all["model"]["trials"] == of_all["policy"]["trials"] == 20
