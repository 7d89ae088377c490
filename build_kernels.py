"""What Cython compiles of the kernels: of each file a copy in pure Python mode, and the .pxd with its types.

A kernel is a function of ``src/commonsense_planning/kernels`` under ``@kernel`` or ``@inline``; the types are those of its
annotations, as ``VIEWS`` and ``SCALARS`` have them. The copy differs from the file, line by line, in what C wants:
constants are written out, casts are C's, and kernels of other files are named in the .pxd (``inline`` ones with their
body). What takes a NamedTuple of arrays becomes a C function that takes a ``cdef class``, and a door that makes it of
the tuple and lets go of the GIL.
"""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

PACKAGE = "commonsense_planning.kernels"
SOURCES = Path(__file__).parent / "src/commonsense_planning/kernels"
VIEWS = {
    "Table": "const int[::1]", "Int32": "int[::1]", "Int32Rows": "int[:, ::1]", "Int32Planes": "int[:, :, ::1]",
    "Int64": "long long[::1]", "Entries": "long long[:, ::1]", "Flags": "unsigned char[::1]",
    "Bytes": "signed char[::1]", "ByteRows": "signed char[:, ::1]", "BytePlanes": "signed char[:, :, ::1]",
    "ConstState": "const unsigned long long[::1]", "State": "unsigned long long[::1]", "Sets": "unsigned long long[:, ::1]", "ConstSets": "const unsigned long long[:, ::1]",
    "Floats": "double[::1]", "FloatRows": "double[:, ::1]",
}  # fmt: skip
SCALARS = {"int": "Py_ssize_t", "bool": "bint", "float": "double", "np.uint64": "unsigned long long", "None": "void"}
CASTS = {
    "int": "i64", "np.int64": "i64", "bool": "flag", "np.uint64": "u64", "np.int32": "i32", "np.uint32": "u32",
    "trailing_zeros": "ctz",
}  # fmt: skip
RESULTS = {"i64": "Py_ssize_t", "flag": "bint", "u64": "unsigned long long", "i32": "Py_ssize_t", "u32": "unsigned long long", "ctz": "Py_ssize_t"}
PRELUDE = '''cdef extern from *:
    """
    #define i64(x) ((Py_ssize_t)(x))
    #define flag(x) ((x) != 0)
    #define u64(x) ((unsigned long long)(x))
    #define i32(x) ((int)(x))
    #define u32(x) ((unsigned int)(x))
    #define ctz(x) ((Py_ssize_t)__builtin_ctzll(x))
    """
    Py_ssize_t i64(...) noexcept nogil
    bint flag(...) noexcept nogil
    unsigned long long u64(unsigned long long x) noexcept nogil
    int i32(unsigned long long x) noexcept nogil
    unsigned int u32(int x) noexcept nogil
    Py_ssize_t ctz(unsigned long long x) noexcept nogil
'''


class Word(int):
    """A constant of 64 bits without a sign."""


def c_type(annotation: ast.expr | None) -> str:
    """The C type; that of a NamedTuple of arrays is its class, and what is no type of kernels is an object."""
    text = ast.unparse(annotation) if annotation else "None"
    if isinstance(annotation, ast.Subscript) and text.startswith("tuple["):
        parts = [c_type(part) for part in annotation.slice.elts]  # type: ignore[attr-defined]
        return "object" if any("[" in part or part == "object" for part in parts) else f"({', '.join(parts)})"
    return VIEWS.get(text) or SCALARS.get(text) or (f"C_{text}" if text in Module.tuples else "object")


