"""The tutorial, word for word: its files are written, its commands carried out, and their output is what it shows."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.data import REPOSITORY
from tests.test_docs import BLOCK

pytestmark = pytest.mark.processes

TUTORIAL = (REPOSITORY / "docs" / "tutorial.md").read_text(encoding="utf-8")
NAME = re.compile(r"`(\w+\.(?:pddl|toml))`")


def steps() -> list[tuple[str, str]]:
    """What the reader does, in order: ``("write", file name and text)`` or ``("run", command and its output)``."""
    found = []
    for block in BLOCK.finditer(TUTORIAL):
        kind, text = block.groups()
        if kind == "console":
            found += [("run", part) for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]
        else:
            found.append(("write", f"{NAME.findall(TUTORIAL[: block.start()])[-1]}\n{text}"))
    return found


def masked(text: str) -> str:
    """The text without the seconds that things took, and without sizes of files."""
    return re.sub(r"\d+\.\d s|\d+ kB", "…", text)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that looks like a checkout to the tutorial."""
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parents[1])
    return tmp_path


@pytest.fixture
def shell(checkout: Path) -> Iterator[Callable[[str], str]]:
    """Carries out a command line after the others, and gives what it puts out."""
    bash = subprocess.Popen(
        ["bash"], cwd=checkout, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    with bash:
        assert bash.stdin is not None and bash.stdout is not None
        stdin, stdout = bash.stdin, bash.stdout

        def run(line: str) -> str:
            stdin.write(f"{line}\necho; echo done\n")
            stdin.flush()
            return "".join(iter(stdout.readline, "done\n")).removesuffix("\n")

        yield run


def test_the_tutorial_is_what_one_sees(checkout: Path, shell: Callable[[str], str]) -> None:
    for kind, text in steps():
        first, _, rest = text.partition("\n")
        if kind == "write":
            (checkout / "shop" / first).write_text(rest, encoding="utf-8")
        else:
            assert masked(shell(first)) == masked(rest), first
    for file in (REPOSITORY / "examples" / "supermarket").glob("*.pddl"):
        assert (checkout / "shop" / file.name).read_text(encoding="utf-8") == file.read_text(encoding="utf-8")
