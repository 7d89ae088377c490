"""What cannot be written: a full disk, a folder for reading alone, a file that vanishes in mid-run. The exit code is 2
and the file is named, before anything more is paid for; where the reader of the output has gone, a quiet end."""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from tests.chat_server import Behaviour, ChatServer
from tests.chat_troubles import no_trouble
from tests.cli.endpoint import Solve, environment, server, solve
from tests.cli.running import CPLAN, Run
from tests.judges import ASKED

__all__ = ["environment", "server", "solve"]

TOLD = "cplan: cannot write to standard output: No space left on device\n"


def shell(command: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a line of bash; "$@" in it is cplan with these words."""
    line = ["bash", "-o", "pipefail", "-c", command, "bash", *CPLAN, *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.processes
@pytest.mark.parametrize("words", ["methods", "--help", "--version", "doctor --help"])
def test_a_full_disk_is_said(words: str) -> None:
    ended = shell('"$@" > /dev/full', *words.split())
    assert (ended.returncode, ended.stderr) == (2, TOLD)


@pytest.mark.processes
@pytest.mark.parametrize(("end", "code", "told"), [("> /dev/full", 2, TOLD), ("| head -1", 0, ""), (">&-", 0, "")])
def test_the_files_are_whole_where_the_output_is_lost(
    end: str, code: int, told: str, tiny: tuple[Path, Path], tmp_path: Path
) -> None:
    plan, trace = tmp_path / "plan", tmp_path / "trace"
    ended = shell(f'"$@" {end}', "solve", *tiny, "--plan", plan, "--trace", trace)
    assert (ended.returncode, ended.stderr) == (code, told)
    assert plan.read_text().endswith("(unit cost)\n")
    assert json.loads(trace.read_text().splitlines()[-1])["status"] == "solved"


@pytest.mark.processes
def test_lost_messages_change_no_exit_code() -> None:
    assert shell('"$@" 2> /dev/full', "solve", "none", "none").returncode == 2
    assert shell('"$@" 2> /dev/full', "--version").returncode == 0


@pytest.mark.processes
@pytest.mark.parametrize("option", ["--trace", "--plan"])
@pytest.mark.parametrize("method", ["llm-mcts", "gbfs"])
def test_a_file_that_cannot_be_written_is_named(method: str, option: str, tiny: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("solve", *tiny, "--method", method, option, "/dev/full")
    ended.says(2, f"/dev/full: cannot write the {option[2:]}: No space left on device")


@pytest.mark.processes
def test_a_start_keeps_nothing(tiny: tuple[Path, Path], tmp_path: Path) -> None:
    """So nothing is damaged, however a first start ends, and starts at once do not wait for each other."""
    home = tmp_path / "home"
    home.mkdir()
    own = {name: str(home) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME")}
    command = [*CPLAN, "solve", *map(str, tiny)]
    ended = subprocess.run(command, cwd=home, env={**os.environ, **own}, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert [*home.iterdir()] == []


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


@pytest.mark.processes
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
        ["new-domain", "{}"],
    ]
    lines = [[word.replace("{}", str(folder / "file")) for word in words] for words in into]
    environment = {**os.environ, "OPENAI_API_KEY": "none"}
    who = OBEYING if os.geteuid() == 0 else ()
    command = [*who, sys.executable, "-c", EACH, json.dumps(lines)]
    ended = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    told = [json.loads(line) for line in ended.stdout.splitlines()]
    for words, (code, err) in zip(lines, told, strict=True):
        assert code == 2 and str(folder / "file") in err and "Permission denied" in err, (words, code, err)
        assert "Traceback" not in err
    assert [*folder.iterdir()] == []


GONE = "it has been removed or replaced in mid-run"


def removes(path: Path) -> Behaviour:
    """A good answer, and the file is gone."""
    return lambda request, server: path.unlink(missing_ok=True)


@pytest.mark.parametrize("option", ["--record", "--cache"])
def test_a_recording(option: str, server: ChatServer, solve: Solve, tmp_path: Path) -> None:
    solve(server, option, "/dev/full").says(2, "cannot write the recording")
    tape = tmp_path / "answers.jsonl"
    server.next(no_trouble, removes(tape))
    solve(server, option, tape).says(2, f"{tape}: cannot write the recording: {GONE}")
    assert len(server.requests) < 10 and not tape.exists()
    assert solve(server, option, tape).code == 0 and tape.exists()


def test_a_trace(server: ChatServer, solve: Solve) -> None:
    server.always(removes(solve.trace))
    solve(server).says(2, f"{solve.trace}: cannot write the trace: {GONE}")
    server.always()
    assert solve(server).code == 0 and solve.trace.exists()


@pytest.mark.parametrize("which", [0, 1])
def test_a_file_of_the_task_was_read_whole(which: int, server: ChatServer, solve: Solve) -> None:
    server.always(removes(solve.tiny[which]))
    ended = solve(server)
    assert (ended.code, ended.json["validators"]) == (0, dict.fromkeys(ASKED, "valid"))
    assert not solve.tiny[which].exists()
