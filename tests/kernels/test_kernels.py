"""Kernels: what they load, and that machine code from the store does what Numba's does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pytest

from commonsense_planning.kernels import kernels
from commonsense_planning.kernels.kernels import Kernel, inlined, kernel, long_kernel
from commonsense_planning.kernels.machine_code import Code, Store, Symbols, loader
from tests.data import REPOSITORY

HOUSEHOLD = REPOSITORY / "pddl" / "household"
SOLVE = ["solve", str(HOUSEHOLD / "domain.pddl"), str(HOUSEHOLD / "problems" / "small-apple.pddl"), "--quiet", "--json"]

Numbers = npt.NDArray[Any]


class Pair(NamedTuple):
    """Two arrays, of two kinds."""

    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.float64]


@inlined
def squared(x: int) -> int:
    return x * x


@kernel
def total(numbers: Numbers) -> Any:
    """The sum of all numbers."""
    found = numbers[0] - numbers[0]
    for number in numbers:
        found += number
    return found


@kernel
def sum_of_squares(numbers: Numbers, times: int) -> tuple[int, bool]:
    """What calls other kernels."""
    found = 0
    for number in numbers:
        found += squared(number)
    return found * times, total(numbers) == 0


@kernel
def product(pair: Pair) -> Numbers:
    """A new array."""
    return pair.right * pair.left[0]


@kernel
def write_product(pair: Pair, out: Numbers) -> None:
    out[:] = product(pair)


@long_kernel
def fill(numbers: Numbers, rounds: int) -> None:
    for _ in range(rounds):
        for i in range(len(numbers)):
            numbers[i] += 1


@kernel
def divided(a: int, b: int) -> int:
    return a // b


def compilations(function: Any) -> int:
    """How often Numba was asked for a kernel."""
    return cast(Kernel, function).compilations


def again(function: Any) -> Any:
    """The kernel as a new process would have it."""
    return Kernel(function.__wrapped__)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder."""
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)
    yield tmp_path


def python(program: str, *args: str) -> Any:
    """What a program in a process of its own prints as JSON on its last line."""
    ended = subprocess.run([sys.executable, "-c", program, *args], capture_output=True, text=True, check=True)
    return json.loads(ended.stdout.splitlines()[-1])


def test_a_gbfs_solve_loads_what_it_needs() -> None:
    program = """if True:
        import json, sys
        from commonsense_planning.cli.main import main
        assert main(sys.argv[1:]) == 0
        print(json.dumps(list(sys.modules)))"""
    python(program, *SOLVE, "--method", "gbfs")  # compiles, if nobody has before
    loaded = set(python(program, *SOLVE, "--method", "gbfs"))
    assert {"llvmlite", "tarski"} <= loaded
    assert not {"numba", "scipy", "cffi", "asyncio", "openai", "jinja2", "matplotlib", "unified_planning"} & loaded
    ours = {name.removeprefix("commonsense_planning.") for name in loaded if name.startswith("commonsense_planning.")}
    assert not {"estimate", "solving", "language.embedded", "language.questions", "world.belief"} & ours


def test_numba_and_scipy_are_whole_afterwards() -> None:
    program = """if True:
        import json, sys
        import numpy as np
        from commonsense_planning.kernels.engine import random_below
        from commonsense_planning.kernels import kernels
        at_first = random_below(np.zeros(1, np.uint64), 100)
        random_below.dispatcher(np.zeros(1, np.uint64), 100)  # loads Numba
        before = [name in sys.modules for name in ("scipy", "scipy.linalg", "cffi")]
        import cffi, numba, scipy, scipy.linalg.cython_blas
        @numba.njit
        def product(a, b):
            return np.dot(a, b)
        found = [float(product(np.eye(2), np.eye(2)).sum()), float(scipy.linalg.det(np.eye(2)))]
        same = random_below(np.zeros(1, np.uint64), 100) == at_first
        print(json.dumps([before, found, cffi.FFI().sizeof("char"), same]))"""
    assert python(program) == [[False] * 3, [2.0, 1.0], 1, True]


