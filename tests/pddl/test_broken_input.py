"""Broken files: each gives one located error that says what is wrong, and exit code 2."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from commonsense_planning.errors import EXIT_INPUT, InputError, PddlError, UnsupportedFeature
from commonsense_planning.pddl import syntax
from commonsense_planning.pddl.reader import read_problem

DOMAIN = """\
(define (domain moving)
  (:requirements :strips :typing)
  (:types room item - object box - item)
  (:constants hall - room)
  (:predicates (at ?i - item ?r - room) (here ?r - room) (free) (open ?b - box))
  (:functions (total-cost) - number (weight ?i - item) - number)
  (:action go
    :parameters (?r - room)
    :precondition (not (here ?r))
    :effect (and (forall (?q - room) (not (here ?q))) (here ?r) (increase (total-cost) 1)))
  (:action drop
    :parameters (?i - item ?r - room)
    :precondition (and (here ?r) (exists (?b - box) (open ?b)))
    :effect (and (at ?i ?r) (when (free) (not (free))))))
"""

PROBLEM = """\
(define (problem one)
  (:domain moving)
  (:objects kitchen - room apple - item crate - box)
  (:init (here hall) (at apple kitchen) (free) (= (total-cost) 0) (= (weight apple) 2))
  (:goal (and (at apple hall)))
  (:metric minimize (total-cost)))
"""


@dataclass(frozen=True)
class Broken:
    """A change to one of the two files, and the error that it must give."""

    name: str
    old: str  # the text that is replaced; all of the file if empty
    new: str
    line: int
    column: int
    message: str
    where: str = "domain"
    error: type[PddlError] = PddlError

    def located(self) -> tuple[object, int, int]:
        """What the error must say, and where."""
        return Containing(self.message), self.line, self.column


class Containing:
    """Equals every text that contains it; so a failing comparison shows message and place at once."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self.text in other

    def __repr__(self) -> str:
        return f"…{self.text}…"


SYNTAX = [
    Broken("empty", "", "", 1, 1, "nothing to read; expected '(define …)'"),
    Broken("only a comment", "", "; nothing\n", 1, 1, "nothing to read"),
    Broken("words", "", "hello world", 1, 1, "unexpected 'hello' at the start; expected '(define …)'"),
    Broken("another bracket", "", "(defin (domain x))", 1, 2, "unexpected 'defin' at the start"),
    Broken("closing first", "", ") (define)", 1, 1, "unexpected ')' at the start"),
    Broken("no name", "", "(define)", 1, 1, "no name follows 'define'; expected '(domain name)'"),
    Broken("two names", "(domain moving)", "(domain moving on)", 1, 9, "'domain' has 2 names"),
    Broken("missing ) at the end", "(free) (not (free))))))", "(free) (not (free)))))", 1, 1, "never closed"),
    Broken("missing ) in a list", "(free) (open ?b - box))", "(free (open ?b - box))", 5, 3,
           "this '(' is never closed"),
    Broken("missing ) in an action", "(increase (total-cost) 1)))", "(increase (total-cost) 1))", 7, 3, "never closed"),
    Broken("missing ) in :init", "(free) (= (total-cost)", "(free (= (total-cost)", 4, 3, "never closed", "problem"),
    Broken("additional )", "(not (free))))))", "(not (free)))))))", 14, 58, "')' without a '('"),
    Broken("early )", "(:constants hall - room)", "(:constants hall - room))", 4, 27, "but '(' follows on line 5"),
    Broken("too deep", "(not (here ?r))", "(not " * 200, 9, 509, "nested more than 100 deep"),
]

