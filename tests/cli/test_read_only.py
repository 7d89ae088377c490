"""A folder that nothing can be written to: exit code 2 and the file's name, before anything is paid for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

pytestmark = pytest.mark.processes

OBEYING = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")  # what others may not, root may not either
EACH = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from commonsense_planning.cli.main import main
for words in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    print(json.dumps([code, err.getvalue()]))
"""


def test_a_read_only_folder(tiny: tuple[Path, Path], tmp_path: Path) -> None:
    if os.geteuid() == 0 and which(OBEYING[0]) is None:
        pytest.skip("root may write everywhere, and there is no setpriv")
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o555)
    task = [str(file) for file in tiny]
    model = ["--model", "openai:m", "--base-url", "http://127.0.0.1:9/v1"]
    solve = ["solve", *task, "--method", "llm-policy"]
    into = [
        ["solve", *task, "--method", "gbfs", "--plan", "{}"],
        [*solve, "--trace", "{}"],
        [*solve, *model, "--record", "{}"],
        [*solve, *model, "--cache", "{}"],
        [*solve, *model, "--plan", "{}"],
        [*solve, *model, "--instruction", "put the ball away", "--save-problem", "{}"],
        ["bench", "multiplication", "--digits", "1", "-o", "{}"],
        ["new-domain", "{}"],
    ]
    lines = [[word.replace("{}", str(folder / "file")) for word in words] for words in into]
    environment = {**os.environ, "OPENAI_API_KEY": "none"}
    who = OBEYING if os.geteuid() == 0 else ()
    ended = subprocess.run(
        [*who, sys.executable, "-c", EACH, json.dumps(lines)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    told = [json.loads(line) for line in ended.stdout.splitlines()]
    for words, (code, err) in zip(lines, told, strict=True):
        assert code == 2 and str(folder / "file") in err and "Permission denied" in err, (words, code, err)
        assert "Traceback" not in err
    assert [*folder.iterdir()] == []