def test_kinds_of_arguments_are_told_from_each_other(folder: Path) -> None:
    one = again(total)
    wide = np.arange(12).reshape(3, 4)
    cases = [wide[0], wide[:, 1], wide[0].astype(np.int32), wide[0] / 2, wide[0][::-1]]
    assert [one(case) for case in cases] == [case.sum() for case in cases]
    assert one.compilations == 4  # a column and a row backwards are of one kind
    other = again(total)
    assert [other(case) for case in cases] == [case.sum() for case in cases]
    assert other.compilations == 0


def test_kernels_that_call_kernels(folder: Path) -> None:
    for expected in (1, 0):
        one = again(sum_of_squares)
        assert one(np.array([1, 2, -3]), 2) == (28, True)
        assert one.compilations == expected


def test_named_tuples_go_in_and_no_arrays_come_out(folder: Path) -> None:
    pair, out = Pair(np.array([2]), np.array([1.5, 3.5])), np.zeros(2)
    for _ in range(2):
        again(write_product)(pair, out)
        assert out.tolist() == [3.0, 7.0]
        with pytest.raises(TypeError, match="the kernel product gives a array.*let it write into an argument"):
            again(product)(pair)


def test_errors_are_raised(folder: Path) -> None:
    for _ in range(2):
        one = again(divided)
        assert one(7, 2) == 3
        with pytest.raises(ZeroDivisionError):
            one(1, 0)
        with pytest.raises(TypeError):
            one(1)


def test_a_kernel_says_what_it_is() -> None:
    assert (total.__name__, total.__doc__) == ("total", "The sum of all numbers.")


def test_threads_may_call_a_kernel_first(folder: Path) -> None:
    one = again(fill)
    arrays = [np.zeros(10) for _ in range(4)]
    threads = [Thread(target=one, args=(array, 1000)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {value for array in arrays for value in array} == {1000.0}
    assert one.compilations == 1


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_what_is_not_whole_is_compiled_again(folder: Path, damage: bytes | None) -> None:
    again(divided)(7, 2)
    (file,) = folder.glob("*.o")
    file.write_bytes(file.read_bytes()[:-1] if damage is None else damage)
    one = again(divided)
    assert (one(7, 2), one.compilations) == (3, 1)
    assert list(folder.glob("*.o")) == [file]
    assert not list(folder.glob("tmp*"))
    other = again(divided)
    assert (other(7, 2), other.compilations) == (3, 0)


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path / "file" / "folder")
    assert again(divided)(7, 2) == 3


def test_what_calls_something_unknown_is_not_loaded(tmp_path: Path) -> None:
    found = loader()
    assert found is not None
    unknown = Code(Symbols("f", (), ("PyLong_FromLongLong", "no_such_function")), b"")
    assert found.load(unknown, test_a_kernel_says_what_it_is) is None
    store = Store(tmp_path)
    store.write(python, b"(i)", unknown)
    assert store.read(python, b"(i)") == unknown
    assert store.read(python, b"(f)") is None


def test_without_a_loader_numba_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "loader", lambda: None)
    one = again(total)
    assert (one(np.arange(3)), one(np.array([0.5, 0.5]))) == (3, 1.0)
    assert not list(folder.glob("*.o"))
    assert list(folder.rglob("*.nbi"))


def test_another_numba_is_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonsense_planning.kernels.machine_code.HELPERS", {"numba.no_such_module": "numba_"})
    assert loader.__wrapped__() is None


def test_kernels_can_be_left_as_they_are() -> None:
    program = """if True:
        import json, os
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        import numpy as np
        from commonsense_planning.kernels.engine import goal_reached, holds
        print(json.dumps([holds(np.array([4], np.uint64), 2), type(goal_reached.dispatcher).__name__]))"""
    assert python(program) == [True, "function"]


def test_the_folder_goes_by_the_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = []
    for text in ("one", "two", "one"):
        (tmp_path / "source.py").write_text(text)
        monkeypatch.setattr(kernels, "PACKAGE", tmp_path)
        monkeypatch.setattr(kernels, "SOURCES", ("source.py",))
        names.append(kernels.cache_folder.__wrapped__().name)
    assert names[0] == names[2] != names[1]


def test_all_files_that_have_kernels_are_in_the_name_of_the_folder() -> None:
    package = Path(kernels.__file__).parents[1]
    with_kernels = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if any(line in ("@kernel", "@long_kernel", "@inlined") for line in path.read_text().splitlines())
    }
    assert with_kernels <= set(kernels.SOURCES)
