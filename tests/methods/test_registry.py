"""The table of methods: what is in it, what is lazy, what is broken; and the options of methods."""

import re
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from commonsense_planning import read_problem
from commonsense_planning.config import GuideLevel
from commonsense_planning.errors import InputError, MissingError, Status, UsageError
from commonsense_planning.methods.classical import GBFS
from commonsense_planning.methods.hill_climb import HillClimbOptions
from commonsense_planning.methods.method import Method, Request
from commonsense_planning.methods.registry import BUILT_IN, GROUP, METHODS, RENAMED, method_named, solve, why_not
from commonsense_planning.methods.tree_search import PaperOptions, UctOptions
from commonsense_planning.search.pomdp.mcts import Choose, Mcts
from commonsense_planning.search.pomdp.uct import Uct
from commonsense_planning.support import registry
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, read_task

TRAVELLING = ("llm-model", "llm-route")
POMDP = ("pomdp", "pomdp.observation_model", "pomdp.transition_model")  # how sensors err, what is applicable


TRAM = """(define (domain tram) (:requirements :strips :action-costs) (:predicates (in ?s) (rail ?a ?b))
  (:functions (fare ?a ?b) (total-cost) - number)
  (:action ride :parameters (?a ?b) :precondition (and (in ?a) (rail ?a ?b))
    :effect (and (in ?b) (not (in ?a)) (increase (total-cost) (fare ?a ?b)))))"""
FARES = """(define (problem p) (:domain tram) (:objects p q r) (:init (in p) (rail p r) (rail p q) (rail q r)
  (= (fare p q) 2) (= (fare q r) 3) (= (total-cost) 0)) (:goal (in r)) (:metric minimize (total-cost)))"""


@pytest.mark.parametrize("method", ["gbfs", "astar", "fast-downward", "pyperplan", "llm-replan"])
def test_a_cost_without_a_value_is_refused_by_all_and_methods_says_so(method: str) -> None:
    task = read_task(Text(TRAM), Text(FARES))
    with pytest.raises(InputError, match="no value in the problem"):
        solve(Request(task, method))
    assert "(fare p r) has no value in the problem" in (why_not(method_named(method), task) or "")
    whole = read_task(Text(TRAM), Text(FARES.replace("(= (fare q r) 3)", "(= (fare q r) 3) (= (fare p r) 6)")))
    assert why_not(method_named(method), whole) is None


@pytest.fixture(scope="module")
def task() -> Task:
    return read_task("household:small-apple")


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


LAMPS = """(define (domain lamps) (:requirements :adl :{requirement}) (:predicates (dry ?l) (lit ?l) (seen))
  (:functions (total-cost) - number)
  (:action light :parameters (?l) :precondition (dry ?l) :effect (and (lit ?l) {more})) {rules})"""
LOOK = "(:action look :parameters (?l) :precondition (lit ?l) :observe (seen))"
CORRELATED = "hidden facts here are correlated, and its simulations cannot use that; llm-mcts can"
NO_PLACES = "more is hidden here than the places of single things, as with :observe; llm-mcts can solve it"
REFUSALS: dict[str, tuple[tuple[str, str, str], str, dict[str, tuple[str, ...]]]] = {
    "plain": (("strips", "", ""), "(dry a)", {}),
    "by chance": (("probabilistic-effects", "(probabilistic 0.5 (not (dry ?l)))", ""), "(dry a)", {}),
    "derived": (
        ("derived-predicates", "", "(:derived (seen) (lit a))"),
        "(dry a)",
        {"unified-planning does not know derived predicates": ("pyperplan", "up:lpg")},
    ),
    "large cost": (
        ("action-costs", "(increase (total-cost) 3000000000)", ""),
        "(dry a) (= (total-cost) 0)",
        {"it counts costs in 32 bits, and a cost here is 3000000000": ("fast-downward",)},
    ),
    "one of two": (
        ("contingent", "", LOOK),
        "(dry a) (oneof (seen) (dry b))",
        {NO_PLACES: ("look-greedy", "look-nearest")},
    ),
    "correlated": (
        ("contingent", "", LOOK),
        "(dry a) (or (seen) (dry b))",
        {CORRELATED: ("llm-mcts-paper", "uct"), NO_PLACES: ("look-greedy", "look-nearest")},
    ),
}
"""Kind of task → parts of its domain, its initial state, and reason → the methods that refuse it."""


