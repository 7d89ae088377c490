"""Programs of actions: what is read, what is refused and where, and that no text does any harm."""

import builtins
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_lab.programs.lines import Claim, Condition, Either, Heading, Not, ProgramCall, read_line
from commonsense_lab.programs.program import MOST, Block, Check, Program, key, read_program, synonyms
from commonsense_planning.errors import ProgramError
from tests.data import REPOSITORY

MICROWAVE = """Sure, here it is:
```python
from actions import walk <obj>, grab <obj>

def microwave_salmon():
    # 1: take the salmon
    walk('salmon')
    assert('close' to 'salmon')  # or else
        else: walk('salmon')
        else: find("salmon")
    grab('salmon')

    # 2: done

microwave_salmon()
def another():
    eat('salmon')
```
That is all.
"""
PIECES = st.sampled_from(
    [
        *("def f():", "assert", "if", "elif", "else:", "for", "x", "in", "['a', 'b']", "not", "and", "or", "is", "to"),
        *("walk", "('salmon')", "(", ")", ":", ",", "'a'", '"b"', "\n", "\n    ", "\n\t\t", " ", "#", "```", "\\", "'"),
        *("__import__('os')", "os.system('true')", "lambda: 0", "exec", "\x00", "\u2028", "٣", "ª", "while True:"),
    ]
)


def shown(block: Block) -> list[object]:
    """A block as nested lists, for comparison."""
    found: list[object] = []
    for statement in block:
        if isinstance(statement, Check):
            found.append([statement.condition, shown(statement.then), shown(statement.otherwise)])
        else:
            found.append(str(statement) if isinstance(statement, ProgramCall) else "refused")
    return found


def errors(block: Block) -> list[ProgramError]:
    """Why lines were refused, in order."""
    found: list[ProgramError] = []
    for statement in block:
        if isinstance(statement, Check):
            found += errors((*statement.then, *statement.otherwise))
        elif isinstance(statement, ProgramError):
            found.append(statement)
    return found


def test_the_published_form() -> None:
    program = read_program(MICROWAVE)
    close = Claim("close", ("salmon",))
    assert shown(program.body) == [
        "walk('salmon')",
        [close, [], ["walk('salmon')", "find('salmon')"]],
        "grab('salmon')",
    ]
    assert errors(program.body) == []
    assert program.comments[0] == "1: take the salmon"
    assert [s.line for s in program.body if isinstance(s, ProgramCall | Check)] == [7, 8, 11]


@pytest.mark.parametrize(("text", "read"), [
    ("'close' to 'fridge'", Claim("close", ("fridge",))),
    ("close to 'fridge'", Claim("close", ("fridge",))),
    ("'fridge' is 'opened' ", Claim("opened", ("fridge",))),
    ("'fridge' is opened", Claim("opened", ("fridge",))),
    ("'fridge' is not 'opened'", Not(Claim("opened", ("fridge",)))),
    ("'milk' in 'hands'", Claim("in", ("milk", "hands"))),
    ("'milk' not in \"fridge\"", Not(Claim("in", ("milk", "fridge")))),
    ("'milk' is on 'table'", Claim("on", ("milk", "table"))),
    ("is_open('fridge')", Claim("is open", ("fridge",))),
    ("on('a', b)", Claim("on", ("a", "b"))),
    ("not ('a' in 'b') and ready()", Either((Not(Claim("in", ("a", "b"))), Claim("ready", ())), True)),
    ("a() or b() and c()", Either((Claim("a", ()), Either((Claim("b", ()), Claim("c", ())), True)), False)),
])  # fmt: skip
def test_conditions(text: str, read: Condition) -> None:
    for line in (f"assert({text})", f"assert {text}, 'because'"):
        assert read_line(line, 1, {}) == Heading("assert", read)


def test_branches_and_loops() -> None:
    program = read_program(
        "if a():\n  walk('b')\n  for x in ['c', 'd',]:\n    grab(x)\n"
        "elif b(): walk('e')\nelse:\n    pass\n    walk('f')\nassert(c())\nelse:\n  walk('g')\nreturn\n"
    )
    assert shown(program.body) == [
        [Claim("a", ()), ["walk('b')", "grab('c')", "grab('d')"], [[Claim("b", ()), ["walk('e')"], ["walk('f')"]]]],
        [Claim("c", ()), [], ["walk('g')"]],
    ]
    assert errors(program.body) == []


