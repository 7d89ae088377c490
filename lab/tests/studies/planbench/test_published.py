"""Prompts in PlanBench's form are read as tasks, and the name of a published file as their kind."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from commonsense_lab.studies.planbench.exercises import Kind, Marker
from commonsense_lab.studies.planbench.published import Phrasebook, Unread, kind_of, prompts_in, published
from commonsense_planning.errors import InputError
from lab.tests.studies.planbench.blocks import CHANGED, DOMAIN, EXECUTED, PLAN, STATEMENT

FILES = (
    *("task_1_plan_generation", "task_2_plan_optimality", "task_3_plan_verification_with_llm_plans"),
    *("task_4_plan_reuse", "task_5_plan_generalization", "task_6_replanning", "task_7_plan_execution"),
    *("task_8_1_goal_shuffling", "task_8_2_full_to_partial", "task_8_3_partial_to_full"),
)
ASKED = {Kind.VERIFICATION: STATEMENT + PLAN, Kind.REPLANNING: STATEMENT + CHANGED, Kind.EXECUTION: EXECUTED}
ONE = {"instance_id": 2, "query": STATEMENT}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that is laid out like a checkout of PlanBench, with the domain."""
    for place in ("instances", "prompts"):
        (tmp_path / "plan-bench" / place / "blocksworld").mkdir(parents=True)
    (tmp_path / "plan-bench" / "instances" / "blocksworld" / "generated_domain.pddl").write_text(DOMAIN)
    return tmp_path


def write_prompts(checkout: Path, name: str, *instances: dict[str, Any]) -> Path:
    file = checkout / "plan-bench" / "prompts" / "blocksworld" / f"{name}.json"
    file.write_text(json.dumps({"instances": instances}))
    return file


def test_a_prompt_says_the_task(checkout: Path) -> None:
    phrasebook = Phrasebook("blocksworld", checkout)
    text = phrasebook.exercise(Kind.GENERATION, "one", STATEMENT).problem
    assert "(:domain blocks)" in text and "(:objects blue red)" in text and "(:goal (and (on blue red)))" in text
    assert "(:init (clear red) (handempty) (on red blue) (ontable blue))" in text
    after = phrasebook.exercise(Kind.REPLANNING, "one", STATEMENT + CHANGED).problem
    assert "(:init (clear blue) (clear red) (handempty) (ontable blue) (ontable red))" in after
    steps = phrasebook.exercise(Kind.VERIFICATION, "one", STATEMENT + PLAN).steps
    assert [*map(str, steps)] == ["(unstack red blue)", "(put-down red)", "(pick-up blue)", "(stack blue red)"]
    assert phrasebook.exercise(Kind.EXECUTION, "one", EXECUTED).steps == steps
    assert phrasebook.spelled("(stack b a)") == "(stack blue red)"
    with pytest.raises(Unread):
        phrasebook.exercise(Kind.GENERATION, "one", "What is the capital of France?")


def test_a_prompt_in_pddl_brings_its_domain(checkout: Path, towers: list[Path]) -> None:
    prompt = [{"role": "user", "content": f"{towers[0].read_text()}\nand:\n{towers[1].read_text()}\nA plan?"}]
    with pytest.raises(Unread, match="no domain"):
        Phrasebook("another", checkout).exercise(Kind.GENERATION, "one", prompt)
    marker = Marker(Phrasebook("another", checkout, checkout).exercise(Kind.GENERATION, "one", prompt))
    assert marker.mark("(unstack b0 b1) (put-down b0) (pick-up b1) (stack b1 b0)").right


def test_all_files_of_prompts_are_read(checkout: Path) -> None:
    for name, kind in zip(FILES, Kind, strict=True):
        one = {**ONE, "query": ASKED.get(kind, STATEMENT)}
        file = write_prompts(checkout, name, one, {**one, "instance_id": 3}, {"instance_id": 4})
    found = published(checkout, (), [*Kind], 1)
    assert {exercise.kind for exercise in found} == {*Kind} and len(found) == len(Kind)
    assert all(Marker(exercise).mark(Marker(exercise).exact()).right for exercise in found)
    assert len(published(checkout, ["blocksworld"], [Kind.REUSE], 9)) == 2
    with pytest.raises(InputError, match="no prompts of these domains and kinds"):
        published(checkout, ["logistics"], [*Kind], 1)
    assert kind_of(file.with_name("task_9_something.json")) is None
    file.write_text("[1]")
    with pytest.raises(InputError, match="expected an object with instances"):
        prompts_in(file)


@pytest.mark.parametrize(("instance", "said"), [
    ({**ONE, "query": 5}, "instance 2: "),
    ({**ONE, "query": [{"role": "user"}]}, "instance 2: 'content' is missing"),
    ({**ONE, "query": ["user"]}, "instance 2: "),
    ({**ONE, "query": [{"content": 5}]}, "instance 2: "),
    ({**ONE, "query": {"content": "x"}}, "instance 2: "),
    ({"query": STATEMENT}, "instance None: 'instance_id' is missing"),
])  # fmt: skip
def test_a_broken_prompt_is_reported_with_its_file(checkout: Path, instance: dict[str, Any], said: str) -> None:
    file = write_prompts(checkout, FILES[0], instance)
    with pytest.raises(InputError, match=re.escape(f"{file}: not prompts: {said}")):
        published(checkout, (), [*Kind], 1)


def test_a_missing_domain_of_the_instances_is_reported(checkout: Path) -> None:
    write_prompts(checkout, FILES[0], ONE)
    domain = checkout / "plan-bench" / "instances" / "blocksworld" / "generated_domain.pddl"
    domain.unlink()
    with pytest.raises(InputError, match=re.escape(f"{domain}: cannot be read: No such file or directory")):
        published(checkout, (), [*Kind], 1)
