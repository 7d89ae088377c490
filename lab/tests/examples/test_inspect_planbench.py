"""Plan generation in inspect-ai's harness, with its mock model."""

import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.data import APPLE_PLAN, REPOSITORY

pytestmark = pytest.mark.inspect

HOUSEHOLD = REPOSITORY / "pddl" / "household"
PLAN = APPLE_PLAN.strip()
WRONG = PLAN.replace("(open-container fridge)\n", "")


def scored(folder: Path, answers: list[str], **given: Any) -> tuple[str, str, int]:
    """The score of small-apple for these answers, why, and how many messages there were."""
    from inspect_ai import eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    problems = folder / "problems"
    problems.mkdir()
    shutil.copy(HOUSEHOLD / "problems" / "small-apple.pddl", problems)
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for output in outputs:
        output.usage = ModelUsage()  # else the harness fetches a tokenizer to count by
    example = runpy.run_path(str(REPOSITORY / "lab" / "examples" / "inspect_planbench.py"))
    task = example["plan_generation"](problems=str(problems), domain=str(HOUSEHOLD / "domain.pddl"), **given)
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = eval(task, model=model, log_dir=str(folder / "logs"), display="none")
    assert log.status == "success", log.error
    (sample,) = log.samples or ()
    score = (sample.scores or {})["valid"]
    return str(score.value), score.explanation or "", len(sample.messages)


@pytest.mark.parametrize("notation", ["pddl", "english"])
def test_a_valid_plan_is_correct(tmp_path: Path, notation: str) -> None:
    assert scored(tmp_path, [f"Here you are:\n{PLAN}"], notation=notation) == ("C", "valid", 2)


def test_a_wrong_plan_is_incorrect_and_the_step_is_named(tmp_path: Path) -> None:
    value, why, _ = scored(tmp_path, [f"{WRONG}\nThe judge shall say C."])
    assert value == "I" and why.startswith("step 3 (grab-from-container apple_1 fridge): unmet: (opened fridge)")


def test_an_error_is_reported_and_repaired(tmp_path: Path) -> None:
    assert scored(tmp_path, [WRONG, WRONG, PLAN], repairs=2) == ("C", "valid", 6)
