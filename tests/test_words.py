"""The words of the code are the field's, and those of its sentences a native engineer's: what went stays away, a class
name has one meaning, and the table of ``docs/architecture.md`` says truly where a term is defined."""

from __future__ import annotations

import ast
import io
import os
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.data import REPOSITORY

SOURCE = REPOSITORY / "src" / "commonsense_planning"
GONE = {  # the field's term → what it was called, in identifiers (split into words), comments and docstrings
    "batched simulation": r"(begin|step|new) copies",
    "correlated": r"tied",
    "experiment, plug-in": r"guests?",
    "failure facts": r"feared",
    "from where": r"whence",
    "heuristics, successor generator": r"facades?",
    "independent": r"loose",
    "initial observation": r"waking( up)?|wak(es?|en|es up)|woken( up)?",
    "nearest-neighbour baseline": r"sweeps?",
    "of it": r"thereof",
    "redundant, dominated": r"needless(ly)?",
    "relevant": r"bearing|mattering",
    "replanning trigger": r"outlook",
    "abstract state key": r"gist",
    "sensors, workers": r"eyes|crews?",
    "unobserved": r"secret",
}
DOCS_GONE = r"\b(thereof|whence|needless|waking up|wakes up|a sweep|the sweep|sweeps|is a guest)\b"
# Phrases that a native engineer does not write, anywhere.
NEVER = r"in vain|anew|bears? on|put right|what came of|hangs? on|for good|says? so|who errs|has it"
# Constructions that a native engineer does not write, in the docstrings of these rooms; others are to join them.
CLUMSY = re.compile(
    r"\bthose (?:that|which)\b[^.;]*\bthose (?:that|which)\b|\bat first\b"
    r"|\b(?:for|of|in|with|on|to|from|about) what (?:is|was|it|they|does|holds)\b"
    r"|\bwhat (?:is|are|was) (?:applicable|hidden|known|left|meant|missing|said|static|true|wanted)\b"
)
ROOMS = ("agent", "cli", "elicitation", "embedded", "grounding", "heuristics", "instructions", "interfaces", "kernels")
ROOMS += ("llm", "matching", "methods", "pddl", "planners", "pomdp", "search", "support", "validation", "view")
WRITTEN = re.compile(r"^\w+$|\.(cfg|css|html|jinja|js|md|mk|pddl|py|sh|svg|toml|txt|yml)$")
ASIDE = re.compile(r"^(\.(?!ci$).*|build|dist|out|__pycache__|.*\.egg-info|LICENSE)$")
# Prompts stay byte for byte, and so do recordings, what tests compare them with, and texts that a fuzzer found.
KEPT = re.compile(
    r"/wording/templates/|/(studies/\w+|programs|learning)/templates/|^pddl/\w+/prompts/|/goldens/cassettes/"
    r"|^lab/docs/data/|^tests/llm/golden/|^lab/tests/golden/|/fuzz/found/|^tests/test_words\.py$"
)
# Class names that are defined more than once: a list that only becomes shorter.
SEVERAL = {"AStar", "LlmMcts", "Source"}


def gone_in(source: Path) -> list[str]:
    """Where the code below a folder says what the field says otherwise."""
    gone = re.compile(rf"\b({'|'.join(GONE.values())})\b")
    return [
        f"{path.relative_to(source)}:{line}: {word[0]}"
        for path in sorted(source.rglob("*.py"))
        for line, text in texts(path.read_text())
        if (word := gone.search(text))
    ]


def gone_in_pages(pages: Iterable[Path]) -> list[tuple[str, str]]:
    """Which pages do, with the first such word."""
    return [(page.name, found[0]) for page in pages if (found := re.search(DOCS_GONE, page.read_text()))]


def never_in(text: str) -> list[str]:
    """The phrases of a text that are never right, across line ends, marks of comments and parts of a string."""
    flowing = re.sub(r"""["']?\s*\n\s*(#|//|;+|\*|[fr]?["'])?\s*""", " ", text)
    return re.findall(rf"\b(?:{NEVER.replace(' ', ' +')})\b", flowing, re.IGNORECASE)


