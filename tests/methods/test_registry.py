"""The table of methods: what is in it, what is lazy, what is broken."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from commonsense_planning.errors import MissingError, Status, UsageError
from commonsense_planning.methods.method import Method, Request, Solution
from commonsense_planning.methods.registry import BUILT_IN, GROUP, LABORATORY, METHODS, method_named, solve, why_not
from commonsense_planning.support import registry
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, read_task
from tests.scripted import HOUSEHOLD

TRAVELLING = ("llm-model", "llm-route")
POMDP = ("pomdp", "pomdp.observation_model", "pomdp.transition_model")  # how sensors err, what is applicable


@pytest.fixture(scope="module")
def task() -> Task:
    return read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")


@pytest.mark.parametrize("name", METHODS)
def test_every_method_says_all_about_itself(name: str, task: Task) -> None:
    method = METHODS[name]
    assert isinstance(method, Method)
    assert method.name == name
    assert method.summary[0].islower() or not method.summary.startswith(("The", "A "))
    assert not method.summary.endswith(".")
    assert method.Options() == method.Options.of({})
    assert all(setting.option.help.endswith((".", "].")) for setting in method.Options.settings())
    assert (why_not(method, task) is None) == (name not in TRAVELLING)


def test_the_methods_of_studies_are_registered_like_any_plug_ins() -> None:
    assert list(METHODS)[: len(BUILT_IN)] == [*BUILT_IN]
    assert {*METHODS} <= {*BUILT_IN, *LABORATORY}


def test_a_family_names_its_members_itself() -> None:
    assert method_named("up:lpg").name == "up:lpg"
    with pytest.raises(UsageError, match=r"no method is called down:lpg; there are llm-mcts, .* and up:<engine>"):
        method_named("down:lpg")


def test_a_broken_plug_in_is_named_with_its_cause_and_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, task: Task
) -> None:
    places = {"absent": "no_such_module:M", "misspelled": "json:M", "odd": "json:loads", "gbfs": "json:loads"}
    gbfs, entries = METHODS["gbfs"], {name: EntryPoint(name, place, GROUP) for name, place in places.items()}
    monkeypatch.setattr(registry, "plug_ins", {GROUP: entries}.__getitem__)
    assert list(METHODS) == [*BUILT_IN, "absent", "misspelled", "odd"]
    assert METHODS["gbfs"] is gbfs, "no name of the table is given away"
    for name, cause in (
        ("absent", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("misspelled", "AttributeError: module 'json' has no attribute 'M'"),
        ("odd", "is no Method of that name"),
    ):
        assert cause in METHODS[name].summary
        assert cause in (why_not(METHODS[name], task) or "")
        with pytest.raises(MissingError, match=f"^the plug-in {name} "):
            solve(Request(task, METHODS[name]))


def test_solving_takes_time(task: Task) -> None:
    solution: Solution = solve(Request(task, METHODS["gbfs"]))
    assert solution.seconds > 0


def modules(code: str) -> set[str]:
    """What is imported in a process that runs ``code``."""
    command = [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_the_table_imports_no_method_before_it_is_asked_for() -> None:
    loaded = modules("from commonsense_planning.methods.registry import METHODS; list(METHODS)")
    assert {name for name in loaded if name.startswith("commonsense_planning.search")} == set()


@pytest.mark.processes
def test_our_classical_planners_load_no_language_layer() -> None:
    files = HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl"
    loaded: Any = modules(
        "from pathlib import Path; from commonsense_planning.methods.method import Request; "
        "from commonsense_planning.methods.registry import METHODS, solve; "
        "from commonsense_planning.task import read_task; "
        f"task = read_task(Path({str(files[0])!r}), Path({str(files[1])!r})); "
        "[solve(Request(task, METHODS[name])) for name in ('gbfs', 'astar')]"
    )
    ours = {name.removeprefix("commonsense_planning.") for name in loaded if name.startswith("commonsense_planning.")}
    rooms = ("llm", "matching", "wording", "pomdp", "elicitation")
    language = {name for name in ours if name.partition(".")[0] in rooms}
    models = {"llm", "llm.adapters", "llm.model", "llm.models"}
    models |= {"matching", "matching.answers", "matching.plain_text", "matching.words"}
    assert language <= {*models, "wording", "wording.lexicon", "wording.questions", "wording.verbalise", *POMDP}


NO_KEY = Text("""(define (domain box) (:types lid) (:predicates (opened ?l - lid) (key ?l - lid))
(:action unlock :parameters (?l - lid) :precondition (key ?l) :effect (opened ?l)))""")


@pytest.mark.parametrize("name", ["gbfs", "astar", "fast-downward", "pyperplan", "llm-replan", "look-nearest", "uct"])
@pytest.mark.parametrize(("init", "goal", "reason"), [
    ("", "(opened l)", "(key l) is false "),
    ("(opened l)", "(opened l)", "nothing to do: the goal holds from the start"),
])  # fmt: skip
def test_it_is_told_why_nothing_is_done(name: str, init: str, goal: str, reason: str) -> None:
    problem = Text(f"(define (problem p) (:domain box) (:objects l - lid) (:init {init}) (:goal {goal}))")
    found = solve(Request(read_task(NO_KEY, problem), METHODS[name]))
    assert reason in found.reason
    assert (found.plan is None or not len(found.plan)) and bool(init) == (found.status is Status.SOLVED)


def test_what_search_alone_can_prove_is_told_so() -> None:
    """Two matches, three lamps."""
    domain = Text("""(define (domain lamps) (:types lamp match) (:predicates (lit ?l - lamp) (dry ?m - match))
(:action strike :parameters (?m - match ?l - lamp) :precondition (dry ?m) :effect (and (lit ?l) (not (dry ?m)))))""")
    facts = "(:objects a b c - lamp m n - match) (:init (dry m) (dry n)) (:goal (and (lit a) (lit b) (lit c)))"
    found = solve(Request(read_task(domain, Text(f"(define (problem p) (:domain lamps) {facts})")), METHODS["gbfs"]))
    assert found.status is Status.UNSOLVABLE
    assert found.reason.startswith("no single condition is to blame; search has tried all ")
