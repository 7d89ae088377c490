"""What deviates from PDDL but is clear gives a warning, is an error under --strict, and is corrected for others."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from commonsense_planning import PddlError, Plan, Problem, Step, Verdict, read_problem
from commonsense_planning.pddl.check import check_domain
from commonsense_planning.pddl.reader import problem_of
from commonsense_planning.pddl.syntax import parse, read_source
from commonsense_planning.validation.val import MENDED, validate_with_val
from tests.data import write_task

DOMAIN = """\
(define (domain moving)
  (:requirements :strips :typing :equality)
  (:types room box - thing)
  (:constants hall - room)
  (:predicates (in ?b - box ?r - room) (seen ?b - box))
  (:action move
    :parameters (?b - box ?from - room ?to - room)
    :precondition (and (in ?b ?from) (not (= ?from ?to)))
    :effect (and (in ?b ?to) (not (in ?b ?from)) (seen ?b))))
"""
PROBLEM = """\
(define (problem one)
  (:domain moving)
  (:objects crate - box cellar - room)
  (:init (in crate cellar))
  (:goal (in crate hall)))
"""
DECLARED = DOMAIN.replace("box - thing)", "box - thing thing)")


@dataclass(frozen=True)
class Tolerated:
    """A change to one of the two files, and the warning that it must give; ``mended``: whether it is corrected."""

    name: str
    old: str
    new: str
    line: int
    column: int
    problem: str
    taken: str
    where: str = "domain"
    mended: bool = True


TABLE = [
    Tolerated("parent type", "thing thing", "thing", 3, 22, "undeclared type 'thing'", "as a type without a parent"),
    Tolerated("parent type like another", "room box - thing", "room - tool box - thing tool rook - rooms",
              3, 47, "undeclared type 'rooms' (did you mean 'room'?)", "as a type without a parent"),
    Tolerated("type again", "room box - thing", "room box room - thing",
              3, 20, "type 'room' again, as on line 3", "as one", mended=False),
    Tolerated("type of a predicate", "(seen ?b - box)", "(seen ?b - box) (lit ?l - lamp)",
              5, 66, "undeclared type 'lamp'", "as a type without a parent"),
    Tolerated("type of an object", "cellar - room", "cellar - room x - alien",
              3, 43, "undeclared type 'alien'", "as a type without a parent", "problem"),
    Tolerated("dash in predicate", "?b - box ?r", "?b -box ?r", 5, 23, "no blank within '-box'", "as '- box'"),
    Tolerated("dash in parameters", "?to - room", "?to -room", 7, 44, "no blank within '-room'", "as '- room'"),
    Tolerated("dash in types", "box - thing", "box -thing", 3, 20, "no blank within '-thing'", "as '- thing'"),
    Tolerated("dash in objects", "crate - box", "crate -box", 3, 19, "no blank within '-box'", "as '- box'", "problem"),
    Tolerated("before a variable", "(in ?b ?to)", "(in?b?to)", 9, 19, "no blank within 'in?b?to'", "as 'in ?b ?to'"),
    Tolerated("unknown requirement", ":strips", ":strps", 2, 18,
              "unknown requirement ':strps' (did you mean ':strips'?)",
              "as if it were not there"),
    Tolerated("requirement without colon", ":strips", "strips", 2, 18,
              "unknown requirement 'strips' (did you mean ':strips'?)",
              "as if it were not there"),
    Tolerated("undeclared requirement", " :equality", "", 2, 3,
              "used, but not declared as required: :equality", "as declared", mended=False),
    Tolerated("no requirements", "(:requirements :strips :typing :equality)", "", 1, 1,
              "used, but not declared as required: :typing :equality", "as declared", mended=False),
    Tolerated("requirement of the goal", "(:goal (in crate hall))", "(:goal (not (in crate cellar)))", 1, 1,
              "used, but not declared as required: :negative-preconditions", "as declared", "problem", mended=False),
    Tolerated("another domain", "(:domain moving)", "(:domain movie)", 2, 12,
              "this file is for the domain 'movie'", "for 'moving'", "problem"),
    Tolerated("predicate again", "(seen ?b - box)", "(seen ?b - box) (seen ?c - box)", 5, 57,
              "predicate 'seen' again, as on line 5", "as one"),
    Tolerated("empty goal", "(:goal (in crate hall))", "(:goal ())", 5, 10, "'()' where a condition belongs",
              "as '(and)', which always holds", "problem"),
    Tolerated("effect on no condition", "(seen ?b)))", "(when () (seen ?b))))", 9, 56,
              "'()' where a condition belongs", "as '(and)', which always holds"),
    Tolerated("effect of nothing", "(seen ?b)))", "(forall (?x - box) ())))", 9, 69,
              "'()' where an effect belongs", "as '(and)', which changes nothing"),
    Tolerated("condition in a condition", "(not (= ?from ?to)))", "(not (= ?from ?to)) ())", 8, 58,
              "'()' where a condition belongs", "as '(and)', which always holds"),
    Tolerated("metric without brackets", "(:goal", "(:metric minimize total-cost)\n(:goal", 5, 21,
              "'total-cost' without brackets", "as '(total-cost)'", "problem"),
    Tolerated("comma after a type", "?from - room ?to", "?from - room, ?to", 7, 35, "a comma in 'room,'", "as a blank"),
    Tolerated("comma alone", "(in ?b ?to)", "(in ?b , ?to)", 9, 25, "a comma in ','", "as a blank"),
    Tolerated("commas without blanks", "(in ?b ?to)", "(in ?b,,?to)", 9, 22, "a comma in '?b,,?to'", "as a blank"),
    Tolerated("comma between objects", "crate - box cellar - room", "crate - box, cellar - room", 3, 21,
              "a comma in 'box,'", "as a blank", "problem"),
    Tolerated("other type in an effect", "(seen ?b)))", "(seen ?to)))", 9, 56, "'?to' is of type room",
              "as if declared (seen ?b - thing)"),
    Tolerated("other type in init", "(in crate cellar)", "(in crate cellar) (seen cellar)", 4, 34,
              "'cellar' is of type room", "as if declared (seen ?b - thing)", "problem"),
    Tolerated("two other types in init", "(in crate cellar)", "(in crate cellar) (in cellar cellar)", 4, 32,
              "'cellar' is of type room", "as if declared (in ?b - thing ?r - room)", "problem"),
    Tolerated("and in init", "(in crate cellar)", "(and (in crate cellar))", 4, 10, "'and' in ':init'", "as its facts",
              "problem"),
    Tolerated("object of the problem", "(seen ?b)", "(seen crate)", 9, 56,
              "'crate' is not among the domain's constants", "as the problem's object"),
]  # fmt: skip


def written(folder: Path, domain: str = DECLARED, problem: str = PROBLEM) -> tuple[Path, Path]:
    return write_task(folder, domain, problem)


def words(problem: Problem) -> list[list[str]]:
    """The task in normal form; what is declared in another place may stand in another order."""
    return [sorted(text.split()) for text in problem.normal_text or ()]


def test_what_is_right_gives_no_warning(tmp_path: Path) -> None:
    read = read_problem(*written(tmp_path), strict=True)
    assert read.warnings == () and not read.mended
    with read.plain_files() as files:
        assert [file.read_bytes() for file in files] == [(tmp_path / file.name).read_bytes() for file in files]


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.name)
def test_it_gives_a_warning_or_an_error_and_is_corrected(case: Tolerated, tmp_path: Path) -> None:
    domain, problem = DECLARED, PROBLEM
    if case.name == "metric without brackets":
        domain = domain.replace("(:action", "(:functions (total-cost) - number) (:action")
    if "()" in case.new and case.where == "domain":
        domain = domain.replace(":equality", ":equality :adl")
    assert case.old in (domain if case.where == "domain" else problem)
    if case.where == "domain":
        domain = domain.replace(case.old, case.new, 1)
    else:
        problem = problem.replace(case.old, case.new, 1)
    files = written(tmp_path, domain, problem)
    read = read_problem(*files)
    told = [(w.place.path.stem, w.place.line, w.place.column, w.problem, w.taken) for w in read.warnings]
    assert told == [(case.where, case.line, case.column, case.problem, case.taken)]
    assert read.mended == case.mended
    with pytest.raises(PddlError) as caught:
        read_problem(*files, strict=True)
    assert (caught.value.place, caught.value.problem) == (read.warnings[0].place, case.problem)
    assert caught.value.expected
    if case.mended:
        with read.plain_files() as others:
            again = read_problem(*others, strict=True)
        assert words(again) == words(read)


def test_one_way_of_several_may_be_of_another_type(tmp_path: Path) -> None:
    """As in ALFWorld's domain: what no object can be is false, and the other way is left."""
    domain = DECLARED.replace(":equality)", ":equality :disjunctive-preconditions)")
    files = written(tmp_path, domain.replace("(and (in ?b ?from)", "(and (or (seen hall) (in ?b ?from))"))
    (warning,) = read_problem(*files).warnings
    assert (warning.place.column, warning.taken) == (34, "as if declared (seen ?b - thing)")
    with pytest.raises(PddlError, match="8:30: 'hall' is of type room"):
        read_problem(*written(tmp_path, domain.replace("(and (in ?b ?from)", "(and (seen hall) (in ?b ?from)")))


