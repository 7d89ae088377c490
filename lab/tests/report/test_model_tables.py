"""The comparison of models: an experiment that was run with several into one folder."""

import pytest

from commonsense_lab.report.study import build
from lab.tests.report.lines import grids, lines
from lab.tests.studies.rearrangement.rows import row

TITLE = "Rearrangement: models on the same tasks"


def run(model: str, solved: int, words: str = "", **more: object) -> list[dict[str, object]]:
    """Ten tasks with a model, the first of them solved; ``words``: its settings."""
    setup = f"model {model}{words}, the homes that ship, at most 30 steps"
    return [
        row("mcts", "seen", "simple", task, 0, status="solved" if task < solved else "unsolved", setup=setup)
        | {"model": model, "key": f"{task} {setup}", "command": f"cplan … --model {model}", **more}
        for task in range(10)
    ]


def grid(*runs: list[dict[str, object]]) -> dict[str, dict[str, str]]:
    """Model → column → cell."""
    sections = build(lines([row for run in runs for row in run])).sections
    (section,) = (found for found in sections if found.title == TITLE)
    table = grids(section)[0]
    return {cells[1]: dict(zip(table.head, cells, strict=True)) for cells in table.rows}


def test_models_are_compared_with_their_costs() -> None:
    found = grid(run("openai:cheap", 8, usd=0.001), run("openai:dear", 9, ", temperature 0.5", usd=0.5))
    assert list(found) == ["openai:cheap", "openai:dear, temperature 0.5"]
    cheap, dear = found.values()
    assert (cheap["solved"], cheap["95 %"], cheap["US $"]) == ("8", "49 to 94", "0.0010 ± 0.0000")
    assert cheap["against openai:cheap"] == "–" and dear["against openai:cheap"].startswith("+10.0 [")


def test_episodes_are_compared_with_their_like() -> None:
    """One task with two shares of misplaced things: the model that is better at the one is worse at the other."""
    cheap, dear = run("openai:cheap", 10), run("openai:dear", 10)
    for rows, solved in ((cheap, 0), (dear, 1)):
        for share, episode in enumerate(rows[:2]):
            episode |= {"task": "simple-0", "status": "solved" if share == solved else "unsolved"}
    assert grid(cheap, dear)["openai:dear"]["against openai:cheap"].startswith("+0.0 [")


@pytest.mark.parametrize("runs", [[run("embedded", 8)], [run("embedded", 8), run("embedded", 8, ", top p 0.5")]])
def test_one_model_is_no_comparison(runs: list[list[dict[str, object]]]) -> None:
    assert TITLE not in {found.title for found in build(lines([row for run in runs for row in run])).sections}
