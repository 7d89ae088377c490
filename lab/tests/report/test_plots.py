"""Plots: what is drawn, and that equal charts give equal files."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from commonsense_lab.report.document import Chart
from commonsense_lab.report.plots import Points, draw, line_chart, panels, save, save_as
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


@pytest.mark.parametrize("length", [1, 30, 80, 200])
@pytest.mark.parametrize("count", [1, 4, 9, 20])
def test_every_text_is_on_the_canvas(length: int, count: int) -> None:
    names = [f"{'method with a long name ' * 9}"[:length] + f"{number}" for number in range(count)]

    def bars(figure: Figure) -> None:
        for axis, title in zip(panels(figure, 2, 2, 2.2), itertools.cycle(names), strict=False):
            for name in names:
                axis.bar([0], [1], label=name)
            axis.set(title=title, ylabel="solved, %")

    lines = line_chart("lines", "title", "x", "y", [Points(name, 0, [(1, 1)]) for name in names])
    for chart in (Chart("bars", "title", bars), lines):
        figure = draw(chart)
        figure.draw_without_rendering()
        (legend,) = figure.legends
        assert [text.get_text() for text in legend.get_texts()] == names
        assert [text.get_text() for text in texts(figure) if text.get_text() and not is_inside(figure, text)] == []
        for axis in figure.axes:
            assert min(axis.get_window_extent().size) > 80  # pixels: room for what is drawn


def test_a_label_of_the_second_panel_is_in_the_legend() -> None:
    def two(figure: Figure) -> None:
        for axis, names in zip(panels(figure, 1, 2, 2.2), ("ab", "bc"), strict=True):
            for name in names:
                axis.plot([1, 2], label=name)

    (legend,) = draw(Chart("two", "title", two)).legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "c"]


def texts(figure: Figure) -> Iterator[Text]:
    """Legend, titles, labels of axes, and of the ticks that are in view."""
    yield from itertools.chain(figure.texts, *(legend.get_texts() for legend in figure.legends))
    for axes in figure.axes:
        yield axes.title
        for axis in (axes.xaxis, axes.yaxis):
            low, high = axis.get_view_interval()
            yield axis.label
            yield from (tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high)


def is_inside(figure: Figure, text: Text) -> bool:
    """Whether the whole text is on the canvas, but for a pixel."""
    extent, canvas = text.get_window_extent(), figure.bbox
    return bool(min(extent.x0, extent.y0) >= -1 and extent.x1 <= canvas.width + 1 and extent.y1 <= canvas.height + 1)
