"""Completion, asked for as shells do: a real bash; zsh and fish by what their scripts ask."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import Run

ASK = """
eval "$(cplan completion bash)"
cd folder
compopt() { :; }
while IFS= read -r line; do
    read -ra COMP_WORDS <<< "$line"
    [[ $line == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
    _cplan_completion cplan
    echo "${COMPREPLY[@]}"
done
"""


@pytest.fixture
def environment() -> dict[str, str]:
    return {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


@pytest.mark.processes
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "cplan.toml").write_text("modle = 'wrong'")  # is said when a command runs
    lines = {
        "cplan doc": "doctor",
        "cplan solve household:two": "household:two-apples",
        "cplan solve hous": "household:demo",
        "cplan solve household:demo --method ast": "astar",
        "cplan solve household:demo --method=look-g": "look-greedy",
        "cplan solve household:demo --model ": "embedded embeddings embeddings: openai:",
        "cplan solve household:demo --model op": "openai:",
        "cplan solve --matcher emb": "embeddings embeddings:",
        "cplan solve household:demo --method uct --simu": "--simulations",
        "cplan solve household:demo --hide": "--hide-rooms",
        "cplan check kitchen:hard-galley-0004 household:two": "household:two-apples",
        "cplan solve --nonsense household:two": "household:two-apples",
    }
    environment.pop("CPLAN_CONFIG", None)
    ended = subprocess.run(
        ["bash", "--norc", "-c", ASK],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        check=True,
    )
    for (line, wanted), found in zip(lines.items(), ended.stdout.splitlines(), strict=True):
        assert wanted in found if line.endswith("hous") else wanted == found, line


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(shell: str, environment: dict[str, str]) -> None:
    word, wanted = "household:tw", "household:two-apples"
    environment |= {
        "_CPLAN_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": f"cplan solve {word}",
        "COMP_CWORD": "2" if shell == "zsh" else word,
    }
    ended = subprocess.run(["cplan"], capture_output=True, text=True, env=environment, check=True)
    assert wanted in ended.stdout.replace(",", "\n").split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts(shell: str, cplan: Run) -> None:
    ended = cplan("completion", shell)
    assert ended.code == 0
    assert f"_CPLAN_COMPLETE={shell}_complete" in ended.out
