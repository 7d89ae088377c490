"""The same task under other names: it reads, it grounds to as much, and its plans, translated back, are plans."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from commonsense_lab.pddl.obfuscate import Obfuscation, map_as_json, read_map, rename, renamed
from commonsense_planning.errors import InputError, Status
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.pddl.check import check_domain, check_task
from commonsense_planning.pddl.nodes import Group, Symbol, layout, render
from commonsense_planning.pddl.plan import Plan, Step, parse_plan
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.syntax import parse, read_source
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.support.processes import Limit
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Verdict
from tests.cli.running import Run, cplan
from tests.data import REPOSITORY, as_data, ipc_tasks

__all__ = ["cplan"]  # a fixture

PACKS = REPOSITORY / "pddl"
SHIPPED = {"household": ("small-apple", "any-cabinet"), "kitchen": ("hard-galley-0004",)}
SHIPPED |= {"virtualhome": ("turn-off-light",), "flights": ("short-oslo-athens",)}
TASKS = [
    (PACKS / pack / "domain.pddl", PACKS / pack / "problems" / f"{name}.pddl")
    for pack, names in SHIPPED.items()
    for name in names
]


def twenty() -> list[tuple[Path, Path]]:
    """The smallest files of the IPC sample, domain by domain."""
    tasks = sorted(ipc_tasks(), key=lambda task: task[1].stat().st_size)
    folders = sorted({problem.parent for _, problem in tasks})
    by_domain = [[task for task in tasks if task[1].parent == folder] for folder in folders]
    ranks = itertools.chain(*itertools.zip_longest(*by_domain))
    return [task for task in ranks if task is not None][:20]


def written(domain: Path, problem: Path, folder: Path, seed: int = 0) -> tuple[Path, Path, Obfuscation]:
    """The renamed and shuffled files, and the way back."""
    task = check_task(check_domain(read_source(domain)), read_source(problem))
    rng = np.random.default_rng(seed)
    names = rename([task], None, rng)
    new = folder / "domain.pddl", folder / "problem.pddl"
    for path, root in zip(new, (task.domain.source.root, task.source.root), strict=True):
        path.write_text(layout(renamed(root, names, rng)))
    return *new, names


@pytest.mark.parametrize(
    ("domain", "problem"), [*TASKS, *as_data(twenty())], ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_the_renamed_task_is_the_same_task(domain: Path, problem: Path, tmp_path: Path) -> None:
    new_domain, new_problem, names = written(domain, problem, tmp_path)
    old, new = read_problem(domain, problem), read_problem(new_domain, new_problem)
    grounded = ground(new)
    assert grounded.operator_count == ground(old).operator_count
    compiled = compile_task(grounded)
    found = BestFirst(compiled).gbfs(make_state(compiled, grounded.init), Limits(evaluations=100_000))
    assert found.status is Status.SOLVED and found.operators is not None
    plan = names.plan_back(grounded.plan(found.operators), Path("plan"))
    assert validate_with_val(old, plan, Limit(60)).verdict is Verdict.VALID


def test_only_the_words_of_pddl_keep_their_names() -> None:
    domain, problem = PACKS / "household" / "domain.pddl", PACKS / "household" / "problems" / "demo.pddl"
    task = check_task(check_domain(read_source(domain)), read_source(problem))
    file = PACKS / "household" / "sensors.pddl"
    sensors = parse(file.read_text().replace("?", "?seen-"), file).root  # with variables that are in no other file
    names = rename([task], sensors, np.random.default_rng(1))
    left = {
        word
        for root in (task.domain.source.root, task.source.root, sensors)
        for word in words(renamed(root, names))
        if word not in set().union(*names.original_names.values())
    }
    assert {word for word in left if not word.startswith(":")} <= {
        *("define", "domain", "problem", "sensors", "and", "or", "not", "imply", "exists", "forall", "=", "-", "object")
    }


def words(group: Group) -> set[str]:
    return {word for item in group.items for word in ({item.text} if isinstance(item, Symbol) else words(item))}


AWKWARD = """(define (domain ALWAYS)
  (:requirements :typing :equality :action-costs :constraints)
  (:types box - thing thing crate - object)
  (:constants Always - thing)
  (:predicates (always ?x - thing) (box ?x - (either box crate)))
  (:functions (always ?x - thing) - number (total-cost) - number)
  (:action always
    :parameters (?X - thing ?y - (either box crate))
    :precondition (and (always ?x) (not (= ?x always)) (forall (?z - box) (imply (box ?z) (always ?z))))
    :effect (and (not (always ?X)) (when (box ?y) (box ?y)) (increase (total-cost) (always ?x)))))"""
AWKWARD_PROBLEM = """(define (problem box)
  (:domain always)
  (:objects box - box b C - crate)
  (:init (always box) (box c) (= (always box) 3) (= (always always) 1) (= (total-cost) 0))
  (:goal (not (always box)))
  (:constraints (and (always (or (box c) (box box))) (forall (?y - thing) (at end (or (not (always ?y)) (always ?y))))))
  (:metric minimize (total-cost)))"""


def write_old(folder: Path, domain: str, problem: str) -> tuple[Path, Path]:
    files = folder / "old-domain.pddl", folder / "old-problem.pddl"
    for file, text in zip(files, (domain, problem), strict=True):
        file.write_text(text)
    return files


def test_a_name_of_several_things_becomes_several_names(tmp_path: Path) -> None:
    files = write_old(tmp_path, AWKWARD, AWKWARD_PROBLEM)
    domain, problem, names = written(*files, tmp_path)
    spelt = [names.new[kind]["always"] for kind in ("domain", "predicate", "function", "action", "object")]
    assert len(set(spelt)) == 5
    assert "(always (or " in problem.read_text()  # the constraint's own word
    grounded = ground(read_problem(domain, problem))
    old = ground(read_problem(*files))
    assert (grounded.operator_count, grounded.fact_count) == (old.operator_count, old.fact_count)
    assert sorted(grounded.operators.cost) == sorted(old.operators.cost)


CONTINGENT = """(define (domain swamp) (:types cell)
  (:predicates (wet ?c - cell) (dry ?c - cell) (at ?c - cell))
  (:action smell :parameters (?c - cell) :precondition (at ?c) :observe (wet ?c))
  (:action go :parameters (?c - cell) :effect (at ?c)))"""
CONTINGENT_PROBLEM = """(define (problem fog) (:domain swamp) (:objects a b c - cell)
  (:init (at a) (oneof (and (wet a) (dry b)) (wet b)) (or (dry a) (not (wet c))) (unknown (dry c)))
  (:goal (at c)))"""


def test_unknown_facts_of_a_contingent_problem_are_renamed_too(tmp_path: Path) -> None:
    files = write_old(tmp_path, CONTINGENT, CONTINGENT_PROBLEM)
    domain, problem, names = written(*files, tmp_path)
    old, new = read_problem(*files), read_problem(domain, problem)
    assert len(new.contingent.atoms) == len(old.contingent.atoms) == 6
    assert [len(a) for a in new.contingent.oneof] == [len(a) for a in old.contingent.oneof]
    assert {*new.observes} == {names.new["action"]["smell"]}
    assert old.features == new.features


def test_equal_seeds_give_equal_files_and_others_others(tmp_path: Path) -> None:
    texts = [[file.read_text() for file in written(*TASKS[0], tmp_path, seed)[:2]] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_a_map_leads_back_from_its_file(tmp_path: Path) -> None:
    _, _, names = written(*TASKS[0], tmp_path)
    path = tmp_path / "map.json"
    path.write_text(json.dumps(map_as_json(names, {})))
    action, apple = names.new["action"]["grab-from-surface"], names.new["object"]["apple_1"]
    plan = parse_plan(f"({action.upper()} {apple} {apple})\n; cost = 1 (unit cost)", path)
    assert read_map(path).plan_back(plan, path).steps == (Step("grab-from-surface", ("apple_1", "apple_1")),)
    with pytest.raises(InputError, match="the map knows no action 'grab'"):
        read_map(path).plan_back(Plan((Step("grab"),)), path)
    for text in ("[]", "{}", '{"names": 3}', '{"names": {"action": []}}', "nonsense"):
        path.write_text(text)
        with pytest.raises(InputError, match="a map of names"):
            read_map(path)


@pytest.mark.parametrize("path", sorted(PACKS.glob("*/*.pddl")), ids=str)
def test_a_layout_reads_back_as_its_source(path: Path) -> None:
    root = read_source(path).root
    text = layout(root)
    assert parse(text).root == root
    assert all(len(line) <= 100 for line in text.splitlines())
    assert render(root) != text


def test_a_plan_of_the_renamed_task_is_one_of_the_task(tmp_path: Path, cplan: Run) -> None:
    folder, plan, back = tmp_path / "a" / "renamed", tmp_path / "plan.txt", tmp_path / "back.txt"
    made = cplan("obfuscate", "household:small-apple", "household:open-fridge", "-o", folder, "--shuffle")
    assert made.code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        *("domain.pddl", "map.json", "problem-1.pddl", "problem-2.pddl", "sensors.pddl")
    ]
    files = json.loads((folder / "map.json").read_text())["files"]
    assert files["problem-1.pddl"].endswith("small-apple.pddl")
    assert "apple" not in "".join(path.read_text() for path in folder.glob("*.pddl"))
    task = folder / "domain.pddl", folder / "problem-1.pddl"
    assert cplan("solve", *task, "--method", "llm-replan", "--plan", plan).code == 0  # the sensors are read
    read = cplan("obfuscate", "--back", folder / "map.json", plan)
    assert read.code == 0 and "apple_1" in read.out
    back.write_text(read.out)
    assert cplan("validate", "household:small-apple", back).code == 0
