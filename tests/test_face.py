"""The public face: every name is there, typed, imported late, and enough for the examples."""

import ast
import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import commonsense_planning as cplan
from tests.data import REPOSITORY

NAME = "commonsense_planning"
SOURCE = Path(cplan.__file__)
EXAMPLES = sorted((REPOSITORY / "examples").rglob("*.py"))


def imported(source: str) -> set[str]:
    """All that a source text imports, as dotted names, and what it takes of a module that it imports whole: ``from a
    import b`` is ``a.b``, and so is ``a.b`` after ``import a``."""
    nodes = list(ast.walk(ast.parse(source)))
    whole = {a.asname or a.name: a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
    names = set(whole.values())
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in whole:
            names.add(f"{whole[node.value.id]}.{node.attr}")
    return names


def reaches_deeper(name: str) -> bool:
    """Whether a dotted name is one of cplan's and not the public face, to which what tests plug-ins belongs."""
    package, _, rest = name.partition(".")
    return package == NAME and not f"{rest}.".startswith("testing.") and rest not in {"", "__version__", *cplan.__all__}


def test_the_type_checker_sees_the_same_names() -> None:
    table = {f"{NAME}.{module}.{name}" for module, names in cplan._PUBLIC.items() for name in names}
    assert {name for name in imported(SOURCE.read_text(encoding="utf-8")) if name.startswith(NAME)} == table


@pytest.mark.parametrize("name", cplan.__all__)
def test_every_name_is_there_and_documented(name: str) -> None:
    value = getattr(cplan, name)
    assert getattr(value, "__doc__", None)
    assert name in dir(cplan)


def test_another_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="read_taks"):
        cplan.read_taks  # noqa: B018


def test_a_module_is_imported_when_its_name_is_used() -> None:
    code = f"import sys, {NAME}; print(*sys.modules); {NAME}.METHODS; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = (set(line.split()) for line in ended.stdout.splitlines())
    assert {name for name in before if name.startswith(f"{NAME}.")} == set()
    assert f"{NAME}.methods.registry" in after


def test_examples_are_there() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_examples_use_the_public_face_alone(path: Path) -> None:
    assert {name for name in imported(path.read_text(encoding="utf-8")) if reaches_deeper(name)} == set()


@pytest.mark.parametrize(("source", "deeper"), [
    (f"from {NAME}.methods.registry import solve", True),
    (f"from {NAME} import methods", True),
    (f"import {NAME}.methods", True),
    (f"import {NAME} as cplan\ncplan.methods.registry.solve", True),
    (f"import {NAME} as cplan\ncplan.solve", False),
    (f"from {NAME} import solve", False),
    ("import click", False),
    (f"from {NAME}.testing import check_method", False),
])  # fmt: skip
def test_what_reaches_deeper_is_seen(source: str, deeper: bool) -> None:
    assert any(reaches_deeper(name) for name in imported(source)) is deeper


@pytest.mark.parametrize(
    "name", ["python-api.md", "long-running.md", "plugins.md", "unified-planning.md", "gymnasium.md", "robot.md"]
)
def test_the_examples_of_the_page_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    check_page(REPOSITORY / "docs" / name, tmp_path)


def check_page(path: Path, folder: Path) -> None:
    """Run the examples of a page, one after the other; ``folder`` is an empty one that they may write to."""
    page = path.read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest("".join(blocks), {"folder": folder}, path.name, None, 0)
    said: list[str] = []
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    outcome = doctest.DocTestRunner(optionflags=flags).run(test, out=said.append)
    assert outcome.attempted > 0
    assert not outcome.failed, "".join(said)


@pytest.mark.parametrize(("former", "name"), cplan._RENAMED.items())
def test_a_former_name_warns_and_is_the_same(former: str, name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"commonsense_planning.{former} is now {name}"):
        assert getattr(cplan, former) is getattr(cplan, name)