def test_of_one_predicate_it_is_said_once(tmp_path: Path) -> None:
    domain = DECLARED.replace("(seen ?b)))", "(seen ?from) (seen ?to)))")
    read = read_problem(*written(tmp_path, domain, PROBLEM.replace("(in crate cellar))", "(seen cellar))", 1)))
    assert [warning.place.column for warning in read.warnings] == [56]


def test_a_domain_is_as_it_was_for_the_next_problem(tmp_path: Path) -> None:
    files = written(tmp_path, DECLARED, PROBLEM.replace("(in crate cellar)", "(in crate cellar) (seen cellar)"))
    domain = check_domain(read_source(files[0]))
    assert len(problem_of(domain, read_source(files[1])).warnings) == 1
    with pytest.raises(PddlError, match="'hall' is of type room"):
        problem_of(domain, parse(PROBLEM.replace("(in crate hall)", "(seen hall)")))


def test_several_things_are_corrected_in_one_task(tmp_path: Path) -> None:
    domain = DECLARED.replace("(seen ?b)", "(seen crate)").replace("hall - room", "hall -room")
    problem = PROBLEM.replace("cellar - room", "cellar -room yard - room")
    read = read_problem(*written(tmp_path, domain, problem))
    assert len(read.warnings) == 3
    with read.plain_files() as files:
        again = read_problem(*files, strict=True)
        assert files[1].read_text().count("(:objects cellar - room yard - room)") == 1
    assert again.normal_text is not None and "crate - box" in again.normal_text[0]


