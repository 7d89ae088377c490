"""The comparison of models: which tasks they get, what of an answer counts, and the page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from commonsense_lab.report.pages import markdown
from commonsense_lab.report.study import report_of
from commonsense_lab.runner.rows import NAME, as_json
from commonsense_lab.studies.models.experiment import ModelsSetup, model_episodes
from commonsense_lab.studies.models.rows import Guess, ModelLabels, ModelOutcome
from commonsense_lab.studies.models.skills import Place

from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import InputError, UsageError
from tests.chat_server import ChatServer, Messages
from tests.cli.running import Run
from tests.data import REPOSITORY

PACKS = REPOSITORY / "pddl"
SETUP = ModelsSetup(place=Place(PACKS))
MODELS = (ModelConfig(), ModelConfig("openai:m"))


def test_all_models_get_the_same_tasks_and_have_keys_of_their_own() -> None:
    episodes = model_episodes(SETUP, MODELS, 12, 0, ())
    labels = [episode.labels for episode in episodes]
    assert len(labels) == len({label.key for label in labels}) == 2 * 4 * 12
    tasks = {model: [(la.skill, la.task) for la in labels if la.model == model] for model in ("embedded", "openai:m")}
    assert tasks["embedded"] == tasks["openai:m"]
    assert len(set(tasks["embedded"])) == 4 * 12


def test_a_model_with_other_settings_is_another_one() -> None:
    (episode,) = model_episodes(SETUP, [ModelConfig("openai:m", temperature=0.5)], 1, 0, ["translation"])
    assert episode.labels.model == "openai:m, temperature 0.5"


def test_names_that_there_are_not(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no skill cooking; there are finding, climbing, translation, belief"):
        model_episodes(SETUP, MODELS, 1, 0, ["cooking"])
    with pytest.raises(InputError, match="--packs names the folder of both domains"):
        model_episodes(ModelsSetup(place=Place(tmp_path)), MODELS, 1, 0, ())


def row(model: str, skill: str, task: int, success: bool, **changed: object) -> dict[str, object]:
    """A line of results."""
    name = f"{skill}-{task}"
    labels = ModelLabels(
        key=f"{model} {name}", suite="models", setup="our homes", command=f"cplan bench models --models {model}",
        version="1", skill=skill, task=name, seed=0, model=model,
    )  # fmt: skip
    outcome = ModelOutcome(
        questions=2, calls=4, failures=1, tokens=500, usd=0.001, seconds=3.0, success=success, reason="", steps=7,
        guesses=[], waiting=2.0, thinking_tokens=100, unmatched=0, model_note="a model",
    )  # fmt: skip
    return {**as_json(labels), **as_json(outcome), **changed}


def page(folder: Path, rows: list[dict[str, object]]) -> str:
    (folder / NAME).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return markdown(report_of(folder))


def test_the_page(tmp_path: Path) -> None:
    rows = [row("cheap", "translation", i, i < 8) for i in range(10)]
    rows += [row("dear", "translation", i, i < 9, usd=0.5, calls=1, waiting=4.0) for i in range(10)]
    rows += [row("own", "translation", i, True, usd=None, calls=0) for i in range(4)]
    text = page(tmp_path, rows)
    assert text == page(tmp_path, rows[::-1])
    assert "8 of 10" in text and "49 to 94 %" in text
    costs = re.findall(r"^\| (cheap|dear|own) *\| (\d+ *\| \d+ .*)$", text, re.MULTILINE)
    cells = {name: [cell.strip() for cell in line.split("|")][:-1] for name, line in costs}
    paid = ["4.0", "500", "100", "0.0010", "3.0", "2.0", "0.50"]
    assert cells["cheap"] == ["10", "8", "49 to 94", "7", "2.0", "1.0", *paid]
    assert cells["dear"][-4:] == ["0.5000", "3.0", "4.0", "4.00"]
    assert cells["own"][-4:] == ["–", "3.0", "2.0", "–"]
    assert re.search(r"\| translation \| cheap +\| dear +\| 10 +\| 0 +\| 1 +\| -0\.10 \[", text)
    assert "cplan bench models --models cheap" in text


def test_calibration_tells_who_is_too_sure(tmp_path: Path) -> None:
    sure = [Guess("plum", 4, 0.9, right, 0.1 if right else 2.3, float(np.log(4))) for right in (True, False)]
    text = page(tmp_path, [row("m", "belief", i, False, guesses=[vars(guess) for guess in sure]) for i in range(4)])
    assert re.search(r"\| 8 +\| 1\.20 \[0\.22, 2\.18\] \| 1\.39 +\| 0\.19 \[-0\.80, 1\.17\] \| 90 % \| 50 %", text)
    assert "4 of 8" in text  # first guesses, in the overview


def sensible(messages: Messages) -> str:
    """Something that is among what may be answered."""
    prompt = messages[-1]["content"]
    return "(ON, apple, kitchentable, 1)" if "Formal goal" in prompt else "inside fridge"


def test_every_skill_from_end_to_end(cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    shared = ("bench", "models", "--packs", PACKS, "--workers", "1", "--tasks", "1", "--quiet")
    tape = tmp_path / "answers.jsonl"
    both = ("--models", "embedded,openai:m", "--skills", "translation,belief")
    with ChatServer(sensible) as server:
        recording = ("--base-url", server.base_url, "--record", tape)
        ended = cplan(*shared, *both, *recording, "-o", tmp_path / "one")
        assert ended.code == 0, ended.err
        assert server.requests
    assert cplan(*shared, *both, "--replay", tape, "-o", tmp_path / "two").code == 0
    assert (tmp_path / "two" / "report.html").read_bytes() == (tmp_path / "one" / "report.html").read_bytes()
    rows = [json.loads(line) for line in (tmp_path / "one" / NAME).read_text().splitlines()]
    assert {(row["model"], row["skill"]) for row in rows} == {
        (model, skill) for model in ("embedded", "openai:m") for skill in ("translation", "belief")
    }
    believed = [row for row in rows if row["skill"] == "belief"]
    assert [len(row["guesses"]) for row in believed] == [5, 5]
    one, other = ([guess["thing"] for guess in row["guesses"]] for row in believed)
    assert one == other
    climbing = ("--models", "embedded", "--skills", "climbing,finding", "-o", tmp_path / "one")
    assert cplan(*shared, *climbing).code == 0
    text = (tmp_path / "one" / "report.md").read_text()
    for head in ("### Finding", "### Hill climbing", "### Translation", "### Belief", "### Calibration"):
        assert head in text


def test_wrong_options(cplan: Run, tmp_path: Path) -> None:
    bench = ("bench", "models", "--packs", PACKS, "-o", tmp_path / "results")
    for args in (("--models", ","), ("--models", "nobody"), ("--skills", "cooking"), ("--scenes", tmp_path)):
        assert cplan(*bench, *args).code == 2, args
    assert not (tmp_path / "results").exists()
