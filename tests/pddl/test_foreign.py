"""Tasks that only other planners solve: what they need, and errors at their places all the same."""

import pickle

import pytest

from commonsense_planning import PddlError, Text, UsageError, read_task
from commonsense_planning.errors import UnsupportedFeature
from commonsense_planning.pddl.foreign import read_any
from commonsense_planning.pddl.plan import Step
from tests.kitchens import ERRAND, NORTH, OVEN, PARCEL, SUPPER, TANK

NEEDS = [
    (TANK, NORTH, {"numbers": ("d", 7, 46)}),
    (OVEN, SUPPER, {"durations": ("d", 6, 3)}),
    (PARCEL, ERRAND, {"hierarchical tasks": ("d", 5, 3)}),
    (
        OVEN,
        SUPPER.replace("(raw pizza)", "(at 5 (raw pizza))"),
        {"durations": ("d", 6, 3), "timed initial literals": ("p", 2, 30)},
    ),
    (
        OVEN,
        SUPPER.replace("(done pizza)", "(preference hot (done pizza))"),
        {"durations": ("d", 6, 3), "preferences": ("p", 2, 66)},
    ),
    (
        OVEN,
        SUPPER.replace("(total-time)", "(+ (* 2 (total-time)) (kept Ann))"),
        {"durations": ("d", 6, 3), "numbers": ("p", 3, 20)},
    ),
    (
        TANK.replace(
            "(:action Ref",
            "(:process leak :parameters (?t - truck) :effect (decrease (fuel ?t) (* #t 1)))\n (:action Ref",
        ),
        NORTH,
        {"numbers": ("d", 7, 46), "processes and events": ("d", 9, 3)},
    ),
]
WRONG = [
    (
        TANK,
        "(>= (fuel ?t) 4)",
        "(>= (fuell ?t) 4)",
        "d",
        7,
        "undeclared predicate 'fuell'; expected a declared predicate",
    ),
    (TANK, "(decrease (fuel ?t) 4)", "(decrease (fuel ?t ?a) 4)", "d", 8, "'fuel' has 2 arguments"),
    (TANK, "(decrease (fuel ?t) 4)", "(decrease (fuel ?a) 4)", "d", 8, "'?a' is of type town"),
    (NORTH, "(= (fuel Red) 1.5)", "(= (fuel red1) 1.5)", "p", 2, "unknown object 'red1'"),
    (OVEN, "(at start (free ?c))", "(at start (free ?x))", "d", 7, "unknown variable '?x'"),
    (OVEN, "(at end (cut ?d))", "(at end (cutt ?d))", "d", 8, "undeclared predicate 'cutt'"),
    (
        OVEN,
        "?d - dish) :duration (= ?duration 10)",
        "?d - disk) :duration (= ?duration 10)",
        "d",
        9,
        "undeclared type 'disk'",
    ),
    (OVEN, ":duration (= ?duration 10)", ":durations (= ?duration 10)", "d", 9, "unknown keyword ':durations'"),
    (
        SUPPER,
        "(:metric",
        "(:constraints (within 9 (done pie))) (:metric",
        "p",
        3,
        "trajectory constraints ('within') are not supported",
    ),
    (
        SUPPER,
        "(raw pizza)",
        "(oneof (raw pizza) (cut pizza))",
        "p",
        2,
        "'oneof' in a task with durations; expected neither hidden facts",
    ),
    (PARCEL, "(reach ?p)))\n", "(reech ?p)))\n", "d", 8, "undeclared predicate 'reech'"),
    (PARCEL, "(one (go ?a ?b))", "(one (go ?a))", "d", 8, "'go' has 1 argument"),
    (ERRAND, "(and (reach shop))", "(and (reach shopp))", "p", 2, "unknown object 'shopp'"),
]
WHOLE = {TANK: NORTH, OVEN: SUPPER, PARCEL: ERRAND}


@pytest.mark.parametrize(("domain", "problem", "needs"), NEEDS, ids=[", ".join(needs) for *_, needs in NEEDS])
def test_it_says_what_a_task_needs_once(domain: str, problem: str, needs: dict[str, tuple[str, int, int]]) -> None:
    read = read_any(Text(domain, "d"), Text(problem, "p"))
    assert {one.need: (str(one.place.path), one.place.line, one.place.column) for one in read.needs} == needs
    first, (file, line, column) = next(iter(needs.items()))
    assert read.beyond.startswith(f"it needs {first} ({file}:{line}:{column})")
    with pytest.raises(UnsupportedFeature, match=f"^{file}:{line}:{column}: "):
        read.tarski.actions  # noqa: B018


@pytest.mark.parametrize(("text", "old", "new", "file", "line", "message"), WRONG)
def test_an_error_is_at_its_place(text: str, old: str, new: str, file: str, line: int, message: str) -> None:
    if old not in text:
        pytest.fail(f"{old} is not there")
    domain = next(one for one in WHOLE if text in (one, WHOLE[one]))
    texts = [one.replace(old, new) if one == text else one for one in (domain, WHOLE[domain])]
    with pytest.raises(PddlError, match="^" + f"{file}:{line}:") as caught:
        read_any(Text(texts[0], "d"), Text(texts[1], "p"))
    assert message in str(caught.value)


def test_what_nobody_plans_with_stays_refused() -> None:
    wrong = TANK.replace("(:action Ref", "(:axiom :vars (?t)) (:action Ref")
    with pytest.raises(UnsupportedFeature, match="axioms"):
        read_any(Text(wrong), Text(NORTH))


def test_a_task_says_what_it_needs_and_what_its_actions_are() -> None:
    task = read_task(Text(TANK, "d"), Text(NORTH, "p"))
    assert task.needs == ("numbers",)
    declared = pickle.loads(pickle.dumps(task)).problem.declared
    assert declared.spelt(Step("refuel", ("red",))) == Step("Refuel", ("Red",))
    assert declared.wrong(Step("drive", ("Red", "a", "b"))) == ""
    assert "did you mean 'refuel'" in declared.wrong(Step("refuell", ("Red",)))
    assert declared.wrong(Step("drive", ("Red", "a"))).startswith("'drive' has 2 arguments; expected 3")
    assert declared.wrong(Step("drive", ("Red", "a", "Red"))).startswith("'Red' is of type truck; expected type town")
    assert declared.wrong(Step("drive", ("Red", "a", "d"))).startswith("unknown object 'd'")
    with pytest.raises(UsageError, match="none of them knows what .* hides"):
        read_task(Text(TANK), Text(NORTH), Text("(define (sensors s) (:domain tank))"))
