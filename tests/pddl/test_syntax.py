"""Text → nodes: places, brackets, round trip."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonsense_planning.errors import PddlError
from commonsense_planning.pddl.syntax import Group, Node, Symbol, near, parse, read_source, render

words = st.from_regex(r"[?:]?[A-Za-z0-9_@+./<>=-]{1,8}", fullmatch=True).map(Symbol)
groups = st.recursive(
    st.lists(words, max_size=4).map(lambda items: Group(tuple(items))),
    lambda inner: st.lists(words | inner, max_size=4).map(lambda items: Group(tuple(items))),
    max_leaves=20,
)


def places(node: Node) -> list[tuple[str, int, int]]:
    if isinstance(node, Symbol):
        return [(node.text, node.line, node.column)]
    own = [("(", node.line, node.column), *(place for item in node.items for place in places(item))]
    return [*own, (")", node.end_line, node.end_column)]


@settings(max_examples=50)
@given(groups)
def test_round_trip(group: Group) -> None:
    assert parse(render(group), define=False).root == group


@given(groups, st.sampled_from([" ", "\n", "\t", " ; a comment (\n", "\r\n"]))
def test_every_place_is_where_the_text_has_it(group: Group, space: str) -> None:
    text = render(group).replace(" ", space).replace(")(", f"){space}(")
    source = parse(text, define=False)
    assert source.root == group
    for word, line, column in places(source.root):
        assert source.lines[line - 1][column - 1 :].startswith(word)


def test_places_across_lines() -> None:
    root = parse("(define (domain d)\n  (:types a\n   b) ; (c\n (x (y) z))").root
    assert places(root) == [
        ("(", 1, 1), ("define", 1, 2), ("(", 1, 9), ("domain", 1, 10), ("d", 1, 17), (")", 1, 18),
        ("(", 2, 3), (":types", 2, 4), ("a", 2, 11), ("b", 3, 4), (")", 3, 5),
        ("(", 4, 2), ("x", 4, 3), ("(", 4, 5), ("y", 4, 6), (")", 4, 7), ("z", 4, 9), (")", 4, 10),
        (")", 4, 11),
    ]  # fmt: skip


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "domain.pddl"
    path.write_bytes("\ufeff(define\r\n (domain é))\r\n".encode())
    source = read_source(path)
    assert source.root == Group((Symbol("define"), Group((Symbol("domain"), Symbol("é")))))
    assert source.lines[1] == " (domain é))"


@pytest.mark.parametrize(("text", "line", "column"), [
    ("(define\n (:init (a b (c d)\n (:goal (e))))", 2, 9),  # the innermost that was open before ':goal'
    ("(define\n (:action a :effect (and (b) (c)\n (:action d))", 2, 21),
    ("(define (domain d)\n (:requirements :strips\n (:types a b))", 2, 2),
    ("(define (domain d)\n (:types a b)", 1, 1),
])  # fmt: skip
def test_unclosed_bracket(text: str, line: int, column: int) -> None:
    with pytest.raises(PddlError, match=r"this '\(' is never closed") as caught:
        parse(text)
    assert (caught.value.place.line, caught.value.place.column) == (line, column)


def test_control_characters_do_not_reach_the_terminal() -> None:
    source = parse("(define \x1b[31mred)")
    error = source.error(source.root.items[1], "bad '\x1b[31mred'")
    assert "\x1b" not in str(error)


def test_near() -> None:
    assert near("PRECONDTION", ["precondition", "effect"]) == "'precondition'"
    assert near("zzz", ["precondition", "effect"]) == ""
