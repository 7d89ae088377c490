"""Prompts in PlanBench's form, and answers to them that were kept with a verdict, are read and judged again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.planbench.__main__ import main
from benchmarks.planbench.published import Unread, Vocabulary

DOMAIN = """(define (domain blocks) (:requirements :strips)
(:predicates (clear ?x) (ontable ?x) (handempty) (holding ?x) (on ?x ?y))
(:action pick-up :parameters (?ob) :precondition (and (clear ?ob) (ontable ?ob) (handempty))
 :effect (and (holding ?ob) (not (clear ?ob)) (not (ontable ?ob)) (not (handempty))))
(:action put-down :parameters (?ob) :precondition (holding ?ob)
 :effect (and (clear ?ob) (handempty) (ontable ?ob) (not (holding ?ob))))
(:action stack :parameters (?ob ?underob) :precondition (and (clear ?underob) (holding ?ob))
 :effect (and (handempty) (clear ?ob) (on ?ob ?underob) (not (clear ?underob)) (not (holding ?ob))))
(:action unstack :parameters (?ob ?underob) :precondition (and (on ?ob ?underob) (clear ?ob) (handempty))
 :effect (and (holding ?ob) (clear ?underob) (not (on ?ob ?underob)) (not (clear ?ob)) (not (handempty)))))
"""
STATEMENT = """[STATEMENT]
As initial conditions I have that, the red block is clear, the hand is empty, the red block is on top of the blue block
 and the blue block is on the table.
My goal is to have that the blue block is on top of the red block.
""".replace("block\n and", "block and")
RIGHT = """1. Unstack the red block from on top of the blue block.
2. Put down the red block on the table.
3. Pick up the blue block.
4. Stack the blue block on the red block."""
CHANGED = """My plan is as follows:

[PLAN]
unstack the red block from on top of the blue block
put down the red block
pick up the blue block
stack the blue block on top of the red block
[PLAN END]

During execution, an unexpected event has occurred.
After executing the action "unstack the red block from on top of the blue block" at step 1 in the plan, the following \
facts unexpectedly became true: the red block is clear, the hand is empty and the red block is on the table
The following facts became unexpectedly false: the hand is currently holding red block
After re-planning from the new state, the plan is as follows:
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "plan-bench" / "instances" / "blocksworld"
    place.mkdir(parents=True)
    (place / "generated_domain.pddl").write_text(DOMAIN)
    return tmp_path


def test_a_prompt_says_the_task(folder: Path) -> None:
    vocabulary = Vocabulary("blocksworld", folder, folder)
    problem = vocabulary.asked(STATEMENT)
    text = problem.problem_file.read_text()
    assert "(:objects blue red)" in text and "(:goal (and (on blue red)))" in text
    assert "(:init (clear red) (handempty) (on red blue) (ontable blue))" in text
    after = vocabulary.asked(STATEMENT + CHANGED).problem_file.read_text()
    assert "(:init (clear blue) (clear red) (handempty) (ontable blue) (ontable red))" in after
    assert vocabulary.spelled("(stack b a)") == "(stack blue red)"
    with pytest.raises(Unread):
        vocabulary.asked("What is the capital of France?")


def test_verdicts_that_differ_are_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = folder / "plan-bench" / "results" / "blocksworld" / "a-model"
    results.mkdir(parents=True)
    wrong = RIGHT.replace("Pick up the blue", "Pick up the red")
    kept = [(RIGHT, True), (RIGHT, False), (wrong, False), (wrong, True)]
    common = {"query": STATEMENT, "extracted_llm_plan": "(unstack a b)\n(put-down a)\n(pick-up b)\n(stack b a)"}
    answers = [
        {**common, "instance_id": i, "llm_raw_response": answer, "llm_correct": verdict}
        for i, (answer, verdict) in enumerate(kept)
    ]
    (results / "task_1_plan_generation.json").write_text(json.dumps({"instances": answers}))
    assert main([str(folder), "--differing", str(folder / "differing.jsonl")]) == 0
    assert "task_1_plan_generation.json: 2 / 2 of 4; 1, 1" in capsys.readouterr().out
    differing = [json.loads(line) for line in (folder / "differing.jsonl").read_text().splitlines()]
    about = [(one["id"], one["kept"], one["their reading"]) for one in differing]
    assert about == [(1, False, "valid"), (3, True, "valid")]
