"""Why there is no plan: said of each kind of condition, never where there is one, and always where the delete
relaxation knows."""

import random
import re
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning import BestFirst, HMax, Request, Status, Task, Text, make_state, read_task, solve
from commonsense_planning.grounding import attainable as module
from commonsense_planning.grounding.causes import Why
from commonsense_planning.grounding.exclusive import exclusive_goals
from commonsense_planning.grounding.lifted import And, Equal, Formula, Lifted, Literal, Or, lift, literals, substitute
from commonsense_planning.grounding.unreachable import unreachable
from commonsense_planning.methods.classical import why_unsolvable
from tests.oracle.drawing import damaged, draw
from tests.oracle.meaning import Meaning
from tests.oracle.task import typed

DOMAIN = Text("""(define (domain depot) (:requirements :adl :derived-predicates :constraints)
(:types robot shelf item place)
(:predicates (free ?r - robot) (at ?r - robot ?p - place) (holding ?r - robot ?i - item) (in ?i - item ?p - place)
             (road ?a ?b - place) (Locked ?p - place) (powered) (alarm) (towed ?r - robot)
             (lit ?p - place) (dark ?p - place))
(:derived (lit ?p - place) (and (powered) (not (Locked ?p))))
(:derived (dark ?p - place) (not (lit ?p)))
(:action move :parameters (?r - robot ?from ?to - place)
 :precondition (and (at ?r ?from) (road ?from ?to) (not (Locked ?to)))
 :effect (and (at ?r ?to) (not (at ?r ?from))))
(:action Pick :parameters (?r - robot ?i - item ?p - place)
 :precondition (and (at ?r ?p) (in ?i ?p) (free ?r))
 :effect (and (holding ?r ?i) (not (in ?i ?p)) (not (free ?r))))
(:action drop :parameters (?r - robot ?i - item ?p - place)
 :precondition (and (at ?r ?p) (holding ?r ?i))
 :effect (and (in ?i ?p) (not (holding ?r ?i)) (when (alarm) (powered))))
(:action tow :parameters (?r - robot ?s - shelf) :precondition (free ?r) :effect (towed ?r)))""")
STATES = 5  # random ones, for what achieves a condition
START = "(at r1 a) (in drill a) (road a b) (free r1) (road c b)"


def task(init: str, goal: str, more: str = "", domain: Text = DOMAIN) -> Task:
    objects = "r1 r2 - robot drill - item a b c - place"
    return read_task(
        domain, Text(f"(define (problem p) (:domain depot) (:objects {objects}) (:init {init}) (:goal {goal}) {more})")
    )


NO_FREE = "(free ?r) is true of no robot at first and no action adds it, so Pick can never be done"


@pytest.mark.parametrize(("init", "goal", "reason"), [
    (START, "(in drill b)", ""),
    (START.replace("(free r1)", ""), "(in drill b)", NO_FREE),
    (START.replace("(free r1)", ""), "(or (in drill b) (holding r1 drill))", NO_FREE),
    (START, "(road b a)", "(road b a) is false at first and no action adds it"),
    (START, "(and (in drill b) (in drill c))", "(in drill c) of the goal can never become true: (road ?from c) is"),
    (START, "(at r1 c)", "(road ?from c) is true of no place at first and no action adds it, so no move makes"),
    (START, "(towed r1)", "there is no shelf, so tow can never be done"),
    (START + "(Locked b)", "(at r1 b)", "(Locked b) is true at first and no action deletes it, so move can never"),
    (START + "(Locked b)", "(not (Locked b))", "(Locked b) is true at first and no action deletes it"),
    (START, "(lit a)", "(alarm) is false at first and no action adds it, so no drop makes (powered) so"),
    (START + "(powered)", "(dark a)", "(lit a) follows whatever is done, so (dark a) never follows"),
    (START, "(exists (?p - place) (and (at r1 ?p) (Locked ?p)))", "(Locked ?x1) is true of no place at first"),
    (START, "(forall (?r - robot) (exists (?p - place) (at ?r ?p)))", "(at r2 ?x2) is true of no place at first; "),
    ("(road a b) (road b a)", "(at r1 a)", "only move makes it true, and that needs it first"),
    (START, "(and (in drill b) (holding r1 drill) (at r1 c))", "(at r1 c) of the goal can never become true: (road ?f"),
    (START, "(= r1 r2)", "(= r1 r2) is never so"),
    (START, "(exists (?s - shelf) (free r1))", "wants objects of types that have none"),
    (START, "(and (at r1 a) (at r1 b))", "(at r1 a) and (at r1 b) of the goal are never so at once"),
    (START, "(and (free r1) (not (free r1)))", "(free r1) and (not (free r1)) of the goal are never so at once"),
])  # fmt: skip
def test_the_reason_is_given(init: str, goal: str, reason: str) -> None:
    found = str(unreachable(task(init, goal).grounded))
    assert reason in found and bool(reason) == bool(found), found


