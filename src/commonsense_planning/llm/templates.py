"""Jinja's templates as users write them: sandboxed, and whatever one says, filling it in ends soon, in little memory.

Filling one in has a budget of ``UNITS``. Each item of a loop, each operation, call, filter and test, each included
template and each piece of output costs what it makes: a unit, and one for each character, byte of a number and element,
with all that is in it. What multiplies (``*``, ``center``, ``replace``, ``batch`` …) is refused beforehand where the
product of the sizes is too large, and so is what hides its size in a text (``format``). So nothing depends on a clock.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import jinja2
import jinja2.sandbox
from jinja2 import nodes
from jinja2.loaders import split_template_path
from jinja2.visitor import NodeTransformer

from commonsense_planning.errors import InputError
from commonsense_planning.support.reading import WRONG, read_text, reading, why

UNITS = 3_000_000
CALL = 100  # what a call and a template cost beside what they make: they take so much longer than the item of a loop
MOST_BITS = 100_000  # of a power
LARGEST_PRODUCT = 100_000_000  # of sizes; a text of as many characters would still fit into memory
UNBOUNDED = ("format", "pprint", "random", "sum", "urlize")  # filters: size in a text, not repeatable, quadratic

OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "**"})


class Templates(jinja2.sandbox.SandboxedEnvironment):
    """Finds templates in ``folders``, in their order, and fills them in. One thing at a time. ``mark`` gets the text of
    each, and gives what is read in its place."""

    intercepted_binops = OPERATORS

    def __init__(
        self, folders: Sequence[Path], filters: Mapping[str, Callable[..., Any]], mark: Callable[[str], str]
    ) -> None:
        self._left = 0
        super().__init__(loader=_Loader(folders, mark), undefined=jinja2.StrictUndefined)
        self.filters |= filters
        for name in UNBOUNDED:
            del self.filters[name]
        known: list[tuple[dict[str, Any], bool]] = [(self.filters, True), (self.tests, False)]
        for functions, multiplies in known:
            for name, function in functions.items():
                functions[name] = self._metered(function, multiplies)
        self.filters["_counted"] = self._counted
        self.filters["_paid"] = self._paid
        del self.globals["lipsum"]
        self.globals["zip"] = zip

    def fill(self, name: str, told: Mapping[str, Any]) -> str:
        """The template of that name with what is ``told``. Raises InputError, with file and line, for whatever is wrong
        in it, and where it exceeds the budget."""
        self._left = UNITS
        try:
            return self.get_template(name).render(told)
        except jinja2.TemplateSyntaxError as error:
            file = error.filename or error.name or name  # Jinja's lexer gives some errors the file for a name
            raise InputError(f"{file}:{error.lineno}:1: {error.message}") from error
        except (jinja2.TemplateError, MemoryError, *WRONG) as error:
            raise InputError(f"{_place(error, name)}: the template cannot be filled in: {why(error)}") from error

    def get_template(self, name: Any, *args: Any, **options: Any) -> jinja2.Template:
        """As Jinja's; each use of an included one costs."""
        template = super().get_template(name, *args, **options)
        self._pay(CALL + template.globals.get(_TEXT, 0))
        return template

    def select_template(self, names: Any, *args: Any, **options: Any) -> jinja2.Template:
        """Likewise."""
        template = super().select_template(names, *args, **options)
        self._pay(CALL)
        return template

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """An operation, at its cost."""
        if operator == "%" and isinstance(left, str):
            raise jinja2.TemplateRuntimeError("% formats no text here; ~ joins texts")
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        if operator == "*" and not numbers:
            self._check_product([1, left, right])
        if operator == "**" and isinstance(left, int) and left.bit_length() * abs(right) > MOST_BITS:
            raise jinja2.TemplateRuntimeError("** makes too large a number")
        return self._paid(context, super().call_binop(context, operator, left, right))

    def wrap_str_format(self, value: Any) -> Any:
        """No template formats: that hides the size of its result in a text."""
        if super().wrap_str_format(value) is not None:
            raise jinja2.exceptions.SecurityError("format is not for templates; ~ joins texts")

    def call(__self, __context: Any, __obj: Any, *args: Any, **options: Any) -> Any:  # noqa: N805, as Jinja has it
        """A call, at its cost."""
        owner = getattr(__obj, "__self__", None)
        given = [*args, *options.values()]
        __self._pay(CALL)
        if owner is None:
            __self._pay(_size(given, __self._left))
        else:
            __self._check_product([owner, *given])
        return __self._paid(__context, super().call(__context, __obj, *args, **options))

    def _metered(self, function: Callable[..., Any], multiplies: bool) -> Callable[..., Any]:
        """A filter or a test, at its cost; what it is given or gives one by one is collected."""

        first = int(hasattr(function, "jinja_pass_arg"))  # before it comes what Jinja passes, the context perhaps

        @functools.wraps(function)
        def metered(*args: Any, **options: Any) -> Any:
            args = tuple(self._all(arg) if isinstance(arg, Iterator) else arg for arg in args)
            given = [*args[first:], *options.values()]
            if multiplies:
                self._check_product(given)
            else:
                self._pay(_size(given, self._left))
            found = function(*args, **options)
            return self._all(found) if isinstance(found, Iterator) else self._paid(None, found)

        return metered

    @jinja2.pass_context
    def _paid(self, _: Any, value: Any) -> Any:
        """The value, at the cost of its size."""
        self._pay(_size(value, self._left))
        return value

    @jinja2.pass_context
    def _counted(self, _: Any, items: Iterable[Any], cost: int) -> Iterator[Any]:
        """The items of a loop, each at its cost."""
        for item in items:
            self._pay(cost)
            yield item

    def _all(self, items: Iterable[Any]) -> list[Any]:
        return [self._paid(None, item) for item in items]

    def _check_product(self, values: Sequence[Any]) -> None:
        """Pay for a value and what it is multiplied by; a number counts as itself there, all else by its size."""
        sizes = [_size(value, self._left) for value in values]
        self._pay(sum(sizes))
        factors = [abs(v) if isinstance(v, int) else size for v, size in zip(values[1:], sizes[1:], strict=True)]
        if sizes[0] * prod(max(1, factor) for factor in factors) > LARGEST_PRODUCT:
            raise jinja2.TemplateRuntimeError("it makes too much at once")

    def _pay(self, units: int) -> None:
        self._left -= units
        if self._left < 0:
            raise jinja2.TemplateRuntimeError(f"it takes too long or makes too much: more than {UNITS:,} units")


