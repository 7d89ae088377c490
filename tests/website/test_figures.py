"""The drawn figures of the pages are as their program draws them."""

from website.pictures import figures


def test_the_figures_are_as_they_are_drawn() -> None:
    drawn = figures.drawn()
    kept = {name: (figures.PICTURES / f"{name}.svg").read_text(encoding="utf-8") for name in drawn}
    assert kept == drawn, "python -m website.pictures.figures"