FRAME = [
    Broken("problem as domain", "", PROBLEM, 1, 9, "the file defines a 'problem'; expected '(domain name)'"),
    Broken("domain as problem", "", DOMAIN, 1, 9, "file defines a 'domain'; expected '(problem", "problem"),
    Broken("unknown section", ":constants", ":constant", 4, 4, "unknown section ':constant'"),
    Broken("did you mean section", ":constants", ":constant", 4, 4, "(did you mean ':constants'?)"),
    Broken("section twice", "(:constants hall - room)", "(:types a)",
           4, 4, "':types' again; it is already on line 3"),
    Broken("word for section", "(:constants hall - room)", "hall", 4, 3, "'hall' where a section belongs"),
    Broken("misplaced section", "(:constants hall - room)", "(:init (free))",
           4, 4, "':init' does not belong here"),
    Broken("no domain", "(:domain moving)", "",
           1, 1, "no ':domain' section; expected '(:domain moving)'", "problem"),
    Broken("no goal", "(:goal (and (at apple hall)))", "", 1, 1, "no ':goal' section", "problem"),
    Broken("no init", "(:init (here hall) (at apple kitchen) (free) (= (total-cost) 0) (= (weight apple) 2))", "", 1, 1,
           "no ':init' section", "problem"),
    Broken("two goals", "(:goal (and", "(:goal (free) (and", 5, 3, "':goal' has 2 conditions", "problem"),
]  # fmt: skip

DECLARATIONS = [
    Broken("type circle", "item - object box - item", "item - box box - item",
           3, 16, "'item' is its own ancestor: item - box - item"),
    Broken("type with two parents", "box - item", "box - item box - room",
           3, 41, "type 'box' again, with the parent 'room'"),
    Broken("type not named", "box - item", "box -", 3, 34, "'-' without a type after it"),
    Broken("type of a parameter", "(here ?r - room)", "(here ?r - rom)",
           5, 52, "undeclared type 'rom'; expected a declared type (did you mean 'room'?)"),
    Broken("predicate twice", "(free) (open ?b", "(free) (Here ?x) (open ?b",
           5, 66, "predicate 'Here' again; it is already on line 5"),
    Broken("predicate no bracket", "(free) (open ?b", "free (open ?b",
           5, 58, "'free' where a predicate belongs"),
    Broken("predicate is a word of PDDL", "(free) (open ?b", "(not) (open ?b",
           5, 59, "'not' cannot name a predicate"),
    Broken("predicate is a number", "(free) (open ?b", "(12) (open ?b",
           5, 59, "'12' cannot name a predicate"),
    Broken("parameter no variable", "(here ?r - room)", "(here r - room)",
           5, 47, "'r' is no variable; expected a variable such as '?r'"),
    Broken("constant twice", "hall - room", "hall hall - room", 4, 20, "object 'hall' again"),
    Broken("constant's type", "hall - room", "hall - rooom", 4, 22, "undeclared type 'rooom'"),
    Broken("action twice", "(:action drop", "(:action GO",
           11, 12, "action 'GO' again; it is already on line 7"),
    Broken("object twice", "kitchen - room", "kitchen kitchen - room",
           3, 21, "object 'kitchen' again; it is already on line 3", "problem"),
    Broken("object of unrelated types", "crate - box", "crate - box crate - room",
           3, 53, "object 'crate' again", "problem"),
    Broken("constant of another type", "kitchen - room", "hall - box",
           3, 13, "is also a constant of the domain", "problem"),
    Broken("unknown type of object", "kitchen - room", "kitchen - roam",
           3, 23, "undeclared type 'roam'", "problem"),
]  # fmt: skip

