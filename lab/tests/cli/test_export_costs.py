"""``cplan export-costs``: files, the way back, and what is refused."""

from pathlib import Path

import pytest

from commonsense_planning.pddl.packs import pack_named
from tests.cli.running import Run


def test_a_task_is_written_and_a_plan_of_it_comes_back(tmp_path: Path, cplan: Run) -> None:
    folder, plan = tmp_path / "a" / "costs", tmp_path / "plan"
    made = cplan("export-costs", "household:small-apple", "-o", folder)
    assert made.code == 0 and "3 assumptions may be made" in made.out
    assert sorted(path.name for path in folder.iterdir()) == ["assumptions.json", "domain.pddl", "problem.pddl"]
    task = folder / "domain.pddl", folder / "problem.pddl"
    assert "general cost" not in cplan("solve", *task, "--method", "astar", "--plan", plan).out
    back = cplan("export-costs", "--back", folder / "assumptions.json", plan)
    assert back.code == 0
    assert back.out.startswith("(walk-to-room kitchen)\n")
    assert "; assumes (inside apple_1 fridge), p = 0.85\n(grab-from-container apple_1 fridge)" in back.out


def test_the_options_of_the_belief_are_used(tmp_path: Path, cplan: Run) -> None:
    """Fewer answers, other names, other sensors, another weight of a step: other files."""
    lexicon = tmp_path / "lexicon.toml"
    lexicon.write_text('[classes]\napple = "wine glass"\n')
    texts = []
    for number, options in enumerate(
        ([], ["--prior-samples", "3"], ["--lexicon", lexicon], ["--hide-rooms"], ["--step-cost", "0.7"], [])
    ):
        folder = tmp_path / str(number)
        assert cplan("export-costs", "household:small-apple", "-o", folder, *options).code == 0
        texts.append((folder / "domain.pddl").read_text())
    assert len(set(texts)) == len(texts) - 1 and texts[-1] == texts[0]


def test_where_nothing_is_hidden_it_is_said(tmp_path: Path, cplan: Run) -> None:
    assert "nothing is hidden" in cplan("export-costs", "flights:short-oslo-athens", "-o", tmp_path / "costs").out


@pytest.mark.parametrize(("outcomes", "grabs"), [("all", 2), ("likely", 1)])
def test_actions_by_chance_are_determinised(outcomes: str, grabs: int, tmp_path: Path, cplan: Run) -> None:
    folder, pack = tmp_path / "costs", pack_named("household").folder
    files = pack / "domain-slips.pddl", pack / "problems" / "small-apple.pddl"
    made = cplan("export-costs", *files, "-o", folder, "--sensors", pack / "sensors-slips.pddl", "--outcomes", outcomes)
    text = (folder / "domain.pddl").read_text()
    assert made.code == 0 and text.count("(:action grab-from-surface") == grabs
    assert "(probabilistic" not in text
    plan = cplan("solve", folder / "domain.pddl", folder / "problem.pddl", "--method", "gbfs")
    assert plan.code == 0 and "VAL     valid" in plan.out
