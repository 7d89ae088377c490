"""The other commands, those of plug-ins among them, and how the program starts."""

import configparser
import re
import signal
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from commonsense_planning import METHODS, Plan, Request, Solution, Status, Step
from commonsense_planning.cli import doctor, jobs
from commonsense_planning.cli.doctor import Finding
from commonsense_planning.cli.main import COMMANDS, MOVED
from commonsense_planning.cli.main import PLUG_INS as COMMANDS_GROUP
from commonsense_planning.cli.validate import VALIDATORS
from commonsense_planning.methods import registry
from commonsense_planning.support.registry import known_plug_ins, not_installed, plug_ins
from commonsense_planning.validation import val
from tests.cli.running import Run
from tests.data import REPOSITORY
from tests.shelves import warehouse

NAMES = [name for commands in COMMANDS.values() for name in commands]
HEAVY = ("tarski", "clingo", "numpy", "unified_planning", "rich", "matplotlib")


@pytest.mark.parametrize("command", NAMES)
def test_help_teaches(command: str, cplan: Run) -> None:
    ended = cplan(command, "--help")
    assert ended.code == 0
    assert f"cplan {command}" in ended.out.split("Example")[1], "an example of its own"


def test_the_command_starts_where_interrupts_are_heard() -> None:
    setup = configparser.ConfigParser()
    setup.read(REPOSITORY / "setup.cfg")
    assert setup["options.entry_points"]["console_scripts"].strip() == "cplan = commonsense_planning.cli:start"


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from commonsense_planning.cli.main import main; main(['--help']); print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(ended.stdout.splitlines()[-1].split()) & set(HEAVY)


def test_methods(tiny: tuple[Path, Path], cplan: Run) -> None:
    listed = cplan("methods")
    assert all(name in listed.out for name in METHODS)
    rows = {row["name"]: row for row in cplan("methods", *tiny, "--json").json["methods"]}
    assert rows.keys() == METHODS.keys()
    assert all(row["possible"] for row in rows.values())
    assert "begin with llm-mcts: something is hidden, and llm-mcts looks where" in cplan("methods", *tiny).out
    text = tiny[1].read_text().replace("(in ball blue-box)", "(oneof (in ball blue-box) (in ball red-box))")
    tiny[1].write_text(text)
    assert cplan("methods", *tiny).code == 0, "a world is drawn"


def test_methods_recommends_gbfs_where_nothing_is_hidden(tiny: tuple[Path, Path], cplan: Run) -> None:
    (tiny[0].parent / "sensors.pddl").unlink()
    assert "begin with gbfs: nothing is hidden, and gbfs finds a plan fastest" in cplan("methods", *tiny).out
    assert cplan("methods", *tiny, "--json").json["recommended"] == "gbfs"
    assert "begin with" not in cplan("methods").out


def test_methods_says_where_the_embedded_model_knows_nothing(tmp_path: Path, cplan: Run) -> None:
    ended = cplan("methods", *warehouse(tmp_path))
    assert "the embedded model knows homes, and nothing of where drill 1 may be here" in ended.out
    assert "begin with look-nearest: something is hidden, and embedded does not know where: use" in ended.out
    assert "use llm-mcts with --model embeddings or another" in ended.out
    found = cplan("methods", *warehouse(tmp_path), "--json").json
    assert found["recommended"] == "look-nearest" and "drill 1" in found["notes"][0]


def test_ground_counts_what_is_hidden(tiny: tuple[Path, Path], cplan: Run) -> None:
    seen = cplan("ground", *tiny, "--sensors", tiny[0].parent / "sensors.pddl", "--json").json
    assert (seen["operators"], seen["hidden"]) == (6, 2), "the ball may be in either box"