ACTIONS = [
    Broken("keyword", ":precondition (not", ":precondtion (not", 9, 5, "unknown keyword ':precondtion'"),
    Broken("keyword hint", ":precondition (not", ":precondtion (not",
           9, 5, "(did you mean ':precondition'?)"),
    Broken("keyword twice", ":precondition (not", ":parameters () :precondition (not",
           9, 5, "':parameters' twice in one action"),
    Broken("no keyword", ":precondition (not", "(not",
           9, 5, "a bracket where a keyword of the action belongs"),
    Broken("parameter twice", "(?r - room)\n    :prec", "(?r ?R - room)\n    :prec",
           8, 21, "variable '?R' twice in one list"),
    Broken("observed predicate", ":precondition (not", ":observe (freee) :precondition (not",
           9, 15, "undeclared predicate 'freee'"),
    Broken("unknown variable", "(not (here ?r))", "(not (here ?room))",
           9, 30, "unknown variable '?room'; expected ?r"),
    Broken("undeclared predicate", "(not (here ?r))", "(not (her ?r))",
           9, 25, "undeclared predicate 'her'; expected a declared predicate (did you mean 'here'?)"),
    Broken("connective", "(and (here ?r) (exists", "(adn (here ?r) (exists",
           13, 20, "(did you mean 'and'?)"),
    Broken("too many arguments", "(not (here ?r))", "(not (here ?r ?r))",
           9, 24, "'here' has 2 arguments; expected 1: (here ?r - room)"),
    Broken("too few arguments", "(not (here ?r))", "(not (here))",
           9, 24, "'here' has no arguments; expected 1"),
    Broken("wrong type", "(and (here ?r) (exists", "(and (at ?r ?r) (exists",
           13, 28, "'?r' is of type room; expected type item as in (at ?i - item ?r - room)"),
    Broken("supertype", "(open ?b)))", "(open ?i)))", 13, 59, "'?i' is of type item; expected type box"),
    Broken("unknown object", "(not (here ?r))", "(not (here hal))",
           9, 30, "unknown object 'hal'; expected a declared object or constant (did you mean 'hall'?)"),
    Broken("forgotten question mark", "(not (here ?r))", "(not (here r))", 9, 30, "(did you mean '?r'?)"),
    Broken("nested term", "(not (here ?r))", "(not (here (free)))",
           9, 30, "a bracket where a variable or an object belongs"),
    Broken("no bracket", "(not (here ?r))", "(not free)",
           9, 24, "'free' where a condition belongs; expected a condition in brackets (did"),
    Broken("not of two", "(not (here ?r))", "(not (free) (free))",
           9, 19, "'not' has 2 operands; expected one condition"),
    Broken("= of one", "(not (here ?r))", "(= ?r)", 9, 19, "'=' has 1 operand; expected two terms"),
    Broken("when in a condition", "(not (here ?r))", "(when (free) (free))",
           9, 20, "'when' where an atom belongs"),
    Broken("or in an effect", "(and (at ?i ?r) (when", "(or (at ?i ?r) (when", 14, 13, "'or' in an effect"),
    Broken("not and in an effect", "(not (free))", "(not (and (free)))",
           14, 47, "'and' under 'not' in an effect"),
    Broken("quantifier without variables", "(?b - box)", "()", 13, 42, "an empty list of variables"),
    Broken("undeclared function", "(increase (total-cost) 1)", "(increase (total-cost) (wait ?r))",
           10, 89, "undeclared function 'wait'"),
    Broken("negative cost", "(total-cost) 1)", "(total-cost) -1)", 10, 88, "a negative cost"),
    Broken("two costs", "(total-cost) 1)", "(total-cost) 1) (increase (total-cost) 2)",
           10, 91, "a second cost of one action"),
]  # fmt: skip

PROBLEMS = [
    Broken("empty clause", "(free)", "(or)",
           4, 41, "'or' has no operands; expected one or more alternatives", "problem"),
    Broken("empty alternative", "(free)", "(oneof (free) (and))",
           4, 55, "an empty alternative under 'oneof'", "problem"),
    Broken("unknown object in init", "(at apple kitchen)", "(at aple kitchen)",
           4, 26, "expected a declared object or constant (did you mean 'apple'?)", "problem"),
    Broken("variable in init", "(at apple kitchen)", "(at ?x kitchen)",
           4, 26, "unknown variable '?x'; expected no variable here", "problem"),
    Broken("wrong type in init", "(at apple kitchen)", "(at kitchen apple)",
           4, 26, "'kitchen' is of type room; expected type item", "problem"),
    Broken("undeclared in init", "(free)", "(full)", 4, 42, "undeclared predicate 'full'", "problem"),
    Broken("both true and false", "(free)", "(free) (not (free))",
           4, 48, "this fact is true on line 4 and false here", "problem"),
    Broken("value of a word", "(= (total-cost) 0)", "(= free 0)",
           4, 51, "'free' where a function belongs", "problem"),
    Broken("value no number", "(total-cost) 0", "(total-cost) none",
           4, 64, "no number as a function's value", "problem"),
    Broken("value twice", "(= (weight apple) 2)", "(= (total-cost) 3)",
           4, 67, "a second value of the same function", "problem"),
    Broken("goal predicate", "(and (at apple hall))", "(and (att apple hall))",
           5, 16, "'att'; expected a declared predicate (did you mean 'at'?)", "problem"),
    Broken("goal arity", "(at apple hall)", "(at apple)",
           5, 15, "'at' has 1 argument; expected 2", "problem"),
    Broken("chance of no effect", "(not (free))", "(oneof)",
           14, 42, "'oneof' without effects; expected two or more effects"),
    Broken("metric direction", "minimize", "minimise", 6, 12, "no direction of the metric", "problem"),
]  # fmt: skip

