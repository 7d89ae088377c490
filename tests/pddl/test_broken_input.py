"""Broken files: each gives one located error that says what is wrong, and exit code 2."""

import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from commonsense_planning.errors import EXIT_INPUT, InputError, PddlError, UnsupportedFeature
from commonsense_planning.pddl import syntax
from commonsense_planning.pddl.reader import read_problem
from tests.data import write_task

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


METRIC = "(:metric minimize (total-cost))"  # in place of which wrong constraints come
# what is replaced, all if empty; by what; line and column of the error; what it says
BROKEN_DOMAINS = [
    ("", "", 1, 1, "nothing to read; expected '(define …)'"),
    ("", "; nothing\n", 1, 1, "nothing to read"),
    ("", "hello world", 1, 1, "unexpected 'hello' at the start; expected '(define …)'"),
    ("", "(defin (domain x))", 1, 2, "unexpected 'defin' at the start"),
    ("", ") (define)", 1, 1, "unexpected ')' at the start"),
    ("", "(define)", 1, 1, "no name follows 'define'; expected '(domain name)'"),
    ("(domain moving)", "(domain moving on)", 1, 9, "'domain' has 2 names"),
    ("(free) (not (free))))))", "(free) (not (free)))))", 1, 1, "never closed"),
    ("(free) (open ?b - box))", "(free (open ?b - box))", 5, 3, "this '(' is never closed"),
    ("(increase (total-cost) 1)))", "(increase (total-cost) 1))", 7, 3, "never closed"),
    ("(not (free))))))", "(not (free)))))))", 14, 58, "')' without a '('"),
    ("(:constants hall - room)", "(:constants hall - room))", 4, 27, "but '(' follows on line 5"),
    ("(not (here ?r))", "(not " * 200, 9, 509, "nested more than 100 deep"),
    ("", PROBLEM, 1, 9, "the file defines a 'problem'; expected '(domain name)'"),
    (":constants", ":constant", 4, 4, "unknown section ':constant'"),
    (":constants", ":constant", 4, 4, "(did you mean ':constants'?)"),
    ("(:constants hall - room)", "(:types a)", 4, 4, "':types' again; it is already on line 3"),
    ("(:constants hall - room)", "hall", 4, 3, "'hall' where a section belongs"),
    ("(:constants hall - room)", "(:init (free))", 4, 4, "':init' does not belong here"),
    ("item - object box - item", "item - box box - item", 3, 16, "'item' is its own ancestor: item - box - item"),
    ("box - item", "box - item box - room", 3, 41, "type 'box' again, with the parent 'room'"),
    ("box - item", "box -", 3, 34, "'-' without a type after it"),
    ("(here ?r - room)", "(here ?r - rom)", 5, 52,
     "undeclared type 'rom'; expected a declared type (did you mean 'room'?)"),
    ("(free) (open ?b", "(free) (Here ?x) (open ?b", 5, 66, "predicate 'Here' again; it is already on line 5"),
    ("(free) (open ?b", "free (open ?b", 5, 58, "'free' where a predicate belongs"),
    ("(free) (open ?b", "(not) (open ?b", 5, 59, "'not' cannot name a predicate"),
    ("(free) (open ?b", "(12) (open ?b", 5, 59, "'12' cannot name a predicate"),
    ("(here ?r - room)", "(here r - room)", 5, 47, "'r' is no variable; expected a variable such as '?r'"),
    ("hall - room", "hall hall - room", 4, 20, "object 'hall' again"),
    ("hall - room", "hall - rooom", 4, 22, "undeclared type 'rooom'"),
    ("(:action drop", "(:action GO", 11, 12, "action 'GO' again; it is already on line 7"),
    (":precondition (not", ":precondtion (not", 9, 5, "unknown keyword ':precondtion'"),
    (":precondition (not", ":precondtion (not", 9, 5, "(did you mean ':precondition'?)"),
    (":precondition (not", ":parameters () :precondition (not", 9, 5, "':parameters' twice in one action"),
    (":precondition (not", "(not", 9, 5, "a bracket where a keyword of the action belongs"),
    ("(?r - room)\n    :prec", "(?r ?R - room)\n    :prec", 8, 21, "variable '?R' twice in one list"),
    (":precondition (not", ":observe (freee) :precondition (not", 9, 15, "undeclared predicate 'freee'"),
    ("(not (here ?r))", "(not (here ?room))", 9, 30, "unknown variable '?room'; expected ?r"),
    ("(not (here ?r))", "(not (her ?r))", 9, 25,
     "undeclared predicate 'her'; expected a declared predicate (did you mean 'here'?)"),
    ("(and (here ?r) (exists", "(adn (here ?r) (exists", 13, 20, "(did you mean 'and'?)"),
    ("(not (here ?r))", "(not (here ?r ?r))", 9, 24, "'here' has 2 arguments; expected 1: (here ?r - room)"),
    ("(not (here ?r))", "(not (here))", 9, 24, "'here' has no arguments; expected 1"),
    ("(and (here ?r) (exists", "(and (at ?r ?r) (exists", 13, 28,
     "'?r' is of type room; expected type item as in (at ?i - item ?r - room)"),
    ("(open ?b)))", "(open ?i)))", 13, 59, "'?i' is of type item; expected type box"),
    ("(not (here ?r))", "(not (here hal))", 9, 30,
     "unknown object 'hal'; expected a declared object or constant (did you mean 'hall'?)"),
    ("(not (here ?r))", "(not (here r))", 9, 30, "(did you mean '?r'?)"),
    ("(not (here ?r))", "(not (here (free)))", 9, 30, "a bracket where a variable or an object belongs"),
    ("(not (here ?r))", "(not free)", 9, 24, "'free' where a condition belongs; expected a condition in brackets (did"),
    ("(not (here ?r))", "(not (free) (free))", 9, 19, "'not' has 2 operands; expected one condition"),
    ("(not (here ?r))", "(= ?r)", 9, 19, "'=' has 1 operand; expected two terms"),
    ("(not (here ?r))", "(when (free) (free))", 9, 20, "'when' where an atom belongs"),
    ("(and (at ?i ?r) (when", "(or (at ?i ?r) (when", 14, 13, "'or' in an effect"),
    ("(not (free))", "(not (and (free)))", 14, 47, "'and' under 'not' in an effect"),
    ("(?b - box)", "()", 13, 42, "an empty list of variables"),
    ("(increase (total-cost) 1)", "(increase (total-cost) (wait ?r))", 10, 89, "undeclared function 'wait'"),
    ("(total-cost) 1)", "(total-cost) -1)", 10, 88, "a negative cost"),
    ("(not (free))", "(oneof)", 14, 42, "'oneof' without effects; expected two or more effects"),
    ("(:functions", "(:constraints (always (here apple)))\n(:functions", 6, 31, "'apple' is of type item"),
]  # fmt: skip
BROKEN_PROBLEMS = [
    ("(free) (= (total-cost)", "(free (= (total-cost)", 4, 3, "never closed"),
    ("", DOMAIN, 1, 9, "file defines a 'domain'; expected '(problem"),
    ("(:domain moving)", "", 1, 1, "no ':domain' section; expected '(:domain moving)'"),
    ("(:goal (and (at apple hall)))", "", 1, 1, "no ':goal' section"),
    ("(:init (here hall) (at apple kitchen) (free) (= (total-cost) 0) (= (weight apple) 2))", "", 1, 1,
     "no ':init' section"),
    ("(:goal (and", "(:goal (free) (and", 5, 3, "':goal' has 2 conditions"),
    ("kitchen - room", "kitchen kitchen - room", 3, 21, "object 'kitchen' again; it is already on line 3"),
    ("crate - box", "crate - box crate - room", 3, 53, "object 'crate' again"),
    ("kitchen - room", "hall - box", 3, 13, "is also a constant of the domain"),
    ("kitchen - room", "kitchen - roam", 3, 23, "undeclared type 'roam'"),
    ("(free)", "(or)", 4, 41, "'or' has no operands; expected one or more alternatives"),
    ("(free)", "(oneof (free) (and))", 4, 55, "an empty alternative under 'oneof'"),
    ("(at apple kitchen)", "(at aple kitchen)", 4, 26,
     "expected a declared object or constant (did you mean 'apple'?)"),
    ("(at apple kitchen)", "(at ?x kitchen)", 4, 26, "unknown variable '?x'; expected no variable here"),
    ("(at apple kitchen)", "(at kitchen apple)", 4, 26, "'kitchen' is of type room; expected type item"),
    ("(free)", "(full)", 4, 42, "undeclared predicate 'full'"),
    ("(free)", "(free) (not (free))", 4, 48, "this fact is true on line 4 and false here"),
    ("(= (total-cost) 0)", "(= free 0)", 4, 51, "'free' where a function belongs"),
    ("(total-cost) 0", "(total-cost) none", 4, 64, "no number as a function's value"),
    ("(= (weight apple) 2)", "(= (total-cost) 3)", 4, 67, "a second value of the same function"),
    ("(and (at apple hall))", "(and (att apple hall))", 5, 16,
     "'att'; expected a declared predicate (did you mean 'at'?)"),
    ("(at apple hall)", "(at apple)", 5, 15, "'at' has 1 argument; expected 2"),
    ("minimize", "minimise", 6, 12, "no direction of the metric"),
    (METRIC, "(:constraints)", 6, 3, "':constraints' has no constraints; expected one"),
    (METRIC, "(:constraints (always (free)) (always (free)))", 6, 3, "has 2 constraints"),
    (METRIC, "(:constraints free)", 6, 17, "'free' where a constraint belongs"),
    (METRIC, "(:constraints ())", 6, 17, "'(' where a constraint belongs"),
    (METRIC, "(:constraints (free))", 6, 18, "'free' where a constraint belongs"),
    (METRIC, "(:constraints (not (always (free))))", 6, 18, "'not' where a constraint"),
    (METRIC, "(:constraints (allways (free)))", 6, 18, "(did you mean 'always'?)"),
    (METRIC, "(:constraints (and (always)))", 6, 22, "'always' has no operands"),
    (METRIC, "(:constraints (always (free) (free)))", 6, 17, "'always' has 2 operands"),
    (METRIC, "(:constraints (always (not (fre))))", 6, 31, "undeclared predicate 'fre'"),
    (METRIC, "(:constraints (always (here apple)))", 6, 31, "'apple' is of type item"),
    (METRIC, "(:constraints (always (here ?r)))", 6, 31, "variable '?r'"),
    (METRIC, "(:constraints (always (and (free) (at apple))))", 6, 37, "'at' has 1 argument"),
    (METRIC, "(:constraints (at apple hall))", 6, 17, "expected '(at end …)'"),
    (METRIC, "(:constraints (at end))", 6, 17, "'at end' has no operands; expected one condition"),
    (METRIC, "(:constraints (sometime-after (free)))", 6, 17, "has 1 operand; expected two conditions"),
    (METRIC, "(:constraints (forall () (always (free))))", 6, 25, "an empty list of variables"),
    (METRIC, "(:constraints (forall (?r - room) (here ?r)))", 6, 38, "where a constraint belongs"),
    (METRIC, "(:constraints (and (forall (?r - room) (always (free))) (always (here ?r))))", 6, 73, "variable '?r'"),
    (METRIC, "(:constraints (and)) (:constraints (and))", 6, 25, "':constraints' again"),
]  # fmt: skip
UNSUPPORTED_IN_DOMAINS = [
    ("(:constants hall - room)", "(:axiom :vars (?b) :context (open ?b) :implies (free))", 4, 4,
     "expected a task without them; a rule, (:derived (p ?x) condition), says the same"),
    ("(:constants hall - room)", "(:durative-action go)", 4, 4,
     "durative actions are not supported; expected a task without them; cplan methods DOMAIN PROBLEM names the "
     "planners that have them"),
    ("(:constants hall - room)", "(:process go)", 4, 4,
     "expected a task without them; cplan methods DOMAIN PROBLEM names"),
    ("(:constants hall - room)", "(:task go :parameters ())", 4, 4,
     "hierarchical tasks are not supported; expected a task without them; cplan methods DOMAIN PROBLEM names"),
    ("(:constants hall - room)", "(:observables (camera))", 4, 4,
     "PO-PDDL's ':observables' is not supported; expected a task without them; cplan data import-po-pddl writes"),
    ("(:constants hall - room)", "(:observation)", 4, 4, "; cplan data import-po-pddl writes"),
    ("(:constants hall - room)", "(:event go)", 4, 4, "them; cplan methods DOMAIN PROBLEM names"),
    (":precondition (not", ":observe (or (free)) :precondition (not", 9, 14, "'or' under ':observe' is not supported"),
    (":precondition (not", ":sensing-model (free) :precondition (not", 9, 5, "sensing models of actions are not"),
    ("(weight ?i - item) - number", "(home ?i - item) - room", 6, 56,
     "functions to objects are not supported; expected 'number'; a predicate, such as (at"),
    ("(not (here ?r))", "(> (total-cost) 3)", 9, 20,
     "numeric fluents ('>') are not supported; expected a condition without numbers; cplan methods "
     "DOMAIN PROBLEM names the planners that have them"),
    ("(not (here ?r))", "(= (total-cost) 3)", 9, 22,
     "expected a variable or an object; cplan methods DOMAIN PROBLEM names"),
    ("(increase (total-cost) 1)", "(decrease (total-cost) 1)", 10, 65,
     "expected '(increase (total-cost) …)'; cplan methods DOMAIN PROBLEM names"),
    ("(when (free) (not (free)))", "(increase (weight ?i) 1)", 14, 39,
     "expected '(total-cost)'; cplan methods DOMAIN PROBLEM names"),
    ("(not (free)))", "(increase (total-cost) 1))", 14, 42,
     "'increase' in the effect's 'and'; cplan methods DOMAIN PROBLEM names"),
    ("(total-cost) 1)", "(total-cost) (+ 1 2))", 10, 88,
     "expected a number or a function; cplan methods DOMAIN PROBLEM names"),
    ("(total-cost) 1)", "(total-cost) 1) (increase (total-cost) 2)", 10, 91,
     "expected one '(increase (total-cost) …)'; cplan methods DOMAIN PROBLEM names"),
    ("(:constants hall - room)", "(:durative-action a :effect (when (at start (p)) (at end (q))))", 4, 4,
     "durative actions are not supported; expected a task without them; cplan methods"),
    ("box - item", "box - (either item room)", 3, 44, "types with several parents are not"),
]  # fmt: skip
UNSUPPORTED_IN_PROBLEMS = [
    ("(:metric", "(:init-belief) (:metric", 6, 4, "cplan data import-po-pddl"),
    ("(and (at apple hall))", "(preference p (free))", 5, 11,
     "preferences are not supported; expected a task without them; cplan methods"),
    ("(and (at apple hall))", "(sometime (free))", 5, 11, "trajectory constraints ('sometime') are"),
    ("(free)", "(at 5 (free))", 4, 41, "them; cplan methods DOMAIN PROBLEM names"),
    ("(free)", "(imply (free) (free))", 4, 41, "formulas ('imply') in ':init' are not supported"),
    ("(free)", "(probabilistic 0.5 (free))", 4, 41, "formulas ('probabilistic') in ':init' are not supported"),
    ("(free)", "(or (free) (oneof (free) (free)))", 4, 52,
     "'oneof' under 'or' is not supported; expected literals, or 'and' of literals"),
    ("(free)", "(unknown (not (free)))", 4, 50, "'not' under 'unknown' is not"),
    ("minimize", "maximize", 6, 12, "expected 'minimize (total-cost)'; cplan methods"),
    ("(total-cost)))", "(total-time)))", 6, 21, "metrics other than total-cost are not"),
    (METRIC, "(:constraints (and (always (free)) (within 5 (free))))", 6, 39, "trajectory constraints ('within') are"),
    (METRIC, "(:constraints (and (always (free)) (hold-after 5 (free))))", 6, 39,
     "trajectory constraints ('hold-after') are"),
    (METRIC, "(:constraints (and (always (free)) (hold-during 5 9 (free))))", 6, 39,
     "trajectory constraints ('hold-during') are"),
    (METRIC, "(:constraints (and (always (free)) (always-within 5 (free) (free))))", 6, 39,
     "trajectory constraints ('always-within') are"),
    (METRIC, "(:constraints (and (always (free)) (preference p (always (free)))))", 6, 39,
     "preferences are not supported"),
    (METRIC, "(:constraints (always (or (always (free)))))", 6, 30, "trajectory constraints ('always') are"),
]  # fmt: skip
TABLE = [
    *(Broken(*row) for row in BROKEN_DOMAINS),
    *(Broken(*row, where="problem") for row in BROKEN_PROBLEMS),
    *(Broken(*row, error=UnsupportedFeature) for row in UNSUPPORTED_IN_DOMAINS),
    *(Broken(*row, where="problem", error=UnsupportedFeature) for row in UNSUPPORTED_IN_PROBLEMS),
]  # fmt: skip