def test_constraints_that_nothing_meets_are_named() -> None:
    never = task(START, "(at r1 b)", "(:constraints (sometime (alarm)))")
    assert str(unreachable(never.grounded)) == "the goal can never become true under the constraints (sometime (alarm))"


def test_what_is_not_known_may_be_so() -> None:
    ground = task(START, "(in drill b)").grounded
    free = np.array([name == "free" for name, _ in ground.facts])
    held = ground.init & ~free
    assert not unreachable(ground, held | free, ~held, "now")
    assert NO_FREE.replace("at first", "now") in str(unreachable(ground, held, ~held, "now"))


def test_a_reason_that_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    ground = task(START.replace("(free r1)", ""), "(in drill b)").grounded
    monkeypatch.setattr(module, "MOST_STEPS", 1)
    assert str(unreachable(ground)) == "(in drill b) of the goal can never become true"


GIVING_BACK = Text(DOMAIN.content.replace("(not (holding ?r ?i))", "(not (holding ?r ?i)) (free ?r)"))
CONTRADICTORY = Text(GIVING_BACK.content.replace("(holding ?r ?i))\n :e", "(holding ?r ?i) (free ?r))\n :e"))
NEGATED = Text(DOMAIN.content.replace("(free ?r))\n :effect (and (h", "(free ?r) (not (free ?r)))\n :effect (and (h"))


def test_the_cause_of_a_circle_is_what_nothing_outside_of_it_gives() -> None:
    (cause,) = unreachable(task(START.replace("(free r1)", ""), "(in drill b)", domain=GIVING_BACK).grounded).causes
    assert cause.text == (
        "(free ?r) is true of no robot at first; only drop makes it true, and that needs (holding ?r ?i) first; "
        "only Pick makes (holding ?r ?i) true, and that needs (free ?r) first"
    )
    assert cause.lines == (
        "(in drill b): only drop makes it true, and needs (holding ?r drill)",
        "(holding ?r drill): only Pick makes it true, and needs (free ?r)",
        cause.text,
    )


def test_several_causes_are_numbered() -> None:
    found = unreachable(task(START, "(and (road b a) (towed r1))").grounded)
    first, second = "(road b a) is false at first and no action adds it", "there is no shelf, so tow can never be done"
    assert str(found).endswith(f"(1) {first}; (2) {second}")


@pytest.mark.parametrize(("domain", "goal", "reason"), [
    (NEGATED, "(in drill b)", "(free ?r) and (not (free ?r)) contradict each other, so Pick can never be done"),
    (CONTRADICTORY, "(in drill b)", "nothing makes (holding ?r drill) and (free ?r) true together, so drop can"),
    (GIVING_BACK, "(and (holding r1 drill) (free r1))", "of (free r1) and (holding r1 ?x), one at most is true at"),
])  # fmt: skip
def test_contradictions_are_found_by_mutexes(domain: Text, goal: str, reason: str) -> None:
    assert reason in str(why_unsolvable(task(START, goal, domain=domain)))


@pytest.mark.parametrize(("cleared", "exclude"), [
    ("(forall (?p - place) (not (at ?r ?p)))", True),
    ("(forall (?p - yard) (not (at ?r ?p)))", False),
])  # fmt: skip
def test_what_is_deleted_for_all_objects_frees_those_alone(cleared: str, exclude: bool) -> None:
    text = DOMAIN.content.replace(
        "robot shelf item place)", "robot shelf item - object place - object yard - place) (:constants y - yard)"
    )
    text = text.replace("(and (at ?r ?from) (road", "(and (road").replace("(not (at ?r ?from))", cleared)
    found = task(START, "(and (at r1 a) (at r1 b))", domain=Text(text))
    assert bool(exclusive_goals(lift(found.problem))) == exclude


