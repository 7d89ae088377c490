"""The wheels without the checkout: built, installed into an empty environment, and used from an empty folder, on each
Python that setup.cfg declares and this machine has, with the newest and with the lowest versions of what it needs that
setup.cfg allows. ``make test-wheel``; it takes some minutes for each. ``make test-lowest``: the lowest alone."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.chat_server import ChatServer
from tests.data import REPOSITORY
from tests.pythons import declared, python_of

pytestmark = pytest.mark.wheel


CERTIFICATES = {name: value for name, value in os.environ.items() if name.startswith("SSL_CERT_")}
"""As they are before the fixture for all tests hides them: installing asks the package index."""


def environment() -> dict[str, str]:
    """The environment without what concerns this checkout, and without CI's pins."""
    ours = ("PYTHON", "VIRTUAL_ENV", "CPLAN_", "PIP_CONSTRAINT", "SSL_CERT_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | CERTIFICATES


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it, and an empty folder outside of the repository with a cache of its own."""

    python: str  # that the environment was made with
    lowest: bool
    bin: Path
    folder: Path

    def run(self, *words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        own = environment() | {"XDG_CACHE_HOME": str(self.folder / "cache"), "HOME": str(self.folder)}
        command = [self.bin / words[0], *words[1:]]
        return subprocess.run(command, cwd=folder or self.folder, env=own, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what git knows, in which no earlier build has left anything."""
    source = tmp_path_factory.mktemp("source")
    files = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    for file in files.stdout.split("\0")[:-1]:
        (source / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / file, source / file, follow_symlinks=False)
    return source


@pytest.fixture(scope="module")
def wheels(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the core's wheel and the laboratory's."""
    out = tmp_path_factory.mktemp("wheels")
    command: list[str | Path] = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out]
    subprocess.run([*command, source, source / "lab"], check=True)
    return out


@pytest.fixture(scope="module")
def wheel(wheels: Path) -> Path:
    """The core's."""
    (built,) = wheels.glob("commonsense_planning-*.whl")
    return built


@pytest.fixture(scope="module")
def sdist(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sdist")
    command: list[str | Path] = [sys.executable, "-m", "uv", "build", "--quiet", "--sdist", "--out-dir", out, source]
    subprocess.run(command, env=environment(), check=True)
    (built,) = out.glob("*.tar.gz")
    return built


@pytest.mark.parametrize("version", declared())
def test_each_python_compiles_the_kernels_of_the_source(version: str, sdist: Path, tmp_path: Path) -> None:
    python = python_of(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    command: list[str | Path] = [python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, sdist]
    subprocess.run(command, env=environment(), check=True)
    (built,) = tmp_path.glob("*.whl")
    compiled = [name for name in ZipFile(built).namelist() if name.endswith(".abi3.so")]
    assert "-cp311-abi3-" in built.name and len(compiled) > 10


PIP = ("{python}", "-m", "pip", "install", "--quiet")
LOWEST = (
    *(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", "{python}"),
    *("--resolution", "lowest-direct", "--only-binary", ":all:"),
)
"""Of what the command line names, with what ``named`` adds, the lowest versions of which there are wheels."""


def named(folder: str = "", *extras: str) -> list[str]:
    """The requirements of a ``setup.cfg``, and of some of its extras."""
    setup = ConfigParser()
    setup.read(REPOSITORY / folder / "setup.cfg", encoding="utf-8")
    texts = [setup["options"]["install_requires"], *(setup["options.extras_require"][extra] for extra in extras)]
    return [line for text in texts for line in text.splitlines() if line]


@pytest.fixture(
    scope="module",
    params=[(python, installer) for python in declared() for installer in (PIP, LOWEST)],
    ids=lambda param: f"{param[0]}-{'newest' if param[1] is PIP else 'lowest'}",
)
def installed(
    request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installed]:
    version, installer = request.param
    python = python_of(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    place = tmp_path_factory.mktemp("environment")
    subprocess.run([python, "-m", "venv", place], check=True)
    command = [word.format(python=place / "bin" / "python") for word in installer]
    subprocess.run([*command, wheel, *(named() if installer is LOWEST else [])], env=environment(), check=True)
    folder = tmp_path_factory.mktemp("empty")
    yield Installed(python, installer is LOWEST, place / "bin", folder)
    shutil.rmtree(place)  # half a gigabyte each


def test_the_first_plan_is_made_by_compiled_kernels(installed: Installed) -> None:
    first = installed.run("cplan", "solve", "household:demo")
    assert (first.returncode, first.stderr) == (0, "")
    assert "VAL     valid" in first.stdout
    assert not (installed.folder / "cache").exists()  # nothing is kept that could be damaged


def test_python_reads_packs(installed: Installed) -> None:
    code = (
        "import commonsense_planning as cplan\n"
        "task = cplan.read_task('flights:short-oslo-athens')\n"
        "print(cplan.__file__, task.problem.domain_file, task.prompts)\n"
        "print(cplan.solve(cplan.Request(task, cplan.METHODS['gbfs'])).status)"
    )
    ended = installed.run("python", "-c", code)
    assert ended.returncode == 0, ended.stderr
    files, status = ended.stdout.splitlines()
    assert all(file.startswith(str(installed.bin.parent)) for file in files.split())
    assert status == "solved"


def test_doctor_passes(installed: Installed) -> None:
    ended = installed.run("cplan", "doctor")
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.endswith("everything works\n")


def test_every_problem_is_there(installed: Installed) -> None:
    packs = sorted((REPOSITORY / "pddl").glob("*/problems/*.pddl"))
    listed = installed.run("cplan", "packs").stdout
    assert all(f"{file.parents[1].name}:{file.stem} " in listed for file in packs)
    for pack in ("household", "virtualhome", "kitchen", "flights"):
        assert installed.run("cplan", "check", pack).returncode == 0


def test_an_endpoint_answers(installed: Installed) -> None:
    with ChatServer(lambda messages: "Inside fridge, On kitchen table.") as server:
        asked = ("--model", "openai:m", "--base-url", server.base_url, "--ask-by", "samples", "--samples", "2")
        ended = installed.run("cplan", "solve", "household:small-apple", *asked, "--simulations", "5", "--retries", "0")
    assert ended.returncode == 0, ended.stderr
    assert server.requests
    assert "without a usable answer" not in ended.stdout


def test_a_wrong_command_line_is_said(installed: Installed) -> None:
    ended = installed.run("cplan", "solve", "household:small-apple", "--seed", "x")
    assert (ended.returncode, "Traceback" in ended.stderr) == (2, False)
    assert installed.run("cplan").returncode == 2


def test_a_new_domain_is_solved(installed: Installed) -> None:
    assert installed.run("cplan", "new-domain", "attic").returncode == 0
    assert installed.run("cplan", "solve", "attic:first").returncode == 0


SPEAKING = ("grounding", "interfaces", "llm", "planners", "validation")
"""The rooms that speak with other libraries most."""


def test_rooms_that_use_other_libraries_pass_with_the_lowest(installed: Installed, wheel: Path) -> None:
    if not installed.lowest or installed.python != sys.executable:
        pytest.skip("the lowest versions on the Python that runs the tests are enough")
    command = [word.format(python=installed.bin / "python") for word in LOWEST]
    subprocess.run([*command, f"{wheel}[test]", *named("", "test")], env=environment(), check=True)
    rooms = [f"tests/{room}" for room in SPEAKING]
    ended = installed.run("python", "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", *rooms, folder=REPOSITORY)
    assert ended.returncode == 0, ended.stdout[-8000:]


def test_without_the_laboratory_its_commands_say_what_installs_it(installed: Installed) -> None:
    ended = installed.run("cplan", "bench", "household")
    assert ended.returncode == 3 and "pip install 'commonsense-planning[lab]'" in ended.stderr


@pytest.fixture(scope="module")
def laboratory(installed: Installed, wheels: Path) -> Installed:
    """The same environment, where the extra was asked for in the end."""
    installer = LOWEST if installed.lowest else PIP
    command = [word.format(python=installed.bin / "python") for word in installer]
    (lab,) = wheels.glob("commonsense_planning_lab-*.whl")
    needs = [*named(), *named("lab")] if installed.lowest else []
    subprocess.run([*command, "--find-links", wheels, lab, *needs], env=environment(), check=True)
    return installed


@pytest.mark.parametrize("experiment", [
    "household --tables 2 --tasks watch-tv --repeats 1",
    "kitchen --tasks 1 --levels easy",
    "misplaced --tasks 1 --methods llm-replan",
    "multiplication --digits 1 --tasks 1 --seeds 1",
    "rearrangement --tables 1 --methods llm-replan --settings simple --tasks 2 --seeds 1",
], ids=lambda line: line.partition(" ")[0])  # fmt: skip
def test_experiments_run(laboratory: Installed, experiment: str) -> None:
    out = experiment.partition(" ")[0]
    ended = laboratory.run("cplan", "bench", *experiment.split(), "--workers", "1", "-o", out)
    assert ended.returncode == 0, ended.stderr
    assert "0 failed" in ended.stdout
    assert (laboratory.folder / out / "report.html").is_file()


def test_other_pythons_are_refused() -> None:
    setup = ConfigParser()
    setup.read(REPOSITORY / "setup.cfg", encoding="utf-8")
    first, last = declared()[0], declared()[-1]
    assert setup["options"]["python_requires"] == f">={first}, <3.{int(last.partition('.')[2]) + 1}"
