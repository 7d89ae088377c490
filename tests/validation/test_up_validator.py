"""unified-planning's validator as a child process: what it loads, and reading ahead."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from commonsense_planning.pddl.plan import Plan, parse_plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.processes import Limit
from commonsense_planning.validation.up_validator import read_ahead, validate_with_up, waiting_validator
from commonsense_planning.validation.verdict import Report, Verdict

MODULE = "commonsense_planning.validation.up_validator"
DOMAIN = """(define (domain walk) (:requirements :typing {})
  (:types spot)
  (:predicates (at ?s - spot) (way ?a ?b - spot) (seen ?s - spot))
  (:action look :parameters (?s - spot) :precondition (at ?s) :effect (seen ?s))
  (:action go :parameters (?a ?b - spot) :precondition (and (at ?a) (way ?a ?b))
    :effect (and (at ?b) (not (at ?a)))))"""
PROBLEM = """(define (problem walk) (:domain walk) (:objects a b c - spot)
  (:init (at a) (way a b) (way b c)) (:goal (at {})))"""
PLAN = "(go a b)\n(go b c)"


def walk(folder: Path, goal: str = "c", requirement: str = "") -> Problem:
    """A task of two steps."""
    domain, problem = folder / "domain.pddl", folder / f"{goal}.pddl"
    domain.write_text(DOMAIN.format(requirement))
    problem.write_text(PROBLEM.format(goal))
    return Problem(domain, problem, "walk", "walk", None, {}, frozenset())


def asked_later(read: Problem, problem: Problem, plan: Plan) -> Report:
    """The verdict on a plan for ``problem`` of a validator that has read ``read`` before."""
    with waiting_validator() as validator:
        read_ahead(validator, read.domain_file, read.problem_file)
        return validate_with_up(problem, plan, validator=validator)


def test_it_loads_little_and_starts_no_program(tmp_path: Path) -> None:
    git = tmp_path / "git"
    git.write_text(f"#!/bin/sh\ntouch {tmp_path / 'asked'}\n")
    git.chmod(0o755)
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", MODULE],
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines() if line.startswith("import time:")}
    assert {"unified_planning.io.pddl_reader", "unified_planning.engines.plan_validator"} <= loaded
    assert not {"ConfigSpace", "networkx", "asyncio", "multiprocessing"} & loaded
    assert not {"numpy", "tarski", "up_fast_downward", "up_pyperplan"} & loaded
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize(
    ("goal", "requirement", "plan", "verdict", "reason"),
    [
        ("c", "", PLAN, Verdict.VALID, ""),
        ("c", "", "(look b)", Verdict.INVALID, "Preconditions"),
        ("c", "", "(fly a c)", Verdict.INVALID, "no action is called fly"),
        ("b", "", PLAN, Verdict.INVALID, "Goals"),
        ("d", "", PLAN, Verdict.UNAVAILABLE, "SyntaxError"),
        ("c", ":magic", PLAN, Verdict.UNAVAILABLE, "pyparsing.exceptions.ParseException"),
    ],
)
def test_reading_ahead_changes_no_report(
    goal: str, requirement: str, plan: str, verdict: Verdict, reason: str, tmp_path: Path
) -> None:
    problem, steps = walk(tmp_path, goal, requirement), parse_plan(plan, Path("plan"))
    report = asked_later(problem, problem, steps)
    assert report == validate_with_up(problem, steps)
    assert report.verdict is verdict
    assert report.reason.startswith(reason)


def test_a_task_is_read_before_it_is_asked_about_and_then_not_again(tmp_path: Path) -> None:
    problem = walk(tmp_path)
    text = problem.problem_file.read_text()
    problem.problem_file.unlink()
    os.mkfifo(problem.problem_file)  # what is written to it can be read once
    with waiting_validator() as validator:
        read_ahead(validator, problem.domain_file, problem.problem_file)
        written = Thread(target=problem.problem_file.write_text, args=(text,), daemon=True)
        written.start()
        written.join(30)
        assert not written.is_alive()
        report = validate_with_up(problem, parse_plan(PLAN, Path("plan")), Limit(30), validator)
    assert report.verdict is Verdict.VALID


def test_the_verdict_is_on_the_task_that_is_asked_about(tmp_path: Path) -> None:
    near, far = walk(tmp_path, "b"), walk(tmp_path, "c")
    plan = parse_plan(PLAN, Path("plan"))
    assert asked_later(near, far, plan).verdict is Verdict.VALID
    assert asked_later(far, near, plan).verdict is Verdict.INVALID