def test_a_warning_has_the_form_of_an_error(tmp_path: Path) -> None:
    (warning,) = read_problem(*written(tmp_path, DOMAIN)).warnings
    assert str(warning) == (
        f"{tmp_path}/domain.pddl:3:22: warning: undeclared type 'thing'; taken as a type without a parent\n"
        "      (:types room box - thing)\n"
        "                         ^"
    )


def test_costs_that_are_not_declared(tmp_path: Path) -> None:
    domain = DECLARED.replace("(seen ?b)))", "(seen ?b) (increase (total-cost) 3)))")
    problem = PROBLEM.replace("(:goal", "(:metric minimize (total-cost)) (:goal")
    read = read_problem(*written(tmp_path, domain, problem))
    assert [w.problem for w in read.warnings] == [
        "used, but not declared as required: :action-costs",
        "undeclared function 'total-cost'",
    ]
    with read.plain_files() as files:
        again = read_problem(*files)
    assert words(again) == words(read) and len(again.warnings) == 1


def test_bytes_of_another_code_in_a_comment(tmp_path: Path) -> None:
    domain, problem = written(tmp_path)
    problem.write_bytes(b"; caf\xe9\n" + PROBLEM.encode() + b"; \xe9\xe9")
    read = read_problem(domain, problem)
    assert [(w.place.line, w.place.column, w.problem) for w in read.warnings] == [
        (1, 6, "byte 0xe9 is not UTF-8, in a comment")
    ]
    with read.plain_files() as files:
        assert words(read_problem(*files, strict=True)) == words(read)
    problem.write_bytes(PROBLEM.encode().replace(b"crate", b"cr\xe9te"))
    with pytest.raises(PddlError, match=":3:15: byte 0xe9 is not UTF-8; expected text in UTF-8"):
        read_problem(domain, problem)


