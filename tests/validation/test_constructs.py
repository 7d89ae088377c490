"""Each construct of PDDL, in each place where it may be, alone, put to all validators.

A right plan is valid to VAL and to our replay, and to unified-planning's validator if it reads the task; the empty plan
reaches no goal. The default run asks VAL once for each construct; ``make test-processes`` has the whole product.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from commonsense_planning import Plan, Verdict, read_problem
from commonsense_planning.pddl.names import TAKEN
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.pddl.vocabulary import RESERVED
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.up_validator import Judge, steps_of
from commonsense_planning.validation.val import validate_with_val
from tests.data import write_task


class Case(NamedTuple):
    """A task, and a plan that solves it; the empty plan does not."""

    domain: str
    problem: str
    plan: str = "(act a hub)"


CONDITIONS = {
    "atom": "(lit hub)",
    "negation": "(not (clean a))",
    "double negation": "(not (not (lit hub)))",
    "equality": "(= a a)",
    "inequality": "(not (= a hub))",
    "and": "(and (lit hub) (not (clean a)))",
    "and in and": "(and (and (lit hub)))",
    "empty and": "(and)",
    "empty and in and": "(and (lit hub) (and))",
    "nothing but empty ands": "(and (and))",
    "or": "(or (clean a) (lit hub))",
    "or of one": "(or (lit hub))",
    "empty or": "(not (or))",
    "imply": "(imply (clean a) (lit hub))",
    "exists": "(exists (?x - thing) (at ?x hub))",
    "forall": "(forall (?x - thing) (not (clean ?x)))",
    "two variables": "(forall (?x - thing ?y - place) (imply (at ?x ?y) (lit ?y)))",
    "either": "(exists (?x - (either thing room)) (not (= ?x hub)))",
    "no type": "(exists (?x) (= ?x hub))",
    "no object": "(forall (?x - ghost) (lit ?x))",
    "a variable that hides another": "(exists (?x - thing) (and (at ?x hub) (exists (?x - place) (lit ?x))))",
    "a derived atom": "(busy hub)",
    "a keyword for a variable": "(exists (?after - thing) (at ?after hub))",
    "a function for a variable": "(exists (?toll - thing) (at ?toll hub))",
}
CONDITION_PLACES = {
    "precondition": {"precondition": "{}"},
    "conjunct": {"precondition": "(and (lit hub) {} (not (clean a)))"},
    "negated twice": {"precondition": "(not (not {}))"},
    "disjunct": {"precondition": "(or (clean a) {})"},
    "premise": {"precondition": "(imply {} (lit hub))"},
    "conclusion": {"precondition": "(imply (lit hub) {})"},
    "forall": {"precondition": "(forall (?z - thing) {})"},
    "exists": {"precondition": "(exists (?z - thing) {})"},
    "goal": {"goal": "(and (done) {})"},
    "rule": {"derived": "(:derived (ready) {})", "precondition": "(ready)"},
    "when": {"effect": "(when {} (done))"},
    "when in forall": {"effect": "(forall (?z - thing) (when {} (done)))"},
    "always": {"constraints": "(always {})"},
    "always, of the domain": {"of_domain": "(always {})"},
    "always, with another": {"constraints": "(and (always {}) (sometime (done)))"},
    "at end": {"constraints": "(at end {})"},
    "sometime": {"constraints": "(sometime {})"},
    "at-most-once": {"constraints": "(at-most-once {})"},
    "sometime-after": {"constraints": "(sometime-after {} (done))"},
    "sometime-before": {"constraints": "(sometime-before (done) {})"},
    "forall of constraints": {"constraints": "(forall (?z - thing) (always {}))"},
}
EFFECTS = {
    "atom": "(done)",
    "and": "(and (done) (clean a))",
    "delete": "(and (done) (not (at a hub)))",
    "delete and add": "(and (not (done)) (done))",
    "and in and": "(and (and (done)))",
    "and in and in and": "(and (and (and (done))))",
    "empty and in and": "(and (done) (and))",
    "nothing but empty ands": "(and (and) (done) (and (and)))",
    "when": "(when (lit hub) (done))",
    "when, always": "(when (and) (done))",
    "when and": "(when (lit hub) (and (done) (clean a)))",
    "when and in and": "(when (lit hub) (and (done) (and (clean a))))",
    "when in when": "(when (lit hub) (when (not (clean a)) (done)))",
    "forall in when": "(when (lit hub) (forall (?x - thing) (done)))",
    "forall": "(forall (?x - thing) (done))",
    "forall and": "(forall (?x - thing) (and (done) (clean ?x)))",
    "when in forall": "(forall (?x - thing) (when (at ?x hub) (done)))",
    "forall in forall": "(forall (?x - thing) (forall (?y - place) (when (at ?x ?y) (done))))",
    "forall and in when and": "(when (lit hub) (and (done) (forall (?x - thing) (and (clean ?x) (not (at ?x hub))))))",
    "either": "(forall (?x - (either thing room)) (done))",
    "keyword for a variable": "(forall (?number - thing) (when (at ?number hub) (done)))",
}
EFFECT_PLACES = {
    "alone": "{}",
    "first": "(and {} (clean b))",
    "last": "(and (clean b) {})",
    "in and": "(and (clean b) (and {}))",
    "in when": "(when (lit hub) {})",
    "in when and": "(and (clean b) (when (lit hub) (and (clean a) {})))",
    "in forall": "(forall (?z - thing) {})",
    "in forall and": "(and (clean b) (forall (?z - thing) (and (clean a) {})))",
}


def task(
    precondition: str = "(lit hub)",
    effect: str = "(done)",
    goal: str = "(done)",
    derived: str = "",
    constraints: str = "",
    of_domain: str = "",
    action: str = "",
) -> Case:
    """The task of the table with a construct in one place. ``action`` is written in place of the whole action."""
    used = " ".join((precondition, effect, goal, derived, constraints, of_domain))
    requirements = ":adl" + " :constraints" * bool(constraints or of_domain)
    if "(busy " in used:
        derived += " (:derived (busy ?p - place) (exists (?t - thing) (at ?t ?p)))"
    requirements += " :derived-predicates" * bool(derived)
    toll = "?toll" in used
    action = action or (
        f"(:action act :parameters (?t - thing ?p - place) :precondition {precondition} :effect {effect})"
    )
    domain = f"""(define (domain table) (:requirements {requirements}{" :action-costs" * toll})
      (:types room ghost - place place thing - object) (:constants hub - room a - thing)
      (:predicates (at ?t - thing ?p - place) (lit ?p - place) (clean ?t - thing) (done){
        " (ready)" * ("(ready)" in used)
    }{" (busy ?p - place)" * ("(busy " in used)})
      {"(:functions (toll ?p - place) - number)" * toll}
      {f"(:constraints {of_domain})" * bool(of_domain)} {derived} {action})"""
    problem = f"""(define (problem one) (:domain table) (:objects b - thing cellar - room)
      (:init (at a hub) (at b hub) (lit hub)) (:goal {goal}) {f"(:constraints {constraints})" * bool(constraints)})"""
    return Case(domain, problem)


def conditions() -> Iterator[tuple[str, Case]]:
    """Each condition in each place."""
    for (name, condition), (place, fields) in itertools.product(CONDITIONS.items(), CONDITION_PLACES.items()):
        yield f"{place}: {name}", task(**{field: text.format(condition) for field, text in fields.items()})


def effects() -> Iterator[tuple[str, Case]]:
    """Each effect in each place."""
    for (name, effect), (place, text) in itertools.product(EFFECTS.items(), EFFECT_PLACES.items()):
        yield f"{place}: {name}", task(effect=text.format(effect))


NO_TYPES = "(define (domain d) (:requirements :strips) (:predicates (p ?x) (done))"
ACT = "(:action act :parameters (?x) :precondition (p ?x) :effect (done))"
PLAIN = "(define (problem q) (:domain d) (:objects a) (:init (p a)) (:goal (done)))"
TYPED = "(define (domain d) (:requirements :strips :typing) (:types t) (:predicates (p ?x - t) (done))"
TYPED_ACT = "(:action act :parameters (?x - t) :precondition (p ?x) :effect (done))"
TYPED_PLAIN = PLAIN.replace("a)", "a - t)", 1)
COSTLY = f"{NO_TYPES} (:functions (total-cost) - number (toll ?x) - number) (:action act :parameters (?x) "
COSTS = PLAIN.replace("(p a)", "(p a) (= (toll a) 2.5) (= (total-cost) 0)").replace(
    "(done)))", "(done)) (:metric minimize (total-cost)))"
)


def plain(sections: str, problem: str = PLAIN, plan: str = "(act a)", domain: str = NO_TYPES) -> Case:
    """A task whose domain has these sections."""
    return Case(f"{domain} {sections})", problem, plan)


def typed(sections: str = TYPED_ACT, problem: str = TYPED_PLAIN, plan: str = "(act a)", domain: str = TYPED) -> Case:
    """The same with a type."""
    return plain(sections, problem, plan, domain)


def costly(effect: str, problem: str = COSTS, more: str = "", plan: str = "(act a)") -> Case:
    """One whose action has this effect, costs among it."""
    return Case(f"{COSTLY} :precondition (p ?x) :effect {effect}){more})", problem, plan)


DECLARATIONS = {
    "no types": plain(ACT),
    "no parameters": plain("(:action act :precondition (p a) :effect (done))", plan="(act)"),
    "no parameters, listed": plain("(:action act :parameters () :precondition (p a) :effect (done))", plan="(act)"),
    "no precondition": plain("(:action act :parameters (?x) :effect (done))"),
    "no precondition, typed": typed("(:action act :parameters (?x - t) :effect (done))"),
    "an empty precondition": typed("(:action act :parameters (?x - t) :precondition () :effect (done))"),
    "no effect": typed(f"{TYPED_ACT} (:action wait :parameters (?x - t) :precondition (p ?x))", plan="(wait a)(act a)"),
    "an empty effect": typed(
        f"(:action wait :parameters (?x - t) :precondition (p ?x) :effect ()) {TYPED_ACT}", plan="(wait a)(act a)"
    ),
    "nothing but a name": typed(f"(:action wait) {TYPED_ACT}", plan="(wait)(act a)"),
    "an unused action without a precondition": typed(f"(:action idle :parameters (?x - t) :effect (p ?x)) {TYPED_ACT}"),
    "fields in another order": typed("(:action act :effect (done) :precondition (p ?x) :parameters (?x - t))"),
    "sections in another order": typed(
        f"(:types t) (:requirements :strips :typing) {TYPED_ACT} (:constants k - t)",
        "(define (problem q) (:goal (done)) (:init (p a)) (:objects a - t) (:domain d))",
        domain="(define (domain d) (:predicates (p ?x - t) (done))",
    ),
    "a rule after the actions": plain(
        f"{ACT.replace('(p', '(held', 1)} (:derived (held ?x) (p ?x))",
        domain=NO_TYPES.replace("(done)", "(done) (held ?x)").replace(":strips", ":strips :derived-predicates"),
    ),
    "a constant as an object, too": typed(domain=TYPED.replace("(:predicates", "(:constants a - t) (:predicates")),
    "an object of two types": typed(
        "(:action act :parameters (?x - cook) :precondition (p ?x) :effect (done))",
        PLAIN.replace("a)", "a - pilot a - cook)", 1),
        domain="(define (domain d) (:requirements :typing) (:types pilot cook - t) (:predicates (p ?x - t) (done))",
    ),
    "either, of a predicate": typed(
        "(:action act :parameters (?x - (either s t)) :precondition (p ?x) :effect (done))",
        domain="(define (domain d) (:requirements :typing) (:types t s) (:predicates (p ?x - (either t s)) (done))",
    ),
    "types by levels": typed(domain=TYPED.replace("(:types t)", "(:types t - u u - v)")),
    "upper case": typed(TYPED_ACT.replace("act", "ACT").replace("?x", "?X"), plan="(Act A)"),
    "a byte order mark": typed(domain=f"\N{ZERO WIDTH NO-BREAK SPACE}{TYPED}"),
    "letters beyond ASCII": typed(
        TYPED_ACT.replace(" act", " fährt"), TYPED_PLAIN.replace("a)", "bär)").replace("a -", "bär -"), "(fährt bär)"
    ),
    "fluents, declared": typed(domain=TYPED.replace(":strips", ":strips :fluents")),
    "no constraints": typed(problem=TYPED_PLAIN.replace("(:goal", "(:constraints (and)) (:goal")),
    "one name for all": typed(
        TYPED_ACT.replace("p ?x", "t ?x"),
        "(define (problem t) (:domain t) (:objects t - t) (:init (t t)) (:goal (done)))",
        "(act t)",
        TYPED.replace("p ?x", "t ?x").replace("domain d", "domain t"),
    ),
    "a cost": costly("(and (done) (increase (total-cost) 3))"),
    "a cost that is looked up": costly("(and (done) (increase (total-cost) (toll ?x)))"),
    "a cost alone": costly(
        "(increase (total-cost) 3)",
        more=" (:action end :parameters () :precondition (p a) :effect (done))",
        plan="(act a)(end)",
    ),
    "a cost of another writing": costly("(and (done) (increase (total-cost) 1e1))", COSTS.replace("2.5", "+.5")),
    "start and end": plain(
        "(:action at :parameters (?x ?y - t) :precondition (at ?x ?x) :effect (over ?y ?x))",
        "(define (problem q) (:domain d) (:objects start end all - t)"
        " (:init (at start start) (at end end) (at all start)) (:goal (over all start)))",
        "(at start all)",
        "(define (domain d) (:requirements :typing) (:types t) (:predicates (at ?x ?y - t) (over ?x ?y - t))",
    ),
}
NOTHING_TO_DO = {
    "no action": Case(
        "(define (domain d) (:predicates (p)))", "(define (problem q) (:domain d) (:init (p)) (:goal (p)))"
    ),
    "no predicate": Case("(define (domain d))", "(define (problem q) (:domain d) (:init) (:goal (and)))"),
    "an empty goal": Case(f"{TYPED} {TYPED_ACT})", TYPED_PLAIN.replace("(:goal (done))", "(:goal (and (and)))")),
}
WORDS = sorted(word for word in TAKEN if word.isalnum() or "-" in word)


def named(kind: str) -> Case:
    """All words that some program keeps for itself, as names of one ``kind``."""
    own = WORDS if kind == "object" else [word for word in WORDS if word not in {*RESERVED, "object", "number"}]
    variables = [f"?{word}" for word in WORDS]
    match kind:
        case "predicate":
            preds = " ".join(f"({word} ?x - t)" for word in own)
            wanted = " ".join(f"({word} ?x)" for word in own)
            return Case(
                f"{TYPED.replace('(done)', f'(done) {preds}')} {TYPED_ACT.replace('(p ?x)', f'(and {wanted})')})",
                TYPED_PLAIN.replace("(p a)", " ".join(f"({word} a)" for word in own)),
                "(act a)",
            )
        case "type":
            types = "".join(
                f" (:action act-{word} :parameters (?x - {word}) :precondition (p ?x) :effect (done))" for word in own
            )
            objects = "".join(f" x-{word} - {word}" for word in own)
            return Case(
                TYPED.replace("(:types t)", f"(:types {' '.join(own)} - t t)") + f"{types})",
                TYPED_PLAIN.replace("a - t", f"a - t{objects}").replace(
                    "(p a)", " ".join(f"(p x-{word})" for word in own)
                ),
                f"(act-{own[0]} x-{own[0]})",
            )
        case "object":
            facts = "".join(f" (p {word})" for word in own)
            return Case(
                f"{TYPED} {TYPED_ACT})",
                TYPED_PLAIN.replace("a - t", f"{' '.join(own)} - t").replace("(p a)", facts),
                "".join(f"(act {word})" for word in own),
            )
        case "action":
            acts = "".join(f" {TYPED_ACT.replace(' act', f' {word}')}" for word in own)
            return Case(f"{TYPED}{acts})", TYPED_PLAIN, "".join(f"({word} a)" for word in own))
        case "parameter":
            acts = "".join(
                f" (:action act{n} :parameters ({name} - t) :precondition (p {name}) :effect (done))"
                for n, name in enumerate(variables)
            )
            return Case(f"{TYPED}{acts})", TYPED_PLAIN, "".join(f"(act{n} a)" for n, _ in enumerate(variables)))
        case "variable":
            every = " ".join(f"(exists ({name} - t) (p {name}))" for name in variables)
            some = " ".join(f"(forall ({name} - t) (when (p {name}) (done)))" for name in variables)
            return Case(
                f"{TYPED.replace(':strips', ':adl')} (:action act :parameters (?x - t) :precondition (and {every})"
                f" :effect (and {some})))",
                TYPED_PLAIN,
                "(act a)",
            )
        case "function":
            functions = "".join(f" ({word} ?x - t) - number" for word in own if word != "total-cost")
            acts = "".join(
                f" (:action act{n} :parameters (?{word} - t) :precondition (p ?{word})"
                f" :effect (and (done) (increase (total-cost) ({word} ?{word}))))"
                for n, word in enumerate(own)
            )
            values = "".join(f" (= ({word} a) 1)" for word in own)
            return Case(
                f"{TYPED} (:functions (total-cost) - number{functions}){acts})",
                TYPED_PLAIN.replace("(p a)", f"(p a){values}"),
                "".join(f"(act{n} a)" for n, _ in enumerate(own)),
            )
    word = kind.split()[1]
    return Case(
        f"{TYPED.replace('domain d', f'domain {word}')} {TYPED_ACT})",
        TYPED_PLAIN.replace("problem q", f"problem {word}").replace("domain d", f"domain {word}"),
        "(act a)",
    )


NAMES = {
    kind: named(kind)
    for kind in ("predicate", "type", "object", "action", "parameter", "variable", "function", "header number")
}
HEADERS = {f"header {word}": named(f"header {word}") for word in WORDS if word not in RESERVED}
ONCE = {
    **{f"precondition: {name}": task(precondition=condition) for name, condition in CONDITIONS.items()},
    **{place: task(**{f: t.format("(lit hub)") for f, t in fields.items()})
       for place, fields in CONDITION_PLACES.items()},
    **{f"effect: {name}": task(effect=effect) for name, effect in EFFECTS.items()},
    **{f"effect {place}": task(effect=text.format("(done)")) for place, text in EFFECT_PLACES.items()},
    **DECLARATIONS,
    **NAMES,
}  # fmt: skip
PRODUCT = {**dict(conditions()), **dict(effects()), **HEADERS}
TO_ALL = {*ONCE, *dict(effects())}
"""What unified-planning's validator is asked about, too: it takes 50 ms to read a task."""


