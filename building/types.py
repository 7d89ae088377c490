"""The C types of kernels: those of annotations, and of what is computed of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Protocol

INT, BOOL, WORD, REAL, OBJECT = "Py_ssize_t", "bint", "unsigned long long", "double", "object"
SCALARS = {"int": INT, "bool": BOOL, "float": REAL, "np.uint64": WORD, "None": "void"}
VIEWS = {
    **{"Table": "const int[::1]", "Int32": "int[::1]", "Int32Rows": "int[:, ::1]", "Int32Planes": "int[:, :, ::1]"},
    **{"Int64": "long long[::1]", "Entries": "long long[:, ::1]", "Flags": "unsigned char[::1]"},
    **{"Bytes": "signed char[::1]", "ByteRows": "signed char[:, ::1]", "BytePlanes": "signed char[:, :, ::1]"},
    **{"State": f"{WORD}[::1]", "Sets": f"{WORD}[:, ::1]", "Floats": "double[::1]", "FloatRows": "double[:, ::1]"},
    **{"ConstState": f"const {WORD}[::1]", "ConstSets": f"const {WORD}[:, ::1]"},
}
"""As ``kernels.kernel`` has them. All integers that are computed have 64 bits, whatever the arrays hold."""
TUPLES: dict[str, dict[str, str]] = {}  # NamedTuple of arrays → its fields and their types
CASTS = {"int": "i64", "bool": "flag", "np.uint64": "u64", "np.int32": "i32", "np.uint32": "u32"}
CASTS |= {"trailing_zeros": "ctz", "check_signals": "heed"}
RESULTS = {"int": INT, "bool": BOOL, "np.uint64": WORD, "np.int32": INT, "np.uint32": WORD, "trailing_zeros": INT}


class Names(Protocol):
    """What a file knows: its constants, and what its kernels give."""

    def constant(self, e: ast.expr) -> int | float | None: ...

    def result(self, name: str) -> str | None: ...


class Word(int):
    """A constant of 64 bits without a sign."""


def annotated(annotation: ast.expr | None) -> str:
    """The C type of an annotation; that of a NamedTuple of arrays is its class, of what is no type here an object."""
    text = ast.unparse(annotation) if annotation else "None"
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        parts = [annotated(part) for part in annotation.slice.elts]
        return f"({', '.join(parts)})" if {*parts} <= {*SCALARS.values()} else OBJECT
    return VIEWS.get(text) or SCALARS.get(text) or (f"C_{text}" if text in TUPLES else OBJECT)


def variables(function: ast.FunctionDef, names: Names) -> dict[str, str]:
    """The types of the arguments and the local variables, as far as they are known."""
    found = {a.arg: annotated(a.annotation) for a in function.args.args}
    nodes = list(ast.walk(function))
    for n in nodes:
        if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name):
            found[n.target.id] = annotated(n.annotation)
        elif isinstance(n, ast.For) and isinstance(n.target, ast.Name):
            found[n.target.id] = INT
    given = set(found)
    for _ in range(4):  # what depends on later lines is known in the end
        for name, value in (pair for n in nodes for pair in _assigned(n)):
            kind = type_of(value, found, names)
            if name not in given and kind and found.get(name) in (None, BOOL, kind):
                found[name] = kind
    return found


def _assigned(n: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The variables that a statement sets, and to what; what a call gives several of are integers."""
    if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
        yield n.target.id, ast.BinOp(n.target, n.op, n.value)
    for target in n.targets if isinstance(n, ast.Assign) else ():
        several = isinstance(target, ast.Tuple)
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        values = n.value.elts if several and isinstance(n.value, ast.Tuple) else [n.value]
        if several and values == [n.value]:
            values = [ast.Constant(0)] * len(targets)
        yield from ((one.id, value) for one, value in zip(targets, values, strict=True) if isinstance(one, ast.Name))


def type_of(e: ast.AST, known: dict[str, str], names: Names) -> str | None:
    """The type of an expression, None if that is not known."""
    if isinstance(e, ast.Name | ast.Attribute) and (constant := names.constant(e)) is not None:
        return WORD if isinstance(constant, Word) else REAL if isinstance(constant, float) else INT
    match e:
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()) | ast.Constant(value=bool()):
            return BOOL
        case ast.Constant(value=value):
            return REAL if isinstance(value, float) else INT
        case ast.Name(id=name):
            return known.get(name)
        case ast.Subscript(value=ast.Attribute(attr="shape")) | ast.Call(func=ast.Name(id="len")):
            return INT
        case ast.Attribute(value=ast.Name(id=name), attr=field):
            return TUPLES.get(known.get(name, "")[2:], {}).get(field)
        case ast.Subscript(value=base, slice=at):
            return _part(type_of(base, known, names) or "", at.elts if isinstance(at, ast.Tuple) else [at])
        case ast.Call(func=ast.Name(id="min" | "max"), args=parts):
            return _joined({type_of(part, known, names) for part in parts})
        case ast.Call(func=function):
            return names.result(ast.unparse(function)) or RESULTS.get(ast.unparse(function))
        case ast.IfExp(body=a, orelse=b) | ast.BinOp(left=a, right=b):
            return _joined({type_of(a, known, names), type_of(b, known, names)})
        case ast.UnaryOp(operand=operand):
            return type_of(operand, known, names)
    return None


def _part(view: str, indices: list[ast.expr]) -> str | None:
    """The type of an element, of a row, or of a slice, of an array."""
    if "[" not in view or any(isinstance(i, ast.Slice) for i in indices):
        return view if "[::1]" in view else None
    element, left = view[: view.index("[")], view.count(":") - 1 - len(indices)
    if left > 0:
        return f"{element}[{':, ' * (left - 1)}::1]"
    return WORD if WORD in element else REAL if element == REAL else INT


def _joined(kinds: set[str | None]) -> str | None:
    """The type of what is one or the other, or is computed of both."""
    numbers = [INT, WORD, REAL]
    left = kinds - {BOOL}
    return None if left - {*numbers} else max((str(kind) for kind in left), default=BOOL, key=numbers.index)