@pytest.mark.parametrize("method", ["gbfs", "astar", "llm-mcts", "uct", "llm-replan"])
def test_no_method_searches_for_a_goal_that_contradicts_itself(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request(task(START, "(and (at r1 a) (at r1 b))"), method)
    monkeypatch.setattr(type(request.method), "solve", None)
    found = solve(request)
    assert (found.status, found.reason) == (
        Status.UNSOLVABLE,
        "(at r1 a) and (at r1 b) of the goal are never so at once: (at r1 ?x) is true for one ?x at most",
    )


def check_reason(read: Task, why: Why, meaning: Meaning, rng: random.Random) -> None:
    """Checks every condition of a reason in every state that can be reached, and the actions that achieve it in random
    ones."""
    lifted, states = lift(read.problem), [meaning.task.init]
    reached = {*states}
    for facts in states:  # grows
        for _, _, after in meaning.moves(facts):
            if after not in reached:
                reached.add(after)
                states.append(after)
    every = [meaning.full(facts) for facts in states]
    pair = re.match(r"(\([^()]*\)) and (\([^()]*\)) of the goal are never so at once", why.said)
    for facts in every if pair else ():
        assert pair and not all(stated(text) in facts for text in pair.groups()), why.said
    words, named = read.problem.normaliser.vocabulary.predicates, map(read.problem.spell, lifted.predicates)
    users = {number for number, name in enumerate(named) if name.lower() in words}
    steps = [
        (move[0], facts, after) for facts in random_states(meaning, rng) for move, _, after in meaning.moves(facts)
    ]
    for link in why.links:
        if not users.issuperset(literal.predicate for literal in literals(link.condition)):
            continue
        for binding in lifted.choices(link.types):
            ground = substitute(link.condition, binding)
            assert not any(true_in(lifted, ground, state) for state in every), (str(why), link.text)
            if isinstance(ground, Literal) and ground.predicate not in lifted.strata:
                made = {
                    action
                    for action, before, after in steps
                    if true_in(lifted, ground, after) and not true_in(lifted, ground, before)
                }
                assert made <= {*link.actions}, (str(why), link.text, made)


def stated(text: str) -> tuple[str, ...]:
    """The atom of a text."""
    return tuple(text.lower().strip("()").split())


def random_states(meaning: Meaning, rng: random.Random) -> list[frozenset[tuple[str, ...]]]:
    """States of any facts that actions may change."""
    task = meaning.task
    derived = {rule.name for rule in task.rules}
    plain = [(name, scope) for name, scope in task.predicates.items() if name not in derived]
    atoms = sorted((name, *found.values()) for name, scope in plain for found in meaning.bindings(typed(scope), {}))
    return [frozenset(rng.sample(atoms, rng.randint(0, len(atoms)))) for _ in range(STATES)]


def true_in(lifted: Lifted, formula: Formula, state: frozenset[tuple[str, ...]]) -> bool:
    """Whether a ground formula is true in a state."""
    match formula:
        case Literal():
            spell = lifted.problem.spell
            atom = (spell(lifted.predicates[formula.predicate]), *(spell(lifted.objects[t]) for t in formula.terms))
            return (tuple(map(str.lower, atom)) in state) == formula.positive
        case Equal():
            return (formula.left == formula.right) == formula.positive
        case And():
            return all(true_in(lifted, part, state) for part in formula.parts)
        case Or():
            return any(true_in(lifted, part, state) for part in formula.parts)
    every = (true_in(lifted, substitute(formula.body, choice), state) for choice in lifted.choices(formula.variables))
    return all(every) if formula.universal else any(every)


@pytest.mark.parametrize("derived", [False, True])
def test_random_tasks_with_a_reason_have_no_plan_and_its_conditions_never_hold(derived: bool, tmp_path: Path) -> None:
    rng, told, files = random.Random(7), 0, (tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    for _ in range(20):
        drawn = damaged(rng, draw(rng, derived, constraints=False))
        read = read_task(*drawn.write(*files))
        ground, compiled = read.all_seen
        start, why = make_state(compiled, ground.init), unreachable(ground)
        told += bool(why)
        if BestFirst(compiled, lambda _: 0.0).gbfs(start).status is Status.UNSOLVABLE:
            check_reason(read, why_unsolvable(read), Meaning(drawn), rng)
        else:
            assert not why, str(why)
        if not why:
            assert HMax(compiled)(start) < np.inf
    assert told