def written(case: Case, folder: Path) -> tuple[Path, Path]:
    """The files of a case."""
    return write_task(folder, case.domain, case.problem)


@pytest.mark.parametrize("name", NOTHING_TO_DO)
def test_val_accepts_the_empty_plan_where_nothing_must_be_done(name: str, tmp_path: Path) -> None:
    problem = read_problem(*written(NOTHING_TO_DO[name], tmp_path))
    assert validate_with_val(problem, Plan(())).verdict is Verdict.VALID


def plan_of(case: Case) -> Plan:
    """The plan of a case."""
    return parse_plan(case.plan.replace(")(", ")\n("), Path("plan"))


@pytest.mark.parametrize("name", ONCE)
def test_val_accepts_the_right_plan(name: str, tmp_path: Path) -> None:
    case = ONCE[name]
    problem = read_problem(*written(case, tmp_path))
    plan = plan_of(case)
    assert replay(problem, plan).verdict is Verdict.VALID
    assert validate_with_val(problem, plan).verdict is Verdict.VALID


@pytest.mark.processes
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*ONCE, *PRODUCT])
def test_no_validator_is_wrong(name: str, tmp_path: Path) -> None:
    files = written({**ONCE, **PRODUCT}[name], tmp_path)
    problem = read_problem(*files)
    plan, nothing = plan_of({**ONCE, **PRODUCT}[name]), Plan(())
    for judged in (validate_with_val, replay):
        assert judged(problem, plan).verdict is Verdict.VALID
        assert judged(problem, nothing).verdict is Verdict.INVALID
    if name not in TO_ALL:
        return
    from pyparsing import ParseBaseException
    from unified_planning.exceptions import UPException

    try:
        judge = Judge(*map(str, files), len(problem.constraints))
    except (UPException, ParseBaseException, SyntaxError, TypeError):  # what its reader raises
        return
    assert judge.judge(steps_of(plan))["verdict"] is not Verdict.INVALID
    assert judge.judge([])["verdict"] is not Verdict.VALID
