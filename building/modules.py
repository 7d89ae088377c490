"""What Cython compiles of the kernels: of each file a copy in pure Python mode, and a .pxd with its types.

A kernel is a function of ``kernels/`` under ``@kernel`` or ``@inline``; its types are those of its annotations, see
``types``. The copy differs from the file, line by line, in what C wants: constants are written out, casts are C's, and
kernels of other files are named in the .pxd, ``inline`` ones with their body. What takes a NamedTuple of arrays becomes
a C function that takes a class of memoryviews, and a door, which makes it of the tuple and lets go of the GIL.
"""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace

from building.types import CASTS, OBJECT, TUPLES, Word, annotated, variables

PACKAGE = "commonsense_planning.kernels"
SOURCES = Path(__file__).parents[1] / "src/commonsense_planning/kernels"
UNBOUND = "@cython.wraparound(False)"
PRELUDE = '''cdef extern from *:
    """
    #define i64(x) ((Py_ssize_t)(x))
    #define flag(x) ((x) != 0)
    #define u64(x) ((unsigned long long)(x))
    #define i32(x) ((int)(x))
    #define u32(x) ((unsigned int)(x))
    #define ctz(x) ((Py_ssize_t)__builtin_ctzll(x))
    #include <time.h>
    static int heed(void) { /* takes the GIL every 50 ms only */
        static _Thread_local long long before;
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
        long long here = 20LL * now.tv_sec + now.tv_nsec / 50000000;
        if (here == before) return 0;
        before = here;
        PyGILState_STATE state = PyGILState_Ensure();
        int raised = PyErr_CheckSignals();
        PyGILState_Release(state);
        return raised;
    }
    """
    Py_ssize_t i64(...) noexcept nogil
    bint flag(...) noexcept nogil
    unsigned long long u64(unsigned long long x) noexcept nogil
    int i32(unsigned long long x) noexcept nogil
    unsigned int u32(int x) noexcept nogil
    Py_ssize_t ctz(unsigned long long x) noexcept nogil
    int heed() except -1 nogil
'''


