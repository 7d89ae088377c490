"""L-Model and L-Policy on the shipped flights, with a model behind the tests' chat server."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_lab.studies.travelling.methods import uniform_cost
from commonsense_lab.studies.travelling.openflights import read_openflights
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.registry import METHODS, method_named
from commonsense_planning.task import read_task
from commonsense_planning.view.recorder import Recorder
from lab.tests.report.lines import records
from tests.chat_server import ChatServer, Messages
from tests.cli.running import Ended, Run, cplan
from tests.data import REPOSITORY, shared_data
from tests.methods.test_constrained_methods import at_the_goal

__all__ = ["cplan"]

PACK = REPOSITORY / "pddl" / "flights"
DOMAIN, SHORT = PACK / "domain.pddl", PACK / "problems" / "short-oslo-athens.pddl"
FAR, FAR_STEPS = PACK / "problems" / "large-wellington-nuuk.pddl", 5


@cache
def flights(problem: Path) -> dict[str, list[str]]:
    """City → the names of the cities one can fly to."""
    found: dict[str, list[str]] = {}
    for start, end in re.findall(r"\(direct-flight (\S+) (\S+)\)", problem.read_text()):
        found.setdefault(start.replace("-", " "), []).append(end.replace("-", " "))
    return found


def truth(problem: Path) -> Callable[[Messages], str]:
    """Answers as someone does who knows all flights of a problem."""

    def answer(messages: Messages) -> str:
        asked = re.search(r"direct flight from (.*) to (.*)\?", messages[-1]["content"])
        assert asked is not None, messages
        city, end = asked[1].replace("são", "sao").lower(), asked[2].replace("são", "sao").lower()
        ends = flights(problem).get(city, ())
        return "\n".join(name.title() for name in ends) if end == "x" else "Yes." if end in ends else "No."

    return answer


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(truth(SHORT)) as running:
        yield running


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")


class Solve:
    """Runs ``cplan solve`` on a problem of the flights."""

    def __init__(self, cplan: Run, folder: Path) -> None:
        self.cplan, self.trace = cplan, folder / "trace.jsonl"

    def __call__(self, server: ChatServer, method: str, *args: str | Path, problem: Path = SHORT) -> Ended:
        model = ("--model", "openai:m", "--base-url", server.base_url, "--ask-by", "samples", "--retries", "0")
        files = (DOMAIN, problem, "--trace", self.trace, "--json")
        return self.cplan("solve", *files, "--method", method, *model, *args)

    @property
    def events(self) -> list[dict[str, Any]]:
        return records(self.trace)


@pytest.fixture
def solve(cplan: Run, tmp_path: Path) -> Solve:
    return Solve(cplan, tmp_path)


def test_a_perfect_model_gives_a_shortest_valid_plan(solve: Solve, cplan: Run, server: ChatServer) -> None:
    ended = solve(server, "llm-model")
    assert (ended.code, ended.json["status"]) == (0, "solved")
    assert set(ended.json["validators"].values()) == {"valid"}
    assert ended.json["usage"]["questions"] == len(server.requests)
    best = cplan("solve", DOMAIN, SHORT, "--method", "astar", "--heuristic", "blind", "--json")
    assert ended.json["steps"] == best.json["steps"]


@pytest.mark.parametrize("parallel", ["1", "16"])
def test_the_frontier_is_asked_about_together(parallel: str, solve: Solve) -> None:
    with ChatServer(truth(FAR), delay=0.01) as server:
        ended = solve(server, "llm-model", "--route", "fewest", "--parallel", parallel, problem=FAR)
        assert (ended.code, ended.json["steps"]) == (0, FAR_STEPS)
        assert (server.most_at_once > 1) == (parallel == "16")
        asked = [re.findall(r"from (.*) to X\?", r.prompt)[-1] for r in server.requests]
    assert len(asked) == len(set(asked))
    expanded = [event for event in solve.events if event["event"] == "expand"]
    assert max(len(event["ways"]) for event in expanded) == 16  # whatever is in flight: equal traces


def test_the_search_is_bounded_in_breadth_and_depth(solve: Solve, server: ChatServer) -> None:
    ended = solve(server, "llm-model", "--route", "fewest", "--max-steps", "1")
    assert (ended.code, ended.json["plan"], len(server.requests)) == (1, None, 1)
    assert "no route to athens of at most one step (--max-steps, --breadth)" in ended.json["reason"]
    ended = solve(server, "llm-model", "--max-steps", "1")
    assert (ended.code, ended.json["plan"], ended.json["usage"]["questions"]) == (1, None, 2)
    solve(server, "llm-model", "--breadth", "2")
    assert all(len(ways) <= 2 for e in solve.events if e["event"] == "expand" for ways in e["ways"].values())


def test_the_most_probable_route_asks_less_and_is_long_where_flights_are_few(solve: Solve) -> None:
    with ChatServer(truth(FAR)) as server:
        ended = solve(server, "llm-model", problem=FAR)
        fewest = solve(server, "llm-model", "--route", "fewest", problem=FAR)
    assert (ended.code, ended.json["steps"]) == (0, FAR_STEPS)
    assert ended.json["usage"]["questions"] < fewest.json["usage"]["questions"]


def errs(messages: Messages) -> str:
    """Names a flight from Oslo to Athens that there is not, and takes it back when asked."""
    asked = messages[-1]["content"]
    ways = {"oslo": "Athens\nLondon", "athens": "London", "london": "Athens\nOslo"}
    place = re.search(r"direct flight from (\w+) to X\?", asked)
    return ways[place[1]] if place else "no" if "from oslo to athens" in asked else "yes"


def test_a_doubtful_flight_is_asked_about_before_the_route_is_given(solve: Solve) -> None:
    with ChatServer(errs) as server:
        ended = solve(server, "llm-model")
        assert ended.json["plan"] == ["(fly oslo london)", "(fly london athens)"]
        fewest = solve(server, "llm-model", "--route", "fewest")
        assert fewest.json["plan"] == ["(fly oslo athens)"]
        unasked = solve(server, "llm-model", "--recheck", "0", "--max-steps", "1")
        assert unasked.json["plan"] == ["(fly oslo athens)"]
        assert solve(server, "llm-model", "--max-steps", "1").json["plan"] == ["(fly oslo athens)"]
        doubts = [event["ways"] for event in solve.events if event["event"] == "doubt"]
        assert doubts == [[["oslo", "athens", 0.0]]]
        assert "asked again: from oslo to athens? 0.00" in solve(server, "llm-model", "--max-steps", "1").err


def test_a_flight_that_does_not_exist_is_shown(solve: Solve) -> None:
    with ChatServer(lambda messages: "Athens\nAtlantis") as server:
        ended = solve(server, "llm-model")
    assert (ended.code, ended.json["status"]) == (1, "invalid plan")
    assert ended.json["plan"] == ["(fly oslo athens)"]
    assert "(direct-flight oslo athens)" in ended.err
    assert any("no place here: Atlantis" in note for event in solve.events for note in event.get("notes", ()))


@pytest.mark.parametrize(("answer", "code", "status", "said"), [
    ("Oslo -> London -> Athens", 0, "solved", "valid"),
    ("London -> Athens", 0, "solved", "valid"),
    ("Oslo -> Athens", 1, "invalid plan", "(direct-flight oslo athens)"),
    ("Oslo -> Atlantis -> Athens", 1, "unsolved", "goes by Atlantis, which is no city here"),
    ("Oslo -> London", 1, "unsolved", "the model's route ends at London"),
    ("I cannot say.", 1, "unsolved", "goes by I cannot say, which is no city here"),
    ("", 1, "unsolved", "the model wrote no route"),
])  # fmt: skip
def test_written_routes(answer: str, code: int, status: str, said: str, solve: Solve) -> None:
    with ChatServer(lambda messages: answer) as server:
        ended = solve(server, "llm-route")
    assert (ended.code, ended.json["status"]) == (code, status)
    assert said in ended.err


def test_a_budget_ends_it(solve: Solve) -> None:
    with ChatServer(truth(FAR)) as server:
        ended = solve(server, "llm-model", "--max-calls", "3", problem=FAR)
    assert (ended.code, ended.json["plan"]) == (4, None)


def test_other_tasks_are_refused(cplan: Run) -> None:
    household = REPOSITORY / "pddl" / "household"
    task = (household / "domain.pddl", household / "problems" / "small-apple.pddl")
    ended = cplan("solve", *task, "--method", "llm-model")
    assert ended.code == 2
    assert "llm-model cannot solve this task: no task of travelling" in ended.err
    assert re.search(r"llm-route +no +no task of travelling", cplan("methods", *task).out)
    assert re.search(r"llm-route +yes", cplan("methods", DOMAIN, SHORT).out)


def test_an_estimate(solve: Solve, server: ChatServer) -> None:
    assert solve(server, "llm-route", "--dry-run").json["calls"] == [1, 1]
    low, high = solve(server, "llm-model", "--dry-run").json["calls"]
    assert (low, high) == (2, len(flights(SHORT)) + 10)
    assert server.requests == []


Graph = dict[int, list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Directed graphs of up to ten places; a place may be named twice, or lead to itself."""
    size = draw(st.integers(1, 10))
    places = st.integers(0, size - 1)
    return {place: draw(st.lists(places, max_size=5)) for place in range(size)}


