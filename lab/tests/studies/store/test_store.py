"""Tasks in a store: drawn by a seed, seen when approached, written as a pack; ``cplan bench store``."""

from pathlib import Path

import pytest

from commonsense_lab.runner.rows import read_lines
from commonsense_lab.studies.store import tasks
from commonsense_lab.studies.store.experiment import STUDY, VARIANTS, StoreRow, StoreSetup, drawn, store_episodes
from commonsense_lab.studies.store.products import Half
from commonsense_planning.errors import InputError, UsageError
from lab.tests.report.lines import grids
from lab.tests.studies.conftest import Bench
from tests.cli.running import Run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Five departments of three sections of two items, such as "Bolt B2 of D0 S1"."""
    path = tmp_path / "products.tsv"
    rows = [(f"D{d}", f"D{d} S{s}", f"Bolt B{i} of D{d} S{s}") for d in range(5) for s in range(3) for i in range(2)]
    path.write_text("\n".join("\t".join(row) for row in [("department", "section", "item"), *rows]), encoding="utf-8")
    return path


def test_tasks_are_drawn_by_seed_and_index(table: Path) -> None:
    setup = StoreSetup(products=table)
    found = [drawn(setup, seed, index) for seed in range(3) for index in range(20)]
    assert {len(task.placed) for task in found} == {*range(3, 9)}
    assert {len(task.departments) for task in found} == {tasks.DEPARTMENTS}
    for task in found:
        assert all(item.endswith(section) and section in task.sections for item, section in task.placed.items())
    assert len({task.problem for task in found}) == len(found)
    assert drawn(setup, 2, 5).problem == found[45].problem
    assert drawn(StoreSetup(products=table, half=Half.HELD_OUT), 0, 0).departments.keys() == {"d1", "d3"}


def test_too_few_products_are_said(table: Path) -> None:
    table.write_text("department\tsection\titem\nPets\tBirds\tCages\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"^the departments pets have less than \d items to collect$"):
        drawn(StoreSetup(products=table), 0, 0)


def test_the_tasks_are_a_pack_that_is_solved(table: Path, tmp_path: Path, cplan: Run) -> None:
    folder = tmp_path / "store"
    ended = cplan("data", "import-store", table, "--count", "2", "--half", "held-out", "-o", folder)
    assert ended.code == 0, ended.err
    assert f"{table}: 6 sections, 12 items; 0 items are left out" in ended.out
    assert f"next: cplan solve {folder}:store-0-0000 --model embeddings" in ended.out
    assert cplan("check", folder / "domain.pddl", folder / "problems" / "store-0-0001.pddl").code == 0
    solved = cplan("solve", f"{folder}:store-0-0000", "--method", "look-nearest", "--json").json
    assert solved["status"] == "solved"
    drawn_items = len(drawn(StoreSetup(products=table, half=Half.HELD_OUT), 0, 0).placed)
    collected = [step for step in solved["plan"] if step.startswith("(collect")]
    told = cplan("data", "import-store", table, "--count", "2", "-o", folder, "--json").json
    assert (len(told["problems"]), told["items"], told["left_out"]) == (2, 30, 0)
    assert (len(collected), ended.out.count("\n")) == (drawn_items, 3)


def test_an_item_is_seen_at_its_section_alone(table: Path) -> None:
    """Full information takes fewer steps, and looking nearest first finds all."""
    setup = StoreSetup(products=table, simulations=5)
    rows = {episode.variant: episode.run() for episode in store_episodes(setup, 1, 0)}
    assert [*rows] == [*VARIANTS] and all(row.solved for row in rows.values())
    least = rows["all-known"].steps
    assert least is not None and all(least < (row.steps or 0) for name, row in rows.items() if name != "all-known")
    assert rows["llm-mcts"].questions > 0 == rows["uniform"].questions == rows["look-nearest"].questions


def test_a_run_gives_a_table_of_variants_and_models(bench: Bench, table: Path, tmp_path: Path) -> None:
    shared = "store", table, "--tasks", "2", "--simulations", "5"
    bench(*shared, "--methods", "all-known,look-nearest,llm-replan")
    rows = [line.row(StoreRow) for line in read_lines(tmp_path / "results")]
    assert [(row.variant, row.half, row.sections) for row in rows[:3]] == [
        (name, "all", 12) for name in ("all-known", "look-nearest", "llm-replan")
    ]
    (grid,) = grids(*STUDY.sections("embedded", rows, "store"))
    assert [cells[:4] for cells in grid.rows] == [
        ("all-known", "–", "2", "2"),
        ("look-nearest", "–", "2", "2"),
        ("llm-replan", "embedded", "2", "2"),
    ]


def test_an_unknown_variant_is_refused(table: Path) -> None:
    with pytest.raises(UsageError, match="there is no variant clever; there are all-known, look-nearest, uniform"):
        store_episodes(StoreSetup(products=table), 1, 0, ["clever"])
