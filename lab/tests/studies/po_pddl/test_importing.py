"""PO-PDDL is imported to the equivalent of a ``sensors.pddl`` written by hand, or refused at its place."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonsense_lab.studies.po_pddl.importing import ImportedTask, import_task
from commonsense_planning.elicitation.prior import stated_prior
from commonsense_planning.errors import InputError, PddlError
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named
from commonsense_planning.methods.simulated import SimulatedEpisode
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.syntax import read_source
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, read_task, with_objects
from tests.cli.running import Run, cplan

__all__ = ["cplan"]  # a fixture

WORDS = """(define (domain cellar)
  (:requirements :strips :typing :negative-preconditions :probabilistic-effects :universal-preconditions :fluents)
  (:types room place thing - object)
  (:predicates (in ?r - room) (stands ?p - place ?r - room) (lies ?t - thing ?p - place) (held ?t - thing) (idle)
    (charged ?t - thing))
"""
GO = "(:action go :parameters (?a ?b - room) :precondition (in ?a) :effect (and (not (in ?a)) (in ?b)))"
TAKE = """  (:action take :parameters (?t - thing ?p - place ?r - room)
    :precondition (and (idle) (in ?r) (stands ?p ?r) (lies ?t ?p))
    :effect (and (held ?t) (not (lies ?t ?p)) (not (idle))))
"""
SEES = """  (:observation sees :parameters (?t - thing ?p - place ?r - room)
    :condition (and (in ?r) (stands ?p ?r) (lies ?t ?p))
    :distribution (probabilistic 0.9 (camera ?t ?p) 0.1 (not (camera ?t ?p))))
"""
SEES_NOT = """  (:observation misses :parameters (?r - room ?spot - place ?what - thing)
    :condition (and (in ?r) (and (not (lies ?what ?spot)) (stands ?spot ?r)))
    :distribution (and (probabilistic 1 (camera ?what ?spot) 19 (not (camera ?what ?spot)))))
"""
BLINKS = """  (:observation blinks :parameters (?t - thing)
    :condition (and (held ?t) (charged ?t)) :distribution (lamp ?t))"""
REPORTS = "  (:observables (camera ?t - thing ?p - place) (lamp ?t - thing))\n"
DOMAIN = f"{WORDS}{REPORTS}  {GO}\n{TAKE}{SEES}{SEES_NOT}{BLINKS})\n"

TRUE = "(in hall) (idle) (stands shelf hall) (stands hook hall) (stands chest attic)"
OBJECTS = "(:domain cellar) (:objects hall attic - room shelf hook chest - place torch - thing)"
WHERE = """
    (joint 0.5 (and (lies torch shelf) (not (lies torch hook)) (not (lies torch chest))))
    (joint 0.3 (and (not (lies torch shelf)) (lies torch hook)))
    (joint 0.2 (lies torch chest))"""
BELIEF = f"""  (:init-belief {TRUE.replace("(idle)", "(prob (idle) 1.0)")} (not (held torch))
    (prob (charged torch) 1/4){WHERE})
"""
GOAL = "(all (?t - thing) (held ?t))"
PROBLEM = f"""(define (problem fetch) {OBJECTS}
  (:init {TRUE} (lies torch chest) (not (charged torch)))
{BELIEF}  (:goal {GOAL}))
"""
SENSORS = """(define (sensors cellar) (:domain cellar)
  (:hidden (charged ?t) (lies ?t ?p))
  (:exactly-one ?t - thing (lies ?t ?p))
  (:sense (lies ?t ?p) :when (exists (?r - room) (and (in ?r) (stands ?p ?r))) (:miss 0.1) (:false-alarm 0.05))
  (:sense (charged ?t) :when (held ?t)))
"""


def imported(domain: str = DOMAIN, problem: str = PROBLEM) -> ImportedTask:
    files = Text(domain, "domain.pddl"), Text(problem, "problem.pddl")
    return import_task(read_source(files[0], kind="domain"), read_source(files[1]))


def read(*texts: str | None) -> Task:
    """The task of the texts of a domain, a problem and sensors, if there are any."""
    domain, problem, sensors = (None if text is None else Text(text, "imported.pddl") for text in texts)
    assert domain is not None
    return read_task(domain, problem, sensors)


def task_of(domain: str = DOMAIN, problem: str = PROBLEM) -> Task:
    """The task that is imported."""
    found = imported(domain, problem)
    return read(found.domain, found.problem, found.sensors)


def write(folder: Path, **texts: str) -> list[Path]:
    """The files of these texts."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.pddl").write_text(text)
    return [folder / f"{name}.pddl" for name in texts]