_TEXT = "_text"
"""A template's global: how much text it has."""


class _Loader(jinja2.BaseLoader):
    """Templates of folders, with their costs written into them."""

    def __init__(self, folders: Sequence[Path], mark: Callable[[str], str]) -> None:
        self._folders = folders
        self._mark = mark

    def load(
        self, environment: jinja2.Environment, name: str, globals: MutableMapping[str, Any] | None = None
    ) -> jinja2.Template:
        """Raises TemplateNotFound, TemplateSyntaxError, and InputError for a file that cannot be read."""
        paths = (folder.joinpath(*split_template_path(name)) for folder in self._folders)
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            raise jinja2.TemplateNotFound(name)
        source = self._mark(read_text(path, "a template"))
        with reading(path, "a template", also=(SyntaxError, MemoryError)):  # of the Python that it is compiled to
            tree = environment.parse(source, name, str(path))
            text = _text_in(tree)
            code = environment.compile(_Meter(str(path)).visit(tree), name, str(path))
        known = {**(globals or {}), _TEXT: text}
        return environment.template_class.from_code(environment, code, known, lambda: True)


class _Meter(NodeTransformer):
    """Lets loops, outputs, literals, slices and comparisons pay; operators, calls, filters and tests do it anyway."""

    def __init__(self, file: str) -> None:
        self._file = file

    def visit_For(self, node: nodes.For) -> nodes.For:
        if node.recursive:
            raise jinja2.TemplateAssertionError("no recursive loops here", node.lineno, None, self._file)
        text = _text_in(node)
        self.generic_visit(node)
        node.iter = _filter(node.iter, "_counted", nodes.Const(1 + text))
        return node

    def visit_Output(self, node: nodes.Output) -> nodes.Output:
        self.generic_visit(node)
        node.nodes = [n if isinstance(n, nodes.TemplateData) else _filter(n, "_paid") for n in node.nodes]
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Compare:
        self.generic_visit(node)
        node.expr = _filter(node.expr, "_paid")
        for operand in node.ops:
            operand.expr = _filter(operand.expr, "_paid")
        return node

    def _pays(self, node: nodes.Expr) -> nodes.Expr:
        self.generic_visit(node)
        return _filter(node, "_paid")

    visit_Concat = visit_List = visit_Dict = _pays

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Expr:
        return self._pays(node) if node.ctx == "load" else node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Expr:
        if isinstance(node.arg, nodes.Slice):
            return self._pays(node)
        self.generic_visit(node)
        return node


def _filter(node: Any, name: str, *args: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, list(args), [], None, None, lineno=node.lineno)


def _text_in(node: nodes.Node) -> int:
    return sum(len(part.data) for part in node.find_all(nodes.TemplateData))


def _size(value: Any, enough: int) -> int:
    """The units of a value: 1, and its characters, its bytes or its elements' units. Stops where it is ``enough``."""
    size, waiting = 0, [value]
    while waiting and size <= enough:
        part = waiting.pop()
        size += 1
        if isinstance(part, str | range):
            size += len(part)
        elif isinstance(part, int):
            size += part.bit_length() // 8
        elif isinstance(part, Mapping):
            waiting += [*part, *part.values()]
        elif isinstance(part, Collection) and not isinstance(part, jinja2.Undefined):
            waiting += part
    return size


def _place(error: BaseException, name: str) -> str:
    """File and line of the template in which it happened."""
    frames = [(f.f_code.co_filename, line) for f, line in traceback.walk_tb(error.__traceback__)]
    places = [f"{file}:{line}:1" for file, line in frames if file.endswith(".jinja")]
    return places[-1] if places else name
