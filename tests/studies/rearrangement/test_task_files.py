"""Tasks as files: what is written, that it is read back, and what a model takes the instructions for."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.errors import InputError
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.matching.matching import LexicalMatcher
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.studies.rearrangement.draw import RearrangementTask, evaluation_tasks, training_tasks
from commonsense_planning.studies.rearrangement.task_files import Numbers, write_tasks
from commonsense_planning.wording.instruction import translate
from commonsense_planning.wording.lexicon import Lexicon
from tests.scripted import HOUSEHOLD
from tests.studies.rearrangement.homes import KINDS, homes_of

Parts = list["str | Parts"]


def test_files_and_their_list(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    out = tmp_path / "new" / "tasks"
    counts = write_tasks(homes_of("own"), Numbers(12, 3), 5, out, lambda done, total: seen.append((done, total)))
    lines = [json.loads(line) for line in (out / "tasks.jsonl").read_text().splitlines()]
    assert sum(counts.values()) == len(lines) == 15
    assert (counts["seen simple"], counts["unseen comp"], counts["training simple"]) == (2, 1, 2)
    assert seen == [(done, 15) for done in range(1, 16)]
    assert lines[0]["file"] == "seen-simple-0000.pddl" and lines[-1]["file"] == "training/training-00002.pddl"
    task = evaluation_tasks(homes_of("own"), 12, 5)[-1]
    line = lines[11]
    assert (line["name"], line["home"], line["setting"]) == (task.name, "unseen", "novel-comp-3")
    assert line["goal"].startswith("(and (") and line["instruction"] == task.instruction
    assert (out / line["file"]).read_text() == task.problem
    problem = read_problem(HOUSEHOLD / "domain.pddl", out / line["file"])
    assert (problem.problem_name, problem.description) == (task.name, task.instruction)


def test_equal_seeds_give_equal_files(tmp_path: Path) -> None:
    for name in ("first", "second"):
        write_tasks(homes_of("own"), Numbers(5, 2), 5, tmp_path / name)
    files = [sorted((tmp_path / name).rglob("*.*")) for name in ("first", "second")]
    assert len(files[0]) == 8
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]


def test_no_training_tasks_no_folder_of_them(tmp_path: Path) -> None:
    write_tasks(homes_of("own"), Numbers(2, 0), 0, tmp_path)
    assert not (tmp_path / "training").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file.*: cannot write the tasks"):
        write_tasks(homes_of("own"), Numbers(2, 0), 0, tmp_path / "file")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("home", ["seen", "unseen"])
def test_instructions_are_taken_for_the_tasks_own_goals(kind: str, home: str, tmp_path: Path) -> None:
    homes = homes_of(kind)
    tasks = [task for task in evaluation_tasks(homes, 200, seed=9) if task.home == home]
    tasks += training_tasks(homes, 40, seed=9) if home == "seen" else []
    problem = written(tasks[0], tmp_path)
    model = EmbeddedModel(np.random.default_rng(0))
    for task in tasks:
        goal = translate(task.instruction, problem, lexicon(), model, LexicalMatcher())
        assert meaning(goal.pddl, task) == meaning(task.goal, task), task.instruction


def written(task: RearrangementTask, folder: Path) -> Problem:
    file = folder / "problem.pddl"
    file.write_text(task.problem, encoding="utf-8")
    return read_problem(HOUSEHOLD / "domain.pddl", file)


@cache
def lexicon() -> Lexicon:
    return Lexicon.read(HOUSEHOLD / "lexicon.toml")


def meaning(goal: str, task: RearrangementTask) -> frozenset[frozenset[str]]:
    """For each of the goal's conjuncts the ground atoms of which one is wanted."""
    formula = parsed(goal)
    conjuncts = formula[1:] if formula[0] == "and" else [formula]
    return frozenset(frozenset(ways(conjunct, {}, task)) for conjunct in conjuncts)


def parsed(text: str) -> Parts:
    stack: list[Parts] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    (formula,) = stack[0]
    assert isinstance(formula, list)
    return formula


def ways(formula: str | Parts, values: dict[str, str], task: RearrangementTask) -> set[str]:
    """The atoms of a disjunction, or of "there is a movable of that class with …"."""
    assert isinstance(formula, list)
    if formula[0] == "or":
        return {atom for part in formula[1:] for atom in ways(part, values, task)}
    if formula[0] == "exists":
        (variable, _, _), (_, (_, _, kind), rest) = formula[1], formula[2]
        things = [m.name for m in task.apartment.movables if m.kind == kind]
        return {atom for thing in things for atom in ways(rest, {str(variable): thing}, task)}
    return {" ".join(values.get(str(word), str(word)) for word in formula)}
