"""The same task under other names: it reads, it grounds to as much, and its plans, translated back, are plans."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from commonsense_lab.pddl.obfuscate import Obfuscation, map_as_json, read_map, rename, renamed
from commonsense_planning.errors import InputError, Status
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.pddl.check import check_domain, check_task
from commonsense_planning.pddl.plan import Plan, Step, parse_plan
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.sensors import read_sensors
from commonsense_planning.pddl.syntax import Group, Symbol, layout, parse, read_source, render
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.support.processes import Limit
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Verdict
from tests.data import REPOSITORY, as_data, ipc_tasks

PACKS = REPOSITORY / "pddl"
SHIPPED = [
    (PACKS / "household" / "domain.pddl", "small-apple"),
    (PACKS / "household" / "domain.pddl", "any-cabinet"),
    (PACKS / "kitchen" / "domain.pddl", "hard-galley-0004"),
    (PACKS / "virtualhome" / "domain.pddl", "turn-off-light"),
    (PACKS / "flights" / "domain.pddl", "short-oslo-athens"),
]

def twenty() -> list[tuple[Path, Path]]:
    """The smallest files of the IPC sample, domain by domain."""
    tasks = sorted(ipc_tasks(), key=lambda task: task[1].stat().st_size)
    by_domain = [list(group) for _, group in itertools.groupby(sorted(tasks, key=_folder), key=_folder)]
    ranks = itertools.chain(*itertools.zip_longest(*by_domain))
    return [task for task in ranks if task is not None][:20]


def _folder(task: tuple[Path, Path]) -> str:
    return task[1].parent.name


TASKS = [(domain, domain.parent / "problems" / f"{name}.pddl") for domain, name in SHIPPED]


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


def test_no_name_is_left_and_pddls_own_words_are() -> None:
    domain, problem = PACKS / "household" / "domain.pddl", PACKS / "household" / "problems" / "demo.pddl"
    task = check_task(check_domain(read_source(domain)), read_source(problem))
    sensors = read_source(PACKS / "household" / "sensors.pddl").root
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


def test_the_sensors_go_with_the_task(tmp_path: Path) -> None:
    """As many facts are hidden, in as many groups, and seen by as many rules."""
    household = PACKS / "household"
    domain, problem = household / "domain.pddl", household / "problems" / "small-apple.pddl"
    root = read_source(household / "sensors.pddl").root
    task = check_task(check_domain(read_source(domain)), read_source(problem))
    names = rename([task], root, np.random.default_rng(0))
    files = {"domain": task.domain.source.root, "problem": task.source.root, "sensors": root}
    for name, old in files.items():
        (tmp_path / f"{name}.pddl").write_text(layout(renamed(old, names)))
    read = read_problem(tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    _, new = ground_pomdp(read, read_sensors(tmp_path / "sensors.pddl", read))
    before = read_problem(domain, problem)
    _, old_seen = ground_pomdp(before, read_sensors(household / "sensors.pddl", before))
    assert new.hidden.sum() == old_seen.hidden.sum() > 0
    assert sorted(map(len, rows(new.groups))) == sorted(map(len, rows(old_seen.groups)))
    assert len(new.when) == len(old_seen.when)


def rows(lists: object) -> list[list[int]]:
    return [lists.row(i).tolist() for i in range(len(lists))]  # type: ignore[attr-defined, arg-type]


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


def test_a_name_of_several_things_becomes_several_names(tmp_path: Path) -> None:
    old_domain, old_problem = tmp_path / "old-domain.pddl", tmp_path / "old-problem.pddl"
    old_domain.write_text(AWKWARD)
    old_problem.write_text(AWKWARD_PROBLEM)
    domain, problem, names = written(old_domain, old_problem, tmp_path)
    spelt = [names.new[kind]["always"] for kind in ("domain", "predicate", "function", "action", "object")]
    assert len(set(spelt)) == 5
    assert "(always (or " in problem.read_text()  # the constraint's own word
    grounded = ground(read_problem(domain, problem))
    old = ground(read_problem(old_domain, old_problem))
    assert (grounded.operator_count, grounded.fact_count) == (old.operator_count, old.fact_count)
    assert sorted(grounded.operators.cost) == sorted(old.operators.cost)


CONTINGENT = """(define (domain swamp) (:types cell)
  (:predicates (wet ?c - cell) (dry ?c - cell) (at ?c - cell))
  (:action smell :parameters (?c - cell) :precondition (at ?c) :observe (wet ?c))
  (:action go :parameters (?c - cell) :effect (at ?c)))"""
CONTINGENT_PROBLEM = """(define (problem fog) (:domain swamp) (:objects a b c - cell)
  (:init (at a) (oneof (and (wet a) (dry b)) (wet b)) (or (dry a) (not (wet c))) (unknown (dry c)))
  (:goal (at c)))"""


def test_what_a_contingent_problem_leaves_open_is_renamed_too(tmp_path: Path) -> None:
    old_domain, old_problem = tmp_path / "old-domain.pddl", tmp_path / "old-problem.pddl"
    old_domain.write_text(CONTINGENT)
    old_problem.write_text(CONTINGENT_PROBLEM)
    domain, problem, names = written(old_domain, old_problem, tmp_path)
    old, new = read_problem(old_domain, old_problem), read_problem(domain, problem)
    assert len(new.contingent.atoms) == len(old.contingent.atoms) == 6
    assert [len(a) for a in new.contingent.oneof] == [len(a) for a in old.contingent.oneof]
    assert {*new.observes} == {names.new["action"]["smell"]}
    assert old.features == new.features


def test_equal_seeds_give_equal_files_and_others_others(tmp_path: Path) -> None:
    texts = []
    for number, seed in enumerate((1, 1, 2)):
        folder = tmp_path / str(number)
        folder.mkdir()
        domain, problem, _ = written(*TASKS[0], folder, seed)
        texts.append((domain.read_text(), problem.read_text()))
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
def test_a_layout_reads_as_what_it_lays_out(path: Path) -> None:
    root = read_source(path).root
    text = layout(root)
    assert parse(text).root == root
    assert all(len(line) <= 100 for line in text.splitlines())
    assert render(root) != text
