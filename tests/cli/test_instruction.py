"""``cplan solve --instruction`` and ``--dry-run``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.scripted import HOUSEHOLD
from tests.shelves import warehouse

DEMO = (HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "demo.pddl")
TEXT = "put an apple in the icebox and the toothbrush in the bathroom cabinet"


def test_an_instruction_becomes_the_goal_and_is_shown(cplan: Run, tmp_path: Path) -> None:
    kept = tmp_path / "instructed.pddl"
    ended = cplan("solve", *DEMO, "--instruction", TEXT, "--method", "gbfs", "--save-problem", kept, "--json")
    assert ended.code == 0
    assert ended.json["plan"][-1].startswith("(put-in ")
    assert set(ended.json["validators"].values()) == {"valid"}
    goal = "(and (inside apple_1 fridge_1) (inside toothbrush_1 bathroomcabinet_1))"
    assert goal in ended.err and goal in kept.read_text()
    assert '"icebox" is read as fridge (fridge_1)' in ended.err
    again = cplan("solve", DEMO[0], kept, "--method", "gbfs", "--json")
    assert again.json["plan"] == ended.json["plan"]


@pytest.mark.parametrize(("text", "goal"), [
    ("bring drill_1 and drill_2 to s3", "(and (stored drill_1 s3) (stored drill_2 s3))"),
    ("move r2 to s1", "(at r2 s1)"),
])  # fmt: skip
def test_in_a_domain_of_ones_own_a_thing_goes_where_it_can_be(text: str, goal: str, cplan: Run, tmp_path: Path) -> None:
    """Also where files are read strictly: the problem with the goal declares what it requires."""
    domain, problem = warehouse(tmp_path)
    saved = tmp_path / "saved.pddl"
    said = ("--instruction", text, "--save-problem", saved)
    ended = cplan("solve", domain, problem, "--method", "gbfs", "--strict", *said)
    assert goal in ended.out
    assert "not declared" not in ended.err
    assert cplan("check", domain, saved, "--strict").code == 0


def test_what_is_understood_is_said_in_english(cplan: Run, tmp_path: Path) -> None:
    ended = cplan("solve", *warehouse(tmp_path), "--instruction", "deliver drill_1 to r2")
    assert "It understands sentences such as" in ended.err and '"r1 should be holding drill_1"' in ended.err
    assert "A language model, --model NAME, understands more." in ended.err


def test_a_dry_run_estimates_and_asks_nobody(cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    nowhere = ("--model", "openai:gpt-4o-mini", "--base-url", "http://127.0.0.1:9/v1", "--dry-run", "--json")
    bounds = {}
    for method in ("llm-mcts", "llm-mcts-paper", "llm-replan", "llm-policy", "llm-mcts --policy uniform"):
        ended = cplan("solve", *DEMO, *nowhere, "--method", *method.split())
        assert ended.code == 0
        found = bounds[method] = ended.json
        for name in ("calls", "prompt_tokens", "completion_tokens", "usd"):
            assert found[name][0] <= found[name][1]
    assert bounds["llm-replan"]["calls"] == bounds["llm-mcts --policy uniform"]["calls"] == [2, 2]
    most = bounds["llm-policy"]["calls"][1]  # the steps that there may be
    assert bounds["llm-mcts"]["calls"][1] == 2 + most
    assert bounds["llm-mcts-paper"]["calls"][1] == 2 + 30 * 100
    assert 0 < bounds["llm-replan"]["usd"][0] < bounds["llm-mcts"]["usd"][1]
