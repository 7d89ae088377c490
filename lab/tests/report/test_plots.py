"""Plots: what is drawn, and that equal charts give equal files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from commonsense_lab.report.document import (
    Bar,
    Bars,
    Chart,
    Curve,
    CurvePanel,
    Curves,
    Lines,
    LineSeries,
    Stacks,
)
from commonsense_lab.report.plots import draw, save, save_as

from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.support.statistics import Mean

BARS = Bars(
    "bars",
    "title",
    ("Simple", "Comp."),
    (("one <&>", 0), ("two $x$", 5)),
    (("Seen", ((Bar(50.0, 40.0, 60.0, Mean(45.0, 2.0)), Bar(None, 0, 0, None)),) * 2),),
)
CURVES = Curves(
    "curves",
    "title",
    (("one", 3),),
    (
        CurvePanel("seconds", True, (Curve((0.0, 0.01, 10.0), (10.0, 50.0, 50.0)),)),
        CurvePanel("calls", False, (Curve((0.0,), (100.0,)),)),
    ),
)
STACKS = Stacks(
    "stacks",
    "title",
    ("Simple", "Comp."),
    ("seen", "unseen"),
    ("policy", "model"),
    (("one", (((10.0, 20.0), (5.0, None)), ((30.0, 0.0), (1.0, None)))),) * 3,
)
LINES = Lines(
    "lines",
    "title",
    "cities",
    "right, %",
    True,
    False,
    (
        LineSeries("with bars", 3, (25, 50, 100), (90.0, 80.0, 20.0), (80.0, 75.0, 20.0), (95.0, 80.0, 40.0)),
        LineSeries("without", 6, (25, 100), (60.0, 30.0)),
    ),
)
CHARTS: tuple[Chart, ...] = (BARS, CURVES, STACKS, LINES)


def test_equal_charts_give_equal_files(tmp_path: Path) -> None:
    first, second = save(CHARTS, tmp_path / "a"), save(CHARTS, tmp_path / "b")
    assert first == second
    for chart in CHARTS:
        assert first[chart.name] == (tmp_path / "a" / f"{chart.name}.svg").read_text()
        assert "<dc:date>" not in first[chart.name]
        png = (tmp_path / "a" / f"{chart.name}.png").read_bytes()
        assert png.startswith(b"\x89PNG")
        assert png == (tmp_path / "b" / f"{chart.name}.png").read_bytes()
    assert "one &lt;&amp;&gt;" in first["bars"]
    assert "two $x$" in first["bars"]


def test_bars_have_the_heights_of_the_rates() -> None:
    (axis,) = draw(BARS).axes
    assert [bar.get_height() for bars in axis.containers[:2] for bar in bars] == [50.0, 50.0]
    assert axis.get_legend_handles_labels()[1] == ["one <&>", "two $x$", "published"]


def test_a_logarithmic_axis_shows_what_costs_nothing_at_its_left_edge() -> None:
    log, linear = draw(CURVES).axes
    assert (log.get_xscale(), linear.get_xscale()) == ("log", "linear")
    (curve,) = log.get_lines()
    assert list(curve.get_xdata()) == [pytest.approx(0.008), 0.01, 10.0]
    assert log.get_xlim()[0] == pytest.approx(0.008)


def test_stacks_stand_on_each_other() -> None:
    axis = draw(STACKS).axes[0]
    policy, model = axis.containers
    assert [(bar.get_y(), bar.get_height()) for bar in policy] == [(0, 10), (0, 20), (0, 5), (0, 0)]
    assert [(bar.get_y(), bar.get_height()) for bar in model] == [(10, 30), (20, 0), (5, 1), (0, 0)]


def test_lines_go_through_their_points_with_bars_from_low_to_high() -> None:
    (axis,) = draw(LINES).axes
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
    assert axis.get_legend_handles_labels()[1] == ["with bars", "without"]


def test_axes_of_lines_are_logarithmic_where_they_are_to_be() -> None:
    (axis,) = draw(LINES).axes
    assert (axis.get_xscale(), axis.get_yscale()) == ("log", "linear")
    assert axis.get_ylim()[0] == 0
    left, right = axis.get_xlim()
    assert [tick for tick in axis.get_xticks() if left <= tick <= right] == [50, 100]
    far = (LineSeries("far", 0, (1, 10_000), (0.001, 5.0)),)
    (axis,) = draw(replace(LINES, log_x=False, log_y=True, series=far)).axes
    assert (axis.get_xscale(), axis.get_yscale()) == ("linear", "log")
    low, high = axis.get_ylim()
    assert [tick for tick in axis.get_yticks() if low <= tick <= high] == pytest.approx([0.001, 0.01, 0.1, 1.0])


def test_lines_reach_below_zero_where_their_values_do() -> None:
    (axis,) = draw(replace(LINES, series=(LineSeries("loss", 0, (1, 2), (-3.0, 2.0)),))).axes
    assert axis.get_ylim()[0] < -3


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_one_chart_in_the_format_of_its_name(tmp_path: Path, ending: str, magic: bytes) -> None:
    paths = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for path in paths:
        save_as(BARS, path)
    first, second = (path.read_bytes() for path in paths)
    assert first.startswith(magic)
    assert first == second


def test_a_chart_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="ends with .png, .svg, .pdf"):
        save_as(BARS, tmp_path / "a.gif")
    with pytest.raises(InputError, match="cannot write the plot"):
        save_as(BARS, tmp_path / "none" / "a.png")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write the plots"):
        save(CHARTS, tmp_path / "file")
