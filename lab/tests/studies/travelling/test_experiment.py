"""The travel experiment: its pairs, and the results of a few."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from commonsense_lab.report.study import build
from commonsense_lab.runner.rows import as_json
from commonsense_lab.studies.solve_study import SolveEpisode
from commonsense_lab.studies.travelling import experiment as flights
from commonsense_lab.studies.travelling.experiment import FlightsSetup, flights_episodes
from commonsense_lab.studies.travelling.network import render_flights
from commonsense_lab.studies.travelling.openflights import read_openflights
from commonsense_lab.studies.travelling.trip import IsWay, Neighbours, WriteRoute
from commonsense_planning.errors import InputError, Status
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text
from commonsense_planning.validation.validate import validate
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.questions import Question
from lab.tests.report.lines import Row, grids, lines
from lab.tests.studies.conftest import Bench
from lab.tests.studies.rearrangement.small_world import write_world
from tests.chat_server import ChatServer
from tests.data import REPOSITORY, shared_data
from tests.scripted import ScriptedModel

PACK = REPOSITORY / "pddl" / "flights"


@pytest.fixture
def setup(tmp_path: Path) -> FlightsSetup:
    airports, routes = write_world(tmp_path)
    return FlightsSetup(airports=airports, routes=routes, pack=PACK)


Ways = dict[str, Sequence[str]]


def answering(monkeypatch: pytest.MonkeyPatch, ways: Ways, route: str = "") -> None:
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
    pairs = defaultdict[tuple[str, int, str], set[tuple[str, int]]](set)
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


@pytest.mark.parametrize(("variant", "ways", "route", "cause", "reason"), [
    ("fewest", RIGHT, "", "", ""),
    ("fewest", {"riga": ("Porto",)}, "", "flight", "there is no flight from riga to porto"),
    ("fewest", {"riga": ("Oslo",)}, "", "no route", "predicts no route to porto"),
    ("rechecked", RIGHT, "", "", ""),
    ("rechecked", {"riga": ("London",), "porto": ("London",)}, "", "flight", "riga to london"),
    ("probable", {"riga": ("Oslo",)}, "", "no route", "predicts no route to porto"),
    ("policy", {}, "Riga -> Oslo -> London -> Porto", "", ""),
    ("policy", {}, "Riga -> London -> Porto", "flight", "no flight from riga to london"),
    ("policy", {}, "Riga -> Oslo -> London", "stray", "route ends at London"),
    ("policy", {}, "Riga -> Oslo -> Atlantis -> Porto", "stray", "goes by Atlantis"),
    ("policy", {}, "", "no route", "the model wrote no route"),
])  # fmt: skip
def test_routes_are_judged_by_their_flights(
    variant: str, ways: Ways, route: str, cause: str, reason: str, setup: FlightsSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, ways, route)
    row = episode(setup, "riga", "porto", variant).run()
    assert (row.status, row.cause) == ("unsolved" if cause else "solved", cause)
    assert reason in row.reason


def test_routes_are_judged_as_validators_do(setup: FlightsSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    network = read_openflights(setup.airports, setup.routes).network
    ends = network.ids.index("riga"), network.ids.index("porto")
    problem = read_problem(PACK / "domain.pddl", Text(render_flights(network, *ends, "p", "")))
    for route, verdict in (("Oslo -> London -> Porto", Verdict.VALID), ("Oslo -> Porto", Verdict.INVALID)):
        answering(monkeypatch, {}, route)
        row = episode(setup, "riga", "porto", "policy").run()
        assert validate(problem, parse_plan("\n".join(row.plan), Path("plan"))).verdict is verdict
        assert (row.status == Status.SOLVED) == (verdict is Verdict.VALID)


def rows_of(setup: FlightsSetup, pairs: int, *variants: str) -> list[Row]:
    return [{**as_json(e.labels), **as_json(e.run())} for e in flights_episodes(setup, pairs, 1, variants)]


def test_the_report_has_a_column_for_each_length_and_one_for_all(setup: FlightsSetup) -> None:
    report = build(lines(rows_of(setup, 6, "policy", "fewest")))
    assert not report.errors
    first = report.sections[0]
    assert first.title == "Routes. Routes that are right, by the fewest flights that there are between two cities"
    assert {grid.head[1:] for grid in grids(first)} == {("1 flight", "2 flights", "3 flights", "4 or more", "All")}


def test_any_method_is_a_row_if_it_can_take_a_trip(setup: FlightsSetup) -> None:
    rows = rows_of(setup, 2, "gbfs")
    assert {(row["variant"], row["status"]) for row in rows} == {("gbfs", "solved")}
    assert [cells[0] for cells in grids(build(lines(rows)).sections[0])[0].rows].count("gbfs") == 1


def test_a_model_behind_an_endpoint_is_asked_about_a_city_once(
    setup: FlightsSetup, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with ChatServer(lambda messages: "London\nOslo") as server:
        model = ("--model", "openai:m", "--base-url", server.base_url, "--ask-by", "samples", "--retries", "0")
        bench("flights", setup.airports, setup.routes, "--pairs", "4", "--methods", "fewest", *model)
        asked = [request.prompt for request in server.requests]
    assert len(asked) == len(set(asked)) > 2
    assert (tmp_path / "results" / "answers.0.jsonl").is_file()


@pytest.mark.data
def test_on_all_of_openflights() -> None:
    files = [shared_data("openflights") / f"{name}.dat" for name in ("airports", "routes")]
    setup = FlightsSetup(airports=files[0], routes=files[1], pack=PACK)
    found = flights_episodes(setup, 400, 1, ["rechecked"])
    assert len(found) == 800
    row = found[0].run()
    assert row.status in (Status.SOLVED, Status.UNSOLVED)
    flights._world.cache_clear()  # which is large
