"""``cplan bench mdl``: what it prints, draws and refuses."""

from pathlib import Path

import pytest

from tests.cli.running import Run


def test_numbers_of_any_length(cplan: Run) -> None:
    huge = cplan("bench", "mdl", "multiplication", "--sizes", "1000", "--json")
    assert huge.code == 0
    assert huge.json["problems"][0]["sizes"][0]["policy"] > 10**2000
    assert "6.64e2003" in huge.err


@pytest.mark.parametrize(("option", "value", "said"), [
    ("--weight-bits", "10000", "up to 1,000,000,000 things, the policy stays the shorter"),
    ("--composed", "2", "the model is the shorter at every size"),
])  # fmt: skip
def test_one_may_be_the_shorter_at_every_size(option: str, value: str, said: str, cplan: Run) -> None:
    assert said in cplan("bench", "mdl", "rearrangement", option, value).out


def test_a_plot(cplan: Run, tmp_path: Path) -> None:
    path = tmp_path / "flights.svg"
    ended = cplan("bench", "mdl", "flights", "--program-bits", "8000", "--plot", path)
    assert ended.code == 0
    assert f"the plot is in {path}" in ended.out
    drawn = path.read_text()
    assert "model and program" in drawn
    assert "the model is shorter from 43 on" in drawn
    assert cplan("bench", "mdl", "flights", "--sizes", "1000,2000", "--plot", path).code == 0
    assert "is shorter from" not in path.read_text()
