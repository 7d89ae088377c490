"""Broken files and command lines: exit code 2, a message that says what and where, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.pddl.test_broken_input import TABLE, Broken, write_broken


@pytest.mark.parametrize("broken", TABLE, ids=lambda broken: broken.name)
def test_broken_file(broken: Broken, tmp_path: Path, cplan: Run) -> None:
    ended = cplan("check", *write_broken(broken, tmp_path), "--json")
    where = f"{tmp_path / broken.where}.pddl:{broken.line}:{broken.column}: "
    assert ended.code == 2
    assert ended.err.startswith(where)
    assert broken.message in ended.err.replace("\n", " ")
    assert "Traceback" not in ended.err
    assert [(error["line"], error["column"]) for error in ended.json["errors"]] == [
        (broken.line, broken.column)
    ]


DOMAIN, PROBLEM = "{tiny}/domain.pddl", "{tiny}/problem.pddl"
SOLVE = f"solve {DOMAIN} {PROBLEM} "
PAPER = SOLVE + "--method llm-mcts-paper "
CONTINGENT = f"solve {DOMAIN} {{tiny}}/contingent.pddl"
IMPORT = "data import-virtualhome {tiny}/graph.json "

LONG = "x" * 300 + ".pddl"

COMMAND_LINES = [
    ("", "Usage: cplan"),
    ("slove", "No such command 'slove'"),
    ("--frob", "No such option '--frob'"),
    ("solve", "Missing argument 'DOMAIN'"),
    (f"solve {DOMAIN}", "Missing argument 'PROBLEM...'"),
    (SOLVE + "--metod uct", "No such option '--metod'"),
    (SOLVE + "--method uctt", "no method is called uctt (did you mean uct?)"),
    (SOLVE + "--method up:nonsense", "has no engine called nonsense"),
    (SOLVE + "--model gpt", "no model is called gpt"),
    (SOLVE + "--prompts {tiny}", "the embedded model reads no prompts"),
    (SOLVE + "--base-url http://localhost:8000/v1", "--model openai:NAME"),
    (SOLVE + "--simulations 0", "simulations must be at least 1"),
    (SOLVE + "--simulations many", "'many' is not a valid integer"),
    (PAPER + "--depth -1", "depth must be at least 1"),
    (PAPER + "--discount 1.5", "discount must be in (0, 1]"),
    (PAPER + "--discount nan", "discount must be in (0, 1]"),
    (SOLVE + "--exploration -1", "exploration must be at least 0"),
    (SOLVE + "--exploration nan", "exploration must be at least 0"),
    (SOLVE + "--lambda 2", "lambda must be in [0, 1]"),
    (SOLVE + "--max-steps 0", "max-steps must be at least 1"),
    (SOLVE + "--worlds 0", "worlds must be at least 1"),
    (PAPER + "--choose luck", "'luck' is not one of"),
    (SOLVE + "--guide low", "--guide belongs to llm-hill-climb, not to llm-mcts"),
    (SOLVE + "--method gbfs --max-steps 3", "--max-steps belongs to llm-mcts, llm-mcts-paper,"),
    (SOLVE + "--method", "Option '--method' requires an argument"),
    (SOLVE + "--seed -1", "-1 is not in the range x>=0"),
    (SOLVE + "--timeout 0", "0.0 is not in the range x>0"),
    (SOLVE + "--policy-samples 0", "policy-samples must be at least 1"),
    (SOLVE + "--timeout nan", "nan is no finite number"),
    (SOLVE + "--max-seconds inf", "inf is no finite number"),
    (SOLVE + "--max-seconds 1e400", "inf is no finite number"),
    (SOLVE + f"--seed {10**30}", f"{10**30} is beyond {2**63 - 1}"),
    (SOLVE + f"--prior-samples {10**30}", "prior-samples must be at most 1e+12"),
    (SOLVE + f"--samples {10**30}", "samples must be at most 1e+12"),
    (PAPER + f"--depth {10**30}", "depth must be at most 1e+12"),
    (SOLVE + "--exploration inf", "exploration must be at most 1e+12, not inf"),
    (SOLVE + "--presence-penalty nan", "presence-penalty must be at most 1e+12, not nan"),
    (f"check {DOMAIN} --max-seconds nan", "nan is no finite number"),
    (f"ground {DOMAIN} {PROBLEM} --max-seconds inf", "inf is no finite number"),
    (f"serve {DOMAIN} {PROBLEM} --deadline nan", "nan is no finite number"),
    (f"solve {LONG} {PROBLEM}", f"cplan: {LONG}: cannot be read: File name too long"),
    (f"check {DOMAIN} {LONG}", f"{LONG}: cannot be read: File name too long"),
    *((SOLVE + f"{option} {LONG}", f"cplan: {LONG}: ") for option in ("--plan", "--trace", "--save-problem")),
    *((SOLVE + f"{option} {LONG}", f"cplan: {LONG}: cannot be read") for option in ("--sensors", "--lexicon")),
    (SOLVE + f"--model openai:m --base-url http://localhost:9 --prompts {LONG}", f"cplan: {LONG}: File name too long"),
    (SOLVE + f"--method gbfs --heuristic {LONG}", f"cplan: {LONG}: File name too long"),
    (f"new-domain {LONG[:300]}", f"cplan: {LONG[:300]}: File name too long"),
    (f"validate {DOMAIN} {PROBLEM} {LONG}", f"cplan: {LONG}: "),
    (SOLVE + "--prior-samples 0", "prior-samples must be at least 1"),
    (SOLVE + "--sensors {tiny}/none.pddl", "none.pddl: no such file"),
    (SOLVE + f"--sensors {DOMAIN}", "domain.pddl:1:"),
    (SOLVE + "--hide-rooms --sensors {tiny}/none.pddl", "--hide-rooms chooses the sensors"),
    ("solve {tiny}/domain.pddl {tiny}/problem.pddl --hide-rooms", "there is no sensors-hidden-rooms.pddl beside"),
    (SOLVE + "--lexicon {tiny}/none.toml", "none.toml: cannot be read: No such file"),
    (SOLVE + f"--lexicon {PROBLEM}", "problem.pddl: not a lexicon: "),
    (SOLVE + "--plan {tiny}/none/plan", "there is no folder"),
    (SOLVE + "--trace {tiny}/none/trace", "cannot write the trace"),
    (SOLVE + "--trace", "Option '--trace' requires an argument"),
    ("solve {tiny}/none.pddl " + PROBLEM, "none.pddl: no such file"),
    (f"solve {DOMAIN} {{tiny}}", "is a directory"),
    (f"solve {PROBLEM} {DOMAIN}", "problem.pddl:1:"),
    (CONTINGENT + " --world {tiny}/contingent.pddl", "a world leaves nothing open"),
    (SOLVE + "--world {tiny}/world.pddl", "this is the true world"),
    (f"validate {DOMAIN} {PROBLEM}", "Missing argument 'PLAN'"),
    (f"validate {DOMAIN} {PROBLEM} {{tiny}}/none", "none: cannot be read: No such file"),
    (f"validate {DOMAIN} {PROBLEM} {PROBLEM}", "problem.pddl:1:1: no ground action"),
    ("check", "Missing argument 'DOMAIN'"),
    ("check {tiny}/none.pddl", "none.pddl: no such file"),
    (f"ground {DOMAIN}", "Missing argument 'PROBLEM'"),
    (f"ground {DOMAIN} {PROBLEM} --sensors {PROBLEM}", "problem.pddl:1:"),
    (f"methods {DOMAIN}", "a domain without a problem"),
    (f"methods {DOMAIN} {{tiny}}/none.pddl", "none.pddl: no such file"),
    (IMPORT, "a household problem takes --goal"),
    (IMPORT + "--goal x --adversarial", "a household problem takes --goal"),
    (IMPORT + "--domain virtualhome --goal x", "a virtualhome problem takes --task"),
    (IMPORT + "--domain virtualhome --task nap", "there is no task 'nap'; there are watch-tv"),
    (IMPORT + "--domain virtualhome --task watch-tv", "the task needs tv, which the home does not have"),
    (IMPORT + "--goal (inside)", "the goal cannot be read"),
    (IMPORT + "--goal x --add cupcake", "expected CLASS=PROPERTY"),
    ("data import-virtualhome {tiny}/none.json --goal x", "none.json: cannot be read"),
    (f"data import-virtualhome {DOMAIN} --goal x", "domain.pddl:1:1: not JSON"),
    ("doctor please", "unexpected extra argument (please)"),
]


@pytest.mark.parametrize(("line", "message"), COMMAND_LINES, ids=[line for line, _ in COMMAND_LINES])
def test_command_line(line: str, message: str, tiny: tuple[Path, Path], cplan: Run) -> None:
    folder = tiny[0].parent
    (folder / "graph.json").write_text(
        '{"nodes": [{"id": 1, "class_name": "hall", "category": "Rooms"}], "edges": []}'
    )
    contingent = (
        tiny[1].read_text().replace("(in ball blue-box)", "(oneof (in ball blue-box) (in ball red-box))")
    )
    (folder / "contingent.pddl").write_text(contingent)
    ended = cplan(*(word.format(tiny=folder) for word in line.split()))
    assert (ended.code, ended.out.count("solved")) == (2, 0)
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_located_error_is_printed_as_it_is(tmp_path: Path, cplan: Run) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text(
        "(define (domain d)\n  (:predicates (on [red] ?x - thingamajig-of-a-rather-long-name-"
        + "x" * 90
        + ")))"
    )
    ended = cplan("solve", domain, domain)
    lines = ended.err.splitlines()
    assert len(lines) == 3, "message, source and caret, each on one line"
    assert "[red]" in lines[1]
    assert lines[2].strip() == "^"


def test_check_goes_on_after_a_broken_problem(tiny: tuple[Path, Path], tmp_path: Path, cplan: Run) -> None:
    broken = tmp_path / "broken.pddl"
    broken.write_text(tiny[1].read_text().replace("(held ball)", "(helt ball)"))
    ended = cplan("check", tiny[0], broken, tiny[1], "--json")
    assert ended.code == 2
    assert [file["file"] for file in ended.json["files"]] == [str(tiny[1])]
    assert ended.json["errors"][0]["hint"] == "'held'"