GOES_ON = ["doctor", "solve {0} {1} {1} --json"]
ONE = Plan((Step("act", ()),))
ENDS = {
    "with nothing": Solution(Status.INTERRUPTED, None, "interrupted"),
    "with the best plan so far": Solution(Status.SOLVED, ONE, "interrupted; the last of 2 plans"),
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("words", GOES_ON)
def test_an_interrupt_ends_what_follows_a_method(
    words: str,
    end: str,
    number: signal.Signals,
    tiny: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cplan: Run,
) -> None:
    asked: list[Request] = []

    def solve(request: Request) -> Solution:
        asked.append(request)
        with suppress(KeyboardInterrupt):  # as methods do that keep what they have
            signal.raise_signal(number)
        return ENDS[end]

    for module in (registry, jobs):
        monkeypatch.setattr(module, "solve", solve)
    ended = cplan(*words.format(*tiny, tmp_path / "out").split())
    assert (ended.code, len(asked), "does not work" in ended.out) == (128 + number, 1, False)


def test_doctor(cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = cplan("doctor", "--json")
    assert ended.code == 0, ended.err
    assert {"Python", "gbfs", "llm-mcts", "fast-downward", "validator VAL"} <= {
        part["part"] for part in ended.json["parts"]
    }
    assert "a prior also where embedded knows nothing" in str(ended.json["parts"][-1])
    monkeypatch.setattr(val, "find_val", lambda: None)
    monkeypatch.setattr(doctor, "_methods", lambda task: [("gbfs", METHODS["gbfs"])])
    monkeypatch.setattr(doctor, "_embeddings", lambda: Finding("the rest", False, "to get it: look", optional=True))
    ended = cplan("doctor")
    assert ended.code == 3
    assert "does not work: validator VAL\n" in ended.out
    assert "absent the rest" in ended.out and "to get it: look" in ended.out


PLUG_INS = {
    "broken": EntryPoint("broken", "a_module_that_nobody_has:command", "commonsense_planning.commands"),
    "lists": EntryPoint("lists", "commonsense_planning.cli.catalogue:packs", "commonsense_planning.commands"),
}


def test_a_broken_command_is_listed_and_answers_with_its_cause(cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    there = {PLUG_INS["lists"].group: PLUG_INS}
    monkeypatch.setattr("commonsense_planning.support.registry.plug_ins", lambda group: there.get(group, {}))
    assert re.search(r"\n  broken +BROKEN: No module named 'a_module_that_nobody_has'\n", cplan("--help").out)
    assert cplan("lists").code == 0
    for args in (("broken",), ("broken", "--help"), ("broken", "some", "words")):
        cplan(*args).says(3, "the plug-in broken (a_module_that_nobody_has:command) cannot be loaded: ModuleNotFound")


@pytest.mark.parametrize(("once", "now"), MOVED.items())
def test_a_command_that_moved_says_where(once: str, now: str, cplan: Run) -> None:
    cplan(once, "--help").says(2, f"{once} is now cplan {now}")


@pytest.mark.parametrize("name", known_plug_ins()["laboratory"]["groups"][COMMANDS_GROUP])
def test_a_command_of_the_laboratory_says_what_installs_it(name: str, cplan: Run) -> None:
    cplan(name, "--help").says(3, f"cplan {name} is part of cplan's laboratory")


def test_a_laboratory_that_is_beside_the_core_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = tmp_path / "lab" / "bin" / "cplan"
    monkeypatch.setattr("sys.prefix", str(tmp_path))

    def bench() -> str:
        return str(not_installed(COMMANDS_GROUP, "bench", "cplan bench"))

    assert "which is not installed: pip install" in bench()
    beside.parent.mkdir(parents=True)
    beside.touch()
    assert bench().endswith(f"which is not installed here, but in {beside}")


def test_a_validator_of_the_laboratory_is_offered_where_that_is(cplan: Run) -> None:
    there = "virtualhome" in plug_ins(VALIDATORS)
    assert ("virtualhome" in cplan("validate", "--help").out) == there
    if not there:
        cplan("validate", "household:demo", "a", "--with", "virtualhome").says(
            3, "--with virtualhome is part of cplan's"
        )