def write_broken(broken: Broken, folder: Path) -> tuple[Path, Path]:
    """Write the two files, one of them broken; give the domain file and the problem file."""
    texts = {"domain": DOMAIN, "problem": PROBLEM}
    if broken.old:
        assert texts[broken.where].count(broken.old) == 1, "the text to replace must be there once"
        texts[broken.where] = texts[broken.where].replace(broken.old, broken.new)
    else:
        texts[broken.where] = broken.new
    return write_task(folder, **texts)


def test_the_table_starts_from_a_right_task(tmp_path: Path) -> None:
    assert read_problem(*write_task(tmp_path, DOMAIN, PROBLEM)).total_cost


@pytest.mark.parametrize("broken", TABLE, ids=lambda broken: f"{broken.new[:40]} {broken.message[:40]}")
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


def test_the_caret_is_below_the_place(tmp_path: Path) -> None:
    broken = next(broken for broken in TABLE if "(att apple" in broken.new)
    with pytest.raises(PddlError) as caught:
        read_problem(*write_broken(broken, tmp_path))
    _, source, caret = str(caught.value).split("\n")
    assert source[caret.index("^") :].startswith("att apple")


@pytest.mark.parametrize(("write", "message"), [
    (lambda path: None, "no such file"),
    (lambda path: path.mkdir(), "is a directory"),
    (lambda path: path.write_bytes(b"(define\n (:types caf\xe9))"), ":2:13: byte 0xe9 is not UTF-8"),
    (lambda path: path.write_bytes(bytes(range(255, -1, -1)) * 10), ":1:1: byte 0xff is not UTF-8"),
    (lambda path: path.write_bytes(b"\xff\xfe("), ":1:1: byte 0xff is not UTF-8"),
], ids=["missing", "directory", "latin-1", "binary", "utf-16"])  # fmt: skip
def test_file_that_is_no_text(write: object, message: str, tmp_path: Path) -> None:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    problem.write_text(PROBLEM)
    assert callable(write)
    write(domain)
    with pytest.raises(InputError, match=message) as caught:
        read_problem(domain, problem)
    assert caught.value.exit_code == EXIT_INPUT