@pytest.mark.parametrize(("old", "new", "error"), [
    ("(seen ?b - box)", "(seen ?b - boxx)", "undeclared type 'boxx'"),
    ("(seen ?b)))", "(saw ?b)))", "undeclared predicate 'saw'"),
    ("?from - room ?to - room", "?to - room ?to - room", "variable '\\?to' twice"),
    ("?b - box ?from", "?b - thing ?from", "'\\?b' is of type thing"),
    ("(in ?b ?to)", "(in ?to ?b)", "'\\?to' is of type room"),
    ("?to - room", "?to - attic", "undeclared type 'attic'"),
    ("(seen ?b - box)", "(seen ?b - box) (seen ?r - room)", "predicate 'seen' again"),
    ("(:types room box - thing thing)", "", "undeclared type 'room'"),
])  # fmt: skip
def test_what_may_mean_two_things_is_an_error(old: str, new: str, error: str, tmp_path: Path) -> None:
    assert old in DECLARED
    with pytest.raises(PddlError, match=error):
        read_problem(*written(tmp_path, DECLARED.replace(old, new, 1)))


def test_an_error_comes_with_the_warnings_before_it(tmp_path: Path) -> None:
    problem = PROBLEM.replace("(:domain moving)", "(:domain movie)").replace("(in crate hall)", "(on crate hall)")
    with pytest.raises(PddlError) as caught:
        read_problem(*written(tmp_path, problem=problem))
    assert [w.problem for w in caught.value.warnings] == ["this file is for the domain 'movie'"]
    first, *_, last = [line for line in caught.value.line.splitlines() if "problem.pddl" in line]
    assert "warning: this file" in first and "undeclared predicate 'on'" in last


def test_upper_case_is_no_matter(tmp_path: Path) -> None:
    keep = "crate", "cellar"
    domain, problem = DECLARED.upper(), PROBLEM.upper()
    read = read_problem(*written(tmp_path, domain, problem), strict=True)
    assert {c.symbol for c in read.tarski.language.constants()} >= set(keep)


def test_val_gets_files_that_it_can_read(tmp_path: Path) -> None:
    domain = DOMAIN.replace("?to - room", "?to -room")
    problem = PROBLEM.replace("cellar - room", "cellar - room x - alien")
    read = read_problem(*written(tmp_path, domain, problem))
    report = validate_with_val(read, Plan((Step("move", ("crate", "cellar", "hall")),)))
    assert (report.verdict, report.reason) == (Verdict.VALID, MENDED)
    wrong = validate_with_val(read, Plan((Step("move", ("crate", "hall", "cellar")),)))
    assert wrong.verdict is Verdict.INVALID and wrong.reason.endswith(MENDED)


def test_val_gets_types_below_object(tmp_path: Path) -> None:
    """Where a domain declares 'object' as well as other types, VAL takes it for one that no room is of."""
    domain = DOMAIN.replace("room box - thing", "object room box").replace("(seen ?b)))", "(seen ?to)))")
    read = read_problem(*written(tmp_path, domain))
    report = validate_with_val(read, Plan((Step("move", ("crate", "cellar", "hall")),)))
    assert (report.verdict, report.reason) == (Verdict.VALID, MENDED)
