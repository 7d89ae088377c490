"""Traces for the tests of the page."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from commonsense_planning.cli.main import main

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)><!--\"'`&amp;\\\u2028\u2029\x00{{7*7}}"
KEPT = {"event", "rule", "values"}

Event = dict[str, Any]


def record(path: Path, method: str = "llm-mcts", problem: str = "two-apples", *options: str) -> list[Event]:
    """Solve a problem of the household, write what it gives to ``path``, and give its events."""
    main(["solve", f"household:{problem}", "--method", method, "--trace", str(path), "--quiet", *options])
    return read(path)


def read(path: Path) -> list[Event]:
    """The events of a trace."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def stuck(path: Path) -> list[Event]:
    """The trace of a task without a plan, for two causes: no action makes (lit) true, and no robot is free."""
    domain, problem = path.with_name("domain.pddl"), path.with_name("problem.pddl")
    domain.write_text("""(define (domain workshop)
        (:predicates (free ?r) (holding ?r ?i) (delivered ?i) (lying ?i) (lit))
        (:action pick :parameters (?r ?i) :precondition (and (free ?r) (lying ?i))
         :effect (and (holding ?r ?i) (not (free ?r)) (not (lying ?i))))
        (:action deliver :parameters (?r ?i) :precondition (holding ?r ?i) :effect (and (delivered ?i) (free ?r))))""")
    problem.write_text("""(define (problem broken) (:domain workshop) (:objects r drill) (:init (lying drill))
        (:goal (and (delivered drill) (lit))))""")
    main(["solve", str(domain), str(problem), "--method", "gbfs", "--trace", str(path), "--quiet"])
    return read(path)


def of_before(events: list[Event]) -> list[Event]:
    """The events as 0.2.0 told them."""
    added = {"called", "map", "known", "belief", "now", "no_longer", "spent"}
    return [{name: value for name, value in event.items() if name not in added} for event in events]


def write(path: Path, events: list[Event]) -> Path:
    """Write a trace."""
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return path


def changed(value: Any, change: Callable[[str], str]) -> Any:
    """A value of JSON with all its texts changed, those of keys too, but for what the form of a trace needs."""
    match value:
        case str():
            return change(value)
        case list():
            return [changed(one, change) for one in value]
        case dict():
            return {name: one if name in KEPT else changed(one, change) for name, one in value.items()}
    return value


def hostile(events: list[Event]) -> list[Event]:
    """The events with something in each text that would break out of a page that does not look out."""
    found = []
    for event in events:
        own = changed(event, lambda text: text.removesuffix(")") + HOSTILE + ")" * text.endswith(")"))
        own["event"] = event["event"]
        if "called" in event:
            own["called"] = {name + HOSTILE: words + HOSTILE for name, words in event["called"].items()}
            own["map"] = event["map"]
        found.append(own)
    return found