class Kernel:
    """A function to be compiled."""

    def __init__(self, module: Module, node: ast.FunctionDef) -> None:
        self.module, self.node, self.name = module, node, node.name
        self.inline = ast.unparse(node.decorator_list[0]) == "inline"
        called = {ast.unparse(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
        self.calls = sorted(called - {self.name})
        self.args = {a.arg: annotated(a.annotation) for a in node.args.args}
        self.tuples = {f"{name}_": kind for name, kind in self.args.items() if kind.startswith("C_")}
        self.c_name = f"c_{self.name}" if self.tuples else self.name
        result = annotated(node.returns)
        self.result = OBJECT if "[" in result else result  # arrays that are made are NumPy's
        self.makes = self.result == OBJECT or any(name.startswith("np.") and name not in CASTS for name in called)

    def holds_gil(self) -> bool:
        return self.makes or any(k.holds_gil() for k in map(self.module.kernel, self.calls) if k)

    def may_raise(self) -> bool:
        return "check_signals" in self.calls or any(k.may_raise() for k in map(self.module.kernel, self.calls) if k)

    def locals(self) -> dict[str, str]:
        found = variables(self.node, self.module)
        return {name: kind for name, kind in found.items() if name not in self.args and kind != OBJECT}

    def signature(self, checked: bool) -> str:
        kind = "cdef" if self.tuples or self.name.startswith("_") else "cpdef"
        raises = " except *" if self.result[0] in "(v" else " except? -1"
        if self.result == OBJECT or not (checked or self.holds_gil() or self.may_raise()):
            raises = "" if self.result == OBJECT else " noexcept"
        args = ", ".join(f"{kind} {name}" for name, kind in self.args.items())
        return f"{kind} {self.result} {self.c_name}({args}){raises}{'' if self.holds_gil() else ' nogil'}"

    def pasted(self, checked: bool) -> list[str]:
        """It in the .pxd of another file: its name, or if it is inline its body and whatever that calls."""
        if not self.inline:
            return [f"from {PACKAGE}.{self.module.name} cimport {self.c_name}"]
        called = [line for k in map(self.module.kernel, self.calls) if k for line in k.pasted(checked)]
        head = self.signature(checked).replace("cpdef", "cdef").replace("cdef", "cdef inline")
        body = self.node.body[1 if ast.get_docstring(self.node) else 0]
        lines = self.module.edited()[body.lineno - 1 : self.node.end_lineno]
        text = "\n".join([UNBOUND, f"{head}:", *(f"    cdef {kind} {n}" for n, kind in self.locals().items()), *lines])
        return [*called, text]

    def door(self) -> list[str]:
        """The Python function that takes the tuples."""
        kinds = {name: kind for name, kind in self.args.items() if f"{name}_" not in self.tuples} | self.tuples
        call = f"{self.c_name}({', '.join(n if f'{n}_' not in self.tuples else f'{n}_' for n in self.args)})"
        if self.holds_gil() or self.result[0] == "(":
            end = [f"    return {call}"]
        elif self.result == "void":
            end = ["    with cython.nogil:", f"        {call}"]
        else:
            kinds["found_"] = self.result
            end = ["    with cython.nogil:", f"        found_ = {call}", "    return found_"]
        made = [f"    {name} = {kind}(*{name[:-1]})" for name, kind in self.tuples.items()]
        return [located(kinds), f"def {self.name}({', '.join(self.args)}):", *made, *end]


def located(kinds: dict[str, str]) -> str:
    return "@cython.locals(" + ", ".join(f'{name}="{kind}"' for name, kind in kinds.items()) + ")"


class Module:
    """A file of kernels."""

    all: dict[str, Module] = {}

    def __init__(self, path: Path) -> None:
        self.name, text = path.stem, path.read_text(encoding="utf-8")
        self.lines, self.tree = text.splitlines(), ast.parse(text)
        self.imports = [n for n in self.tree.body if isinstance(n, ast.ImportFrom) and PACKAGE in str(n.module)]
        names = [(str(n.module)[len(PACKAGE) + 1 :], alias) for n in self.imports for alias in n.names]
        self.imported = {alias.asname or alias.name: (module, alias.name) for module, alias in names}
        self.tuples: list[str] = []
        self.kernels: dict[str, Kernel] = {}
        self.constants: dict[str, int | float] = {}
        Module.all[self.name] = self
        for n in self.tree.body:
            if isinstance(n, ast.ClassDef) and [*map(ast.unparse, n.bases)] == ["NamedTuple"]:
                fields = [field for field in n.body if isinstance(field, ast.AnnAssign)]
                TUPLES[n.name] = {ast.unparse(field.target): annotated(field.annotation) for field in fields}
                self.tuples.append(n.name)

    def read(self) -> None:
        """The constants, and the kernels, once all files are there."""
        for n in self.tree.body:
            if isinstance(n, ast.Assign):
                scope = {name: value for name in self.imported if (value := self.constant(ast.Name(name))) is not None}
                scope |= {"np": SimpleNamespace(uint64=Word, inf=float("inf")), **self.constants}
                scope |= {name: SimpleNamespace(**m.constants) for name in self.imported if (m := self.layout(name))}
                try:
                    exec(compile(ast.Module([n], []), self.name, "exec"), scope)
                except (AttributeError, NameError, TypeError):
                    continue  # not of constants alone
                names = {t.id for target in n.targets for t in ast.walk(target) if isinstance(t, ast.Name)}
                self.constants |= {name: scope[name] for name in names if isinstance(scope[name], int | float)}
            elif isinstance(n, ast.FunctionDef) and {*map(ast.unparse, n.decorator_list)} & {"kernel", "inline"}:
                self.kernels[n.name] = Kernel(self, n)

    def layout(self, name: str) -> Module | None:
        module, there = self.imported.get(name, ("", name))
        return Module.all.get(there) if not module else None

    def constant(self, e: ast.expr) -> int | float | None:
        match e:
            case ast.Name(id=name):
                module, there = self.imported.get(name, (self.name, name))
                return Module.all[module].constants.get(there) if module in Module.all else None
            case ast.Attribute(value=ast.Name(id=place), attr=name) if layout := self.layout(place):
                return layout.constants.get(name)
        return None

    def kernel(self, name: str) -> Kernel | None:
        module, there = self.imported.get(name, (self.name, name))
        return Module.all[module].kernels.get(there) if module in Module.all else None

    def result(self, name: str) -> str | None:
        found = self.kernel(name)
        return found.result if found else None

    def edited(self) -> list[str]:
        """The lines, with kernels as C has them."""
        edits = set()
        for kernel in self.kernels.values():
            known = variables(kernel.node, self)
            for n in (n for part in kernel.node.body for n in ast.walk(part)):
                text, called = None, self.kernel(n.id) if isinstance(n, ast.Name) else None
                if isinstance(n, ast.Call):
                    n, text = n.func, CASTS.get(ast.unparse(n.func))
                elif isinstance(n, ast.Name | ast.Attribute) and (value := self.constant(n)) is not None:
                    text = f"u64({value:#x})" if isinstance(value, Word) else repr(value).replace("inf", "1e999")
                    if type(value) is int and value >= 2**31:  # C's int does not hold it
                        text = f"i64(u64({value:#x}))"
                elif called and called.tuples:
                    text = called.c_name
                if text is not None and not (isinstance(n, ast.Name) and n.id in known):
                    edits.add((n.lineno - 1, n.col_offset, n.end_col_offset, text))
        lines = [line.encode() for line in self.lines]
        for i, first, last, text in sorted(edits, reverse=True):
            lines[i] = lines[i][:first] + text.encode() + lines[i][last:]
        return [line.decode() for line in lines]

    def copied(self) -> list[str]:
        """The file as Cython gets it, with the doors and the classes of memoryviews at the end."""
        out = [line.replace("import annotations", "import annotations; import cython") for line in self.edited()]
        for kernel in self.kernels.values():
            out[kernel.node.decorator_list[0].lineno - 1] = UNBOUND
            at = kernel.node.lineno - 1
            out[at] = out[at].replace(f"def {kernel.name}(", f"def {kernel.c_name}(")
        for n in self.imports:
            kept = [a for a in n.names if not self.kernel(a.asname or a.name)]
            out[n.lineno - 1 : n.end_lineno] = [""] * (n.end_lineno - n.lineno + 1)
            out[n.lineno - 1] = ast.unparse(ast.ImportFrom(n.module, kept, 0)) if kept else ""
        for kernel in self.kernels.values():
            out += kernel.door() if kernel.tuples and not kernel.name.startswith("_") else []
        for name in self.tuples:
            sets = [f"        self.{field} = {field}" for field in TUPLES[name]]
            out += [f"class C_{name}:", f"    def __init__(self, {', '.join(TUPLES[name])}):", *sets]
        return out

    def pxd(self, checked: bool) -> list[str]:
        homes = {name: module.name for module in Module.all.values() for name in module.tuples}
        wanted = sorted({kind[2:] for k in self.kernels.values() for kind in k.tuples.values()} - {*self.tuples})
        out = ["cimport cython", f"from {PACKAGE}._c cimport *"]
        out += [f"from {PACKAGE}.{homes[name]} cimport C_{name}" for name in wanted]
        for name in self.tuples:
            out += ["@cython.final", f"cdef class C_{name}:"]
            out += [f"    cdef {kind} {field}" for field, kind in TUPLES[name].items()]
        imported = [k for k in map(self.kernel, self.imported) if k]
        out += dict.fromkeys(line for k in imported for line in k.pasted(checked))
        for kernel in self.kernels.values():
            out += [located(kernel.locals())] * bool(kernel.locals()) + [kernel.signature(checked)]
        return out


def write(folder: Path, checked: bool) -> list[str]:
    """Write the copies and the .pxd files into ``folder``, where they differ; the names of what is to be compiled."""
    modules = [Module(path) for path in sorted(SOURCES.glob("*.py")) if path.stem != "__init__"]
    for module in modules * 3:  # constants of constants of other files
        module.read()
    compiled = [module for module in modules if module.kernels]
    files = {"__init__.py": "", "_c.pxd": PRELUDE}
    for module in compiled:
        files |= {f"{module.name}.py": "\n".join(module.copied()), f"{module.name}.pxd": "\n".join(module.pxd(checked))}
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text:
            (folder / name).write_text(text, encoding="utf-8")
    return [module.name for module in compiled]
