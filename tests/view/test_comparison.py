"""The table of a comparison against numbers worked out by hand."""

import csv
from io import StringIO

import pytest

from commonsense_planning.llm.model import Usage
from commonsense_planning.view.comparison import ComparedRun, Comparison


def run(
    variant: str, task: str, seed: int = 0, steps: int | None = 1, solved: bool = True, **more: object
) -> ComparedRun:
    status = "solved" if solved else "unsolved"
    return ComparedRun(task, variant, str(more.pop("asked", "")), seed, status, steps=steps, **more)  # type: ignore[arg-type]


MISSED = [
    *(run("base", "a", seed, steps) for seed, steps in enumerate((4, 6))),
    run("base", "b", 0, 10),
    run("other", "a", 0, 3),
    run("other", "a", 1, 6),
    run("other", "b", 0, 30, solved=False),
]


def test_means_over_what_all_solved_and_with_misses() -> None:
    found = Comparison(MISSED, None, [], False)
    assert found.solved_by_all == [("a", 0), ("a", 1)]
    base, other = found.records
    assert (base["solved"], other["solved"]) == (1.0, pytest.approx(2 / 3))
    assert (base["steps_solved_by_all"], other["steps_solved_by_all"]) == (5.0, 4.5)
    assert (base["steps_with_misses"], other["steps_with_misses"]) == (pytest.approx(20 / 3), 13.0)
    assert (other["won"], other["lost"], other["pairs"]) == (1, 1, 3)
    assert other["steps_difference"] == pytest.approx((-1 + 0 + 20) / 3)
    assert other["steps_difference_low"] < other["steps_difference"] < other["steps_difference_high"]
    assert other["solved_difference"] == pytest.approx(-1 / 3)
    assert "a miss counts as the most of any run on its problem, if one has any." in found.tables[0].legend
    hopeless = [run(name, "c", steps=None, solved=False) for name in ("base", "other")]
    assert Comparison([*MISSED, *hopeless], None, [], False).records[1]["steps_with_misses"] == 13.0, (
        "no steps are known"
    )
    limited = Comparison(MISSED, 12, [], False)
    assert limited.records[1]["steps_with_misses"] == pytest.approx((3 + 6 + 12) / 3)
    assert "a miss counts as 12 steps (--max-steps)." in limited.tables[0].legend


def test_cost_decides_where_it_is_not_the_number_of_steps() -> None:
    runs = [run("base", "a", steps=2, cost=7.0, seconds=1.5), run("other", "a", steps=5, cost=3.0)]
    runs += [run("base", "b", steps=2, cost=7.0), run("other", "b", steps=None, solved=False)]
    found = Comparison(runs, None, [], False)
    assert [table.title for table in found.tables] == ["Solved, steps and cost", "Spent", "Against base"]
    assert (found.records[1]["cost_with_misses"], found.records[1]["won"], found.records[1]["lost"]) == (5.0, 1, 1)
    assert "Won: lower cost." in found.tables[2].legend, "and a miss never wins"


def test_columns_and_lines_without_numbers_are_left_out() -> None:
    found = Comparison([run("base", "a"), run("other", "b")], None, [], False)
    (solved,) = found.tables
    assert [*map(len, solved.rows)] == [2, 2, 2], "nothing was solved by all, nothing missed, and there are no pairs"


def test_a_run_that_asked_nothing_counts_for_each_model_of_its_method() -> None:
    asked = {"usage": Usage(questions=2, calls=3, prompt_tokens=10), "usd": 0.25}
    runs = [run("m", "a", asked="x", **asked), run("m", "a", asked="y", unheard="silence")]
    runs += [run("m", "b"), run("g", "a")]
    found = Comparison(runs, None, ["told"], True)
    assert {label: len(line) for label, line in found.lines.items()} == {"m, x": 2, "m, y": 2, "g": 1}
    assert found.records[0]["calls"] == 1.5 and found.records[0]["usd"] == 0.25
    assert found.notes == ["m, y, 1 of 2 runs: silence", "told"]
    assert [*Comparison(runs[:1], None, [], False).lines] == ["m"]


def test_names_and_reasons_are_text_in_every_file() -> None:
    runs = [run("base", "<b>|a", unheard="[x](y) | `z`"), run("<i>", "<b>|a", steps=3)]
    found = Comparison(runs, None, [], False)
    assert [row["line"] for row in csv.DictReader(StringIO(found.csv()))] == ["base", "<i>"]
    assert r"\[x](y) \| \`z\`" in found.markdown("t") and r"| \<i> |" in found.markdown("t")
    page = found.page("<title>")
    assert "<i>:" not in page and "<b>|a" not in page and "&lt;b&gt;|a, seed 0: 3 steps; base: 1" in page
    assert "<h1>&lt;title&gt;</h1>" in page and "<script" not in page
