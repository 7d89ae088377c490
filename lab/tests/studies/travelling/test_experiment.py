"""The travel experiment: its pairs, and the results of a few."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commonsense_lab.report.study import build
from commonsense_lab.runner.rows import as_json
from commonsense_lab.studies.solve_study import SolveEpisode
from commonsense_lab.studies.travelling import experiment as flights
from commonsense_lab.studies.travelling.experiment import FlightsSetup, flights_episodes
from commonsense_lab.studies.travelling.trip import IsWay, Neighbours, WriteRoute
from commonsense_planning.errors import InputError, Status
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.validation.validate import validate
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.questions import Question
from lab.tests.report.lines import grids, lines
from lab.tests.studies.rearrangement.small_world import write_world
from tests.chat_server import ChatServer
from tests.cli.running import Run
from tests.data import REPOSITORY, shared_data
from tests.scripted import ScriptedModel

PACK = REPOSITORY / "pddl" / "flights"


@pytest.fixture
def setup(tmp_path: Path) -> FlightsSetup:
    airports, routes = write_world(tmp_path)
    return FlightsSetup(airports=airports, routes=routes, pack=PACK)


def answering(monkeypatch: pytest.MonkeyPatch, ways: dict[str, Sequence[str]], route: str = "") -> None:
    """Have every model answer by ``ways`` from a city, and with ``route``."""

    def answer(question: Question) -> Sequence[str]:
        if isinstance(question, Neighbours):
            return ["\n".join(ways.get(question.place, ()))]
        if isinstance(question, IsWay):
            return ["yes"]
        assert isinstance(question, WriteRoute)
        return [route]

    monkeypatch.setattr(ModelSession, "open", lambda *_: ScriptedModel(answer))


def episode(setup: FlightsSetup, source: str, destination: str, variant: str) -> SolveEpisode:
    found = flights_episodes(setup, 6, 1, [variant])
    return next(e for e in found if e.of.arguments[1:] == (source, destination))


def test_all_variants_get_the_same_pairs(setup: FlightsSetup) -> None:
    found = flights_episodes(setup, 5, 2)
    assert len(found) == 5 * 2 * 2 * 4
    pairs: defaultdict[tuple[str, int, str], set[tuple[str, int]]] = defaultdict(set)
    for e in found:
        pairs[e.of.labels["cities"], e.seed, e.variant].add((e.name, e.of.labels["fewest_flights"]))
    for size in ("large", "mid-size"):
        assert pairs[size, 0, "policy"] == pairs[size, 0, "fewest"] == pairs[size, 0, "rechecked"]
        assert len(pairs[size, 0, "fewest"]) == 5
    assert pairs["large", 0, "fewest"] != pairs["large", 1, "fewest"]
    assert len({e.key for e in found}) == len(found)


def test_pairs_know_the_fewest_flights_between_them(setup: FlightsSetup) -> None:
    found = {e.of.arguments[1:]: e.of.labels for e in flights_episodes(setup, 6, 1, ["fewest"])}
    assert found["riga", "porto"]["fewest_flights"] == 3
    assert found["oslo", "riga"]["fewest_flights"] == 1
    assert found["riga", "porto"]["fewest"] == "3"


def test_a_folder_without_the_domain_is_refused(setup: FlightsSetup) -> None:
    with pytest.raises(InputError, match="--pack names the folder of the flights domain"):
        flights_episodes(replace(setup, pack=PACK / "problems"), 1, 1)


RIGHT = {"riga": ("Oslo",), "oslo": ("Riga", "London"), "london": ("Porto", "Tokyo")}


@pytest.mark.parametrize(("variant", "ways", "route", "status", "cause", "reason"), [
    ("fewest", RIGHT, "", "solved", "", ""),
    ("fewest", {"riga": ("Porto",)}, "", "unsolved", "flight", "there is no flight from riga to porto"),
    ("fewest", {"riga": ("Oslo",)}, "", "unsolved", "no route", "predicts no route to porto"),
    ("rechecked", RIGHT, "", "solved", "", ""),
    ("rechecked", {"riga": ("London",), "porto": ("London",)}, "", "unsolved", "flight", "riga to london"),
    ("probable", {"riga": ("Oslo",)}, "", "unsolved", "no route", "predicts no route to porto"),
    ("policy", {}, "Riga -> Oslo -> London -> Porto", "solved", "", ""),
    ("policy", {}, "Riga -> London -> Porto", "unsolved", "flight", "no flight from riga to london"),
    ("policy", {}, "Riga -> Oslo -> London", "unsolved", "stray", "route ends at London"),
    ("policy", {}, "Riga -> Oslo -> Atlantis -> Porto", "unsolved", "stray", "goes by Atlantis"),
    ("policy", {}, "", "unsolved", "no route", "the model wrote no route"),
])  # fmt: skip
def test_routes_are_judged_by_their_flights(
    variant: str,
    ways: dict[str, Sequence[str]],
    route: str,
    status: str,
    cause: str,
    reason: str,
    setup: FlightsSetup,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answering(monkeypatch, ways, route)
    row = episode(setup, "riga", "porto", variant).run()
    assert (row.status, row.cause) == (status, cause)
    assert reason in row.reason


def test_the_experiment_judges_routes_as_the_validators_do(
    setup: FlightsSetup, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from commonsense_lab.studies.travelling.network import render_flights
    from commonsense_lab.studies.travelling.openflights import read_openflights
    from commonsense_planning.pddl.plan import parse_plan
    from commonsense_planning.pddl.reader import read_problem

    network = read_openflights(setup.airports, setup.routes).network
    ends = network.ids.index("riga"), network.ids.index("porto")
    problem = tmp_path / "problem.pddl"
    problem.write_text(render_flights(network, *ends, "p", ""))
    for route, verdict in (("Oslo -> London -> Porto", Verdict.VALID), ("Oslo -> Porto", Verdict.INVALID)):
        answering(monkeypatch, {}, route)
        row = episode(setup, "riga", "porto", "policy").run()
        plan = parse_plan("\n".join(row.plan), Path("plan"))
        assert validate(read_problem(PACK / "domain.pddl", problem), plan).verdict is verdict
        assert (row.status == Status.SOLVED) == (verdict is Verdict.VALID)


def test_the_report_has_a_column_for_each_length_and_one_for_all(setup: FlightsSetup) -> None:
    rows: list[dict[str, Any]] = [
        {**as_json(e.labels), **as_json(e.run())} for e in flights_episodes(setup, 6, 1, ["policy", "fewest"])
    ]
    report = build(lines(rows))
    assert not report.errors
    first = report.sections[0]
    assert first.title == "Routes. Routes that are right, by the fewest flights that there are between two cities"
    assert {grid.head for grid in grids(first)} == {
        ("method", "1 flight", "2 flights", "3 flights", "4 or more", "All")
    }


def test_any_method_is_a_row_if_it_can_take_a_trip(setup: FlightsSetup) -> None:
    rows = [{**as_json(e.labels), **as_json(e.run())} for e in flights_episodes(setup, 2, 1, ["gbfs"])]
    assert {(row["variant"], row["status"]) for row in rows} == {("gbfs", "solved")}
    assert [cells[0] for cells in grids(build(lines(rows)).sections[0])[0].rows].count("gbfs") == 1


def test_a_model_behind_an_endpoint_is_asked_about_a_city_once(
    setup: FlightsSetup, cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    run = ("bench", "flights", setup.airports, setup.routes, "--pairs", "4", "--methods", "fewest", "--workers", "1")
    with ChatServer(lambda messages: "London\nOslo") as server:
        model = ("--model", "openai:m", "--base-url", server.base_url, "--ask-by", "samples", "--retries", "0")
        assert cplan(*run, *model, "--quiet", "-o", tmp_path / "out").code == 0
        asked = [request.prompt for request in server.requests]
    assert len(asked) == len(set(asked)) > 2
    assert (tmp_path / "out" / "answers.0.jsonl").is_file()


@pytest.mark.data
def test_on_all_of_openflights() -> None:
    files = [shared_data("openflights") / f"{name}.dat" for name in ("airports", "routes")]
    setup = FlightsSetup(airports=files[0], routes=files[1], pack=PACK)
    found = flights_episodes(setup, 400, 1, ["rechecked"])
    assert len(found) == 800
    row = found[0].run()
    assert row.status in (Status.SOLVED, Status.UNSOLVED)
    flights._world.cache_clear()  # which is large