class Kernel:
    """A function to be compiled."""

    def __init__(self, module: Module, node: ast.FunctionDef, inline: bool) -> None:
        self.module, self.node, self.inline, self.name = module, node, inline, node.name
        calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
        self.arrays = any(ast.unparse(c.func).startswith("np.") and ast.unparse(c.func) not in CASTS for c in calls)
        self.args = {a.arg: c_type(a.annotation) for a in node.args.args}
        self.door = any(type.startswith("C_") for type in self.args.values())
        self.result = c_type(node.returns)
        if "[" in self.result:  # arrays that are made are NumPy's
            self.result = "object"
        self.calls = {c.func.id for c in calls if isinstance(c.func, ast.Name)}

    @property
    def c_name(self) -> str:
        return f"c_{self.name}" if self.door else self.name

    @property
    def holds_gil(self) -> bool:
        called = [k for k in map(self.module.kernel, self.calls - {self.name}) if k]
        return self.arrays or self.result == "object" or any(k.holds_gil for k in called)

    def types(self) -> dict[str, str]:
        """Of the local variables, and the arguments, whose type is known."""
        found = dict(self.args)
        for n in ast.walk(self.node):
            if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name):
                found[n.target.id] = c_type(n.annotation)
            elif isinstance(n, ast.For) and isinstance(n.target, ast.Name):
                found[n.target.id] = "Py_ssize_t"
        given = set(found)
        for _ in range(4):  # what hangs on what comes later is known in the end
            for n in ast.walk(self.node):
                for target, value in assigned(n):
                    if isinstance(target, ast.Name) and target.id not in given:
                        type = self.type_of(value, found)
                        if type is not None and found.get(target.id) in (None, "bint", type):
                            found[target.id] = type
        return found

    def type_of(self, e: ast.expr, known: dict[str, str]) -> str | None:
        match e:
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return "bint"
            case ast.Constant(value=bool()):
                return "bint"
            case ast.Constant(value=int()):
                return "Py_ssize_t"
            case ast.Constant(value=float()):
                return "double"
            case ast.Name() | ast.Attribute() if (constant := self.module.constant(e)) is not None:
                return "unsigned long long" if isinstance(constant, Word) else "double" if isinstance(constant, float) else "Py_ssize_t"
            case ast.Name(id=name):
                return known.get(name)
            case ast.Attribute(value=ast.Name(id=name), attr=field):
                return Module.tuples.get(known.get(name, "")[2:], {}).get(field)
            case ast.Subscript(value=ast.Attribute(attr="shape")):
                return "Py_ssize_t"
            case ast.Subscript(value=base, slice=at):
                view = self.type_of(base, known) or ""
                indices = at.elts if isinstance(at, ast.Tuple) else [at]
                if "[" not in view or any(isinstance(i, ast.Slice) for i in indices):
                    return view if "[::1]" in view and "[" in view else None
                left = view.count(":") - 1 - len(indices)
                element = view[: view.index("[")]
                if left > 0:
                    return f"{element}[{':, ' * (left - 1)}::1]"
                return {"const unsigned long long": "unsigned long long", "unsigned long long": "unsigned long long", "double": "double"}.get(element, "Py_ssize_t")
            case ast.Call(func=f):
                name = ast.unparse(f)
                called = self.module.kernel(name)
                if called:
                    return called.result
                if name in ("min", "max"):
                    return self.type_of(ast.BinOp(e.args[0], ast.Add(), e.args[1]), known)
                return "Py_ssize_t" if name == "len" else RESULTS.get(CASTS.get(name, ""))
            case ast.UnaryOp(operand=of):
                return self.type_of(of, known)
            case ast.BinOp(left=a, right=b) | ast.IfExp(body=a, orelse=b):
                kinds = {self.type_of(a, known), self.type_of(b, known)} - {"bint"}
                return None if None in kinds or any("[" in str(kind) for kind in kinds) else max(kinds, default="bint", key=["Py_ssize_t", "unsigned long long", "double"].index)
        return None

    def signature(self, checked: bool) -> str:
        kind = "cdef" if self.door or self.name.startswith("_") else "cpdef"
        raises = " except *" if self.result == "void" or self.result[0] == "(" else " except? -1"
        if self.result == "object":
            raises = ""
        elif not checked and not self.holds_gil:
            raises = " noexcept"
        args = ", ".join(f"{type} {name}" for name, type in self.args.items())
        return (
            f"{kind} {self.result} {self.c_name}({args}){raises}{' nogil' * (not self.holds_gil)}"
        )


