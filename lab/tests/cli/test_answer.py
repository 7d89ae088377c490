"""``--ask-later`` and ``cplan answer`` for an experiment."""

from __future__ import annotations

from pathlib import Path

from commonsense_lab.runner.rows import NAME
from tests.cli.running import Run
from tests.cli.test_answer import answer_all


def test_an_experiment_asks_for_all_its_episodes_and_keeps_no_row_before_its_end(cplan: Run, tmp_path: Path) -> None:
    asked, reply, out = tmp_path / "asked.jsonl", tmp_path / "reply.txt", tmp_path / "out"
    bench = ("bench", "misplaced", "--tasks", "1", "--shares", "0", "--methods", "llm-replan", "--seeds", "1")
    options = ("--model", "openai:chat", "--ask-later", asked, "--workers", "1", "--max-steps", "1", "-o", out)
    ended = cplan(*bench, *options, "--quiet")
    assert ended.code == 3 and "2 episodes not run to the end" in ended.err
    assert (out / NAME).read_text() == ""
    reply.write_text("I cannot know.")
    rounds = 0
    while (ended := cplan(*bench, *options, "--quiet")).code == 3:
        assert answer_all(cplan, asked, reply) and (rounds := rounds + 1) < 30
    assert len((out / NAME).read_text().splitlines()) == 2
