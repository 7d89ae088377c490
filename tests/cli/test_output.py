"""What is written for a terminal: tables, colours, progress; and where a page is written."""

import logging
from pathlib import Path

import click
import pytest

from commonsense_planning.cli import output
from commonsense_planning.cli.output import Printer, complain, counting_bar, print_text, progress, visible, width
from commonsense_planning.cli.streams import Complaints
from commonsense_planning.errors import EXIT_SOLVED
from tests.cli.running import Run

STEERS = "a\x1b[2J\x9b31m\x07\rb\u202ec\ud83d\x7f\u200f\ufeff\U000e0041"
SHOWN = "a␛[2J\N{REPLACEMENT CHARACTER}31m␇␍b�c�␡���"


def test_control_characters_are_visible_and_take_as_much_room() -> None:
    assert visible(STEERS) == SHOWN
    assert len(SHOWN) == len(STEERS)
    assert visible("Größe: 3 µm\t→ 我\n  ^") == "Größe: 3 µm\t→ 我\n  ^"


def test_a_name_makes_no_second_line_and_no_gap(capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed of a plan cannot be forged; wide letters take two columns, accents none."""
    Printer().line("note: a\nsolved\tvalid")
    Printer().rows([("我🤖", "x"), ("é\n", "y"), ("abcdef", "z")])
    assert capsys.readouterr().out.splitlines() == ["note: a␊solved␉valid", "我🤖    x", "é␊      y", "abcdef  z"]
    assert [width(text) for text in ("我", "é", "\u202e", "\U000e0041")] == [2, 1, 1, 1]


@pytest.mark.parametrize("quiet", [False, True])
def test_what_is_logged_does_not_steer_the_terminal(quiet: bool, capsys: pytest.CaptureFixture[str]) -> None:
    context = click.Context(click.Command("solve"))
    context.params["quiet"] = quiet
    record = logging.LogRecord("commonsense_planning.x", logging.WARNING, "x", 1, "%s was lost", (STEERS,), None)
    with context:
        Complaints().handle(record)
    assert capsys.readouterr().err == ("" if quiet else f"cplan: {SHOWN} was lost\n")


def test_nothing_that_is_printed_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    printer = Printer()
    printer.line(STEERS)
    printer.parts((STEERS, "bold"), ("|", ""))
    printer.rows([(STEERS, "x"), ("y", "z")])
    print_text(STEERS)
    complain(STEERS)
    out, err = capsys.readouterr()
    padding = " " * (len(SHOWN) + 1)
    assert out == f"{SHOWN}\n{SHOWN}|\n{SHOWN}  x\ny{padding}z\n{SHOWN}"
    assert err == f"{SHOWN}\n"


@pytest.mark.parametrize("args", [
    ("solve", "--method", "gbfs"),
    ("solve", "--method", "gbfs", "--json"),
    ("belief",),
    ("ground",),
    ("solve", "--method", "\x1bc"),
], ids=repr)  # fmt: skip
def test_names_of_files_do_not_steer_the_terminal(args: tuple[str, ...], tiny: tuple[Path, Path], cplan: Run) -> None:
    for path in (*tiny, tiny[0].with_name("sensors.pddl")):
        path.write_text(path.read_text().replace("ball", "ball\x1bc\x9b2J").replace("open-box", "open-box\x1bc"))
    command, *options = args
    ended = cplan(command, *tiny, *options)
    for said in (ended.out, ended.err):
        assert visible(said) == said


def test_progress_is_plain_lines_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 0.0, 10.0, 31.0, 32.0, 100.0, 100.0, 140.0])
    monkeypatch.setattr(output.time, "monotonic", lambda: next(clock))
    with counting_bar(Printer(), False, "episodes", at_once=True) as move:
        for done, failed in ((3, 0), (4, 0), (5, 1), (6, 1)):
            move(done, 9, failed)
    with progress(Printer(), False) as report:
        report("states", 1, None)
        report("states", 7, None)
    with counting_bar(Printer(), True, "episodes") as move, progress(Printer(), True) as report:
        move(9, 9)
        report("states", 9, None)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "episodes: 3 of 9 after 0 s",
        "episodes, 1 failed: 5 of 9 after 31 s",
        "states: 7 after 40 s",
    ]


def test_colours_are_wanted_or_not(cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    check = ("solve", "household:small-apple", "--method", "gbfs")
    assert "\x1b" not in cplan(*check).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = cplan(*check).out
    assert "\x1b[1;32msolved" in out
    assert "\x1b[2K" not in out  # nor does a bar move without a terminal
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1msolved" in cplan(*check).out
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in cplan(*check).out


def test_a_page_is_written_next_to_its_trace(cplan: Run, tiny: tuple[Path, Path], tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    assert cplan("solve", *tiny, "--trace", trace, "--trace-search", "--quiet").code == EXIT_SOLVED
    ended = cplan("view", trace)
    assert ended.code == EXIT_SOLVED and f"page written to {tmp_path / 'trace.html'}: 6 stops" in ended.out
    assert cplan("view", trace, "-o", tmp_path / "page.html").code == EXIT_SOLVED
    assert (tmp_path / "page.html").read_bytes() == (tmp_path / "trace.html").read_bytes()


def test_a_trace_comes_from_standard_input(
    cplan: Run, tiny: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace, page = tmp_path / "trace.jsonl", tmp_path / "page.html"
    assert cplan("solve", *tiny, "--trace", trace, "--quiet").code == EXIT_SOLVED
    assert cplan("view", trace).code == EXIT_SOLVED
    with trace.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert cplan("view", "-", "-o", page).code == EXIT_SOLVED
    assert page.read_bytes() == trace.with_suffix(".html").read_bytes()