def assigned(n: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """What a statement assigns to which names."""
    if isinstance(n, ast.AugAssign):
        return [(n.target, ast.BinOp(n.target, n.op, n.value))]
    if not isinstance(n, ast.Assign):
        return []
    pairs = []
    for target in n.targets:
        if isinstance(target, ast.Tuple) and isinstance(n.value, ast.Tuple):
            pairs += zip(target.elts, n.value.elts, strict=True)
        elif isinstance(target, ast.Tuple):
            pairs += [(name, ast.Constant(0)) for name in target.elts]
        else:
            pairs.append((target, n.value))
    return pairs


class Module:
    """A file of kernels."""

    all: dict[str, Module] = {}
    tuples: dict[str, dict[str, str]] = {}  # NamedTuple → its fields and their types
    home: dict[str, str] = {}  # NamedTuple → its module

    def __init__(self, path: Path) -> None:
        self.name, self.lines = path.stem, path.read_text(encoding="utf-8").splitlines()
        self.tree = ast.parse("\n".join(self.lines))
        self.kernels: dict[str, Kernel] = {}
        self.imported: dict[str, tuple[str, str]] = {}  # name here → module, name there
        self.constants: dict[str, Any] = {}
        Module.all[self.name] = self
        for node in self.tree.body:
            match node:
                case ast.ImportFrom(module=str(source)) if source.startswith(PACKAGE):
                    for alias in node.names:
                        self.imported[alias.asname or alias.name] = (source[len(PACKAGE) + 1 :], alias.name)
                case ast.ClassDef(bases=[ast.Name(id="NamedTuple")]):
                    fields = [n for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
                    Module.tuples[node.name] = {n.target.id: c_type(n.annotation) for n in fields}  # type: ignore[union-attr]
                    Module.home[node.name] = self.name

    def read(self) -> None:
        """Once all are there."""
        numpy = SimpleNamespace(uint64=Word, inf=float("inf"))
        for node in self.tree.body:
            if isinstance(node, ast.Assign):
                known = {name: self.constant(ast.Name(name)) for name in self.imported} | self.constants
                places = {name: SimpleNamespace(**Module.all[there].constants) for name, (m, there) in self.imported.items() if m == "" and there in Module.all}
                scope: dict[str, Any] = {**known, **places, "np": numpy}
                try:
                    exec(compile(ast.Module([node], []), self.name, "exec"), scope)
                except (AttributeError, NameError, TypeError):
                    continue
                names = {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
                self.constants |= {name: scope[name] for name in names if isinstance(scope[name], int | float)}
            elif isinstance(node, ast.FunctionDef) and node.decorator_list:
                mark = ast.unparse(node.decorator_list[0])
                if mark in ("kernel", "inline"):
                    self.kernels[node.name] = Kernel(self, node, mark == "inline")

    def constant(self, e: ast.expr) -> int | None:
        match e:
            case ast.Name(id=name) if name in self.imported:
                module, there = self.imported[name]
                return Module.all[module].constants.get(there) if module in Module.all else None
            case ast.Name(id=name):
                return self.constants.get(name)
            case ast.Attribute(value=ast.Name(id=place), attr=name) if self.imported.get(place, ("x",))[0] == "":
                return Module.all[self.imported[place][1]].constants.get(name)
        return None

    def kernel(self, name: str) -> Kernel | None:
        module, there = self.imported.get(name, (self.name, name))
        return Module.all[module].kernels.get(there) if module in Module.all else None

    def edits(self, kernel: Kernel) -> list[tuple[int, int, int, str]]:
        """What to write in its body: line, from, to, text."""
        found, local = [], kernel.types()
        for n in [m for part in kernel.node.body for m in ast.walk(part)]:
            text = None
            if isinstance(n, ast.Call) and (cast := CASTS.get(ast.unparse(n.func))):
                n, text = n.func, cast
            elif isinstance(n, ast.Name | ast.Attribute) and (value := self.constant(n)) is not None:
                if not (isinstance(n, ast.Name) and n.id in local):
                    text = f"u64({value:#x})" if isinstance(value, Word) else repr(value).replace("inf", "1e999")
            elif isinstance(n, ast.Name) and n.id not in local and (called := self.kernel(n.id)) and called.door:
                text = called.c_name
            if text is not None:
                found.append((n.lineno - 1, n.col_offset, n.end_col_offset, text))
        return found

    def copied(self) -> list[str]:
        """The lines of the file as Cython gets it, with the doors at the end."""
        lines = [line.encode() for line in self.lines]
        edits = [edit for kernel in self.kernels.values() for edit in self.edits(kernel)]
        for i, first, last, text in sorted(set(edits), reverse=True):
            lines[i] = lines[i][:first] + text.encode() + lines[i][last:]
        out = [line.decode() for line in lines]
        for kernel in self.kernels.values():
            out[kernel.node.decorator_list[0].lineno - 1] = "@cython.wraparound(False)"
            at = kernel.node.lineno - 1
            out[at] = out[at].replace(f"def {kernel.name}(", f"def {kernel.c_name}(")
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                kept = [a for a in node.names if not self.kernel(a.asname or a.name)]
                node = ast.ImportFrom(node.module, kept, 0, lineno=node.lineno, end_lineno=node.end_lineno)
                out[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
                out[node.lineno - 1] = ast.unparse(node) if kept else ""
        out = [line.replace("import annotations", "import annotations; import cython") for line in out]
        out += [*(line for k in self.kernels.values() if k.door and not k.name.startswith("_") for line in door(k))]
        for name in [name for name in Module.tuples if Module.home[name] == self.name]:
            fields = Module.tuples[name]
            out += [f"class C_{name}:", f"    def __init__(self, {', '.join(fields)}):"]
            out += [f"        self.{field} = {field}" for field in fields]
        return out

    def pxd(self, checked: bool) -> list[str]:
        out = ["cimport cython", f"from {PACKAGE}._c cimport *"]
        wanted = {type[2:] for k in self.kernels.values() for type in k.args.values() if type.startswith("C_")}
        out += [f"from {PACKAGE}.{Module.home[name]} cimport C_{name}" for name in sorted(wanted) if Module.home[name] != self.name]
        for name in [name for name in Module.tuples if Module.home[name] == self.name]:
            out += ["@cython.final", f"cdef class C_{name}:", *(f"    cdef {type} {field}" for field, type in Module.tuples[name].items())]
        pasted: dict[str, list[str]] = {}
        for called in filter(None, map(self.kernel, self.imported)):
            called.module.paste(called, pasted, checked)
        for lines in pasted.values():
            out += lines
        for kernel in self.kernels.values():
            types = {n: t for n, t in kernel.types().items() if n not in kernel.args and t != "object"}
            if types:
                out.append("@cython.locals(" + ", ".join(f'{name}="{type}"' for name, type in types.items()) + ")")
            out.append(kernel.signature(checked))
        return out

    def paste(self, kernel: Kernel, pasted: dict[str, list[str]], checked: bool) -> None:
        """Name a kernel of this file in the .pxd of another, with its body if it is inline."""
        if kernel.name in pasted:
            return
        if not kernel.inline:
            pasted[kernel.name] = [f"from {PACKAGE}.{self.name} cimport {kernel.c_name}"]
            return
        for name in sorted(kernel.calls):
            called = self.kernel(name)
            if called:
                called.module.paste(called, pasted, checked)
        lines = [line.encode() for line in self.lines]
        for i, first, last, text in sorted(set(self.edits(kernel)), reverse=True):
            lines[i] = lines[i][:first] + text.encode() + lines[i][last:]
        body = kernel.node.body[1:] if ast.get_docstring(kernel.node) else kernel.node.body
        types = {n: t for n, t in kernel.types().items() if n not in kernel.args}
        head = kernel.signature(checked).replace("cpdef", "cdef").replace("cdef", "cdef inline") + ":"
        text = [line.decode() for line in lines[body[0].lineno - 1 : kernel.node.end_lineno]]
        pasted[kernel.name] = ["@cython.wraparound(False)", head, *(f"    cdef {type} {name}" for name, type in types.items()), *text]


def door(kernel: Kernel) -> list[str]:
    """The Python function that takes the tuples."""
    types = {name: type for name, type in kernel.args.items() if not type.startswith("C_")}
    tuples = {name: type for name, type in kernel.args.items() if type.startswith("C_")}
    types |= {f"{name}_": type for name, type in tuples.items()}
    if kernel.result not in ("void", "object") and not kernel.result.startswith("("):
        types["found_"] = kernel.result
    call = f"{kernel.c_name}({', '.join(f'{a}_' if a in tuples else a for a in kernel.args)})"
    gives = "found_ = " * ("found_" in types)
    lines = ["@cython.locals(" + ", ".join(f'{name}="{type}"' for name, type in types.items()) + ")"]
    lines += [f"def {kernel.name}({', '.join(kernel.args)}):"]
    lines += [f"    {name}_ = {type}(*{name})" for name, type in tuples.items()]
    if kernel.holds_gil or kernel.result.startswith("("):
        return [*lines, f"    return {call}"]
    return [*lines, "    with cython.nogil:", f"        {gives}{call}", *(["    return found_"] if gives else [])]


def write(folder: Path, checked: bool) -> list[str]:
    """Write the copies and the .pxd files into ``folder``; the names of what is to be compiled."""
    modules = [Module(path) for path in sorted(SOURCES.glob("*.py")) if path.stem != "__init__"]
    for _ in range(3):
        for module in modules:
            module.read()
    folder.mkdir(parents=True, exist_ok=True)
    found = [module for module in modules if module.kernels]
    (folder / "__init__.py").touch()
    (folder / "_c.pxd").write_text(PRELUDE)
    for module in found:
        (folder / f"{module.name}.pxd").write_text("\n".join(module.pxd(checked)) + "\n", encoding="utf-8")
        (folder / f"{module.name}.py").write_text("\n".join(module.copied()) + "\n", encoding="utf-8")
    return [module.name for module in found]


def fingerprint() -> str:
    """A hash of the kernels' files."""
    found = hashlib.sha256()
    for source in sorted(SOURCES.glob("*.py")):
        found.update(f"{source.name}\n".encode() + source.read_bytes())
    return found.hexdigest()