UNSUPPORTED = [
    Broken("axiom", "(:constants hall - room)", "(:axiom :vars (?b) :context (open ?b) :implies (free))",
           4, 4, "expected a task without them; a rule, (:derived (p ?x) condition), says the same"),
    Broken("durative", "(:constants hall - room)", "(:durative-action go)",
           4, 4, "durative actions are not supported; expected a task without them; unified-planning itself can: "
                 "pip install up-tamer, then up oneshot-planning --engine tamer --pddl DOMAIN PROBLEM"),
    Broken("process", "(:constants hall - room)", "(:process go)",
           4, 4, "expected a task without them; ENHSP can, which up-enhsp brings: java -jar"),
    Broken("hierarchy", "(:constants hall - room)", "(:task go :parameters ())", 4, 4,
           "hierarchical tasks are not supported; expected a task without them; unified-planning itself can: pip "
           "install up-aries, then up oneshot-planning --engine aries"),
    Broken("PO-PDDL's domain", "(:constants hall - room)", "(:observables (camera))", 4, 4,
           "PO-PDDL's ':observables' is not supported; expected a task without them; cplan data import-po-pddl writes"),
    Broken("PO-PDDL's rule", "(:constants hall - room)", "(:observation)", 4, 4, "; cplan data import-po-pddl writes"),
    Broken("PO-PDDL's problem", "(:metric", "(:init-belief) (:metric", 6, 4, "cplan data import-po-pddl", "problem"),
    Broken("event", "(:constants hall - room)", "(:event go)", 4, 4, "them; no planner that cplan knows of reads them"),
    Broken("observe", ":precondition (not", ":observe (or (free)) :precondition (not",
           9, 14, "'or' under ':observe' is not supported"),
    Broken("sensing model", ":precondition (not", ":sensing-model (free) :precondition (not",
           9, 5, "sensing models of actions are not"),
    Broken("object fluent", "(weight ?i - item) - number", "(home ?i - item) - room",
           6, 56, "functions to objects are not supported; expected 'number'; a predicate, such as (at"),
    Broken("numeric condition", "(not (here ?r))", "(> (total-cost) 3)",
           9, 20, "numeric fluents ('>') are not supported; expected a condition without numbers; unified-planning "
                  "itself can: pip install up-enhsp, then up oneshot-planning --engine enhsp --pddl DOMAIN PROBLEM"),
    Broken("numeric equality", "(not (here ?r))", "(= (total-cost) 3)",
           9, 22, "expected a variable or an object; unified-planning itself can: pip install up-enhsp"),
    Broken("decrease", "(increase (total-cost) 1)", "(decrease (total-cost) 1)",
           10, 65, "expected '(increase (total-cost) …)'; unified-planning itself can: pip install up-enhsp"),
    Broken("fluents", "(when (free) (not (free)))", "(increase (weight ?i) 1)",
           14, 39, "expected '(total-cost)'; unified-planning itself can: pip install up-enhsp"),
    Broken("conditional cost", "(not (free)))", "(increase (total-cost) 1))",
           14, 42, "conditional action costs are not"),
    Broken("arithmetic", "(total-cost) 1)", "(total-cost) (+ 1 2))",
           10, 88, "arithmetic in costs is not supported"),
    Broken("preference", "(and (at apple hall))", "(preference p (free))",
           5, 11, "preferences are not supported; expected a task without them; no planner that", "problem"),
    Broken("trajectory", "(and (at apple hall))", "(sometime (free))",
           5, 11, "trajectory constraints ('sometime') are", "problem"),
    Broken("timed literal", "(free)", "(at 5 (free))",
           4, 41, "them; unified-planning itself can: pip install up-tamer", "problem"),
    Broken("formula in init", "(free)", "(imply (free) (free))",
           4, 41, "formulas ('imply') in ':init' are not supported", "problem"),
    Broken("chance in init", "(free)", "(probabilistic 0.5 (free))",
           4, 41, "formulas ('probabilistic') in ':init' are not supported", "problem"),
    Broken("formula in a clause", "(free)", "(or (free) (oneof (free) (free)))",
           4, 52, "'oneof' under 'or' is not supported; expected literals, or 'and' of literals", "problem"),
    Broken("unknown literal", "(free)", "(unknown (not (free)))", 4, 50, "'not' under 'unknown' is not", "problem"),
    Broken("maximize", "minimize", "maximize",
           6, 12, "expected 'minimize (total-cost)'; without the metric, any plan will do", "problem"),
    Broken("total-time", "(total-cost)))", "(total-time)))",
           6, 21, "metrics other than total-cost are not", "problem"),
    Broken("type of several parents", "box - item", "box - (either item room)",
           3, 44, "types with several parents are not"),
]  # fmt: skip



