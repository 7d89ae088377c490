"""``cplan check``: files that can be read and yet go wrong, and what is tolerated in them, or strictly not."""

from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.shelves import warehouse

ISLAND = """\
(define (domain island)
  (:requirements :typing)
  (:types place thing - object)
  (:predicates (at ?p - place) (bridge ?p ?q - place) (lies ?t - thing ?p - place) (carried ?t - thing))
  (:action walk :parameters (?p ?q - place) :precondition (and (at ?p) (bridge ?p ?q))
    :effect (and (not (at ?p)) (at ?q)))
  (:action take :parameters (?t - thing ?p - place) :precondition (and (at ?p) (lies ?t ?p))
    :effect (and (carried ?t) (not (lies ?t ?p)))))
"""
PROBLEM = """\
(define (problem key) (:domain island)
  (:objects shore hill rock - place key - thing)
  (:init (at shore) (bridge shore hill) (lies key PLACE))
  (:goal (carried key)))
"""
SENSORS = """\
(define (sensors island) (:domain island)
  (:hidden (lies ?t ?p))
  (:exactly-one ?t - thing (lies ?t ?p))
  (:sense (lies ?t ?p) :when (at ?p)))
"""
NO_WAY = "(carried key) of the goal can never become true: (bridge ?p rock) is true of no place"


@pytest.fixture
def task(tmp_path: Path) -> tuple[Path, Path, Path]:
    """The domain; a problem that can be solved, and one whose key lies where no way leads. Sensors are next to them."""
    files = {
        "domain": ISLAND,
        "near": PROBLEM.replace("PLACE", "hill"),
        "far": PROBLEM.replace("PLACE", "rock"),
        "sensors": SENSORS,
    }
    for name, text in files.items():
        (tmp_path / f"{name}.pddl").write_text(text)
    return tmp_path / "domain.pddl", tmp_path / "near.pddl", tmp_path / "far.pddl"


def test_check_tells_what_does_not_fit_the_sensors(task: tuple[Path, Path, Path], cplan: Run) -> None:
    domain, near, far = task
    assert cplan("check", *task).err == ""
    near.write_text(near.read_text().replace("(lies key hill)", ""))
    for command in (("check", domain, near, far), ("solve", domain, near, "--method", "look-nearest", "--quiet")):
        assert cplan(*command).err.count("warning: none of these facts is true of key") == 1
    assert cplan("check", domain, near, "--strict").code == 2


def test_check_searches_the_true_world_where_that_is_wanted(task: tuple[Path, Path, Path], cplan: Run) -> None:
    domain, near, far = task
    ended = cplan("check", "--deep", domain, near)
    assert (ended.code, ended.out.count("near.pddl: the true world has a plan\n")) == (0, 1)
    ended = cplan("check", "--deep", *task)
    assert (ended.code, ended.out.count(f"far.pddl: the true world has no plan: {NO_WAY} at first")) == (1, 1)
    found = cplan("check", "--deep", domain, far, "--json").json["files"][0]
    assert found["true world"] == "unsolvable" and found["reason"].startswith(NO_WAY)


def test_explain_tells_the_causes_and_what_would_help(task: tuple[Path, Path, Path], cplan: Run) -> None:
    domain, near, far = task
    ended = cplan("explain", domain, far)
    assert ended.code == 1
    assert ended.out.startswith(
        "unsolvable: (carried key) of the goal can never become true\nthe cause\n  (carried key): "
    )
    assert "\nwhat would help (" in ended.out
    assert f"  {far}:3: add (bridge hill rock) to :init\n    a plan: 3 steps, cost 3\n" in ended.out
    found = cplan("explain", domain, far, "--json").json
    assert (found["status"], found["late"], len(found["chains"])) == ("unsolvable", False, 1)
    assert {"kinds": ["fact"], "changes": [f"{far}:3: add (bridge hill rock) to :init"], "cost": 3.0, "steps": 3} in (
        found["suggestions"]
    )
    assert cplan("explain", domain, near).out == "solved: there is a plan: 2 steps\n"
    assert cplan("solve", domain, far, "--method", "gbfs", "--json").json["explanation"] == found["chains"]


def test_a_run_without_a_plan_says_that_there_was_none(task: tuple[Path, Path, Path], cplan: Run) -> None:
    domain, near, far = task
    trace = domain.with_name("trace.jsonl")
    ended = cplan("solve", domain, far, "--method", "look-nearest", "--trace", trace, "--json")
    assert (ended.code, ended.json["status"]) == (1, "unsolved")
    assert "(lies key hill) is false now and no action adds it, so take can never be done" in ended.json["reason"]
    assert f"; the true world has no plan either: {NO_WAY} at first" in ended.json["reason"]
    assert "true world" not in trace.read_text(), "an agent and its trace know nothing of it"
    ended = cplan("solve", domain, near, "--method", "look-nearest", "--max-steps", "1", "--json")
    assert ended.json["reason"] == "the limit of 1 step (--max-steps) is reached"


def test_the_actions_of_a_domain_alone_are_checked(task: tuple[Path, Path, Path], cplan: Run) -> None:
    domain, _, _ = task
    assert cplan("check", domain).code == 0
    text = domain.read_text()
    domain.write_text(text.replace(":precondition (and ", ":precondition (and (> (fuel) 3) ", 1))
    cplan("check", domain).says(2, "domain.pddl:", "numeric fluents ('>') are not supported")


def test_check_warns_of_answers_that_the_lexicon_makes_the_same(tmp_path: Path, cplan: Run) -> None:
    files = warehouse(tmp_path, '[classes]\ns1 = "shelf"\ns3 = "shelf"\n')
    ended = cplan("check", *files)
    assert "lexicon.toml:2:1: warning: s1, s3 are called the same: 'shelf'; taken as alike" in ended.err
    assert (ended.code, cplan("check", *files, "--strict").code) == (0, 2)
    assert cplan("check", *files, "--json").json["warnings"][0]["line"] == 2
    assert "warning" not in cplan("check", "household:demo").err


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


def test_strictly_by_the_environment(loose: tuple[Path, Path], cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPLAN_STRICT", "1")
    assert cplan("check", *loose).code == 2


def test_of_several_problems_the_domain_is_warned_of_once(tiny: tuple[Path, Path], tmp_path: Path, cplan: Run) -> None:
    domain, again = tmp_path / "domain.pddl", tmp_path / "again.pddl"
    domain.write_text(tiny[0].read_text().replace(":strips", ":strips :magic"))
    again.write_text(tiny[1].read_text())
    ended = cplan("solve", domain, tiny[1], again, "--method", "gbfs", "--quiet")
    assert ended.code == 0
    assert ended.err.count("unknown requirement ':magic'") == 1


@pytest.mark.parametrize(("kind", "told"), [("object", 0), ("thing", 1)])
def test_check_alone_mentions_objects_of_the_type_object(
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
