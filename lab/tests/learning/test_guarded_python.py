"""The guard of programs that a model wrote: what it lets in, and many attempts to escape."""

import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_lab.learning.guarded_python import check, functions_of
from commonsense_planning.errors import HeuristicError

FILE = Path("heuristic.py")
BUILTINS = (
    *("open", "eval", "exec", "compile", "getattr", "setattr", "type", "object", "vars", "globals", "locals", "dir"),
    *("input", "breakpoint", "print", "super", "memoryview"),
)
ESCAPES = {
    **{name: f"{name}()" for name in BUILTINS},
    "an import": "import os\nos.system('true')",
    "an import inside a function": "def f():\n    import subprocess",
    "an import of a part": "from os import system",
    "a submodule": "import collections.abc",
    "a relative import": "from . import secrets",
    "everything of a module": "from math import *",
    "what a module imports itself": "from collections import _sys",
    "a module of a module": "import heapq\nheapq.builtins",
    "the builtin import": "__import__('os')",
    "the builtins": "__builtins__['open']",
    "the subclasses of object": "().__class__.__base__.__subclasses__()",
    "a function's globals": "(lambda: 0).__globals__",
    "a function's code": "(lambda: 0).__code__",
    "a generator's frame": "(x for x in ()).gi_frame",
    "the frame's builtins": "(x for x in ()).gi_frame.f_builtins",
    "an exception's traceback": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    e.__traceback__",
    "format with an attribute": "'{0.__class__}'.format(())",
    "format_map": "'{a.__class__}'.format_map({'a': ()})",
    "format as a value": "f = str.format",
    "a format in a string": "f'{1:>99}'",
    "a conversion in a string": "f'{()!r}'",
    "a class": "class A:\n    pass",
    "a metaclass": "class A(metaclass=print):\n    pass",
    "a decorator": "@sorted\ndef f():\n    pass",
    "match on a class": "match ():\n    case tuple(__class__=c):\n        pass",
    "with": "with x as y:\n    pass",
    "yield": "def f():\n    yield 1",
    "await": "async def f():\n    await g()",
    "an attribute that is set": "from math import sqrt\nsqrt.update = 1",
    "an attribute that is deleted": "import math\ndel math.sqrt",
    "an import under a forbidden name": "import math as __builtins__",
    "an argument of a forbidden name": "def f(__builtins__):\n    pass",
    "a function of a forbidden name": "def __import__(*a):\n    pass",
    "a keyword of a forbidden name": "dict(__class__=1)",
    "global of a forbidden name": "def f():\n    global __builtins__",
    "bytes": "b'x'.hex()",
    "a complex number": "1j",
    "an ellipsis": "...",
    "namedtuple, which runs a text": "from collections import namedtuple",
    "encode": "'x'.encode()",
    "a type parameter": "def f[T: ().x](a):\n    pass",
    "assert with a message": "assert 0, 'x'",
    "raise": "raise StopIteration",
    "no Python": "def f(:",
    "a return outside of a function": "x = 1\nreturn x",
    "a break outside of a loop": "break",
    "a null byte": "x = 1\0",
    "brackets without end": "(" * 5000,
    "too many characters": "x = 1\n" * 10_000,
}


@pytest.mark.parametrize("text", ESCAPES.values(), ids=ESCAPES)
def test_an_escape_is_refused_at_its_place(text: str) -> None:
    with pytest.raises(HeuristicError) as refused:
        check(text, FILE)
    assert 1 <= refused.value.place.line <= text.count("\n") + 1
    assert str(refused.value).startswith("heuristic.py:")


PROGRAM = """
import math
from collections import defaultdict, deque
from heapq import heappush, heappop
import heapq as hq


def make(objects, *rest, **named):
    near = defaultdict(list)
    for name in objects:
        near[name[0]].append(name)
    total = 0

    def distance(start):
        nonlocal total
        seen, queue = {start}, deque([start])
        while queue:
            here = queue.popleft()
            total += 1
            for there in near.get(here, []):
                if there not in seen:
                    seen.add(there)
                    queue.append(there)
        heap: list = []
        for word in sorted(seen, key=lambda w: (len(w), w)):
            heappush(heap, (len(word), word))
        return hq.nsmallest(1, heap)[0][0] + math.floor(math.inf if not seen else 0.5)

    return {f"{name}-{len(name)}": distance(name) for name in objects if (size := len(name)) and size < 9}, total
"""


NESTED = {
    "minuses": "x = " + "-" * 49_000 + "1",
    "parentheses": "x = " + "(" * 20_000 + ")" * 20_000,
    "lists": "x = " + "[" * 20_000 + "]" * 20_000,
    "nots": "x = " + "not " * 12_000 + "1",
    "sums": "x = 1" + "+1" * 24_000,
    "calls": "x = f" + "()" * 20_000,
    "lambdas": "x = " + "lambda: " * 6_000 + "1",
}


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
def test_code_nested_too_deeply_is_reported(text: str) -> None:
    with pytest.raises(HeuristicError) as refused:
        functions_of(text, FILE)
    assert refused.value.place.line == 1
    assert refused.value.problem in ("no Python: nested too deeply", "no Python: too many nested parentheses")


def test_nobody_is_told_what_python_warns_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check("x = 1if 1 else (1)[0]", FILE)
        functions_of("def f():\n    return 1is 1", FILE)


def test_the_parts_of_heuristics_are_let_in() -> None:
    assert functions_of(PROGRAM, FILE)["make"](["ab", "cde"]) == ({"ab-2": 2, "cde-3": 3}, 2)


def test_a_program_sees_only_allowed_builtins() -> None:
    assert set(functions_of("def f():\n    return [len('a'), str(1), True]", FILE)) == {"f"}
    with pytest.raises(NameError):
        functions_of("x = undefined_name", FILE)


def test_modules_are_stand_ins() -> None:
    module = functions_of("import math", FILE)["math"]
    assert module.sqrt(4) == 2
    assert not hasattr(module, "__loader__")


@given(st.text(alphabet="abdefgirst_.(){}[]:=,'\" \n\t01", max_size=60))
def test_any_text_is_let_in_or_refused(text: str) -> None:
    try:
        check(text, FILE)
    except HeuristicError as error:
        assert error.place.line >= 1