def constraint(name: str, text: str, column: int, message: str, error: type[PddlError] = PddlError) -> Broken:
    """Wrong constraints, in place of the metric: they start at column 3."""
    return Broken(name, "(:metric minimize (total-cost))", text, 6, column, message, "problem", error)


CONSTRAINTS = [
    constraint("no constraint", "(:constraints)", 3, "':constraints' has no constraints; expected one"),
    constraint("two constraints", "(:constraints (always (free)) (always (free)))", 3, "has 2 constraints"),
    constraint("constraint without bracket", "(:constraints free)", 17, "'free' where a constraint belongs"),
    constraint("empty constraint", "(:constraints ())", 17, "'(' where a constraint belongs"),
    constraint("bare condition", "(:constraints (free))", 18, "'free' where a constraint belongs"),
    constraint("not above always", "(:constraints (not (always (free))))", 18, "'not' where a constraint"),
    constraint("misspelt", "(:constraints (allways (free)))", 18, "(did you mean 'always'?)"),
    constraint("always of nothing", "(:constraints (and (always)))", 22, "'always' has no operands"),
    constraint("always of two", "(:constraints (always (free) (free)))", 17, "'always' has 2 operands"),
    constraint("constraint predicate", "(:constraints (always (not (fre))))", 31, "undeclared predicate 'fre'"),
    constraint("constraint type", "(:constraints (always (here apple)))", 31, "'apple' is of type item"),
    constraint("constraint variable", "(:constraints (always (here ?r)))", 31, "variable '?r'"),
    constraint("constraint arity", "(:constraints (always (and (free) (at apple))))", 37, "'at' has 1 argument"),
    constraint("at without end", "(:constraints (at apple hall))", 17, "expected '(at end …)'"),
    constraint("at end of nothing", "(:constraints (at end))", 17, "'at end' has no operands; expected one condition"),
    constraint("after of one", "(:constraints (sometime-after (free)))", 17, "has 1 operand; expected two conditions"),
    constraint("forall of nothing", "(:constraints (forall () (always (free))))", 25, "an empty list of variables"),
    constraint("forall of a condition", "(:constraints (forall (?r - room) (here ?r)))", 38,
               "where a constraint belongs"),
    constraint("outside of its forall", "(:constraints (and (forall (?r - room) (always (free))) (always (here ?r))))",
               73, "variable '?r'"),
    constraint("constraints twice", "(:constraints (and)) (:constraints (and))", 25, "':constraints' again"),
    Broken("constraint in the domain", "(:functions", "(:constraints (always (here apple)))\n(:functions",
           6, 31, "'apple' is of type item"),
    *(
        constraint(name, f"(:constraints (and (always (free)) {text}))", 39, message, UnsupportedFeature)
        for name, text, message in [
            ("within", "(within 5 (free))", "trajectory constraints ('within') are"),
            ("hold after", "(hold-after 5 (free))", "trajectory constraints ('hold-after') are"),
            ("hold during", "(hold-during 5 9 (free))", "trajectory constraints ('hold-during') are"),
            ("always within", "(always-within 5 (free) (free))", "trajectory constraints ('always-within') are"),
            ("preferred", "(preference p (always (free)))", "preferences are not supported"),
        ]
    ),
    constraint("nested always", "(:constraints (always (or (always (free)))))", 30,
               "trajectory constraints ('always') are", UnsupportedFeature),
]  # fmt: skip

