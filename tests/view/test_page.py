"""A trace as a page, without a browser: what is in it, and what cannot be in it."""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning.cli.main import main
from commonsense_planning.errors import InputError
from commonsense_planning.validation.verdict import CAME
from commonsense_planning.view.page import SCRIPTS, STATIC, page, read_view
from tests.markup import Elements
from tests.view.traces import HOSTILE, hostile, of_before, record, stuck, write

START = '{"event": "start", "domain": "d", "problem": "p"}\n'


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("traces") / "trace.jsonl"
    record(path, "llm-mcts", "two-apples", "--trace-search")
    return path


def test_the_index_says_what_the_trace_says(trace: Path) -> None:
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    view = read_view(trace)
    steps = [event for event in events if event["event"] == "step"]
    assert [stop["action"] for stop in view.stops if stop["kind"] == "step"] == [step["action"] for step in steps]
    assert [[view.facts[i] for i in stop["now"]] for stop in view.stops[1:]] == [step["now"] for step in steps]
    assert [detail.get("search") for detail in view.details[1:]] == [step.get("search") for step in steps]
    assert (view.about["outcome"], view.about["method"]) == ("solved", "llm-mcts")
    assert view.about["validators"]["VAL"] == "valid"


def test_a_run_without_a_plan_has_the_chain_of_each_cause(tmp_path: Path) -> None:
    """A planner that plans at once, too, tells where it started, and what is true there."""
    start, end, validated = stuck(tmp_path / "t.jsonl")
    view = read_view(tmp_path / "t.jsonl")
    assert view.about["explanation"] == validated["explanation"] and len(validated["explanation"]) == 2
    assert (view.about["outcome"], view.about["reason"]) == ("unsolvable", end["reason"])
    assert (view.about["problem"], view.facts, len(view.stops)) == ("broken", start["known"], 1)


def test_a_page_needs_nothing_else(trace: Path) -> None:
    text = page(read_view(trace))
    elements = Elements(text)
    assert not [a for _, attributes in elements.found for a in attributes if a in ("src", "href", "style", "onclick")]
    own = "".join((STATIC / name).read_text() for name in (*SCRIPTS, "view.css"))
    assert not re.findall(r"url\(|@import|fetch\(|XMLHttpRequest", own)
    assert not re.findall(r"innerHTML|insertAdjacentHTML|document\.write|eval\(", own)
    assert set(re.findall(r"https?://[^\"'\s]+", own)) == {"http://www.w3.org/2000/svg"}  # a name, not an address


def test_only_the_page_s_own_script_may_run(trace: Path) -> None:
    elements = Elements(page(read_view(trace)))
    policy = next(a["content"] for tag, a in elements.found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None and policy.startswith("default-src 'none'; ")
    style, _, _, script = elements.scripts
    for text in (style, script):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy


def test_what_strangers_wrote_is_data(trace: Path, tmp_path: Path) -> None:
    events = hostile([json.loads(line) for line in trace.read_text().splitlines()])
    text = page(read_view(write(tmp_path / "hostile.jsonl", events)))
    elements = Elements(text)
    assert [tag for tag, _ in elements.found].count("script") == 3
    assert "img" not in {tag for tag, _ in elements.found}
    index: dict[str, Any] = json.loads(elements.scripts[1])
    assert all(HOSTILE in fact for fact in index["facts"])
    assert not any(sign in script for script in elements.scripts for sign in "\u2028\u2029\x00")


def test_a_run_with_chance_is_not_called_valid(tmp_path: Path) -> None:
    """Neither on the page nor in the plan file."""
    domain, problem = tmp_path / "d.pddl", tmp_path / "p.pddl"
    domain.write_text("(define (domain d) (:predicates (p)) (:action a :effect (probabilistic 0.5 (p))))")
    problem.write_text("(define (problem q) (:domain d) (:init) (:goal (p)))")
    files = ["--trace", str(tmp_path / "t.jsonl"), "--plan", str(tmp_path / "a.plan")]
    main(["solve", str(domain), str(problem), "--method", "gbfs", "--quiet", *files])
    said = read_view(tmp_path / "t.jsonl").about["validators"]
    assert set(said.values()) == {CAME}
    plan = (tmp_path / "a.plan").read_text()
    assert CAME in plan and ": valid" not in plan


def test_a_trace_needs_no_preparation(tmp_path: Path) -> None:
    record(tmp_path / "t.jsonl", "llm-mcts", "small-apple")
    view = read_view(tmp_path / "t.jsonl")
    assert view.known and view.map and view.things


def test_a_trace_of_before_is_shown_too(tmp_path: Path) -> None:
    view = read_view(write(tmp_path / "t.jsonl", of_before(record(tmp_path / "t.jsonl", "llm-mcts", "small-apple"))))
    assert view.known is None and len(view.stops) > 3 and view.map == {}
    assert page(view)


@pytest.mark.parametrize("method", ["gbfs", "llm-hill-climb", "uct"])
def test_equal_traces_make_equal_pages(method: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        record(tmp_path / f"{name}.jsonl", method, "small-apple", "--trace-search")
    one, other = (page(read_view(tmp_path / f"{name}.jsonl")) for name in ("a", "b"))
    assert one == other


@pytest.mark.parametrize(("text", "place"), [
    ("", "t.jsonl: not a trace: nothing happens in it"),
    ("\n\n", "t.jsonl: not a trace: nothing happens in it"),
    (START + "{", "t.jsonl:2:2: not a trace: "),
    (START + "[]", 't.jsonl:2:1: not a trace: a line is an object with an "event"'),
    (START + '{"event": 3}', "t.jsonl:2:1: not a trace: "),
    (START + '{"event": "step", "notes": "x"}', "t.jsonl:2:1: not a trace: 'x' is no list"),
    (START + '{"event": "step", "seen": [["on"]]}', "t.jsonl:2:1: not a trace: "),
    (START + '{"event": "step", "spent": {"usd": "x"}}', "t.jsonl:2:1: not a trace: "),
    (START + '{"event": "step", "spent": 3}', "t.jsonl:2:1: not a trace: "),
    (START + '{"event": "step", "belief": [3]}', "t.jsonl:2:1: not a trace: "),
    (START + '{"event": "step", "why": "x"}', "t.jsonl:2:1: not a trace: "),
    (START + '{"event": "end"}', "t.jsonl:2:1: not a trace: 'status' is missing"),
    (START + '{"event": "validated", "status": "solved", "validators": 3}', "t.jsonl:2:1: not a trace: "),
    (START + '{"event": "validated", "status": "unsolved", "validators": {}, "explanation": ["x"]}',
     "t.jsonl:2:1: not a trace: 'x' is no list"),
    ('{"event": "start", "called": []}', "t.jsonl:1:1: not a trace: "),
    ('{"event": "start", "map": {"within": "on"}}', "t.jsonl:1:1: not a trace: "),
    ("[" * 100_000, "t.jsonl:1:1: not a trace: nested too deeply"),
])  # fmt: skip
def test_what_is_no_trace_is_located(text: str, place: str, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(place)):
        read_view(path)