def route(graph: Graph, end: int, depth: int, together: int = 1) -> tuple[tuple[int, ...] | None, list[list[int]]]:
    """The route from 0, and what was expanded, each time together."""
    asked: list[list[int]] = []

    def successors(places: Sequence[int]) -> list[list[int]]:
        asked.append(list(places))
        return [graph[place] for place in places]

    return uniform_cost(0, end, successors, depth, together), asked


@given(graphs(), st.integers(0, 9), st.integers(0, 10), st.integers(1, 4))
def test_routes_are_shortest_and_within_the_depth(graph: Graph, end: int, depth: int, together: int) -> None:
    found, asked = route(graph, end, depth, together)
    truth = networkx.DiGraph((start, other) for start, others in graph.items() for other in others)
    truth.add_nodes_from([0, end])
    lengths = networkx.single_source_shortest_path_length(truth, 0)
    if lengths.get(end, depth + 1) > depth:
        assert found is None
    else:
        assert found is not None
        assert len(found) - 1 == lengths[end]
        assert (found[0], found[-1]) == (0, end)
        assert all(other in graph[start] for start, other in zip(found, found[1:], strict=False))
    expanded = [place for places in asked for place in places]
    assert len(expanded) == len(set(expanded))
    assert all(len(places) <= together for places in asked)
    assert found == route(graph, end, depth)[0]  # however many are asked about together


