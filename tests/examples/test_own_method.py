"""The example of a plug-in: installed, it is a method like any other."""

import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from commonsense_planning.support.registry import plug_ins
from tests.cli.running import Run, cplan
from tests.data import APPLE, REPOSITORY

__all__ = ["cplan"]

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module", autouse=True)
def _plugged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The example is installed, in a separate folder."""
    folder = tmp_path_factory.mktemp("plug-in")
    shutil.copytree(REPOSITORY / "examples" / "own_method", folder / "source")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--target", folder / "site", folder / "source"], check=True, capture_output=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder / "site")
        plug_ins.cache_clear()
        yield
    plug_ins.cache_clear()


def test_it_is_listed_with_the_others(cplan: Run) -> None:
    rows = cplan("methods", "--json").json["methods"]
    assert {"llm-mcts", "own-breadth-first"} <= {row["name"] for row in rows}


def test_its_own_tests_pass() -> None:
    own = runpy.run_path(str(REPOSITORY / "examples" / "own_method" / "test_own_method.py"))
    own["test_it_is_a_method_of_cplan"]()
    own["test_it_gives_up"]()


def test_it_solves_a_task_from_the_command_line(cplan: Run) -> None:
    ended = cplan("solve", *APPLE, "--method", "own-breadth-first", "--json")
    assert (ended.code, ended.json["validators"]["VAL"]) == (0, "valid"), ended.err
    assert cplan("solve", *APPLE, "--method", "own-breadth-first", "--max-states", "5").code == 4


def test_its_settings_are_options_with_help_and_range(cplan: Run) -> None:
    told = cplan("solve", "--method", "own-breadth-first", "--help").out
    assert "Options of own-breadth-first" in told
    assert "--max-states" in told
    wrong = cplan("solve", *APPLE, "--method", "own-breadth-first", "--max-states", "0")
    assert (wrong.code, "max-states must be at least 1, not 0" in wrong.err) == (2, True)
    other = cplan("solve", *APPLE, "--method", "gbfs", "--max-states", "5")
    assert "--max-states belongs to own-breadth-first, not to gbfs" in other.err
