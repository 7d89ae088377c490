"""A model and a matcher as plug-ins: found where they are installed, named with the cause where they are broken."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.cli.running import CPLAN, Ended
from tests.data import REPOSITORY

OWN_MODEL = REPOSITORY / "examples" / "own_model"
HOUSEHOLD = REPOSITORY / "pddl" / "household"
APPLE = (HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")


def install(project: Path, folder: Path) -> None:
    """What pip does for a package of modules: copy them, and write down the entry points."""
    told = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    for module in told["tool"]["setuptools"]["py-modules"]:
        shutil.copy(project / f"{module}.py", folder)
    note(folder, told["project"]["name"], told["project"]["entry-points"])


def note(folder: Path, name: str, groups: dict[str, dict[str, str]]) -> None:
    """Write down the entry points of an installed package."""
    info = folder / f"{name.replace('-', '_')}-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    lines = (
        line for group, points in groups.items() for line in (f"[{group}]", *(f"{k} = {v}" for k, v in points.items()))
    )
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages: the example, and one that is broken."""
    folder = tmp_path_factory.mktemp("site")
    install(OWN_MODEL, folder)
    (folder / "broken_matcher.py").write_text("raise RuntimeError('no luck today')\n")
    points = {"commonsense_planning.matchers": {"unlucky": "broken_matcher:X", "wrong": "own_model:RULES"}}
    note(folder, "broken", points)
    return folder


def cplan(installed: Path, *args: str | Path) -> Ended:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])}
    ended = subprocess.run(
        [*CPLAN, *map(str, args)], capture_output=True, text=True, env=environment, timeout=120, check=False
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def test_a_task_is_solved_with_a_model_of_ones_own(installed: Path, tmp_path: Path) -> None:
    model = f"rules:{OWN_MODEL / 'apple.txt'}"
    tape = tmp_path / "tape.jsonl"
    asked = ("solve", *APPLE, "--method", "llm-replan", "--model", model, "--json")
    ended = cplan(installed, *asked, "--record", tape)
    assert ended.code == 0, ended.err
    assert (ended.json["model"], ended.json["usage"]["failures"]) == (model, 0)
    assert 0 < ended.json["usage"]["questions"] < 10
    assert ended.json["model_note"] == "a file of rules"
    replayed = cplan(installed, *asked, "--replay", tape)
    assert replayed.json["plan"] == ended.json["plan"]
    never = cplan(installed, *asked, "--max-calls", "0")
    assert (never.code, "the limit of 0 calls is reached" in never.err) == (4, True)


def test_plug_ins_are_listed_and_broken_ones_named_with_the_cause(installed: Path) -> None:
    listed = cplan(installed, "models", "--json").json
    forms = [["embedded"], ["local", "local:FILE.gguf"], ["openai:NAME"], ["rules:FILE"]]
    assert [adapter["forms"] for adapter in listed["models"]] == forms
    assert [kind["forms"][0] for kind in listed["matchers"]] == ["lexical", "embeddings"]
    assert len(listed["broken"]) == 2
    assert "unlucky (broken_matcher:X) cannot be loaded: RuntimeError: no luck today" in listed["broken"][0]
    assert "wrong (own_model:RULES) is no MatcherKind of that name" in listed["broken"][1]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--matcher", "unlucky"), 3, "no luck today"),
        (("--model", "ruels:x"), 2, "did you mean rules?); there are embedded, local, "),
        (("--model", "rules"), 2, "the model rules is asked for as rules:FILE"),
        (("--model", "rules:nowhere.txt"), 2, "nowhere.txt: cannot read the rules"),
    ],
)
def test_what_goes_wrong_is_said(installed: Path, options: tuple[str, ...], code: int, said: str) -> None:
    ended = cplan(installed, "solve", *APPLE, *options)
    assert ended.code == code, ended.err
    assert said in ended.err and "Traceback" not in ended.err