def belief_of(elements: str, init: str = "") -> dict[str, float]:
    """The hidden facts and how probable they are at first, where ``:init-belief`` has these elements."""
    problem = PROBLEM.replace(BELIEF, f"(:init-belief {elements})").replace(f"{TRUE} (lies torch chest)", init)
    sensors = task_of(f"{WORDS}{REPORTS}  {GO})", problem).sensors
    if sensors is None:
        return {}
    return {str(pattern.atom): chance for pattern, chance in zip(sensors.hidden, sensors.chances, strict=True)}


PLAIN = PROBLEM.replace(BELIEF, "").replace("(all ", "(forall ")


@pytest.fixture(scope="module")
def both() -> tuple[Task, Task]:
    """The same task, in PO-PDDL and with a sensors file."""
    return task_of(), read(f"{WORDS}  {GO}\n{TAKE})", PLAIN, SENSORS)


def test_sensors_are_those_of_a_sensors_file(both: tuple[Task, Task]) -> None:
    (task, said), (other, written) = (each.seen_in_part for each in both)
    assert task.facts == other.facts
    ours, theirs = said.sensors, written.sensors
    for name in ("hidden", "shown_true"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for name in ("groups", "when", "when_not", "seen"):
        for one, two in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            np.testing.assert_array_equal(one, two)
    assert ours.prior is not None and theirs.prior is None
    believed = {str(task.fact_step(f)): ours.prior[f] for f in np.flatnonzero(ours.hidden).tolist()}
    assert believed == pytest.approx(
        {"(lies torch shelf)": 0.5, "(lies torch hook)": 0.3, "(lies torch chest)": 0.2, "(charged torch)": 0.25}
    )


def test_belief_and_plan_are_those_of_a_given_prior(both: tuple[Task, Task]) -> None:
    """The other task knows nothing of how probable the charge is, which changes nothing here but its own marginal."""
    said, written = both
    prior = stated_prior(said.seen_in_part[1].sensors)
    assert prior is not None
    solutions, believed = [], []
    for task, first in ((said, None), (written, prior)):
        for name in ("llm-mcts", "llm-replan"):
            method = method_named(name)
            request = Request(task, method, method.Options(), seed=3, prior=first)
            believed.append(SimulatedEpisode(request).believe_as_chosen().distribution(0))
            solutions.append(str(method.solve(request).plan))
    np.testing.assert_allclose(believed[0], believed[2])
    assert believed[0] == pytest.approx(np.array([0.7037, 0.1111, 0.1852]), abs=1e-4)  # after a look at hook and shelf
    assert solutions[:2] == solutions[2:]


def test_facts_without_a_group_begin_with_their_probability(both: tuple[Task, Task]) -> None:
    method = method_named("llm-mcts")
    for task, chance in zip(both, (0.25, 0.5), strict=True):
        belief = SimulatedEpisode(Request(task, method, method.Options())).believe_as_chosen()
        ground = task.seen_in_part[0]
        charged = next(f for f in range(ground.fact_count) if str(ground.fact_step(f)) == "(charged torch)")
        assert belief.probabilities()[charged] == chance
        belief.update(None, Observation(readings=((charged, True),)))
        assert belief.known[charged]
        belief.forget(np.array([charged], np.int32))
        assert belief.probabilities()[charged] == chance


def test_no_model_is_asked_and_the_trace_names_the_prior(cplan: Run, tmp_path: Path) -> None:
    out, plan, trace = (tmp_path / name for name in ("imported", "plan", "trace.jsonl"))
    ended = cplan("data", "import-po-pddl", *write(tmp_path, domain=DOMAIN, problem=PROBLEM), "-o", out, "--json")
    files = [str(out / f"{name}.pddl") for name in ("domain", "problem", "sensors")]
    assert ended.json == {"files": files}
    ended = cplan("solve", *files[:2], "--method", "llm-replan", "--plan", plan, "--trace", trace)
    assert (ended.code, "none was asked" in ended.out) == (0, True)
    assert "the prior in sensors.pddl" in trace.read_text()
    assert cplan("validate", *files[:2], plan, "--json").code == 0


def test_texts_are_without_the_sections() -> None:
    found = imported(problem=PROBLEM.replace("(:goal", "; of whatever there is\n(:goal"))
    text = found.domain + found.problem
    assert not read_problem(Text(found.domain), Text(found.problem), strict=True).warnings
    assert "; of whatever there is" in text
    assert not any(word in text for word in (":observ", ":init-belief", "camera", "(all "))
    assert "(forall (?t - thing) (held ?t))" in text


@pytest.mark.parametrize(("elements", "expected"), [
    ("(prob (idle) 0.25) (not (held torch))", {"idle()": 0.25}),
    ("(prob (idle) 0) (prob (held torch) 0.0)", {}),
    ("(oneof (idle) (not (idle)))", {"idle()": 0.5}),
    ("(joint 0.25 (idle)) (joint 0.75 (not (idle)))", {"idle()": 0.25}),
    ("(oneof (in attic) (not (in attic)) (not (in attic)) (and))", {"in(attic)": 0.25}),
    (
        "(joint 0.5 (and (not (idle)) (in hall))) (joint 0.5 (and (not (idle)) (in attic)))"
        "(joint 1/3 (held torch)) (joint 2/3 (not (held torch)))",
        {"in(hall)": 0.5, "in(attic)": 0.5, "held(torch)": 1 / 3},
    ),
    ("(joint 0.5 (in hall)) (joint 0.5 (in attic)) (joint 0 (not (in hall)))", {"in(hall)": 0.5, "in(attic)": 0.5}),
])  # fmt: skip
def test_beliefs(elements: str, expected: dict[str, float]) -> None:
    init = "(in hall)" if "(in hall)" in elements else ""
    assert belief_of(elements, init) == pytest.approx(expected)


def test_reward_and_weights() -> None:
    effect = "(and (decrease (total-reward) 2) (probabilistic 9 (held ?t) 3 (and)))"
    domain = DOMAIN.replace("  (:action go", "  (:functions (total-reward)) (:action go")
    domain = domain.replace("(and (held ?t) (not (lies ?t ?p)) (not (idle)))", effect)
    problem = PROBLEM.replace(f"(:goal {GOAL})", f"(:goal {GOAL}) (:goal-reward 7) (:metric maximize (total-reward))")
    found = task_of(domain, problem).problem
    assert found.outcomes == {"take": ("take", 0.75), "take--2": ("take", 0.25)}
    assert (found.goal_reward, found.total_cost) == (7, True)
    assert not found.warnings
    (warning,) = imported(domain, problem).warnings
    assert "an effect by chance" in warning.problem and warning.place.line == 10


def test_the_sign_of_the_language_is_a_section() -> None:
    with pytest.raises(PddlError, match="neither this domain nor its problem is in PO-PDDL"):
        imported(f"{WORDS}{GO}\n{TAKE})", PLAIN)
    weights = TAKE.replace(":effect (and (held ?t)", ":effect (and (probabilistic 1/4 (held ?t))")
    for section, problem in (("(:observables)", PLAIN), ("", PLAIN.replace("(:goal", "(:init-belief) (:goal"))):
        found = task_of(f"{WORDS}{section}  {GO}\n{weights})", problem).problem
        assert [name for name in found.tarski.actions if name.startswith("take")] == ["take"]  # normalised: certain


def test_rules_about_known_facts_are_left_out() -> None:
    sensors = task_of(problem=PROBLEM.replace("(prob (charged torch) 1/4)", "(not (charged torch))")).sensors
    assert sensors is not None
    assert [str(rule.pattern.atom) for rule in sensors.rules] == ["lies(?t,?p)"]


def test_facts_of_init_that_the_belief_leaves_out_are_known() -> None:
    problem = PROBLEM.replace("(stands hook hall)\n", "\n").replace("(:init-belief (in hall)", "(:init-belief ")
    sensors, (warning,) = task_of(problem=problem).sensors, imported(problem=problem).warnings
    assert (warning.place.line, "'(in hall)' is so, and ':init-belief' leaves it out" in warning.problem) == (2, True)
    assert sensors is not None and "in(hall)" not in [str(pattern.atom) for pattern in sensors.hidden]


def test_without_a_belief_all_is_known() -> None:
    found = imported(problem=PROBLEM.replace(BELIEF, ""))
    assert (found.sensors, "no ':init-belief'" in found.warnings[0].problem) == (None, True)


PAIR = SEES + SEES_NOT


IN_DOMAIN = [
    ("0.9 (camera ?t ?p)", "-1 (camera ?t ?p)", 13, 34, "the probability -1; expected a number from 0"),
    ("0.9 (camera ?t ?p)", "often (camera ?t ?p)", 13, 34, "no number where a probability belongs"),
    ("1 (camera ?what ?spot) 19", "0 (camera ?what ?spot) 0", 16, 24, "weights that are all 0"),
    ("0.1 (not (camera ?t ?p))", "0.1", 13, 19, "'probabilistic' without pairs"),
    ("0.1 (not (camera ?t ?p))", "0.1 (and)", 13, 57,
     "observables that go unreported are not supported; expected one observable, as so or as 'not' so"),
    ("0.1 (not (camera ?t ?p))", "0.1 (and (camera ?t ?p) (lamp ?t))", 13, 57, "reports of several observables at"),
    ("0.1 (not (camera ?t ?p))", "0.1 (lamp ?t)", 13, 57, "distributions over several observables are not supp"),
    ("0.1 (not (camera ?t ?p))", "0.1 (obs-nothing)", 13, 57, "'obs-nothing' is not supported"),
    ("0.1 (not (camera ?t ?p))", "0.1 (kamera ?t ?p)", 13, 58,
     "undeclared observable 'kamera'; expected one that ':observables' declares (did you mean 'camera'?)"),
    ("0.9 (camera ?t ?p)", "0.9 (camera ?p ?t)", 13, 46, "'?p' is of type place"),
    ("(camera ?t - thing ?p - place)", "(camera ?t - thing) (camera ?p)", 6, 38, "observable 'camera' again"),
    (SEES, "", 11, 17, "a rule for '(camera ?what ?spot)' without a second one, or about no fact with its var"),
    ("(stands ?spot ?r)))", "(idle)))", 11, 17, "a rule for '(camera ?t ?p)' without a second one"),
    (":condition (and (held ?t) (charged ?t))", ":condition (held ?u)", 18, 22, "unknown variable '?u'"),
    (":condition (and (held ?t) (charged ?t))", "", 17, 3, "an observation without ':condition'"),
    (":condition (and (held ?t) (charged ?t))", ":precondition (held ?t)", 18, 5,
     "unknown keyword ':precondition'; expected :parameters :condition :distribution"),
    (":distribution (lamp ?t)", ":distribution lamp", 17, 3, "an observation without ':distribution'"),
    ("(lamp ?t))", "(probabilistic 1 (lamp ?t) 1 (not (lamp ?t))))", 17, 17, "a rule for '(lamp ?t)' without"),
    ("(held ?t) (charged ?t)) :distribution (lamp ?t)", "(idle) (lies ?t shelf)) :distribution (camera ?t shelf)",
     17, 3, "other errors than on line 12, where the same facts are seen; expected equal errors for equal facts"),
    ("(held ?t) (charged ?t)) :distribution (lamp ?t)", "(idle) (lies ?t shelf)) :distribution (lamp ?t)",
     18, 59, "several observables for one fact, or several facts for one observable, are not supported"),
    ("(lamp ?t - thing)", "(lamp)", 18, 59, "'lamp' has 1 argument; expected 0: (lamp)"),
    (" :distribution (lamp ?t))", " :distribution (lamp torch))", 17, 17, "a rule for '(lamp torch)' without a"),
    (":observables (camera", ":observable (camera", 6, 4, "unknown section ':observable'"),
    ("(charged ?t)) :distribution (lamp ?t)", "(exists (?p - place) (lies ?t ?p))) :distribution (lamp ?t)",
     17, 17, "reports of what is known, as '(held ?t)', that tell of what is hidden are not supported"),
    (PAIR, PAIR.replace("?t ?p) 0.1", "?t) 0.1").replace("camera", "lamp"), 13, 57, "'lamp' has 2 arguments"),
    ("(:action go", "(:action go :observation (in ?a)", 7, 15, "unknown keyword ':observation'"),
]  # fmt: skip
IN_PROBLEM = [
    ("1/4", "1.5", 4, 27, "the probability 1.5; expected a number from 0 to 1"),
    ("1/4", "", 4, 5, "'prob' with other than two operands; expected '(prob (fact) p)'"),
    ("(prob (charged torch) 1/4)", "(prob (charged torsh) 1/4)", 4, 20, "unknown object 'torsh'"),
    ("(prob (charged torch) 1/4)", "charged", 4, 5, "'charged' where a belief belongs"),
    ("(prob (charged torch) 1/4)", "(oneof (and (idle) (not (idle))))", 4, 24, "'(idle)' both so and not so"),
    ("(prob (charged torch) 1/4)", "(oneof)", 4, 5, "'oneof' without cases"),
    ("(prob (charged torch) 1/4)", "(or (charged torch) (idle))", 4, 6, "'or' where an atom belongs"),
    ("joint 0.5", "joint 0.6", 5, 5, "'joint' from here on with numbers that sum to 1.1; expected numbers"),
    ("joint 0.2", "joint 0.1", 5, 5, "numbers that sum to 0.9"),
    ("(prob (charged torch) 1/4)", "(prob (idle) 1/4)", 4, 11, "more of '(idle)', of which line 3 speaks"),
    ("(joint 0.2 (lies torch chest))", "(joint 0.2 (and))", 5, 5,
     "':init' is impossible by this; expected the true world among what has"),
    ("(not (held torch))", "(held torch)", 3, 105, "':init' is impossible by this"),
    ("(lies torch chest) (not (ch", "(lies torch chest) (lies torch hook) (not (ch", 5, 5, "':init' is impossible by"),
    ("(joint 0.2 (lies torch chest))", "(joint 0.1 (lies torch chest)) (joint 0.1 (and))", 5, 5,
     "facts that depend on each other otherwise than as exactly one true one are not supported; expected"),
    ("(not (charged torch))", "(unknown (charged torch))", 3, 3, "':init-belief' with an ':init' that leaves"),
    ("(:init-belief", "(:observation", 3, 4, "':observation' does not belong here"),
    ("(:goal", "(:observables) (:goal", 8, 4, "':observables' does not belong here"),
]  # fmt: skip


@pytest.mark.parametrize("row", [("domain", row) for row in IN_DOMAIN] + [("problem", row) for row in IN_PROBLEM])
def test_bad_files(row: tuple[str, tuple[str, str, int, int, str]]) -> None:
    """Another task than the good one is refused at that place."""
    file, (old, new, line, column, message) = row
    good = {"domain": DOMAIN, "problem": PROBLEM}
    changed = {**good, file: good[file].replace(old, new, 1)}
    assert changed != good
    with pytest.raises(PddlError) as error:
        task_of(**changed)
    assert message in str(error.value) and "did you mean ':action'" not in str(error.value)
    assert (error.value.place.path.stem, error.value.place.line, error.value.place.column) == (file, line, column)


def test_a_report_about_either_of_two_hidden_facts_is_refused() -> None:
    """Of two facts that it may be about, it is about the hidden one; of two hidden ones it is ambiguous."""
    with pytest.raises(PddlError, match=r"17:17: '\(lamp \?t\)' may be about \(held \?t\) or \(charged \?t\)"):
        task_of(problem=PROBLEM.replace("(not (held torch))", "(prob (held torch) 0.5)"))


@pytest.mark.parametrize(("problem", "out", "reason"), [
    (PROBLEM, ".", "domain.pddl is read; choose another --out"),
    (PROBLEM.replace(BELIEF, ""), "old", "sensors.pddl is there, and this task hides nothing"),
])  # fmt: skip
def test_no_file_that_matters_is_lost(problem: str, out: str, reason: str, tmp_path: Path, cplan: Run) -> None:
    files = write(tmp_path, domain=DOMAIN, problem=problem)
    old = write(tmp_path / "old", domain=DOMAIN, problem=problem, sensors=SENSORS)
    cplan("data", "import-po-pddl", *files, "-o", tmp_path / out).says(2, reason)
    assert files[0].read_text() == old[0].read_text() == DOMAIN


def test_things_that_turn_up_later_are_known(both: tuple[Task, Task]) -> None:
    task = with_objects(both[0], {"map": "thing"}, ["(lies map hook)"], {})
    assert task.sensors is not None and both[0].sensors is not None
    assert task.sensors.chances == both[0].sensors.chances
    assert not task.problem.warnings


@given(st.permutations(range(3)), st.permutations(["?t", "?p", "?r"]), st.booleans())
@settings(max_examples=30, deadline=None)
def test_order_and_names_in_the_rules_mean_nothing(order: list[int], names: list[str], swapped: bool) -> None:
    t, p, r = names
    parts = (f"(in {r})", f"(stands {p} {r})", f"(not (lies {t} {p}))")
    types = {t: "thing", p: "place", r: "room"}
    misses = f"""(:observation misses :parameters ({" ".join(f"{v} - {types[v]}" for v in sorted(names))})
      :condition (and {" ".join(parts[i] for i in order)})
      :distribution (probabilistic 0.95 (not (camera {t} {p})) 0.05 (camera {t} {p})))"""
    rules = [SEES, misses][:: -1 if swapped else 1]
    sensors = task_of(DOMAIN.replace(SEES + SEES_NOT, "".join(rules))).sensors
    assert sensors is not None
    rule = next(rule for rule in sensors.rules if "lies" in str(rule.pattern.atom))
    assert rule.errors == (0.05, 0.1)
    assert [v.sort.name for v in rule.pattern.variables] == ["thing", "place"]
    assert str(rule.condition).startswith("exists ")


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_broken_files_are_refused_and_nothing_else(data: st.DataObject) -> None:
    """A word or a group in the sections that is replaced by another one."""
    parts = re.findall(r"[^\s()]+|\([^()]*\)", SEES + SEES_NOT + BLINKS + BELIEF)
    old, new = data.draw(st.sampled_from(parts)), data.draw(st.sampled_from([*parts, "", "()", "(and)", "(not)"]))
    try:
        task_of(DOMAIN.replace(old, new), PROBLEM.replace(old, new)).seen_in_part  # noqa: B018
    except InputError as error:
        assert ".pddl:" in str(error)