@pytest.mark.parametrize(("text", "message"), [
    ("(" * 17_000_000, "is larger than 16 MB"),
    ("(" * 5_000_000, ":1:2: unexpected '\\(' at the start"),
    ("(define " + "(" * 5_000_000, "nested more than 100 deep"),
    ("()" * 2_000_000, ":1:1: unexpected '\\(\\)' at the start"),
    ("(define (domain x) " + "(a)" * 100_000, "more than 100000 words and brackets"),
    ("(define (domain x) " + "a " * 150_000, "more than 100000 words and brackets"),
    ("(define (domain x) (:types " + "a" * 5_000_000, "never closed"),
], ids=["17 MB", "brackets", "define brackets", "pairs", "define pairs", "words", "one word"])  # fmt: skip
def test_large_garbage_fails_soon(text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "MAX_TOKENS", 100_000)
    domain = tmp_path / "domain.pddl"
    domain.write_text(text)
    start = time.process_time()
    with pytest.raises(InputError, match=message) as caught:
        read_problem(domain, domain)
    assert time.process_time() - start < 20
    assert len(str(caught.value)) < 1000


def test_an_error_has_the_attributes_that_the_page_names() -> None:
    with pytest.raises(PddlError) as caught:
        syntax.parse("(define (domain d)\n  (:oops", Path("d.pddl"))
    place = caught.value.place
    assert place.path == Path("d.pddl") and place.line > 0 and place.column > 0