@pytest.mark.parametrize("kind", REFUSALS)
def test_who_refuses_which_kind_of_task_and_why(kind: str) -> None:
    """Every other method takes it; a method that refuses it also refuses to solve it, and the one that a reason names
    takes it."""
    (requirement, more, rules), init, refusals = REFUSALS[kind]
    metric = "(:metric minimize (total-cost))" if "total-cost" in init else ""
    rest = f"(:objects a b) (:init {init}) (:goal (lit a)) {metric}"
    domain = Text(LAMPS.format(requirement=requirement, more=more, rules=rules))
    task = read_task(domain, Text(f"(define (problem p) (:domain lamps) {rest})"))
    reasons = {name: reason for reason, names in refusals.items() for name in names}
    for name in (*BUILT_IN, "up:lpg"):
        method = method_named(name)
        assert why_not(method, task) == reasons.get(name), name
        if name in reasons:
            with pytest.raises(UsageError, match=re.escape(f"{name} cannot solve this task: {reasons[name]}")):
                solve(Request(task, method))
    for name in ("gbfs", "llm-mcts"):
        assert solve(Request(task, name)).status is Status.SOLVED


def test_no_method_takes_a_problem_without_a_true_world() -> None:
    drawn = read_task("wumpus:cave-3")
    assert drawn.no_world is None
    open_one = replace(drawn, problem=read_problem(drawn.problem.domain_file, drawn.problem.problem_file))
    for name in (*BUILT_IN, "up:lpg"):
        assert why_not(method_named(name), open_one) == open_one.no_world
        with pytest.raises(UsageError, match="gives no true world; read_task draws one with its seed"):
            solve(Request(open_one, name))


def test_the_methods_of_studies_are_registered_like_any_plug_ins() -> None:
    assert list(METHODS)[: len(BUILT_IN)] == [*BUILT_IN]
    assert {*METHODS} <= {*BUILT_IN, *registry.known_plug_ins()["laboratory"]["groups"][GROUP]}


def test_a_family_names_its_members_itself() -> None:
    assert method_named("up:lpg").name == "up:lpg"
    with pytest.raises(UsageError, match=r"no method is called down:lpg; there are llm-mcts, .* and up:<engine>"):
        method_named("down:lpg")