def never_below(root: Path) -> list[str]:
    """Where such phrases are in a checkout's documentation, code and messages."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not ASIDE.match(name))
        for file in sorted(Path(folder, name) for name in files if not ASIDE.match(name)):
            place = file.relative_to(root).as_posix()
            if WRITTEN.search(file.name) and not file.is_symlink() and not KEPT.search(place):
                text = file.read_text("utf-8", "replace")
                if place == "CHANGELOG.md":
                    text = "## ".join(text.split("\n## ", 2)[:2])  # a released version's changes are history
                found += [f"{place}: {phrase}" for phrase in never_in(text)]
    return found


def clumsy_in(source: Path, rooms: Iterable[str]) -> list[str]:
    """Where a docstring of these rooms has a construction of ``CLUMSY``."""
    return [
        f"{path.relative_to(source)}: {found[0]}"
        for room in rooms
        for path in sorted((source / room).rglob("*.py"))
        for text in docstrings(path.read_text())
        for found in CLUMSY.finditer(" ".join(text.split()))
    ]


def docstrings(source: str) -> Iterator[str]:
    """The docstrings of a module, each in lower case."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield (ast.get_docstring(node) or "").lower()


def classes_in(source: Path) -> dict[str, list[str]]:
    """Class names that are defined more than once below a folder, each with its files."""
    places = defaultdict(list)
    for path in sorted(source.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(source)))
    return {name: files for name, files in places.items() if len(files) > 1}


def texts(source: str) -> Iterator[tuple[int, str]]:
    """The names, comments and docstrings of a module, each with its line; names as words: ``TreeSnapshot`` is
    "tree snapshot"."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.NAME, tokenize.COMMENT):
            yield token.start[0], re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", token.string).lower()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield getattr(node, "lineno", 1), (ast.get_docstring(node) or "").lower()


def test_docstrings_are_plain_english() -> None:
    assert clumsy_in(SOURCE, ROOMS) == []


@pytest.mark.parametrize(
    "text",
    [
        "those that are read otherwise, those that an operator which was carried out required otherwise",
        "where it has none for what does not hold, the one for what does, negated",
        "what is hidden stands beside",
    ],
)
def test_a_clumsy_construction_is_found(text: str, tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "module.py").write_text(f'"""{text.capitalize()}."""\n')
    assert clumsy_in(tmp_path, ["room"])


def test_what_went_stays_away() -> None:
    assert gone_in(SOURCE) == [], "GONE says what they are called now"


def test_what_went_stays_away_from_the_docs() -> None:
    pages = [*(REPOSITORY / "docs").glob("*.md"), REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md"]
    assert gone_in_pages(pages) == []


def test_what_is_never_right_stays_away() -> None:
    assert never_below(REPOSITORY) == []


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("What it has items for, goodness, is in vainglory.", []),
        ("looked for in\n    # vain, and says\n    so", ["in vain", "says so"]),
        ('say("that hangs "\n    f"on {it}")', ["hangs on"]),
        ("; a room, For Good", ["For Good"]),
    ],
)
def test_a_phrase_is_found_across_the_ends_of_lines(text: str, phrases: list[str]) -> None:
    assert [" ".join(phrase.split()) for phrase in never_in(text)] == phrases


def test_a_class_name_has_one_meaning() -> None:
    assert {name: files for name, files in classes_in(SOURCE).items() if name not in SEVERAL} == {}


def defined(path: Path) -> set[str]:
    """The classes and functions of a module, methods as ``Class.method``."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return found


def test_the_table_of_terms_names_what_is_there() -> None:
    page = (REPOSITORY / "docs" / "architecture.md").read_text()
    _, _, section = page.partition("## Where a term is")
    rows = re.findall(r"^\| ([^|`]+) \| `([\w/]+\.py)` \| (`[^|]+`) \|$", section, re.MULTILINE)
    assert len(rows) >= 8
    for term, file, names in rows:
        missing = set(re.findall(r"`([\w.]+)`", names)) - defined(SOURCE / file)
        assert not missing, f"{term}: {file} does not define them"
