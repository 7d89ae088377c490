"""A model and a matcher as plug-ins: found where they are installed, named with the cause where they are broken."""

import copy
import runpy
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonsense_planning.support.registry import plug_ins
from tests.cli.running import Run, cplan
from tests.data import APPLE, REPOSITORY

__all__ = ["cplan"]

OWN_MODEL = REPOSITORY / "examples" / "own_model"


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


@pytest.fixture(scope="module", autouse=True)
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """In a folder of installed packages are the example, and one that is broken."""
    folder = tmp_path_factory.mktemp("site")
    install(OWN_MODEL, folder)
    (folder / "broken_matcher.py").write_text("raise RuntimeError('no luck today')\n")
    points = {"commonsense_planning.matchers": {"unlucky": "broken_matcher:X", "wrong": "own_model:RULES"}}
    note(folder, "broken", points)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        plug_ins.cache_clear()
        yield
    plug_ins.cache_clear()
    sys.modules.pop("own_model", None)


def test_its_own_test_passes() -> None:
    runpy.run_path(str(OWN_MODEL / "test_own_model.py"))["test_it_is_a_model_of_cplan"]()


def test_a_task_is_solved_with_a_model_of_ones_own(tmp_path: Path, cplan: Run) -> None:
    model = f"rules:{OWN_MODEL / 'apple.txt'}"
    tape = tmp_path / "tape.jsonl"
    asked = ("solve", *APPLE, "--method", "llm-replan", "--model", model, "--json")
    ended = cplan(*asked, "--record", tape)
    assert ended.code == 0, ended.err
    assert ended.json["model"] == model
    assert ended.json["model_note"] == "a file of rules"
    replayed = cplan(*asked, "--replay", tape)
    assert replayed.json["plan"] == ended.json["plan"]
    never = cplan(*asked, "--max-calls", "0")
    assert (never.code, "the limit of 0 calls is reached" in never.err) == (4, True)


def test_plug_ins_are_listed_and_broken_ones_named_with_the_cause(cplan: Run) -> None:
    listed = cplan("models", "--json").json
    forms = [["embedded"], ["embeddings", "embeddings:MODEL_OR_FOLDER"], ["openai:NAME"], ["rules:FILE"]]
    assert [adapter["forms"] for adapter in listed["models"]] == forms
    assert [kind["forms"][0] for kind in listed["matchers"]] == ["lexical", "embeddings"]
    assert len(listed["broken"]) == 2
    assert "unlucky (broken_matcher:X) cannot be loaded: RuntimeError: no luck today" in listed["broken"][0]
    assert "wrong (own_model:RULES) is no MatcherKind of that name" in listed["broken"][1]


@pytest.mark.parametrize(("options", "code", "said"), [
    (("--matcher", "unlucky"), 3, "no luck today"),
    (("--model", "ruels:x"), 2, "did you mean 'rules'?); there are embedded, embeddings, "),
    (("--model", "rules"), 2, "the model rules is asked for as rules:FILE"),
    (("--model", "rules:nowhere.txt"), 2, "nowhere.txt: cannot read the rules"),
])  # fmt: skip
def test_what_goes_wrong_is_said(options: tuple[str, ...], code: int, said: str, cplan: Run) -> None:
    ended = cplan("solve", *APPLE, *options)
    assert ended.code == code, ended.err
    assert said in ended.err and "Traceback" not in ended.err


NOTEBOOK = REPOSITORY / "examples" / "belief_step_by_step.ipynb"


@pytest.mark.docs
def test_the_notebook_shows_what_comes() -> None:
    import nbformat
    from nbclient import NotebookClient

    shown = nbformat.read(NOTEBOOK, as_version=4)
    found = copy.deepcopy(shown)
    folder = {"metadata": {"path": str(NOTEBOOK.parent)}}
    NotebookClient(found, timeout=300, coalesce_streams=True, resources=folder).execute()
    for cell, before in zip(found.cells, shown.cells, strict=True):
        assert outputs(cell) == outputs(before), before.source


def outputs(cell: dict) -> list[tuple[str, ...]]:
    """What a cell puts out: text, and that there is a picture; pictures differ in dots from machine to machine."""
    return [(one.get("text", ""), *sorted(one.get("data", ()))) for one in cell.get("outputs", ())]