def test_a_broken_plug_in_is_named_with_its_cause_and_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, task: Task, tmp_path: Path
) -> None:
    (tmp_path / "dividing.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    places = {"absent": "no_such_module:M", "misspelled": "json:M", "odd": "json:loads", "wrong": "dividing:M"}
    places["gbfs"] = "json:loads"
    gbfs, entries = METHODS["gbfs"], {name: EntryPoint(name, place, GROUP) for name, place in places.items()}
    monkeypatch.setattr(registry, "plug_ins", {GROUP: entries}.__getitem__)
    assert list(METHODS) == [*BUILT_IN, "absent", "misspelled", "odd", "wrong"]
    assert METHODS["gbfs"] is gbfs, "no name of the table is given away"
    for name, cause in (
        ("absent", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("misspelled", "AttributeError: module 'json' has no attribute 'M'"),
        ("odd", "is no Method of that name"),
        ("wrong", "ZeroDivisionError: division by zero"),
    ):
        assert cause in METHODS[name].summary
        assert cause in (why_not(METHODS[name], task) or "")
        with pytest.raises(MissingError, match=f"^the plug-in {name} "):
            solve(Request(task, METHODS[name]))


def modules(code: str) -> set[str]:
    """What is imported in a process that runs ``code``."""
    command = [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_the_table_imports_no_method_before_it_is_asked_for() -> None:
    loaded = modules("from commonsense_planning.methods.registry import METHODS; list(METHODS)")
    assert {name for name in loaded if name.startswith("commonsense_planning.search")} == set()


@pytest.mark.processes
def test_our_classical_planners_load_no_language_layer() -> None:
    loaded = modules(
        "from commonsense_planning.methods.method import Request; "
        "from commonsense_planning.methods.registry import solve; "
        "from commonsense_planning.task import read_task; task = read_task('household:small-apple'); "
        "[solve(Request(task, name)) for name in ('gbfs', 'astar')]"
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
def test_the_reason_for_doing_nothing_is_given(name: str, init: str, goal: str, reason: str) -> None:
    problem = Text(f"(define (problem p) (:domain box) (:objects l - lid) (:init {init}) (:goal {goal}))")
    found = solve(Request(read_task(NO_KEY, problem), METHODS[name]))
    assert reason in found.reason
    assert (found.plan is None or not len(found.plan)) and bool(init) == (found.status is Status.SOLVED)


def test_a_method_says_what_search_alone_can_prove() -> None:
    """Two matches, three lamps."""
    domain = Text("""(define (domain lamps) (:types lamp match) (:predicates (lit ?l - lamp) (dry ?m - match))
(:action strike :parameters (?m - match ?l - lamp) :precondition (dry ?m) :effect (and (lit ?l) (not (dry ?m)))))""")
    facts = "(:objects a b c - lamp m n - match) (:init (dry m) (dry n)) (:goal (and (lit a) (lit b) (lit c)))"
    found = solve(Request(read_task(domain, Text(f"(define (problem p) (:domain lamps) {facts})")), METHODS["gbfs"]))
    assert found.status is Status.UNSOLVABLE
    assert found.reason.startswith("no single condition is to blame; search has tried all ")


def test_files_and_command_lines_say_words_for_members_of_enums() -> None:
    options = HillClimbOptions.of({"guide": "low", "beam": 2})
    assert options == HillClimbOptions(guide=GuideLevel.LOW, beam=2)
    assert options.guide is GuideLevel.LOW
    with pytest.raises(UsageError, match="guide must be one of none, low, high, not middle"):
        HillClimbOptions.of({"guide": "middle"})
    with pytest.raises(UsageError, match="there is no setting bream"):
        HillClimbOptions.of({"bream": 2})


def test_a_family_shares_settings_and_each_has_its_own_defaults() -> None:
    shared = {setting.name for setting in UctOptions.settings()}
    assert shared < {setting.name for setting in PaperOptions.settings()}
    assert {"mixing", "prior_samples"} & shared == set()
    assert (UctOptions().choose, Uct.usual_exploration) == (Choose.VALUE, 1.414)
    assert (PaperOptions().choose, Mcts.usual_exploration) == (Choose.VALUE, 2.4)


def test_a_switch_that_is_on_has_the_option_that_turns_it_off() -> None:
    flags = {setting.name: setting.flag for setting in UctOptions.settings()}
    assert (flags["reuse"], flags["max_steps"]) == ("--no-reuse", "--max-steps")
    flags = {setting.name: setting.flag for setting in PaperOptions.settings()}
    assert (flags["reuse"], flags["mixing"]) == ("--reuse", "--lambda")


def test_options_of_another_method_are_refused(task: Task) -> None:
    with pytest.raises(UsageError, match="uct takes UctOptions, not HillClimbOptions"):
        Request(task, METHODS["uct"], HillClimbOptions())
    assert Request(task, GBFS).options == GBFS.Options()


@pytest.mark.parametrize("old", sorted(RENAMED))
def test_an_old_name_leads_to_the_new_spelling(old: str) -> None:
    _, name, *options = RENAMED[old].split()
    flags = {setting.flag for setting in method_named(name).Options.settings()}
    assert flags.issuperset(word for word in options if word.startswith("--"))
    with pytest.raises(UsageError, match=f"the method {old} is now {RENAMED[old]}"):
        method_named(old)


def test_changed_settings_are_written_as_on_a_command_line() -> None:
    assert PaperOptions().changed == ""
    options = PaperOptions.of({"policy": "uniform", "observable": True, "mixing": 0.3})
    flags = {f"--{flag}" for flag in options.changed.removeprefix("--").split(" --")}
    assert flags == {"--lambda 0.3", "--observable", "--policy uniform"}


def test_a_plan_is_found_without_loading_a_grammar() -> None:
    loaded = modules("import commonsense_planning.cli.main as cli; cli.main(['solve', 'household:small-apple'])")
    assert "commonsense_planning.embedded.answers" in loaded
    assert "lark" not in loaded
