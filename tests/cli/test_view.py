"""``cplan view``, and ``cplan solve --trace-search``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonsense_planning.errors import EXIT_SOLVED
from tests.cli.running import Run


def test_a_page_stands_beside_its_trace(cplan: Run, tiny: tuple[Path, Path], tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    assert cplan("solve", *tiny, "--trace", trace, "--trace-search", "--quiet").code == EXIT_SOLVED
    ended = cplan("view", trace)
    assert ended.code == EXIT_SOLVED and f"page written to {tmp_path / 'trace.html'}" in ended.out
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


def test_a_trace_tells_trees_where_they_are_asked_for(cplan: Run, tiny: tuple[Path, Path], tmp_path: Path) -> None:
    for name, more in (("plain", ()), ("more", ("--trace-search",))):
        assert cplan("solve", *tiny, "--trace", tmp_path / name, "--quiet", *more).code == EXIT_SOLVED
    lines = ((tmp_path / name).read_text().splitlines() for name in ("plain", "more"))
    plain, more_told = ([json.loads(line) for line in some] for some in lines)
    assert [{k: v for k, v in m.items() if k in p} for m, p in zip(more_told, plain, strict=True)] == plain
    assert {"called", "map", "known", "belief"} <= {*plain[0]}
    assert not any("search" in event for event in plain) and any("search" in event for event in more_told)


def test_several_problems_have_a_trace_each(cplan: Run, tiny: tuple[Path, Path], tmp_path: Path) -> None:
    domain, problem = tiny
    other = problem.with_name("other.pddl")
    other.write_text(problem.read_text())
    folder = tmp_path / "traces"
    folder.mkdir()
    assert cplan("solve", domain, problem, other, "--trace", folder, "--trace-search", "--quiet").code == EXIT_SOLVED
    for name in ("problem", "other"):
        assert cplan("view", folder / f"{name}.jsonl").code == EXIT_SOLVED