@pytest.mark.data
def test_routes_over_all_airports_are_as_short_as_networkx_says() -> None:
    files = [shared_data("openflights") / f"{name}.dat" for name in ("airports", "routes")]
    network = read_openflights(*files, by="airport").network
    assert len(network) > 3000
    graph = networkx.DiGraph((start, end) for start, ends in enumerate(network.flights) for end in ends)
    for source, end in np.random.default_rng(0).integers(len(network), size=(100, 2)).tolist():
        found = uniform_cost(source, end, lambda places: [network.flights[place] for place in places], len(network))
        assert (found is not None) == networkx.has_path(graph, source, end)
        if found is not None:
            assert len(found) - 1 == networkx.shortest_path_length(graph, source, end)
            assert all(later in network.flights[place] for place, later in pairwise(found))


def test_it_stops_as_soon_as_the_destination_is_named() -> None:
    graph = {0: [1, 2, 3], 1: [0], 2: [4], 3: [5], 4: [], 5: []}
    assert route(graph, 4, 5) == ((0, 2, 4), [[0], [1], [2]])
    assert route(graph, 4, 5, 16) == ((0, 2, 4), [[0], [1, 2, 3]])
    assert route(graph, 0, 5) == ((0,), [])


@pytest.mark.parametrize("method", ["llm-model", "llm-route"])
def test_no_call_is_sent_together_with_one_that_may_reach_the_limit(method: str, cplan: Run) -> None:
    with ChatServer(lambda messages: "Oslo, Norway") as server:
        asked = ("--model", "openai:m", "--base-url", server.base_url, "--retries", "0", "--max-tokens", "15")
        cplan("solve", "flights:short-oslo-athens", "--method", method, *asked, "--quiet")
    assert len(server.requests) == 1


@pytest.mark.parametrize("method", ["llm-model", "llm-route"])
def test_travelling_is_not_held_to_constraints(method: str, tmp_path: Path) -> None:
    why = METHODS[method].why_not(at_the_goal(tmp_path, "(sometime (at b))"))
    assert why is not None and "constraints" in why


def test_a_method_that_is_not_given_the_ways_knows_nothing_of_the_world() -> None:
    task = read_task(DOMAIN, SHORT)
    assert Recorder(task, method_named("gbfs"), ModelSession()).completed({"event": "start"})["known"]
    assert not Recorder(task, method_named("llm-route"), ModelSession()).completed({"event": "start"})["known"]
