"""What is tolerated in files is told on stderr, listed in JSON, and an error where that is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run


@pytest.fixture
def loose(tiny: tuple[Path, Path], tmp_path: Path) -> tuple[Path, Path]:
    """The tiny task, whose problem says that it is for another domain."""
    problem = tmp_path / "loose.pddl"
    text = tiny[1].read_text()
    problem.write_text(text.replace("(:domain ", "(:domain no-"))
    assert problem.read_text() != text
    return tiny[0], problem


def test_solve_tells_and_stays_quiet_on_stdout(loose: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("solve", *loose, "--method", "gbfs", "--quiet")
    assert ended.code == 0
    assert ended.err.count("warning: this file is for the domain 'no-") == 1
    assert "warning" not in ended.out


def test_json_lists_them(loose: tuple[Path, Path], cplan: Run) -> None:
    for command in ("check", "ground", "solve"):
        more = ("--method", "gbfs") if command == "solve" else ()
        (warning,) = cplan(command, *loose, *more, "--json").json["warnings"]
        assert (warning["file"], warning["line"]) == (str(loose[1]), 2)
        assert warning["message"].startswith("this file is for the domain") and warning["taken"].startswith("for '")


@pytest.mark.parametrize("command", ["check", "ground", "solve", "methods"])
def test_strictly_it_is_an_error(command: str, loose: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan(command, *loose, "--strict")
    assert ended.code == 2
    assert "this file is for the domain" in ended.err and "warning" not in ended.err


def test_strictly_by_the_environment(
    loose: tuple[Path, Path], cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CPLAN_STRICT", "1")
    assert cplan("check", *loose).code == 2


def test_of_several_problems_the_domain_is_warned_of_once(
    tiny: tuple[Path, Path], tmp_path: Path, cplan: Run
) -> None:
    domain, again = tmp_path / "domain.pddl", tmp_path / "again.pddl"
    domain.write_text(tiny[0].read_text().replace(":strips", ":strips :magic"))
    again.write_text(tiny[1].read_text())
    ended = cplan("solve", domain, tiny[1], again, "--method", "gbfs", "--quiet")
    assert ended.code == 0
    assert ended.err.count("unknown requirement ':magic'") == 1


@pytest.mark.parametrize(("kind", "told"), [("object", 0), ("thing", 1)])
def test_objects_that_are_objects_are_told_of_by_check_alone(
    kind: str, told: int, tiny: tuple[Path, Path], tmp_path: Path, cplan: Run
) -> None:
    problem = tmp_path / "typed.pddl"
    problem.write_text("(define (problem p) (:domain d) (:objects a - object b - KIND) (:init) (:goal (p a)))")
    problem.write_text(problem.read_text().replace("KIND", kind))
    domain = tmp_path / "domain.pddl"
    domain.write_text("(define (domain d) (:predicates (p ?x)) (:action act :parameters (?x) :effect (p ?x)))")
    warning = f"a type, '{kind}', in a domain without ':types'; taken as if no object had a type"
    for command, expected in (("ground", told), ("check", 1)):
        ended = cplan(command, domain, problem)
        assert (ended.code, ended.err.count(warning)) == (0, expected), command
    assert cplan("check", domain, problem, "--strict").code == 2
    problem.write_text(problem.read_text().replace("(p a)", "(q a)"))
    assert cplan("ground", domain, problem).err.count(warning) == told


def test_warnings_come_before_the_error(loose: tuple[Path, Path], cplan: Run) -> None:
    loose[1].write_text(loose[1].read_text().replace("(:goal (", "(:goal (no-"))
    ended = cplan("ground", *loose)
    assert ended.code == 2
    assert ended.err.index("warning: this file is for") < ended.err.index("undeclared predicate")
