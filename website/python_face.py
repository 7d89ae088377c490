"""The page of the Python face, made of the public names themselves: signatures, docstrings, members."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

from command_line import code, escaped

import commonsense_planning as cplan
from commonsense_planning import testing

SECTIONS = {  # heading → the rooms whose public names are below it
    "Tasks, methods, agents": ["task", "support", "methods", "agent"],
    "Problems, plans, validation": ["pddl", "validation", "wording"],
    "Settings, outcomes, errors": ["config", "errors"],
    "Language models and matchers": ["llm", "matching"],
    "Belief, environment, transition and observation models": ["pomdp"],
    "States, heuristics, search": ["grounding", "kernels", "state", "heuristics", "search"],
    "Other programs": ["interfaces"],
}
WIDTH = 100


def python_page() -> str:
    """Returns the page: a section for each subject, an entry for each name, and the conformance tests."""
    parts = ["# Python: all names\n\nWhat `import commonsense_planning as cplan` gives.\n\n"]
    for title, rooms in SECTIONS.items():
        names = [name for name in cplan.__all__ if cplan._MODULES[name].partition(".")[0] in rooms]
        parts += [f"## {title}\n\n", *(entry(name, getattr(cplan, name)) for name in names)]
    checks = {name: value for name, value in vars(testing).items() if name.startswith("check_")}
    parts += ["## commonsense_planning.testing\n\n", *(entry(name, value) for name, value in checks.items())]
    return "".join(parts)


def entry(name: str, value: Any) -> str:
    """Returns a name with its signature, what it says of itself, and its members."""
    text = f"### {name}\n\n"
    unsigned = inspect.isclass(value) and issubclass(value, Exception) or getattr(value, "_is_protocol", False)
    if inspect.isclass(value) and issubclass(value, Enum):
        text += code("python", [f"{name}.{member.name} = {member.value!r}" for member in value])
    elif callable(value) and not unsigned:
        text += code("python", signature(name, value))
    text += said(value)
    if inspect.isclass(value) and issubclass(value, cplan.Options) and value is not cplan.Options:
        rows = [f"| `{setting.name}` | {escaped([setting.option.help]).strip()} |\n" for setting in value.settings()]
        text += "".join(["| setting | |\n|---|---|\n", *rows, "\n"])
    for member, found in members(value) if inspect.isclass(value) else ():
        called = getattr(found, "__func__", found)
        text += code("python", signature(member, called) if callable(called) else [member]) + said(found)
    return text


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Returns the documented members of a class, with those of cplan's bases that are no public names."""
    public = [value for value in map(cplan.__getattr__, cplan.__all__) if inspect.isclass(value) and value is not kind]
    bases = [base for base in kind.__mro__ if base.__module__.startswith(cplan.__name__) and base not in public]
    for name, value in {name: value for base in reversed(bases) for name, value in vars(base).items()}.items():
        offered = inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)
        if offered and inspect.getdoc(value) and (name == "__call__" or not name.startswith("_")):
            yield name, value


def signature(name: str, value: Any) -> list[str]:
    """Name and parameters on one line, or on a line each where that is too long."""
    found = inspect.signature(value)
    parameters = [plain(str(parameter)) for key, parameter in found.parameters.items() if key not in ("self", "cls")]
    none = inspect.isclass(value) or found.return_annotation is found.empty
    back = "" if none else f" -> {found.return_annotation}"
    line = f"{name}({', '.join(parameters)}){back}"
    return [line] if len(line) <= WIDTH else [f"{name}(", *(f"    {each}," for each in parameters), f"){back}"]


def plain(parameter: str) -> str:
    """Returns a parameter without quotes about its type; a default that has no short form is an ellipsis."""
    unquoted = re.sub(r": '([^']*)'", r": \1", parameter)
    short = re.sub(r"<(\w+\.\w+): '[^']*'>", r"\1", unquoted)
    return re.sub(r"<(function .* at \w+|factory)>|(?<= = ).{60,}$", "…", short)


def said(value: Any) -> str:
    """Returns a docstring as Markdown; double backticks are code."""
    text = re.sub(r":\w+:`([^`]+)`", r"``\1``", inspect.getdoc(value) or "")
    parts = re.split(r"(``[^`]+``)", text)
    return "".join(part[1:-1] if part.startswith("``") else escaped([part])[:-2] for part in parts) + "\n\n"
