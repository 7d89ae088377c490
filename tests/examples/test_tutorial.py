"""The tutorial, word for word: its files are written, its commands carried out, and what comes is what stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commonsense_planning.cli.main import main
from tests.data import REPOSITORY
from tests.test_docs import BLOCK

TUTORIAL = (REPOSITORY / "docs" / "tutorial.md").read_text(encoding="utf-8")
NAME = re.compile(r"`(\w+\.(?:pddl|toml))`")


def steps() -> list[tuple[str, str]]:
    """What the reader does, in order: ``("write", file name and text)`` or ``("run", command and what it puts out)``."""
    found = []
    for block in BLOCK.finditer(TUTORIAL):
        kind, text = block.groups()
        if kind == "console":
            found += [("run", part) for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]
        else:
            found.append(("write", f"{NAME.findall(TUTORIAL[: block.start()])[-1]}\n{text}"))
    return found


def masked(text: str) -> str:
    """The text without the seconds that things took."""
    return re.sub(r"\d+\.\d s", "… s", text)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that looks like a checkout to the tutorial, where the kernels are compiled, as after ``make demo``."""
    household = REPOSITORY / "pddl" / "household"
    assert (
        main(["solve", str(household / "domain.pddl"), str(household / "problems" / "small-apple.pddl"), "--quiet"])
        == 0
    )
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parents[1])
    return tmp_path


def test_the_tutorial_is_what_one_sees(checkout: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    shell = subprocess.Popen(
        ["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=checkout, env=environment
    )  # fmt: skip
    assert shell.stdin is not None and shell.stdout is not None
    with shell:
        for kind, text in steps():
            first, _, rest = text.partition("\n")
            if kind == "write":
                (checkout / "shop" / first).write_text(rest, encoding="utf-8")
                continue
            shell.stdin.write(f"{first}\necho; echo done\n")
            shell.stdin.flush()
            out = "".join(iter(shell.stdout.readline, "done\n")).removesuffix("\n")
            assert masked(out) == masked(rest), first
        shell.stdin.close()
    for file in (checkout / "shop").glob("*.pddl"):
        assert file.read_text(encoding="utf-8") == (checkout / "examples" / "supermarket" / file.name).read_text(
            encoding="utf-8"
        )