@pytest.mark.parametrize(("line", "column"), [
    ("__import__('os')", 1),
    ("os.system('rm')", 3),
    ("grab('a').b()", 10),
    ("grab(open('a'))", 10),
    ("grab(name='a')", 10),
    ("x = 1", 3),
    ("import os", 8),
    ("while True:", 7),
    ("grab('a'", 9),
    ("grab('a)", 6),
    ("grab('a' 'b')", 10),
    ("grab(1)", 6),
    ("assert('a')", 8),
    ("assert 'a' == 'b'", 8),
    ("assert", 7),
    ("if a()", 7),
    ("if:", 3),
    ("elif a():", 1),
    ("else: grab('a')", 1),
    ("for x in things:", 10),
    ("for 1 in ['a']:", 5),
    ("lambda: grab('a')", 7),
    ("Then I walk to the fridge.", 6),
    ("assert " + "(" * 30 + "a()" + ")" * 30, 29),
    ("grab('a')" + " " * 600, 1),
])  # fmt: skip
def test_refused_lines_are_located(line: str, column: int) -> None:
    program = read_program(f"def f():\n    walk('a')\n    {line}\n    walk('b')")
    assert shown(program.body)[0] == "walk('a')"
    (error,) = errors(program.body)
    assert (error.place.line, error.place.column) == (3, column + 4)
    assert str(error).startswith(f"program:3:{column + 4}: ")
    assert shown(program.body)[-1] == "walk('b')"


def test_the_lines_under_a_heading_that_is_refused_go_with_it() -> None:
    program = read_program("while True:  # for ever\n    grab('a')\ngrab('b')")
    assert shown(program.body) == ["refused", "grab('b')"]


def test_long_and_deep_programs_are_cut() -> None:
    loop = "".join(f"{'  ' * i}for x{i} in ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']:\n" for i in range(9))
    for text in ("grab('a')\n" * 5000, loop + "  " * 9 + "grab(x0)"):
        program = read_program(text)
        assert len(program.body) <= MOST + 1
        assert f"more than {MOST} lines" in str(errors(program.body)[-1])
    deep = "".join(f"{'  ' * i}if a():\n" for i in range(50)) + "  " * 50 + "grab('a')"
    assert "nested more than" in str(errors(read_program(deep).body)[0])


@pytest.mark.parametrize("text", ["", "   ", "# nothing", "```\n```", "def f():\n    pass"])
def test_empty_programs(text: str) -> None:
    assert read_program(text).body == ()


@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map("".join)))
def test_any_text_is_read_or_refused_and_nothing_is_executed(text: str) -> None:
    def never(*_: object) -> None:
        raise AssertionError("something of the program is compiled or executed")

    with pytest.MonkeyPatch.context() as patch:
        for name in ("eval", "exec", "compile"):
            patch.setattr(builtins, name, never)
        program = read_program(text)
    assert isinstance(program, Program)
    for statement in program.body:
        assert isinstance(statement, ProgramCall | Check | ProgramError)
    lines = re.split(r"\r\n|\r|\n", text.strip())
    for error in errors(program.body):
        assert isinstance(error, ProgramError)
        assert 1 <= error.place.line <= len(lines)
        assert 1 <= error.place.column <= len(lines[error.place.line - 1]) + 1


TEMPLATES = REPOSITORY / "lab" / "src" / "commonsense_lab" / "programs" / "templates"


@pytest.mark.parametrize("folder", [TEMPLATES, REPOSITORY / "pddl" / "virtualhome" / "prompts"])
def test_the_examples_of_the_prompts_can_be_read(folder: Path) -> None:
    text = (folder / "write_program.jinja").read_text(encoding="utf-8")
    examples = re.findall(r"^def \w+\(\):\n(?: +.*\n)+", text, re.MULTILINE)
    assert len(examples) == (1 if folder == TEMPLATES else 3)
    for example in examples:
        program = read_program(example)
        assert errors(program.body) == []
        assert any(isinstance(statement, Check) for statement in program.body)


def test_names_are_compared_by_their_letters_alone() -> None:
    assert key("Walk-To_Room 2") == "walktoroom2"
    assert synonyms().predicates("is closed")[0] == ("closed", True)
    assert ("opened", False) in synonyms().predicates("closed")
