"""Builds the kernels; all else about the package is in setup.cfg.

What was compiled is kept in ``build/kept`` by a hash of its C, so that it is compiled once. ``CPLAN_KERNELS=checked``
has indices checked, ``sanitized`` signed overflow, too. Without a compiler, or Python's headers, nothing is compiled.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, str(Path(__file__).parent))
from building import modules  # noqa: E402
from building.compiler import lacking  # noqa: E402

MODE = os.environ.get("CPLAN_KERNELS", "")
ABI = "0x030B0000"  # what Python 3.11 has and later ones keep
FOLDER = Path("build", "kernels", MODE or "release")
SHARED = f"{modules.PACKAGE}._shared"


def extensions() -> list[Extension]:
    try:
        from Cython.Compiler import Options
    except ImportError:
        sys.exit("cplan: without build isolation, Cython must be there: pip install 'setuptools>=77' 'cython>=3.1,<4'")

    Options.buffer_max_dims = 4  # more than arrays have here; they are passed by value, at 8 with 208 bytes each
    from Cython.Build import cythonize

    folder = FOLDER.joinpath(*modules.PACKAGE.split("."))
    names = modules.write(folder, checked=bool(MODE))
    for package in (folder, folder.parent):
        (package / "__init__.py").touch()
    flags = ["-O1" if MODE else "-O3", "-g0"]
    if MODE == "sanitized":  # where overflow wraps, as Python's flags have it, nobody would look
        flags += ["-fsanitize=signed-integer-overflow", "-fno-wrapv"]
    files = {f"{modules.PACKAGE}.{name}": folder / f"{name}.py" for name in names} | {SHARED: folder / "_shared.c"}
    made = [
        Extension(
            name,
            [str(file)],
            extra_compile_args=flags,
            extra_link_args=flags[2:],
            define_macros=[("Py_LIMITED_API", ABI)],
            py_limited_api=True,
        )
        for name, file in files.items()
    ]
    directives = {"language_level": 3, "infer_types": True, "annotation_typing": False, "cdivision": True}
    directives |= {"boundscheck": bool(MODE), "initializedcheck": bool(MODE), "binding": False}
    return cythonize(
        made,
        include_path=[str(FOLDER)],
        shared_utility_qualified_name=SHARED,
        compiler_directives=directives,
        quiet=True,
    )


class BuildKept(build_ext):
    """Takes from ``build/kept`` what was compiled before."""

    def build_extension(self, ext: Extension) -> None:
        made = Path(self.get_ext_fullpath(ext.name))
        found = hashlib.sha256(repr((ext.extra_compile_args, self.compiler.compiler_so, sys.platform)).encode())
        for source in ext.sources:
            found.update(Path(source).read_bytes())
        kept = Path("build", "kept", found.hexdigest()[:16], made.name)
        if not kept.exists():
            super().build_extension(ext)
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made, kept.with_suffix(f".{os.getpid()}"))
            kept.with_suffix(f".{os.getpid()}").replace(kept)
        made.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(kept, made)

    def run(self) -> None:
        super().run()
        if self.inplace or getattr(self, "editable_mode", False):
            (modules.SOURCES / "built").touch()


missing = lacking()
if missing:
    print(f"cplan: the kernels are not compiled: {', '.join(missing)} wanted", file=sys.stderr)
setup(
    ext_modules=[] if missing else extensions(),
    cmdclass={"build_ext": BuildKept},
    options={"build_ext": {"parallel": os.cpu_count()}, "bdist_wheel": {} if missing else {"py_limited_api": "cp311"}},
)
