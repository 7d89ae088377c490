"""What a trace tells besides the steps: it is true, bounded, and changes nothing else."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning import Request, read_task
from commonsense_planning.agent.agent import Agent
from commonsense_planning.agent.observation_report import ObservationReport
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Solution
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.search.pomdp.tree_snapshot import MOST_NODES
from commonsense_planning.view.recorder import Recorder
from tests.data import HOUSEHOLD, REPOSITORY

ALFWORLD = REPOSITORY / "pddl" / "alfworld"
LONG = {"search", "asked"}
ADDED = {"called", "map", "sentences", "known", "belief", "now", "no_longer", "spent"} | LONG
MOST_BYTES = 200_000

Event = dict[str, Any]


def run(
    name: str, problem: str = "two-apples", recorded: bool = True, search: bool = True
) -> tuple[list[Event], Solution]:
    """The events of a run, as they would stand in a trace."""
    task = read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / f"{problem}.pddl")
    method, models = method_named(name), ModelSession()
    events: list[Event] = []
    if not recorded:
        return events, solve(Request(task, method, models=models, emit=events.append))
    recorder = Recorder(task, method, models, search)

    def emit(event: Event) -> None:
        events.append(recorder.completed(event))

    request = Request(task, method, models=models, observer=recorder, emit=emit)
    solution = solve(request)
    return [json.loads(json.dumps(e, allow_nan=False)) for e in (*events, *recorder.plan(request, solution))], solution


@pytest.fixture(scope="module", params=["llm-mcts", "llm-mcts-paper", "uct"])
def searched(request: pytest.FixtureRequest) -> tuple[str, list[Event]]:
    """A method that searches, and the events of a run."""
    return request.param, run(request.param)[0]


def sights(sight: Event) -> list[Event]:
    """All sights of a tree."""
    below = [after for choice in sight.get("choices", ()) for after in choice["then"]]
    return [sight, *(found for after in below for found in sights(after))]


@pytest.mark.parametrize("name", ["llm-mcts", "llm-mcts-paper", "uct", "llm-replan", "llm-hill-climb"])
def test_a_recorder_changes_nothing_else(name: str) -> None:
    told, _ = run(name)
    plain, _ = run(name, recorded=False)
    assert [{k: v for k, v in e.items() if k not in ADDED} for e in told] == json.loads(json.dumps(plain))
    assert not any(ADDED & set(event) for event in plain)


def test_trees_and_questions_are_recorded_on_request(searched: tuple[str, list[Event]]) -> None:
    name, events = searched
    told, _ = run(name, search=False)
    assert told == [{k: v for k, v in e.items() if k not in LONG} for e in events]


def test_what_the_page_needs_of_the_demo_is_small() -> None:
    told, _ = run("llm-mcts", "demo", search=False)
    assert told[0]["belief"] and told[0]["map"]
    assert sum(len(json.dumps(event)) + 1 for event in told) < MOST_BYTES


def test_the_tree_is_that_of_the_decision(searched: tuple[str, list[Event]]) -> None:
    name, events = searched
    steps = [e for e in events if e["event"] == "step" and not e["why"].get("planned")]
    assert steps and all("search" in e for e in steps)
    for step in steps:
        tree, why = step["search"], step["why"]
        taken = [choice for choice in tree["choices"] if choice.get("taken")]
        assert len(taken) == 1
        assert (taken[0]["n"], taken[0]["q"]) == (why["visits"], why["q"])
        assert why["of"] == len(tree["choices"]) + tree.get("left_out", 0)
        if "left_out" not in tree:
            assert tree["n"] == sum(choice["n"] for choice in tree["choices"])
        assert name == "uct" or taken[0]["p"] == why["policy"]
        assert ("expected" in tree) == (name == "llm-mcts")
        if "expected" in tree:
            assert tree["expected"]["lower_bound"] <= tree["expected"]["reached"] == pytest.approx(why["q"])
        assert tree["policy_of"] == why["policy_of"] == ("nobody" if name == "uct" else "planner")


def test_what_is_selected_by_is_the_formula(searched: tuple[str, list[Event]]) -> None:
    """PUCT of the numbers next to it (Algorithm 1, line 29), or UCB1."""
    for event in searched[1]:
        for sight in sights(event["search"]) if "search" in event else ():
            c = event["search"]["c"]
            for choice in sight.get("choices", ()):
                n, total = choice["n"], sight["n"]
                if event["search"]["rule"] == "PUCT" and total:
                    assert choice["explore"] == pytest.approx(c * choice["p"] * total**0.5 / (n + 1), abs=1e-4)
                if event["search"]["rule"] == "UCB1":
                    assert (choice["explore"] is None) == (n == 0)


def test_a_tree_has_an_end(searched: tuple[str, list[Event]]) -> None:
    for event in searched[1]:
        if "search" in event:
            opened = [sight for sight in sights(event["search"]) if "choices" in sight]
            assert 1 <= len(opened) <= MOST_NODES


def test_beliefs_are_probabilities(searched: tuple[str, list[Event]]) -> None:
    beliefs = [thing for event in searched[1] for thing in event.get("belief", ())]
    assert {"apple"} == {thing["says"] for thing in beliefs}
    for thing in beliefs:
        total = sum(p for _, p in thing["places"])
        assert total == pytest.approx(1, abs=0.01) or not thing["places"]  # or it is carried
        assert thing["places"] == sorted(thing["places"], key=lambda place: -place[1])


def test_facts_are_those_that_become_known() -> None:
    events, _ = run("llm-mcts")
    known = set(events[0]["known"])
    assert "(located fridge_1 kitchen)" in known  # permanent, and compiled away
    assert not any(fact.startswith("(inside apple") for fact in known)
    for event in events:
        now, gone = set(event.get("now", ())), set(event.get("no_longer", ()))
        assert gone <= known and not now & known
        known = (known - gone) | now
        assert set(event.get("seen", ())) <= known
    assert {"(inside apple_1 fridge_1)", "(inside apple_3 fridge_1)"} <= known


def test_questions_and_answers_are_recorded() -> None:
    events, solution = run("llm-mcts")
    asked = [question for event in events for question in event.get("asked", ())]
    assert solution.usage is not None and len(asked) == solution.usage.questions
    assert asked[0]["about"] == "where the apple may be"
    assert sum(share for _, share in asked[0]["weights"]) == pytest.approx(1, abs=0.01)
    assert [e["spent"]["questions"] for e in events if "spent" in e][-1] == solution.usage.questions


@pytest.mark.parametrize("name", ["gbfs", "llm-hill-climb"])
def test_a_method_that_knows_the_world_is_shown_in_it(name: str) -> None:
    events, solution = run(name, "small-apple")
    assert [e["action"] for e in events if e["event"] == "step"] == [str(step) for step in solution.plan]
    assert "(inside apple_1 fridge)" in events[0]["known"]
    changed = [fact for event in events for fact in event.get("no_longer", ())]
    assert "(inside apple_1 fridge)" in changed


def test_after_a_step_back_no_facts_are_made_up() -> None:
    task = read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")
    recorder = Recorder(task, method_named("gbfs"), ModelSession())
    assert recorder.completed({"event": "start"})["known"]
    assert recorder.completed({"event": "step", "step": 1, "action": "(walk-to-room kitchen)"})["now"]
    again = recorder.completed({"event": "step", "step": 1, "action": "(walk-to-room kitchen)"})
    assert again["now"] == [] and again["no_longer"]


def test_a_domain_without_words_keeps_its_names(tmp_path: Path) -> None:
    for file in ("domain.pddl", "problems/small-apple.pddl"):
        (tmp_path / Path(file).name).write_text((HOUSEHOLD / file).read_text())
    task = read_task(tmp_path / "domain.pddl", tmp_path / "small-apple.pddl")
    recorder = Recorder(task, method_named("gbfs"), ModelSession())
    started = recorder.completed({"event": "start"})
    assert started["called"]["kitchentable"] == "kitchentable" and started["map"] == {}
    assert [*started["called"]] == sorted(started["called"])  # Tarski's objects are a set


def test_a_trace_without_a_map_has_the_lexicon_s_sentences() -> None:
    task = read_task("wumpus:cave-4")
    started = Recorder(task, method_named("llm-mcts"), ModelSession()).completed({"event": "start"})
    assert started["sentences"]["wumpus-in"] == "a wumpus is at {0}" and started["map"] == {}
    task = read_task("household:small-apple")
    started = Recorder(task, method_named("llm-mcts"), ModelSession()).completed({"event": "start"})
    assert "sentences" not in started and started["map"]


def test_what_an_agent_meets_takes_the_place_of_what_must_be_somewhere() -> None:
    task = read_task(ALFWORLD / "domain.pddl", ALFWORLD / "problems" / "two-pillows.pddl")
    events: list[Event] = []
    with ModelSession() as models:
        recorder = Recorder(task, method_named("llm-replan"), models)
        agent = Agent(task, method="llm-replan", model=models, seed=1, emit=events.append, observer=recorder)
        assert str(agent.act()) == "(go sofa_1)"
        agent.act(ObservationReport(true=["(in pillow_7 sofa_1)"], objects={"pillow_7": "pillow"}))
        agent.act(
            ObservationReport(
                true=["(in pillow_9 armchair_1)"], objects={"pillow_9": "pillow"}, complete=False, applied=True
            )
        )
    start, step, *_ = events
    stood_for = [thing["of"] for thing in start["belief"]]
    assert len(stood_for) == 2 and not {"pillow_7", "pillow_9"} & {*start["called"], *stood_for}
    assert step["called"] == {"pillow_7": "pillow"} and "(in pillow_7 sofa_1)" in step["now"]
    left = [thing["of"] for thing in step["belief"] if not thing["places"]]
    assert len(left) == 1 and left[0] in stood_for
    told = [(thing["id"], thing["of"]) for event in events for thing in event.get("belief", ())]
    assert len({number for number, _ in told}) == len({of for _, of in told}), "one number, one thing"
    for before, after in pairwise(events):
        assert not {*before.get("now", before.get("known", ()))} & {*after.get("now", ())}, "told twice"
