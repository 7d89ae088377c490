"""How the kernels are built: their types, what is missing where they cannot be, and that they run all the same."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import commonsense_planning
from building.compiler import lacking
from building.modules import Module, write
from building.types import variables
from commonsense_planning.kernels.kernel import NOT_COMPILED, STALE, tell
from tests.data import REPOSITORY
from tests.pythons import declared, python_of


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    write(folder, checked=False)
    return folder


def test_the_type_of_every_variable_of_a_kernel_is_known(written: Path) -> None:
    """What is not known would be a Python object, and slow, where a kernel holds the GIL."""
    unknown = [
        f"{module.name}.{kernel.name}: {n.id}"
        for module in Module.all.values()
        for kernel in module.kernels.values()
        for n in ast.walk(kernel.node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id not in variables(kernel.node, module)
    ]
    assert unknown == ["landmarks.ordered: found"]  # which NumPy makes


def test_what_is_written_is_the_same_every_time(written: Path, tmp_path: Path) -> None:
    code = f"from building.modules import write; from pathlib import Path; write(Path({str(tmp_path)!r}), False)"
    subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, env={**os.environ, "PYTHONHASHSEED": "7"}, check=True)
    for file in written.iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()


@pytest.mark.parametrize(("compiler", "missing"), [
    (None, ["gcc", "libc6-dev", "python3-dev"]),
    ("exit 1", ["libc6-dev", "python3-dev"]),
    ("! grep -q Python.h", ["python3-dev"]),
    ("cat", []),
])  # fmt: skip
def test_what_is_missing_is_named(
    compiler: str | None, missing: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "cc"
    if compiler is not None:
        script.write_text(f"#!/bin/sh\n{compiler}\n")
        script.chmod(0o755)
    monkeypatch.setenv("CC", f"{script} -pthread")
    assert lacking() == missing


@pytest.mark.parametrize("version", declared())
def test_the_headers_of_each_python_are_found(version: str) -> None:
    """Since 3.13, Python.h includes others by their place below its folder."""
    python = python_of(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    code = "from building.compiler import lacking; print(lacking())"
    ended = subprocess.run([python, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


def test_without_cython_a_sentence_says_what_to_install() -> None:
    code = "import sys; sys.modules['Cython'] = None; sys.argv[1:] = ['egg_info']; exec(open('setup.py').read())"
    code = f"__file__ = 'setup.py'; {code}"
    ended = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1), ended.stderr
    assert "pip install 'setuptools>=77' 'cython" in ended.stderr


@pytest.mark.parametrize(("edited", "said"), [(None, []), (1, []), (3, [STALE])])
def test_a_stale_build_gives_a_warning(
    edited: int | None, said: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name, time in (("engine.abi3.so", 2), ("built", None if edited is None else 2), ("engine.py", edited or 3)):
        if time is not None:
            (tmp_path / name).touch()
            os.utime(tmp_path / name, (time, time))
    tell(tmp_path)
    assert caplog.messages == said


def test_kernels_run_where_they_were_not_compiled(tmp_path: Path) -> None:
    package = Path(commonsense_planning.__file__).parent
    shutil.copytree(package, tmp_path / package.name, ignore=shutil.ignore_patterns("*.so", "__pycache__", "built"))
    code = "import sys; from commonsense_planning.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "solve", "household:small-apple", "--method", "gbfs", "--quiet"]
    ended = [
        subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
        for path in (str(tmp_path), "")
    ]
    assert [each.returncode for each in ended] == [0, 0]
    assert [each.stderr for each in ended] == [f"cplan: {NOT_COMPILED}\n", ""]
    plans = [[line for line in each.stdout.splitlines() if not line.startswith("  plan")] for each in ended]
    assert plans[0] == plans[1]
