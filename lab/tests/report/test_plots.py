"""Plots: what is drawn, and that equal charts give equal files."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_lab.report.plots import Points, draw, line_chart, save, save_as
from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.support.statistics import Difference

BARRED = [(25, Difference(90.0, 80.0, 95.0)), (50, Difference(80.0, 75.0, 80.0)), (100, Difference(20.0, 20.0, 40.0))]
SERIES = Points("one <&>", 3, BARRED), Points("two $x$", 6, [(25, 60.0), (100, 30.0)])
LINES = line_chart("lines", "title", "cities", "right, %", SERIES, log_x=True)


def test_equal_charts_give_equal_files(tmp_path: Path) -> None:
    first, second = (save([LINES], tmp_path / folder) for folder in "ab")
    assert first == second == {"lines": (tmp_path / "a" / "lines.svg").read_text()}
    assert "<dc:date>" not in first["lines"]
    assert "one &lt;&amp;&gt;" in first["lines"] and "two $x$" in first["lines"]
    png = (tmp_path / "a" / "lines.png").read_bytes()
    assert png.startswith(b"\x89PNG") and png == (tmp_path / "b" / "lines.png").read_bytes()


def test_lines_go_through_their_points_with_bars_from_low_to_high() -> None:
    figure = draw(LINES)
    (axis,), (legend,) = figure.axes, figure.legends
    with_bars, without = axis.containers
    line, caps, (bars,) = with_bars
    assert list(line.get_ydata()) == [90.0, 80.0, 20.0]
    assert [[list(point) for point in bar] for bar in bars.get_segments()] == [
        [[25, 80], [25, 95]],
        [[50, 75], [50, 80]],
        [[100, 20], [100, 40]],
    ]
    assert list(without[0].get_xdata()) == [25, 100]
    assert without[2] == ()
    assert [text.get_text() for text in legend.get_texts()] == ["one <&>", "two $x$"]


def test_axes_of_lines_are_logarithmic_where_they_are_to_be() -> None:
    (axis,) = draw(LINES).axes
    assert (axis.get_xscale(), axis.get_yscale()) == ("log", "linear")
    assert axis.get_ylim()[0] == 0
    left, right = axis.get_xlim()
    assert [tick for tick in axis.get_xticks() if left <= tick <= right] == [50, 100]
    far = [Points("far", 0, [(1, 0.001), (10_000, 5.0)])]
    (axis,) = draw(line_chart("far", "title", "x", "y", far, log_y=True)).axes
    assert (axis.get_xscale(), axis.get_yscale()) == ("linear", "log")
    low, high = axis.get_ylim()
    assert [tick for tick in axis.get_yticks() if low <= tick <= high] == pytest.approx([0.001, 0.01, 0.1, 1.0])


def test_lines_reach_below_zero_where_their_values_do() -> None:
    (axis,) = draw(line_chart("loss", "title", "x", "y", [Points("loss", 0, [(1, -3.0), (2, 2.0)])])).axes
    assert axis.get_ylim()[0] < -3


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_one_chart_in_the_format_of_its_name(tmp_path: Path, ending: str, magic: bytes) -> None:
    paths = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for path in paths:
        save_as(LINES, path)
    first, second = (path.read_bytes() for path in paths)
    assert first.startswith(magic)
    assert first == second


def test_a_chart_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="ends with .png, .svg, .pdf"):
        save_as(LINES, tmp_path / "a.gif")
    with pytest.raises(InputError, match="cannot write the plot"):
        save_as(LINES, tmp_path / "none" / "a.png")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write the plots"):
        save([LINES], tmp_path / "file")