TABLE = [
    *SYNTAX,
    *FRAME,
    *DECLARATIONS,
    *ACTIONS,
    *PROBLEMS,
    *CONSTRAINTS,
    *(replace(broken, error=UnsupportedFeature) for broken in UNSUPPORTED),
]


def write_broken(broken: Broken, folder: Path) -> tuple[Path, Path]:
    """Write the two files, one of them broken; give the domain file and the problem file."""
    texts = {"domain": DOMAIN, "problem": PROBLEM}
    if broken.old:
        assert texts[broken.where].count(broken.old) == 1, "the text to replace must be there once"
        texts[broken.where] = texts[broken.where].replace(broken.old, broken.new)
    else:
        texts[broken.where] = broken.new
    for name, text in texts.items():
        (folder / f"{name}.pddl").write_text(text, encoding="utf-8")
    return folder / "domain.pddl", folder / "problem.pddl"


def test_the_table_starts_from_a_right_task(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    assert read_problem(tmp_path / "domain.pddl", tmp_path / "problem.pddl").total_cost


@pytest.mark.parametrize("broken", TABLE, ids=lambda broken: broken.name)
def test_error_is_located(broken: Broken, tmp_path: Path) -> None:
    domain, problem = write_broken(broken, tmp_path)
    with pytest.raises(PddlError) as caught:
        read_problem(domain, problem)
    error = caught.value
    message = str(error).split(": ", 1)[1].split("\n")[0]
    assert (message, error.place.line, error.place.column) == broken.located()
    assert type(error) is broken.error
    assert error.place.path == tmp_path / f"{broken.where}.pddl"
    assert error.exit_code == EXIT_INPUT


def test_caret_stands_under_the_place(tmp_path: Path) -> None:
    broken = next(broken for broken in TABLE if broken.name == "goal predicate")
    with pytest.raises(PddlError) as caught:
        read_problem(*write_broken(broken, tmp_path))
    _, source, caret = str(caught.value).split("\n")
    assert source[caret.index("^") :].startswith("att apple")


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.mkdir(), "is a directory"),
        (lambda path: path.write_bytes(b"(define\n (:types caf\xe9))"), ":2:13: byte 0xe9 is not UTF-8"),
        (lambda path: path.write_bytes(bytes(range(255, -1, -1)) * 10), ":1:1: byte 0xff is not UTF-8"),
        (lambda path: path.write_bytes(b"\xff\xfe("), ":1:1: byte 0xff is not UTF-8"),
    ],
    ids=["missing", "directory", "latin-1", "binary", "utf-16"],
)
def test_file_that_is_no_text(write: object, message: str, tmp_path: Path) -> None:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    problem.write_text(PROBLEM)
    assert callable(write)
    write(domain)
    with pytest.raises(InputError, match=message) as caught:
        read_problem(domain, problem)
    assert caught.value.exit_code == EXIT_INPUT


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(" * 17_000_000, "is larger than 16 MB"),
        ("(" * 5_000_000, ":1:2: unexpected '\\(' at the start"),
        ("(define " + "(" * 5_000_000, "nested more than 100 deep"),
        ("()" * 2_000_000, ":1:1: unexpected '\\(\\)' at the start"),
        ("(define (domain x) " + "(a)" * 100_000, "more than 100000 words and brackets"),
        ("(define (domain x) " + "a " * 150_000, "more than 100000 words and brackets"),
        ("(define (domain x) (:types " + "a" * 5_000_000, "never closed"),
    ],
    ids=["17 MB", "brackets", "define brackets", "pairs", "define pairs", "words", "one word"],
)
def test_large_garbage_fails_soon(text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "MAX_TOKENS", 100_000)
    domain = tmp_path / "domain.pddl"
    domain.write_text(text)
    start = time.process_time()
    with pytest.raises(InputError, match=message) as caught:
        read_problem(domain, domain)
    assert time.process_time() - start < 20
    assert len(str(caught.value)) < 1000
