"""Whatever is wrong with a file becomes an InputError that says where."""

from pathlib import Path

import pytest

from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.support.reading import json_value, number, read_text, read_toml, reading

TOML = [
    (b"a = 1\nb = \xff", r":2:5: not a table: byte 0xff is not UTF-8"),
    (b"a = " + b"[" * 5000 + b"]" * 5000, "not a table: nested too deeply"),
    (b"a = " + b"9" * 5000, "not a table: Exceeds the limit"),
    (b"a = = 1", r"not a table: Invalid value \(at line 1, column 5\)"),
]
JSON = [
    ("{", r":7:2: not a row: Expecting property name"),
    ("[" * 100_000, ":7:1: not a row: nested too deeply"),
    ('{"a": 1e400}', r":7:1: not a row: 1e400 is beyond 1e\+100"),
    ('{"a": -' + "9" * 400 + "}", r":7:1: not a row: -9{19} … is beyond 1e\+100"),
    ('{"a": NaN}', ":7:1: not a row: NaN is beyond"),
    ('{"a": "\\ud83d"}', ":7:1: not a row: half of a surrogate pair"),
    (b'"\xed\xa0\x80"', ":7:2: not a row: byte 0xed is not UTF-8"),
    ("3", ":7:1: not a row: 'int' object is not subscriptable"),
    ("{}", ":7:1: not a row: 'key' is missing"),
]


@pytest.mark.parametrize(("content", "message"), TOML, ids=[message for _, message in TOML])
def test_what_is_not_a_table_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_toml(path, "a table")


@pytest.mark.parametrize(("line", "message"), JSON, ids=[message for _, message in JSON])
def test_what_is_not_a_line_is_refused(line: str | bytes, message: str) -> None:
    said = pytest.raises(InputError, match=f"^rows{message}.*; write it again$")
    with said, reading(Path("rows"), "a row", 7, hint="write it again"):
        json_value(line)["key"]


def test_what_can_be_read_is_read(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\n")
    assert read_text(path, "a text") == "one\ntwo\n"
    said = '{"a": [1, -2.5, 1e99], "b": "\\ud83d\\ude00", "c": "\\\\ud83d"}'
    assert json_value(said) == {"a": [1, -2.5, 1e99], "b": "😀", "c": "\\ud83d"}
    assert json_value(said.encode()) == json_value(said)
    assert number("-1e100") == -1e100


def test_a_file_that_is_not_there_and_an_error_of_our_own(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"^{tmp_path}/none: cannot be read: No such file or directory$"):
        read_text(tmp_path / "none", "a text")
    with pytest.raises(UsageError, match="^as it was$"), reading(tmp_path, "a text"):
        raise UsageError("as it was")
